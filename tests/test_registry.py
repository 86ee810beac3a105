"""What is true of every command, whatever it does."""

import re
from pathlib import Path

import pytest

from gstack_browse import commands
from gstack_browse.errors import UsageError
from gstack_browse.registry import REGISTRY, Command, Requires, bind
from gstack_browse.registry.arguments import Place
from gstack_browse.registry.usage import command_help, overview, usage

assert commands
HERE = Place(Path.cwd(), Path.cwd())
EVERY = [pytest.param(command, id=command.name) for command in REGISTRY.commands.values()]
every_command = pytest.mark.parametrize("command", EVERY)


@every_command
def test_its_name_is_what_a_person_types(command: Command) -> None:
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", command.name)


@every_command
def test_it_says_what_it_does_in_a_sentence(command: Command) -> None:
    assert command.summary.endswith(".")
    assert command.summary[0].isupper()
    assert len(command.summary) <= 130


@every_command
def test_every_option_and_argument_is_explained(command: Command) -> None:
    assert [
        parameter.name for parameter in command.parameters if not parameter.help and not parameter.choices
    ] == []
    for option in command.options:
        assert option.help, option.long
        assert not option.help.endswith("."), f"{option.long}: a phrase, not a sentence"


@every_command
def test_it_has_examples_that_parse(command: Command) -> None:
    assert command.examples
    for example in command.examples:
        assert example.split()[0] == command.name


@every_command
def test_its_help_shows_usage_options_and_examples(command: Command) -> None:
    text = command_help(command)
    assert text.startswith(f"Usage: gbrowse {command.name}")
    for option in command.options:
        assert option.long in text
    for example in command.examples:
        assert f"gbrowse {example}" in text
    assert max(map(len, text.splitlines())) <= 280


@every_command
@pytest.mark.parametrize("word", ["--help", "-h"])
def test_help_is_asked_for_anywhere(command: Command, word: str) -> None:
    assert bind(command, [word], HERE).wants_help
    assert bind(command, ["x", word], HERE).wants_help


@every_command
def test_an_unknown_flag_is_named_and_the_usage_shown(command: Command) -> None:
    if command.arguments and (first := command.arguments[0].type) and first.rest and not first.options:
        pytest.skip("its first argument takes every word")
    with pytest.raises(UsageError) as failure:
        bind(command, ["--no-such-flag"], HERE)
    assert failure.value.message == "Unknown flag: --no-such-flag"
    assert f"Usage: {usage(command)}" in failure.value.hint


@every_command
def test_a_misspelt_flag_names_the_nearest(command: Command) -> None:
    for option in command.options:
        if len(option.long) < 7:
            continue
        words = ["x"] * len(
            [argument for argument in command.arguments if not (argument.type and argument.type.rest)]
        )
        if command.arguments and (last := command.arguments[-1].type) and last.rest and not last.options:
            continue
        with pytest.raises(UsageError) as failure:
            bind(command, [*words, option.long[:-2] + option.long[-1]], HERE)
        assert "Did you mean" in failure.value.hint


@every_command
def test_missing_arguments_show_the_usage(command: Command) -> None:
    if not any(argument.required for argument in command.arguments):
        pytest.skip("it needs none")
    with pytest.raises(UsageError) as failure:
        bind(command, [], HERE)
    assert failure.value.code == 2
    assert failure.value.message.startswith(f"{command.name} needs <")
    assert f"Usage: {usage(command)}" in failure.value.hint


@every_command
def test_one_argument_too_many_is_not_ignored(command: Command) -> None:
    if any(argument.variadic or (argument.type and argument.type.rest) for argument in command.arguments):
        pytest.skip("it takes any number")
    with pytest.raises(UsageError):
        bind(command, ["1"] * (len(command.arguments) + 1), HERE)


@every_command
def test_secrets_are_parameters(command: Command) -> None:
    assert set(command.secret) <= {parameter.name for parameter in command.parameters}


@every_command
def test_its_deadline_is_sane(command: Command) -> None:
    assert 0 < command.timeout <= 600


@every_command
def test_its_usage_is_one_line(command: Command) -> None:
    assert "\n" not in usage(command)
    assert "<>" not in usage(command)
    assert "None" not in usage(command)


def test_the_control_lane_needs_no_page() -> None:
    for name in ("status", "tabs", "closetab", "stop", "restart", "console", "network", "dialog", "help"):
        command = REGISTRY.get(name)
        assert command is not None
        assert command.requires is not Requires.PAGE


def test_every_command_of_the_reference_is_there() -> None:
    wanted = """goto back forward reload url text html links forms accessibility snapshot click fill select hover type press
        scroll wait viewport upload dialog-accept dialog-dismiss js eval css attrs is console network dialog cookies storage
        perf screenshot pdf responsive diff tabs tab newtab closetab frame chain status stop restart help useragent
        cookie-import cookie-import-browser handoff resume"""
    assert [name for name in wanted.split() if name not in REGISTRY.commands] == []


def test_the_overview_names_every_command_once() -> None:
    listed = re.findall(r"^  ([a-z-]+) +(?:read|write|meta)  ", overview(REGISTRY), re.M)
    assert sorted(listed) == sorted(REGISTRY.commands)


@every_command
def test_the_list_and_the_help_say_whether_it_reads_or_writes(command: Command) -> None:
    assert f"Kind: {command.kind.value} ({command.kind.meaning})" in command_help(command)
    assert re.search(
        rf"^  {command.name} +{command.kind.value} +{re.escape(command.summary)}", overview(REGISTRY), re.M
    )
    assert f"{command.kind.value}, {command.kind.meaning}" in overview(REGISTRY)
