"""Convert errors of Chromium's protocol to the exceptions that a command fails with."""

import re
from collections.abc import Callable

from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.engine.messages import FrameGone, NoDocument
from gstack_browse.errors import (
    ActionFailed,
    BrowseError,
    Disappeared,
    NavigationFailed,
    PageReplaced,
    StaleRef,
    TabGone,
    UsageError,
)
from gstack_browse.network.logs import ABORTED
from gstack_browse.text.sanitise import one_line

_LOOK_AGAIN = "Run 'wait --load', and look at it before you try again"
SEE_ELEMENTS = "Run 'snapshot -i' to see what is there"
PAGE_CRASHED = "The page in this tab crashed"

NOT_TRUSTED = (
    "The server's certificate is not trusted. Where an authority of your own has signed it:"
    " gbrowse stop; BROWSE_CA_CERT=<ca.pem> gbrowse goto <url>"
)
PROXY_UNAUTHORIZED_ERROR = "ERR_PROXY_AUTH_REQUESTED"
"""Chromium's error for a proxy that asks for a user and a password, which it does not always report itself."""
SET_PROXY_USER = (
    "gbrowse stop; gbrowse secret-set proxy --origin http://<proxy>;"
    " BROWSE_PROXY=http://<user>@<proxy> gbrowse goto <url>"
)
_NETWORK_HINTS = {
    "ERR_NAME_NOT_RESOLVED": "The host name is not known. Check its spelling",
    "ERR_CONNECTION_REFUSED": "Nothing listens there. Is the server running, and on that port?",
    "ERR_CONNECTION_RESET": "The server closed the connection. Try again. A server of your own may speak http: only",
    "ERR_EMPTY_RESPONSE": "The server closed the connection without an answer",
    "ERR_SSL_PROTOCOL_ERROR": "The server does not speak TLS there. A server of your own may speak http: only",
    "ERR_INTERNET_DISCONNECTED": "There is no network. 'emulate' says whether that is emulated ('emulate --offline off' or 'throttle off' ends it), 'status' whether a program is attached, which may do that, too",
    PROXY_UNAUTHORIZED_ERROR: f"To give it one: {SET_PROXY_USER}",
    "ERR_PROXY_CONNECTION_FAILED": "The proxy cannot be reached. It is that of BROWSE_PROXY, else of https_proxy, http_proxy or all_proxy",
    "ERR_TUNNEL_CONNECTION_FAILED": "The proxy does not connect to that server",
    "ERR_SOCKS_CONNECTION_FAILED": "The SOCKS proxy does not connect to that server, or asks for a password: Chromium gives SOCKS proxies none",
    "ERR_ADDRESS_UNREACHABLE": "There is no route to that address",
    "ERR_TOO_MANY_REDIRECTS": "The site redirects in a circle; its cookies may be the cause",
    ABORTED: "The server answered with nothing to show (204, or a download)",
    "ERR_CACHE_MISS": "The page was the answer to a form: 'reload' sends that again",
    "ERR_HTTP_RESPONSE_CODE_FAILURE": "The server, or a proxy, answered with an error status and no content. A full Chromium does not say which (404, 407, 500 …)",
    "ERR_INVALID_URL": "Check the URL",
    "ERR_UNSAFE_PORT": "Chromium does not open that port",
    "ERR_FILE_NOT_FOUND": "There is no such file",
}
_NETWORK = re.compile(r"net::(ERR_[A-Z0-9_]+)")
_REPLACED = "context was destroyed|Cannot find context|uniqueContextId not found|navigated or closed"

_CLOSED = (
    "has been closed|Connection closed|Target closed|Session closed"
    "|No (?:target|session) with given id|Session with given id not found|Failed to find (?:browser )?context"
    "|Not attached to an active page"
)
"""Messages about a tab or a browser context that was closed."""

