"""Open sessions of a Selenium Grid 4 with Chrome, and find the browser's debugging WebSocket."""

import http.client
import json
import os
import ssl
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import unquote, urlsplit

from gstack_browse.browser.launch import grid_release
from gstack_browse.errors import SetupFailed
from gstack_browse.text.sanitise import one_line
from gstack_browse.text.units import format_count

ALLOW = (
    "Allow it in the browser itself: chrome://inspect/#remote-debugging, 'Allow remote debugging for this browser instance'\n"
    "Or start one for it: chromium --remote-debugging-port=9222 --user-data-dir=<a directory of its own>, then: gbrowse connect 9222"
)
LOOK = "Look whether it runs and where it listens: http://<host>:<port>/json/version says so"
LOGIN = "It wants a login: name a file with a line such as 'Authorization: Bearer …' in BROWSE_REMOTE_HEADERS (docs/remote.md)"
_UNTRUSTED_HINTS = {
    9: "Set the clock of this machine, or wait until the certificate is valid",
    10: "The server needs a new certificate",
    62: "Use a name that the certificate has",
    64: "Use a name or an address that the certificate has",
}
"""By OpenSSL's error number (X509_V_ERR_…). All other errors are about who signed the certificate: AUTHORITY."""
AUTHORITY = "Trust the authority that has signed it: BROWSE_CA_CERT=<a file with its certificate (PEM)>"
_MOST_BODY = 300


def explain_no_connection(name: str, error: BaseException, *, is_on_this_machine: bool) -> SetupFailed:
    """Turn the error of a connection into a SetupFailed with the reason and a hint.

    Args:
        name: what messages call the browser
        is_on_this_machine: the browser is on this machine, where a person can allow debugging
    """
    status, reply = _http_status(error)
    if status in (401, 403):
        return SetupFailed(f"{name} refuses the connection: {reply}", LOGIN)
    if status:
        return SetupFailed(f"{name} answers with an error: {reply}", LOOK)
    fault = _tls_fault(error)
    if isinstance(fault, ssl.SSLCertVerificationError):
        hint = _UNTRUSTED_HINTS.get(fault.verify_code, AUTHORITY)
        return SetupFailed(
            f"The certificate of {name} is not trusted: {fault.verify_message.rstrip('.')}", hint
        )
    if fault:
        reason = (getattr(fault, "reason", None) or str(fault)).lower().replace("_", " ")
        return SetupFailed(
            f"TLS with {name} fails: {reason}", "https:// and wss:// are for servers that speak TLS"
        )
    reason = one_line(_system_reason(error), 200) or type(error).__name__
    return SetupFailed(f"No browser answers at {name}: {reason}", ALLOW if is_on_this_machine else LOOK)


def _system_reason(error: BaseException) -> str:
    """Return the operating system's message in a connection error, without the words of urllib or aiohttp."""
    wrapped = [getattr(error, name, None) for name in ("os_error", "reason")]
    system = next((one for one in [*wrapped, error] if isinstance(one, OSError) and one.errno), None)
    if system is None or system.errno is None:
        return str(getattr(error, "reason", None) or error)
    # The numbers of failed look-ups of names are below zero, and no errno.
    return os.strerror(system.errno) if system.errno > 0 else str(system.strerror)


def _http_status(error: Any) -> tuple[int, str]:
    """Return status and reason of an HTTP error, with its body's first line; (0, "") for other errors."""
    status = getattr(error, "status", None)  # of urllib's HTTPError, and of aiohttp's
    if not isinstance(status, int):
        return 0, ""
    reason = getattr(error, "reason", None) or getattr(error, "message", "")
    body = ""
    if hasattr(error, "read"):
        try:
            body = error.read(_MOST_BODY).decode("utf-8", "replace").strip().partition("\n")[0]
        except (OSError, ValueError):
            body = ""
    is_text = body and not body.startswith(("<", "{"))
    return status, one_line(f"{status} {reason}" + (f" ({body})" if is_text else ""), 200)


def _tls_fault(error: Any) -> ssl.SSLError | None:
    """Return the TLS error in an error of urllib or aiohttp, or None."""
    wrapped = [getattr(error, name, None) for name in ("reason", "certificate_error", "os_error")]
    return next((one for one in [*wrapped, error] if isinstance(one, ssl.SSLError)), None)


QUEUE_SECONDS = 120.0
"""Time limit for a session: a Grid without a free slot keeps the request in a queue."""
ASK_SECONDS = 10.0
RELEASE_SECONDS = 1.0
"""How long an ending daemon waits for the release, which `grid_release` continues in a process of its own."""
QUEUE_POLL_SECONDS = 1.0
QUEUE_QUERY = {"query": "{ grid { sessionQueueSize, sessionCount, maxSession } }"}
MOST_BYTES = 1 << 20
SESSION_REQUEST = {
    "capabilities": {
        "alwaysMatch": {"browserName": "chrome", "goog:chromeOptions": {"args": ["--headless=new"]}}
    }
}
_JSON = "application/json; charset=utf-8"
"""A Grid refuses the content type without the charset."""


