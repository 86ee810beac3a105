"""Run a part of the tests of commands once more, in a browser that others have started.

All of them: `bin/test browser --over websocket`.
"""

import subprocess
import sys

from tests.e2e.daemon.harness import ROOT

PART = "tests/commands/test_frames.py"
CHEAP = "narrows or names_elements or leads_elsewhere"
"""Of this file, in which frames of several processes are attached to, a third of the time."""


def test_commands_work_as_well_over_a_websocket() -> None:
    words = ["-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "--over", "websocket", "-k", CHEAP, PART]
    done = subprocess.run([sys.executable, *words], cwd=ROOT, capture_output=True, text=True, timeout=280)
    assert done.returncode == 0, done.stdout[-4000:]
