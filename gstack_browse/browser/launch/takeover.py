"""Uses a Chromium that was started early (`ahead`), first without Playwright, then with it.

`take_over` returns it with its first page, for a `goto`. `attach_playwright` starts Playwright, which adopts both. If the early Chromium is
not the one to use, it is killed before it has done anything, and the usual start follows (`launch.start`).
"""

import asyncio
from pathlib import Path

from gstack_browse.browser.cdp.adoption import Adoption, FirstPage
from gstack_browse.browser.cdp.connection import PipeConnection
from gstack_browse.browser.cdp.driver_types import Browser, Playwright
from gstack_browse.browser.cdp.errors import ProtocolError
from gstack_browse.browser.cdp.pipe import Pipe
from gstack_browse.browser.engine import world
from gstack_browse.browser.launch import chromium, driver, driver_process, known_start, limits
from gstack_browse.browser.launch.ahead import EarlyChromium
from gstack_browse.browser.launch.pipe_launcher import PipeLauncher
from gstack_browse.browser.launch.running import CHROMIUM, DRIVER, LaunchParams, RunningBrowser
from gstack_browse.browser.launch.scratch import remove_abandoned
from gstack_browse.browser.launch.start_options import make_launch_options
from gstack_browse.browser.launch.window import HEADLESS
from gstack_browse.errors import SetupFailed
from gstack_browse.settings import Settings

START_DESCRIPTION = "Chromium first"


class AdoptionFailed(Exception):
    """Playwright has not adopted the running browser. The message says why."""


async def take_over(ahead: EarlyChromium, params: LaunchParams) -> tuple[RunningBrowser, Adoption] | None:
    """Return the early browser, and the adoption of its page.

    None if it has no page, or is not the one to use.
    """
    if why := await _reason_unusable(ahead, params.settings):
        asyncio.get_running_loop().call_exception_handler({"message": f"{why}: going on with the usual start"})
        await asyncio.to_thread(ahead.discard)
        return None
    ahead.hand_over()
    connection = PipeConnection(Pipe(ahead.to_browser, ahead.from_browser))
    executable = Path(ahead.known.executable)
    running = RunningBrowser(connection, ahead.scratch, executable, params, HEADLESS)
    running.start_description = START_DESCRIPTION
    running.watch_child(CHROMIUM, ahead.pid)
    try:
        adoption = connection.begin_adoption(
            FirstPage(ahead.context, ahead.target, ahead.session), ahead.unread
        )
    except ProtocolError:  # the page has closed meanwhile
        await running.close()
        return None
    return running, adoption


async def _reason_unusable(ahead: EarlyChromium, settings: Settings) -> str:
    """Return why the early Chromium is not the one to use: another program, or other flags; "" if it is."""
    if not settings.wire:
        return "BROWSE_WIRE=0"
    if settings.remote:
        return "The browser is on another machine (BROWSE_REMOTE)"
    try:
        limits.require_usable_limits()
        found = chromium.find_executable_beside(Path(ahead.known.full), settings)
        options = make_launch_options(settings, HEADLESS, ahead.scratch, [])
    except SetupFailed as error:
        return error.message
    except OSError as error:  # the directory for downloads cannot be made: the disk is full
        return str(error)
    if str(found) != ahead.known.executable:
        return f"Chromium is now {found}"
    if not set(options["args"]) <= set(ahead.known.arguments):
        return "Chromium is now started with other flags"
    return (
        ""
        if await asyncio.to_thread(ahead.wait_for_page)
        else "The Chromium that was started first has no page"
    )


async def attach_playwright(
    running: RunningBrowser, known: known_start.KnownStart, ready: driver_process.Driver | None
) -> None:
    """Start Playwright, which adopts the browser.

    Args:
        known: the record by which the browser was started
        ready: the driver that runs already; None if it could not be started

    Raises AdoptionFailed, ProtocolError or SetupFailed. Then the caller closes `running`, and ends `ready`.
    """
    if ready is None:
        raise AdoptionFailed("Playwright's driver could not be started")
    import psutil  # takes 10 ms, which no first command is to wait for

    running.watch_processes({DRIVER: psutil.Process(ready.pid)})
    playwright = await driver.start(running.scratch, ready)
    # At once, so that a `close` from now on ends the driver, too, and reports no death.
    running.attach_driver(playwright)
    # Not sooner: during the driver's start, the environment names another temporary directory.
    await asyncio.get_running_loop().run_in_executor(None, remove_abandoned)
    browser, _ = await asyncio.gather(_launch_stand_in(playwright, running, known), world.register(playwright))
    running.attach_browser(browser)


async def _launch_stand_in(
    playwright: Playwright, running: RunningBrowser, known: known_start.KnownStart
) -> Browser:
    settings, scratch = running.params.settings, running.scratch
    options = make_launch_options(settings, HEADLESS, scratch, [])
    assert isinstance(running.connection, PipeConnection)
    async with PipeLauncher(scratch.path, running.executable, running.connection) as launcher:
        browser = await playwright.chromium.launch(executable_path=launcher.program, **options)
        await launcher.connect(browser)
        if not known.matches(launcher.arguments):
            raise AdoptionFailed("Playwright would have started Chromium in another way than before")
        return browser
