"""Contexts: agents in one browser, each with own cookies, storage, tabs, refs, logs (`--as ann`)."""

import orjson

from gstack_browse.commands.daemon_interface import ContextFacts, Daemon
from gstack_browse.registry import META, READ, command
from gstack_browse.registry.arguments import ContextName
from gstack_browse.text.table_output import align_columns
from gstack_browse.text.units import format_bytes, format_count, format_duration


@command(READ, examples=["contexts", "contexts --json"], offline="No daemon is running: there are no contexts")
async def contexts(daemon: Daemon, *, json: bool = False) -> str:
    """List the browser contexts: name, tabs, memory, the last command and how long ago that was.

    'gbrowse --as <name> <command>' works in the context of that name, and opens the context on first use; BROWSE_AS names
    it for all commands of a shell. Without either it is the context 'default'. Memory is that of the pages' heaps: scripts,
    documents, buffers. Chromium does not tell more of a page; 'status' has the memory of all processes.

    json: as a list of objects
    """
    found = await daemon.list_contexts()
    if json:
        return orjson.dumps([context._asdict() for context in found], option=orjson.OPT_INDENT_2).decode()
    return align_columns([_context_row(context) for context in found])


def _context_row(context: ContextFacts) -> tuple[str, ...]:
    """Return the columns for a browser context in the list: name, tabs, memory, last command."""
    last = (
        f"last: {context.last}, {format_duration(context.idle_seconds)} ago" if context.last else "not used yet"
    )
    memory = f"heaps {format_bytes(context.memory)}" if context.memory else "-"
    tabs = f"{format_count(context.tabs, 'tab')}{f', {context.state}' if context.state else ''}"
    return (context.name, tabs, memory, last)


@command(META, examples=["context-close ann"], offline="No daemon is running: there are no contexts")
async def context_close(daemon: Daemon, name: ContextName) -> str:
    """Close a browser context with its tabs and logins, whatever its pages do.

    What it has downloaded stays.
    """
    closed = await daemon.close_context(name)
    ended = f"\n→ ended: {closed.aborted_work}" if closed.aborted_work else ""
    return f"Closed context {name} ({closed.contents}){ended}"
