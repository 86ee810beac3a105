import json
import shlex
from collections.abc import Iterator

import pytest

from gstack_browse import commands
from gstack_browse.registry import REGISTRY, Command
from tests.unit.agent.local.conftest import Place

pytestmark = pytest.mark.programs

assert commands
ELSEWHERE = {
    "demo": "tests/e2e/test_demo.py, with a browser",
    "doctor": "tests/unit/agent/local/test_doctor.py, with an environment in which there is a Chromium",
    "trace": "tests/unit/documents/traces/test_reading.py, with traces",
    "run": "tests/e2e/attach/test_run.py, with a browser",
    "upgrade": "tests/unit/agent/local/test_upgrading.py, with programs that only say what they were told",
}
"""Commands that need more than a repository, or would change this machine: where they are run."""


def examples() -> Iterator[tuple[Command, str]]:
    for command in REGISTRY.commands.values():
        if command.is_local and command.name not in ELSEWHERE:
            yield from ((command, example) for example in command.examples)


def prepare(repository: Place) -> None:
    """Make the files that examples name."""
    (repository.workspace / "findings.json").write_text(json.dumps({"url": "http://localhost/", "issues": []}))
    repository("qa-report", "findings.json")
    for name in ("now.txt", "before.txt"):
        (repository.workspace / name).write_text("load      120ms\n")


def test_every_example_runs_and_without_local_traces_leaves_nothing_at_home(repository: Place) -> None:
    """With local traces: test_planted_git.py runs them all."""
    prepare(repository)
    repository("config", "local_traces", "false")
    repository("config", "update_check", "true")
    for command, example in examples():
        if command.name != "config":
            reply = repository.reply(*shlex.split(example))
            assert (reply.code, reply.message) == (0, ""), example
            assert [path.name for path in repository.home.iterdir()] == ["config.toml"], example
