"""Fetch a web document over HTTP, without a browser, and convert it to Markdown.

Requests follow the rules of `web_requests`. A redirection from a public address to one of a private network is refused: a page
that anybody can write is not to choose what is read there.
"""

import asyncio
import re
import shlex
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit, urlunsplit

from gstack_browse import __version__
from gstack_browse.browser.cdp.interception import ShapingResult
from gstack_browse.browser.network import loaded_documents
from gstack_browse.browser.reading.web_requests import (
    MOST_REDIRECTS,
    REFUSED,
    FailedByRule,
    NotFollowed,
    RefusedUrl,
    RequestSpec,
    WebFetcher,
    WebResponse,
    describe_error,
    find_cause,
)
from gstack_browse.cookies.records import cookie_header
from gstack_browse.documents.reader import articles, main_content, markdown, markup_tree
from gstack_browse.errors import ActionFailed, BrowseError, NavigationFailed, Refused, TimedOut, UsageError
from gstack_browse.security.policy import metadata
from gstack_browse.security.policy.hosts import Refusal
from gstack_browse.settings import Settings
from gstack_browse.text.charsets import decode_page
from gstack_browse.text.sanitise import one_line, quote_unless_short
from gstack_browse.text.units import format_seconds

if TYPE_CHECKING:
    from gstack_browse.browser.context.open_context import OpenContext

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
    browser: "OpenContext | None",
    *,
    seconds: float | None,
    whole: bool,
    remark: Say,
) -> str:
    """Fetch the document at `url` over HTTP, without a tab. Return it as Markdown or text.

    Args:
        browser: The context whose cookies and `route` rules are used; None for none.
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
        document = await fetch_document(fetcher, url.partition("#")[0], limit)
    if document.url != url.partition("#")[0]:
        remark(f"redirected to {one_line(document.url, 300)}")
    text, cut = await _render(document, whole=whole)
    if document.is_cut:
        cut = f"{len(document.body) // 1_000_000} MB"
    if cut:
        remark(f"cut: only its first {cut} were read")
    if document.status >= 400:
        raise ActionFailed(f"{one_line(url, 300)} answered {document.status}", output=text)
    return text


async def _make_fetcher(settings: Settings, browser: "OpenContext | None") -> WebFetcher:
    """Return a fetcher with the context's cookies and `route` rules, which keeps to the policy for pages."""
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
    return WebFetcher(headers, refusal, shape, settings, browser.running.relays if browser else None)


async def _fetch_site_index(fetcher: WebFetcher, url: str, seconds: float) -> str:
    """Return a site's `llms.txt` (summary for language models) if `url` is its start page; "" without one."""
    parts = urlsplit(url)
    if parts.path not in ("", "/") or parts.query:
        return ""
    try:
        address = urlunsplit((parts.scheme, parts.netloc, "/llms.txt", "", ""))
        document = await fetch_document(fetcher, address, seconds)
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
        f"{one_line(document.url, 300)} is no text, but {quote_unless_short(kind, 60)}",
        f"Save it: download {shlex.quote(one_line(document.url, 300))}",
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
    parts = (
        articles.render_markdown(head, written),
        EMPTY.format(shlex.quote(one_line(url, 300))) if is_empty else "",
    )
    cut = f"{markup_tree.MOST_ELEMENTS:,} elements" if "cut" in root.attributes else ""
    return "\n\n".join(filter(None, parts)), cut


MOST_BYTES = 5_000_000
"""Limit of a document, unpacked."""
MOST_PDF_BYTES = 100_000_000
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


def _count_bytes(status: int, headers: Mapping[str, str]) -> int:
    """Return how many bytes of a response to read."""
    return MOST_PDF_BYTES if "pdf" in headers.get("content-type", "").lower() else MOST_BYTES


_SPEC = RequestSpec(ACCEPTED, "gzip, deflate", _count_bytes, keeps_apart=True)


async def fetch_document(fetcher: WebFetcher, url: str, seconds: float) -> FetchedDocument:
    """Request a document, and follow its redirects. Raises Refused, NavigationFailed, TimedOut."""
    import aiohttp

    quoted_url = one_line(url, 300)
    try:
        return _build_document(await fetcher.fetch(url, _SPEC, seconds))
    except RefusedUrl as refused:
        raise Refused(f"{one_line(refused.url, 300)} {refused}", refused.refusal.hint) from None
    except NotFollowed as error:
        if error.url:
            raise NavigationFailed(
                f"{quoted_url} leads to {one_line(error.url, 300)}, which is no page"
            ) from None
        raise NavigationFailed(
            f"{quoted_url} redirects more than {MOST_REDIRECTS} times",
            "It may want to set a cookie first: goto, then read --session",
        ) from None
    except FailedByRule as error:
        raise NavigationFailed(f"{quoted_url}: {error}") from None
    except TimeoutError:
        raise TimedOut(f"{quoted_url} did not answer within {format_seconds(seconds)}") from None
    except (aiohttp.ClientError, OSError, ValueError) as error:
        cause = find_cause(error)
        if isinstance(cause, REFUSED):
            raise Refused(f"{quoted_url}: {describe_error(cause)}") from None
        raise NavigationFailed(
            f"{quoted_url}: {describe_error(cause)}", "A browser may get further: goto"
        ) from None


def _build_document(found: WebResponse) -> FetchedDocument:
    """Make a `FetchedDocument` from a response."""
    media_type, _, rest = found.content_type.partition(";")
    charset = re.search(r"charset\s*=\s*[\"']?([\w-]+)", rest, re.IGNORECASE)
    kind = media_type.strip().lower()
    return FetchedDocument(
        found.url, found.status, kind, charset[1] if charset else "", found.body, found.is_cut
    )
