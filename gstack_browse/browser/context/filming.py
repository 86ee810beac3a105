"""Film the tab in which a context's commands act.

Pictures of Chromium's screencast go into a file (the take), with what commands do. After a command that acts one more is taken, once the page has
drawn what it did.
"""

import asyncio
import math
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from gstack_browse.browser.cdp.session import ProtocolError, Session
from gstack_browse.browser.context.screencast import REST_SECONDS, Screencast
from gstack_browse.browser.launch.running import RunningBrowser
from gstack_browse.browser.tab.tab import Tab
from gstack_browse.documents.film.actions import ActionLog
from gstack_browse.documents.film.take import TakeWriter, pack_record
from gstack_browse.errors import BrowseError
from gstack_browse.registry.values.measures import Size

LONGEST_SECONDS = 3600.0
"""A film ends by itself then."""
FIRST_BYTES, BYTES_A_SECOND = 120_000_000, 120_000
"""Room for pictures: a store, and what is added to it. An hour has 552 MB at most; a page that never rests gets fewer pictures then."""
ALIVE_SECONDS = 1.0
"""How often the take is told that the last picture is still there: a killed daemon loses no more than that."""
FRAME_SECONDS = 0.3
"""How long a hidden page, or a frame out of view, may take to draw what an action did."""
FIRST_SECONDS, LAST_SECONDS = 5.0, 2.0
"""How long the first picture is waited for, without which there is no film, and the last one."""
JPEG_QUALITY = 75
_POINTER_EVENTS = ("Input.dispatchMouseEvent", "Input.dispatchDragEvent", "Input.dispatchTouchEvent")
_PRESSES = ("mousePressed", "touchStart")


