"""Finds a Chromium to drive, or installs one. Launches nothing.

Order: the one named by `BROWSE_CHROMIUM`; Playwright's own; the system's headless shell, Chrome or Chromium; else
install it: Playwright's download first, Debian's packages where that cannot be had. Run as a module it does just that,
installs libraries that the driver or Chromium lacks, and prints the path.
"""

import asyncio
import os
import sys
from pathlib import Path

from gstack_browse import config_file
from gstack_browse.browser.cdp.driver_types import Playwright
from gstack_browse.browser.cdp.playwright_internals import FULL_FOLDER, SHELL_FOLDER, SHELL_NAMES
from gstack_browse.browser.launch import driver, installer
from gstack_browse.errors import SetupFailed
from gstack_browse.settings import Settings, read

_NAMES = ("google-chrome-stable", "google-chrome", "chromium", "chromium-browser", "chrome")
_DIRECTORIES = ("/usr/bin", "/usr/local/bin", "/opt/google/chrome", "/snap/bin", "/opt/homebrew/bin")
_SHELL = Path("/usr/lib/chromium/chromium-headless-shell")
"""Debian's. Not the script in /usr/bin: it stays the parent of Chromium, so a signal to it would not reach Chromium."""
NAME = "Chromium"
_PLAYWRIGHT = (sys.executable, "-m", "playwright")
LIBRARIES_INSTALLER = (*_PLAYWRIGHT, "install-deps", "chromium-headless-shell")
"""Playwright's own list of packages for Chromium, fonts too. It knows some releases of Debian and Ubuntu."""
_BUNDLES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)


def find_executable(playwright: Playwright, settings: Settings, *, full: bool = False) -> Path | None:
    """Find the Chromium to start; None if this machine has no Chromium.

    Args:
        full: leave out the headless shell, which has no windows and no extensions

    Raises SetupFailed if `BROWSE_CHROMIUM` names something that cannot be run.
    """
    return find_executable_beside(Path(playwright.chromium.executable_path), settings, full=full)


def find_executable_beside(place: Path, settings: Settings, *, full: bool = False) -> Path | None:
    """Find the Chromium to start without asking Playwright.

    Args:
        place: where Playwright's full Chromium would be
        full: leave out the headless shell

    Raises SetupFailed if `BROWSE_CHROMIUM` names something that cannot be run.
    """
    if settings.chromium:
        if not os.access(settings.chromium, os.X_OK):
            raise SetupFailed(f"BROWSE_CHROMIUM names {settings.chromium}, which cannot be run")
        return settings.chromium
    own = find_playwright_build(place, shell=not full)
    return own or (None if full else _find_system_shell()) or _find_system_browser()


def find_playwright_build(full: Path, *, shell: bool) -> Path | None:
    """Find Playwright's headless shell if `shell` and installed, else its full Chromium.

    None if neither is installed.
    Playwright tells only the path of the full one; the shell of the same revision is in a folder beside it.
    """
    root = next((parent for parent in full.parents if parent.name.startswith(FULL_FOLDER)), None)
    if root and shell:
        beside = root.with_name(root.name.replace(FULL_FOLDER, SHELL_FOLDER, 1))
        for name in SHELL_NAMES:
            for path in sorted(beside.glob(f"*/{name}")):
                if os.access(path, os.X_OK):
                    return path
    return full if full.is_file() and os.access(full, os.X_OK) else None


def is_headless_shell(executable: Path) -> bool:
    """Return whether an executable is a headless shell: Chromium without windows and extensions."""
    return "headless" in executable.name


def _find_system_shell() -> Path | None:
    return _SHELL if os.access(_SHELL, os.X_OK) else None


def _find_system_browser() -> Path | None:
    """Find the system's browser, in fixed places only: a workspace on PATH must not choose what we run."""
    for name in _NAMES:
        for directory in _DIRECTORIES:
            path = Path(directory, name)
            if os.access(path, os.X_OK) and not path.is_dir():
                return path
    return next((Path(bundle) for bundle in _BUNDLES if os.access(bundle, os.X_OK)), None)


async def install(playwright: Playwright, settings: Settings, progress: installer.Progress) -> Path:
    """Install a Chromium and return its path. Takes minutes; `progress` gets a line now and then.

    Raises SetupFailed, saying what was tried and what to type.
    """
    progress("No Chromium on this machine yet: installing one (once, this takes a minute or two)")
    failures = []
    for title, attempt in (
        ("Playwright's download", _install_by_playwright),
        ("Debian's package", _install_by_apt),
    ):
        progress(f"Trying {title} …")
        problem = await asyncio.to_thread(attempt, progress)
        if found := find_executable(playwright, settings):
            progress(f"Chromium is ready: {found}")
            return found
        failures.append(f"{title}: {problem}")
    raise SetupFailed(
        f"No Chromium could be installed ({'; '.join(failures)})",
        "Install Chrome or Chromium yourself (Debian: sudo apt-get install chromium), or set BROWSE_CHROMIUM to its path",
    )


def install_missing_libraries(executable: Path, progress: installer.Progress) -> None:
    """Install the libraries that a Chromium lacks. Raises SetupFailed if some are still missing."""
    from gstack_browse.browser.launch import libraries  # no part of a start that works

    libraries.install_missing(NAME, executable, progress, LIBRARIES_INSTALLER)


def _install_by_playwright(progress: installer.Progress) -> str:
    problem = installer.run([*_PLAYWRIGHT, "install", "chromium-headless-shell"], progress)
    install_libraries = installer.as_root(LIBRARIES_INSTALLER)
    if not problem and install_libraries and installer.has_apt():
        return installer.run(install_libraries, progress)
    return problem


def _install_by_apt(progress: installer.Progress) -> str:
    if not installer.has_apt():
        return "there is no apt-get here"
    apt = installer.as_root(["apt-get"])
    if not apt:
        return "needs root"
    installer.run([*apt, "update"], progress)
    shell = [] if installer.run(["apt-cache", "show", _SHELL.name], installer.ignore_line) else [_SHELL.name]
    return installer.run([*apt, "install", "-y", "--no-install-recommends", "chromium", *shell], progress)


def _print_progress(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


async def _find_or_install() -> Path:
    """Find or install a Chromium and its libraries. Returns its path. Raises SetupFailed."""
    config_file.apply(os.environ, os.getcwd())
    playwright = await driver.start_own(_print_progress)
    try:
        settings = read()
        found = find_executable(playwright, settings) or await install(playwright, settings, _print_progress)
        install_missing_libraries(found, _print_progress)
        return found
    finally:
        await playwright.stop()


async def _main() -> int:
    try:
        sys.stdout.write(f"{await _find_or_install()}\n")
    except SetupFailed as error:
        _print_progress(f"Error: {error.message}\n{error.hint}")
        return error.code
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(_main()))
