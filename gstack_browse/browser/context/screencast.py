"""Get pictures of a page from Chromium's screencast: for films, traces and the watch page.

A running screencast costs Chromium 10 to 20 ms of processor time for each frame that the page draws. So it is stopped while no picture
is due, and started again for the next one. No last change of the page is lost: a screencast that starts sends a picture at once.
"""

import asyncio
import base64
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

from gstack_browse.browser import dialogs
from gstack_browse.browser.cdp.session import ProtocolError, Session
from gstack_browse.browser.cdp.targets import Target
from gstack_browse.browser.launch.running import RunningBrowser

REST_SECONDS = 0.04
"""How long after a command pictures come again: the next one of a row begins sooner."""
PAUSE_SECONDS = 0.4
"""The longest time without pictures while commands run."""
RETRY_SECONDS = 0.2
START_SECONDS = 5.0
"""How long a page may take to begin a screencast."""
LATEST_SECONDS = 1.0
"""The largest delay of a picture that is believed: a browser elsewhere has another clock."""


class Picture(NamedTuple):
    """A picture of a page.

    `at`: when the page looked so, by the event loop's clock. `width`, `height`: of the viewport in CSS pixels.
    """

    at: float
    encoded: str
    width: float
    height: float

    def decode(self) -> bytes:
        """Return the picture as the bytes of a JPEG file."""
        return base64.b64decode(self.encoded)


