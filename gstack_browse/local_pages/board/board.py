"""A board: a local page on which a person compares pictures and answers an agent's question."""

import asyncio
import os
import socket
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

import orjson
from aiohttp import web

from gstack_browse.errors import ActionFailed, FileFailed, Refused, TimedOut
from gstack_browse.local_pages.board.answer import (
    ASPECTS,
    BoardAnswer,
    BoardQuestion,
    InvalidAnswer,
    PictureInfo,
    parse_answer,
)
from gstack_browse.local_pages.board.pictures import BoardPicture, picture_response
from gstack_browse.local_pages.loopback.server import Guard, LoopbackPage, PageSecrets, json_response, read_json
from gstack_browse.text.sanitise import one_line, quote_text
from gstack_browse.text.units import format_seconds
from gstack_browse.workspace.directory import printable_path
from gstack_browse.workspace.files import open_parent, reserve, write_whole


@dataclass
class BoardState:
    """The state of a board.

    Only an open board has `pictures`; `keys` and `listening` (its socket) only while it is handed over.
    """

    asker: str
    question: BoardQuestion
    directory: Path
    """The directory for the answer's file."""
    answer: BoardAnswer | None = None
    file: str = ""
    """Path of the answer's file, or ""."""
    problem: str = ""
    """Why the answer could not be written, or ""."""
    is_reported: bool = False
    was_opened: bool = False
    keys: PageSecrets | None = None
    listening: socket.socket | None = None
    pictures: Sequence[BoardPicture] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the state as a JSON object for a successor, without the socket and the pictures' contents.

        It holds the page's secrets, so it must not be written to a file.
        """
        question = self.question._asdict() | {
            "pictures": [picture._asdict() for picture in self.question.pictures]
        }
        return {
            "asker": self.asker,
            "question": question,
            "directory": _encode_path(self.directory),
            "answer": self.answer.to_page_json() if self.answer else None,
            "file": _encode_path(self.file),
            "problem": self.problem,
            "is_told": self.is_reported,
            "was_opened": self.was_opened,
            "keys": list(self.keys) if self.keys else None,
            "pictures": [
                [
                    picture.label,
                    _encode_path(picture.path),
                    picture.kind,
                    picture.width,
                    picture.height,
                    len(picture.content),
                ]
                for picture in self.pictures
            ],
        }

    @classmethod
    def from_dict(
        cls, fields: Mapping[str, Any], listening: socket.socket | None, contents: bytes
    ) -> "BoardState":
        """Restore a state from what `as_dict` returned, the page's socket, and the pictures' joined contents."""
        question = fields["question"]
        shown = [PictureInfo(**picture) for picture in question["pictures"]]
        answer, keys = fields["answer"], fields["keys"]
        return cls(
            asker=fields["asker"],
            question=BoardQuestion(**{**question, "pictures": shown}),
            directory=_decode_path(fields["directory"]),
            answer=parse_answer(answer, [picture.label for picture in shown]) if answer else None,
            file=str(_decode_path(fields["file"])) if fields["file"] else "",
            problem=fields["problem"],
            is_reported=fields["is_told"],
            was_opened=fields["was_opened"],
            keys=PageSecrets(*keys) if keys else None,
            listening=listening,
            pictures=_split_pictures(fields["pictures"], contents),
        )


def _split_pictures(fields: Sequence[Sequence[Any]], contents: bytes) -> tuple[BoardPicture, ...]:
    """Restore pictures from what `as_dict` lists of each (`fields`), and their concatenated contents."""
    found, at = [], 0
    for label, path, kind, width, height, size in fields:
        found.append(BoardPicture(label, _decode_path(path), contents[at : at + size], kind, width, height))
        at += size
    return tuple(found)


def _encode_path(path: str | Path) -> str:
    """Encode a path as text for JSON, although a file's name may hold any bytes."""
    return os.fsencode(path).decode("latin-1")


def _decode_path(word: str) -> Path:
    """Restore a path from the text that `_encode_path` made."""
    return Path(os.fsdecode(word.encode("latin-1")))


