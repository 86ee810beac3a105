"""Film the tab in which a session's commands act.

Pictures of Chromium's screencast go into a take, with what commands do.

The screencast has a session of its own with the page, and changes nothing in it. Chromium sends a picture when the page has drawn
something; at most `fps` a second are kept, always the last one. It waits while two are not answered, so a page in motion
costs half as much if they are answered when one is kept. What the page draws meanwhile has no picture, so Chromium is asked for one more
once the page has come to rest.
"""

import asyncio
import base64
import math
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from gstack_browse.browser.cdp.session import ProtocolError, Session
from gstack_browse.browser.cdp.targets import Target
from gstack_browse.browser.dialogs import prompts
from gstack_browse.browser.launch.running import RunningBrowser
from gstack_browse.browser.tab.tab import Tab
from gstack_browse.errors import BrowseError
from gstack_browse.film.actions import ActionLog
from gstack_browse.film.take import TakeWriter, pack_record

if TYPE_CHECKING:
    from gstack_browse.registry.values.measures import Size

LONGEST_SECONDS = 3600.0
"""A film ends by itself then."""
FIRST_BYTES, BYTES_A_SECOND = 120_000_000, 120_000
"""Room for pictures: a store, and what is added to it. An hour has 552 MB at most; a page that never rests gets fewer pictures then."""
ALIVE_SECONDS = 1.0
"""How often the take is told that the last picture is still there: a killed daemon loses no more than that."""
REST_SECONDS = 0.2
"""A page that has drawn nothing for so long has come to rest."""
LATEST_SECONDS = 1.0
"""The largest delay of a picture that is believed: a browser elsewhere has another clock."""
START_SECONDS = 5.0
"""How long a page may take to begin a screencast."""
DETACH_SECONDS = 1.0
FRAME_SECONDS = 0.3
"""How long a hidden page, or a frame out of view, may take to draw what an action did."""
LAST_SECONDS = 0.5
"""How long the last picture is waited for."""
JPEG_QUALITY = 75
_POINTER_EVENTS = ("Input.dispatchMouseEvent", "Input.dispatchDragEvent", "Input.dispatchTouchEvent")
_PRESSES = ("mousePressed", "touchStart")


