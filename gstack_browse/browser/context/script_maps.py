"""Fetch scripts of a page and the source maps that they name, as requests of the page.

Imported when an error is to be named. `source_maps` keeps what is found.
"""

import asyncio
import base64
import binascii
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote_to_bytes, urljoin

from gstack_browse.browser.cdp.session import ProtocolError, Session, read_stream
from gstack_browse.browser.network.exchanges import Exchanges
from gstack_browse.documents import source_maps
from gstack_browse.documents.source_maps import SourceUse
from gstack_browse.network.exchange import security
from gstack_browse.text.json_bytes import decode

if TYPE_CHECKING:
    from gstack_browse.browser.tab.tab import Tab

MOST_SCRIPT_BYTES = 30_000_000
MOST_MAP_BYTES = 60_000_000
FETCH_SECONDS = 5.0
WEB = ("http://", "https://")


class LoadedMap(NamedTuple):
    """A script's map. `url` is where it was found.

    There are no sections if the map is missing or broken.
    """

    url: str
    sections: Sequence[source_maps.SourceMap]

    @property
    def size(self) -> int:
        """Return an estimate of the memory that the map takes, in bytes."""
        return sum(section.size for section in self.sections) + 200

    def describe(self, positions: Sequence[tuple[int, int]]) -> list[str]:
        """Return the original `source:line` of each position in the script; "" if unknown.

        `positions`: (line, column) from 1. Slow: run it in a thread.
        """
        try:
            found = source_maps.find_originals(self.sections, positions)
        except source_maps.InvalidMap:
            return [""] * len(positions)
        return [source_maps.describe_position(original, self.url) if original else "" for original in found]

    def sum_by_source(self, content: bytes, parts: Sequence[tuple[int, int]]) -> list[SourceUse]:
        """Return how much of the code of each original file was used. Slow: run it in a thread.

        `content`: the script; `parts`: used ranges of its text, in characters.
        """
        try:
            uses = source_maps.sum_by_source(self.sections, content.decode("utf-8", "replace"), parts)
        except source_maps.InvalidMap:
            return []
        return [use._replace(source=source_maps.describe_source(use.source, self.url)) for use in uses]


_NO_MAP = LoadedMap("", ())


class MapFetcher:
    """Fetches scripts and maps.

    Args:
        may_request: Returns whether the rules for pages let a URL be requested.
        exchanges: The last requests of pages, for the headers of scripts.
        open_session: Opens another session with a target.
    """

    def __init__(
        self,
        may_request: Callable[[str], bool],
        exchanges: Exchanges,
        open_session: Callable[[str], Awaitable[Session]],
    ) -> None:
        self._may_request = may_request
        self._exchanges = exchanges
        self._open_session = open_session

    async def fetch_map(self, tab: "Tab", script: str) -> LoadedMap:
        """Fetch the source map that a script names; one without `sections` if that is missing or broken.

        `script`: its URL, or the name (`sourceURL`) of evaluated code.
        """
        async with asyncio.timeout(FETCH_SECONDS):
            if script.startswith(WEB):
                content, headers = await self.read_script(tab, script)
                named = source_maps.find_map_url(content, headers) if content else ""
            else:
                named = await self._find_map_of_evaluated(tab, script)
            if not named:
                return _NO_MAP
            if named.startswith("data:"):
                return LoadedMap(script, await asyncio.to_thread(_parse_map, _decode_data_url(named)))
            url = urljoin(script if script.startswith(WEB) else tab.url, named)
            found, _ = await self._fetch(tab, url, MOST_MAP_BYTES)
            return LoadedMap(url, await asyncio.to_thread(_parse_map, found)) if found else _NO_MAP

    async def _find_map_of_evaluated(self, tab: "Tab", script: str) -> str:
        """Return the source map's URL that evaluated code names, or "". `script`: the code's `sourceURL`.

        Raises ProtocolError. Only Chromium's debugger tells of such code. It is enabled in a session of its own
        for a moment, as it makes scripts slower.
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
            session.leave()

    async def read_script(self, tab: "Tab", url: str) -> tuple[bytes | None, dict[str, str]]:
        """Return a script's content (None if inline or not found), and headers, which may name a source map.

        Raises ProtocolError. The renderer has most scripts.
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
        """Return the response headers of a URL, in lower case, if they name a source map; else {}."""
        for chain, index in self._exchanges:
            step = chain.steps[index]
            if step.entry.url == url and b"sourcemap" in step.response.lower():
                headers = decode(step.response)["params"]["response"]["headers"]
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
        return all(security.allows_connection(policy, url, tab.url) for policy in policies)

    async def _fetch(self, tab: "Tab", url: str, most: int) -> tuple[bytes | None, dict[str, str]]:
        """Request a file as the page does. Return its content and its headers in lower case.

        The content is None if the file is missing, forbidden or larger than `most` bytes. Raises ProtocolError.
        """
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


def _parse_map(content: bytes) -> Sequence[source_maps.SourceMap]:
    """Parse a source map; () for an invalid one."""
    try:
        return source_maps.parse(content)
    except source_maps.InvalidMap:
        return ()


def _decode_data_url(url: str) -> bytes:
    """Return the content of a `data:` URL; b"" for an invalid one."""
    head, _, data = url.partition(",")
    try:
        return base64.b64decode(data) if head.endswith(";base64") else unquote_to_bytes(data)
    except (binascii.Error, ValueError):
        return b""