OPEN_SECONDS = 3600.0
"""How long a board stays open while no window shows it."""
RELOAD_SECONDS = 2.0
"""How long a window may be gone before it counts as closed: a reload closes it for a moment."""
ROUND_SECONDS = 900.0
"""How long the page of an answered board stays for another round."""
WINDOW_START_SECONDS = 30.0
"""How long a window may take from receiving the page to running its script, also over a tunnel or on a slow machine."""
COMMAND = "board-compare"


class BoardWindow:
    """Whether a window shows the page of a board.

    `on_gone` is called once none has shown it for so long that the person counts as gone.
    """

    def __init__(self, on_gone: Callable[[], None]) -> None:
        self.is_there = False
        self._on_gone = on_gone
        self._expected_until = 0.0
        """Time of the event loop until which a window that has received the page may still start."""
        self._timer: asyncio.TimerHandle | None = None

    def expect_start(self) -> None:
        """Count the window that has just received the page as open for WINDOW_START_SECONDS.

        This gives its script the time to connect.
        """
        self._expected_until = asyncio.get_running_loop().time() + WINDOW_START_SECONDS

    def on_opened(self) -> None:
        """Record that a window shows the page, so that `on_gone` is not called."""
        self.is_there, self._expected_until = True, 0.0
        self._stop_timer()

    def on_closed(self, *, may_return: bool) -> None:
        """Record that no window shows the page any more.

        `may_return`: a reload may bring it back, so `on_gone` is called after a delay only.
        """
        self.is_there = False
        self._stop_timer()
        if may_return:
            loop = asyncio.get_running_loop()
            until = max(loop.time() + RELOAD_SECONDS, self._expected_until)
            self._timer = loop.call_at(until, self._on_gone)

    def _stop_timer(self) -> None:
        """Cancel the pending call of `on_gone`, if there is one."""
        if self._timer:
            self._timer.cancel()
            self._timer = None


