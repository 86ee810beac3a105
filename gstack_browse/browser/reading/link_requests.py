"""Request the addresses of links over HTTP, outside of the browser, without storing cookies.

Requests go the way of a page's: through `route` rules and a replay, and by the browser's proxies. Servers are taken for hostile. Only the head
of a response is read; of a document, some megabytes if a fragment is searched. Each redirection is checked by the rules for pages
before it is followed. A name may not resolve to a metadata service.
"""

import asyncio
import html
import json
import re
import socket
import ssl
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, NamedTuple, cast
from urllib.parse import unquote, urljoin, urlsplit

from gstack_browse.browser.cdp.interception import (
    ChangedRequest,
    FailedRequest,
    FulfilledResponse,
    ShapingResult,
)
from gstack_browse.browser.launch.outbound import outbound_connection as outgoing
from gstack_browse.documents.reader import main_content, markup_tree
from gstack_browse.security.policy import metadata
from gstack_browse.security.policy.hosts import Refusal
from gstack_browse.settings import Settings
from gstack_browse.text.redact import redact
from gstack_browse.text.sanitise import one_line
from gstack_browse.text.units import format_count, format_seconds

if TYPE_CHECKING:
    from aiohttp import ClientResponse, ClientSession
    from aiohttp.abc import AbstractResolver

    from gstack_browse.browser.launch.outbound.tls_relays import Relays


_SIGN_OUT_PATH = r"(?i)(?:log|sign)(?:out|off)|(?<![a-z])(?:log|sign)[-_](?:out|off)(?![a-z])"
"""In paths or queries that end a login, on too many sites by a GET. `logout` also within a word: `weblogout`."""
_URL_CHARACTERS = 300


@dataclass(frozen=True)
class LinkAnswer:
    """The result of requesting an address."""

    status: int = 0
    """HTTP status of the last response; 0 if there was none."""
    problem: str = ""
    """Why there was no response, or what is wrong with it."""
    redirected: str = ""
    """The final address, if it is another one."""
    is_refused: bool = False
    """Our own policy forbids the address, or one that it redirects to."""
    names: frozenset[str] | None = None
    """The names in the document that a fragment can refer to; None if unknown."""
    links: tuple[tuple[str, str], ...] | None = None
    """Text and address of the document's links; None if they were not asked for, or it is not HTML."""

    @property
    def is_broken(self) -> bool:
        """Return whether the link is broken: no response, an error status, or another problem."""
        return not self.is_refused and (bool(self.problem) or not 200 <= self.status < 400)


class CheckedLink(NamedTuple):
    """An address that `links` links of a page lead to; ref and name are of the first one."""

    ref: str
    name: str
    url: str
    links: int
    answer: LinkAnswer
    page: str = ""
    """In a crawl the first page on which it stands."""
    pages: int = 1
    """In a crawl the number of pages on which it stands."""

    @property
    def line(self) -> str:
        """Return the result as a line of the report: `404 @e3 "Docs" → https://…/docs (2 links)`."""
        answer = self.answer
        state = "refused" if answer.is_refused else str(answer.status) if answer.status else "failed"
        name = json.dumps(one_line(self.name, 60), ensure_ascii=False) if self.name else "(no text)"
        many = f" ({format_count(self.links, 'link')})" if self.links > 1 else ""
        moved = f" → {_shorten_url(answer.redirected)}" if answer.redirected else ""
        problem = f": {answer.problem}" if answer.problem else ""
        begin = f"{state} {self.ref} {name}" if self.ref else f"{state} {name}"
        return f"{begin} → {_shorten_url(self.url)}{many}{moved}{problem}{self._page_note}"

    @property
    def _page_note(self) -> str:
        """Return which pages contain the link, for its line: ` (on http://…/guide, 3 more pages)`."""
        if not self.page:
            return ""
        more = f", {format_count(self.pages - 1, 'more page')}" if self.pages > 1 else ""
        return f" (on {_shorten_url(self.page)}{more})"


def list_links(links: Iterable[tuple[str, str]], words: str = "") -> list[str]:
    """Render links, given as (text, URL), as lines `text → URL`; equal ones once.

    `words`: only links with these in their text or URL. A link without a text, such as a picture's, is left
    out where another one leads to the same URL.
    """
    counts = Counter(link for link in links if words.lower() in f"{link[0]}\n{link[1]}".lower())
    named = {address for name, address in counts if name}
    return [
        f"{name or '(no text)'} → {address}" + (f" ({format_count(count, 'link')})" if count > 1 else "")
        for (name, address), count in counts.items()
        if name or address not in named
    ]


def _shorten_url(url: str) -> str:
    """Return a URL as one line of _URL_CHARACTERS at most, without secrets."""
    return one_line(redact(url), _URL_CHARACTERS)


