from pathlib import Path

import pytest

from gstack_browse import commands
from gstack_browse.errors import UnknownCommand, UsageError
from gstack_browse.registry import REGISTRY, Bound, bind, find
from gstack_browse.registry.values.paths import CallerPaths
from tests.each import each, each_row

assert commands
HERE = CallerPaths(Path.cwd(), Path.cwd())


def bound(line: str, *words: str) -> Bound:
    name, *rest = line.split()
    return bind(find(REGISTRY, name), [*rest, *words], HERE)


def test_options_may_stand_anywhere_in_any_form() -> None:
    for line in ("click @e3 --double", "click --double @e3"):
        assert (bound(line).positional, bound(line).options) == (["@e3"], {"double": True})
    assert (
        bound("click @e3 --button right").options
        == bound("click @e3 --button=right").options
        == {"button": "right"}
    )
    assert bound("snapshot -ic").options == {"interactive": True, "compact": True}
    assert (
        bound("snapshot -id3").options == bound("snapshot -i -d 3").options == {"interactive": True, "depth": 3}
    )
    for word in ("Control,Shift", "control+shift", "Control, Shift"):
        assert bound("click @e1 --modifiers", word).options["modifiers"] == ["Control", "Shift"]
    with pytest.raises(UsageError):
        bound("click @e1 --modifiers Control+a")
    assert bound("click @e1 --timeout 250").timeout == 0.25
    for word in ("0", "-1", "x", "600001", "1e3", "٣"):
        with pytest.raises(UsageError):
            bound("click @e1 --timeout", word)


def test_words_behind_the_options_are_one_value_dashes_and_all() -> None:
    assert bound("fill @e1", "two words").positional == ["@e1", "two words"]
    assert bound("fill @e1 -5").positional == ["@e1", "-5"]
    assert bound("fill @e1 --flag x").positional == ["@e1", "--flag x"]
    assert bound("fill @e1", "").positional == ["@e1", ""]
    assert bound("js -1").positional == ["-1"]
    assert bound("js -- --x").positional == ["--x"]
    assert bound("js", "--x; 5").positional == ["--x; 5"]
    assert bound("js -x").positional == ["-x"]
    assert bound("js a --any-origin").positional == ["a"]
    assert bound("fill @e1 -- --timeout 5").positional == ["@e1", "--timeout 5"]
    assert bound("text --", "-x").positional == ["-x"]
    assert bound("select #list", "-- Please select --").positional == ["#list", "-- Please select --"]
    assert bound("click", "--none of these--").positional == ["--none of these--"]
    for word in ("--timeout 500", "--double yes"):
        with pytest.raises(UsageError):
            bound("click @e1", word)


@each(["js --anny-origin document.title", "js document.title --any-orign", "js --x", "js --x=1", "chain --keep-goin"])  # fmt: skip
def test_code_has_no_flags_of_its_own(line: str) -> None:
    with pytest.raises(UsageError) as refused:
        bound(line)
    assert refused.value.message.startswith("Unknown flag: --")
    assert "What is no flag goes after '--'" in refused.value.hint


@each_row(
("js --tab 5", "--tab stands before the command, right after 'gbrowse'. What is no flag goes after '--'"),
        ("js --anny-origin a", "Did you mean --any-origin? What is no flag goes after '--'"),
        ("js --x", "What is no flag goes after '--'"),
        ("click --tab 2", "--tab stands before the command, right after 'gbrowse'"),
)  # fmt: skip
def test_sentences_of_a_hint_are_apart(line: str, hint: str) -> None:
    with pytest.raises(UsageError) as refused:
        bound(line)
    assert refused.value.hint.splitlines()[0] == hint


@each(["--tab", "--json", "--fence"])
def test_an_option_for_all_commands_behind_one_is_told_its_place(option: str) -> None:
    with pytest.raises(UsageError) as refused:
        bound(f"text main {option}")
    assert f"{option} stands before the command" in refused.value.hint


@each(
    [
        "click",
        "click @e1 @e2",
        "click --double=yes @e1",
        "click @e1 --button",
        "click @e1 --button up",
        "snapshot -iz",
        "text --maxx 3",
        "viewport 1x1 --scale 2 --scale 3",
    ]
)
def test_wrong_words_show_the_usage(line: str) -> None:
    with pytest.raises(UsageError) as failure:
        bound(line)
    assert "Usage: gbrowse " in failure.value.hint


def test_a_dash_is_what_was_piped_in_where_a_command_takes_that() -> None:
    piped = HERE._replace(stdin="1 + 1")
    assert bind(find(REGISTRY, "eval"), ["-"], piped).positional == ["1 + 1"]
    assert bind(find(REGISTRY, "chain"), ["--keep-going"], piped).positional == ["1 + 1"], "it needs no dash"
    assert bind(find(REGISTRY, "chain"), ["url"], piped).positional == ["url"]
    assert bind(find(REGISTRY, "press"), ["-"], piped).positional == ["-"], "a key"
    with pytest.raises(UsageError, match="Nothing was piped in"):
        bound("eval -")


def test_secret_values_are_known_and_the_nearest_command_named() -> None:
    assert bound("fill @e1", "hunter2 secret").secrets == ["hunter2 secret"]
    assert [bound(f"connect {word}").secrets for word in ("9222", "auto")] == [[], []]
    address = "ws://127.0.0.1:9222/devtools/browser/3f0c"
    assert bound(f"connect {address}").secrets == [address]
    with pytest.raises(UnknownCommand) as failure:
        find(REGISTRY, "Snapshott")
    assert failure.value.hint.startswith("Did you mean 'snapshot'?")
