"""Gather what `exchange/security.py` judges of the page that a tab shows: its answer, cookies, requests and elements."""

from typing import TYPE_CHECKING, Any

from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.engine import failures
from gstack_browse.browser.reading import page_scripts
from gstack_browse.browser.reading.logged_requests import build_step_facts
from gstack_browse.network.exchange.content import Headers
from gstack_browse.network.exchange.security import PageFacts

if TYPE_CHECKING:
    from gstack_browse.browser.command.page import PageSession

MOST_ELEMENTS = 500
MOST_CHARACTERS = 2_000
HEADERS_GONE = "The headers of the document are not kept: 'reload', then again"


async def gather_facts(page: "PageSession") -> PageFacts:
    """Return the facts of the page."""
    frame = page.tab.page.main_frame
    try:
        context = await page.world.frames.main_context()
        elements: dict[str, Any] = await page_scripts.run(
            context, "page-security", {"most": MOST_ELEMENTS, "characters": MOST_CHARACTERS}
        )
        cookies = await page.session.current.jar.raw_cookies([frame.url])
    except ProtocolError as error:
        raise failures.translate(error) from None
    headers = _document_headers(page, frame.loader)
    if headers is None and frame.url.startswith("http"):
        page.notes.append(HEADERS_GONE)
    requests = [
        (entry.kind, entry.url) for entry in page.session.logs.network if entry.document == page.tab.document
    ]
    return PageFacts(frame.url, headers, cookies, requests, elements)


def _document_headers(page: "PageSession", loader: str) -> Headers | None:
    """Return the headers of the document with that loader id; None if they are not kept."""
    found = [item for item in page.session.traffic.exchanges if item[0].id == loader]
    if not found:
        return None
    chain, index = found[-1]
    facts = build_step_facts(chain, index)
    return facts.response_headers if facts.status else None
