import os
import sys
import textwrap
from pathlib import Path
from threading import Event

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


def is_gone(pid: int) -> bool:
    """Whether the process ends within seconds: a kill takes its time on a loaded machine."""
    tick = Event()
    for _ in range(500):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state == "Z":
            return True
        tick.wait(0.02)
    return False


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


@programs
@pytest.mark.usefixtures("hurried")
def test_child_left_by_a_program_is_ended_without_waiting(tmp_path: Path) -> None:
    code = """
        child = os.fork()
        if not child: signal.pause()
        print(child, flush=True)
    """
    ended = ran(tmp_path, code)
    assert ended.code == 0
    assert ended.milliseconds < 10_000
    assert is_gone(int(ended.output))


@programs
def test_complaints_are_cut(tmp_path: Path) -> None:
    complaint = ran(tmp_path, "os.write(2, b'z' * 500_000); os.write(2, b'the end')").complaint
    assert (complaint[-8:], len(complaint)) == ("zthe end", runner.MOST_COMPLAINT)
