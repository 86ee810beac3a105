"""Finds original positions for scripts of a page: fetches scripts and their maps through the page's own network, on demand.

A script's map is named at its end or by a header. Both come from the browser's cache as a rule. Everything is bounded in bytes and time,
and what fails costs nothing but that: positions stay those of the script. `BROWSE_SOURCE_MAPS=0` turns all of it off.
"""

import asyncio
import base64
import binascii
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote_to_bytes, urljoin

from gstack_browse.browser.cdp.session import ProtocolError, Session, read_stream
from gstack_browse.browser.network.exchanges import Exchanges
from gstack_browse.network.exchange import csp
from gstack_browse.network.logs.entries import SCRIPT_SCHEMES, ConsoleEntry, Place, logged_message
from gstack_browse.source_maps import decoding, naming, usage
from gstack_browse.source_maps.usage import SourceUse
from gstack_browse.text.json_bytes import decode

if TYPE_CHECKING:
    from gstack_browse.browser.tab.tab import Tab

MOST_SCRIPT_BYTES = 30_000_000
MOST_MAP_BYTES = 60_000_000
MOST_KEPT_BYTES = 60_000_000
"""Limit of the maps that are kept in memory."""
MOST_RESULTS = 5_000
MOST_SCRIPTS = 30
"""Limit of scripts that one command asks for."""
FETCH_SECONDS = 5.0
ERROR_SECONDS = 0.5
"""Limit of the time by which the reply to an action is put off; what comes later is there for the next command."""
_AT_ONCE = 6

WEB = ("http://", "https://")


class LoadedMap(NamedTuple):
    """A script's map. `url` is where it was found; no sections where there is none, or a broken one."""

    url: str
    sections: Sequence[decoding.SourceMap]

    @property
    def size(self) -> int:
        return sum(section.size for section in self.sections) + 200


_NO_MAP = LoadedMap("", ())


