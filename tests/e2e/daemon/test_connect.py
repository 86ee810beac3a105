"""Test a browser that runs already.

Its tabs are listed and left alone, some are taken, and it outlives the daemon.
"""

import json
import re
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from tests import chromiums
from tests.e2e.daemon.harness import PAGES, DaemonHarness, Site, until
from tests.faults import fault
from tests.foreign import Foreign, foreign

PAGE = (
    "<title>Theirs</title><button onclick=\"document.title = 'pressed'\">Press</button>"
    "<iframe name=inner srcdoc='<button>Inner</button>'></iframe>"
)


@pytest.fixture(scope="module")
def person(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Foreign]:
    """A Chromium that allows debugging, in the home directory of a person."""
    with foreign(tmp_path_factory.mktemp("person") / ".config/chromium") as browser:
        yield browser


def debugger_answer(browser: Foreign, path: str, method: str = "GET") -> object:
    request = urllib.request.Request(f"http://127.0.0.1:{browser.port}/json/{path}", method=method)
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.load(answer)


def titles(browser: Foreign) -> list[str]:
    """Return the titles of all tabs in the person's browser.

    It tells them by another way than to the daemon, sooner or later.
    """
    return sorted(tab["title"] for tab in debugger_answer(browser, "list") if tab["type"] == "page")  # type: ignore[attr-defined]


@pytest.fixture
def browser(person: Foreign, site: Site, monkeypatch: pytest.MonkeyPatch) -> Iterator[Foreign]:
    """The person's browser, with a blank tab and one that shows `Theirs`."""
    monkeypatch.setitem(PAGES, "/theirs", PAGE)
    before = {tab["id"] for tab in debugger_answer(person, "list")}  # type: ignore[attr-defined]
    debugger_answer(person, f"new?{site('/theirs')}", "PUT")
    until(lambda: "Theirs" in titles(person))
    yield person
    for tab in debugger_answer(person, "list"):  # type: ignore[attr-defined]
        if tab["id"] not in before:
            with suppress(urllib.error.HTTPError):  # 404: a stopped daemon's tabs may be closing still
                urllib.request.urlopen(f"http://127.0.0.1:{person.port}/json/close/{tab['id']}").close()


@pytest.fixture
def near(lasting: DaemonHarness, browser: Foreign) -> DaemonHarness:
    """A workspace whose daemon runs, finds the person's browser under HOME, and is not connected to it."""
    lasting.env["HOME"] = str(browser.profile.parents[1])
    lasting.run("status")  # which may note what the last test has lost
    lasting.run("disconnect")
    return lasting


def number(home: DaemonHarness, title: str) -> str:
    """The number of a tab, as `tabs` prints it."""
    line = next(line for line in home.must("tabs").splitlines() if title in line)
    return line.partition("[")[2].partition("]")[0]


def test_its_tabs_are_left_alone_until_one_is_taken(near: DaemonHarness, browser: Foreign, site: Site) -> None:
    said = near.must("connect")
    assert said.startswith(("Connected to HeadlessChrome ", "Connected to Chrome "))  # a shell, a full one
    assert "the browser on this machine: 2 tabs, none taken" in said
    assert near.must("connect") == "Connected to the browser on this machine already"
    theirs = number(near, "Theirs")
    assert f"tab {theirs} --take" in near.fails(7, "tab", theirs)
    assert near.run("--tab", theirs, "click", "button").returncode == 7
    near.must("goto", site("/"))
    until(lambda: titles(browser) == ["Home", "Theirs", "about:blank"])
    debugger_answer(browser, f"new?{site('/two')}", "PUT")
    until(lambda: "Two" in titles(browser))  # a tab that the person opens meanwhile is not stopped
    assert "Two" in near.must("tabs")

    assert near.must("tab", theirs, "--take") == f"Took tab {theirs} — {site('/theirs')}"
    assert near.must("url") == site("/theirs")
    snapshot = near.must("snapshot", "-i")
    press, inner = re.findall(r"@e\d+", snapshot)
    assert snapshot == f'{press} [button] "Press"\n{inner} [button] "Inner"'
    assert near.must("frame", "--name", "inner") == "Switched to frame: about:srcdoc"
    near.must("frame", "main")
    near.must("click", press)
    until(lambda: "pressed" in titles(browser))
    assert "1 of them taken" in near.status()
    assert near.must("closetab", theirs).startswith(f"Let go of tab {theirs}; the active tab is now ")
    assert "pressed" in titles(browser)
    assert number(near, "pressed") == theirs, "a number stays a tab's"
    assert near.run("tab", theirs).returncode == 7

    near.must("newtab", site("/two"))
    near.run("js", "void open('/', '_blank', 'noopener')")
    until(lambda: titles(browser).count("Home") == 2)
    near.must("har-start")
    assert near.must("disconnect").splitlines() == [
        "Disconnected from the browser on this machine: 3 tabs of ours closed",
        "→ ended: the recording of 0 requests",
    ]
    assert titles(browser) == ["Two", "about:blank", "pressed"]
    assert near.must("disconnect") == "Not connected"
    near.must("connect")
    near.must("newtab", site("/"))
    told = near.must("connect", str(browser.port)).splitlines()
    assert told[0].startswith("Connected to ")
    assert told[1] == "→ left the browser on this machine: closed 1 tab of ours"
    near.must("disconnect")
    assert near.must("url") == "about:blank", "a browser of gbrowse's own"
    assert titles(browser) == ["Two", "about:blank", "pressed"]


