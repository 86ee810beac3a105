"""Kill each process of a cold start at every stage of it: `python -m tests.bench.kill_start`.

And look how the start ends.

A start is cut into STAGES equal parts of the time that it takes until the first command is answered. In each of them Chromium, the daemon
and the client are killed (SIGKILL), so many times each; one that is not there yet is waited for until the stage is over, and a round
without it is made up for once. Then must hold: the first command has answered, or said in a line what happened; the next `goto` and a command after that work; and once the daemon
was stopped no process is left that came of it. Ends with a table of the rounds. Needs Linux.
"""

import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import psutil

from tests.bench.contestants import gbrowse
from tests.bench.pages import served

VICTIMS = ("chromium", "daemon", "client")
STAGES = 5
SECONDS = 60.0
"""What any command may take."""
TIMES = 20
"""Kills of each process in each stage."""
ENDING_SECONDS = 10.0
"""What a process may take to end that nobody needs any more."""
UNCLEAR = ("Internal error", "Traceback")
NOT_THERE = "was not there"


class Workspace:
    """A workspace with a temporary directory of its own, which tells its processes from others."""

    def __init__(self, folder: Path, url: str) -> None:
        self.url = url
        self.folder = folder / "workspace"
        self.folder.mkdir()
        self.tmp = folder / "t"
        self.tmp.mkdir()
        self.environment = {**os.environ, "TMPDIR": str(self.tmp)}

    def start(self, *words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [*gbrowse()[0].program, *words],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *words: str) -> tuple[int, str]:
        """Exit code and all that was said."""
        process = self.start(*words)
        out, err = process.communicate(timeout=SECONDS)
        return process.returncode, out + err

    def processes(self) -> Iterator[psutil.Process]:
        """Everything that runs with its temporary directory, or in one in that."""
        for number in psutil.pids():
            try:
                # Chromium writes over its environment.
                known = [Path(f"/proc/{number}/{what}").read_bytes() for what in ("environ", "cmdline")]
                if number != os.getpid() and any(os.fsencode(self.tmp) in words for words in known):
                    yield psutil.Process(number)
            except (psutil.Error, OSError):
                continue

    def find(self, name: str) -> Iterator[psutil.Process]:
        """The daemon, or Chromium's first process, of each that runs."""
        for process in self.processes():
            with suppress(psutil.Error, ProcessLookupError):
                words = " ".join(process.cmdline())
                is_chromium = "--remote-debugging-pipe" in words and "--type=" not in words
                # Who stays with the client and passes its answer on is in the client's session.
                is_daemon = "gbrowse-daemon" in words and os.getsid(process.pid) == process.pid
                if is_chromium if name == "chromium" else is_daemon:
                    yield process


def round_of(space: Workspace, victim: str, delay: float, until: float) -> str:
    """Kill that process so many seconds into a cold start, or as soon as it is there, `until` so many.

    Returns what the first command said; raises AssertionError.
    """
    began = time.monotonic()
    first = space.start("goto", space.url)
    while time.monotonic() < began + delay:
        time.sleep(0.001)
    killed = psutil.Process(first.pid) if victim == "client" else None
    while killed is None and time.monotonic() < began + until:
        killed = next(space.find(victim), None)
    if killed:
        try:
            killed.kill()
            if victim != "client":  # which is ours to wait for
                killed.wait(10)  # else the next command may still reach it
        except psutil.Error:
            killed = None
    out, err = first.communicate(timeout=SECONDS)
    said = " ".join((out + err).split())[:160]
    assert not any(word in said for word in UNCLEAR), f"unclear: {said}"
    is_plain = first.returncode == 0 or victim == "client" or "Error:" in err
    assert is_plain, f"no reason: {first.returncode} {said}"
    second = space.run("goto", space.url)
    if second[0] == 6:  # that of a goto which had answered: its page is lost, and this says so
        second = space.run("goto", space.url)
    assert second[0] == 0, f"the next goto: {second}"
    text = space.run("text")
    assert text[0] == 0, f"the command after it: {text}"
    assert "Sign up" in text[1], f"another page: {text}"
    # One whose daemon was killed in its first moments ends when it has started and sees the end of its pipe.
    _wait_for_at_most(1, lambda: space.find("chromium"))
    stopped = space.run("stop")
    assert stopped[0] == 0, f"stop: {stopped}"
    _wait_for_at_most(0, space.processes)
    return f"exit {first.returncode}: {said.replace(space.url, 'URL')}" if killed else NOT_THERE


def _wait_for_at_most(most: int, find: Callable[[], Iterator[psutil.Process]]) -> None:
    """Wait until `find` returns at most `most` processes. Fail after ENDING_SECONDS."""
    until = time.monotonic() + ENDING_SECONDS
    while len(left := list(find())) > most and time.monotonic() < until:
        time.sleep(0.05)
    assert len(left) <= most, f"left: {left}"


def length_of_start(space: Workspace) -> float:
    """Return the seconds that a first command takes."""
    took = []
    for _ in range(4):
        began = time.monotonic()
        code, said = space.run("goto", space.url)
        assert code == 0, said
        took.append(time.monotonic() - began)
        space.run("stop")
    return min(took[1:])  # the first one fills caches


def _row(victim: str, stage: int, said: Counter[str]) -> str:
    faults = sum(count for words, count in said.items() if words.startswith("FAULT"))
    answered = sum(count for words, count in said.items() if words.startswith("exit 0"))
    times = said.total() - said[NOT_THERE]
    words = "–" if victim == "client" else times - answered - faults
    cells = (times, answered, words, faults) if times else ("not there yet", "–", "–", "–")
    return f"| {victim} | {stage + 1} | {' | '.join(map(str, cells))} |"


def main() -> int:
    rows: list[str] = []
    faults = 0
    with served() as base, tempfile.TemporaryDirectory(prefix="kill", dir="/tmp") as folder:
        space = Workspace(Path(folder), f"{base}/form")
        for victim in VICTIMS:
            for stage in range(STAGES):
                said: Counter[str] = Counter()
                part = length_of_start(space) / STAGES  # anew: others may use the machine, too
                for _ in range(2 * TIMES):
                    if said.total() - said[NOT_THERE] == TIMES:
                        break
                    try:
                        words = round_of(space, victim, (stage + random.random()) * part, (stage + 1) * part)
                        said[words] += 1
                    except (AssertionError, subprocess.TimeoutExpired) as error:
                        faults += 1
                        said[f"FAULT {error}"] += 1
                        space.run("stop")
                        for process in space.processes():
                            process.kill()
                rows.append(_row(victim, stage, said))
                print(f"{victim}, stage {stage + 1} of {STAGES}, a start of {part * STAGES * 1000:.0f} ms:")
                for words, count in said.most_common():
                    print(f"  {count:3} {words}", flush=True)
    print(
        "| killed | stage | times | the command had answered | it said why not | faults |",
        "|---" * 6 + "|",
        sep="\n",
    )
    print("\n".join(rows))
    print(f"{faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
