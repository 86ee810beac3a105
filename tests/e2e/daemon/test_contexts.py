"""Test contexts of several agents over the ends of their daemon.

What each one had goes on, or its loss is told to each.
"""

import os
import re
import secrets
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs

import pytest

from tests.e2e.daemon.harness import DaemonHarness, Site, until
from tests.faults import fault

WHO = "[localStorage.user, sessionStorage.user, document.cookie.match(/user=(\\w+)/)?.[1], navigator.userAgent].join()"


def log_in(home: DaemonHarness, name: str, url: str) -> None:
    """Log in at the site under a name."""
    home.must("--as", name, "goto", url)
    home.must("--as", name, "useragent", f"{name}/1.0")
    home.must(
        "--as",
        name,
        "js",
        f"document.cookie = 'user={name}'; localStorage.user = sessionStorage.user = '{name}'",
    )


def logged_in_user(home: DaemonHarness, name: str) -> str:
    return home.must("--as", name, "js", WHO)


RESTARTED = "Note: the browser was restarted from another context: pages were loaded again, take a new snapshot"


def news(home: DaemonHarness, name: str) -> str:
    """Return what an agent is told beside the answer to a command that changes nothing."""
    done = home.run("--as", name, "url")
    assert done.returncode == 0, done
    return done.stderr


def listed(home: DaemonHarness, name: str) -> list[tuple[str, str]]:
    """Number, owner and address of each tab. Titles come only when the pages are there."""
    return re.findall(r"(?m)^(.*\]).* — (.*)$", home.must("--as", name, "tabs"))


@fault(
    "Kills",
    "the daemon is killed under several agents",
    "each is told what it has lost (6), and nobody gets anything of another's",
)
def test_each_agent_goes_on_after_a_restart_and_hears_of_a_kill(home: DaemonHarness, site: Site) -> None:
    home.must("goto", site("/"))
    log_in(home, "ann", site("/"))
    log_in(home, "bob", site("/"))
    home.must("--as", "ann", "newtab", site("/two"))
    tabs = {name: listed(home, name) for name in ("default", "ann", "bob")}
    assert home.must("restart") == "Server restarted\n→ 4 tabs and 3 cookies of 3 contexts carried over"
    assert news(home, "ann") == f"{RESTARTED} (2 tabs and 2 cookies carried over)\n"
    assert logged_in_user(home, "ann") == "ann,,ann,ann/1.0", "it is said once"
    assert "of 3 contexts" in home.must("--as", "ann", "restart")
    assert home.must("--as", "ann", "contexts").count("not open") == 2, "opened when they are used"
    assert os.readlink(f"/proc/{home.daemon().pid}/fd/0") == os.devnull
    assert news(home, "bob") == f"{RESTARTED} (1 tab and 1 cookie carried over)\n", "once for both"
    assert news(home, "default") == f"{RESTARTED} (1 tab and 0 cookies carried over)\n"
    assert news(home, "carl") == ""
    assert logged_in_user(home, "bob") == "bob,bob,bob,bob/1.0"
    assert {name: listed(home, name) for name in tabs} == tabs
    assert "user" not in home.must("cookies")
    assert home.must("--as", "carl", "newtab").startswith("Opened tab 6"), "numbers are never used again"

    home.kill_daemon()
    lost = home.run("--as", "ann", "text")
    assert (lost.returncode, "2 tabs, last at " in lost.stderr) == (6, True), lost
    assert home.must("--as", "ann", "url") == "about:blank", "it is said once"
    assert "Note: browser state was lost (1 tab, last at " in home.run("--as", "bob", "goto", site("/")).stderr
    assert home.must("--as", "bob", "js", "document.cookie").count("user") == 0
    assert home.run("text").returncode == 6
    home.must("stop")


@pytest.fixture
def members() -> Iterator[str]:
    """Serve a site that knows its visitors by a cookie which no script can read. Yields its URL.

    So do sites with a login.
    """
    names: dict[str, str] = {}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            name = names.get(self.headers.get("Cookie", "").removeprefix("session="))
            form = "<form method=post><input id=name name=name><button>Log in</button></form>"
            self.answer(200, f"<h1>You are {name}</h1>" if name else form)

        def do_POST(self) -> None:
            told = self.rfile.read(int(self.headers["Content-Length"])).decode()
            token = secrets.token_hex(8)
            names[token] = parse_qs(told)["name"][0]
            self.answer(
                303, "", {"Location": "/", "Set-Cookie": f"session={token}; HttpOnly; Path=/; Max-Age=999"}
            )

        def answer(self, status: int, body: str, headers: dict[str, str] | None = None) -> None:
            self.send_response(status)
            for name, value in {
                "Content-Type": "text/html",
                "Content-Length": str(len(body)),
                **(headers or {}),
            }.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


@fault(
    "Kills",
    "Chromium is killed under agents that are logged in as different users",
    "each is told so (6), each logs in again, and neither is ever taken for the other",
)
def test_agents_are_different_users_of_one_site_over_a_restart_and_a_crash(
    home: DaemonHarness, members: str
) -> None:
    def log_in_as(name: str) -> str:
        home.run("--as", name, "goto", members)
        home.must("--as", name, "fill", "#name", name)
        return home.must("--as", name, "click", "text=Log in")

    def shown(name: str) -> str:
        home.run("--as", name, "goto", members)
        return home.must("--as", name, "text")

    def at_once(does: Callable[[str], str]) -> list[str]:
        with ThreadPoolExecutor(2) as both:
            return list(both.map(does, ("ann", "bob")))

    theirs = ["You are ann", "You are bob"]
    home.must("goto", members)
    at_once(log_in_as)
    assert at_once(shown) == theirs
    assert "of 3 contexts" in home.must("restart")
    assert at_once(shown) == theirs
    assert "You are" not in shown("default")

    home.processes()["chromium"].kill()
    told = at_once(lambda name: str(home.run("--as", name, "text").returncode))
    assert told == ["6", "6"]
    assert not any("You are" in page for page in at_once(shown)), "what has died is nobody's"
    at_once(log_in_as)
    assert at_once(shown) == theirs
    home.must("stop")


def test_persisted_state_has_all_contexts(home: DaemonHarness, site: Site, tmp_path: Path) -> None:
    home.env |= {
        "BROWSE_PERSIST": "1",
        "GSTACK_HOME": str(tmp_path / "own"),
        "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere",
    }
    home.must("goto", site("/"))
    log_in(home, "ann", site("/"))
    folder = tmp_path / "own/browser-state"
    until(lambda: any(b"ann/1.0" in file.read_bytes() for file in folder.glob("*.state")))
    until(lambda: any(b'"user","value":"ann"' in file.read_bytes() for file in folder.glob("*.state")))
    home.kill_daemon()
    assert re.search(r"Restored 1 tab and 0 cookies of \d\d:\d\d", home.run("url").stderr)
    done = home.run("--as", "ann", "js", WHO)
    assert done.stdout == "ann,ann,ann,ann/1.0\n"
    assert re.search(r"Restored 1 tab and 1 cookie of \d\d:\d\d", done.stderr)
    home.must("context-close", "ann")
    until(lambda: not any(b"ann/1.0" in file.read_bytes() for file in folder.glob("*.state")))
