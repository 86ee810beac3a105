"""Every example of every local command runs, in an empty workspace."""

import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from gstack_browse import commands
from gstack_browse.local.run import answer
from gstack_browse.protocol import Request
from gstack_browse.registry import REGISTRY, Command, Requires

assert commands
ELSEWHERE = {"doctor": "tests/unit/local/test_doctor.py, with an environment in which there is a Chromium"}


def examples() -> Iterator[tuple[Command, str]]:
    for command in REGISTRY.commands.values():
        if command.requires is Requires.LOCAL and command.name not in ELSEWHERE:
            yield from ((command, example) for example in command.examples)


@pytest.mark.parametrize(
    ("command", "example"), list(examples()), ids=lambda value: value if isinstance(value, str) else ""
)
def test_the_example_runs(command: Command, example: str, tmp_path: Path) -> None:
    name, *words = shlex.split(example)
    environment = {"GSTACK_HOME": str(tmp_path / "home"), "HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    reply = answer(Request(name, words), command.handler.__module__, str(tmp_path), environment)
    assert (reply.code, reply.message) == (0, "")
