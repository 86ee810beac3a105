"""Goes to a browser that somebody else has started, instead of starting one.

Playwright's driver `launch`es a stand-in that only hands over its pipe, as for a Chromium that we have started ourselves (`takeover`);
behind the pipe is a WebSocket. What the driver must not do to a browser that is not its own, `cdp.boundary` keeps from it.
"""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import aiohttp

from gstack_browse.browser.cdp.playwright_names import Browser, BrowserContext, Playwright
from gstack_browse.browser.cdp.playwright_names import Error as PlaywrightError
from gstack_browse.browser.cdp.session import Session
from gstack_browse.browser.cdp.shared_connection import SharedConnection
from gstack_browse.browser.cdp.websocket import SocketLink, SocketPipe, open_link
from gstack_browse.browser.engine import world
from gstack_browse.browser.launch import driver_process, installer
from gstack_browse.browser.launch.endpoint import Endpoint, Reached, resolve
from gstack_browse.browser.launch.grid import GridSession
from gstack_browse.browser.launch.launch import driven
from gstack_browse.browser.launch.pipe_launcher import PipeLauncher, PipeUnusable
from gstack_browse.browser.launch.remote_failures import explain_no_connection
from gstack_browse.browser.launch.running import LaunchParams, Running
from gstack_browse.browser.launch.scratch import Scratch
from gstack_browse.browser.launch.start_options import DOWNLOADS, LAUNCH_SECONDS
from gstack_browse.browser.launch.window import HEADLESS
from gstack_browse.errors import SetupFailed
from gstack_browse.text.sanitise import one_line

CONNECT_SECONDS = 15.0
TELL_SECONDS = 10.0
"""How long the browser may take to say which it is."""
CLOSE_SECONDS = 2.0
AS_THEY_ARE: Mapping[str, Any] = {
    "no_viewport": True,
    "color_scheme": "null",
    "reduced_motion": "null",
    "forced_colors": "null",
    "contrast": "null",
}
"""Options of Playwright's with which pages look as the person has set up the browser."""
_SHELL = Path("headless_shell")


class Borrowed(Running):
    """A browser that is not ours. To close it is to leave it, without what we have opened there."""

    connection: SharedConnection
    endpoint: Endpoint
    session: GridSession | None = None
    """The Grid's session that it is of."""
    product: str
    """What it says it is: `Chrome/156.0.1.2`."""

    keeps_tabs = False
    """Whether what we have opened stays open: somebody else goes on with it."""

    @property
    def may_have_person(self) -> bool:
        return True

    async def new_context(
        self, storage: Any, options: Mapping[str, Any], size: Mapping[str, Any], *, name: str
    ) -> BrowserContext:
        """A new browser context; or the browser's own, which keeps what it holds and how it looks."""
        return await super().new_context(None if self.is_shared else storage, options, size, name=name)

    async def close(self) -> None:
        self.expect_end()
        with suppress(TimeoutError, PlaywrightError):
            async with asyncio.timeout(CLOSE_SECONDS):
                if not self.keeps_tabs:
                    await self._close_tabs()
        await super().close()
        if self.session:
            await asyncio.to_thread(self.session.release)

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
) -> Borrowed:
    """Connect, with a driver that is `ready` or a new one.

    `tell_queue`: see `resolve`. Raises SetupFailed with the reason and what to do.
    """
    async with driven(ready, progress) as (scratch, playwright):
        reached = await _reached(endpoint, tell_queue)
        pipe: SocketPipe | None = None
        try:
            pipe = SocketPipe(await _link(endpoint, reached))
            version, shared = await _about(pipe, endpoint)
            connection = SharedConnection(pipe, shared)
            browser, _ = await asyncio.gather(
                _launched(playwright, connection, scratch), world.register(playwright)
            )
            only = await browser.new_context(**AS_THEY_ARE) if shared else None
        except BaseException:
            if pipe:
                pipe.close()
            if reached.session:
                await asyncio.to_thread(reached.session.release)
            raise
    executable = _SHELL if version.startswith("HeadlessChrome") else Path(endpoint.name)
    running = Borrowed(connection, scratch, executable, params, HEADLESS, only)
    running.endpoint = endpoint
    running.session = reached.session
    running.shares_disk = endpoint.shared and endpoint.is_near
    running.product = one_line(version.replace("/", " "), 60)
    running.is_shared = bool(shared)
    running.way = f"connected to {endpoint.name}"
    running.give_far_browser(playwright, browser, endpoint.name)
    return running


async def _reached(endpoint: Endpoint, tell_queue: Callable[[str], None]) -> Reached:
    """Find the browser. A Grid's session that comes after this was cancelled is released."""
    asking = asyncio.ensure_future(asyncio.to_thread(resolve, endpoint, tell_queue))
    try:
        return await asyncio.shield(asking)
    except asyncio.CancelledError:
        asking.add_done_callback(_give_back)
        raise


def _give_back(asking: "asyncio.Future[Reached]") -> None:
    if not (asking.cancelled() or asking.exception()) and (session := asking.result().session):
        asyncio.get_running_loop().run_in_executor(None, session.release)


async def _link(endpoint: Endpoint, reached: Reached) -> SocketLink:
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


async def _about(pipe: SocketPipe, endpoint: Endpoint) -> tuple[str, str]:
    """What the browser is, and the id of its own context, where we go into that. Raises SetupFailed."""
    root = Session(pipe)
    try:
        async with asyncio.timeout(TELL_SECONDS):
            version = await root.send("Browser.getVersion")
            if not endpoint.shared:
                return version["product"], ""
            told = await root.send("Target.getBrowserContexts")
    except (TimeoutError, PlaywrightError, KeyError) as error:
        raise SetupFailed(
            f"{endpoint.name} does not speak the protocol of a browser: {str(error)[:150] or 'no answer'}",
            "The address is that of the browser, ws://…/devtools/browser/…, not that of one page",
        ) from None
    if shared := told.get("defaultBrowserContextId", ""):
        return version["product"], shared
    raise SetupFailed(
        f"{version['product']} does not say which browser context is its own", "Use a newer Chrome or Chromium"
    )


async def _launched(playwright: Playwright, connection: SharedConnection, scratch: Scratch) -> Browser:
    """Playwright's browser, once its driver believes that it has started the one that runs."""
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
        except (PipeUnusable, PlaywrightError) as problem:
            raise SetupFailed(
                f"The browser cannot be used: {str(problem).splitlines()[0][:300]}",
                "Use a newer Chrome or Chromium, or one that gbrowse starts itself",
            ) from None
        return browser
