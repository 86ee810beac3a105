"""Fetch a web document over HTTP, without a browser, and convert it to Markdown.

Requests follow the rules of `link_requests`. A redirection from a public address to one of a private network is refused: a page
that anybody can write is not to choose what is read there.
"""

import asyncio
import re
import time
import zlib
from collections.abc import Callable
from functools import cache
from ipaddress import ip_address
from pathlib import Path
from ssl import SSLContext
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urljoin, urlsplit, urlunsplit

from gstack_browse import __version__
from gstack_browse.browser.cdp.interception import (
    ChangedRequest,
    FailedRequest,
    FulfilledResponse,
    ShapingResult,
)
from gstack_browse.browser.launch.outbound import outbound_connection, tls
from gstack_browse.browser.network import loaded_documents
from gstack_browse.browser.reading import link_requests
from gstack_browse.browser.reading.link_requests import LinkFetcher
from gstack_browse.cookies.records import cookie_header
from gstack_browse.documents.reader import articles, main_content, markdown, markup_tree
from gstack_browse.errors import ActionFailed, BrowseError, NavigationFailed, Refused, TimedOut, UsageError
from gstack_browse.security.policy import metadata
from gstack_browse.security.policy.hosts import Refusal
from gstack_browse.settings import Settings
from gstack_browse.text.charsets import decode_page
from gstack_browse.text.sanitise import one_line
from gstack_browse.text.units import format_seconds

if TYPE_CHECKING:
    from gstack_browse.browser.session.session import BrowserSession

SECONDS = 20.0
LEAST_TEXT = 200
"""Characters below which a page with scripts counts as empty without them."""
HTML = frozenset({"text/html", "application/xhtml+xml"})
_TEXT_KINDS = frozenset({"application/json", "application/xml", "application/javascript", "application/yaml"})
EMPTY = "→ empty without scripts: goto {}"
Say = Callable[[str], None]


async def read_document(
    url: str,
    settings: Settings,
    browser: "BrowserSession | None",
    *,
    seconds: float | None,
    whole: bool,
    remark: Say,
) -> str:
    """Fetch the document at `url` over HTTP, without a tab. Return it as Markdown or text.

    Args:
        browser: The session whose cookies and `route` rules are used; None for none.
        whole: Return all of an HTML page instead of its main content.
        remark: Called with remarks for the user: redirected, cut.

    Raises Refused, NavigationFailed, TimedOut; ActionFailed for an error status (with the text) and for content that is no text.
    """
    if not url.startswith("http"):
        raise UsageError("read is for http and https", "A file of the workspace: goto, then text")
    fetcher = await _make_fetcher(settings, browser)
    limit = SECONDS if seconds is None else seconds
    async with fetcher.open():
        if not whole and (index := await _fetch_site_index(fetcher, url, limit)):
            remark("its llms.txt; the page itself: --whole")
            return index
        document = await fetcher.fetch_document(url.partition("#")[0], limit)
    if document.url != url.partition("#")[0]:
        remark(f"redirected to {one_line(document.url, 300)}")
    text, cut = await _render(document, whole=whole)
    if document.is_cut:
        cut = f"{len(document.body) // 1_000_000} MB"
    if cut:
        remark(f"cut: only its first {cut} were read")
    if document.status >= 400:
        error = ActionFailed(f"{one_line(url, 300)} answered {document.status}")
        error.output = text
        raise error
    return text


async def _make_fetcher(settings: Settings, browser: "BrowserSession | None") -> "DocumentFetcher":
    """Return a fetcher with the session's cookies and `route` rules, which keeps to the policy for pages."""
    cookies = await browser.current.jar.cookies() if browser else []
    agent = (
        browser.appearance.user_agent if browser else ""
    ) or f"Mozilla/5.0 (compatible; gbrowse/{__version__})"

    def headers(url: str) -> dict[str, str]:
        sent = cookie_header(cookies, url, is_same_site=True, now=time.time())
        return {"User-Agent": agent} | ({"Cookie": sent} if sent else {})

    def refusal(url: str) -> Refusal | None:
        found = None if settings.allows_metadata else metadata.refuse_host(url)
        return found or (settings.hosts.refuse_page(url) if settings.hosts else None)

    async def unshaped(url: str, headers: dict[str, str]) -> ShapingResult:
        return None

    shape = browser.shaping.shape_own_request if browser else unshaped
    return DocumentFetcher(headers, refusal, shape, settings, browser.running.relays if browser else None)


async def _fetch_site_index(fetcher: "DocumentFetcher", url: str, seconds: float) -> str:
    """Return a site's `llms.txt` (summary for language models) if `url` is its start page; "" without one."""
    parts = urlsplit(url)
    if parts.path not in ("", "/") or parts.query:
        return ""
    try:
        document = await fetcher.fetch_document(
            urlunsplit((parts.scheme, parts.netloc, "/llms.txt", "", "")), seconds
        )
    except BrowseError:
        return ""  # the start page says what is wrong
    text = document.text().strip()
    is_index = document.status == 200 and document.media_type not in HTML and text.startswith("#")
    return text if is_index else ""


