"""Test processes and pages that answer nothing.

Each command ends at its own deadline, and says what does not answer.
"""

import re
import time

import pytest

from tests.e2e.daemon.harness import PAGES, DaemonHarness, Site
from tests.faults import Seen, fault

DEADLINE = 500
"""Of each command, in milliseconds."""
MOST_SECONDS = 4.0
"""From the request to the reply, on a busy machine: a wait of five seconds that begins at the deadline would show."""
FIRST, SECOND, ACTIVE = range(3)
COMMANDS = (
    (FIRST, "text"), (FIRST, "title"), (SECOND, "click", "body"), (ACTIVE, "tabs"), (ACTIVE, "newtab"), (ACTIVE, "cookies"), (ACTIVE, "contexts"), (ACTIVE, "useragent", "x"), (ACTIVE, "chain", '[["tabs"]]'),
)  # fmt: skip
"""Each is sent for one of two tabs, or for none by name."""
NO_ANSWER = "the browser does not answer"
SYNCHRONOUS = """<script>function ask() {
  const request = new XMLHttpRequest(); request.open('GET', '/hold', false); request.send() }</script>"""
"""A request that no answer comes to keeps the page's thread waiting, outside of any script that could be stopped."""


@fault(
    "Hangs",
    "Chromium is stopped (SIGSTOP) under nine commands at once",
    "each ends at its deadline (3) and says what does not answer, with what to type; restart replaces it",
)
def test_a_chromium_that_is_stopped(lasting: DaemonHarness, site: Site, seen: Seen) -> None:
    lasting.begin(site("/"))
    lasting.must("newtab", site("/two"))
    tabs = re.findall(r"\[(\d+)\]", lasting.must("tabs"))
    lasting.must("--as", "ann", "goto", site("/"))
    stopped = lasting.processes()["chromium"]
    stopped.suspend()
    begun = time.monotonic()
    for name in ("default", "new"):
        assert "no answer within 1s" in lasting.must("--as", name, "status")
    assert time.monotonic() - begun < 2 * MOST_SECONDS
    wires = [lasting.connect() for _ in COMMANDS]
    begun = time.monotonic()
    for wire, (place, command, *words) in zip(wires, COMMANDS, strict=True):
        tab = {} if place == ACTIVE else {"tab": int(tabs[place])}
        wire.send({"cmd": command, "args": words, "reply": "json", "timeout": DEADLINE, **tab})
    replies = [wire.line() for wire in wires]
    seen(f"the last of {len(COMMANDS)} replies came after {time.monotonic() - begun:.1f} s")
    assert time.monotonic() - begun < MOST_SECONDS
    late = [reply for reply in replies if not reply["ok"]]
    assert {reply["code"] for reply in late} == {3}, replies
    assert len(late) >= 3, "those that need neither page nor browser often end before"
    assert all(NO_ANSWER in reply["text"] and "'restart'" in reply["hint"] for reply in late), replies
    for wire in wires:
        wire.close()
    restarted = lasting.must("restart")
    assert restarted.startswith("Server restarted\n→ 3 tabs and 0 cookies of 2 contexts ")
    assert "; lost, as the browser did not tell: cookies and storage" in restarted
    assert stopped not in lasting.leftovers()
    assert lasting.must("url") == site("/two")
    lasting.must("context-close", "ann")


@fault(
    "Hangs",
    "Chromium is stopped (SIGSTOP) under a command that moves tabs to another browser context, and goes on",
    "nothing is changed (1), and cookies and storage are there",
)
def test_tabs_are_not_moved_from_a_browser_that_does_not_answer(lasting: DaemonHarness, site: Site) -> None:
    lasting.begin(site("/"))
    lasting.must("js", "localStorage.a = 'local'; document.cookie = 'c=kept'; 1")
    stopped = lasting.processes()["chromium"]
    stopped.suspend()
    try:
        assert "Nothing was changed: the browser did not tell its cookies" in lasting.fails(1, "useragent", "x")
    finally:
        stopped.resume()
    assert (
        lasting.must("js", "localStorage.a + document.cookie + (navigator.userAgent == 'x')")
        == "localc=keptfalse"
    )


@fault(
    "Hangs",
    "a page waits in a synchronous request for an answer that never comes",
    "commands on it end at their deadlines (3); goto, reload and closetab leave it at once, and say that the page was closed",
)
def test_a_page_in_a_synchronous_request(
    lasting: DaemonHarness, site: Site, seen: Seen, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(PAGES, "/sync", SYNCHRONOUS)
    lasting.begin(site("/sync"))
    left_by = {"goto": f"Navigated to {site('/two')} (200)\n", "reload": f"Reloaded {site('/sync')}\n"}
    for command, said in left_by.items():
        lasting.must("goto", site("/sync"))
        late = lasting.fails(3, "--timeout", str(DEADLINE), "js", "ask()")
        assert "the page does not answer, and its script cannot be stopped" in late
        begun = time.monotonic()
        left = lasting.run(command, *[site("/two")] * (command == "goto"))
        seen(f"{command} took {time.monotonic() - begun:.1f} s")
        assert time.monotonic() - begun < 25, "not at its own deadline of 30 s"
        assert (left.returncode, left.stdout) == (0, said)
        assert "did not answer and could not be stopped: it was closed" in left.stderr
    lasting.run("--timeout", str(DEADLINE), "js", "ask()")
    assert lasting.must("closetab").startswith("Closed tab ")
