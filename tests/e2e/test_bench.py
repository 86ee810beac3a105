"""`bin/bench` leaves nothing behind, however it ends: no workspace, no daemon, no browser."""

import os
import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil
import pytest

from tests.e2e.daemon.harness import until

ROOT = Path(__file__).parents[2]


@pytest.fixture
def place() -> Iterator[Path]:
    """Return the directory of the workspaces.

    Its path is short, because sockets lie in them.
    """
    with TemporaryDirectory() as directory:
        yield Path(directory)


def bench(place: Path) -> subprocess.Popen[str]:
    command = [ROOT / "bin/bench", "--only", "url", "--rounds", "1"]
    environment = {**os.environ, "TMPDIR": str(place)}
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def left_in(place: Path) -> list[str]:
    """Files under `place`, and processes that were started with it in their environment or command line."""
    return [*map(str, place.rglob("*")), *(str(each) for each in psutil.process_iter() if knows(each, place))]


def knows(process: psutil.Process, place: Path) -> bool:
    try:
        words = [*process.environ().values(), *process.cmdline()]
    except psutil.Error:
        return False
    return any(str(place) in word for word in words)


def test_a_run_prints_its_table_and_leaves_nothing(place: Path) -> None:
    with bench(place) as process:
        printed, said = process.communicate(timeout=240)
    assert process.returncode == 0, said
    assert re.search(r"^url +[\d,]+\.\d +[\d,]+\.\d +–$", printed, re.MULTILINE), printed
    until(lambda: not left_in(place))


@pytest.mark.parametrize(
    ("number", "moment"),
    [pytest.param(signal.SIGINT, "starting gbrowse", marks=pytest.mark.slow), (signal.SIGTERM, "url")],
)
def test_a_run_that_is_ended_leaves_nothing(place: Path, number: signal.Signals, moment: str) -> None:
    with bench(place) as process:
        assert process.stderr is not None
        while (line := process.stderr.readline().strip()) != moment:
            assert line
        assert left_in(place)
        process.send_signal(number)
        process.communicate(timeout=60)
    assert process.returncode == 128 + number
    until(lambda: not left_in(place))
