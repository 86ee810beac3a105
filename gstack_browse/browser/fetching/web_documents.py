"""Read a web document without a browser: choose what to ask for, and make Markdown of what comes."""

import asyncio
import time
from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

from gstack_browse import __version__
from gstack_browse.browser.cdp.interception import Shaped
from gstack_browse.browser.fetching.page_reader import DocumentFetcher, FetchedDocument
from gstack_browse.browser.network import pdf_documents
from gstack_browse.cookies.records import cookie_header
from gstack_browse.documents.reader import main_content, markdown, markup_tree
from gstack_browse.errors import ActionFailed, BrowseError, UsageError
from gstack_browse.security.policy import metadata
from gstack_browse.security.policy.hosts import Refusal
from gstack_browse.settings import Settings
from gstack_browse.text import articles
from gstack_browse.text.sanitise import one_line

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
    say: Say,
) -> str:
    """Return the document at `url` as Markdown or text.

    Args:
        browser: The session whose cookies and routes are used; None for none.
        whole: All of an HTML page instead of its main content.
        say: Tells the caller of what is unusual.

    Raises Refused, NavigationFailed, TimedOut; ActionFailed for an error status, with the text, and for what is no text.
    """
    if not url.startswith("http"):
        raise UsageError("read is for http and https", "A file of the workspace: goto, then text")
    fetcher = await _make_fetcher(settings, browser)
    limit = SECONDS if seconds is None else seconds
    async with fetcher.open():
        if not whole and (index := await _fetch_site_index(fetcher, url, limit)):
            say("its llms.txt; the page itself: --whole")
            return index
        document = await fetcher.fetch_document(url.partition("#")[0], limit)
    if document.url != url.partition("#")[0]:
        say(f"redirected to {one_line(document.url, 300)}")
    text, cut = await _render(document, whole=whole)
    if document.is_cut:
        cut = f"{len(document.body) // 1_000_000} MB"
    if cut:
        say(f"cut: only its first {cut} were read")
    if document.status >= 400:
        error = ActionFailed(f"{one_line(url, 300)} answered {document.status}")
        error.output = text
        raise error
    return text


async def _make_fetcher(settings: Settings, browser: "BrowserSession | None") -> DocumentFetcher:
    """Return a fetcher that is under the rules for pages."""
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

    async def unshaped(url: str, headers: dict[str, str]) -> Shaped:
        return None

    shape = browser.shaping.shape_own_request if browser else unshaped
    return DocumentFetcher(headers, refusal, shape, settings, browser.running.relays if browser else None)


async def _fetch_site_index(fetcher: DocumentFetcher, url: str, seconds: float) -> str:
    """Return a site's `llms.txt` if its start page is asked for; "" without one."""
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


async def _render(document: FetchedDocument, *, whole: bool) -> tuple[str, str]:
    """Return the text of a document, and how much of it was read if not all was."""
    kind = document.media_type
    if kind == "application/pdf" or document.body.startswith(pdf_documents.SIGNATURE):
        page = await pdf_documents.convert_content_to_html(document.url, document.body)
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
    """Return an HTML document as Markdown, and where it was cut ("" if it was not)."""
    root = markup_tree.parse(text)
    head = main_content.head_of(root)
    main_content.resolve_links(root, main_content.base_url(root, url))
    has_scripts = any(element.tag == "script" for element in root.elements())
    content = (root.find("body") or root) if whole else main_content.find_content(root)
    written = markdown.write_markdown(content)
    is_empty = has_scripts and len(content.text()) < LEAST_TEXT
    parts = articles.render_markdown(head, written), EMPTY.format(one_line(url, 300)) if is_empty else ""
    cut = f"{markup_tree.MOST_ELEMENTS:,} elements" if "cut" in root.attributes else ""
    return "\n\n".join(filter(None, parts)), cut