class SourceMaps:
    """The source maps of a session's pages.

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
        self._open_session = open_session
        self._exchanges = exchanges
        self._may_request = may_request
        self._maps: OrderedDict[tuple[int, str], asyncio.Future[LoadedMap]] = OrderedDict()
        """Maps by document and script. A document that comes anew has new ones."""
        self._results: OrderedDict[tuple[int, Place], str] = OrderedDict()
        """Names of original positions, "" for none."""

    async def name_errors(self, tab: "Tab", entries: Sequence[ConsoleEntry], seconds: float) -> None:
        """Name the original positions of errors of the document that the tab shows, as far as time allows."""
        own = [entry for entry in entries if entry.document == tab.document]
        places = [
            place
            for entry in own
            for place in ([entry.place] if entry.thrown and entry.place else entry.places_in_text())
        ]
        await self.resolve(tab, places, min(seconds, ERROR_SECONDS))
        for entry in own:
            if entry.thrown and entry.place:
                entry.source = self.original(entry.document, entry.place)
            elif entry.logged and self._results:
                named = entry.with_originals(partial(self.original, tab.document))
                if named.text != entry.text:
                    entry.logged = logged_message(named.text)

    async def resolve(self, tab: "Tab", places: Iterable[Place], seconds: float) -> None:
        """Find the originals of places in scripts of the tab's document, as far as time allows. Never raises."""
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

    def original(self, document: int, place: Place) -> str:
        """Return the name of an original position that was found; "" for none."""
        return self._results.get((document, place), "")

    async def load(self, tab: "Tab", script: str) -> LoadedMap:
        """Return the map of a script of the tab's document. Raises ProtocolError and TimeoutError."""
        key = tab.document, script
        loading = self._maps.get(key)
        if loading is None:
            loading = self._maps[key] = asyncio.ensure_future(self._fetch_map(tab, script))
            loading.add_done_callback(lambda done: self._forget_failed(key, done))
        self._maps.move_to_end(key)
        return await asyncio.shield(loading)

    async def sum_by_source(self, tab: "Tab", script: str, parts: Sequence[tuple[int, int]]) -> list[SourceUse]:
        """Return how much of a script was used by original file; nothing for one without a map. Never raises."""
        if not (self._is_on() and script.startswith(WEB)):
            return []
        with suppress(ProtocolError, TimeoutError, decoding.InvalidMap):
            loaded = await self.load(tab, script)
            async with asyncio.timeout(FETCH_SECONDS):
                content, _ = (
                    await self._fetch(tab, script, MOST_SCRIPT_BYTES) if loaded.sections else (None, {})
                )
            if content:
                return await asyncio.to_thread(_sum_by_source, loaded, content, parts)
        return []

    def _forget_failed(self, key: tuple[int, str], done: "asyncio.Future[LoadedMap]") -> None:
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
        names = [""] * len(places)
        with suppress(ProtocolError, TimeoutError):
            loaded = await self.load(tab, script)
            if loaded.sections:
                positions = [(line, column) for _, line, column in places]
                names = await asyncio.to_thread(_describe, loaded, positions)
            for place, name in zip(places, names, strict=True):
                self._results[document, place] = name
        while len(self._results) > MOST_RESULTS:
            self._results.popitem(last=False)

    async def _fetch_map(self, tab: "Tab", script: str) -> LoadedMap:
        """Fetch a script, and the map that it names. A broken map is none."""
        async with asyncio.timeout(FETCH_SECONDS):
            if script.startswith(WEB):
                content, headers = await self._read_script(tab, script)
                named = naming.find_map_url(content, headers) if content else ""
            else:
                named = await self._find_map_of_evaluated(tab, script)
            if not named:
                return _NO_MAP
            if named.startswith("data:"):
                return LoadedMap(script, await asyncio.to_thread(_parse, _decode_data_url(named)))
            url = urljoin(script if script.startswith(WEB) else tab.url, named)
            found, _ = await self._fetch(tab, url, MOST_MAP_BYTES)
            return LoadedMap(url, await asyncio.to_thread(_parse, found)) if found else _NO_MAP

    async def _find_map_of_evaluated(self, tab: "Tab", script: str) -> str:
        """Return the address of the map of code that was evaluated under that name; "" without one. Raises ProtocolError.

        Only Chromium's debugger tells of such code. It is enabled in a session of its own for a moment, as it makes scripts slower.
        """
        found = ""

        def note(event: dict[str, Any]) -> None:
            nonlocal found
            if event["url"] == script and event.get("sourceMapURL"):
                found = event["sourceMapURL"]

        session = await self._open_session(tab.page.target.id)
        try:
            session.on("Debugger.scriptParsed", note)
            enabling = session.send("Debugger.enable")
            session.notify("Debugger.setSkipAllPauses", {"skip": True})
            await enabling  # Chromium tells of all scripts before it answers
            return found
        finally:
            with suppress(ProtocolError):
                await session.detach()

    async def _read_script(self, tab: "Tab", url: str) -> tuple[bytes | None, dict[str, str]]:
        """Return a script's content, None for none, and headers that may name a map. Raises ProtocolError.

        The renderer has most scripts.
        """
        if url == tab.url.partition("#")[0]:
            return None, {}  # it is inline in the document
        params = {"frameId": tab.page.main_frame.id, "url": url}
        with suppress(ProtocolError):
            answer = await tab.world.session.send("Page.getResourceContent", params)
            content: str = answer["content"]
            named = base64.b64decode(content) if answer["base64Encoded"] else content.encode("utf-8", "replace")
            if len(named) <= MOST_SCRIPT_BYTES:
                return named, self._headers_of(url)
        fetched, headers = await self._fetch(tab, url, MOST_SCRIPT_BYTES)
        return (None if "html" in headers.get("content-type", "") else fetched), headers

    def _headers_of(self, url: str) -> dict[str, str]:
        """Return the headers of the response that the page had at a URL, if it names a map and is kept still."""
        for chain, index in self._exchanges:
            step = chain.steps[index]
            if step.entry.url == url and b"sourcemap" in step.answered.lower():
                headers = decode(step.answered)["params"]["response"]["headers"]
                return {name.lower(): str(value) for name, value in headers.items()}
        return {}

    async def _may_connect(self, tab: "Tab", url: str) -> bool:
        """Return whether the page's content security policy lets it connect to a URL.

        Chromium applies it to what we fetch for the page, and would tell the page of a violation. Raises ProtocolError.
        """
        answer = await tab.world.session.send(
            "Network.getSecurityIsolationStatus", {"frameId": tab.page.main_frame.id}
        )
        policies = [policy["effectiveDirectives"] for policy in answer["status"].get("csp") or ()]
        return all(csp.allows_connection(policy, url, tab.url) for policy in policies)

    async def _fetch(self, tab: "Tab", url: str, most: int) -> tuple[bytes | None, dict[str, str]]:
        """Return a file's content, None without one, and its headers in lower case. Raises ProtocolError."""
        if not (url.startswith(WEB) and self._may_request(url)):
            return None, {}
        if not await self._may_connect(tab, url):
            return None, {}
        session = tab.world.session
        options = {"disableCache": False, "includeCredentials": True}
        params = {"frameId": tab.page.main_frame.id, "url": url, "options": options}
        answer: dict[str, Any] = (await session.send("Network.loadNetworkResource", params))["resource"]
        headers = {name.lower(): str(value) for name, value in answer.get("headers", {}).items()}
        if "stream" not in answer:
            return None, headers
        content = bytearray()
        async for piece in read_stream(session, answer["stream"]):
            content += piece
            if len(content) > most:
                session.notify("IO.close", {"handle": answer["stream"]})
                return None, headers
        is_found = answer.get("success") and answer.get("httpStatusCode", 200) < 400
        return (bytes(content) if is_found else None), headers


def _parse(content: bytes) -> Sequence[decoding.SourceMap]:
    try:
        return decoding.parse(content)
    except decoding.InvalidMap:
        return ()


def _decode_data_url(url: str) -> bytes:
    head, _, data = url.partition(",")
    try:
        return base64.b64decode(data) if head.endswith(";base64") else unquote_to_bytes(data)
    except (binascii.Error, ValueError):
        return b""


def _describe(loaded: LoadedMap, positions: Sequence[tuple[int, int]]) -> list[str]:
    try:
        found = decoding.find_originals(loaded.sections, positions)
    except decoding.InvalidMap:
        return [""] * len(positions)
    return [naming.describe_position(original, loaded.url) if original else "" for original in found]


def _sum_by_source(loaded: LoadedMap, content: bytes, parts: Sequence[tuple[int, int]]) -> list[SourceUse]:
    uses = usage.sum_by_source(loaded.sections, content.decode("utf-8", "replace"), parts)
    return [use._replace(source=naming.describe_source(use.source, loaded.url)) for use in uses]
