"""Start a browser for `doctor`, to check that it works. Install nothing.

`python -m gstack_browse.browser.launch.browser_check` prints a line for each fact, `name<TAB>value`, and `problem<TAB>what<TAB>hint` for what fails.
"""

import asyncio
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from gstack_browse.browser.launch import chromium, launch
from gstack_browse.browser.launch.chromium import LIBRARIES_INSTALLER, NAME, find_executable
from gstack_browse.browser.launch.launch import uses_sandbox
from gstack_browse.errors import BrowseError, SetupFailed
from gstack_browse.settings import Settings, read
from gstack_browse.workspace import config_file

_SECONDS = 20
_INSTALL = "Run any command that needs a page, which installs one: gbrowse goto about:blank"


async def diagnose_start() -> None:
    """Check settings, executable, libraries and start of Chromium, and print each result.

    Raises BrowseError at the first failure.
    """
    config_file.add_settings(os.environ, os.getcwd())
    settings = read()
    if settings.ignored:
        _print_fact("ignored", settings.ignored)
    found = find_executable(settings)
    if not found:
        raise SetupFailed("There is no Chromium on this machine yet", _INSTALL)
    if missing := chromium.missing_libraries(found):
        raise chromium.missing_libraries_error(NAME, missing, LIBRARIES_INSTALLER)
    _print_fact("chromium", f"{await asyncio.to_thread(_read_version, found)} ({found})")
    if not settings.remote:
        await _start_browser(settings)


async def _start_browser(settings: Settings) -> None:
    """Start the browser as commands do, and close it. Only that shows whether the sandbox works.

    The lasting profile is left out, since a running daemon may hold it; client certificates too, since they may need a
    passphrase.
    """
    running = await launch.start(
        replace(settings, profile=None, client_certs=()), chromium.ignore_line, on_death=lambda _: None
    )
    await running.close()
    if uses_sandbox(settings):
        _print_fact("sandbox", "on")


def _read_version(executable: Path) -> str:
    """Return the output of the browser's `--version`.

    Raises SetupFailed if it cannot be run: a library may be missing.
    """
    try:
        done = subprocess.run(
            [executable, "--version"],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SetupFailed(
            f"{executable} cannot be run: {error}", "Install Chromium anew, or set BROWSE_CHROMIUM"
        ) from None
    if done.returncode:
        why = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
        raise SetupFailed(f"{executable} cannot be run: {why}", "Install what it lacks, or set BROWSE_CHROMIUM")
    return done.stdout.strip()


def _print_fact(name: str, *values: str) -> None:
    """Print a line of tab-separated fields for the program that started this one."""
    sys.stdout.write("\t".join([name, *values]) + "\n")


if __name__ == "__main__":
    try:
        asyncio.run(diagnose_start())
    except BrowseError as error:
        _print_fact("problem", error.message.replace("\n", " "), error.hint.replace("\n", " "))
