"""Test rules that hold for every command.

Each test has only the commands that it applies to.
"""

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from gstack_browse import commands
from gstack_browse.errors import UsageError
from gstack_browse.registry import META, READ, REGISTRY, WRITE, Command, Requires, bind, find
from gstack_browse.registry.command import Parameter
from gstack_browse.registry.lines import find_command_lines, find_problem_in_call
from gstack_browse.registry.usage import (
    FIRST_STEPS,
    argument_rows,
    command_help,
    first_steps,
    option_rows,
    overview,
    usage,
)
from gstack_browse.registry.values.paths import CallerPaths
from tests.each import each

assert commands
HERE = CallerPaths(Path.cwd(), Path.cwd())
QUOTED = re.compile(r"(?<!\w)'([a-z][a-z0-9-]*)(?: [^']*)?'")
"""A command that a help text names: 'tab 2'."""
NO_COMMANDS = {"gbrowse", "playwright", "default", "page", "context", "browser"}
NO_COMMANDS |= {"match", "moved", "ambiguous", "changed"}  # what flow-run finds


def takes_all_words(argument: Parameter) -> bool:
    return argument.variadic or (argument.type is not None and argument.type.rest)


def takes_flags_as_words(argument: Parameter) -> bool:
    """Whether a word that looks like an option belongs to it."""
    return argument.type is not None and argument.type.rest and not argument.type.options


def which(applies: Callable[[Command], object]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Run the test for each command that `applies` accepts."""
    return each(filter(applies, REGISTRY.commands.values()), lambda command: command.name)


every_command = which(lambda command: True)


@every_command
def test_a_declaration_is_named_summed_up_and_explained(command: Command) -> None:
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", command.name)
    assert command.summary.endswith(".")
    assert command.summary[0].isupper()
    assert len(command.summary) <= 130
    for shown, explanation in argument_rows(command) + option_rows(command):
        assert explanation, shown
        assert not explanation.endswith("."), f"{shown}: a phrase, not a sentence"
    assert set(command.secret) <= {parameter.name for parameter in command.parameters}
    assert 0 < command.timeout <= 600
    assert "\n" not in usage(command)
    assert "<>" not in usage(command)
    assert "None" not in usage(command)
    named = set(QUOTED.findall(f"{command.summary} {command.details}")) - NO_COMMANDS
    of_its_usage = re.findall(r"[a-z0-9-]+", usage(command))
    known = {*REGISTRY.commands, *of_its_usage}
    assert named <= known, f"no commands: {named - known}"


@every_command
def test_examples_of_a_command_parse(command: Command, tmp_path: Path) -> None:
    assert command.examples
    for number, example in enumerate(command.examples):
        (line,) = find_command_lines(f"```bash\ngbrowse {example}\n```", REGISTRY)
        assert line.words[0] == command.name
        (scratch := tmp_path / f"{command.name}-{number}").mkdir()
        assert find_problem_in_call(REGISTRY, line, scratch) == "", example


@every_command
def test_its_help_shows_usage_options_and_examples_wherever_asked_for(command: Command) -> None:
    text = command_help(command)
    assert text.startswith(f"Usage: gbrowse {command.name}")
    for option in command.options:
        assert option.long in text
    for example in command.examples:
        assert f"gbrowse {example}" in text
    assert max(map(len, text.splitlines())) <= 280
    for word in ("--help", "-h"):
        assert bind(command, [word], HERE).wants_help
        assert bind(command, ["x", word], HERE).wants_help


@which(lambda command: not any(map(takes_flags_as_words, command.arguments[:1])))
def test_an_unknown_flag_is_named_and_the_usage_shown(command: Command) -> None:
    with pytest.raises(UsageError) as failure:
        bind(command, ["--no-such-flag"], HERE)
    assert failure.value.message == "Unknown flag: --no-such-flag"
    assert f"Usage: {usage(command)}" in failure.value.hint


@which(lambda command: command.options and not any(map(takes_flags_as_words, command.arguments)))
def test_a_misspelt_flag_names_the_nearest(command: Command) -> None:
    words = ["x" for argument in command.arguments if not takes_all_words(argument)]
    for option in (option.long for option in command.options if len(option.long) > 6):
        with pytest.raises(UsageError) as failure:
            bind(command, [*words, option[:-2] + option[-1]], HERE)
        assert f"Did you mean {option}?" in failure.value.hint


@which(lambda command: any(argument.required for argument in command.arguments))
def test_missing_arguments_show_the_usage(command: Command) -> None:
    with pytest.raises(UsageError) as failure:
        bind(command, [], HERE)
    assert failure.value.code == 2
    assert failure.value.message.startswith(f"{command.name} needs <")
    assert f"Usage: {usage(command)}" in failure.value.hint


@which(lambda command: not any(map(takes_all_words, command.arguments)))
def test_one_argument_too_many_is_not_ignored(command: Command) -> None:
    with pytest.raises(UsageError):
        bind(command, ["1"] * (len(command.arguments) + 1), HERE)


def test_every_command_is_there_and_in_the_overview_once() -> None:
    for name in ("status", "tabs", "closetab", "stop", "restart", "console", "network", "dialog", "help"):
        command = REGISTRY.get(name)
        assert command is not None
        assert command.requires is not Requires.PAGE
    wanted = """goto back forward reload url text html links forms accessibility snapshot click fill select hover type press
        scroll wait viewport upload dialog-accept dialog-dismiss js eval css attrs is console network dialog cookies storage
        perf screenshot pdf responsive diff tabs tab newtab closetab frame chain status stop restart help useragent
        cookie-import cookie-import-browser handoff resume"""
    assert [name for name in wanted.split() if name not in REGISTRY.commands] == []
    listed = re.findall(r"^  ([a-z-]+) +(?:read|write|meta|read/write|read/meta)  ", overview(REGISTRY), re.M)
    assert sorted(listed) == sorted(REGISTRY.commands)


@every_command
def test_the_list_and_the_help_say_whether_it_reads_or_writes(command: Command) -> None:
    shown = "/".join(kind.value for kind in command.every_kind)
    assert re.search(rf"^  {command.name} +{shown} +{re.escape(command.summary)}", listed(), re.M)
    for kind in command.every_kind:
        assert f"{kind.value} ({kind.meaning})" in command_help(command)
        assert f"{kind.value}, {kind.meaning}" in listed()


@cache
def listed() -> str:
    return overview(REGISTRY)


def test_a_call_is_of_the_kind_that_its_words_and_the_help_say() -> None:
    for line, kind in [
        ("storage", READ),
        ("storage set theme dark", WRITE),
        ("console --errors", READ),
        ("console --clear", META),
        ("network --clear", META),
        ("dialog --clear", META),
        ("js document.title", WRITE),
    ]:
        name, *words = line.split()
        assert bind(find(REGISTRY, name), words, HERE).kind is kind
    help_of = {name: command_help(find(REGISTRY, name)) for name in ("storage", "console")}
    assert "Kind: read (reads only); with 'set|delete|clear' write (changes the page)" in help_of["storage"]
    assert "Kind: read (reads only); with --clear meta (" in help_of["console"]


def test_the_ten_commands_to_begin_with_can_be_typed() -> None:
    assert len(FIRST_STEPS) == 10
    for line in FIRST_STEPS:
        name, *words = line.split()
        assert bind(find(REGISTRY, name), words, HERE).command.name == name
        assert f"gbrowse {line}" in first_steps(REGISTRY)
