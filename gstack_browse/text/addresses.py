"""Read addresses that may be malformed: a page, a file or a person can write anything."""

from urllib.parse import urlsplit


def host_of(url: str) -> str:
    """Return a URL's host in lower case; "" if it has none, or is malformed."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:  # "http://[x"
        return ""
