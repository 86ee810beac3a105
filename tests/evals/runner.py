"""Run a program to its end, or to its deadline, and return what it printed.

Knows nothing of agents and tasks.

The program is a process group of its own. At the deadline, or when it floods, the group is asked to end (SIGTERM) and, if it does
not, made to (SIGKILL). It prints into files: what it leaves behind may hold a pipe open.
"""

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile

GRACE_SECONDS = 5.0
"""Between SIGTERM and SIGKILL."""
TICK_SECONDS = 0.1
MOST_OUTPUT, MOST_COMPLAINT = 200_000_000, 20_000
"""Bytes of standard output, and of standard error (its end)."""


@dataclass(frozen=True)
class Program:
    """A program to run, with its words and its directory."""

    words: Sequence[str]
    cwd: Path
    environment: Mapping[str, str]
    prompt: Path
    """Its standard input."""
    seconds: float


@dataclass(frozen=True)
class EndedProgram:
    """End of a program. `code` is negative after a signal."""

    code: int
    milliseconds: int
    timed_out: bool
    flooded: bool
    output: bytes
    complaint: str
    """The end of its standard error."""


def run(program: Program) -> EndedProgram:
    """Run a program. Raises OSError when it cannot be started."""
    with program.prompt.open("rb") as prompt, TemporaryFile() as output, TemporaryFile() as complaint:
        process = subprocess.Popen(
            program.words,
            cwd=program.cwd,
            env=dict(program.environment),
            stdin=prompt,
            stdout=output,
            stderr=complaint,
            start_new_session=True,
        )
        began = time.monotonic()
        timed_out = flooded = False
        try:
            while not _has_ended(process, TICK_SECONDS):
                timed_out = time.monotonic() - began >= program.seconds
                flooded = os.fstat(output.fileno()).st_size > MOST_OUTPUT
                if timed_out or flooded:
                    _signal(process, signal.SIGTERM)
                    _has_ended(process, GRACE_SECONDS)
                    break
        finally:
            # Also when this process is interrupted. The group may be left without its leader.
            _signal(process, signal.SIGKILL)
            process.wait()
        milliseconds = round((time.monotonic() - began) * 1000)
        printed = os.pread(output.fileno(), MOST_OUTPUT, 0)
        said = os.pread(complaint.fileno(), MOST_COMPLAINT, max(0, complaint.seek(0, 2) - MOST_COMPLAINT))
    return EndedProgram(
        process.returncode, milliseconds, timed_out, flooded, printed, said.decode("utf-8", "replace")
    )


def _has_ended(process: subprocess.Popen[bytes], seconds: float) -> bool:
    """Return whether the process ends within so many seconds."""
    with suppress(subprocess.TimeoutExpired):
        process.wait(seconds)
    return process.returncode is not None


def _signal(process: subprocess.Popen[bytes], number: int) -> None:
    """Send a signal to the process and what it has started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, number)
