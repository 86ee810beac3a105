"""One board: pictures that a person compares, the page for that, and the answer once there is one."""

import asyncio
import os
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

import orjson
from aiohttp import web

from gstack_browse.board.answer import ASPECTS, BoardAnswer, BoardQuestion, NotUnderstoodError, Shown, answer_of
from gstack_browse.board.pictures import BoardPicture
from gstack_browse.board.serving import picture_response
from gstack_browse.board.state import BoardState
from gstack_browse.errors import ActionFailed, FileFailed, Refused, TimedOut
from gstack_browse.files import directory_of, reserve, write_whole
from gstack_browse.loopback.guard import Guard
from gstack_browse.loopback.server import LoopbackPage, as_json, body_of
from gstack_browse.text.columns import shown_seconds
from gstack_browse.text.sanitise import one_line
from gstack_browse.workspace import shown

OPEN_SECONDS = 3600.0
"""How long a board stays open when no window shows it."""
LEFT_SECONDS = 2.0
"""How long a window may be gone that is only loaded anew."""
COMING_SECONDS = 30.0
"""How long a window that was given the page may take to say that it is there: over a tunnel, on a slow machine."""
COMMAND = "board-compare"


class Board:
    """A board, open or answered. `address` opens the page, once; "" where nobody can open the page any more."""

    def __init__(self, state: BoardState, changed: Callable[[], None]) -> None:
        self._state = state
        self._changed = changed
        """Called when the board has been opened, answered or closed."""
        self.address = ""
        self._pictures = {picture.label: picture for picture in state.pictures}
        self._news = asyncio.Event()
        """Set while there is something to tell: an answer, that the person has gone, or that the board is closed."""
        if not state.pictures:  # another daemon has closed it
            self._news.set()
        self._is_leaving = False
        """Whether a successor takes the board over."""
        self._left: asyncio.TimerHandle | None = None
        self._is_seen = False
        """Whether a window shows the page."""
        self._coming_until = 0.0
        """Until when a window that was given the page is expected, by the event loop's clock."""
        self._page = LoopbackPage(
            "gstack_browse.board",
            ("style.css", "script.js", "cards.js", "zoom.js", "swipe.js"),
            self._routes(),
            guard=Guard(f"board-{self.number}", COMMAND, state.keys),
            seconds=OPEN_SECONDS,
            closed=self._closed,
            seen=self._seen,
            sent=self._expect_window,
        )

    @classmethod
    def of(
        cls,
        number: int,
        asker: str,
        title: str,
        pictures: Sequence[BoardPicture],
        changed: Callable[[], None],
    ) -> "Board":
        """A new board."""
        directory = pictures[0].path.parent
        shown_pictures = [_shown(picture, directory) for picture in pictures]
        question = BoardQuestion(number, one_line(title, 200), _now(), shown_pictures)
        return cls(BoardState(asker, question, directory, pictures=pictures), changed)

    @property
    def number(self) -> int:
        return self._state.question.number

    @property
    def asker(self) -> str:
        """The browser context in which it was asked."""
        return self._state.asker

    @property
    def title(self) -> str:
        return self._state.question.title

    @property
    def answer(self) -> BoardAnswer | None:
        return self._state.answer

    @property
    def file(self) -> str:
        """Where the answer was written; "" where it was not."""
        return self._state.file

    @property
    def is_told(self) -> bool:
        """Whether an agent has read the answer."""
        return self._state.is_told

    @property
    def is_open(self) -> bool:
        return self._page.is_open

    @property
    def name(self) -> str:
        """`Board 2 "Landing page"`."""
        return named(self.number, self.title)

    async def open(self) -> str:
        """Serve the page: a new one, or the one that another daemon has released. Returns its address."""
        self.address = await self._page.listen(self._state.listening)
        self._state.listening = None
        if self._state.was_opened:
            self._seen(False)  # until its window comes back
        return self.address

    async def close(self) -> None:
        await self._page.close()

    async def dismiss(self) -> bool:
        """Close the page where nobody has answered. Returns whether that was so."""
        is_unanswered = self.is_open and not self.answer
        if is_unanswered:
            await self.close()
        return is_unanswered

    async def release(self) -> BoardState:
        """Stop serving the page, and end the commands that wait for the answer. Returns the board for a successor, which can only report a closed one."""
        state = self._state
        self._is_leaving = True
        self._news.set()
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
        """Wait until the person has answered. Raises TimedOut, and ActionFailed where no answer will come."""
        try:
            async with asyncio.timeout(seconds):
                await self._news.wait()
        except TimeoutError:
            raise self._not_yet(seconds) from None
        if self.answer:
            return
        if self._is_leaving:
            raise TimedOut(f"{self.name} has no answer yet, and a new daemon takes over", self._go_on())
        again = f"Ask in words, or show it again: {COMMAND} …"
        if self.is_open:
            raise ActionFailed(
                f"{self.name} was closed by the person without an answer",
                f"{again}. What they may still send from that window: board-answer {self.number}",
            )
        raise ActionFailed(f"{self.name} was closed without an answer", again)

    def told(self) -> str:
        """The answer in words. Only for a board that has been answered."""
        assert self.answer
        self._state.is_told = True
        text = self.answer.text(self._state.question, shown(self.file))
        return f"{text}\n→ not written: {self._state.problem}" if self._state.problem else text

    def _not_yet(self, seconds: float) -> TimedOut:
        waited = f" after {shown_seconds(seconds)}" if seconds else " yet"
        opened = "" if self._state.was_opened else f"; nobody has opened it: {self.address}"
        return TimedOut(f"{self.name} has no answer{waited}{opened}", self._go_on())

    def _go_on(self) -> str:
        return f"It stays open. Wait for the answer: board-answer {self.number}"

    # the window

    def _expect_window(self) -> None:
        """A window was given the page. It may be closed again before its script runs, and the address works once."""
        self._state.was_opened = True
        self._coming_until = asyncio.get_running_loop().time() + COMING_SECONDS
        if not self._is_seen:
            self._seen(False)

    def _seen(self, is_there: bool) -> None:
        self._is_seen = is_there
        if self._left:
            self._left.cancel()
            self._left = None
        loop = asyncio.get_running_loop()
        if is_there:
            self._state.was_opened, self._coming_until = True, 0.0
            if not self.answer:
                self._news.clear()
        elif self.is_open:
            until = max(loop.time() + LEFT_SECONDS, self._coming_until)
            self._left = loop.call_at(until, self._news.set)

    def _closed(self) -> None:
        self.address = ""
        self._pictures.clear()
        self._state.pictures = ()
        self._news.set()
        self._changed()

    # what the page asks

    def _routes(self) -> list[web.RouteDef]:
        return [
            web.get("board", self._show),
            web.get("picture/{label:[A-Z]}", self._show_picture),
            web.post("answer", self._take),
        ]

    async def _show(self, request: web.Request) -> web.Response:
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
        return as_json({"title": self.title, "pictures": pictures, "aspects": ASPECTS})

    async def _show_picture(self, request: web.Request) -> web.Response:
        picture = self._pictures.get(request.match_info["label"])
        if picture is None:
            raise web.HTTPNotFound(text="no such picture")
        return picture_response(picture.content, picture.kind)

    async def _take(self, request: web.Request) -> web.Response:
        try:
            answer = answer_of(await body_of(request), list(self._pictures))
        except NotUnderstoodError:
            raise web.HTTPBadRequest(text="not understood") from None
        if self.answer not in (None, answer):
            raise web.HTTPConflict(text="This board has been answered already.")
        if not self.answer:
            self._state.answer = answer
            await asyncio.to_thread(self._write, answer)
            self._news.set()
            asyncio.get_running_loop().call_soon(self._page.end)
        return as_json({"said": "Sent. You can close this page."})

    def _write(self, answer: BoardAnswer) -> None:
        """Write the answer beside the pictures. Where writing fails, the reply has the answer all the same, with the reason."""
        state = self._state
        document = answer.document(state.question, _now())
        content = orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
        name = f"board-{state.question.asked[:19].replace('-', '').replace(':', '').replace('T', '-')}"
        names = (f"{name}{f'-{number}' if number > 1 else ''}.json" for number in count(1))
        try:
            with directory_of(str(state.directory / name)) as (directory, _):
                found = reserve(directory, names)
            write_whole(str(state.directory / found), content)
        except (FileFailed, Refused) as error:
            state.problem = one_line(error.message, 300)
            return
        state.file = str(state.directory / found)


def named(number: int, title: str) -> str:
    """`Board 2 "Landing page"`."""
    return f"Board {number}" + (f' "{title}"' if title else "")


def _shown(picture: BoardPicture, directory: Path) -> Shown:
    file = shown(os.path.relpath(picture.path, directory))
    return Shown(picture.label, file, picture.width, picture.height, picture.digest)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
