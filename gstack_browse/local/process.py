"""What a local command runs in another process: modules of this package that are slow to load, and other commands."""

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
    done = _run(module, stdin, caller, words, is_loud=is_loud)
    if done is None:
        raise TimedOut(f"{module} did not end within {caller.deadline_seconds:g} s")
    if done.returncode:  # Python's tracebacks end with the error
        raise BrowseError(
            f"{module} failed: {(done.stderr or '').strip().rpartition(chr(10))[2] or done.returncode}"
        )
    return done.stdout


def run_command(caller: Caller, *words: str) -> str:
    """What a command of gbrowse prints. Raises TimedOut at the caller's deadline, BrowseError with its message when it fails."""
    done = _run("gstack_browse.client", "", caller, words)
    if done is None:
        raise TimedOut(f"'{words[0]}' did not end within {caller.deadline_seconds:g} s")
    if done.returncode:  # the hint is behind the message
        message = done.stderr.strip().partition("\n")[0].removeprefix("Error: ")
        raise BrowseError(message or f"'{words[0]}' ended with {done.returncode}")
    return done.stdout


def _run(
    module: str, stdin: str, caller: Caller, words: tuple[str, ...], *, is_loud: bool = False
) -> "subprocess.CompletedProcess[str] | None":
    """Run a module to its end; None at the caller's deadline."""
    place = Path(__file__).parents[2]
    try:
        return subprocess.run(
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
        return None
