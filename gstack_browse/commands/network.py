"""Network: what pages asked for, and what they got."""

import json as json_text

from gstack_browse.commands.control import Daemon
from gstack_browse.commands.log_pages import cleared, here, lines
from gstack_browse.exchange.listing import record
from gstack_browse.exchange.selection import Selection
from gstack_browse.logs.entries import NetworkEntry
from gstack_browse.registry import META, READ, command
from gstack_browse.registry.arguments import (
    RequestMethod,
    RequestNumber,
    RequestTypes,
    RequestWords,
    StatusArgument,
    TabId,
)
from gstack_browse.text.requests import RequestGlob


@command(
    READ,
    kinds={"clear": META},
    examples=[
        "network",
        "network --failed",
        "network --filter '/api/**' --status 5xx",
        "network --method POST --type fetch,xhr",
        "network --since 41 --json",
    ],
    page_text=True,
    aliases=["requests"],
)
async def network(
    daemon: Daemon,
    *,
    failed: bool = False,
    filter: RequestWords | None = None,
    method: RequestMethod = "",
    status: StatusArgument | None = None,
    type: RequestTypes = frozenset(),
    since: RequestNumber = 0,
    all_pages: bool = False,
    json: bool = False,
    clear: bool = False,
    tab: TabId | None = None,
) -> str:
    """Print the page's requests with their number, status, time and size.

    Of the document that the tab shows now: the request for the document itself with its redirections, and what the
    document, its frames and workers have asked for. --all-pages adds the documents before it, other tabs, and service
    workers. What Chromium asks for by itself, and what extensions ask for, is not listed. A request keeps its number;
    'request 41' prints more of it.

    failed: only those that failed or were answered with 4xx or 5xx
    filter: only those whose URL matches: * within a path segment, ** across them, a plain word anywhere; a method may stand before it
    method: only those made so
    status: only those answered so: 201, 4xx, or failed for no answer at all
    type: only those for a document, stylesheet, script, image, font, media, fetch, xhr, websocket, eventsource … ; several with commas
    since: only those after the one with this number
    all_pages: of all documents since the browser started; with --tab, of that tab's
    json: an object for each, with number, tab, method, url, type, status, error, milliseconds, bytes and at
    clear: forget what would be printed instead of printing it
    tab: that tab's instead of the active one's
    """
    chosen = Selection(RequestGlob(filter) if filter else None, method, status, type, since, failed)
    what, is_here = "failed request" if failed else "request", here(daemon, tab, all_pages=all_pages)
    log = daemon.logs.network
    if clear:
        return cleared(log.forget(lambda entry: chosen.matches(entry) and is_here(entry)), what)
    wanted = [entry for entry in log if chosen.matches(entry)]
    if json:
        return _objects([entry for entry in wanted if is_here(entry)])
    return lines(wanted, is_here, NetworkEntry.numbered, what)


def _objects(entries: list[NetworkEntry]) -> str:
    """A JSON array, one request a line."""
    return "[" + ",\n".join(json_text.dumps(record(entry), ensure_ascii=False) for entry in entries) + "]"