_TABLE: tuple[tuple[str, Callable[[str, str], BrowseError]], ...] = (
    (r"Page crashed|Target crashed", lambda text, what: TabGone(PAGE_CRASHED, "Run 'goto <url>' to load one again")),
    (_CLOSED, lambda text, what: TabGone("The tab was closed while the command ran", "Run 'tabs' to see what is open")),
    (_REPLACED, lambda text, what: page_replaced_error()),
    (r"gbrowse: the element has gone", lambda text, what: element_gone_error(what)),
    (r"Cannot navigate to invalid URL", lambda text, what: UsageError("Chromium takes that for no URL", "Check its spelling")),
    (r"Protocol error \([\w.]+\): Internal error", lambda text, what: ActionFailed("Chromium broke that off: a script of the page was being stopped", "Try again")),
    (r"Unable to capture screenshot|Protocol error \(Page.captureScreenshot\)", lambda text, what: ActionFailed("Chromium could not take the picture", "The area may be too large: try --viewport or --clip")),
)  # fmt: skip


def translate(error: ProtocolError, name: str = "The element") -> BrowseError:
    """Convert a protocol error to the command's exception. `name`: its element, for messages."""
    text = str(error)
    for pattern, make in _TABLE:
        if re.search(pattern, text):
            return make(text, name)
    if network := _NETWORK.search(text):
        return network_error("", network[1])
    return ActionFailed(one_line(text.split("\n", 1)[0], 300))


def element_gone_error(name: str) -> Disappeared:
    """Return the exception for an action on an element, called `name`, that the page has removed."""
    return Disappeared(f"{name} disappeared while the command ran", SEE_ELEMENTS)


def frame_gone_error() -> StaleRef:
    """Return the exception for a command on a frame that was removed from the page."""
    return StaleRef(
        "The frame is no longer on the page", "Run 'frame main', and 'snapshot -i' to see what is there"
    )


def input_blocked_error(problem: str, *, may_have_person: bool) -> ActionFailed:
    """Return the exception for keys or presses that Chromium does not deliver to a page that responds.

    problem: what failed, such as `<button> "Save" was not pressed`
    may_have_person: a person may see Chromium's window, so the hint is to answer its dialog there
    """
    hint = "Answer it there" if may_have_person else "Run 'restart': tabs and logins stay"
    return ActionFailed(
        f"{problem}: Chromium keeps all input from the page, as while it asks something in a window of its own",
        hint,
    )


def page_replaced_error() -> PageReplaced:
    """Return the exception for a command whose document was replaced by a navigation."""
    return PageReplaced("The page was replaced while the command ran", _LOOK_AGAIN)


def is_navigation_interrupt(error: ProtocolError) -> bool:
    """Return whether a script was interrupted because its document navigated away."""
    return re.search(_REPLACED, str(error)) is not None


def to_browse_error(error: Exception) -> BrowseError | None:
    """Convert an unhandled exception to one with a message for the user; None if it is a bug of gbrowse."""
    if isinstance(error, BrowseError):
        return error
    if isinstance(error, ProtocolError):
        return translate(error)
    if isinstance(error, NoDocument):
        return PageReplaced("The frame shows no document yet", _LOOK_AGAIN)
    if isinstance(error, FrameGone):
        return page_replaced_error()
    return None


def is_crash(error: Exception) -> bool:
    """Return whether an exception means that a page's process has crashed, or could not be started."""
    explained = to_browse_error(error)
    return explained is not None and explained.message == PAGE_CRASHED


def navigation_error(url: str, error: ProtocolError) -> BrowseError:
    """Return the exception for a navigation to `url` that failed with a protocol error."""
    if network := _NETWORK.search(str(error)):
        return network_error(url, network[1])
    found = translate(error)
    return (
        NavigationFailed(f"Cannot open {url}: {found.message}", found.hint)
        if type(found) is ActionFailed
        else found
    )


def network_error(url: str, code: str) -> BrowseError:
    """Return the exception for Chromium's network error `code`, such as ERR_CONNECTION_REFUSED.

    url: the requested address; "" if unknown
    """
    hint = _NETWORK_HINTS.get(code, "")
    if not hint and code.startswith("ERR_CERT"):
        hint = NOT_TRUSTED
    return NavigationFailed(
        f"Cannot open {url}: {code}" if url else f"The page could not be loaded: {code}", hint
    )
