"""Modules of this package that a local command runs in another process, since they import what is slow to load."""

import subprocess
import sys
from pathlib import Path

from gstack_browse.errors import BrowseError, TimedOut
from gstack_browse.local.caller import Caller

_BOOT = "import sys; sys.path.append(sys.argv.pop(1)); from runpy import run_module; run_module(sys.argv.pop(1), run_name='__main__')"


def run_module(module: str, stdin: str, caller: Caller, *words: str, is_loud: bool = False) -> str:
    """What the module prints, called with these words. Raises TimedOut at the caller's deadline, BrowseError with its last line when it fails.

    `is_loud`: what it says of its progress goes to standard error as it comes.
    """
    place = Path(__file__).parents[2]
    try:
        done = subprocess.run(
            [sys.executable, "-E", "-P", "-X", "utf8", "-c", _BOOT, place, module, *words],
            input=stdin,
            stdout=subprocess.PIPE,
            stderr=None if is_loud else subprocess.PIPE,
            text=True,
            encoding="utf-8",
            cwd=caller.paths.workspace,
            env=dict(caller.environment),
            timeout=caller.deadline_seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise TimedOut(f"{module} did not end within {caller.deadline_seconds:g} s") from None
    if done.returncode:
        raise BrowseError(
            f"{module} failed: {(done.stderr or '').strip().rpartition(chr(10))[2] or done.returncode}"
        )
    return done.stdout
