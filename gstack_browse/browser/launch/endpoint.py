"""Find, over HTTP, the WebSocket URL of a browser that others have started. `connect` opens it."""

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

from gstack_browse.browser.launch.grid import (
    ALLOW,
    Grid,
    GridSession,
    explain_no_connection,
    replace_host,
    split_credentials,
)
from gstack_browse.browser.launch.outbound import outbound_connection
from gstack_browse.errors import SetupFailed
from gstack_browse.registry.values.measures import AUTO

PORT_FILE = "DevToolsActivePort"
"""File in a profile's directory in which Chromium writes its debugging port and path, one a line."""
ASK_SECONDS = 5.0
FAR_SECONDS = 0.04
"""A browser that answers later counts as remote, whatever its address. One on this machine takes a few milliseconds."""
FAR_TRIES = 2
"""Number of late answers in a row that make a browser remote: a single one may be late by chance."""
MOST_BYTES = 64 << 10
"""Limit for an answer or a file."""
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
"""Profile directories of known browsers, below the home directory, by platform."""


@dataclass(frozen=True)
class Endpoint:
    """A browser to connect to.

    `address`: `auto`, a port, or a URL. `shared`: use the browser's own context, with its logins.
    """

    address: str
    shared: bool = False
    headers: dict[str, str] = field(default_factory=dict, repr=False)
    ca_cert: Path | None = None
    """A PEM file of certificate authorities, trusted in addition to the system's."""

    @property
    def name(self) -> str:
        """Return the name for messages: host and port, since path or query may be secret."""
        if self.address == AUTO:
            return "the browser on this machine"
        if self.address.isdigit():
            return f"127.0.0.1:{self.address}"
        parts = urlsplit(self.address)
        return f"{parts.hostname}:{parts.port}" if parts.port else str(parts.hostname)

    @property
    def is_on_this_machine(self) -> bool:
        """Return whether the address is on this machine."""
        return self.address == AUTO or self.address.isdigit() or is_loopback(self.address)

    def load_trust(self) -> ssl.SSLContext | None:
        """Return the TLS context of the connection, with its certificate authorities; None without TLS.

        Blocks. Raises SetupFailed.
        """
        return (
            outbound_connection.make_tls_context(self.ca_cert)
            if self.address.startswith(("https:", "wss:"))
            else None
        )


def is_loopback(url: str) -> bool:
    """Return whether a URL has the loopback address of this machine as its host, or no host."""
    return (urlsplit(url).hostname or "") in _LOOPBACK


class ResolvedEndpoint(NamedTuple):
    """The WebSocket of a browser. The caller releases `session`, the Selenium Grid session of the browser."""

    url: str
    headers: Mapping[str, str]
    trust: ssl.SSLContext | None = None
    session: GridSession | None = None
    compresses: bool = False
    """Whether to compress messages, since the browser is on another machine."""


def resolve_endpoint(
    endpoint: Endpoint, report_queue: Callable[[str], None] = lambda text: None
) -> ResolvedEndpoint:
    """Find the WebSocket of a browser. Asks over HTTP if only a port or host is known.

    Args:
        report_queue: called each second with the length of a Grid's queue, as text, while no slot is free; with "" at the end

    Blocks. Raises SetupFailed.
    """
    if endpoint.address == AUTO:
        return ResolvedEndpoint(_find_local_browser(os.environ.get("HOME", "")), {})
    if endpoint.address.isdigit():
        return ResolvedEndpoint(_resolve_port(int(endpoint.address), os.environ.get("HOME", "")), {})
    reached = _resolve_address(endpoint, report_queue)
    return reached._replace(compresses=_is_far(reached))


def _resolve_address(endpoint: Endpoint, report_queue: Callable[[str], None]) -> ResolvedEndpoint:
    """Return the WebSocket URL behind an address, and its headers. Blocks.

    The address is a WebSocket, a debugging port or a Selenium Grid.
    `report_queue`: see `resolve_endpoint`.
    """
    address, authorization = split_credentials(endpoint.address)
    headers = {**authorization, **endpoint.headers}
    trust = endpoint.load_trust()
    if urlsplit(address).scheme not in ("http", "https"):
        return ResolvedEndpoint(address, headers, trust)
    base = address.rstrip("/").removesuffix("/json/version")
    if not endpoint.shared:
        grid = Grid(base, endpoint.name, headers, trust, str(endpoint.ca_cert or ""))
        if grid.is_grid():
            session = grid.open_session(report_queue)
            return ResolvedEndpoint(session.url, headers, trust, session)
    return ResolvedEndpoint(_read_websocket_url(base, endpoint.name, headers, trust), headers, trust)