class Screencast:
    """Pictures of one page at a time. It has a session of its own with the page, which notices nothing.

    Call `pause` when a command begins and `resume_soon` when it has ended: pictures are rare while commands follow each other.

    Args:
        on_change: called when there is a picture to `take_newest`, and when the page has gone.
        interval: the shortest time between two pictures in seconds.
        most_pause: the longest time without pictures while commands run.
        most_width, most_height: pixels of a picture; a larger page is made smaller.
    """

    def __init__(
        self,
        on_change: Callable[[], None],
        *,
        interval: float,
        most_pause: float = PAUSE_SECONDS,
        most_width: int = 1600,
        most_height: int = 1600,
        quality: int = 70,
    ) -> None:
        self._on_change = on_change
        self._interval = interval
        self._most_pause = most_pause
        self._parameters = {
            "format": "jpeg",
            "quality": quality,
            "maxWidth": most_width,
            "maxHeight": most_height,
        }
        self.session: Session | None = None
        """The session with the page; None while nothing is shown, or the page is gone."""
        self.newest: Picture | None = None
        """The newest picture, until `take_newest` has returned it."""
        self.width = self.height = 0.0
        """Size of the page's viewport in CSS pixels, in the newest picture."""
        self._target: Target | None = None
        self._number = -1
        """Chromium's number of the last screencast that a picture came from."""
        self._timer: asyncio.TimerHandle | None = None
        """When the screencast begins anew; None while it is not stopped."""
        self._began = 0.0
        """When the screencast began."""
        self._next = 0.0
        """Pictures before this time come too soon after the last one."""
        self._rest = 0.0
        """Commands want the processor until this time."""
        self._latest = 0.0
        """When pictures come again at the latest, though commands follow each other."""
        self._is_fresh = asyncio.Event()
        """Set once the screencast that began last has given its first picture, or the page has gone."""

    def is_showing(self, target: Target) -> bool:
        """Return whether the screencast runs for this page."""
        return self._target is target and self.session is not None

    async def start(self, running: RunningBrowser, target: Target) -> None:
        """Begin the screencast of this page, and end that of another one.

        Raises ProtocolError if it has closed, TimeoutError if it does not answer.
        """
        await self.stop()
        self._target = target
        async with asyncio.timeout(START_SECONDS):
            session = await dialogs.open_further_session(running, target)
            if self._target is not target:
                session.leave()
                return
            self.session = session
            session.on("Page.screencastFrame", partial(self._on_frame, session))
            # Chromium would reuse the session with a crashed page for the page that is loaded next.
            session.on("Inspector.targetCrashed", lambda _: session.leave())
            session.on("close", self._on_close)
            try:
                await self._request_pictures(session)
            except BaseException:
                await self.stop()
                raise

    async def stop(self) -> None:
        """End the screencast, and its session with the page."""
        session, self.session, self._target, self.newest = self.session, None, None, None
        self._cancel_timer()
        if session:
            session.leave()

    def take_newest(self) -> Picture | None:
        """Return the newest picture, once; None if it was returned before."""
        picture, self.newest = self.newest, None
        return picture

    # when pictures come

    def pause(self, *, acts: bool) -> None:
        """Take no pictures while a command runs: until `resume_soon`, or for `most_pause` seconds at most.

        `acts`: the command changes the page. For other commands, a screencast that waits for the page to draw goes on.
        """
        now = asyncio.get_running_loop().time()
        if now >= self._rest:
            self._latest = now + self._most_pause
        self._rest = self._latest
        if self._timer or acts:
            self._pause_until_due()

    def resume_soon(self, seconds: float = REST_SECONDS) -> None:
        """Take pictures again after `seconds`, unless another command begins."""
        now = asyncio.get_running_loop().time()
        if now < self._rest:
            self._rest = now + seconds
            if self._timer:
                self._pause_until_due()

    def restart(self) -> None:
        """Restart the screencast, which takes a picture of the page as it is now."""
        if self.session:
            self._rest = 0.0
            self._stop_pictures()
            self._resume_pictures()

    async def wait_for_picture(self, seconds: float) -> None:
        """Wait at most `seconds` for a picture of the present page. A tab that is not drawn gives none.

        After a navigation Chromium shows the old page for a moment, and pictures do. A screenshot has it show the new one.
        """
        if self.session:
            with suppress(TimeoutError, ProtocolError):
                async with asyncio.timeout(seconds):
                    await self.session.send("Page.captureScreenshot", {"format": "jpeg", "quality": 1})
                    self.restart()
                    await self._is_fresh.wait()

    def _pause_until_due(self) -> None:
        """Stop the screencast until the next picture is due."""
        self._stop_pictures()
        self._timer = asyncio.get_running_loop().call_at(max(self._rest, self._next), self._resume_pictures)

    def _stop_pictures(self) -> None:
        """Stop Chromium's pictures, and cancel the timer that would resume them."""
        if self._timer is None and self.session:
            self.session.notify("Page.stopScreencast")
        self._cancel_timer()

    def _resume_pictures(self) -> None:
        """Request pictures from Chromium again, after a pause; retry if it refuses."""
        self._timer = None
        if self.session:
            self._request_pictures(self.session).add_done_callback(
                partial(self._retry_if_refused, self.session)
            )

    def _request_pictures(self, session: Session) -> "asyncio.Future[dict[str, Any]]":
        """Send `Page.startScreencast`, and set when the next picture is due."""
        self._began = asyncio.get_running_loop().time()
        self._next = self._began + self._interval
        self._is_fresh.clear()
        return session.send("Page.startScreencast", self._parameters)

    def _retry_if_refused(self, session: Session, answer: "asyncio.Future[dict[str, Any]]") -> None:
        """Start the screencast again later if Chromium refused it, as while a navigation changes the process."""
        if answer.cancelled() or answer.exception() is None:
            return
        if session is self.session and self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(RETRY_SECONDS, self._resume_pictures)

    def _cancel_timer(self) -> None:
        """Cancel the timer that resumes pictures after a pause."""
        if self._timer:
            self._timer.cancel()
            self._timer = None

    # events

    def _on_frame(self, session: Session, event: dict[str, Any]) -> None:
        """Handle `Page.screencastFrame`: store the picture with its time, and pause if pictures come too fast."""
        if session is not self.session:
            return
        session.notify("Page.screencastFrameAck", {"sessionId": event["sessionId"]})
        now = asyncio.get_running_loop().time()
        metadata = event["metadata"]
        delay = now - float(metadata.get("monotonicTimestamp") or now)
        at = now - delay if 0 < delay < LATEST_SECONDS else now
        is_first = event["sessionId"] != self._number
        if is_first:  # it shows the page as it is, and may have the time of an earlier frame
            self._number = event["sessionId"]
            at = max(at, self._began)
            self._is_fresh.set()
        self.width, self.height = metadata["deviceWidth"], metadata["deviceHeight"]
        self.newest = Picture(at, event["data"], self.width, self.height)
        if self._timer:
            return  # it was under way when the screencast was stopped
        if not is_first and now < max(self._rest, self._next):
            self._pause_until_due()
            return
        if not is_first:
            self._next = now + self._interval
        self._on_change()

    def _on_close(self, session: Session) -> None:
        """Handle the end of the session: the page has closed."""
        if session is self.session:
            self.session = None
            self._cancel_timer()
            self._is_fresh.set()
            self._on_change()
