"""A session of a Selenium Grid 4 with a Chrome, and the address of that browser's debugging endpoint."""

import json
import subprocess
import sys
import urllib.error
import urllib.request
from base64 import b64encode
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote, urlsplit

from gstack_browse.browser.launch import grid_release
from gstack_browse.errors import SetupFailed

QUEUE_SECONDS = 120.0
"""How long a session may take to come: a Grid whose browsers are all in use has one wait."""
ASK_SECONDS = 10.0
RELEASE_SECONDS = 1.0
"""How long the end of a daemon waits for it: the process that does it goes on by itself."""
MOST_BYTES = 1 << 20
WANTED = {
    "capabilities": {
        "alwaysMatch": {"browserName": "chrome", "goog:chromeOptions": {"args": ["--headless=new"]}}
    }
}
_JSON = "application/json; charset=utf-8"
"""A Grid refuses the same without the charset."""


class GridSession:
    """A session, and the process that gives it back: see `grid_release`. `url`: of the WebSocket."""

    def __init__(self, url: str, place: str, headers: Mapping[str, str]) -> None:
        self.url = url
        self._release = subprocess.Popen(
            [sys.executable, "-I", "-S", grid_release.__file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        assert self._release.stdin
        self._release.stdin.write(json.dumps({"url": place, "headers": dict(headers)}).encode() + b"\n")
        self._release.stdin.flush()

    def release(self) -> None:
        """Give the session back. Blocks, for a second at most."""
        assert self._release.stdin
        self._release.stdin.close()
        try:
            self._release.wait(RELEASE_SECONDS)
        except subprocess.TimeoutExpired:
            return  # it goes on trying


def without_user(url: str) -> tuple[str, dict[str, str]]:
    """The URL without user and password, and the header that says the same."""
    parts = urlsplit(url)
    if parts.username is None:
        return url, {}
    said = f"{unquote(parts.username)}:{unquote(parts.password or '')}".encode()
    plain = parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
    return plain, {"Authorization": f"Basic {b64encode(said).decode()}"}


def is_grid(base: str, headers: Mapping[str, str]) -> bool:
    """Whether a Selenium Grid answers there."""
    try:
        told = _asked(f"{base}/status", headers, ASK_SECONDS)
    except (OSError, ValueError):
        return False
    return isinstance(told.get("value"), dict) and "ready" in told["value"]


def open_session(base: str, headers: Mapping[str, str], name: str) -> GridSession:
    """A new session. Blocks while the Grid has none free. Raises SetupFailed."""
    try:
        told = _asked(f"{base}/session", headers, QUEUE_SECONDS, WANTED)
        found = told["value"]
        place = f"{base}/session/{found['sessionId']}"
        address = found["capabilities"].get("se:cdp", "")
    except urllib.error.HTTPError as error:
        raise SetupFailed(
            f"The Grid at {name} gives no session: {_why(error)}",
            "Look at its nodes and its queue: <address>/ui; it needs nodes with Chrome",
        ) from None
    except TimeoutError:
        raise SetupFailed(
            f"The Grid at {name} had no browser free for {QUEUE_SECONDS:g} s",
            "Try again later, or give it more nodes",
        ) from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SetupFailed(
            f"The Grid at {name} does not answer: {str(error)[:200]}", "Look whether it runs"
        ) from None
    session = GridSession(_as_reached(str(address), base), place, headers)
    if not address:
        session.release()
        raise SetupFailed(
            f"The Grid at {name} gives no way to the browser's debugging protocol (se:cdp)",
            "Use Selenium Grid 4 with Chrome",
        )
    return session


def _as_reached(address: str, base: str) -> str:
    """The address of the WebSocket with the host by which we have reached the Grid."""
    asked = urlsplit(base)
    scheme = "wss" if asked.scheme == "https" else "ws"
    return urlsplit(address)._replace(scheme=scheme, netloc=asked.netloc).geturl()


def _asked(url: str, headers: Mapping[str, str], seconds: float, body: Any = None) -> dict[str, Any]:
    content = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, content, {**headers, "Content-Type": _JSON})  # noqa: S310 - http or https
    with urllib.request.urlopen(request, timeout=seconds) as answer:  # noqa: S310
        told: dict[str, Any] = json.loads(answer.read(MOST_BYTES))
        return told


def _why(error: urllib.error.HTTPError) -> str:
    """What the Grid says, in one line."""
    try:
        message = str(json.loads(error.read(MOST_BYTES))["value"]["message"])
    except (OSError, ValueError, KeyError, TypeError):
        message = ""
    return (message.splitlines() or [""])[0][:200] or f"HTTP {error.code}"
