"""Test pages that make too many requests, in a real daemon. Other tabs go on, memory stays bounded."""

import time

import pytest

from tests.e2e.daemon.harness import PAGES, DaemonHarness, Site
from tests.faults import Seen, fault
from tests.faults.flood_kinds import KINDS

MOST_GROWTH = 100_000_000
"""Of the daemon's memory, in bytes."""
FLOODS = {
    "requests": "for (let i = 0; i < 5000; i++) fetch('/nothing?' + i, {priority: 'low'}).catch(() => 0)",
    "windows": "setInterval(() => { for (let i = 0; i < 50; i++) open('/two?' + i) }, 20)",
}


@fault(
    "Floods",
    "a page makes 5,000 requests at once, or tries to open 2,500 windows a second without end",
    "commands in other tabs take less than 3 s; no window stays; the daemon's memory is bounded; the page can be left",
    slow=True,
)
@pytest.mark.parametrize("kind", FLOODS)
def test_flood_of_requests_or_windows_leaves_other_tabs_fast(
    home: DaemonHarness, site: Site, seen: Seen, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setitem(PAGES, "/flood", f"<title>Flood</title><script>{FLOODS[kind]}</script>")
    home.must("goto", site("/"))
    before = home.daemon().memory_info().rss
    home.must("newtab", site("/two"))
    begun = time.monotonic()
    opened = home.run("newtab", site("/flood"))
    assert opened.returncode == 0, opened
    seen(f"newtab took {time.monotonic() - begun:.1f} s")
    longest = 0.0
    for words in (
        ("--tab", "2", "url"),
        ("--tab", "2", "text"),
        ("--tab", "2", "snapshot"),
        ("tabs",),
        ("status",),
    ):
        begun = time.monotonic()
        said = home.must(*words)
        longest = max(longest, time.monotonic() - begun)
        assert words != ("tabs",) or len(said.splitlines()) == 3, said
    seen(f"{kind}: the longest of five commands took {longest:.1f} s")
    assert longest < 15
    home.must("closetab", "3")
    home.must("goto", site("/"))
    assert home.daemon().memory_info().rss - before < MOST_GROWTH


@fault(
    "Floods",
    "a page does one of 66 things thousands of times a second without end: titles, icons, history, storage, messages, frames, permissions …",
    "each command in another tab is answered, the slowest within some seconds; the flooding tab can be closed; memory stays bounded",
    slow=True,
)
def test_commands_in_other_tabs_are_answered_beside_any_flood(
    home: DaemonHarness, site: Site, seen: Seen, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.must("goto", site("/two"))
    for kind, script in KINDS.items():
        monkeypatch.setitem(PAGES, "/flood", f"<title>Flood</title><body><script>{script}</script>")
        before = home.daemon().memory_info().rss
        home.run("newtab", site("/flood"))
        longest = 0.0
        for words in (("url",), ("text",), ("snapshot",), ("js", "1+1")):
            begun = time.monotonic()
            replied = home.run("--tab", "1", *words)
            assert replied.returncode == 0, (kind, replied)
            longest = max(longest, time.monotonic() - begun)
        seen(f"{kind}: the longest of four commands took {longest:.1f} s")
        assert longest < 15, kind
        for line in home.run("tabs").stdout.splitlines():
            number = line.partition("[")[2].partition("]")[0]
            if number not in ("", "1"):
                home.run("closetab", number)
        assert home.daemon().memory_info().rss - before < MOST_GROWTH, kind
