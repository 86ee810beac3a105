import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.programs
MEETING = """
import os, time
from pathlib import Path
def test_which():
    here, give_up = Path(__file__), time.monotonic() + 200
    here.with_suffix(".begun").touch()
    while len(list(here.parent.glob("*.begun"))) < 2:
        assert time.monotonic() < give_up
        time.sleep(0.01)
    print("in", os.getpid())
    assert False, f"seen in {os.getpid()}"
"""
SKIPPED = """
import pytest
@pytest.mark.skip("not here")
def test_it(): pass
"""
MARKED = """
import os, pytest
@pytest.mark.both_browsers
def test_it(): assert os.environ.get("BROWSE_CHROMIUM") != "/full"
def test_other(): pass
"""


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    plugins = ["-p", "tests.forks", "-p", "no:cacheprovider"]
    command = [sys.executable, "-m", "pytest", *plugins, *words, str(folder)]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=240)


def write(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        (folder / f"test_{name}.py").write_text(text)
    return folder


def test_each_test_runs_once_or_with_both_browsers_and_what_it_says_is_told_as_ever(tmp_path: Path) -> None:
    files = {"one": MEETING, "other": MEETING, "skipped": SKIPPED, "skipped_too": SKIPPED, "marked": MARKED}
    done = run(write(tmp_path, **files), "--both-browsers", "/full")
    assert done.returncode == 1
    assert "3 failed, 2 passed, 2 skipped" in done.stdout
    assert "FAILED test_marked.py::test_it on /full" in done.stdout
    lines = done.stdout.splitlines()
    seen = sorted(line.split()[-1] for line in lines if line.startswith("E ") and "seen in" in line)
    said = sorted(line.split()[-1] for line in lines if line.startswith("in "))
    assert len(set(seen)) == 2, "each in a process of its own"
    assert said == seen, "and its output with it"


def test_a_process_that_dies_is_told(tmp_path: Path) -> None:
    done = run(write(tmp_path, a="def test_it(): pass", b="import os\ndef test_it(): os._exit(7)"))
    assert done.returncode == 3
    assert "has ended with status 7; begun last: test_b.py::test_it" in done.stdout + done.stderr


def test_after_the_first_failure_no_process_goes_on_and_each_sends_its_report(tmp_path: Path) -> None:
    """The other process would wait for ever, and its report is longer than a pipe holds."""
    failing = "def test_it(): assert False\ndef test_next(): pass"
    sending = """
import threading
def test_it():
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        print("x" * 1_000_000)
        assert False
def test_next(): pass
"""
    done = run(write(tmp_path, a=failing, b=sending), "-x")
    assert (done.returncode, "passed" in done.stdout) == (1, False)
