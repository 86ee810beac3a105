"""Attach: other programs that drive the same browser, such as Playwright and Puppeteer."""

import orjson

from gstack_browse.commands.daemon_interface import Daemon
from gstack_browse.registry import META, command
from gstack_browse.text.units import format_count


@command(META, examples=["attach", "attach --tcp", "attach --once --json"], timeout=60, fresh=True)
async def attach(daemon: Daemon, *, once: bool = False, tcp: bool = False, json: bool = False) -> str:
    """Let programs attach to the browser over the DevTools protocol, and print the address for them.

    They see the tabs, logins and storage of this browser context, and drive it beside gbrowse's commands. 'detach' ends it.
    Without --tcp the address is a socket that only you can open (ws+unix://…); Playwright takes it, and newer Puppeteers do.
    'gbrowse run script.py' attaches by itself.

    once: for one program; the address is closed once that has left
    tcp: a WebSocket on 127.0.0.1, with a random token in the address, for programs that know no sockets of files
    json: as an object, with the protocol's id of the active tab's page
    """
    opened = await daemon.attach(tcp=tcp, once=once)
    return orjson.dumps(opened._asdict()).decode() if json else opened.address


@command(META, examples=["detach"], offline="No daemon is running: no program is attached")
async def detach(daemon: Daemon) -> str:
    """Detach programs from this browser context: end 'attach', and close their address."""
    count = await daemon.detach()
    if count is None:
        return "No program could attach"
    return (
        f"Detached {format_count(count, 'program')}"
        if count
        else "No program was attached; none can attach now"
    )
