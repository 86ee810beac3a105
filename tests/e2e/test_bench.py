"""`bin/bench` leaves nothing behind: no workspace, no daemon, no browser."""

import os
import re
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil

from tests.e2e.daemon.harness import ROOT, until
from tests.processes import words


def test_a_run_prints_its_table_and_leaves_nothing() -> None:
    with TemporaryDirectory() as place:  # whose path is short, because sockets lie in it
        command = [ROOT / "bin/bench", "--only", "url", "--rounds", "1"]
        done = subprocess.run(
            command, env=os.environ | {"TMPDIR": place}, capture_output=True, text=True, timeout=240
        )
        assert done.returncode == 0, done.stderr
        assert re.search(r"^url +[\d,]+\.\d +[\d,]+\.\d +–$", done.stdout, re.MULTILINE), done.stdout
        until(lambda: not list(Path(place).iterdir()))
        until(lambda: not any(place in " ".join(words(one)) for one in psutil.process_iter()))
