"""Test that the end of a command is waited for, and the end of no other process."""

import os
from pathlib import Path

import pytest

from tests.bench.process import HungError, timed

pytestmark = pytest.mark.programs


@pytest.fixture
def fifo(tmp_path: Path) -> Path:
    path = tmp_path / "fifo"
    os.mkfifo(path)
    return path


def test_output_and_exit_code_are_kept() -> None:
    done = timed(["sh", "-c", "cat; echo problem >&2; exit 3"], stdin="words")
    assert (done.output, done.complaint, done.code) == ("words", "problem", 3)


def test_a_daemon_that_holds_the_output_open_is_not_waited_for(fifo: Path) -> None:
    done = timed(["sh", "-c", f"(read line < {fifo}) & echo started"])
    assert done.output == "started\n"
    fifo.write_text("end\n")


def test_a_command_that_hangs_is_given_up(fifo: Path) -> None:
    with pytest.raises(HungError):
        timed(["sh", "-c", f"read line < {fifo}"], deadline=0.2)
