"""Name positions in scripts as those in the original files, in what a log's command prints."""

from collections.abc import Sequence

from gstack_browse.commands.control import Daemon
from gstack_browse.network.logs.entries import ConsoleEntry

SECONDS = 3.0
"""Limit of the time for fetching scripts and maps; what comes later is there for the next command."""
MOST_PLACES = 500


async def with_original_positions(daemon: Daemon, entries: Sequence[ConsoleEntry]) -> list[ConsoleEntry]:
    """Return the entries with original positions, as far as they are of documents that tabs show now."""
    browser = daemon.browser
    if browser is None:
        return list(entries)
    maps, documents = browser.source_maps, {tab.document: tab for tab in browser.tabs}
    places: dict[int, list[tuple[str, int, int]]] = {}
    for entry in entries:
        if entry.document in documents and (
            found := [*([entry.place] if entry.place else []), *entry.places_in_text()]
        ):
            places.setdefault(entry.document, []).extend(found)
    for document, found in places.items():
        await maps.resolve(documents[document], dict.fromkeys(found[-MOST_PLACES:]), SECONDS)
    return [
        entry.with_originals(lambda place, document=entry.document: maps.original(document, place))  # type: ignore[misc]
        if entry.document in places
        else entry
        for entry in entries
    ]
