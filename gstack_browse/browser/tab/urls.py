"""Change URLs for replies, and for comparison."""

from gstack_browse.network.logs import fill_blanks, safe_url
from gstack_browse.text.redact import redact
from gstack_browse.text.sanitise import one_line

MAX_URL = 500
NO_PAGE = ("", "about:blank")
"""Addresses of a blank tab."""


def without_fragment(url: str) -> str:
    """Return a URL without its fragment."""
    return url.partition("#")[0]


def shown_url(url: str) -> str:
    """Format a URL for a reply: shortened to one word, without its password."""
    shown = safe_url(url) if url.startswith(("data:", "blob:")) else fill_blanks(url)
    return one_line(redact(shown), MAX_URL)
