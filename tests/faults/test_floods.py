"""Test pages that make too many requests, in a real daemon. Other tabs go on, memory stays bounded."""

import time

import pytest

from tests.e2e.daemon.harness import PAGES, DaemonHarness, Site
from tests.faults import Seen, fault
from tests.faults.flood_kinds import KINDS

MOST_GROWTH = 100_000_000
"""Of the daemon's memory, in bytes."""


@fault(
    "Floods",
    "a page does one of 41 things thousands of times a second: requests, windows, titles, icons, history, storage, messages, frames …",
    "each command in another tab is answered, the slowest within some seconds; no window stays; the flooding tab can be closed; memory stays bounded",
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
        tabs = home.run("tabs").stdout.splitlines()
        assert kind != "windows" or len(tabs) == 2, tabs
        for line in tabs:
            number = line.partition("[")[2].partition("]")[0]
            if number not in ("", "1"):
                home.run("closetab", number)
        assert home.daemon().memory_info().rss - before < MOST_GROWTH, kind
