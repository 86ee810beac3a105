"""Tell addresses that Chromium hands to another program, such as `tel:` and `zoommtg:`."""

from gstack_browse.security.policy.hosts import Refusal

_OWN = frozenset(
    [
        "about",
        "blob",
        "chrome",
        "chrome-error",
        "chrome-extension",
        "chrome-untrusted",
        "data",
        "devtools",
        "file",
        "filesystem",
        "http",
        "https",
        "javascript",
        "view-source",
    ]
)
"""Schemes that Chromium shows, or refuses, itself."""
REFUSAL = Refusal("(an external program)")


def is_external(url: str) -> bool:
    """Return whether Chromium would hand the URL to an external program."""
    scheme, colon, _ = url.partition(":")
    return bool(colon) and scheme.lower() not in _OWN