@fault(
    "Races",
    "two callers type 'connect' at once",
    "one connects, and the other is told that it is connected already",
)
def test_connect_twice_at_once_connects_once(near: DaemonHarness, browser: Foreign) -> None:
    with near.connect() as first, near.connect() as second:
        for wire in (first, second):
            wire.send({"cmd": "connect", "args": [browser.url], "reply": "json"})
        told = sorted(wire.line()["text"].splitlines()[0] for wire in (first, second))
    assert told[0] == f"Connected to 127.0.0.1:{browser.port} already"
    assert told[1].endswith(": 2 tabs, none taken")


def test_restart_goes_on_in_the_pages_as_they_are_and_a_killed_daemon_leaves_them(
    near: DaemonHarness, browser: Foreign, site: Site
) -> None:
    near.must("connect", str(browser.port))
    near.must("goto", site("/"))
    near.must("js", "window.kept = 41 + 1")
    theirs = number(near, "Theirs")
    near.must("tab", theirs, "--take")
    near.must("js", "window.kept = 'theirs'")
    assert "2 tabs stayed open" in near.must("restart")
    assert near.must("js", "window.kept") == "theirs"
    assert near.must("url") == site("/theirs")
    assert number(near, "Theirs") == theirs
    near.must("tab", number(near, "Home"))
    assert near.must("js", "window.kept") == "42"
    near.kill_daemon()
    near.until_gone()
    assert titles(browser) == ["Home", "Theirs", "about:blank"]
    assert "3 tabs, none taken" in near.run("connect").stdout


def test_back_finds_a_page_put_aside_and_a_lost_browser_is_not_replaced_in_silence(
    near: DaemonHarness, site: Site
) -> None:
    """Chromium's headless shell puts no page aside, and one that we start is told not to."""
    with foreign(program=chromiums.needed_full()) as browser:
        near.must("connect", browser.url)
        near.must("goto", site("/"))
        near.must("js", "onpageshow = (shown) => { window.persisted = shown.persisted }; window.kept = 1")
        assert near.must("snapshot", "-i").endswith(' [link] "two"')
        near.must("goto", site("/two"))
        assert near.must("--timeout", "8000", "back") == f"Back → {site('/')}"
        assert near.must("js", "[window.kept, window.persisted].join()") == "1,true"
        assert site("/two") in near.must("click", "text=two")
        assert "disconnect" in near.run("useragent", "somebody").stderr, "that takes another browser context"
        with near.start("wait", "--text", "never") as waiting:
            until(lambda: "Running: wait" in near.status())
            browser.process.kill()
            _, said = waiting.communicate(timeout=60)
    assert (waiting.returncode, f"The browser at 127.0.0.1:{browser.port} is gone" in said) == (6, True), said
    assert "gbrowse connect" in said
    assert "--remote-debugging-port" in near.fails(1, "connect", str(browser.port))


@fault(
    "Connections",
    "a browser that 'connect' went to is stopped (SIGSTOP), then killed, while no tab of ours is open there",
    "the command names 'disconnect' (3); the next one says that its own browser is another (6)",
)
def test_browser_without_our_tabs_is_not_replaced_in_silence(near: DaemonHarness, site: Site) -> None:
    with foreign() as browser:
        near.must("connect", browser.url)
        near.must("disconnect")
        near.kill_daemon()
        assert near.must("url") == "about:blank"
        near.must("connect", browser.url)
        psutil.Process(browser.process.pid).suspend()
        late = near.fails(3, "--timeout", "500", "cookies")
        assert ("'disconnect'" in late, "restart" in late) == (True, False), late
        assert "if it stays so, 'disconnect' leaves it" in near.status()
        browser.process.kill()
        near.until_gone()
    lost = "no longer connected to the browser that others have started (no tab of ours was open)"
    assert near.fails(6, "url").startswith(f"Error: {lost}; 'connect' goes there again")


