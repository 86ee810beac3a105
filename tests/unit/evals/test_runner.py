import os
import sys
import textwrap
from pathlib import Path

import pytest

from tests.evals import runner
from tests.evals.runner import EndedProgram, Program, run

programs = pytest.mark.programs


def ran(tmp_path: Path, code: str, *, seconds: float = 20, prompt: str = "") -> EndedProgram:
    file = tmp_path / "prompt.txt"
    file.write_text(prompt)
    words = [sys.executable, "-I", "-S", "-c", "import os, signal, sys\n" + textwrap.dedent(code)]
    return run(Program(words, tmp_path, {"A": "b"}, file, seconds))


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "GRACE_SECONDS", 0.2)
    monkeypatch.setattr(runner, "TICK_SECONDS", 0.05)


@programs
def test_a_program_gets_the_prompt_its_place_and_nothing_else_of_ours(tmp_path: Path) -> None:
    code = """
        print(sys.stdin.read()); print(os.getcwd()); print(sorted(set(os.environ) - {"LC_CTYPE"}))
        print(os.getpgid(0) == os.getpid()); sys.stderr.write("careful\\n"); print("no newline", end=""); sys.exit(3)
    """
    ended = ran(tmp_path, code, prompt="do it")
    assert [line for line in ended.output.split(b"\n") if line] == [
        b"do it",
        os.fsencode(tmp_path),
        b"['A']",
        b"True",
        b"no newline",
    ]
    assert (ended.code, ended.timed_out, ended.flooded, ended.complaint) == (3, False, False, "careful\n")


@programs
@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize(("code", "seconds", "ended_by"), [
    ("print('begun', flush=True); signal.pause()", 0.5, (True, -15)),
    ("print('begun', flush=True)\nif os.fork(): sys.exit(0)\nwhile True: os.write(1, b'x\\n')", 20, (False, 0)),
], ids=["at its deadline", "a child that goes on printing"])  # fmt: skip
def test_a_program_that_does_not_end_is_ended_and_what_it_said_is_kept(
    tmp_path: Path, code: str, seconds: float, ended_by: tuple[bool, int]
) -> None:
    ended = ran(tmp_path, code, seconds=seconds)
    assert (ended.timed_out, ended.code) == ended_by
    assert ended.output.startswith(b"begun\n")
