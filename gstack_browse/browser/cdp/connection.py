"""The connection to a browser: its sessions and targets.

The root session, with the browser itself, attaches to every new target before it runs. Requests to a target and events of it go
through the session with that target.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from gstack_browse.browser.cdp.pipe import Pipe
from gstack_browse.browser.cdp.session import ProtocolError, Session
from gstack_browse.browser.cdp.target_events import TargetEvents
from gstack_browse.browser.cdp.targets import AUTO_ATTACH, RESUME, Target, Targets
from gstack_browse.text.redact import CookieValues


class Connection:
    """A connection over a pipe to a browser."""

    def __init__(self, pipe: Pipe) -> None:
        self.pipe = pipe
        self.root = pipe.root
        """The session with the browser itself."""
        self.events = TargetEvents(self.root, self._find_or_add_session)
        self.cookie_values = CookieValues()
        """The values of all cookies that were set from here in this browser: log files do not show them."""
        self.on_end: Callable[[], None] = lambda: None
        """Called when the browser ends the connection, before pending requests fail."""
        self._second_root: asyncio.Future[Session] | None = None
        """A second session with the browser, for `open_session`: `TargetEvents` takes all sessions of the first one."""
        self._creation_lock = asyncio.Lock()
        """Held while a page is opened."""
        pipe.handlers = self.events.handlers
        pipe.on_end = lambda: self.on_end()

    @property
    def targets(self) -> Targets:
        """Return the targets (pages, frames, workers) that this connection is attached to."""
        return self.events.targets

    async def open(self) -> None:
        """Attach to all present and future targets. Raises ProtocolError."""
        await self.root.send("Target.setAutoAttach", AUTO_ATTACH)

    async def default_context(self) -> str:
        """Return the id of the browser's default context. Raises ProtocolError."""
        result = await self.root.send("Target.getBrowserContexts")
        return str(result.get("defaultBrowserContextId", ""))

    async def create_context(self) -> str:
        """Create a browser context, which ends with this connection. Return its id. Raises ProtocolError."""
        result = await self.root.send("Target.createBrowserContext", {"disposeOnDetach": True})
        return str(result["browserContextId"])

    async def close_context(self, context_id: str) -> None:
        """Close a browser context with its pages. Raises ProtocolError if it has closed before."""
        await self.root.send("Target.disposeBrowserContext", {"browserContextId": context_id})

    async def create_target(self, context_id: str) -> str:
        """Open a blank page in a context. Return the id of its target. Raises ProtocolError."""
        async with self._creation_lock:
            return await self._create_target(context_id)

    async def _create_target(self, context_id: str) -> str:
        """Open a blank page, and return the id of its target. The caller holds `_creation_lock`."""
        params = {"url": "about:blank", "browserContextId": context_id}
        result = await self.root.send("Target.createTarget", params)
        return str(result["targetId"])

    @asynccontextmanager
    async def open_hidden_page(self, context_id: str) -> AsyncIterator[Session]:
        """Open a page for gbrowse's own use: yield a session with it, and close it afterwards.

        Events of the page reach no subscriber. Raises ProtocolError.
        """
        opening = asyncio.ensure_future(self._create_hidden_page(context_id))
        try:
            target_id, session = await asyncio.shield(opening)
        except asyncio.CancelledError:
            opening.add_done_callback(self._close_opened_page)
            raise
        session.notify(RESUME)
        try:
            yield session
        finally:
            self.root.notify("Target.closeTarget", {"targetId": target_id})

    async def _create_hidden_page(self, context_id: str) -> tuple[str, Session]:
        """Open a hidden page. Return its target id and a session with it. Raises ProtocolError.

        Must not be cancelled: the next page of the context would be hidden instead.
        """
        async with self._creation_lock:  # so that the next new page is this one
            opened = self.events.hidden_pages.expect(context_id)
            try:
                return await self._create_target(context_id), await opened
            except ProtocolError:
                self.events.hidden_pages.cancel_opening()
                raise

    def _close_opened_page(self, opening: "asyncio.Future[tuple[str, Session]]") -> None:
        """Close a hidden page whose caller was cancelled while it was opened."""
        if not opening.cancelled() and not opening.exception():
            self.root.notify("Target.closeTarget", {"targetId": opening.result()[0]})

    async def close_target(self, target_id: str) -> None:
        """Close a page without `beforeunload`. Raises ProtocolError if it has closed before."""
        await self.root.send("Target.closeTarget", {"targetId": target_id})

    async def close_browser(self) -> None:
        """End the browser. Raises ProtocolError if it has ended."""
        await self.root.send("Browser.close")

    def resume(self, target: Target) -> None:
        """Let a new target run, which has waited since it was attached. Call this after its set-up requests."""
        target.session.notify(RESUME)

    def set_download_folder(self, browser_context: str, directory: str) -> None:
        """Save a browser context's downloads in `directory`, named by their GUIDs, and report their events."""
        self.root.notify(
            "Browser.setDownloadBehavior",
            {
                "behavior": "allowAndName",
                "browserContextId": browser_context,
                "downloadPath": directory,
                "eventsEnabled": True,
            },
        )

    async def open_session(self, target_id: str) -> Session:
        """Open one more session with a target. It calls only handlers that are set on it, no subscribers.

        Raises ProtocolError if the target has closed.
        """
        if self._second_root is None:
            self._second_root = asyncio.ensure_future(self.root.attach("Target.attachToBrowserTarget"))
            self._second_root.add_done_callback(self._watch_second_root)
        root = await asyncio.shield(self._second_root)
        return await root.attach("Target.attachToTarget", targetId=target_id, flatten=True)

    async def ask_browser(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a request to the browser itself, and return its result. Raises ProtocolError."""
        return await self.root.send(method, params)

    def on_browser_event(self, event: str, handler: Callable[[dict[str, Any]], object]) -> None:
        """Call `handler` with the parameters of each event of this name from the browser itself."""
        self.root.on(event, handler)

    async def is_own_frame(self, frame_id: str) -> bool:
        """Return whether a frame or worker is in a page of this daemon, not of a person. Never raises.

        In a browser that we have started, all are. `SharedConnection` overrides this.
        """
        return True

    def forget(self, browser_context: str) -> None:
        """Drop the event subscriber of a closed browser context, and the origins that it has visited."""
        self.events.forget(browser_context)

    def close(self) -> None:
        """End the connection to the browser. Requests without a response fail."""
        self.pipe.close()

    def _find_or_add_session(self, session_id: str) -> Session:
        """Return the CDP session with this id; register it if it is new."""
        return self.pipe.find_session(session_id) or self.pipe.add_session(session_id, self.root)

    def _watch_second_root(self, opened: "asyncio.Future[Session]") -> None:
        """Once the second session with the browser is `opened`, handle the ends of sessions opened in it."""
        if not opened.cancelled() and not opened.exception():
            opened.result().on("Target.detachedFromTarget", self._on_detached)

    def _on_detached(self, event: dict[str, Any]) -> None:
        """Handle `Target.detachedFromTarget` in the second session with the browser: end the detached session."""
        if session := self.pipe.find_session(event["sessionId"]):
            session.end("Target closed")
