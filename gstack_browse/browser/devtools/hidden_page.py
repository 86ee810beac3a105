"""Show an origin in a hidden page without its server, to read and set the origin's storage.

Each request of the page is answered here: documents are empty, everything else fails. So no request reaches the server, and no script of
the origin runs. `Connection.open_hidden_page` opens the page.
"""

from functools import partial
from typing import Any

from gstack_browse.browser.cdp.errors import ProtocolError
from gstack_browse.browser.cdp.session import Session

_DOCUMENT = "PCFkb2N0eXBlIGh0bWw+PGxpbmsgcmVsPWljb24gaHJlZj1kYXRhOiw+"
"""`<!doctype html><link rel=icon href=data:,>` in base64. Without an icon Chromium requests one from the server."""
_HEADERS = [
    {"name": "Content-Type", "value": "text/html; charset=utf-8"},
    {"name": "Cache-Control", "value": "no-store"},
]


async def answer_all_requests(page: Session) -> None:
    """Answer all later requests of a page, documents with an empty one. Raises ProtocolError."""
    page.on("Fetch.requestPaused", partial(_answer, page))
    page.notify("Network.enable")
    page.notify("Network.setBypassServiceWorker", {"bypass": True})
    await page.send("Fetch.enable", {"patterns": [{"urlPattern": "*"}]})


def _answer(page: Session, request: dict[str, Any]) -> None:
    request_id = request["requestId"]
    if request.get("resourceType") == "Document":
        response = {"responseCode": 200, "responseHeaders": _HEADERS, "body": _DOCUMENT}
        page.notify("Fetch.fulfillRequest", {"requestId": request_id, **response})
    else:
        page.notify("Fetch.failRequest", {"requestId": request_id, "errorReason": "BlockedByClient"})


async def visit_origin(page: Session, origin: str) -> None:
    """Navigate a page to an origin, after `answer_all_requests`. Raises ProtocolError."""
    result = await page.send("Page.navigate", {"url": f"{origin}/"})
    if problem := result.get("errorText"):
        raise ProtocolError(f"the page did not open: {problem}")
