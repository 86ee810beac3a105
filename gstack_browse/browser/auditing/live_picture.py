"""Get live pictures of a tab from Chromium's screencast.

It has a session of its own with the page, which notices nothing.
"""

import asyncio
import base64
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from gstack_browse.browser.cdp.session import ProtocolError, Session
from gstack_browse.browser.cdp.targets import Target
from gstack_browse.browser.dialogs import prompts
from gstack_browse.browser.launch.running import RunningBrowser

QUALITY = 70
MOST_SIDE = 1600
"""Most pixels of a picture's side: a larger page is made smaller."""
REST_SECONDS = 0.04
"""How long after a command pictures come again: the next one of a row begins sooner."""
PAUSE_SECONDS = 0.2
"""The longest time without pictures while commands run."""
SETTLE_SECONDS = 5.0
"""How long the last picture is waited for: a tab that Chromium does not draw has none."""
_PARAMS = {"format": "jpeg", "quality": QUALITY, "maxWidth": MOST_SIDE, "maxHeight": MOST_SIDE}


class LivePicture:
    """The newest picture of one tab. `changed` is called for each.

    A picture takes Chromium as long as a click does, so there are none while commands follow each other: call `pause` when one
    begins, `resume_soon` when it has ended.

    Chromium drops pictures while it waits for the acknowledgment of three. The last one of a change may be
    among these, so each is acknowledged at once; who shows them takes the newest when there is time.
    """

    def __init__(self, changed: Callable[[], None]) -> None:
        self._changed = changed
        self._frame: dict[str, Any] | None = None
        self._target: Target | None = None
        self._timer: asyncio.TimerHandle | None = None
        """When pictures come again; None while they come."""
        self._latest = 0.0
        """When they come again at the latest, by the loop's clock."""
        self._arrived = asyncio.Event()
        """Set once a picture has come, or the page has gone."""
        self.session: Session | None = None
        """The session with the page; None while nothing is shown, or the page is gone."""
        self.width = self.height = 0.0
        """Size of the page's viewport in CSS pixels, in the newest picture."""

    def shows(self, target: Target) -> bool:
        """Return whether the pictures are of this page."""
        return self._target is target and self.session is not None

    async def show(self, running: RunningBrowser, target: Target) -> None:
        """Show this page from now on. Raises ProtocolError if it has closed."""
        await self.stop()
        self._target = target
        session = await prompts.open_session(running, target)
        if self._target is not target:
            await _end(session)
            return
        self.session = session
        session.on("Page.screencastFrame", self._on_frame)
        session.on("close", self._on_close)
        await session.send("Page.startScreencast", _PARAMS)

    async def stop(self) -> None:
        """Show nothing any more."""
        session, self.session, self._target, self._frame = self.session, None, None, None
        self._cancel_timer()
        if session:
            await _end(session)

    def pause(self) -> None:
        """Get no pictures for PAUSE_SECONDS at most, or until `resume_soon`."""
        now = asyncio.get_running_loop().time()
        if self._timer is None:
            self._latest = now + PAUSE_SECONDS
            if self.session:
                self.session.notify("Page.stopScreencast")
        self._resume_at(self._latest)

    def resume_soon(self) -> None:
        """Get pictures again after REST_SECONDS, unless another command begins."""
        if self._timer:
            self._resume_at(min(asyncio.get_running_loop().time() + REST_SECONDS, self._latest))

    async def settle(self) -> None:
        """Wait for a picture of the page as it is, where a command has just paused them."""
        if self._timer is None or self.session is None:
            return
        self._cancel_timer()
        self._arrived.clear()
        self._resume()
        with suppress(TimeoutError):
            async with asyncio.timeout(SETTLE_SECONDS):
                await self._arrived.wait()

    def take(self) -> bytes | None:
        """Return the newest picture as JPEG, once; None if it was taken before."""
        frame, self._frame = self._frame, None
        return base64.b64decode(frame["data"]) if frame else None

    @property
    def is_new(self) -> bool:
        """Return whether `take` would return a picture."""
        return self._frame is not None

    def _resume_at(self, when: float) -> None:
        self._cancel_timer()
        self._timer = asyncio.get_running_loop().call_at(when, self._resume)

    def _resume(self) -> None:
        """Begin anew, which gives a picture at once."""
        self._timer = None
        if self.session:
            self.session.notify("Page.startScreencast", _PARAMS)

    def _cancel_timer(self) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer = None

    def _on_frame(self, event: dict[str, Any]) -> None:
        if self.session is None:
            return
        self.session.notify("Page.screencastFrameAck", {"sessionId": event["sessionId"]})
        self._frame = event
        self._arrived.set()
        self.width, self.height = event["metadata"]["deviceWidth"], event["metadata"]["deviceHeight"]
        self._changed()

    def _on_close(self, session: Session) -> None:
        if session is self.session:
            self.session = None
            self._cancel_timer()
            self._arrived.set()
            self._changed()


async def _end(session: Session) -> None:
    with suppress(ProtocolError):  # the page may have closed
        await session.detach()