class Film:
    """A film that is being taken. `actions`: the commands of the session."""

    def __init__(
        self,
        writer: TakeWriter,
        running: Callable[[], RunningBrowser],
        *,
        fps: int,
        size: "Size",
        actions: ActionLog,
    ) -> None:
        self.actions = actions
        self.problem = ""
        """Why nothing more is filmed; "" while it goes on."""
        self._writer = writer
        self._running = running
        self._interval = 1 / fps
        self._size = size
        self._began = time.monotonic()
        self._session: Session | None = None
        self._target: Target | None = None
        self._input: Session | None = None
        """The session whose input events are noted."""
        self._following = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()
        self._pending: tuple[float, dict[str, Any]] | None = None
        """The last picture, which is still to be kept."""
        self._unanswered: list[int] = []
        """Numbers of pictures that Chromium does not know to have come."""
        self._last_picture = b""
        self._next_keep = 0.0
        self._keeping: asyncio.TimerHandle | None = None
        self._resting: asyncio.TimerHandle | None = None
        self._screencast = -1
        """Chromium's number of the last screencast that a picture came from."""
        self._action = 0
        """The number of the command that acted last."""
        self._drawn_at = math.inf
        """When the page had drawn what the last action did. Pictures since then show it."""
        self._is_fresh = asyncio.Event()
        """Set by the first picture of a screencast: the page as it is."""
        self._room = float(FIRST_BYTES)
        self._room_at = 0.0
        self._records: list[bytes] = []
        self._has_records = asyncio.Event()
        self._writing = asyncio.create_task(self._write_all())

    def now(self) -> float:
        """Return the seconds since the beginning."""
        return time.monotonic() - self._began

    def add(self, kind: str, facts: Mapping[str, Any] | None = None, picture: bytes = b"") -> None:
        """Add a record to the take."""
        if not self.problem:
            self._records.append(
                pack_record({"kind": kind, "at": round(self.now(), 3), **(facts or {})}, picture)
            )
            self._has_records.set()

    def follow(self, tab: Tab | None, *, has_acted: bool = False) -> None:
        """Film this tab from now on, if it is another one, or shows another page. Does not wait.

        has_acted: also take a picture once the page has drawn what a command did
        """
        if has_acted:
            self._drawn_at = math.inf
        if tab is None or tab.gone() or self.problem or (self.is_filming(tab) and not has_acted):
            return
        task = asyncio.create_task(self._show_action(tab) if has_acted else self._follow(tab))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def begin_action(self) -> None:
        """Keep the last picture now: pictures from here on may show what the next command does."""
        self._keep_now()
        self._action += 1
        self._drawn_at = math.inf

    async def start(self, tab: Tab) -> None:
        """Begin with this tab. Raises ProtocolError and TimeoutError if its page is not to be filmed."""
        async with self._following:
            await self._attach(tab)

    async def end(self) -> None:
        """Stop filming, and write the rest of the take."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=LAST_SECONDS)
        try:
            async with self._following:
                await self._await_last_picture()
                await self._detach()
        finally:
            self._keep_now()
            self._close("it was ended")
        await self._writing

    def _close(self, problem: str) -> None:
        """Add what is still to be described and the end to the take. Nothing is added after that."""
        self._add_actions()
        self.add("end")
        self.problem = self.problem or problem
        self._has_records.set()

    async def _await_last_picture(self) -> None:
        """Wait for a picture of the page as it is now, if Chromium sends one in time."""
        if self._session and not self.problem:
            self._is_fresh.clear()
            self._ask_again(self._session)
            with suppress(TimeoutError):
                async with asyncio.timeout(LAST_SECONDS):
                    await self._is_fresh.wait()

    # which page is filmed

    async def _follow(self, tab: Tab) -> None:
        async with self._following:
            if self.problem or self.is_filming(tab):
                return
            await self._detach()
            # The page may have closed; the next command tries again.
            with suppress(ProtocolError, TimeoutError, BrowseError):
                await self._attach(tab)

    async def _show_action(self, tab: Tab) -> None:
        """Have a picture taken once the page has drawn what an action did, behind the action's reply."""
        action = self._action
        await self._follow(tab)
        with suppress(ProtocolError, TimeoutError, BrowseError):
            await tab.world.frame(FRAME_SECONDS)
        if action == self._action and self._session and self.is_filming(tab):
            self._drawn_at = self.now()
            self._ask_again(self._session)

    def is_filming(self, tab: Tab) -> bool:
        """Return whether the page that the tab shows is being filmed."""
        return self._session is not None and self._target is tab.page.target

    async def _attach(self, tab: Tab) -> None:
        target = tab.page.target
        async with asyncio.timeout(START_SECONDS):
            session = await prompts.open_session(self._running(), target)
        self._session, self._target, self._screencast = session, target, -1
        session.on("Page.screencastFrame", partial(self._on_picture, session))
        session.on("Inspector.targetCrashed", lambda _: self._lose(session))
        session.on("close", lambda _: self._lose(session))
        self._input = target.session
        self._input.on_send = self._on_send
        try:
            async with asyncio.timeout(START_SECONDS):
                await session.send("Page.startScreencast", self._parameters())
        except BaseException:
            await self._detach()
            raise

    def _parameters(self) -> dict[str, Any]:
        width, height = self._size
        return {"format": "jpeg", "quality": JPEG_QUALITY, "maxWidth": width, "maxHeight": height}

    async def _detach(self) -> None:
        session = self._session
        if session:
            self._lose(session)
            with suppress(ProtocolError, TimeoutError):
                async with asyncio.timeout(DETACH_SECONDS):
                    await session.detach()

    def _lose(self, session: Session) -> None:
        """Forget a session that has ended."""
        if session is self._session:
            self._session = None
            self._unanswered.clear()
            if self._input:
                self._input.on_send = None
            if self._resting:
                self._resting.cancel()

    # pictures

    def _on_picture(self, session: Session, event: dict[str, Any]) -> None:
        if session is not self._session or self.problem:
            return
        self._unanswered.append(event["sessionId"])
        metadata, now = event["metadata"], time.monotonic()
        delay = now - float(metadata.get("monotonicTimestamp") or now)
        at = self.now() - (delay if 0 < delay < LATEST_SECONDS else 0)
        is_first = event["sessionId"] != self._screencast
        shows_action = is_first and self._drawn_at < math.inf
        if shows_action:  # it shows the page as it is, and may have the time of an earlier frame
            at = max(at, self._drawn_at)
        self._pending = at, event
        if self._keeping is None:
            loop = asyncio.get_running_loop()
            self._keeping = loop.call_later(max(self._next_keep - self.now(), 0), self._keep)
        if shows_action:
            self._keep_now()
        if is_first:
            self._screencast = event["sessionId"]
            self._is_fresh.set()
        else:
            self._await_rest(session)

    def _await_rest(self, session: Session) -> None:
        if self._resting:
            self._resting.cancel()
        self._resting = asyncio.get_running_loop().call_later(REST_SECONDS, self._ask_again, session)

    def _ask_again(self, session: Session) -> None:
        """Have Chromium send the picture of a page that rests: it may have dropped the last one."""
        if session is self._session and not self.problem:
            session.notify("Page.stopScreencast")
            answer = session.send("Page.startScreencast", self._parameters())
            answer.add_done_callback(partial(self._on_started, session))

    def _on_started(self, session: Session, answer: "asyncio.Future[dict[str, Any]]") -> None:
        """Try again if Chromium refuses: it does while a navigation changes the page's process."""
        if answer.cancelled() or answer.exception() is None:
            return
        if session is self._session and not self.problem:
            self._await_rest(session)

    def _keep_now(self) -> None:
        if self._keeping:
            self._keeping.cancel()
            self._keep()

    def _keep(self) -> None:
        """Add the pending picture to the take, or wait until there is room for it."""
        self._keeping = None
        if self._pending is None or self.problem:
            return
        at, event = self._pending
        picture = base64.b64decode(event["data"])
        now = self.now()
        self._room = min(self._room + (now - self._room_at) * BYTES_A_SECOND, FIRST_BYTES)
        self._room_at = now
        if picture != self._last_picture and len(picture) > self._room:
            wait = (len(picture) - self._room) / BYTES_A_SECOND
            self._keeping = asyncio.get_running_loop().call_later(wait, self._keep)
            return
        self._pending = None
        for number in self._unanswered:  # Chromium waits for this after two pictures
            if self._session:
                self._session.notify("Page.screencastFrameAck", {"sessionId": number})
        self._unanswered.clear()
        self._next_keep = now + self._interval
        facts = {"at": round(max(at, 0.0), 3), "drawn": at >= self._drawn_at}
        if picture == self._last_picture:
            if facts["drawn"]:
                self.add("same", facts)
            return
        self._last_picture = picture
        self._room -= len(picture)
        self.add("picture", {**facts, "width": event["metadata"]["deviceWidth"]}, picture)

    # input

    def _on_send(self, method: str, parameters: Mapping[str, Any]) -> None:
        """Note where a command moves the pointer, and presses."""
        if method not in _POINTER_EVENTS:
            return
        points = parameters.get("touchPoints")
        place = points[0] if points else parameters
        if place.get("x", -1) >= 0:
            kind = parameters["type"]
            self.add("pointer", {"x": place["x"], "y": place["y"], "press": kind in _PRESSES})

    # the take

    def _add_actions(self) -> None:
        for action in self.actions.take_facts():
            self.add("action", action)

    async def _write_all(self) -> None:
        """Write records as they come, and one a second. End the film if a write fails."""
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
