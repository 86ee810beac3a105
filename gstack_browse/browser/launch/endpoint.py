"""Finds the WebSocket of a browser that others have started. Asks over HTTP only; `connect` opens the WebSocket."""

import http.client
import json
import os
import ssl
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from gstack_browse.browser.launch import outgoing
from gstack_browse.browser.launch.grid import Grid, GridSession, without_user
from gstack_browse.browser.launch.remote_failures import ALLOW, explain_no_connection
from gstack_browse.errors import SetupFailed
from gstack_browse.registry.browser_address import AUTO, PLAYWRIGHT

PORT_FILE = "DevToolsActivePort"
"""Where Chromium writes, in its profile's directory, the port and the path that it listens at."""
ASK_SECONDS = 5.0
FAR_SECONDS = 0.04
"""A browser that takes longer to answer is far, whatever its address. One on this machine takes a few milliseconds."""
FAR_TRIES = 2
"""So many answers in a row must be late: a single one may be late for another reason."""
MOST_BYTES = 64 << 10
"""Of what is read of an answer, or of a file."""
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1", ""})
_PROFILES = {
    "linux": (
        ".config/google-chrome",
        ".config/google-chrome-beta",
        ".config/google-chrome-unstable",
        ".config/chromium",
        "snap/chromium/common/chromium",
        ".var/app/com.google.Chrome/config/google-chrome",
        ".var/app/org.chromium.Chromium/config/chromium",
        ".config/microsoft-edge",
        ".config/BraveSoftware/Brave-Browser",
    ),
    "darwin": (
        "Library/Application Support/Google/Chrome",
        "Library/Application Support/Google/Chrome Canary",
        "Library/Application Support/Chromium",
        "Library/Application Support/Microsoft Edge",
        "Library/Application Support/BraveSoftware/Brave-Browser",
    ),
}
"""Where browsers keep their profiles, below the home directory."""


@dataclass(frozen=True)
class Endpoint:
    """A browser to connect to. `address`: `auto`, a port, or a URL. `shared`: whether to go into its own context, with its logins."""

    address: str
    shared: bool = False
    headers: dict[str, str] = field(default_factory=dict, repr=False)
    ca_cert: Path | None = None
    """A PEM file of certificate authorities, trusted in addition to the system's."""

    @property
    def name(self) -> str:
        """What messages call it: the host and the port. Paths and queries of such URLs are as good as passwords."""
        if self.address == AUTO:
            return "the browser on this machine"
        if self.address.isdigit():
            return f"127.0.0.1:{self.address}"
        parts = urlsplit(self.address)
        return f"{parts.hostname}:{parts.port}" if parts.port else str(parts.hostname)

    @property
    def is_near(self) -> bool:
        """Whether the browser is on this machine, by its address."""
        return self.address == AUTO or self.address.isdigit() or is_loopback(self.address)

    def trust(self) -> ssl.SSLContext | None:
        """Load the certificate authorities for the connection; None for one without TLS.

        Blocks. Raises SetupFailed.
        """
        return outgoing.trusted(self.ca_cert) if self.address.startswith(("https:", "wss:")) else None

    @property
    def is_playwright(self) -> bool:
        """Whether a server of Playwright's answers there, which speaks a protocol of its own."""
        return self.address.startswith(PLAYWRIGHT)


def is_loopback(url: str) -> bool:
    return (urlsplit(url).hostname or "") in _LOOPBACK


class Reached(NamedTuple):
    """The WebSocket of a browser; with the Grid's session that it is of, which is to be released."""

    url: str
    headers: Mapping[str, str]
    trust: ssl.SSLContext | None = None
    session: GridSession | None = None
    compresses: bool = False
    """Whether messages are compressed: the browser is far."""


def resolve(endpoint: Endpoint, tell_queue: Callable[[str], None] = lambda text: None) -> Reached:
    """Find the WebSocket of a browser. Asks over HTTP where only a port or host is known.

    Args:
        tell_queue: called each second with the length of a Grid's queue, as text, while no slot is free; with "" at the end

    Blocks. Raises SetupFailed.
    """
    if endpoint.address == AUTO:
        return Reached(_found(os.environ.get("HOME", "")), {})
    if endpoint.address.isdigit():
        return Reached(_of_port(int(endpoint.address), os.environ.get("HOME", "")), {})
    reached = _resolve_url(endpoint, tell_queue)
    return reached._replace(compresses=_is_far(reached))


