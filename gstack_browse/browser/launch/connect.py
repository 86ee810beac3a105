"""Connects to a browser that others have started, over a WebSocket.

Playwright's driver `launch`es a stand-in that only passes its pipe to us, as in `takeover`; our end of the pipe leads to the WebSocket.
`cdp.boundary` keeps the driver from the tabs of others, and from closing the browser.
"""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import aiohttp

from gstack_browse.browser.cdp.driver_types import Browser, BrowserContext, Playwright
from gstack_browse.browser.cdp.errors import ProtocolError
from gstack_browse.browser.cdp.session import Session
from gstack_browse.browser.cdp.shared_connection import SharedConnection
from gstack_browse.browser.cdp.websocket import SocketLink, SocketPipe, open_link
from gstack_browse.browser.engine import world
from gstack_browse.browser.launch import driver_process, installer
from gstack_browse.browser.launch.endpoint import Endpoint, ResolvedEndpoint, resolve_endpoint
from gstack_browse.browser.launch.grid import GridSession
from gstack_browse.browser.launch.launch import start_driver
from gstack_browse.browser.launch.pipe_launcher import PipeLauncher, PipeUnusable
from gstack_browse.browser.launch.remote_failures import explain_no_connection
from gstack_browse.browser.launch.running import LaunchParams, RunningBrowser
from gstack_browse.browser.launch.scratch import Scratch
from gstack_browse.browser.launch.start_options import DOWNLOADS, LAUNCH_SECONDS
from gstack_browse.browser.launch.window import HEADLESS
from gstack_browse.errors import SetupFailed
from gstack_browse.text.sanitise import one_line

CONNECT_SECONDS = 15.0
FACTS_SECONDS = 10.0
"""Time limit for the browser to tell its version and its own context."""
CLOSE_SECONDS = 2.0
KEEP_APPEARANCE: Mapping[str, Any] = {
    "no_viewport": True,
    "color_scheme": "null",
    "reduced_motion": "null",
    "forced_colors": "null",
    "contrast": "null",
}
"""Options of Playwright's that leave the window size and the media features of the person's browser alone."""
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
        return True

    async def new_context(
        self, storage: Any, options: Mapping[str, Any], size: Mapping[str, Any], *, name: str
    ) -> BrowserContext:
        """Make a browser context.

        Or return the browser's own, whose cookies, storage and appearance stay as they are.
        """
        return await super().new_context(None if self.is_shared else storage, options, size, name=name)

    async def close(self) -> None:
        self.stop_watching()
        with suppress(TimeoutError, ProtocolError):
            async with asyncio.timeout(CLOSE_SECONDS):
                if not self.keeps_tabs:
                    await self._close_tabs()
        await super().close()
        if self.grid_session:
            await asyncio.to_thread(self.grid_session.release)

    async def _close_tabs(self) -> None:
        boundary = self.connection.boundary
        closing = [self.connection.ask_browser("Target.closeTarget", targetId=tab) for tab in boundary.opened]
        await asyncio.gather(*closing, return_exceptions=True)


async def start(
    params: LaunchParams,
    endpoint: Endpoint,
    ready: driver_process.Driver | None = None,
    tell_queue: Callable[[str], None] = lambda text: None,
    progress: installer.Progress = installer.ignore_line,
) -> ExternalBrowser:
    """Connect to the browser.

    Args:
        ready: a driver that runs already; None: start one
        tell_queue: see `resolve_endpoint`

    Raises SetupFailed with the reason and a hint.
    """
    async with start_driver(ready, progress) as (scratch, playwright):
        reached = await _resolve_endpoint(endpoint, tell_queue)
        pipe: SocketPipe | None = None
        try:
            pipe = SocketPipe(await _open_link(endpoint, reached))
            version, shared = await _read_facts(pipe, endpoint)
            connection = SharedConnection(pipe, shared)
            browser, _ = await asyncio.gather(
                _launch_stand_in(playwright, connection, scratch), world.register(playwright)
            )
            only = await browser.new_context(**KEEP_APPEARANCE) if shared else None
        except BaseException:
            if pipe:
                pipe.close()
            if reached.session:
                await asyncio.to_thread(reached.session.release)
            raise
    executable = _SHELL if version.startswith("HeadlessChrome") else Path(endpoint.name)
    running = ExternalBrowser(connection, scratch, executable, params, HEADLESS, only)
    running.endpoint = endpoint
    running.grid_session = reached.session
    running.shares_disk = endpoint.shared and endpoint.is_near
    running.product = one_line(version.replace("/", " "), 60)
    running.is_shared = bool(shared)
    running.start_description = f"connected to {endpoint.name}"
    running.attach_remote_browser(playwright, browser, endpoint.name)
    return running


async def _resolve_endpoint(endpoint: Endpoint, tell_queue: Callable[[str], None]) -> ResolvedEndpoint:
    """Find the browser's WebSocket. If this is cancelled, release a Grid session that opens afterwards."""
    asking = asyncio.ensure_future(asyncio.to_thread(resolve_endpoint, endpoint, tell_queue))
    try:
        return await asyncio.shield(asking)
    except asyncio.CancelledError:
        asking.add_done_callback(_release_session)
        raise


def _release_session(asking: "asyncio.Future[ResolvedEndpoint]") -> None:
    if not (asking.cancelled() or asking.exception()) and (session := asking.result().session):
        asyncio.get_running_loop().run_in_executor(None, session.release)


async def _open_link(endpoint: Endpoint, reached: ResolvedEndpoint) -> SocketLink:
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
        raise explain_no_connection(endpoint.name, error, is_near=endpoint.is_near) from None


async def _read_facts(pipe: SocketPipe, endpoint: Endpoint) -> tuple[str, str]:
    """Return the browser's product string, and the id of its own context if that is shared, else "".

    Raises SetupFailed.
    """
    root = Session(pipe)
    try:
        async with asyncio.timeout(FACTS_SECONDS):
            version = await root.send("Browser.getVersion")
            if not endpoint.shared:
                return version["product"], ""
            told = await root.send("Target.getBrowserContexts")
    except (TimeoutError, ProtocolError, KeyError) as error:
        raise SetupFailed(
            f"{endpoint.name} does not speak the protocol of a browser: {str(error)[:150] or 'no answer'}",
            "The address is that of the browser, ws://…/devtools/browser/…, not that of one page",
        ) from None
    if shared := told.get("defaultBrowserContextId", ""):
        return version["product"], shared
    raise SetupFailed(
        f"{version['product']} does not say which browser context is its own", "Use a newer Chrome or Chromium"
    )


async def _launch_stand_in(playwright: Playwright, connection: SharedConnection, scratch: Scratch) -> Browser:
    """Make the driver start a stand-in for the running browser. Return Playwright's browser.

    Raises SetupFailed.
    """
    (scratch.path / DOWNLOADS).mkdir(mode=0o700, exist_ok=True)
    async with PipeLauncher(scratch.path, Path(), connection) as launcher:
        try:
            browser = await playwright.chromium.launch(
                executable_path=launcher.program,
                handle_sigint=False,
                handle_sigterm=False,
                handle_sighup=False,
                timeout=LAUNCH_SECONDS * 1000,
                downloads_path=scratch.path / DOWNLOADS,
            )
            await launcher.connect(browser)
        except (PipeUnusable, ProtocolError) as problem:
            raise SetupFailed(
                f"The browser cannot be used: {str(problem).splitlines()[0][:300]}",
                "Use a newer Chrome or Chromium, or one that gbrowse starts itself",
            ) from None
        return browser
