"""How addresses are shown in replies."""

from gstack_browse.logs.entries import safe_url
from gstack_browse.text.redact import redact
from gstack_browse.text.sanitise import one_line

MAX_URL = 500
NO_PAGE = ("", "about:blank")
"""Addresses of a tab that shows nothing."""


def shown_url(url: str) -> str:
    """An address fit for a reply: one line, no password, not a page long."""
    return one_line(redact(safe_url(url) if url.startswith(("data:", "blob:")) else url), MAX_URL)
