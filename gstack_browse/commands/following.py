"""A log as it grows: what `--follow` prints until the client goes away."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

from gstack_browse.commands.control import Daemon
from gstack_browse.logs.entries import ConsoleEntry, NetworkEntry
from gstack_browse.logs.ring import Ring
from gstack_browse.text.columns import counted

Entry = TypeVar("Entry", ConsoleEntry, NetworkEntry)
MOST_LINES = 500
"""Lines that are sent together."""


async def follow(
    daemon: Daemon,
    log: Ring[Entry],
    cursor: int,
    line: Callable[[Entry], str],
    is_wanted: Callable[[Entry], bool],
    is_ready: Callable[[Entry], bool] = lambda entry: True,
) -> str:
    """Send the lines of wanted entries from the cursor on, each once it is ready. Returns when the caller's `--timeout` is over.

    The client's going away cancels it. Raises UsageError where the reply cannot be sent in parts.
    """
    send = daemon.stream()
    changed = asyncio.Event()
    waiting: list[Entry] = []
    try:
        with log.watched(changed.set):
            async with asyncio.timeout(daemon.patience):
                while True:
                    changed.clear()
                    missing, fresh, cursor = log.missing(cursor), log.since(cursor), log.total
                    if missing:
                        await send(f"({counted(missing, 'entry', 'entries')} no longer in the log)")
                    waiting += fresh
                    ready = [entry for entry in waiting if is_ready(entry)]
                    waiting = [entry for entry in waiting if not is_ready(entry)]
                    lines = [line(entry) for entry in ready if is_wanted(entry)]
                    for at in range(0, len(lines), MOST_LINES):
                        await send("\n".join(lines[at : at + MOST_LINES]))
                    await changed.wait()
    except TimeoutError:
        return ""
