"""One board: pictures that a person compares, the page for that, and the answer once there is one."""

import asyncio
import os
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import count

import orjson
from aiohttp import web

from gstack_browse.board.answer import ASPECTS, BoardAnswer, BoardQuestion, NotUnderstoodError, Shown, answer_of
from gstack_browse.board.pictures import BoardPicture
from gstack_browse.board.serving import picture_response
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
COMMAND = "board-compare"


class Board:
    """A board that is asked about, or has been. `address` opens it once; "" where nobody can any more."""

    def __init__(self, number: int, asker: str, title: str, pictures: Sequence[BoardPicture]) -> None:
        self.number = number
        self.asker = asker
        self.title = one_line(title, 200)
        self.answer: BoardAnswer | None = None
        self.address = ""
        self.is_told = False
        """Whether an agent has read the answer."""
        self._pictures = {picture.label: picture for picture in pictures}
        self._directory = pictures[0].path.parent
        self._file = ""
        self._problem = ""
        self._was_opened = False
        self._news = asyncio.Event()
        """Set while there is something to tell: an answer, that the person has gone, or that the board is closed."""
        self._leaving: asyncio.TimerHandle | None = None
        self._question = BoardQuestion(
            number, self.title, _now(), [self._shown(picture) for picture in pictures]
        )
        self._page = LoopbackPage(
            "gstack_browse.board",
            ("style.css", "script.js", "cards.js", "zoom.js", "swipe.js"),
            self._routes(),
            guard=Guard(f"board-{number}", COMMAND),
            seconds=OPEN_SECONDS,
            closed=self._closed,
            seen=self._seen,
        )

    @property
    def is_open(self) -> bool:
        return self._page.is_open

    @property
    def name(self) -> str:
        """`Board 2 "Landing page"`."""
        return f"Board {self.number}" + (f' "{self.title}"' if self.title else "")

    async def open(self) -> str:
        """Serve the page. Returns its address."""
        self.address = await self._page.listen()
        return self.address

    async def close(self) -> None:
        await self._page.close()

    async def wait(self, seconds: float) -> None:
        """Wait until the person has answered. Raises TimedOut, and ActionFailed where no answer will come."""
        try:
            async with asyncio.timeout(seconds):
                await self._news.wait()
        except TimeoutError:
            raise self._not_yet(seconds) from None
        if self.answer:
            return
        again = f"Ask in words, or show it again: {COMMAND} …"
        if self.is_open:
            raise ActionFailed(
                f"{self.name} was closed by the person without an answer",
                f"{again}. What they may still send from that window: board-answer {self.number}",
            )
        raise ActionFailed(f"{self.name} was closed without an answer", again)

    def told(self) -> str:
        """The answer in words. There has to be one."""
        assert self.answer
        self.is_told = True
        text = self.answer.text(self._question, shown(self._file))
        return f"{text}\n→ not written: {self._problem}" if self._problem else text

    def _not_yet(self, seconds: float) -> TimedOut:
        waited = f" after {shown_seconds(seconds)}" if seconds else " yet"
        opened = "" if self._was_opened else f"; nobody has opened it: {self.address}"
        return TimedOut(
            f"{self.name} has no answer{waited}{opened}",
            f"It stays open. Wait for the answer: board-answer {self.number}",
        )

    def _shown(self, picture: BoardPicture) -> Shown:
        file = shown(os.path.relpath(picture.path, self._directory))
        return Shown(picture.label, file, picture.width, picture.height, picture.digest)

    # the window

    def _seen(self, is_there: bool) -> None:
        if self._leaving:
            self._leaving.cancel()
            self._leaving = None
        if is_there:
            self._was_opened = True
            if not self.answer:
                self._news.clear()
        elif self.is_open:
            self._leaving = asyncio.get_running_loop().call_later(LEFT_SECONDS, self._news.set)

    def _closed(self) -> None:
        self.address = ""
        self._pictures.clear()
        self._news.set()

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
        if self.answer:
            raise web.HTTPConflict(text="This board has been answered already.")
        try:
            answer = answer_of(await body_of(request), list(self._pictures))
        except NotUnderstoodError:
            raise web.HTTPBadRequest(text="not understood") from None
        self.answer = answer
        await asyncio.to_thread(self._write)
        self._news.set()
        asyncio.get_running_loop().call_soon(self._page.end)
        return as_json({"said": "Sent. You can close this page."})

    def _write(self) -> None:
        """Write the answer beside the pictures. Where that fails, the answer is told all the same, and why it was not written."""
        assert self.answer
        document = self.answer.document(self._question, _now())
        content = orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
        name = f"board-{self._question.asked[:19].replace('-', '').replace(':', '').replace('T', '-')}"
        names = (f"{name}{f'-{number}' if number > 1 else ''}.json" for number in count(1))
        try:
            with directory_of(str(self._directory / name)) as (directory, _):
                found = reserve(directory, names)
            write_whole(str(self._directory / found), content)
        except (FileFailed, Refused) as error:
            self._problem = one_line(error.message, 300)
            return
        self._file = str(self._directory / found)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
