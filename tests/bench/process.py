"""Run one command as a shell would, time it, and give it up at a deadline.

Knows nothing of browsers.
"""

import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

ENDINGS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class HungError(Exception):
    """A command did not end within its deadline."""


@dataclass(frozen=True)
class TimedCommand:
    """Result of a command.

    Wall time from before its start until it was reaped, exit code, output.
    """

    seconds: float
    code: int
    output: str
    complaint: str

    @property
    def ms(self) -> float:
        return round(self.seconds * 1000, 2)


def timed(
    words: Sequence[str],
    *,
    cwd: Path | None = None,
    environment: Mapping[str, str] | None = None,
    stdin: str = "",
    deadline: float = 60,
) -> TimedCommand:
    """Run a command to its end; exit code 127 where it cannot be run. Raises HungError after `deadline` s.

    Its output goes to files: a daemon that it leaves behind may hold them open, and a pipe would wait for that one.
    """
    with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        said.write(stdin.encode())
        said.seek(0)
        with _alarm(deadline):
            begun = time.perf_counter()
            try:
                process = subprocess.Popen(words, cwd=cwd, env=environment, stdin=said, stdout=out, stderr=err)
            except OSError as error:
                return TimedCommand(0, 127, "", str(error))
            try:
                # Without `timeout`, which would look every few milliseconds instead of waiting.
                code = process.wait()
                seconds = time.perf_counter() - begun
            except BaseException:
                process.kill()
                process.wait()
                raise
        out.seek(0)
        err.seek(0)
        return TimedCommand(
            seconds, code, out.read().decode(errors="replace"), err.read().decode(errors="replace").strip()
        )


def leave_in_order(words: str = "") -> None:
    """Have signals end this program in order.

    What was started is stopped on the way out, which a second signal does not cut short.
    """

    def leave(number: int, _frame: FrameType | None) -> None:
        for each in ENDINGS:
            signal.signal(each, signal.SIG_IGN)
        if words:
            print(words, file=sys.stderr)
        sys.exit(128 + number)

    for number in ENDINGS:
        signal.signal(number, leave)


@contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    """Raise HungError in the main thread when the block takes longer."""

    def ring(_signal: int, _frame: FrameType | None) -> None:
        raise HungError(f"no end after {seconds:g} s")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