class Board:
    """A board, open or answered. `address` opens its page, once; "" once the page is closed."""

    def __init__(self, state: BoardState, on_change: Callable[[], None]) -> None:
        self._state = state
        self._on_change = on_change
        """Called when the board has been opened, answered or closed."""
        self.address = ""
        self._expects_next_round = False
        """Whether the answer asks for another round, and a window is there to show it."""
        self.next_address = ""
        """The address of the next board, to which the window of this answered one goes."""
        self._pictures = {picture.label: picture for picture in state.pictures}
        self._wakes_waiters = asyncio.Event()
        """Set once there is an answer, the person has gone, or the board is closed."""
        if not state.pictures:  # another daemon has closed it
            self._wakes_waiters.set()
        self._is_leaving = False
        """Whether a successor takes the board over."""
        self._window = BoardWindow(self._wakes_waiters.set)
        self._page = LoopbackPage(
            "gstack_browse.local_pages.board",
            ("style.css", "script.js", "cards.js", "viewers.js"),
            self._routes(),
            guard=Guard(f"board-{self.number}", COMMAND, state.keys),
            seconds=OPEN_SECONDS,
            on_close=self._on_page_closed,
            on_window_change=self._on_window_change,
            on_page_sent=self._on_page_sent,
        )

    @classmethod
    def create(
        cls,
        number: int,
        asker: str,
        title: str,
        pictures: Sequence[BoardPicture],
        on_change: Callable[[], None],
    ) -> "Board":
        """Create a board that is not served yet.

        Args:
            number: the board's number, unique in the workspace.
            asker: identifier of the browser context that asks.
            title: the question, or "".
            pictures: at least one; the answer is written beside the first.
            on_change: called when the board has been opened, answered or closed.
        """
        directory = pictures[0].path.parent
        shown = [
            PictureInfo(
                picture.label,
                printable_path(os.path.relpath(picture.path, directory)),
                picture.width,
                picture.height,
                picture.digest,
            )
            for picture in pictures
        ]
        question = BoardQuestion(number, one_line(title, 200), _current_time(), shown)
        return cls(BoardState(asker, question, directory, pictures=pictures), on_change)

    @property
    def number(self) -> int:
        """Return the board's number, which commands take."""
        return self._state.question.number

    @property
    def asker(self) -> str:
        """Return the identifier of the browser context whose command has opened the board."""
        return self._state.asker

    @property
    def title(self) -> str:
        """Return the title of the board's question; "" for none."""
        return self._state.question.title

    @property
    def answer(self) -> BoardAnswer | None:
        """Return the person's answer; None until there is one."""
        return self._state.answer

    @property
    def file(self) -> str:
        """Return the path of the answer's file; "" if none was written."""
        return self._state.file

    @property
    def is_reported(self) -> bool:
        """Return whether a command has printed the person's answer."""
        return self._state.is_reported

    @property
    def is_open(self) -> bool:
        """Return whether the board's page is served."""
        return self._page.is_open

    @property
    def name(self) -> str:
        """Return the board's name for messages: `Board 2 "Landing page"`."""
        return board_name(self.number, self.title)

    async def open(self) -> str:
        """Serve the board's page on a local port, and return its address.

        It continues on the socket that a previous daemon has handed over, if any.
        """
        self.address = await self._page.listen(self._state.listening)
        self._state.listening = self._state.keys = None  # the page has them
        if self._state.was_opened:
            self._on_window_change(False)  # until its window comes back
        return self.address

    async def close(self) -> None:
        """Close the board's page; commands that wait for an answer end."""
        await self._page.close()

    async def dismiss(self) -> bool:
        """Close the page if the board is open and has no answer. Return whether it was so."""
        is_unanswered = self.is_open and not self.answer
        if is_unanswered:
            await self.close()
        return is_unanswered

    @property
    def awaits_next_round(self) -> bool:
        """Return whether this answered board's window is open and waits for the address of the next board."""
        return self._expects_next_round and self.is_open and self._window.is_there and not self.next_address

    async def release(self) -> BoardState:
        """Stop serving the page, and end the commands that wait for an answer, as a new daemon takes over.

        Returns the board's state. If it has no socket (the board is not open), the new daemon can only report the board.
        """
        state = self._state
        self._is_leaving = True
        self._wakes_waiters.set()
        listening = await self._page.release() if self.is_open and not state.answer else None
        if listening and not state.answer:
            state.listening, state.keys = listening, self._page.keys
        elif listening:
            listening.close()
        if state.answer:
            await self.close()
            state.pictures = ()
        return state

    async def wait(self, seconds: float) -> None:
        """Wait up to `seconds` for the person's answer.

        Raises TimedOut if there is no answer yet, ActionFailed if the board was closed, so that no answer will come.
        """
        later = f"It stays open. Wait for the answer: board-answer {self.number}"
        try:
            async with asyncio.timeout(seconds):
                await self._wakes_waiters.wait()
        except TimeoutError:
            waited = f" after {format_seconds(seconds)}" if seconds else " yet"
            opened = "" if self._state.was_opened else f"; nobody has opened it: {self.address}"
            raise TimedOut(f"{self.name} has no answer{waited}{opened}", later) from None
        if self.answer:
            return
        if self._is_leaving:
            raise TimedOut(f"{self.name} has no answer yet, and a new daemon takes over", later)
        again = f"Ask in words, or show it again: {COMMAND} …"
        if self.is_open:
            raise ActionFailed(
                f"{self.name} was closed by the person without an answer",
                f"{again}. What they may still send from that window: board-answer {self.number}",
            )
        raise ActionFailed(f"{self.name} was closed without an answer", again)

    def report_answer(self) -> str:
        """Return the person's answer as text for a reply, and mark it as reported. There must be one."""
        assert self.answer
        self._state.is_reported = True
        text = self.answer.render_text(self._state.question, printable_path(self.file))
        return f"{text}\n→ not written: {self._state.problem}" if self._state.problem else text

    # The window that shows the page.

    def _on_page_sent(self) -> None:
        """Record that a window received the page; count it as closed unless its script connects in time.

        The person may close it before that, and the address works only once.
        """
        self._state.was_opened = True
        self._window.expect_start()
        if not self._window.is_there:
            self._window.on_closed(may_return=self.is_open)

    def _on_window_change(self, is_there: bool) -> None:
        """Record whether a window shows the page.

        If none does, commands that wait for an answer end after a delay.
        """
        if not is_there:
            self._window.on_closed(may_return=self.is_open)
            return
        self._window.on_opened()
        self._state.was_opened = True
        if not self.answer:
            self._wakes_waiters.clear()

    def _on_page_closed(self) -> None:
        """Drop the pictures of a closed page, and end the commands that wait for an answer."""
        self.address = ""
        self._pictures.clear()
        self._state.pictures = ()
        self._wakes_waiters.set()
        self._on_change()

    # Requests of the page.

    def _routes(self) -> list[web.RouteDef]:
        """Return the routes of the page's requests, relative to its secret path."""
        return [
            web.get("board", self._send_board),
            web.get("picture/{label:[A-Z]}", self._send_picture),
            web.post("answer", self._receive_answer),
            web.get("next", self._send_next_address),
        ]

    async def _send_board(self, request: web.Request) -> web.Response:
        """Reply to the page with the board's title, pictures and aspects as JSON."""
        pictures = [
            {
                "label": picture.label,
                "name": picture.name,
                "width": picture.width,
                "height": picture.height,
                "device": picture.device,
            }
            for picture in self._pictures.values()
        ]
        return json_response({"title": self.title, "pictures": pictures, "aspects": ASPECTS})

    async def _send_picture(self, request: web.Request) -> web.Response:
        """Reply to the page with the picture whose label (A, B …) is in the request's path."""
        picture = self._pictures.get(request.match_info["label"])
        if picture is None:
            raise web.HTTPNotFound(text="no such picture")
        return picture_response(picture.content, picture.kind)

    async def _receive_answer(self, request: web.Request) -> web.Response:
        """Store the answer that the page posts and write it to a file.

        Then close the page, or let it wait for a next round.
        """
        try:
            labels = [picture.label for picture in self._state.question.pictures]
            answer = parse_answer(await read_json(request), labels)
        except InvalidAnswer:
            raise web.HTTPBadRequest(text="not understood") from None
        if self.answer not in (None, answer):
            raise web.HTTPConflict(text="This board has been answered already.")
        if not self.answer:
            self._state.answer = answer
            self._expects_next_round = answer.verdict != "chosen" and self._window.is_there
            await asyncio.to_thread(_write_answer, self._state, answer)
            self._wakes_waiters.set()
            self._on_change()
            loop = asyncio.get_running_loop()
            if self._expects_next_round:
                self._pictures.clear()
                self._state.pictures = ()
                loop.call_later(ROUND_SECONDS, self._page.close_in_background)
            else:
                loop.call_soon(self._page.close_in_background)
        goes_on = self._expects_next_round
        what_follows = "The next round will be shown here." if goes_on else "You can close this page."
        return json_response({"message": f"Sent. {what_follows}", "goes_on": goes_on})

    async def _send_next_address(self, request: web.Request) -> web.Response:
        """Reply to an answered board's page with the address of the agent's next board, once.

        "" before it is set.
        """
        address, self.next_address = self.next_address, ""
        if address:
            asyncio.get_running_loop().call_soon(self._page.close_in_background)
        return json_response({"address": address})


def _write_answer(state: BoardState, answer: BoardAnswer) -> None:
    """Write a person's answer to a new file beside the pictures, and its path to `state.file`.

    If that fails, write the reason to `state.problem`.
    """
    document = answer.to_file_json(state.question, _current_time())
    content = orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    name = f"board-{state.question.asked[:19].replace('-', '').replace(':', '').replace('T', '-')}"
    names = (f"{name}{f'-{number}' if number > 1 else ''}.json" for number in count(1))
    try:
        with open_parent(str(state.directory / name)) as (directory, _):
            found = reserve(directory, names)
        write_whole(str(state.directory / found), content)
    except (FileFailed, Refused) as error:
        state.problem = one_line(error.message, 300)
        return
    state.file = str(state.directory / found)


def board_name(number: int, title: str) -> str:
    """Return a board's name for messages: `Board 2 "Landing page"`."""
    return f"Board {number}" + (f" {quote_text(title)}" if title else "")


def _current_time() -> str:
    """Return the current time in UTC, ISO 8601, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")
