"""The address of a running browser as it is typed: `auto`, a local port, or a URL."""

from urllib.parse import urlsplit

from gstack_browse.errors import UsageError
from gstack_browse.registry.argument_type import OpenWord
from gstack_browse.registry.paths import CallerPaths

AUTO = "auto"
SCHEMES = ("ws", "wss", "http", "https")
PLAYWRIGHT = "playwright+"
"""Before the scheme of the address of a Playwright server."""
PLAYWRIGHT_SERVER = "a Playwright server, whose protocol gbrowse does not speak"
PLAYWRIGHT_REMEDY = (
    "Name a browser itself: http://<host>:9222, ws://<host>:<port>/devtools/browser/…, or a Selenium Grid"
)


def browser_address(words: str, _: CallerPaths) -> str:
    """The address, as it was typed; a URL may hold a token, a port does not. Raises UsageError."""
    if words == AUTO:
        return OpenWord(words)
    if words.isascii() and words.isdigit():
        if not 0 < int(words) < 65536:
            raise UsageError(f"{words} is no port", "For example: connect 9222")
        return OpenWord(int(words))
    if is_address(words):
        return words
    if words.startswith(PLAYWRIGHT):
        raise UsageError(f"That is {PLAYWRIGHT_SERVER}", PLAYWRIGHT_REMEDY)
    raise UsageError(
        "That is no address of a browser",
        "connect auto, connect 9222, or connect ws://127.0.0.1:9222/devtools/browser/…",
    )


def is_address(url: str) -> bool:
    """Whether that is the URL of a browser, or of what knows one."""
    return url.partition("://")[0].lower() in SCHEMES and bool(_host(url))


def _host(url: str) -> str:
    try:
        parts = urlsplit(url)
        return (parts.hostname or "") if parts.port != 0 else ""
    except ValueError:
        return ""
