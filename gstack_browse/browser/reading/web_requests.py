"""Request addresses over HTTP, outside of the browser, without storing cookies.

Requests go the way of a page's: through `route` rules and a replay, and by the browser's proxies. Servers are taken for hostile: each
redirection is checked by the rules for pages before it is followed, and of a body a limited part is read. A name may not resolve to
a metadata service.
"""

import asyncio
import re
import socket
import ssl
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast
from urllib.parse import quote, urljoin, urlsplit

from gstack_browse.browser.cdp.interception import (
    ChangedRequest,
    FailedRequest,
    FulfilledResponse,
    ShapingResult,
)
from gstack_browse.browser.launch.outbound import outbound_connection as outgoing
from gstack_browse.browser.launch.outbound import tls
from gstack_browse.security.policy import metadata
from gstack_browse.security.policy.hosts import Refusal
from gstack_browse.settings import Settings
from gstack_browse.text.sanitise import one_line, quote_unless_short

if TYPE_CHECKING:
    from aiohttp import ClientResponse, ClientSession
    from aiohttp.abc import AbstractResolver

    from gstack_browse.browser.launch.outbound.tls_relays import Relays

ASK_FOR_PRIVATE = "If that is meant, ask for it by its own address"
AT_ONCE = 8
AT_ONCE_PER_HOST = 4
MOST_REDIRECTS = 20
_REDIRECTS = (301, 302, 303, 307, 308)
_NOT_IN_URLS = re.compile(r"""[\s"<>`]""")
"""Characters to percent-encode in a redirection, as browsers do: else a reply could print its sentence as ours."""


@dataclass(frozen=True)
class RequestSpec:
    """Headers and limits of a request.

    `accepted`, `codings`: the headers `Accept` and `Accept-Encoding`. `count_bytes`: (status, headers with names in lower case) → how
    many bytes of the body to read at most. `keeps_apart`: a public address may not redirect to a private network; then `fetch` one
    at a time.
    """

    accepted: str
    codings: str
    count_bytes: Callable[[int, Mapping[str, str]], int]
    keeps_apart: bool = False


class WebResponse(NamedTuple):
    """A response after all redirections.

    `url`: where it is from, after the last one. `is_cut`: `body` is a part, or was not read.
    """

    url: str
    status: int
    content_type: str
    body: bytes
    is_cut: bool


class RefusedUrl(Exception):
    """Raised for a URL that the policy forbids, or to which it forbids to be redirected."""

    def __init__(self, url: str, refusal: Refusal) -> None:
        super().__init__(refusal.why)
        self.url = url
        self.refusal = refusal


class NotFollowed(Exception):
    """Raised for a redirection that is not followed. `url`: where it leads; "" if there were too many."""

    def __init__(self, why: str, url: str = "") -> None:
        super().__init__(why)
        self.url = url


