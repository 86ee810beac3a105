"""Calls that our commands still make to Playwright's driver: noted while commands run, and listed.

A call is noted where Playwright's Python sends it to the driver, with the command that made it. Tasks that a command starts count as its
own. Only Chromium's events wake the driver besides.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import pytest
from playwright._impl.connection import Connection

from gstack_browse.daemon.dispatch import Dispatch

_MOVED_TO_NEW_CONTEXT = frozenset(
    {
        "APIRequestContext.dispose",
        "Browser.newContext",
        "BrowserContext.close",
        "BrowserContext.newPage",
        "BrowserContext.updateSubscription",
        "Frame.goto",
    }
)
"""Calls that move a session's tabs to another browser context."""

LISTED: dict[str, set[str]] = {
    "click": {"Frame.click"},
    "closetab": {"Page.close"},
    "context-close": {"APIRequestContext.dispose", "BrowserContext.close"},
    "cookie-delete": {"BrowserContext.addCookies", "BrowserContext.cookies"},
    "cookies": {"BrowserContext.cookies"},
    "cookies-clear": {"BrowserContext.addCookies", "BrowserContext.cookies"},
    "css": {"BrowserContext.newPage", "Page.close"},
    "device": {*_MOVED_TO_NEW_CONTEXT, "BrowserContext.storageState"},
    "diff": {"BrowserContext.newPage", "Page.close"},
    "download": {"BrowserContext.newPage", "Page.close"},
    "emulate": {
        *_MOVED_TO_NEW_CONTEXT,
        "BrowserContext.setOffline",
        "BrowserContext.storageState",
        "Page.emulateMedia",
    },
    "frame": {"ElementHandle.contentFrame", "ElementHandle.dispose", "Frame.querySelectorAll"},
    "init-script": {"BrowserContext.addInitScript", "Disposable.dispose"},
    "newtab": {"Browser.newContext", "BrowserContext.newPage", "BrowserContext.updateSubscription"},
    "state-load": {*_MOVED_TO_NEW_CONTEXT},
    "useragent": {*_MOVED_TO_NEW_CONTEXT, "BrowserContext.storageState"},
}
"""Command → calls that its examples make, by the names of Playwright's protocol. It may only get shorter."""

STARTS_DRIVER = {
    "click '#map' --at 40%,25%",
    "click @e5 --new-tab",
    "css @e3",
}
"""Examples of commands that can do without the driver, and yet start it. It may only get shorter."""

NOT_COUNTED = frozenset({"CDPSession.send", "__waitInfo__"})
"""Calls that need no driver: how we wait until one that is there knows what Chromium has sent; what it notes of waits, unanswered."""

Calls = defaultdict[str, Counter[str]]
"""Command → calls → how often. "" stands for what no command has asked for."""

_command: ContextVar[str] = ContextVar("command", default="")


@contextmanager
def note_driver_calls() -> Iterator[Calls]:
    """Note the driver's calls while the block runs."""
    calls: Calls = defaultdict(Counter)
    run, send = Dispatch.run, Connection.send_message_to_server

    async def run_by_name(self: Dispatch, request: Any, *rest: Any) -> Any:
        before = _command.set(request.cmd)
        try:
            return await run(self, request, *rest)
        finally:
            _command.reset(before)

    def note_and_send(self: Any, sender: Any, method: str, params: Any, options: Any) -> Any:
        call = f"{sender._type}.{method}"
        if not NOT_COUNTED & {method, call}:
            calls[_command.get()][call] += 1
        return send(self, sender, method, params, options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Dispatch, "run", run_by_name)
        patch.setattr(Connection, "send_message_to_server", note_and_send)
        yield calls


def find_unlisted_calls(calls: Calls) -> dict[str, set[str]]:
    """Return the noted calls that are not listed for their command."""
    unlisted = {command: set(made) - LISTED.get(command, set()) for command, made in calls.items() if command}
    return {command: names for command, names in unlisted.items() if names}
