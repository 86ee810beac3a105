"""Connect to a browser that others have started, over a WebSocket.

`shared_connection` keeps us from the tabs of others, and from closing the browser.
"""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import aiohttp

from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.devtools.browser import Browser
from gstack_browse.browser.launch.endpoint import Endpoint, ResolvedEndpoint, resolve_endpoint
from gstack_browse.browser.launch.grid import GridSession, explain_no_connection
from gstack_browse.browser.launch.launch import make_scratch
from gstack_browse.browser.launch.running import HEADLESS, LaunchParams, RunningBrowser
from gstack_browse.browser.launch.scratch import DOWNLOADS
from gstack_browse.browser.launch.shared_connection import SharedConnection, SocketLink, SocketPipe, open_link
from gstack_browse.errors import SetupFailed
from gstack_browse.text.sanitise import one_line

CONNECT_SECONDS = 15.0
FACTS_SECONDS = 10.0
"""Time limit for the browser to return its version and its default context."""
CLOSE_SECONDS = 2.0
KEEP_APPEARANCE: Mapping[str, Any] = {
    "no_viewport": True,
    "color_scheme": "null",
    "reduced_motion": "null",
    "forced_colors": "null",
    "contrast": "null",
}
"""Options of a browser context that leave the window size and the media features of the person's browser alone."""
_SHELL = Path("headless_shell")


class ExternalBrowser(RunningBrowser):
    """A browser that others have started. `close` closes only our tabs and the connection."""

    connection: SharedConnection
    endpoint: Endpoint
    grid_session: GridSession | None = None
    """The Selenium Grid session of the browser; None without a Grid."""
    product: str
    """Its name and version: `Chrome 156.0.1.2`."""

    keeps_tabs = False
    """Whether `close` leaves our tabs open, since another daemon continues with them."""

    @property
    def may_have_person(self) -> bool:
        """Return True: another program has started this browser, perhaps with a window."""
        return True

    async def close(self) -> None:
        """Close our tabs, unless `keeps_tabs`, and the connection.

        Release the session of a Selenium Grid, if there is one.
        """
        self.stop_watching()
        with suppress(TimeoutError, ProtocolError):
            async with asyncio.timeout(CLOSE_SECONDS):
                if not self.keeps_tabs:
                    closing = [self._close_tab(tab) for tab in list(self.connection.own.opened)]
                    await asyncio.gather(*closing, return_exceptions=True)
        await super().close()
        if self.grid_session:
            await asyncio.to_thread(self.grid_session.release)

    async def _close_tab(self, target_id: str) -> None:
        """Close a tab, and wait until it is gone: Chromium answers before that. Raises ProtocolError."""
        gone = asyncio.Event()
        if self.connection.targets.is_open(target_id):
            self.connection.targets.get(target_id).session.on("close", lambda _: gone.set())
        else:
            gone.set()
        await self.connection.ask_browser("Target.closeTarget", targetId=target_id)
        await gone.wait()


async def start(
    params: LaunchParams, endpoint: Endpoint, report_queue: Callable[[str], None] = lambda text: None
) -> ExternalBrowser:
    """Connect to a browser that others have started, in place of starting one.

    Args:
        report_queue: see `resolve_endpoint`

    Raises SetupFailed with the reason and a hint.
    """
    scratch = make_scratch()
    reached: ResolvedEndpoint | None = None
    pipe: SocketPipe | None = None
    try:
        (scratch.path / DOWNLOADS).mkdir(mode=0o700)
        reached = await _resolve_endpoint(endpoint, report_queue)
        pipe = SocketPipe(await _open_websocket(endpoint, reached))
        version, shared = await _read_version_and_context(pipe, endpoint)
        connection = SharedConnection(pipe, shared)
        browser = await _open_browser(connection)
    except BaseException:
        if pipe:
            pipe.close()
        if reached and reached.session:
            await asyncio.to_thread(reached.session.release)
        await asyncio.to_thread(scratch.remove)
        raise
    executable = _SHELL if version.startswith("HeadlessChrome") else Path(endpoint.name)
    running = ExternalBrowser(connection, scratch, executable, params, HEADLESS)
    running.endpoint = endpoint
    running.grid_session = reached.session
    running.shares_disk = endpoint.shared and endpoint.is_on_this_machine
    running.product = one_line(version.replace("/", " "), 60)
    running.is_shared = bool(shared)
    running.start_description = f"connected to {endpoint.name}"
    running.browser_name = f"The browser at {endpoint.name}"
    if shared:
        browser.default_context.options.update(KEEP_APPEARANCE)
    running.attach_browser(browser)
    return running


