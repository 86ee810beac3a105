"""Test a client at a terminal: it asks for progress and colour, and marks failures."""

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

Look = Callable[..., str]


@pytest.fixture
def terminal_output(client: list[str], workspace: Path, start_daemon: Callable[..., object]) -> Iterator[Look]:
    """Return a function that returns what a terminal shows of a command.

    `out`: where its standard output goes, by default to the terminal.
    """
    start_daemon()
    terminal, ours = os.openpty()

    def terminal_output(*words: str, out: int | None = None, **variables: str) -> str:
        usual = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
        env = {**usual, "TERM": "xterm", **variables}
        done = subprocess.run(
            [*client, *words], cwd=workspace, env=env, stdin=subprocess.DEVNULL,
            stdout=ours if out is None else out, stderr=ours, timeout=60,
        )  # fmt: skip
        if out is not None:
            return str((done.stdout or b"").decode())
        return os.read(terminal, 65536).decode().replace("\r\n", "\n")

    yield terminal_output
    os.close(terminal)
    os.close(ours)


def test_a_terminal_gets_progress_and_colour(terminal_output: Look) -> None:
    def requested_styles(**more: object) -> tuple[bool, bool]:
        request = json.loads(terminal_output("press", "a", **more))
        return request.get("progress", False), request.get("colour", False)

    assert requested_styles() == (True, True)
    assert requested_styles(NO_COLOR="1") == (True, False)
    assert requested_styles(NO_COLOR="") == (True, True)
    assert requested_styles(TERM="dumb") == (False, False)
    assert requested_styles(out=subprocess.PIPE) == (True, False)


def test_a_failure_is_red_at_a_terminal_only(terminal_output: Look) -> None:
    failing = ("x", r"send:\x01Error: no\nhint\n\x02\0004" + r"\n")
    assert terminal_output(*failing) == "\x1b[31mError:\x1b[0m no\nhint\n"
    assert (
        terminal_output(*failing, NO_COLOR="1") == terminal_output(*failing, TERM="dumb") == "Error: no\nhint\n"
    )
    assert terminal_output("--nope", "x").startswith("\x1b[31mError:\x1b[0m Unknown option")


def test_progress_is_shown_as_it_comes(terminal_output: Look) -> None:
    line = r"send:\x01\rwait: 1s\x1b[K\x02\x01\r\x1b[K\x02done\n\0000" + r"\n"
    assert terminal_output("x", line) == "\rwait: 1s\x1b[K\r\x1b[Kdone\n"
