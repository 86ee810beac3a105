"""Run a program to its end, or to its deadline, and hand on each line that it prints.

Knows nothing of agents and tasks.

The program is a process group of its own. At the deadline, when it floods, or when it stays after it has said that it is done,
the group is asked to end (SIGTERM) and, if it does not, made to (SIGKILL). The end of its output is not waited for: what it left
behind may hold the pipe open.
"""

import os
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

GRACE_SECONDS = 5.0
"""Between SIGTERM and SIGKILL."""
LINGER_SECONDS = 30.0
"""A program may stay so long after it has said that it is done."""
TICK_SECONDS = 0.2
DRAIN_SECONDS = 1.0
"""For what a program had printed before it ended."""
MOST_LINE, MOST_OUTPUT, MOST_COMPLAINT = 8_000_000, 200_000_000, 20_000
"""Bytes of one line, of all of them, and of standard error (its end)."""
Hear = Callable[[bytes, int], bool]
"""Takes a line and the milliseconds since the start; tells whether the program has said that it is done."""


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


@dataclass
class Lines:
    """Bytes to lines. One that is too long is cut, and its rest left out."""

    most: int = MOST_LINE
    _rest: bytes = b""
    _is_cut: bool = False

    def take(self, data: bytes) -> list[bytes]:
        *whole, self._rest = (self._rest + data).split(b"\n")
        if whole and self._is_cut:
            del whole[0]
            self._is_cut = False
        if len(self._rest) > self.most:
            if not self._is_cut:
                whole.append(self._rest[:100])
            self._rest, self._is_cut = b"", True
        return [line[: self.most] for line in whole]

    def last(self) -> list[bytes]:
        """Return the bytes after the last newline."""
        rest, self._rest = self._rest, b""
        return [rest] if rest and not self._is_cut else []


@dataclass
class _Session:
    """A program that runs."""

    process: subprocess.Popen[bytes]
    hear: Hear
    began: float = field(default_factory=time.monotonic)
    lines: Lines = field(default_factory=Lines)
    complaint: bytes = b""
    received: int = 0
    timed_out: bool = False
    flooded: bool = False
    leave_at: float = float("inf")
    kill_at: float = float("inf")

    def read(self, key: selectors.SelectorKey) -> bool:
        """Take what there is to read. False at the end."""
        data = os.read(key.fd, 1 << 16)
        if key.data == "complaint":
            self.complaint = (self.complaint + data)[-MOST_COMPLAINT:]
        else:
            self.received += len(data)
            self._pass_on(self.lines.take(data))
        return bool(data)

    def _pass_on(self, lines: Sequence[bytes]) -> None:
        for line in lines:
            if self.hear(line, self.milliseconds):
                self.leave_at = min(self.leave_at, time.monotonic() + LINGER_SECONDS)

    @property
    def milliseconds(self) -> int:
        return round((time.monotonic() - self.began) * 1000)

    def keep_limits(self, seconds: float) -> None:
        """Ask the program to end, or make it end, where that is due."""
        now = time.monotonic()
        if now >= self.kill_at:
            self.signal(signal.SIGKILL)
        elif self.kill_at == float("inf"):
            self.timed_out = now - self.began >= seconds and self.leave_at == float("inf")
            self.flooded = self.received > MOST_OUTPUT
            if self.timed_out or self.flooded or now >= self.leave_at:
                self.signal(signal.SIGTERM)
                self.kill_at = now + GRACE_SECONDS

    def signal(self, number: int) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, number)

    def finish(self) -> None:
        """The last line, if it has no end."""
        self._pass_on(self.lines.last())


def run(program: Program, hear: Hear) -> EndedProgram:
    """Run a program. Raises OSError when it cannot be started."""
    with program.prompt.open("rb") as prompt:
        process = subprocess.Popen(
            program.words,
            cwd=program.cwd,
            env=dict(program.environment),
            stdin=prompt,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    assert process.stdout
    assert process.stderr
    session = _Session(process, hear)
    with process.stdout, process.stderr, selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ, "lines")
        selector.register(process.stderr, selectors.EVENT_READ, "complaint")
        try:
            _follow(session, selector, program.seconds)
        finally:
            # Also when this process is interrupted. The group may be left without its leader.
            session.signal(signal.SIGKILL)
            process.wait()
    session.finish()
    words = session.complaint.decode("utf-8", "replace")
    return EndedProgram(process.returncode, session.milliseconds, session.timed_out, session.flooded, words)


def _follow(session: _Session, selector: selectors.BaseSelector, seconds: float) -> None:
    """Read until the program has ended and what it had printed is read."""
    over_at = float("inf")
    while True:
        if over_at == float("inf") and session.process.poll() is not None:
            over_at = time.monotonic()
        is_over = over_at < float("inf")
        ready = selector.select(0 if is_over else TICK_SECONDS)
        for key, _ in ready:
            if not session.read(key):
                selector.unregister(key.fileobj)
        if not is_over:
            session.keep_limits(seconds)
        # What the program has left behind may go on printing.
        elif not ready or time.monotonic() - over_at > DRAIN_SECONDS:
            return
