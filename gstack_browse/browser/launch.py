"""Starts Playwright's driver and Chromium, and says at once when either dies.

Chromium is driven over the debugging pipe, which the driver holds, so that it ends with the daemon in every
case: a killed daemon closes the driver's standard input, a killed driver closes Chromium's pipe. No port is opened.
"""

import asyncio
import os
import platform
from collections.abc import Callable
from pathlib import Path

import psutil
from playwright.async_api import Browser, Playwright, async_playwright
from playwright.async_api import Error as PlaywrightError

from gstack_browse.browser import chromium, lifeline, world
from gstack_browse.browser.scratch import Scratch, sweep
from gstack_browse.errors import SetupFailed
from gstack_browse.settings import Settings

KEPT_PROTECTIONS = ("--disable-ipc-flooding-protection", "--disable-popup-blocking")
"""Protections of Chromium's own that Playwright's default flags turn off and that we keep."""

FLAGS = (
    "--no-pings",
    "--disable-domain-reliability",
    "--disable-client-side-phishing-detection",
)
LAUNCH_SECONDS = 60


class Running:
    """A started driver with its Chromium. `died` was called once if one of them ended by itself."""

    def __init__(self, playwright: Playwright, browser: Browser, scratch: Scratch, executable: Path) -> None:
        self.playwright = playwright
        self.browser = browser
        self.executable = executable
        self._scratch = scratch
        self._stops: list[Callable[[], None]] = []

    def watch(self, pids: dict[str, int], died: Callable[[str], None]) -> None:
        """Call `died` with "Chromium" or "the Playwright driver" as soon as that process ends."""
        self._stops = [lifeline.watch(pid, lambda name=name: died(name)) for name, pid in pids.items()]  # type: ignore[misc]

    async def close(self) -> None:
        """Stop Chromium and the driver. Never hangs for long: the pipe ends them anyway."""
        for stop in self._stops:
            stop()
        try:
            async with asyncio.timeout(2):
                await self.browser.close()
                await self.playwright.stop()
        except (TimeoutError, PlaywrightError):
            pass  # closing the driver's pipe, at the latest when this process ends, ends them both
        finally:
            self._scratch.remove()

    def abandon(self) -> None:
        """Remove what is on disk when the processes are already dead."""
        self._scratch.remove()


async def start(settings: Settings, progress: chromium.Progress, died: Callable[[str], None]) -> Running:
    """Start the driver and a headless Chromium. Raises SetupFailed with the reason and what to do."""
    await asyncio.to_thread(sweep)
    scratch = Scratch()
    before = set(lifeline.children())
    playwright = await _driver(scratch)
    driver = next(pid for pid in lifeline.children() if pid not in before)
    try:
        await world.register(playwright)
        executable = chromium.find(playwright, settings) or await chromium.install(
            playwright, settings, progress
        )
        browser = await _launch(playwright, executable, settings)
    except BaseException:
        await playwright.stop()
        scratch.remove()
        raise
    running = Running(playwright, browser, scratch, executable)
    running.watch({"the Playwright driver": driver, **_chromium(driver)}, died)
    return running


async def _driver(scratch: Scratch) -> Playwright:
    """Start the driver with our scratch directory as its temporary one: the profile is made there."""
    previous = os.environ.get("TMPDIR")
    os.environ["TMPDIR"] = str(scratch.path)
    try:
        return await async_playwright().start()
    finally:
        if previous is None:
            del os.environ["TMPDIR"]
        else:
            os.environ["TMPDIR"] = previous


async def _launch(playwright: Playwright, executable: Path, settings: Settings) -> Browser:
    sandbox = settings.sandbox if settings.sandbox is not None else sandbox_works()
    try:
        return await playwright.chromium.launch(
            executable_path=executable,
            headless=True,
            chromium_sandbox=sandbox,
            args=list(FLAGS),
            ignore_default_args=list(KEPT_PROTECTIONS),
            handle_sigint=False,
            handle_sigterm=False,
            handle_sighup=False,
            timeout=LAUNCH_SECONDS * 1000,
        )
    except PlaywrightError as error:
        raise _why(str(error), executable, sandbox) from None


def _why(message: str, executable: Path, sandbox: bool) -> SetupFailed:
    if sandbox and "sandbox" in message.lower():
        return SetupFailed(
            "Chromium cannot use its sandbox on this machine",
            "Allow unprivileged user namespaces, or set BROWSE_SANDBOX=0 to run Chromium without its sandbox",
        )
    if "error while loading shared libraries" in message:
        missing = message.split("error while loading shared libraries:", 1)[1].splitlines()[0].strip()
        return SetupFailed(
            f"Chromium lacks a library: {missing}", "As root: python -m playwright install-deps chromium"
        )
    errors = [line for line in message.splitlines() if "[err]" in line] or message.splitlines()[:1]
    return SetupFailed(
        f"{executable} did not start: {errors[-1][:300]}", "Set BROWSE_CHROMIUM to another Chrome or Chromium"
    )


def sandbox_works() -> bool:
    """Whether Chromium can use its sandbox: not as root, nor in a container or CI, where it cannot start."""
    in_container = (
        any(os.path.exists(path) for path in ("/.dockerenv", "/run/.containerenv")) or "container" in os.environ
    )
    return not (os.geteuid() == 0 or in_container or os.environ.get("CI")) or platform.system() == "Darwin"


def _chromium(driver: int) -> dict[str, int]:
    """The browser process among the driver's children."""
    found = psutil.Process(driver).children()
    return {"Chromium": found[0].pid} if found else {}
