"""Programs under the runner: what they print, and how they are ended when they do not end."""

import json
import os
import sys
import textwrap
from pathlib import Path
from threading import Event

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.evals import runner
from tests.evals.runner import EndedProgram, Lines, Program, run
from tests.unit.hostile import tried

programs = pytest.mark.programs


class Ear:
    """Hears lines; `is_last` tells whether the program says that it is done."""

    def __init__(self, last: bytes | None = None) -> None:
        self.lines: list[bytes] = []
        self.times: list[int] = []
        self.last = last

    def __call__(self, line: bytes, at_ms: int) -> bool:
        self.lines.append(line)
        self.times.append(at_ms)
        return line == self.last


def ran(tmp_path: Path, code: str, ear: Ear, *, seconds: float = 20, prompt: str = "") -> EndedProgram:
    file = tmp_path / "prompt.txt"
    file.write_text(prompt)
    words = [sys.executable, "-I", "-S", "-c", "import os, signal, sys\n" + textwrap.dedent(code)]
    return run(Program(words, tmp_path, {"A": "b"}, file, seconds), ear)


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "GRACE_SECONDS", 0.2)
    monkeypatch.setattr(runner, "LINGER_SECONDS", 0.2)
    monkeypatch.setattr(runner, "DRAIN_SECONDS", 0.2)
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
    ear = Ear()
    code = """
        print(sys.stdin.read()); print(os.getcwd()); print(sorted(set(os.environ) - {"LC_CTYPE"}))
        print(os.getpgid(0) == os.getpid()); sys.stderr.write("careful\\n"); print("no newline", end=""); sys.exit(3)
    """
    ended = ran(tmp_path, code, ear, prompt="do it")
    assert ear.lines == [b"do it", os.fsencode(tmp_path), b"['A']", b"True", b"no newline"]
    assert (ended.code, ended.timed_out, ended.flooded, ended.complaint) == (3, False, False, "careful\n")


@programs
@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize(("code", "seconds", "ended_by", "heard"), [
    ("print('begun', flush=True); signal.pause()", 0.5, (True, -15), b"begun"),
    ("print('done', flush=True); signal.pause()", 20, (False, -15), b"done"),
    ("print('child', flush=True)\nif os.fork(): sys.exit(0)\nwhile True: os.write(1, b'x\\n')", 20, (False, 0), b"child"),
], ids=["at its deadline", "after it was done", "a child that goes on printing"])  # fmt: skip
def test_a_program_that_does_not_end_is_ended_and_what_it_said_is_kept(
    tmp_path: Path, code: str, seconds: float, ended_by: tuple[bool, int], heard: bytes
) -> None:
    ear = Ear(b"done")
    ended = ran(tmp_path, code, ear, seconds=seconds)
    assert (ended.timed_out, ended.code) == ended_by
    assert ear.lines[0] == heard


@programs
@pytest.mark.usefixtures("hurried")
def test_child_left_by_a_program_is_ended_without_waiting(tmp_path: Path) -> None:
    ear = Ear()
    code = """
        child = os.fork()
        if not child: signal.pause()
        print(child, flush=True)
    """
    ended = ran(tmp_path, code, ear)
    assert ended.code == 0
    assert ended.milliseconds < 10_000
    assert is_gone(int(ear.lines[0]))


@programs
def test_complaints_are_cut(tmp_path: Path) -> None:
    complaint = ran(tmp_path, "os.write(2, b'z' * 500_000); os.write(2, b'the end')", Ear()).complaint
    assert (complaint[-8:], len(complaint)) == ("zthe end", runner.MOST_COMPLAINT)


@tried
@given(
    st.lists(st.binary(max_size=12).map(lambda data: data.replace(b"\n", b"")), max_size=6), st.integers(1, 5)
)
def test_lines_are_the_same_however_they_are_cut(whole: list[bytes], size: int) -> None:
    data = b"".join(line + b"\n" for line in whole)
    lines = Lines()
    taken = [
        line for at in range(0, len(data), size) for line in lines.take(data[at : at + size])
    ] + lines.last()
    assert taken == whole


def test_a_line_without_end_is_cut_and_the_next_is_whole() -> None:
    lines = Lines(most=200)
    taken = [line for _ in range(100) for line in lines.take(b"x" * 99)] + lines.take(b"x\nnext\n")
    assert taken == [b"x" * 100, b"next"]
    (cut,) = lines.take(json.dumps({"said": "x" * 400}).encode())
    with pytest.raises(ValueError, match="Unterminated"):
        json.loads(cut)
