"""Read addresses that may be malformed: a page, a file or a person can write anything."""

import re
from urllib.parse import urlsplit


def host_of(url: str) -> str:
    """Return a URL's host in lower case; "" if it has none, or is malformed."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:  # "http://[x"
        return ""


def site_of(url: str) -> str:
    """Return scheme, host and port of a URL as they stand there: `http://x:80`, without user and password."""
    scheme, _, rest = url.partition("://")
    authority = re.split("[/?#]", rest, maxsplit=1)[0]  # a query may follow the host at once, and have an @
    return f"{scheme}://{authority.rpartition('@')[2]}"