def test_recording_replay_and_routes_cover_only_our_tabs(
    near: DaemonHarness, browser: Foreign, site: Site
) -> None:
    near.must("connect")
    near.must("har-start")
    near.must("goto", site("/two"))
    debugger_answer(browser, f"new?{site('/clicked?theirs')}", "PUT")
    until(lambda: "/clicked?theirs" in site.hits)
    near.must("tab", number(near, "Theirs"), "--take")
    near.must("reload")
    assert near.must("har-stop", "all.har", "--bodies").startswith("HAR saved: ")
    entries = json.loads((near.workspace / "all.har").read_text())["log"]["entries"]
    assert [entry["request"]["url"] for entry in entries] == [site("/two"), site("/theirs")]

    near.must("har-replay", "all.har")
    before = len(site.hits)
    near.must("goto", site("/two"))
    assert near.must("text") == "Second"
    assert near.run("goto", site("/late")).returncode == 1
    assert site.hits[before:] == []
    debugger_answer(browser, f"new?{site('/late')}", "PUT")
    until(lambda: site.hits[before:] == ["/late"])  # what a person opens comes from the server
    near.must("har-replay", "off")
    near.must("route", "**/clicked*", "--body", "<title>ours</title>")
    debugger_answer(browser, f"new?{site('/clicked?again')}", "PUT")
    until(lambda: "/clicked?again" in site.hits)
    near.must("goto", site("/clicked?again"))
    assert near.must("title") == "ours"
    near.must("disconnect")
    debugger_answer(browser, f"new?{site('/late?after')}", "PUT")
    until(lambda: "/late?after" in site.hits)


def test_an_idle_end_closes_tabs_of_ours_and_the_way_back_is_said(
    home: DaemonHarness, browser: Foreign, site: Site
) -> None:
    home.env["HOME"] = str(browser.profile.parents[1])
    home.env |= {"BROWSE_IDLE_TIMEOUT": "5000", "BROWSE_CLIENT_CERT": "https://localhost:1=/none.p12"}
    assert "BROWSE_CLIENT_CERT is for a browser of gbrowse's own" in home.must("connect")
    refused = home.run("goto", "https://localhost:1/")
    assert "BROWSE_CLIENT_CERT is for a browser of gbrowse's own" in refused.stderr
    home.must("goto", site("/"))
    home.must("tab", number(home, "Theirs"), "--take")
    home.until_gone(30)
    assert titles(browser) == ["Theirs", "about:blank"]

    home.env["BROWSE_IDLE_TIMEOUT"] = "600000"
    del home.env["BROWSE_CLIENT_CERT"]
    lost = home.fails(6, "text")
    assert "no longer connected" in lost
    assert "'connect' to go on there" in lost
    with home.connect() as wire:  # that has begun a browser of our own, which is not there yet
        assert "2 tabs, none taken" in wire.ask("connect")["text"]
        assert wire.ask("newtab", site("/two"))["code"] == 0
        until(lambda: "Two" in titles(browser))
        assert wire.ask("restart")["code"] == 0
    home.must("stop")  # while the successor is on its way there
    assert titles(browser) == ["Theirs", "about:blank"]


def test_connect_without_a_debuggable_browser_says_so(home: DaemonHarness, tmp_path: Path) -> None:
    home.env["HOME"] = str(tmp_path)
    refused = home.run("connect").stderr
    assert "No browser runs here that allows debugging" in refused
    assert "chrome://inspect" in refused
    profile = tmp_path / ".config/google-chrome"
    profile.mkdir(parents=True)
    (profile / "SingletonLock").symlink_to("host-1")
    assert "A browser runs here, but does not allow debugging" in home.run("connect").stderr
    assert home.run("connect", "no such thing").returncode == 2


def test_rules_hold_for_pages_of_ours_only(
    near: DaemonHarness, browser: Foreign, site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Keep rules off pages of another daemon, although Chromium asks about requests of the whole browser."""
    frame = "<iframe src='{}' onload='document.title += frames[0].document.title'></iframe>"
    monkeypatch.setitem(PAGES, "/outer", frame.format("/two"))
    address = site("/outer")
    script = "(async () => (await (await fetch('/two')).text()).slice(0, 12))()"
    other = DaemonHarness(tmp_path, near.package)
    try:
        near.must("connect", browser.url)
        other.env["BROWSE_REMOTE"] = browser.url
        near.must("goto", site("/"))
        near.must("route", "**/two", "--body", "<title>ours</title>")
        other.must("goto", address)
        other.must("expect", "title", "=Two")  # the frame loads after the document around it was read
        assert other.must("js", script) == "<title>Two</"
        worker = f"new SharedWorker(URL.createObjectURL(new Blob([`fetch('{site('/asked')}')`])))"
        other.run("js", worker)
        until(lambda: "/asked" in site.hits)
        assert "blob:" not in near.must("network")
        near.must("goto", address)
        near.must("expect", "title", "=ours")
        assert near.must("js", script) == "<title>ours<"
        near.run("js", worker)
        until(lambda: "blob:" in near.ask("network"))
    finally:
        near.run("disconnect")
        other.run("stop")
        other.close()
