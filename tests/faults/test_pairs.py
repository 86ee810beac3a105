"""Test every pair of commands that change tabs or contexts, on the socket at once.

Plain replies in time, and a list of tabs that is true.
"""

import re
import threading
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

import pytest

from tests.e2e.daemon.harness import DaemonHarness, Site
from tests.faults import fault

CHANGES: dict[str, Sequence[str]] = {
    "newtab": ["newtab"],
    "newtab with a page": ["newtab", "TWO"],
    "closetab": ["closetab"],
    "tab": ["tab", "OTHER"],
    "goto": ["goto", "TWO"],
    "a page opens a window": ["js", "window.open('about:blank'); 1"],
    "a page closes itself": ["js", "setTimeout(() => window.close()); 1"],
    "useragent": ["useragent", "pairs/1.0"],
    "emulate": ["emulate", "--locale", "de-DE"],
    "viewport": ["viewport", "600x400", "--scale", "2"],
    "state-load": ["state-load", "state.json"],
    "chain": ["chain", '[["newtab"],["closetab"],["newtab"]]'],
    "context-close": ["context-close", "ann"],
}
READS: dict[str, Sequence[str]] = {
    "tabs": ["tabs"],
    "tabs --all": ["tabs", "--all"],
    "status": ["status"],
    "contexts": ["contexts"],
    "cookies": ["cookies"],
    "state-save": ["state-save", "saved.json"],
    "tab-each": ["tab-each", "title"],
}
COMMANDS = {**CHANGES, **READS}
GONE = {"state-lost", "tab-gone"}
PLAIN = re.compile(r"There is no context called ann|did not tell the")
"""Failures that are right without saying what was closed: of a context closed twice, of a page closed while its state was read."""


class CommandReply(NamedTuple):
    """Reply to a command."""

    name: str
    reply: dict[str, Any]

    @property
    def is_plain(self) -> bool:
        reply = self.reply
        return reply["ok"] or reply["error"] in GONE or bool(PLAIN.search(reply["text"]))


def ask_at_once(
    home: DaemonHarness, who: str, words: dict[str, str], later: int, *names: str
) -> list[CommandReply]:
    """Send two commands by connections of their own.

    The second one is sent `later` answers of the daemon after the first.
    """
    told: list[CommandReply] = []

    def ask(name: str, answers: int) -> None:
        with home.connect() as wire:
            for _ in range(answers):
                wire.ask("help", "click")
            typed = (words.get(word, word) for word in COMMANDS[name])
            told.append(CommandReply(name, wire.ask(*typed, **{"as": who})))

    asking = [threading.Thread(target=ask, args=pair) for pair in zip(names, (0, later), strict=True)]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join()
    return told


def listed(home: DaemonHarness, who: str) -> tuple[list[int], list[int]]:
    """The numbers of the tabs, and those with an arrow, once each was seen to be there."""
    with home.connect() as wire:
        text = wire.ask("tabs", **{"as": who})["text"]
        tabs = re.findall(r"(?m)^(.) \[(\d+)[^\]]*\] (?!closed itself).*— (.*)$", text)
        for _, number, url in tabs:
            asked = wire.ask("url", tab=int(number), **{"as": who})
            assert (asked["ok"], asked["text"]) == (True, url), (text, number, asked)
    return [int(number) for _, number, _ in tabs], [int(number) for arrow, number, _ in tabs if arrow == "→"]


def trouble(home: DaemonHarness, site: Site, who: str, later: int, *names: str) -> Iterator[str]:
    """Ask for two commands at once in a context with two tabs, and yield what is wrong with their replies."""
    for command, address in (("goto", site("/")), ("newtab", site("/two"))):
        begun = home.reply(command, address, **{"as": who})
        if not begun["ok"]:
            yield f"{command} before: {begun}"
    before, _ = listed(home, who)
    told = ask_at_once(home, who, {"TWO": site("/two"), "OTHER": str(before[0])}, later, *names)
    yield from (f"{one.name}: {one.reply}" for one in told if not one.is_plain)
    after, active = listed(home, who)
    if len(active) != 1:
        yield f"active tabs: {active} of {after}"
    if "context-close" in names:
        home.reply("context-close", "ann")
        return
    said = "\n".join(one.reply["text"] for one in told if one.reply["ok"])
    opened = {int(number) for number in re.findall(r"Opened tab (\d+)", said)}
    closed = {int(number) for number in re.findall(r"Closed tab (\d+)", said)}
    if (opened | set(before)) - closed - set(after) and not {"a page closes itself", "state-load"} & set(names):
        yield f"{before} + {opened} - {closed}, and there is {after}: {said}"
    if closed & set(after):
        yield f"{closed} closed, and there is {after}: {said}"
    for number in after[2:]:
        home.reply("closetab", str(number), **{"as": who})


def run_pairs(home: DaemonHarness, site: Site, first: str, second: Sequence[str], later: Sequence[int]) -> None:
    """Send each pair in a context that has two tabs.

    The second command is sent so many answers of the daemon after the first.
    """
    home.must("goto", site("/"))
    home.must("state-save", "state.json")
    wrong = []
    for other, answers in product(second, later):
        who = "ann" if "context-close" in (first, other) else "default"
        found = trouble(home, site, who, answers, first, other)
        wrong += [f"{first}, {answers} later {other}: {what}" for what in found]
    assert not wrong, "\n".join(wrong)


@fault(
    "Races",
    "a context is closed beside commands on its tabs",
    "each is answered at once: done, or with a plain sentence that its context was closed (6)",
)
def test_commands_beside_context_close_end_plainly(home: DaemonHarness, site: Site) -> None:
    # Each pair costs a second of the processor; those of the slow test below have all others.
    run_pairs(home, site, "context-close", ["newtab", "goto", "useragent"], [1])


@fault(
    "Races",
    "every two commands that change tabs or contexts are sent at once",
    "no internal error, no message of the protocol, nothing waits for what has gone; tabs lists what is there",
    slow=True,
)
@pytest.mark.parametrize("first", CHANGES)
def test_changes_beside_each_other_end_plainly(home: DaemonHarness, site: Site, first: str) -> None:
    run_pairs(home, site, first, list(COMMANDS), [0, 1, 3])
