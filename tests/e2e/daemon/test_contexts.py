"""Test contexts of several agents over the ends of their daemon.

What each one had goes on, or its loss is told to each.
"""

import os
import re
import secrets
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import parse_qs

import pytest

from tests.e2e.daemon.harness import DaemonHarness
from tests.e2e.serving import Answering, serving
from tests.faults import fault

RESTARTED = "Note: the browser was restarted from another context: pages were loaded again, take a new snapshot"


def news(home: DaemonHarness, name: str) -> str:
    """Return what an agent is told beside the answer to a command that changes nothing."""
    done = home.run("--as", name, "url")
    assert done.returncode == 0, done
    return done.stderr


def listed(home: DaemonHarness, name: str) -> list[tuple[str, str]]:
    """Number, owner and address of each tab. Titles come only when the pages are there."""
    return re.findall(r"(?m)^(.*\]).* — (.*)$", home.must("--as", name, "tabs"))


@pytest.fixture
def members() -> Iterator[str]:
    """Serve a site that knows its visitors by a cookie which no script can read. Yields its URL.

    So do sites with a login.
    """
    names: dict[str, str] = {}

    class Members(Answering):
        def get(self) -> None:
            name = names.get(self.headers.get("Cookie", "").removeprefix("session="))
            form = "<form method=post><input id=name name=name><button>Log in</button></form>"
            self.answer((f"<h1>You are {name}</h1>" if name else form).encode())

        def post(self) -> None:
            told = self.rfile.read(int(self.headers["Content-Length"])).decode()
            token = secrets.token_hex(8)
            names[token] = parse_qs(told)["name"][0]
            self.answer(b"", 303, Location="/", Set_Cookie=f"session={token}; HttpOnly; Path=/; Max-Age=999")

    with serving(Members) as port:
        yield f"http://127.0.0.1:{port}/"


@fault(
    "Kills",
    "Chromium is killed under agents that are logged in as different users, after a restart",
    "each goes on after a restart, and hears of it once; each is told what it has lost (6), and is never taken for the other",
)
def test_agents_of_one_site_go_on_after_a_restart_and_hear_of_a_crash(
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
    home.must("--as", "ann", "useragent", "ann/1.0")
    at_once(log_in_as)
    home.must("--as", "ann", "js", "localStorage.user = sessionStorage.user = 'ann'")
    home.must("--as", "ann", "newtab", f"{members}?second")
    tabs = {name: listed(home, name) for name in ("default", "ann", "bob")}
    assert home.must("restart") == "Server restarted\n→ 4 tabs and 2 cookies of 3 contexts carried over"
    assert news(home, "ann") == f"{RESTARTED} (2 tabs and 1 cookie carried over)\n"
    kept = "[localStorage.user, navigator.userAgent].join()"
    assert home.must("--as", "ann", "js", kept) == "ann,ann/1.0", "it is said once"
    (first,) = re.findall(r"\d+", tabs["ann"][0][0])
    assert home.must("--as", "ann", "--tab", first, "js", "sessionStorage.user") == "ann"
    assert home.must("--as", "ann", "contexts").count("not open") == 1, "opened when it is used"
    assert os.readlink(f"/proc/{home.daemon().pid}/fd/0") == os.devnull
    assert news(home, "bob") == f"{RESTARTED} (1 tab and 1 cookie carried over)\n"
    assert {name: listed(home, name) for name in tabs} == tabs
    assert at_once(shown) == theirs
    assert "You are" not in shown("default")
    assert news(home, "carl") == ""
    assert home.must("--as", "carl", "newtab").startswith("Opened tab 6"), "numbers are never used again"

    home.processes()["chromium"].kill()
    assert "2 tabs, last at " in home.fails(6, "--as", "ann", "text")
    assert home.must("--as", "ann", "url") == "about:blank", "it is said once"
    assert "Note: browser state was lost (1 tab, last at " in home.run("--as", "bob", "goto", members).stderr
    assert home.run("text").returncode == 6
    assert not any("You are" in page for page in at_once(shown)), "what has died is nobody's"
    home.must("stop")