class GridSession:
    """An open session, with a `grid_release` process that closes it. `url`: the browser's WebSocket."""

    def __init__(self, url: str, place: str, headers: Mapping[str, str], ca_cert: str) -> None:
        self.url = url
        self._release = subprocess.Popen(
            [sys.executable, "-I", "-S", grid_release.__file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        assert self._release.stdin
        session = {"url": place, "headers": dict(headers), "ca_cert": ca_cert}
        self._release.stdin.write(json.dumps(session).encode() + b"\n")
        self._release.stdin.flush()

    def release(self) -> None:
        """Have `grid_release` close the session. Blocks for RELEASE_SECONDS at most."""
        assert self._release.stdin
        self._release.stdin.close()
        try:
            self._release.wait(RELEASE_SECONDS)
        except subprocess.TimeoutExpired:
            return  # the process continues to try


def split_credentials(url: str) -> tuple[str, dict[str, str]]:
    """Split user and password from a URL.

    Return the plain URL, and an `Authorization` header with them ({} without).
    """
    parts = urlsplit(url)
    if parts.username is None:
        return url, {}
    credentials = f"{unquote(parts.username)}:{unquote(parts.password or '')}".encode()
    plain = parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
    return plain, {"Authorization": f"Basic {b64encode(credentials).decode()}"}


class Grid:
    """A Selenium Grid.

    Args:
        base: its address
        name: what messages call it
        trust: certificate authorities: the system's and those of the file `ca_cert`; None for http
    """

    def __init__(
        self, base: str, name: str, headers: Mapping[str, str], trust: ssl.SSLContext | None, ca_cert: str = ""
    ) -> None:
        self.base = base
        self._name = name
        self._headers = headers
        self._trust = trust
        self._ca_cert = ca_cert

    def is_grid(self) -> bool:
        """Return whether a Selenium Grid answers at this address."""
        try:
            status = self._request("/status", ASK_SECONDS)
        except (OSError, http.client.HTTPException, ValueError):
            return False
        return isinstance(status.get("value"), dict) and "ready" in status["value"]

    def describe_queue(self) -> str:
        """Say for a person how many requests wait for a free slot; "" if none do, or the Grid does not say."""
        try:
            queue = self._request("/graphql", ASK_SECONDS, QUEUE_QUERY)["data"]["grid"]
            waiting, used, slots = (
                int(queue[key]) for key in ("sessionQueueSize", "sessionCount", "maxSession")
            )
        except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError):
            return ""
        if not waiting:
            return ""
        return f"the Grid at {self._name} has no free slot ({used} of {slots} in use): {format_count(waiting, 'request')} in its queue, with this one"

    def open_session(self, report_queue: Callable[[str], None]) -> GridSession:
        """Open a session with Chrome.

        Args:
            report_queue: called each second with the length of the queue, as text, while no slot is free; with "" at the end

        Blocks while no slot is free, for QUEUE_SECONDS at most. Raises SetupFailed.
        """
        try:
            with self._watch_queue(report_queue):
                reply = self._request("/session", QUEUE_SECONDS, SESSION_REQUEST)
            found = reply["value"]
            place = f"{self.base}/session/{found['sessionId']}"
            address = str(found["capabilities"].get("se:cdp", ""))
        except urllib.error.HTTPError as error:
            if error.code in (401, 403):
                raise explain_no_connection(self._name, error, is_on_this_machine=False) from None
            raise SetupFailed(
                f"The Grid at {self._name} gives no session: {_error_message(error)}",
                "Look at its nodes and its queue: <address>/ui; it needs nodes with Chrome",
            ) from None
        except TimeoutError:
            raise SetupFailed(
                f"The Grid at {self._name} had no browser free for {QUEUE_SECONDS:g} s",
                "Try again later, or give it more nodes",
            ) from None
        except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError) as error:
            raise explain_no_connection(f"the Grid at {self._name}", error, is_on_this_machine=False) from None
        session = GridSession(replace_host(address, self.base), place, self._headers, self._ca_cert)
        if not address:
            session.release()
            raise SetupFailed(
                f"The Grid at {self._name} gives no way to the browser's debugging protocol (se:cdp)",
                "Use Selenium Grid 4 with Chrome",
            )
        return session

    @contextmanager
    def _watch_queue(self, report_queue: Callable[[str], None]) -> Iterator[None]:
        """Pass a description of the Grid's queue to `report_queue` each second during the block.

        The Grid answers the request for a session only once it has a slot.
        """
        is_over = threading.Event()

        def watch() -> None:
            while not is_over.wait(QUEUE_POLL_SECONDS):
                report_queue(self.describe_queue())

        watching = threading.Thread(target=watch, daemon=True)
        watching.start()
        try:
            yield
        finally:
            is_over.set()
            watching.join()
            report_queue("")

    def _request(self, path: str, seconds: float, body: Any = None) -> dict[str, Any]:
        """Send an HTTP request to the grid (POST with `body`, else GET). Return the answer's JSON. Blocks."""
        content = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(  # noqa: S310 - http or https
            self.base + path, content, {**self._headers, "Content-Type": _JSON}
        )
        with urllib.request.urlopen(request, timeout=seconds, context=self._trust) as answer:  # noqa: S310
            reply: dict[str, Any] = json.loads(answer.read(MOST_BYTES))
            return reply


def replace_host(address: str, base: str) -> str:
    """Replace scheme, host and port of a WebSocket URL by those of `base`.

    A Grid may give a node's name, and a browser may not know the name under which others reach it.
    """
    base_parts = urlsplit(base)
    scheme = "wss" if base_parts.scheme == "https" else "ws"
    return urlsplit(address)._replace(scheme=scheme, netloc=base_parts.netloc).geturl()


def _error_message(error: urllib.error.HTTPError) -> str:
    """Return the Grid's error message, one line of at most 200 characters."""
    try:
        message = str(json.loads(error.read(MOST_BYTES))["value"]["message"])
    except (OSError, ValueError, KeyError, TypeError):
        message = ""
    return (message.splitlines() or [""])[0][:200] or f"HTTP {error.code}"
