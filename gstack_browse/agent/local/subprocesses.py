"""Run slow modules of this package, and other commands of gbrowse, in another process."""

import subprocess
import sys
from pathlib import Path

from gstack_browse.agent.local.caller import Caller
from gstack_browse.errors import BrowseError, TimedOut

_BOOT = "import sys; sys.path.append(sys.argv.pop(1)); from runpy import run_module; run_module(sys.argv.pop(1), run_name='__main__')"


def run_module(module: str, stdin: str, caller: Caller, *, is_loud: bool = False) -> str:
    """Run a Python module in another process and return its output.

    Args:
        module: its full name.
        stdin: text for its standard input.
        caller: gives directory, environment and deadline.
        is_loud: whether its standard error goes to ours, for progress.

    Raises:
        TimedOut: the caller's deadline has passed.
        BrowseError: it failed; the message ends with its last line.
    """
    done = _run_to_end(module, module, stdin, caller, is_loud=is_loud)
    if done.returncode:  # a traceback ends with the error
        raise BrowseError(
            f"{module} failed: {(done.stderr or '').strip().rpartition(chr(10))[2] or done.returncode}"
        )
    return done.stdout


def run_command(caller: Caller, *words: str) -> str:
    """Run a command of gbrowse (`words`: its name, arguments) as another process and return its output.

    Raises TimedOut at the caller's deadline, and BrowseError with the command's message if it fails.
    """
    done = _run_to_end(f"'{words[0]}'", "gstack_browse.client", "", caller, words)
    if done.returncode:  # the hint follows on the second line
        message = done.stderr.strip().partition("\n")[0].removeprefix("Error: ")
        raise BrowseError(message or f"'{words[0]}' ended with {done.returncode}")
    return done.stdout


def _run_to_end(
    name: str, module: str, stdin: str, caller: Caller, words: tuple[str, ...] = (), *, is_loud: bool = False
) -> "subprocess.CompletedProcess[str]":
    """Run a module to its end, with the arguments of `run_module`. Raises TimedOut, with this `name`."""
    place = Path(__file__).parents[3]
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
        raise TimedOut(f"{name} did not end within {caller.deadline_seconds:g} s") from None