def _resolve_url(endpoint: Endpoint, tell_queue: Callable[[str], None]) -> Reached:
    address, said = without_user(endpoint.address)
    headers = {**said, **endpoint.headers}
    trust = endpoint.trust()
    if urlsplit(address).scheme not in ("http", "https"):
        return Reached(address, headers, trust)
    base = address.rstrip("/").removesuffix("/json/version")
    if not endpoint.shared:
        grid = Grid(base, endpoint.name, headers, trust, str(endpoint.ca_cert or ""))
        if grid.answers():
            session = grid.open_session(tell_queue)
            return Reached(session.url, headers, trust, session)
    return Reached(_read_websocket_url(base, endpoint.name, headers, trust), headers, trust)


def _is_far(reached: Reached) -> bool:
    """Return whether the browser is on another machine: by its address, or by late answers (behind `ssh -L`)."""
    if not is_loopback(reached.url):
        return True
    parts = urlsplit(reached.url)
    url = parts._replace(scheme=parts.scheme.replace("ws", "http"), path="/json/version", query="").geturl()
    return all(_answer_seconds(url, reached) > FAR_SECONDS for _ in range(FAR_TRIES))


def _answer_seconds(url: str, reached: Reached) -> float:
    """Measure how long the server takes to answer; a refusal or an error counts, too."""
    request = urllib.request.Request(url, headers=dict(reached.headers))  # noqa: S310 - http or https
    begun = time.monotonic()
    with suppress(OSError, http.client.HTTPException):
        _http_opener(url, reached.trust).open(request, timeout=ASK_SECONDS).close()
    return time.monotonic() - begun


def _http_opener(url: str, trust: ssl.SSLContext | None) -> urllib.request.OpenerDirector:
    """Make an opener for HTTP requests, which uses no proxy for this machine."""
    handlers: list[urllib.request.BaseHandler] = [urllib.request.HTTPSHandler(context=trust)]
    if is_loopback(url):
        handlers.append(urllib.request.ProxyHandler({}))
    return urllib.request.build_opener(*handlers)


def _found(home: str) -> str:
    """The URL of the browser whose profile says that it listens, and that does."""
    running = False
    for folder in profiles(home):
        for url, port in _written(folder):
            if _listens(port):
                return url
        running = running or os.path.lexists(folder / "SingletonLock")
    if running:
        raise SetupFailed("A browser runs here, but does not allow debugging", ALLOW)
    raise SetupFailed("No browser runs here that allows debugging", ALLOW)


def profiles(home: str) -> list[Path]:
    """The directories of known browsers' profiles that there are."""
    kind = "darwin" if sys.platform == "darwin" else "linux"
    named = [Path(home, name) for name in _PROFILES[kind]] if home else []
    return [folder for folder in named if folder.is_dir()]


def _written(folder: Path) -> Iterator[tuple[str, int]]:
    """The URL and the port in a profile's file, if there is one that makes sense."""
    try:
        with (folder / PORT_FILE).open(encoding="ascii", errors="replace") as file:
            lines = file.read(MOST_BYTES).splitlines()
    except OSError:
        return
    if len(lines) >= 2 and lines[0].isdigit() and 0 < int(lines[0]) < 65536:
        path = lines[1].strip()
        if path.startswith("/devtools/browser") and path.isprintable() and " " not in path:
            yield f"ws://127.0.0.1:{int(lines[0])}{path}", int(lines[0])


def _listens(port: int) -> bool:
    import socket

    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1):
            return True
    except OSError:
        return False


def _of_port(port: int, home: str) -> str:
    """The URL behind a port of this machine. A browser that was allowed by hand answers no HTTP, but its profile tells."""
    for folder in profiles(home):
        for url, written in _written(folder):
            if written == port:
                return url
    return _read_websocket_url(f"http://127.0.0.1:{port}", f"127.0.0.1:{port}", {})


def _read_websocket_url(
    base: str, name: str, headers: Mapping[str, str], trust: ssl.SSLContext | None = None
) -> str:
    """Ask a browser for its WebSocket: `webSocketDebuggerUrl` in `/json/version`. Raises SetupFailed."""
    request = urllib.request.Request(f"{base}/json/version", headers=dict(headers))  # noqa: S310 - http or https, as parsed
    try:
        with _http_opener(base, trust).open(request, timeout=ASK_SECONDS) as answer:
            told = json.loads(answer.read(MOST_BYTES))
        url = told["webSocketDebuggerUrl"]
    except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError) as error:
        raise explain_no_connection(name, error, is_near=is_loopback(base)) from None
    if not isinstance(url, str) or not url.startswith(("ws://", "wss://")):
        raise explain_no_connection(name, ValueError("it names no WebSocket"), is_near=is_loopback(base))
    return _as_reached(url, base)


def _as_reached(url: str, base: str) -> str:
    """The URL with the host by which we have reached the browser: that does not know the name that others give it."""
    asked, told = urlsplit(base), urlsplit(url)
    scheme = "wss" if asked.scheme == "https" else "ws"
    return told._replace(scheme=scheme, netloc=asked.netloc).geturl()
