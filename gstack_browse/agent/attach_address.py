"""Open an address at which one program attaches: for `gbrowse run` and `connect().playwright()`."""

import json
from collections.abc import Callable
from typing import Any

from gstack_browse.errors import ActionFailed

TCP = "--tcp"


def open_address(ask_daemon: Callable[..., str]) -> dict[str, Any]:
    """Return the JSON of `attach --once --json`: the address at which a program can attach to the browser.

    `ask_daemon` runs a command on the daemon, and returns its output. The address is on a TCP port if the path of a Unix socket would
    be too long. Raises BrowseError.
    """
    command = ("attach", "--once", "--json")
    try:
        reply = ask_daemon(*command)
    except ActionFailed as error:
        if TCP not in error.hint:
            raise
        reply = ask_daemon(*command, TCP)
    opened: dict[str, Any] = json.loads(reply)
    return opened
