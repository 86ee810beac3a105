"""The update check, run as a detached process by `preamble`: writes one line for the next preamble."""

import os
import sys
import threading
from typing import NoReturn

from gstack_browse import __version__
from gstack_browse.errors import BrowseError
from gstack_browse.local import package_index, updates
from gstack_browse.local.private import PrivateDirectory
from gstack_browse.skills.versions import newest

LIMIT_SECONDS = 3.0


def main(home: str) -> NoReturn:
    """Write the result into the file below `home`, within LIMIT_SECONDS, then end the process."""
    os.setsid()  # survive a signal to the caller's process group
    found: list[str] = []
    asking = threading.Thread(target=lambda: found.append(check_line()), daemon=True)
    asking.start()
    asking.join(LIMIT_SECONDS)
    said = found[0] if found else f"CHECK_FAILED the package index did not answer in {LIMIT_SECONDS:.0f} s"
    try:
        PrivateDirectory(home).write(updates.CHECKED, f"{said}\n".encode())
    except BrowseError as error:
        sys.stderr.write(f"{error.message}\n")
    os._exit(0)


def check_line(current: str = __version__) -> str:
    """Return the line that says whether a version newer than `current` exists."""
    configured = package_index.read_pip_configuration(os.environ)
    if not configured.indexes:
        return "CHECK_FAILED pip is configured to ask no index on the web"
    versions: list[str] = []
    failures: list[str] = []
    for index in configured.indexes:
        try:
            versions += package_index.list_versions(index, configured)
        except (OSError, ValueError, RecursionError) as error:
            failures.append(_failure_reason(error))
    if newer := newest(versions, current):
        return f"UPGRADE_AVAILABLE {current} {newer}"
    if versions or not failures:
        return f"UP_TO_DATE {current}"
    return f"CHECK_FAILED the package index cannot be asked: {failures[0]}"


def _failure_reason(error: Exception) -> str:
    """Return why a request failed, without the address, which may contain a password."""
    code = getattr(error, "code", None)
    if isinstance(code, int):
        return f"it has no {package_index.PROJECT}" if code == 404 else f"it answered {code}"
    reason = getattr(error, "reason", None) or error
    return " ".join(str(getattr(reason, "strerror", None) or reason or type(error).__name__).split())[:150]
