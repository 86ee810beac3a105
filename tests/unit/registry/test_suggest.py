import re
from pathlib import Path

import pytest

from gstack_browse import commands
from gstack_browse.errors import UnknownCommand, UsageError
from gstack_browse.registry import REGISTRY, bind, binding, find, suggest
from gstack_browse.registry.values.paths import CallerPaths
from tests.each import each, each_row

assert commands
HERE = CallerPaths(Path(__file__).parent, Path(__file__).parent)
WORDS = {
    "<target>": "#x", "<value>": "v", "<text>": "t", "<url>": "http://a", "<key>": "Enter", "<file>": Path(__file__).name,
    "<lat,lon>": "1,2", "<zone>": "UTC", "<tag>": "de", "<names>": "camera",
    "<word>": "w", "<property>": "color", "<expression>": "1", "<ms>": "5", "<glob>": "**", "<WxH>": "10x10", "<n>": "1", "<tab>": "1",
}  # fmt: skip


def hint(name: str) -> str:
    with pytest.raises(UnknownCommand) as failure:
        find(REGISTRY, name)
    return failure.value.hint


def test_no_word_of_ours_is_taken_for_another_command() -> None:
    assert hint("clikc") == "Did you mean 'click'? Run 'gbrowse help' for the list"
    assert hint("xyzzy") == "Run 'gbrowse help' for the list"
    assert not {name.replace("-", "") for name in REGISTRY.names()} & set(suggest._BY_WORD)
    words = [word for words in suggest._OURS.values() for word in words.split()]
    assert len(set(words)) == len(words)


@each_row(
    ("tick", "check <target>"),
    ("clear", "fill <target> ''"),
    ("setInputFiles", "upload <target> <file>"),
    ("press-key", "press <key>"),
    ("wait_for_selector", "wait <target>"),
)
def test_command_of_another_tool_is_answered_with_ours(name: str, ours: str) -> None:
    assert hint(name) == f"Use '{ours}'. Run 'gbrowse help' for the list"


def flag_hint(line: str) -> str:
    name, *words = line.split()
    with pytest.raises(UsageError) as failure:
        bind(find(REGISTRY, name), words, HERE)
    return failure.value.hint.split("\nUsage")[0].removeprefix("Usage").split(": gbrowse")[0]


@each_row(
("click #x --right", "Use '--button right'"),
        ("click #x --shift", "Use '--modifiers Shift'"),
        ("click #x --clickCount 2", "Use '--double' for two, else the command again"),
        ("click #x --newTab", "Did you mean --new-tab?"),
        ("click #x --position 1,2", "Use '--at <x,y>'"),
        ("check #x --nth 2", "'<selector> >> nth=1' is the second one, and 'snapshot -i' gives each a ref"),
        ("goto http://a --wait-until load", "It waits for 'load'; 'wait --networkidle' or 'wait --domcontentloaded' is a command of its own"),
        ("wait #x --state visible", "Use 'wait <target>', or 'wait --hidden <target>'"),
        ("scroll --down", "Use the word alone: 'scroll down', 'scroll <target> right'"),
        ("press Enter --zzz", ""),
        ("click #x -f", ""),
)  # fmt: skip
def test_a_flag_of_another_tool_is_named_in_our_words(line: str, ours: str) -> None:
    assert flag_hint(line) == ours


@each_row(*binding._ADVICE_BY_FLAG)
def test_no_flag_of_ours_is_taken_for_another_tool_s(name: str, flag: str) -> None:
    known = find(REGISTRY, name).long_options
    assert flag not in {option.strip("-").replace("-", "") for option in known}


@each([
    *(part for ours in binding._ADVICE.values() for part in re.findall(r"'([a-z].*?)'", ours) if part != "load"),
    *(way for ways in suggest._OURS for way in ways.split("' or '")),
])  # fmt: skip
def test_every_command_that_advice_names_can_be_typed(ours: str) -> None:
    name, *words = re.sub(r"\[(.*?)\]", r"\1", ours).replace("''", "EMPTY").split()
    bind(find(REGISTRY, name), [WORDS.get(word, word).replace("EMPTY", "") for word in words], HERE)