def check_fragment(answer: LinkAnswer, url: str) -> LinkAnswer:
    """Return `answer`, the one for `url`, as a broken link if the document lacks the fragment's target."""
    name = fragment_name(url)
    if not name or answer.names is None or name in answer.names or answer.is_broken:
        return answer
    return LinkAnswer(answer.status, missing_fragment_message(name), answer.redirected)


def missing_fragment_message(name: str) -> str:
    """Return the message for a link whose fragment `name` has no target in the document."""
    return f"nothing there is called #{one_line(name, 60)}"


def fragment_name(url: str) -> str:
    """Return the decoded id or anchor name in a URL's fragment; "" for another fragment.

    The top of the page (`#top`) and routes of an application (`#/list`, `#!list`) name no element.
    """
    name = unquote(url.partition("#")[2].partition(":~:")[0])
    return "" if name.lower() in ("", "top") or name.startswith(("/", "!")) else name


def is_sign_out_link(url: str) -> bool:
    """Return whether a URL's path or query looks like a sign-out (`logout`, `sign-off`)."""
    return re.search(_SIGN_OUT_PATH, url.partition("://")[2].partition("/")[2].partition("#")[0]) is not None


def render_links(links: Sequence[CheckedLink]) -> list[str]:
    """Render a line for each checked URL: broken ones first, then refused, then redirected ones."""
    return [link.line for link in sorted(links, key=_sort_key)]


def _sort_key(link: CheckedLink) -> int:
    """Return the rank of a link in the list: 0 broken, 1 refused, 2 redirected, 3 fine."""
    answer = link.answer
    return 0 if answer.is_broken else 1 if answer.is_refused else 2 if answer.redirected else 3


def render_summary(links: Sequence[CheckedLink], pages: int = 0) -> str:
    """Summarise checked links: `2 of 31 links are broken`. `pages`: how many were crawled (0: no crawl)."""
    broken = sum(link.answer.is_broken for link in links)
    counted = format_count(len(links), "link") + (f" on {format_count(pages, 'page')}" if pages else "")
    if broken:
        return f"{broken:,} of {counted} {'is' if broken == 1 else 'are'} broken"
    redirected = sum(bool(link.answer.redirected) for link in links)
    return f"{counted} checked, none is broken" + (f", {redirected:,} redirected" if redirected else "")


