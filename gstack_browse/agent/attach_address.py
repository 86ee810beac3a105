"""Open an address at which one program attaches: for `gbrowse run` and `connect().playwright()`."""

import json
from collections.abc import Callable
from typing import Any

from gstack_browse.errors import ActionFailed

TCP = "--tcp"


def open_address(ask_daemon: Callable[..., str]) -> dict[str, Any]:
    """Run `attach --once --json`, and return its decoded output. Raises BrowseError.

    `ask_daemon` runs a command. The address is on a TCP port if the path of a Unix socket would be too long.
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
