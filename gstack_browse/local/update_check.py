"""The check for a newer version, in a process of its own: asks the index, writes one line for the next preamble.

Run by `preamble`, detached; nobody reads what it prints.
"""

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
    """Write what there is to say into the file. Ends after LIMIT_SECONDS, whatever a name server or a proxy does."""
    os.setsid()  # what ends the caller's process group should not end this
    found: list[str] = []
    asking = threading.Thread(target=lambda: found.append(line()), daemon=True)
    asking.start()
    asking.join(LIMIT_SECONDS)
    said = found[0] if found else f"CHECK_FAILED the package index did not answer in {LIMIT_SECONDS:.0f} s"
    try:
        PrivateDirectory(home).write(updates.CHECKED, f"{said}\n".encode())
    except BrowseError as error:
        sys.stderr.write(f"{error.message}\n")
    os._exit(0)


def line(current: str = __version__) -> str:
    """What the index says to somebody who runs `current`."""
    configured = package_index.configuration(os.environ)
    if not configured.indexes:
        return "CHECK_FAILED pip is configured to ask no index on the web"
    versions: list[str] = []
    failures: list[str] = []
    for index in configured.indexes:
        try:
            versions += package_index.versions(index, configured)
        except (OSError, ValueError, RecursionError) as error:
            failures.append(_reason(error))
    if newer := newest(versions, current):
        return f"UPGRADE_AVAILABLE {current} {newer}"
    if versions or not failures:
        return f"UP_TO_DATE {current}"
    return f"CHECK_FAILED the package index cannot be asked: {failures[0]}"


def _reason(error: Exception) -> str:
    """Why, without the address: it may hold a password."""
    code = getattr(error, "code", None)
    if isinstance(code, int):
        return f"it has no {package_index.PROJECT}" if code == 404 else f"it answered {code}"
    reason = getattr(error, "reason", None) or error
    return " ".join(str(getattr(reason, "strerror", None) or reason or type(error).__name__).split())[:150]
