"""Calls as other tools have them: what they are in our words, and that ours stay what they are."""

import re
from pathlib import Path

import pytest

from gstack_browse import commands
from gstack_browse.errors import BrowseError, FileFailed
from gstack_browse.registry import REGISTRY, bind, find, resolve_call
from gstack_browse.registry.binding import translate_foreign_words
from gstack_browse.registry.lines import CommandLine, find_problem_in_call, parse_simple_commands
from gstack_browse.registry.values.paths import CallerPaths
from tests.each import each, each_row

assert commands
GUIDE = Path(__file__).parents[3] / "docs/coming-from.md"


@each_row(
("dblclick @e3", "click --double @e3"), ("get text h1", "text h1"), ("get url", "url"), ("tab new localhost", "newtab localhost"),
        ("dialog accept Ann", "dialog-accept Ann"), ("screenshot --full a.png", "screenshot a.png"), ("wait --load networkidle", "wait --networkidle"),
        ("screenshot --filename=a.png", "screenshot a.png"), ("screenshot --filename a.png", "screenshot a.png"), ("set viewport 800 600 2", "viewport 800x600 --scale 2"),
        ("mouse move 120 340", "mouse move 120,340"), ("mousemove 120 340", "mouse move 120,340"), ("storage local set a b", "storage-set a b"),
        ("resize 800 600", "viewport 800x600"), ("type @e3 two words", "type --into @e3 two words"), ("type @e3 --secret shop", "type --into @e3 --secret shop"), ("batch", "chain --keep-going"),
)  # fmt: skip
def test_call_of_another_tool_is_translated_to_ours(theirs: str, ours: str) -> None:
    assert " ".join(translate_foreign_words(theirs.split())) == ours


def test_batches_refs_and_code_of_other_tools_are_understood(tmp_path: Path) -> None:
    expected = ["chain", "open localhost\nsnapshot -i"]
    assert translate_foreign_words(["batch", "--bail", "open localhost", "snapshot -i"]) == expected
    assert translate_foreign_words(["batch", "url"]) == ["chain", "--keep-going", "url"]
    here = CallerPaths(tmp_path, tmp_path)
    assert bind(find(REGISTRY, "click"), ["e21"], here).positional == ["@e21"]
    assert bind(find(REGISTRY, "click"), ["em"], here).positional == ["em"]
    with pytest.raises(FileFailed) as failure:
        bind(find(REGISTRY, "eval"), ["document.title"], CallerPaths(tmp_path, tmp_path))
    assert failure.value.hint == "eval runs a file. To run code: js '<code>'"


@each(["type @e3", "type a b", "type --into @e3 a b", "tab 2", "dialog --clear", "screenshot", "screenshot a.png", "wait --load", "wait p", "network",
     "resize 800", "set theme dark", "get attr @e3 id", "click dblclick", "pdf a.pdf"])  # fmt: skip
def test_call_of_ours_or_of_no_tool_is_left_unchanged(line: str) -> None:
    assert translate_foreign_words(line.split()) == line.split()


# calls that work as they are typed for another tool, and the guide

SAME = [
    "upload @e3 a.pdf", "is visible @e3", "wait --text Saved", 'wait --url "**/done"', 'frame "#editor"', "snapshot --depth=3", "wait 500",
    'route "**/*.jpg" --status=404', "fill e3 hello --submit", "drag e3 e4", "screenshot e3", "get value @e3", "get count li",
]  # fmt: skip
"""Their calls that are the same in our words, once a ref has its @ and `get` is dropped."""
UNDERSTOOD = {
    "open <url>": "goto <url>", "dblclick @e3": "click @e3 --double", "dblclick e3": "click @e3 --double", "type @e3 hello": "type --into @e3 hello",
    "key Enter": "press Enter", "keyboard type hello": "type hello", "scrollintoview @e3": "scroll @e3", "mouse move 120 340": "mouse move 120,340",
    "screenshot --full a.png": "screenshot a.png", "screenshot --annotate": "snapshot -a", "get styles @e3": "css @e3",
    "wait --load networkidle": "wait --networkidle", 'batch "open localhost:3000" "snapshot -i"': "chain --keep-going",
    "tab new localhost:3000": "newtab localhost:3000", "clipboard copy": "copy", "set viewport 800 600": "viewport 800x600",
    "cookies set theme dark": "cookie-set theme dark", "storage local": "storage", "network requests": "network", "requests": "network",
    'network route "**/api/*" --abort': 'route "**/api/*" --abort', "vitals": "perf --vitals", "read https://example.com": "read https://example.com",
    "errors": "console --errors --unique", "go-back": "back", "pdf --filename=a.pdf": "pdf a.pdf", "tab-list": "tabs", "cookie-list": "cookies",
    "sessionstorage-set theme dark": "storage-set theme dark --session", "route-list": "routes", "generate-locator e3": "locator @e3",
}  # fmt: skip
"""Their calls, and ours."""


def understood_rows() -> list[tuple[str, str, str, str]]:
    """Return (tool, theirs, ours, "yes") of the calls that work as they are typed for another tool."""
    same = {call: re.sub(r" e(\d)", r" @e\1", call.removeprefix("get ")) for call in SAME}
    return [("any", f"`{theirs}`", f"`{ours}`", "yes") for theirs, ours in (same | UNDERSTOOD).items()]


def rows() -> list[tuple[str, str, str, str]]:
    """Return (tool, theirs, ours, whether theirs works) of the guide's tables."""
    found, tool = [], ""
    for line in GUIDE.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            tool = line.removeprefix("## From ")
        cells = [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if len(cells) >= 2 and cells[0].startswith("`"):
            found.append((tool, cells[0], cells[1], cells[2] if len(cells) > 2 else ""))
    return found


def calls(cell: str) -> list[list[str]]:
    """The calls in a cell, word by word; what only the reader knows is a sample."""
    lines = [re.sub(r"<[a-z -]+>", "x", code) for code in re.findall(r"`([^`]+)`", cell)]
    return [list(simple.words) for line in lines for simple in parse_simple_commands(line)]


@each_row(*understood_rows(), *rows())
def test_a_row_of_the_guide_keeps_its_word(
    what: str, theirs: str, ours: str, same: str, tmp_path: Path
) -> None:
    assert calls(ours)
    for words in calls(ours):
        assert find_problem_in_call(REGISTRY, CommandLine(0, tuple(words), mentioned=False), tmp_path) == ""
    if same == "yes":
        (call,) = calls(theirs)
        assert find_problem_in_call(REGISTRY, CommandLine(0, tuple(call), mentioned=False), tmp_path) == ""
        assert resolve_call(REGISTRY, call)[0] is resolve_call(REGISTRY, calls(ours)[0])[0]
    elif same == "no":
        with pytest.raises(BrowseError):
            _bound(calls(theirs)[0], tmp_path)


def _bound(call: list[str], folder: Path) -> None:
    command, words = resolve_call(REGISTRY, call)
    bind(command, words, CallerPaths(folder, folder))