def _is_far(reached: ResolvedEndpoint) -> bool:
    """Return whether the browser is on another machine, so that compressing messages pays.

    Behind `ssh -L` the address is local; then slow answers show it.
    """
    if not is_loopback(reached.url):
        return True
    parts = urlsplit(reached.url)
    url = parts._replace(scheme=parts.scheme.replace("ws", "http"), path="/json/version", query="").geturl()
    return all(_measure_answer_seconds(url, reached) > FAR_SECONDS for _ in range(FAR_TRIES))


def _measure_answer_seconds(url: str, reached: ResolvedEndpoint) -> float:
    """Request `url`. Return the seconds until a response, an error or the timeout. Blocks."""
    request = urllib.request.Request(url, headers=dict(reached.headers))  # noqa: S310 - http or https
    begun = time.monotonic()
    with suppress(OSError, http.client.HTTPException):
        _http_opener(url, reached.trust).open(request, timeout=ASK_SECONDS).close()
    return time.monotonic() - begun


def _http_opener(url: str, trust: ssl.SSLContext | None) -> urllib.request.OpenerDirector:
    """Make an opener for HTTP requests. It uses no proxy for addresses of this machine."""
    handlers: list[urllib.request.BaseHandler] = [urllib.request.HTTPSHandler(context=trust)]
    if is_loopback(url):
        handlers.append(urllib.request.ProxyHandler({}))
    return urllib.request.build_opener(*handlers)


def _find_local_browser(home: str) -> str:
    """Return the WebSocket URL of the first running browser of this user that allows debugging.

    Raises SetupFailed if there is none. `home`: the user's home directory.
    """
    running = False
    for folder in find_profile_folders(home):
        for url, port in _read_port_file(folder):
            if _is_listening(port):
                return url
        running = running or os.path.lexists(folder / "SingletonLock")
    if running:
        raise SetupFailed("A browser runs here, but does not allow debugging", ALLOW)
    raise SetupFailed("No browser runs here that allows debugging", ALLOW)


def find_profile_folders(home: str) -> list[Path]:
    """List the existing profile directories of known browsers below `home`."""
    kind = "darwin" if sys.platform == "darwin" else "linux"
    named = [Path(home, name) for name in _PROFILES[kind]] if home else []
    return [folder for folder in named if folder.is_dir()]


def _read_port_file(folder: Path) -> Iterator[tuple[str, int]]:
    """Yield the WebSocket URL and port that a browser has written to its profile's `DevToolsActivePort`.

    Nothing if the file is missing or malformed.
    """
    try:
        with (folder / PORT_FILE).open(encoding="ascii", errors="replace") as file:
            lines = file.read(MOST_BYTES).splitlines()
    except OSError:
        return
    if len(lines) >= 2 and lines[0].isdigit() and 0 < int(lines[0]) < 65536:
        path = lines[1].strip()
        if path.startswith("/devtools/browser") and path.isprintable() and " " not in path:
            yield f"ws://127.0.0.1:{int(lines[0])}{path}", int(lines[0])


def _is_listening(port: int) -> bool:
    """Return whether a program listens on a port of this machine. Blocks for at most 1 s."""
    import socket

    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1):
            return True
    except OSError:
        return False


def _resolve_port(port: int, home: str) -> str:
    """Return the WebSocket URL of the browser that listens on a port of this machine.

    A browser in which a person has allowed debugging answers no HTTP, but writes the URL into its profile.
    """
    for folder in find_profile_folders(home):
        for url, written in _read_port_file(folder):
            if written == port:
                return url
    return _read_websocket_url(f"http://127.0.0.1:{port}", f"127.0.0.1:{port}", {})


def _read_websocket_url(
    base: str, name: str, headers: Mapping[str, str], trust: ssl.SSLContext | None = None
) -> str:
    """Return `webSocketDebuggerUrl` of `{base}/json/version`, with the host of `base`.

    Args:
        base: `http://host:port`
        name: the endpoint in messages
        trust: CA certificates for https

    Raises SetupFailed if the browser does not answer, or names no WebSocket.
    """
    request = urllib.request.Request(f"{base}/json/version", headers=dict(headers))  # noqa: S310 - http or https, as parsed
    try:
        with _http_opener(base, trust).open(request, timeout=ASK_SECONDS) as answer:
            version = json.loads(answer.read(MOST_BYTES))
        url = version["webSocketDebuggerUrl"]
    except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError) as error:
        raise explain_no_connection(name, error, is_on_this_machine=is_loopback(base)) from None
    if not isinstance(url, str) or not url.startswith(("ws://", "wss://")):
        raise explain_no_connection(
            name, ValueError("it names no WebSocket"), is_on_this_machine=is_loopback(base)
        )
    return replace_host(url, base)
