"""Run a program to its end, or to its deadline, and hand on each line that it prints.

Knows nothing of agents and tasks.

The program is a process group of its own. At the deadline, when it floods, or when it stays after it has said that it is done,
the group is asked to end (SIGTERM) and, if it does not, made to (SIGKILL). It prints into files: what it leaves behind may hold
a pipe open.
"""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile

GRACE_SECONDS = 5.0
"""Between SIGTERM and SIGKILL."""
LINGER_SECONDS = 30.0
"""A program may stay so long after it has said that it is done."""
TICK_SECONDS = 0.1
MOST_OUTPUT, MOST_COMPLAINT = 200_000_000, 20_000
"""Bytes of all lines, and of standard error (its end)."""
Hear = Callable[[bytes], bool]
"""Takes a line; tells whether the program has said that it is done."""


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
    complaint: str
    """The end of its standard error."""


def run(program: Program, hear: Hear) -> EndedProgram:
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
        lines = _Lines(output.fileno())
        done_at = float("inf")
        timed_out = flooded = False
        try:
            while not _has_ended(process, TICK_SECONDS):
                for line in lines.take():
                    if hear(line):
                        done_at = min(done_at, time.monotonic())
                now = time.monotonic()
                timed_out = now - began >= program.seconds and done_at == float("inf")
                flooded = lines.place > MOST_OUTPUT
                if timed_out or flooded or now - done_at >= LINGER_SECONDS:
                    _signal(process, signal.SIGTERM)
                    _has_ended(process, GRACE_SECONDS)
                    break
        finally:
            # Also when this process is interrupted. The group may be left without its leader.
            _signal(process, signal.SIGKILL)
            process.wait()
        milliseconds = round((time.monotonic() - began) * 1000)
        for line in lines.take(is_all=True):
            hear(line)
        said = os.pread(complaint.fileno(), MOST_COMPLAINT, max(0, complaint.seek(0, 2) - MOST_COMPLAINT))
    return EndedProgram(process.returncode, milliseconds, timed_out, flooded, said.decode("utf-8", "replace"))


@dataclass
class _Lines:
    """The lines of a file that grows."""

    file: int
    place: int = 0
    rest: bytes = b""
    """The beginning of a line whose end has not come."""

    def take(self, *, is_all: bool = False) -> list[bytes]:
        """Return the lines that have come since the last time; with `is_all` also what has no end."""
        added = os.pread(self.file, os.fstat(self.file).st_size - self.place, self.place)
        self.place += len(added)
        *whole, self.rest = (self.rest + added).split(b"\n")
        return [*whole, self.rest] if is_all and self.rest else whole


def _has_ended(process: subprocess.Popen[bytes], seconds: float) -> bool:
    """Return whether the process ends within so many seconds."""
    with suppress(subprocess.TimeoutExpired):
        process.wait(seconds)
    return process.returncode is not None


def _signal(process: subprocess.Popen[bytes], number: int) -> None:
    """Send a signal to the process and what it has started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, number)
