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
from gstack_browse.browser.cdp.playwright_internals import FULL_FOLDER, SHELL_FOLDER, SHELL_NAMES
from gstack_browse.browser.cdp.playwright_names import Playwright
from gstack_browse.browser.launch import driver, installer
from gstack_browse.errors import SetupFailed
from gstack_browse.settings import Settings, read

_NAMES = ("google-chrome-stable", "google-chrome", "chromium", "chromium-browser", "chrome")
_DIRECTORIES = ("/usr/bin", "/usr/local/bin", "/opt/google/chrome", "/snap/bin", "/opt/homebrew/bin")
_SHELL = Path("/usr/lib/chromium/chromium-headless-shell")
"""Debian's. The script in /usr/bin stays between us and the process: who kills that kills only the script."""
NAME = "Chromium"
_PLAYWRIGHT = (sys.executable, "-m", "playwright")
LIBRARIES_INSTALLER = (*_PLAYWRIGHT, "install-deps", "chromium-headless-shell")
"""Playwright's own list of packages for Chromium, fonts too. It knows some releases of Debian and Ubuntu."""
_BUNDLES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)


def find(playwright: Playwright, settings: Settings, *, full: bool = False) -> Path | None:
    """The executable to launch, or None when there is no Chromium on this machine.

    `full` leaves out the headless shell, which has no windows and no extensions. Raises SetupFailed when
    `BROWSE_CHROMIUM` names something that cannot be run.
    """
    return find_near(Path(playwright.chromium.executable_path), settings, full=full)


def find_near(place: Path, settings: Settings, *, full: bool = False) -> Path | None:
    """The same where Playwright's full Chromium would be at `place`."""
    if settings.chromium:
        if not os.access(settings.chromium, os.X_OK):
            raise SetupFailed(f"BROWSE_CHROMIUM names {settings.chromium}, which cannot be run")
        return settings.chromium
    own = playwrights(place, shell=not full)
    return own or (None if full else _systems_shell()) or _systems()


def playwrights(full: Path, *, shell: bool) -> Path | None:
    """Playwright's headless shell if it is wanted and installed, else its full Chromium.

    Playwright tells only the place of the full one; the shell of the same revision lies beside it.
    """
    root = next((parent for parent in full.parents if parent.name.startswith(FULL_FOLDER)), None)
    if root and shell:
        beside = root.with_name(root.name.replace(FULL_FOLDER, SHELL_FOLDER, 1))
        for name in SHELL_NAMES:
            for path in sorted(beside.glob(f"*/{name}")):
                if os.access(path, os.X_OK):
                    return path
    return full if full.is_file() and os.access(full, os.X_OK) else None


def is_shell(executable: Path) -> bool:
    """Whether an executable is a headless shell: Chromium's page without the browser around it."""
    return "headless" in executable.name


def _systems_shell() -> Path | None:
    return _SHELL if os.access(_SHELL, os.X_OK) else None


def _systems() -> Path | None:
    """The system's browser, from fixed places only: a workspace on PATH must not choose what we run."""
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
    for title, attempt in (("Playwright's download", _by_playwright), ("Debian's package", _by_apt)):
        progress(f"Trying {title} …")
        problem = await asyncio.to_thread(attempt, progress)
        if found := find(playwright, settings):
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


def _by_playwright(progress: installer.Progress) -> str:
    problem = installer.run([*_PLAYWRIGHT, "install", "chromium-headless-shell"], progress)
    install_libraries = installer.as_root(LIBRARIES_INSTALLER)
    if not problem and install_libraries and installer.has_apt():
        return installer.run(install_libraries, progress)
    return problem


def _by_apt(progress: installer.Progress) -> str:
    if not installer.has_apt():
        return "there is no apt-get here"
    apt = installer.as_root(["apt-get"])
    if not apt:
        return "needs root"
    installer.run([*apt, "update"], progress)
    shell = [] if installer.run(["apt-cache", "show", _SHELL.name], installer.ignore_line) else [_SHELL.name]
    return installer.run([*apt, "install", "-y", "--no-install-recommends", "chromium", *shell], progress)


def _tell(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


async def _find_or_install() -> Path:
    """Find or install a Chromium and its libraries. Returns its path. Raises SetupFailed."""
    config_file.apply(os.environ, os.getcwd())
    playwright = await driver.playwright(_tell)
    try:
        settings = read()
        found = find(playwright, settings) or await install(playwright, settings, _tell)
        install_missing_libraries(found, _tell)
        return found
    finally:
        await playwright.stop()


async def _main() -> int:
    try:
        sys.stdout.write(f"{await _find_or_install()}\n")
    except SetupFailed as error:
        _tell(f"Error: {error.message}\n{error.hint}")
        return error.code
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(_main()))