class Film:
    """Films the tab in which a context's commands act. `actions`: the log of those commands."""

    def __init__(
        self,
        writer: TakeWriter,
        running: Callable[[], RunningBrowser],
        *,
        fps: int,
        size: Size,
        actions: ActionLog,
    ) -> None:
        self.actions = actions
        self.problem = ""
        """Why nothing more is filmed; "" while it goes on."""
        self._writer = writer
        self._running = running
        self._screencast = Screencast(
            self._on_picture,
            interval=1 / fps,
            most_width=size.width,
            most_height=size.height,
            quality=JPEG_QUALITY,
        )
        self._began = time.monotonic()
        self._input: Session | None = None
        """The session whose input events are noted."""
        self._following = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()
        self._unshown: Tab | None = None
        """The tab of the last action, while there is no picture of what that did."""
        self._showing: asyncio.Task[None] | None = None
        self._drawn_at = math.inf
        """When the page had drawn what the last action did. Pictures since then show it."""
        self._last_picture = b""
        self._waiting: asyncio.TimerHandle | None = None
        """When there is room for the newest picture."""
        self._room = float(FIRST_BYTES)
        self._room_at = 0.0
        self._records: list[bytes] = []
        self._has_records = asyncio.Event()
        self._writing = asyncio.create_task(self._write_all())

    def now(self) -> float:
        """Return the seconds since the film began."""
        return time.monotonic() - self._began

    def add(self, kind: str, facts: Mapping[str, Any] | None = None, picture: bytes = b"") -> None:
        """Add a record to the film's file. `kind`: its type; `facts`: its other fields; `picture`: a JPEG."""
        if not self.problem:
            self._records.append(
                pack_record({"kind": kind, "at": round(self.now(), 3), **(facts or {})}, picture)
            )
            self._has_records.set()

    @property
    def unwritten_bytes(self) -> int:
        """Return how many bytes of records are not written to the film's file yet."""
        return sum(map(len, self._records))

    def begin_command(self, tab: Tab | None, *, acts: bool) -> None:
        """Handle that a command begins: pause pictures, and film the tab it works in (None: it has none).

        `acts`: the command may change the page.
        """
        self._cancel_capture()
        if acts:
            self._add_newest_picture()
            self._unshown, self._drawn_at = None, math.inf
        self._screencast.pause(acts=acts)
        self._follow_soon(tab)

    def end_command(self, tab: Tab | None, *, has_acted: bool) -> None:
        """Take pictures again after a command; if it has acted (`has_acted`), first one of the result."""
        if has_acted:
            self._unshown, self._drawn_at = tab, math.inf
        self._follow_soon(tab)
        if self._unshown is None:
            self._screencast.resume_soon()
            return
        self._screencast.resume_soon(REST_SECONDS + FRAME_SECONDS)
        self._cancel_capture()
        self._showing = asyncio.create_task(self._capture_action(self._unshown, REST_SECONDS))

    async def start(self, tab: Tab) -> None:
        """Begin the film with a tab's page. Raises ProtocolError and TimeoutError if that cannot be filmed."""
        async with self._following:
            await self._attach(tab)

    async def end(self) -> None:
        """Stop filming, and write the remaining records to the film's file."""
        self._cancel_capture()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=LAST_SECONDS)
        try:
            if self._unshown:
                with suppress(TimeoutError):
                    async with asyncio.timeout(LAST_SECONDS):
                        await self._capture_action(self._unshown)
            async with self._following:
                if not self.problem:
                    await self._screencast.wait_for_picture(
                        LAST_SECONDS if self._last_picture else FIRST_SECONDS
                    )
                await self._detach()
        finally:
            self._close("it was ended")
        await self._writing

    def _close(self, problem: str) -> None:
        """Add the last commands and the end record to the film's file. `problem`: why nothing more is filmed."""
        self._add_actions()
        self.add("end")
        self.problem = self.problem or problem
        self._cancel_capture()
        self._has_records.set()

    # which page is filmed

    def is_filming(self, tab: Tab) -> bool:
        """Return whether the page that the tab shows is being filmed."""
        return self._screencast.is_showing(tab.page.target)

    def _follow_soon(self, tab: Tab | None) -> None:
        """Switch the film to this tab in the background; do nothing if its page is being filmed, or is gone."""
        if tab is None or tab.gone_error() or self.problem or self.is_filming(tab):
            return
        task = asyncio.create_task(self._follow_tab(tab))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _follow_tab(self, tab: Tab) -> None:
        """Stop filming the present page and film this tab's, unless it is the same."""
        async with self._following:
            if self.problem or tab.gone_error() or self.is_filming(tab):
                return
            await self._detach()
            # The page may have closed; the next command tries again.
            with suppress(ProtocolError, TimeoutError, BrowseError):
                await self._attach(tab)

    async def _attach(self, tab: Tab) -> None:
        """Begin to film a tab's page, and to record the pointer input that is sent to it."""
        target = tab.page.target
        await self._screencast.start(self._running(), target)
        self._input = target.session
        self._input.on_send = self._on_send

    async def _detach(self) -> None:
        """Add the newest picture to the film, and stop filming the page."""
        self._add_newest_picture()
        self._ignore_input()
        await self._screencast.stop()

    def _ignore_input(self) -> None:
        """Stop recording pointer input."""
        if self._input:
            self._input.on_send = None
            self._input = None

    # pictures

    async def _capture_action(self, tab: Tab, seconds: float = 0.0) -> None:
        """Take a picture once the page has drawn what an action did, after `seconds` at the earliest."""
        await asyncio.sleep(seconds)  # the next command of a row begins sooner, and cancels this
        await self._follow_tab(tab)
        with suppress(ProtocolError, TimeoutError, BrowseError):
            await tab.world.wait_next_frame(FRAME_SECONDS)
        if not self.problem and not tab.gone_error() and self.is_filming(tab):
            self._unshown, self._drawn_at = None, time.monotonic()
            self._screencast.restart()

    def _cancel_capture(self) -> None:
        """Cancel the scheduled picture of what the last action did."""
        if self._showing:
            self._showing.cancel()
            self._showing = None

    def _on_picture(self) -> None:
        """Handle the screencast's report: a new picture, or that the page has closed."""
        if self._screencast.session is None:
            self._ignore_input()
        self._add_newest_picture()

    def _add_newest_picture(self) -> None:
        """Add the newest picture to the film's file, now or when the limit of bytes allows it."""
        if self._waiting:
            self._waiting.cancel()
            self._waiting = None
        picture = self._screencast.newest
        if picture is None or self.problem:
            return
        content, now = picture.decode(), self.now()
        self._room = min(self._room + (now - self._room_at) * BYTES_A_SECOND, FIRST_BYTES)
        self._room_at = now
        if content != self._last_picture and len(content) > self._room:
            wait = (len(content) - self._room) / BYTES_A_SECOND
            self._waiting = asyncio.get_running_loop().call_later(wait, self._add_newest_picture)
            return
        self._screencast.take_newest()
        facts = {"at": round(max(picture.at - self._began, 0.0), 3), "drawn": picture.at >= self._drawn_at}
        if content == self._last_picture:
            if facts["drawn"]:
                self.add("same", facts)
            return
        self._last_picture = content
        self._room -= len(content)
        self.add("picture", {**facts, "width": picture.width}, content)

    # input

    def _on_send(self, method: str, parameters: Mapping[str, Any]) -> None:
        """Record the pointer's place, and whether it presses, of each input request that is sent to the page."""
        if method not in _POINTER_EVENTS:
            return
        points = parameters.get("touchPoints")
        place = points[0] if points else parameters
        if place.get("x", -1) >= 0:
            kind = parameters["type"]
            self.add("pointer", {"x": place["x"], "y": place["y"], "press": kind in _PRESSES})

    # the take

    def _add_actions(self) -> None:
        """Add the commands that have run since the last call to the film's file."""
        for action in self.actions.pop_records():
            self.add("action", action)

    async def _write_all(self) -> None:
        """Write the records to the film's file, at least one a second, until the film ends or a write fails."""
        while not self.problem or self._records:
            with suppress(TimeoutError):
                async with asyncio.timeout(ALIVE_SECONDS):
                    await self._has_records.wait()
            if self.now() > LONGEST_SECONDS and not self.problem:
                self._close("an hour is the longest film")
            self._add_actions()
            if not self._records:
                self.add("alive")
            content, self._records = b"".join(self._records), []
            self._has_records.clear()
            try:
                await asyncio.to_thread(self._writer.append, content)
            except OSError as error:
                self.problem = f"the take could not be written: {error.strerror}"
                self._records.clear()
        self._writer.close()
        async with self._following:
            await self._detach()