class WebFetcher:
    """Requests addresses over HTTP.

    Args:
        headers_for: Returns the headers of a request to an address.
        refusal: Returns why the policy forbids an address; None if it does not.
        shape: Applies `route` rules and a replay to a request.
    """

    def __init__(
        self,
        headers_for: Callable[[str], Mapping[str, str]],
        refusal: Callable[[str], Refusal | None],
        shape: Callable[[str, dict[str, str]], Awaitable[ShapingResult]],
        settings: Settings,
        relays: "Relays | None" = None,
    ) -> None:
        self._headers_for = headers_for
        self._refusal = refusal
        self._shape = shape
        self._settings = settings
        self._relays = relays
        self._resolver = Resolver(allows_metadata=settings.allows_metadata)
        self._slots = asyncio.Semaphore(AT_ONCE)
        self._session: "ClientSession"

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Open an HTTP session that `fetch` uses during the block."""
        import aiohttp  # late: a tenth of a second that few commands need

        tls.enable_tls()
        connector = aiohttp.TCPConnector(
            limit=AT_ONCE,
            limit_per_host=AT_ONCE_PER_HOST,
            resolver=cast("AbstractResolver", self._resolver),
            ssl=await asyncio.to_thread(_make_tls_context, self._settings.ca_cert),
        )
        jar = aiohttp.DummyCookieJar()
        async with aiohttp.ClientSession(connector=connector, cookie_jar=jar, auto_decompress=False) as session:
            self._session = session
            yield

    async def fetch(self, url: str, spec: RequestSpec, seconds: float) -> WebResponse:
        """Request a URL, without its fragment, and follow the redirects that the policy allows.

        Raises RefusedUrl, NotFollowed, TimeoutError after `seconds`; OSError, ValueError and aiohttp's errors, for which
        there are `find_cause` and `describe_error`.
        """
        async with self._slots, asyncio.timeout(seconds):
            self._resolver.refuses_private = self._resolver.was_public = False
            at = url
            for _ in range(MOST_REDIRECTS + 1):
                if refusal := self._find_refusal(at):
                    raise RefusedUrl(at, refusal)
                found = await self._request(at, spec)
                if isinstance(found, WebResponse):
                    return found
                if spec.keeps_apart:
                    self._resolver.refuses_private |= self._resolver.was_public or _is_public(at)
                at = urljoin(at, _NOT_IN_URLS.sub(lambda bad: quote(bad[0]), found.strip()))
                if not at.startswith(("http://", "https://")):
                    raise NotFollowed("browsers do not follow that", at)
            raise NotFollowed(f"redirected more than {MOST_REDIRECTS} times")

    async def _request(self, url: str, spec: RequestSpec) -> WebResponse | str:
        """Return the response to one request, from a `route` rule, a replay or the server.

        If it redirects, return the URL to go to.
        """
        headers = {"Accept": spec.accepted, "Accept-Encoding": spec.codings, **self._headers_for(url)}
        shaped = await self._shape(url, headers)
        if isinstance(shaped, FailedRequest):
            raise FailedByRule("a route or har-replay has it fail")
        if isinstance(shaped, FulfilledResponse):
            given = {name.lower(): value for name, value in shaped.headers}
            if shaped.status in _REDIRECTS and given.get("location"):
                return given["location"]
            kind = shaped.content_type or given.get("content-type", "")
            most = spec.count_bytes(shaped.status, {"content-type": kind})
            is_cut = not most or len(shaped.body) > most
            return WebResponse(url, shaped.status, kind, shaped.body[:most], is_cut)
        if isinstance(shaped, ChangedRequest):
            headers = shaped.headers
        response = await self._send_get(url, headers)
        try:
            if response.status in _REDIRECTS and (location := response.headers.get("Location")):
                return location
            named = {name.lower(): value for name, value in response.headers.items()}
            most = spec.count_bytes(response.status, named)
            body = await _read_body(response, most) if most else b""
            is_cut = not most or len(body) > most
            return WebResponse(url, response.status, named.get("content-type", ""), body[:most], is_cut)
        finally:
            response.close()

    async def _send_get(self, url: str, headers: Mapping[str, str]) -> "ClientResponse":
        """Send a GET request without following redirects. Return the response, whose body is not read yet."""
        from yarl import URL

        target = URL(url.partition("#")[0], encoded=True)
        way = outgoing.page_request_options(url, self._settings)
        if self._relays and (presenting := await asyncio.to_thread(self._relays.context_for, url)):
            way["ssl"] = presenting
        # servers answer HEAD with 405, or with another status than they answer a person
        return await self._session.get(target, headers=headers, allow_redirects=False, **way)

    def _find_refusal(self, url: str) -> Refusal | None:
        """Return why the policy forbids to request a URL, by its host or IP address; None if it does not."""
        address = _find_address(url)
        return (self._resolver.refuse_address(address) if address else None) or self._refusal(url)


@cache
def _make_tls_context(ca_cert: Path | None) -> ssl.SSLContext:
    """Return a TLS context, made once for each file: that takes longer than to fetch a document."""
    return outgoing.make_tls_context(ca_cert)


async def _read_body(response: "ClientResponse", most: int) -> bytes:
    """Return the body of a response, unpacked; if it is longer than `most` bytes, these and some more."""
    unpack = _make_decompressor(response.headers.get("Content-Encoding", ""))
    body = bytearray()
    async for chunk in response.content.iter_chunked(65536):
        body += unpack(chunk, most + 1 - len(body))
        if len(body) > most:
            break
    return bytes(body)


def _is_public(url: str) -> bool:
    """Return whether a URL's host is an IP address of the public internet; False for a host name."""
    address = _find_address(url)
    return bool(address) and ip_address(address.partition("%")[0]).is_global