async def _render(document: "FetchedDocument", *, whole: bool) -> tuple[str, str]:
    """Return the text of a document, and how much of it was read (`5,000 elements`; "" for all).

    `whole`: all of an HTML page instead of its main content.
    """
    kind = document.media_type
    if kind == "application/pdf" or document.body.startswith(loaded_documents.SIGNATURE):
        page = await loaded_documents.convert_content_to_html(document.url, document.body)
        return await asyncio.to_thread(_render_html, page, document.url, whole=True)
    if kind in HTML or (not kind and document.body.lstrip()[:1] == b"<"):
        return await asyncio.to_thread(_render_html, document.text(), document.url, whole=whole)
    if kind in _TEXT_KINDS or kind.startswith("text/") or kind.endswith(("+json", "+xml")) or not kind:
        return document.text(), ""
    raise ActionFailed(
        f"{one_line(document.url, 300)} is no text, but {one_line(kind, 60)}",
        f"Save it: download {one_line(document.url, 300)}",
    )


def _render_html(text: str, url: str, *, whole: bool) -> tuple[str, str]:
    """Return an HTML document as Markdown, and how much of it was read (`5,000 elements`; "" for all).

    `whole`: all of it instead of its main content.
    """
    root = markup_tree.parse(text)
    head = main_content.read_head(root)
    main_content.resolve_links(root, main_content.base_url(root, url))
    has_scripts = any(element.tag == "script" for element in root.elements())
    content = (root.find("body") or root) if whole else main_content.find_content(root)
    written = markdown.write_markdown(content)
    is_empty = has_scripts and len(content.text()) < LEAST_TEXT
    parts = articles.render_markdown(head, written), EMPTY.format(one_line(url, 300)) if is_empty else ""
    cut = f"{markup_tree.MOST_ELEMENTS:,} elements" if "cut" in root.attributes else ""
    return "\n\n".join(filter(None, parts)), cut


MOST_BYTES = 5_000_000
"""Limit of a document, unpacked."""
MOST_PDF_BYTES = 100_000_000
MOST_REDIRECTS = 20
ACCEPTED = "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, text/plain;q=0.8, application/json;q=0.7, */*;q=0.1"
_CHARSET = re.compile(rb"""<meta[^>]{0,200}charset\s*=\s*["']?\s*([\w-]{1,40})""", re.IGNORECASE)


class FetchedDocument(NamedTuple):
    """A fetched document. `url`: after redirects; `media_type`: in lower case; `is_cut`: `body` is a part."""

    url: str
    status: int
    media_type: str
    charset: str
    body: bytes
    is_cut: bool

    def text(self) -> str:
        """Decode the body by the charset in the response's headers, or that of its `<meta>`."""
        declared = _CHARSET.search(self.body[:2048])
        label = declared[1].decode("ascii") if declared else ""
        return decode_page(self.body, self.charset, label, is_cut=self.is_cut)


class DocumentFetcher(LinkFetcher):
    """Fetches documents for `read`, one at a time."""

    async def fetch_document(self, url: str, seconds: float) -> FetchedDocument:
        """Request a document, and follow its redirects. Raises Refused, NavigationFailed, TimedOut."""
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
        """Follow at most MOST_REDIRECTS redirects that the policy allows. Return the document at the end."""
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
        """Request a URL. Return the document; or, if it redirects, the URL to go to."""
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
        """Return a TLS context, which is loaded once in the daemon's life: that takes longer than a document."""
        tls.enable_tls()
        return await asyncio.to_thread(_make_tls_context, self._settings.ca_cert)


@cache
def _make_tls_context(ca_cert: Path | None) -> SSLContext:
    """Return a TLS context that trusts the system's authorities and those in a file; one for each file."""
    return outbound_connection.make_tls_context(ca_cert)


def _is_public(url: str) -> bool:
    """Return whether a URL's host is an IP address of the public internet; False for a host name."""
    try:
        return ip_address(urlsplit(url).hostname or "").is_global
    except ValueError:
        return False


def _build_document(url: str, status: int, content_type: str, body: bytes, *, is_cut: bool) -> FetchedDocument:
    """Make a `FetchedDocument` from a response. `content_type`: the header, with media type and charset."""
    media_type, _, rest = content_type.partition(";")
    charset = re.search(r"charset\s*=\s*[\"']?([\w-]+)", rest, re.IGNORECASE)
    return FetchedDocument(url, status, media_type.strip().lower(), charset[1] if charset else "", body, is_cut)


_HEADER_BITS = (0x8, 0xF)
"""Low bits of the first byte of zlib (RFC 1950) and gzip. Raw deflate (RFC 1951) does not begin so."""


def _make_decompressor(coding: str) -> Any:
    """Return a function that decompresses a piece of a body: (piece, most bytes to return) → bytes.

    `coding`: the `Content-Encoding`. The function raises ValueError for what it cannot unpack.
    """
    name = coding.strip().lower()
    if name in ("", "identity"):
        return lambda chunk, most: chunk[:most]
    if name not in ("gzip", "x-gzip", "deflate"):
        raise ValueError(f"the answer is packed as {one_line(name, 40)}")
    stream = None

    def unpack(chunk: bytes, most: int) -> bytes:
        nonlocal stream
        if stream is None:  # like browsers, take "deflate" without the header of zlib, too
            is_raw = name == "deflate" and chunk[0] & 0xF not in _HEADER_BITS
            stream = zlib.decompressobj(-zlib.MAX_WBITS if is_raw else zlib.MAX_WBITS | 32)
        try:
            return stream.decompress(chunk, max(most, 1))
        except zlib.error as error:
            raise ValueError("the answer is not packed as it says") from error

    return unpack
