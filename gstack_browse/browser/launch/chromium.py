"""Find the Chromium for the settings, or install one. Starts no browser.

An installation tries Playwright's download, then Debian's package. `python -m` this module finds or installs a Chromium, installs the
libraries that it lacks, and prints its path.
"""

import asyncio
import os
import sys
from pathlib import Path

from gstack_browse.browser.launch import executables, libraries
from gstack_browse.errors import SetupFailed
from gstack_browse.settings import Settings, read
from gstack_browse.workspace import config_file

NAME = "Chromium"
_PLAYWRIGHT = (sys.executable, "-m", "playwright")
LIBRARIES_INSTALLER = (*_PLAYWRIGHT, "install-deps", "chromium-headless-shell")
"""Installs the system packages that Chromium needs, with fonts, on some releases of Debian and Ubuntu."""


def find_executable(settings: Settings, *, full: bool = False) -> Path | None:
    """Find the Chromium to start; None if this machine has no Chromium.

    Args:
        full: ignore headless shells, which have no windows and no extensions

    Raises SetupFailed if `BROWSE_CHROMIUM` names something that cannot be run.
    """
    if settings.chromium and not os.access(settings.chromium, os.X_OK):
        raise SetupFailed(f"BROWSE_CHROMIUM names {settings.chromium}, which cannot be run")
    executable = executables.find_executable(str(settings.chromium or ""), full=full)
    return Path(executable) if executable else None


def is_headless_shell(executable: Path) -> bool:
    """Return whether an executable is a headless shell: it has no windows and no extensions."""
    return "headless" in executable.name


async def install(settings: Settings, progress: libraries.Progress) -> Path:
    """Install a Chromium and return its path. Takes minutes; `progress` gets lines for people.

    Raises SetupFailed with the reason of each attempt and a hint.
    """
    progress("No Chromium on this machine yet: installing one (once, this takes a minute or two)")
    failures = []
    for title, attempt in (
        ("Playwright's download", _install_by_playwright),
        ("Debian's package", _install_by_apt),
    ):
        progress(f"Trying {title} …")
        problem = await asyncio.to_thread(attempt, progress)
        if executable := find_executable(settings):
            progress(f"Chromium is ready: {executable}")
            return executable
        failures.append(f"{title}: {problem}")
    raise SetupFailed(
        f"No Chromium could be installed ({'; '.join(failures)})",
        "Install Chrome or Chromium yourself (Debian: sudo apt-get install chromium), or set BROWSE_CHROMIUM to its path",
    )


def install_missing_libraries(executable: Path, progress: libraries.Progress) -> None:
    """Install the libraries that a Chromium lacks. Raises SetupFailed if some are still missing."""
    from gstack_browse.browser.launch import libraries  # here, since few starts need it

    libraries.install_missing(NAME, executable, progress, LIBRARIES_INSTALLER)


def _install_by_playwright(progress: libraries.Progress) -> str:
    """Install Playwright's build, and its libraries if we may. Return the error; "" for none."""
    problem = libraries.run([*_PLAYWRIGHT, "install", "chromium-headless-shell"], progress)
    install_libraries = libraries.as_root(LIBRARIES_INSTALLER)
    if not problem and install_libraries and libraries.has_apt():
        return libraries.run(install_libraries, progress)
    return problem


def _install_by_apt(progress: libraries.Progress) -> str:
    """Install Debian's Chromium, with its headless shell if there is one.

    Return the error; "" for none.
    """
    if not libraries.has_apt():
        return "there is no apt-get here"
    apt = libraries.as_root(libraries.APT_GET)
    if not apt:
        return "needs root"
    libraries.update_package_lists(apt, progress)
    shell_package = os.path.basename(executables.SYSTEM_SHELL)
    shell = (
        [] if libraries.run(["apt-cache", "show", shell_package], libraries.ignore_line) else [shell_package]
    )
    return libraries.run([*apt, "install", "-y", "--no-install-recommends", "chromium", *shell], progress)


def _print_progress(line: str) -> None:
    """Print a line of progress to standard error."""
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


async def _find_or_install() -> Path:
    """Find or install a Chromium and its libraries. Returns its path. Raises SetupFailed."""
    config_file.apply(os.environ, os.getcwd())
    settings = read()
    executable = find_executable(settings) or await install(settings, _print_progress)
    install_missing_libraries(executable, _print_progress)
    return executable


async def _main() -> int:
    """Print the path of Chromium's executable, installed if necessary. Return the exit code."""
    try:
        sys.stdout.write(f"{await _find_or_install()}\n")
    except SetupFailed as error:
        _print_progress(f"Error: {error.message}\n{error.hint}")
        return error.code
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(_main()))