def _find_address(url: str) -> str:
    """Return the IP address that a URL's host spells, as `2130706433` or `0x7f.1`; "" for a name.

    Asks the system, which also reads the host for a connection: aiohttp does not resolve a host of digits and dots.
    """
    host = (urlsplit(url).hostname or "").rstrip(".")
    try:
        found = socket.getaddrinfo(host, None, flags=socket.AI_NUMERICHOST) if host else []
    except (OSError, ValueError):
        return ""
    return str(found[0][4][0]) if found else ""


class _RefusedAddress(OSError):
    """Raised for a name that resolves to a forbidden address."""


class FailedByRule(OSError):
    """Raised for a request that a `route` rule or a replay makes fail."""


REFUSED = (_RefusedAddress, outgoing.UnsupportedProxy)


class Resolver:
    """Resolves host names for aiohttp, and refuses forbidden addresses."""

    def __init__(self, *, allows_metadata: bool) -> None:
        self._allows_metadata = allows_metadata
        self.refuses_private = False
        """Whether addresses of private networks are refused."""
        self.was_public = False
        """Whether a name has led to a public address."""

    def refuse_address(self, address: str) -> Refusal | None:
        """Return why an IP address may not be requested; None if it may."""
        if metadata.is_metadata_address(address) and not self._allows_metadata:
            return metadata.create_refusal("is")
        if self.refuses_private and not ip_address(address.partition("%")[0]).is_global:
            return Refusal("is of a private network, to which a public page has redirected", ASK_FOR_PRIVATE)
        return None

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[dict[str, Any]]:
        """Resolve a host name for aiohttp. Return its addresses in the form of `AbstractResolver`.

        Names below `localhost` are this machine, without asking a server, as in browsers (RFC 6761, 6.3). Raises OSError for an
        unknown name, _RefusedAddress if one of its addresses is refused.
        """
        name = "localhost" if host.lower().rstrip(".").endswith(".localhost") else host
        found = await asyncio.get_running_loop().getaddrinfo(
            name, port, type=socket.SOCK_STREAM, family=family, flags=socket.AI_ADDRCONFIG
        )
        places = [(kind, proto, str(place[0]), int(place[1])) for kind, _, proto, _, place in found]
        for _, _, address, _ in places:
            if refusal := self.refuse_address(address):
                raise _RefusedAddress(f"the name leads to {address}, which {refusal.why}")
        self.was_public |= any(ip_address(place[2].partition("%")[0]).is_global for place in places)
        return [
            {"hostname": host, "host": address, "port": number, "family": kind, "proto": proto, "flags": 0}
            for kind, proto, address, number in places
        ]

    async def close(self) -> None:
        """Do nothing, as there is nothing to close: aiohttp calls this."""


def find_cause(error: Exception) -> Exception:
    """Return the error that an error of aiohttp wraps; the error itself if it wraps none."""
    import aiohttp

    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        return error.certificate_error
    return error.os_error if isinstance(error, aiohttp.ClientConnectorError) else error


def describe_error(cause: Exception) -> str:
    """Describe for a person why a request failed."""
    import aiohttp

    if isinstance(cause, (*REFUSED, FailedByRule)):
        return str(cause)
    if isinstance(cause, aiohttp.ClientHttpProxyError):
        return f"the proxy answers {cause.status}"
    if isinstance(cause, socket.gaierror):
        return "there is no such host"
    if isinstance(cause, ssl.SSLError):
        return f"the connection is not secure: {one_line(str(cause), 100)}"
    if isinstance(cause, ConnectionRefusedError):
        return "nothing listens there"
    if isinstance(cause, aiohttp.ServerDisconnectedError | ConnectionResetError):
        return "the server ends the connection without an answer"
    if isinstance(cause, aiohttp.ClientPayloadError):
        return "the server broke off in the middle of the answer"
    if isinstance(cause, aiohttp.ClientResponseError):
        return f"the answer is no HTTP: {one_line(cause.message.partition(':')[0], 80)}"
    return one_line(str(cause), 120) or type(cause).__name__


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
        raise ValueError(f"the answer is packed as {quote_unless_short(name, 40)}")
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