ASK_FOR_PRIVATE = "If that is meant, ask for it by its own address"
AT_ONCE = 8
AT_ONCE_PER_HOST = 4
SECONDS = 10.0
"""Limit for one address with all its redirections."""
MOST_REDIRECTS = 20
MOST_BYTES = 3_000_000
"""Limit of a document that is searched for a fragment."""
_DOCUMENTS = ("text/html", "application/xhtml+xml")
_REDIRECTS = (301, 302, 303, 307, 308)
_NAMES = re.compile(r"""\s(?:id|name)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.IGNORECASE)
_ACCEPTED = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


class _Hop(NamedTuple):
    """A response in a chain of redirections.

    `location`: where it leads; "" for the last one. `document`: the source of an HTML page; None if it was not asked for.
    """

    status: int
    location: str = ""
    document: str | None = None


class LinkFetcher:
    """Requests links' addresses over HTTP.

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

        trust = await self._load_trust()
        resolver = cast("AbstractResolver", self._resolver)
        connector = aiohttp.TCPConnector(
            limit=AT_ONCE, limit_per_host=AT_ONCE_PER_HOST, resolver=resolver, ssl=trust
        )
        jar = aiohttp.DummyCookieJar()
        async with aiohttp.ClientSession(connector=connector, cookie_jar=jar, auto_decompress=False) as session:
            self._session = session
            yield

    async def _load_trust(self) -> ssl.SSLContext:
        """Return a TLS context that trusts the system's certificate authorities and those of the settings."""
        return await outgoing.load_trust(self._settings)

    async def fetch(self, url: str, *, wants_names: bool, wants_links: bool = False) -> LinkAnswer:
        """Request a link's URL, without its fragment. Return the result; never raises for what a server does.

        Args:
            wants_names: Read the names that fragments can refer to.
            wants_links: Read these names, and the document's links.
        """
        import aiohttp

        async with self._slots:
            try:
                async with asyncio.timeout(SECONDS):
                    return await self._follow_redirects(
                        url, wants_document=wants_names or wants_links, wants_links=wants_links
                    )
            except TimeoutError:
                return LinkAnswer(problem=f"no answer within {format_seconds(SECONDS)}")
            except (aiohttp.ClientError, OSError, ValueError) as error:
                cause = find_cause(error)
                return LinkAnswer(problem=describe_error(cause), is_refused=isinstance(cause, REFUSED))

    async def _follow_redirects(self, url: str, *, wants_document: bool, wants_links: bool) -> LinkAnswer:
        """Request a URL, and follow its redirects if the policy allows them.

        `wants_document`: read the names for fragments. `wants_links`: read the links, too. Raises OSError and aiohttp's errors.
        """
        at, redirected_to = url, ""
        for _ in range(MOST_REDIRECTS + 1):
            if refusal := self._find_refusal(at):
                return LinkAnswer(problem=refusal.why, redirected=redirected_to, is_refused=True)
            step = await self._fetch_once(at, wants_document=wants_document)
            if not step.location:
                found = LinkAnswer(step.status, redirected=redirected_to)
                if step.document is None:
                    return found
                return await asyncio.to_thread(_add_document_facts, found, step.document, at, wants_links)
            at = redirected_to = urljoin(at, step.location)
            if not at.startswith(("http://", "https://")):
                return LinkAnswer(problem="browsers do not follow that", redirected=redirected_to)
        return LinkAnswer(problem=f"redirected more than {MOST_REDIRECTS} times")

    async def _fetch_once(self, url: str, *, wants_document: bool) -> _Hop:
        """Return the response to one request, from a `route` rule, a replay or the server.

        Raises OSError and aiohttp's errors if there is none.
        """
        headers = {"Accept": _ACCEPTED, "Accept-Encoding": "identity", **self._headers_for(url)}
        shaped = await self._shape(url, headers)
        if isinstance(shaped, FailedRequest):
            raise _FailedByRule("a route or har-replay has it fail")
        if isinstance(shaped, FulfilledResponse):
            return _make_hop(shaped, wants_document=wants_document)
        if isinstance(shaped, ChangedRequest):
            headers = shaped.headers
        response = await self._send_get(url, headers)
        try:
            if location := find_location(response.status, response.headers):
                return _Hop(response.status, location)
            return _Hop(response.status, document=await _read_source(response) if wants_document else None)
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
        host = urlsplit(url).hostname or ""
        try:
            address = ip_address(host)
        except ValueError:
            return self._refusal(url)
        return self._resolver.refuse_address(str(address)) or self._refusal(url)


class _RefusedAddress(OSError):
    """Raised for a name that resolves to a forbidden address."""


class _FailedByRule(OSError):
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


def find_location(status: int, headers: Mapping[str, str]) -> str:
    """Return the URL that a response redirects to (`Location`); "" if its status is no redirect."""
    return headers.get("Location", "") if status in _REDIRECTS else ""


def _make_hop(answer: FulfilledResponse, *, wants_document: bool) -> _Hop:
    """Convert a response that a `route` rule or a replay gives to a `_Hop`.

    `wants_document`: with the source, if it is HTML.
    """
    headers = {name.title(): value for name, value in answer.headers}
    if location := find_location(answer.status, headers):
        return _Hop(answer.status, location)
    kind = (answer.content_type or headers.get("Content-Type", "")).partition(";")[0].strip()
    if not wants_document or answer.status != 200 or kind not in _DOCUMENTS or len(answer.body) > MOST_BYTES:
        return _Hop(answer.status)
    return _Hop(answer.status, document=answer.body.decode("utf-8", "replace"))


async def _read_source(response: "ClientResponse") -> str | None:
    """Read the source of an HTML response; None for another response, an error, or one above MOST_BYTES."""
    is_html = response.content_type in _DOCUMENTS
    if (
        not is_html
        or response.status != 200
        or response.headers.get("Content-Encoding", "identity") != "identity"
    ):
        return None
    read = bytearray()
    async for chunk in response.content.iter_chunked(65536):
        read += chunk
        if len(read) > MOST_BYTES:
            return None
    return read.decode("utf-8", "replace")


def _add_document_facts(answer: LinkAnswer, source: str, url: str, wants_links: bool) -> LinkAnswer:
    """Add to an answer the names that fragments can refer to, and the links if they are wanted.

    `source`: HTML of the document; `url`: where it is from.
    """
    links = tuple(main_content.find_links(markup_tree.parse(source), url)) if wants_links else None
    return replace(answer, names=find_fragment_names(source), links=links)


def find_fragment_names(text: str) -> frozenset[str]:
    """Return all `id` and `name` values in the source of an HTML document: fragments can refer to them."""
    return frozenset(html.unescape("".join(found.groups(""))) for found in _NAMES.finditer(text))


def find_cause(error: Exception) -> Exception:
    """Return the error that an error of aiohttp wraps; the error itself if it wraps none."""
    import aiohttp

    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        return error.certificate_error
    return error.os_error if isinstance(error, aiohttp.ClientConnectorError) else error


def describe_error(cause: Exception) -> str:
    """Describe for a person why a request failed."""
    import aiohttp

    if isinstance(cause, (*REFUSED, _FailedByRule)):
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
    if isinstance(cause, aiohttp.ClientResponseError):
        return f"the answer is no HTTP: {one_line(cause.message.partition(':')[0], 80)}"
    return one_line(str(cause), 120) or type(cause).__name__
