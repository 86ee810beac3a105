"""Map positions in scripts of pages to their originals, by source maps, on demand.

A script's map is named at its end or by a header. Both come from the browser's cache as a rule. Everything is bounded in bytes and time,
and what fails costs nothing but that: positions stay those of the script. `BROWSE_SOURCE_MAPS=0` turns all of it off.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from gstack_browse.browser.cdp.session import ProtocolError, Session
from gstack_browse.browser.network.exchanges import Exchanges
from gstack_browse.network.logs import SCRIPT_SCHEMES, ConsoleEntry, Place, logged_message

if TYPE_CHECKING:
    from gstack_browse.browser.context.script_maps import LoadedMap, MapFetcher
    from gstack_browse.browser.tab.tab import Tab
    from gstack_browse.documents.source_maps import SourceUse

MOST_KEPT_BYTES = 60_000_000
"""Limit of the maps that are kept in memory."""
MOST_RESULTS = 5_000
MOST_SCRIPTS = 30
"""Limit of scripts that one command asks for."""
READ_SECONDS = 5.0
"""Limit of the time for reading a script again."""
ERROR_SECONDS = 0.5
"""Limit of the time by which the reply to an action is put off; what comes later is there for the next command."""
_AT_ONCE = 6


class SourceMaps:
    """The source maps of a context's pages.

    Args:
        is_on: Whether maps are wanted at all.
        may_request: Returns whether the rules for pages let a URL be requested.
        exchanges: The last requests of pages, for the headers of scripts.
        open_session: Opens another session with a target.
    """

    def __init__(
        self,
        is_on: Callable[[], bool],
        may_request: Callable[[str], bool],
        exchanges: Exchanges,
        open_session: Callable[[str], Awaitable[Session]],
    ) -> None:
        self._is_on = is_on
        self._may_request = may_request
        self._exchanges = exchanges
        self._open_session = open_session
        self._fetcher: "MapFetcher | None" = None
        self._maps: "OrderedDict[tuple[int, str], asyncio.Future[LoadedMap]]" = OrderedDict()
        """Maps by document and script. A document that comes anew has new ones."""
        self._results: OrderedDict[tuple[int, Place], str] = OrderedDict()
        """Names of original positions, "" for none."""

    async def name_errors(self, tab: "Tab", entries: Sequence[ConsoleEntry], seconds: float) -> None:
        """Add original positions (by source maps) to the tab's console errors, as far as found in `seconds`."""
        own = [entry for entry in entries if entry.document == tab.document]
        places = [
            place
            for entry in own
            for place in ([entry.place] if entry.thrown and entry.place else entry.places_in_text())
        ]
        await self.resolve(tab, places, min(seconds, ERROR_SECONDS))
        for entry in own:
            if entry.thrown and entry.place:
                entry.source = self.original_name(entry.document, entry.place)
            elif entry.logged and self._results:
                named = entry.with_originals(partial(self.original_name, tab.document))
                if named.text != entry.text:
                    entry.logged = logged_message(named.text)

    async def resolve(self, tab: "Tab", places: Iterable[Place], seconds: float) -> None:
        """Look up the originals of places (URL, line, column) in scripts of the tab's document. Never raises.

        `original_name` returns them then. Those not found within `seconds` are skipped.
        """
        document = tab.document
        by_script: dict[str, list[Place]] = {}
        for place in dict.fromkeys(places):
            if (document, place) not in self._results and place[0].startswith(SCRIPT_SCHEMES):
                by_script.setdefault(place[0], []).append(place)
        if not (by_script and self._is_on()) or seconds <= 0:
            return
        slots = asyncio.Semaphore(_AT_ONCE)

        async def one(script: str, wanted: list[Place]) -> None:
            async with slots:
                await self._resolve_script(tab, document, script, wanted)

        work = [asyncio.ensure_future(one(*item)) for item in list(by_script.items())[:MOST_SCRIPTS]]
        _, late = await asyncio.wait(work, timeout=seconds)
        for task in late:
            task.cancel()
        await asyncio.gather(*work, return_exceptions=True)

    def original_name(self, document: int, place: Place) -> str:
        """Return the original of a place that `resolve` has found, as `source:line`; "" for none."""
        return self._results.get((document, place), "")

    async def load(self, tab: "Tab", script: str) -> "LoadedMap":
        """Return the source map of a script (URL) of the tab's document, from the cache or fetched.

        Raises ProtocolError and TimeoutError.
        """
        key = tab.document, script
        loading = self._maps.get(key)
        if loading is None:
            loading = self._maps[key] = asyncio.ensure_future(self._load_fetcher().fetch_map(tab, script))
            loading.add_done_callback(lambda done: self._trim_cache(key, done))
        self._maps.move_to_end(key)
        return await asyncio.shield(loading)

    async def sum_by_source(
        self, tab: "Tab", script: str, parts: Sequence[tuple[int, int]]
    ) -> "list[SourceUse]":
        """Return for each original file of a script how much of it was used; [] without a map. Never raises.

        `parts`: used ranges of the script's text, in characters.
        """
        if not (self._is_on() and script.startswith(("http://", "https://"))):
            return []
        with suppress(ProtocolError, TimeoutError):
            loaded = await self.load(tab, script)
            async with asyncio.timeout(READ_SECONDS):
                content = (await self._load_fetcher().read_script(tab, script))[0] if loaded.sections else None
            if content:
                return await asyncio.to_thread(loaded.sum_by_source, content, parts)
        return []

    def _load_fetcher(self) -> "MapFetcher":
        """Return the fetcher of source maps, whose module is imported when the first map is needed."""
        if self._fetcher is None:
            from gstack_browse.browser.context.script_maps import MapFetcher  # no part of a start

            self._fetcher = MapFetcher(self._may_request, self._exchanges, self._open_session)
        return self._fetcher

    def _trim_cache(self, key: tuple[int, str], done: "asyncio.Future[LoadedMap]") -> None:
        """Drop the source map `key` if loading it (`done`) failed, and the oldest maps beyond MOST_KEPT_BYTES."""
        if done.cancelled() or done.exception() is not None:
            self._maps.pop(key, None)
        kept = [(key, loading) for key, loading in self._maps.items() if loading.done()]
        size = sum(
            loading.result().size for _, loading in kept if not loading.cancelled() and not loading.exception()
        )
        for old, loading in kept[:-1]:
            if size <= MOST_KEPT_BYTES and len(self._maps) <= 1_000:
                break
            size -= loading.result().size
            del self._maps[old]

    async def _resolve_script(self, tab: "Tab", document: int, script: str, places: list[Place]) -> None:
        """Find the original positions of places in a script, and keep them for `original_name`.

        `document`: the tab's document number. `script`: URL. `places`: (script, line, column).
        """
        names = [""] * len(places)
        with suppress(ProtocolError, TimeoutError):
            loaded = await self.load(tab, script)
            if loaded.sections:
                positions = [(line, column) for _, line, column in places]
                names = await asyncio.to_thread(loaded.describe, positions)
            for place, name in zip(places, names, strict=True):
                self._results[document, place] = name
        while len(self._results) > MOST_RESULTS:
            self._results.popitem(last=False)
