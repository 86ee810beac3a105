"""Name positions in scripts as those in the original files, in what a log's command prints."""

from collections.abc import Sequence
from functools import partial

from gstack_browse.commands.control import Daemon
from gstack_browse.network.logs.entries import ConsoleEntry, Place

SECONDS = 3.0
"""Limit of the time for fetching scripts and maps; what comes later is there for the next command."""
MOST_ENTRIES = 2_000
"""Limit of the last entries whose positions are looked up."""
MOST_PLACES = 500


async def with_original_positions(daemon: Daemon, entries: Sequence[ConsoleEntry]) -> list[ConsoleEntry]:
    """Return the entries with original positions, as far as they are of documents that tabs show now."""
    browser = daemon.browser
    if browser is None:
        return list(entries)
    maps, documents = browser.source_maps, {tab.document: tab for tab in browser.tabs}
    earlier, recent = entries[:-MOST_ENTRIES], entries[-MOST_ENTRIES:]
    places: dict[int, list[Place]] = {}
    for entry in recent:
        if entry.document in documents:
            own = [entry.place] if entry.place else []
            places.setdefault(entry.document, []).extend([*own, *entry.places_in_text()])
    for document, found in places.items():
        await maps.resolve(documents[document], found[-MOST_PLACES:], SECONDS)
    return [*earlier, *(entry.with_originals(partial(maps.original, entry.document)) for entry in recent)]
