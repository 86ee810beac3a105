"""Goes on with a Chromium that was started ahead: first without Playwright, then with it.

`begin` has the first page ready for a `goto`; `join` starts Playwright, which takes over what runs. Whatever is not as it was known ends
the Chromium that was started ahead before anything has happened in it, and the browser is started in the usual way (`launch.start`).
"""

import asyncio
from pathlib import Path

from gstack_browse.browser.cdp.adoption import Adoption, FirstPage
from gstack_browse.browser.cdp.connection import PipeConnection
from gstack_browse.browser.cdp.pipe import Pipe
from gstack_browse.browser.cdp.playwright_names import Browser, Playwright
from gstack_browse.browser.cdp.playwright_names import Error as PlaywrightError
from gstack_browse.browser.engine import world
from gstack_browse.browser.launch import chromium, driver, driver_process, known_start, limits
from gstack_browse.browser.launch.ahead import Ahead
from gstack_browse.browser.launch.pipe_launcher import PipeLauncher
from gstack_browse.browser.launch.running import CHROMIUM, DRIVER, LaunchParams, Running
from gstack_browse.browser.launch.scratch import sweep
from gstack_browse.browser.launch.start_options import options_of
from gstack_browse.browser.launch.window import HEADLESS
from gstack_browse.errors import SetupFailed
from gstack_browse.settings import Settings

WAY = "Chromium first"


class AdoptionFailed(Exception):
    """Playwright has not taken over the browser that runs. The message says why."""


async def begin(ahead: Ahead, params: LaunchParams) -> tuple[Running, Adoption] | None:
    """The browser, and its page that Playwright is to adopt; None where it did not come up, or is not the one to use."""
    if why := await _unusable(ahead, params.settings):
        asyncio.get_running_loop().call_exception_handler({"message": f"{why}: going on with the usual start"})
        await asyncio.to_thread(ahead.end)
        return None
    ahead.hand_over()
    connection = PipeConnection(Pipe(ahead.to_browser, ahead.from_browser))
    executable = Path(ahead.known.executable)
    running = Running(connection, ahead.scratch, executable, params, HEADLESS)
    running.way = WAY
    running.watch_child(CHROMIUM, ahead.pid)
    try:
        adoption = connection.begin(FirstPage(ahead.context, ahead.target, ahead.session), ahead.unread)
    except PlaywrightError:  # the page is gone again
        await running.close()
        return None
    return running, adoption


async def _unusable(ahead: Ahead, settings: Settings) -> str:
    """Why the Chromium that was started is not the one to use; "" where it is: the program that we would choose, with all our flags."""
    if not settings.wire:
        return "BROWSE_WIRE=0"
    if settings.remote:
        return "The browser is on another machine (BROWSE_REMOTE)"
    try:
        limits.refuse_hopeless()
        found = chromium.find_near(Path(ahead.known.full), settings)
        options = options_of(settings, HEADLESS, ahead.scratch, [])
    except SetupFailed as error:
        return error.message
    except OSError as error:  # of the directory for downloads: the disk has become full
        return str(error)
    if str(found) != ahead.known.executable:
        return f"Chromium is now {found}"
    if not set(options["args"]) <= set(ahead.known.arguments):
        return "Chromium is now started with other flags"
    return "" if await asyncio.to_thread(ahead.wait) else "The Chromium that was started first has no page"


async def join(running: Running, known: known_start.KnownStart, ready: driver_process.Driver | None) -> None:
    """Start Playwright, which takes over the browser. Raises AdoptionFailed, Playwright's Error or SetupFailed.

    `running` is to be closed then, and `ready` ended.
    """
    if ready is None:
        raise AdoptionFailed("Playwright's driver could not be started")
    import psutil  # takes 10 ms, which no first command is to wait for

    running.watch({DRIVER: psutil.Process(ready.pid)})
    playwright = await driver.start(running.scratch, ready)
    running.give_driver(playwright)  # at once: whoever closes what runs ends this too, and is told of no death
    # Not sooner: while the driver is started, the environment names its own temporary directory.
    await asyncio.get_running_loop().run_in_executor(None, sweep)
    browser, _ = await asyncio.gather(_launched(playwright, running, known), world.register(playwright))
    running.give_browser(browser)


async def _launched(playwright: Playwright, running: Running, known: known_start.KnownStart) -> Browser:
    settings, scratch = running.params.settings, running.scratch
    options = options_of(settings, HEADLESS, scratch, [])
    assert isinstance(running.connection, PipeConnection)
    async with PipeLauncher(scratch.path, running.executable, running.connection) as launcher:
        browser = await playwright.chromium.launch(executable_path=launcher.program, **options)
        await launcher.connect(browser)
        if not known.is_like(launcher.arguments):
            raise AdoptionFailed("Playwright would have started Chromium in another way than before")
        return browser
