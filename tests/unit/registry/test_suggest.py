import re
from pathlib import Path

import pytest

from gstack_browse import commands
from gstack_browse.errors import UnknownCommand
from gstack_browse.registry import REGISTRY, bind, find, suggest
from gstack_browse.registry.paths import CallerPaths
from gstack_browse.registry.usage import usage
from tests.each import each

assert commands
HERE = CallerPaths(Path(__file__).parent, Path(__file__).parent)
WORDS = {
    "<target>": "#x", "<value>": "v", "<text>": "t", "<url>": "http://a", "<key>": "Enter", "<file>": Path(__file__).name,
    "<lat,lon>": "1,2", "<zone>": "UTC", "<tag>": "de", "<names>": "camera",
    "<word>": "w", "<property>": "color", "<expression>": "1", "<ms>": "5", "<glob>": "**", "<WxH>": "10x10", "<n>": "1",
}  # fmt: skip


def hint(name: str) -> str:
    with pytest.raises(UnknownCommand) as failure:
        find(REGISTRY, name)
    return failure.value.hint


@pytest.mark.parametrize(
    ("name", "ours"),
    [
        ("tick", "check <target>"),
        ("drag-and-drop", "drag <target> <target>"),
        ("clear", "fill <target> ''"),
        ("setInputFiles", "upload <target> <file>"),
        ("press-key", "press <key>"),
        ("wait_for_selector", "wait <target>"),
        ("ls", "tabs"),
        ("quit", "stop"),
        ("evaluate", "js <expression>"),
    ],
)
def test_what_other_tools_call_so_is_named_in_our_words(name: str, ours: str) -> None:
    assert hint(name) == f"Use '{ours}'. Run 'gbrowse help' for the list"


def test_a_typo_names_the_nearest_command() -> None:
    assert hint("clikc") == "Did you mean 'click'? Run 'gbrowse help' for the list"
    assert hint("xyzzy") == "Run 'gbrowse help' for the list"


@each(way for ways in suggest._OURS for way in ways.split("' or '"))
def test_every_suggestion_can_be_typed(ours: str) -> None:
    if ours == "--version":
        return
    name, *words = re.sub(r"\[(.*?)\]", r"\1", ours).replace("''", "EMPTY").split()
    bind(find(REGISTRY, name), [WORDS.get(word, word).replace("EMPTY", "") for word in words], HERE)


def test_no_word_of_ours_is_taken_for_another_tool_s() -> None:
    known = {name.replace("-", "") for name in REGISTRY.names()}
    assert not known & set(suggest._BY_WORD)
    words = [word for words in suggest._OURS.values() for word in words.split()]
    assert len(set(words)) == len(words)


@each(name for name, command in REGISTRY.commands.items() if command.forms)
def test_a_written_usage_line_leaves_nothing_out(name: str) -> None:
    command = REGISTRY.commands[name]
    assert all(option.long in usage(command) for option in command.options)