async def _open_browser(connection: SharedConnection) -> Browser:
    """Make the `Browser` of a connection. It knows only contexts and pages of our own (`OwnTargets`).

    Raises SetupFailed.
    """
    try:
        async with asyncio.timeout(FACTS_SECONDS):
            return await Browser.open(connection)
    except (TimeoutError, ProtocolError) as problem:
        raise SetupFailed(
            f"The browser cannot be used: {(str(problem) or 'no answer')[:300]}",
            "Use a newer Chrome or Chromium, or one that gbrowse starts itself",
        ) from None


async def _resolve_endpoint(endpoint: Endpoint, report_queue: Callable[[str], None]) -> ResolvedEndpoint:
    """Find the browser's WebSocket. If cancelled, release a Grid session that opens afterwards.

    `report_queue`: see `resolve_endpoint`. Raises SetupFailed.
    """
    resolving = asyncio.ensure_future(asyncio.to_thread(resolve_endpoint, endpoint, report_queue))
    try:
        return await asyncio.shield(resolving)
    except asyncio.CancelledError:
        resolving.add_done_callback(_release_grid_session)
        raise


def _release_grid_session(resolving: "asyncio.Future[ResolvedEndpoint]") -> None:
    """Release the Grid session of a browser found after the start was cancelled. In a thread: it blocks."""
    if not (resolving.cancelled() or resolving.exception()) and (session := resolving.result().session):
        asyncio.get_running_loop().run_in_executor(None, session.release)


async def _open_websocket(endpoint: Endpoint, reached: ResolvedEndpoint) -> SocketLink:
    """Open the WebSocket to a browser. Raises SetupFailed with what to do about it."""
    try:
        return await open_link(
            reached.url,
            reached.headers,
            seconds=CONNECT_SECONDS,
            compress=reached.compresses,
            trust=reached.trust,
        )
    except TimeoutError:
        raise SetupFailed(
            f"{endpoint.name} has not let us in within {CONNECT_SECONDS:g} s",
            "Chrome may be asking the person in front of it: allow the connection there, then try again",
        ) from None
    except (aiohttp.ClientError, OSError) as error:
        raise explain_no_connection(
            endpoint.name, error, is_on_this_machine=endpoint.is_on_this_machine
        ) from None


async def _read_version_and_context(pipe: SocketPipe, endpoint: Endpoint) -> tuple[str, str]:
    """Return the browser's product and version (`Chrome/156.0`), and the id of its default context.

    The id is "" unless we work in that context (`endpoint.shared`). Raises SetupFailed.
    """
    try:
        async with asyncio.timeout(FACTS_SECONDS):
            version = await pipe.root.send("Browser.getVersion")
            if not endpoint.shared:
                return version["product"], ""
            reply = await pipe.root.send("Target.getBrowserContexts")
    except (TimeoutError, ProtocolError, KeyError) as error:
        raise SetupFailed(
            f"{endpoint.name} does not speak the protocol of a browser: {str(error)[:150] or 'no answer'}",
            "The address is that of the browser, ws://…/devtools/browser/…, not that of one page",
        ) from None
    if shared := reply.get("defaultBrowserContextId", ""):
        return version["product"], shared
    raise SetupFailed(
        f"{version['product']} does not say which browser context is its own", "Use a newer Chrome or Chromium"
    )
