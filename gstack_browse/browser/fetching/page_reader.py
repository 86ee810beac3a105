"""Fetch a document over HTTP and make Markdown of it, without a browser around it.

Requests follow the rules of `link_requests`. A redirection from a public address to one of a private network is refused: a page
that anybody can write is not to choose what is read there.
"""

import asyncio
import re
import zlib
from functools import cache
from ipaddress import ip_address
from pathlib import Path
from ssl import SSLContext
from typing import Any, NamedTuple
from urllib.parse import urljoin, urlsplit

from gstack_browse.browser.cdp import tls
from gstack_browse.browser.cdp.interception import ChangedRequest, FailedRequest, FulfilledResponse
from gstack_browse.browser.fetching import link_requests
from gstack_browse.browser.fetching.link_requests import LinkFetcher
from gstack_browse.browser.launch.outbound import outbound_connection
from gstack_browse.errors import NavigationFailed, Refused, TimedOut
from gstack_browse.text.charsets import decode_page
from gstack_browse.text.columns import format_seconds
from gstack_browse.text.sanitise import one_line

MOST_BYTES = 5_000_000
"""Limit of a document, unpacked."""
MOST_PDF_BYTES = 100_000_000
MOST_REDIRECTS = 20
ACCEPTED = "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, text/plain;q=0.8, application/json;q=0.7, */*;q=0.1"
_CHARSET = re.compile(rb"""<meta[^>]{0,200}charset\s*=\s*["']?\s*([\w-]{1,40})""", re.IGNORECASE)


class FetchedDocument(NamedTuple):
    """A response. `url`: where the redirections have led; `media_type` in lower case."""

    url: str
    status: int
    media_type: str
    charset: str
    body: bytes
    is_cut: bool

    def text(self) -> str:
        """Decode the body by its header, or by what it says itself."""
        declared = _CHARSET.search(self.body[:2048])
        label = declared[1].decode("ascii") if declared else ""
        return decode_page(self.body, self.charset, label, is_cut=self.is_cut)


class DocumentFetcher(LinkFetcher):
    """Fetches documents for `read`. Keeps nothing between them."""

    async def fetch_document(self, url: str, seconds: float) -> FetchedDocument:
        """Fetch a document and follow its redirections. Raises Refused, NavigationFailed, TimedOut."""
        import aiohttp

        try:
            async with asyncio.timeout(seconds):
                return await self._follow_to_document(url)
        except TimeoutError:
            raise TimedOut(f"{one_line(url, 300)} did not answer within {format_seconds(seconds)}") from None
        except (aiohttp.ClientError, OSError, ValueError) as error:
            cause = link_requests.find_cause(error)
            said = link_requests.describe_error(cause)
            if isinstance(cause, link_requests.REFUSED):
                raise Refused(f"{one_line(url, 300)}: {said}") from None
            raise NavigationFailed(f"{one_line(url, 300)}: {said}", "A browser may get further: goto") from None

    async def _follow_to_document(self, url: str) -> FetchedDocument:
        """Fetch a document over at most MOST_REDIRECTS redirects; the policy judges each address."""
        at = url
        self._resolver.refuses_private = self._resolver.was_public = False
        for _ in range(MOST_REDIRECTS + 1):
            if refusal := self._find_refusal(at):
                raise Refused(f"{one_line(at, 300)} {refusal.why}", refusal.hint)
            found = await self._get_document(at)
            if isinstance(found, FetchedDocument):
                return found
            self._resolver.refuses_private |= self._resolver.was_public or _is_public(at)
            at = urljoin(at, found)
            if not at.startswith(("http://", "https://")):
                raise NavigationFailed(f"{one_line(url, 300)} leads to {one_line(at, 300)}, which is no page")
        raise NavigationFailed(
            f"{one_line(url, 300)} redirects more than {MOST_REDIRECTS} times",
            "It may want to set a cookie first: goto, then read --session",
        )

    async def _get_document(self, url: str) -> "FetchedDocument | str":
        """Request an address. Return the document, or as text the address that it redirects to."""
        headers = {"Accept": ACCEPTED, "Accept-Encoding": "gzip, deflate", **self._headers_for(url)}
        shaped = await self._shape(url, headers)
        if isinstance(shaped, FailedRequest):
            raise NavigationFailed(f"{one_line(url, 300)}: a route or har-replay has it fail")
        if isinstance(shaped, FulfilledResponse):
            named = {name.lower(): value for name, value in shaped.headers}
            if location := link_requests.find_location(shaped.status, {"Location": named.get("location", "")}):
                return location
            kind = shaped.content_type or named.get("content-type", "")
            return _build_document(
                url, shaped.status, kind, shaped.body[:MOST_BYTES], is_cut=len(shaped.body) > MOST_BYTES
            )
        if isinstance(shaped, ChangedRequest):
            headers = shaped.headers
        response = await self._send_get(url, headers)
        try:
            if location := link_requests.find_location(response.status, response.headers):
                return location
            kind = response.headers.get("Content-Type", "")
            most = MOST_PDF_BYTES if "pdf" in kind.lower() else MOST_BYTES
            unpack = _make_decompressor(response.headers.get("Content-Encoding", ""))
            body = bytearray()
            async for chunk in response.content.iter_chunked(65536):
                body += unpack(chunk, most + 1 - len(body))
                if len(body) > most:
                    break
            return _build_document(url, response.status, kind, bytes(body[:most]), is_cut=len(body) > most)
        finally:
            response.close()

    async def _load_trust(self) -> SSLContext:
        """Load the certificate authorities once in the daemon's life: loading takes longer than a document."""
        tls.enable_tls()
        return await asyncio.to_thread(_make_tls_context, self._settings.ca_cert)


@cache
def _make_tls_context(ca_cert: Path | None) -> SSLContext:
    """Return a TLS context that also trusts the certificates in a file; made once for each file."""
    return outbound_connection.make_tls_context(ca_cert)


def _is_public(url: str) -> bool:
    """Return whether a URL has a public address in numbers."""
    try:
        return ip_address(urlsplit(url).hostname or "").is_global
    except ValueError:
        return False


def _build_document(url: str, status: int, content_type: str, body: bytes, *, is_cut: bool) -> FetchedDocument:
    """Build a document, with media type and charset from the header `content_type`.

    `is_cut`: the body was longer.
    """
    media_type, _, rest = content_type.partition(";")
    charset = re.search(r"charset\s*=\s*[\"']?([\w-]+)", rest, re.IGNORECASE)
    return FetchedDocument(url, status, media_type.strip().lower(), charset[1] if charset else "", body, is_cut)


def _make_decompressor(coding: str) -> Any:
    """Return a function that decompresses a piece of a body to at most a number of bytes.

    The function raises ValueError for what it cannot unpack.
    """
    name = coding.strip().lower()
    if name in ("", "identity"):
        return lambda chunk, most: chunk[:most]
    if name not in ("gzip", "x-gzip", "deflate"):
        raise ValueError(f"the answer is packed as {one_line(name, 40)}")
    stream = zlib.decompressobj(zlib.MAX_WBITS | 32)

    def unpack(chunk: bytes, most: int) -> bytes:
        try:
            return stream.decompress(chunk, max(most, 1))
        except zlib.error as error:
            raise ValueError("the answer is not packed as it says") from error

    return unpack
