"""Kill each process of a cold start at every stage of it: `python -m tests.bench.kill_start`.

And look how the start ends.

A start is cut into STAGES equal parts of the time that it takes until the first command is answered. In each of them Chromium, the daemon
and the client are killed (SIGKILL), so many times each; one that is not there yet is waited for until the stage is over, and a round
without it is made up for once. Then must hold: the first command has answered, or said in a line what happened; the next `goto` and a command after that work; and once the daemon
was stopped no process is left that came of it. Needs Linux.
"""

import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import psutil

from tests.bench.contestants import gbrowse
from tests.bench.pages import served
from tests.e2e.daemon.harness import ROOT, DaemonHarness, is_daemon, until
from tests.processes import words as words_of

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


class Workspace(DaemonHarness):
    """A workspace whose client is the one that is installed."""

    def client(self) -> list[str]:
        return list(gbrowse()[0].program)

    def find(self, victim: str) -> list[psutil.Process]:
        """The daemon, or Chromium's first process, of each that runs."""
        return [process for process in self.leftovers() if _is(process, victim)]


def _is(process: psutil.Process, victim: str) -> bool:
    if victim == "chromium":
        its = " ".join(words_of(process))
        return "--remote-debugging-pipe" in its and "--type=" not in its
    with suppress(ProcessLookupError):
        # Who stays with the client and passes its answer on is in the client's session.
        return is_daemon(process) and os.getsid(process.pid) == process.pid
    return False


def round_of(space: Workspace, url: str, victim: str, delay: float, end: float) -> str:
    """Kill that process so many seconds into a cold start, or as soon as it is there, `end` at the latest.

    Returns what the first command said; raises AssertionError.
    """
    began = time.monotonic()
    first = space.start("goto", url)
    while time.monotonic() < began + delay:
        time.sleep(0.001)
    killed = psutil.Process(first.pid) if victim == "client" else None
    while killed is None and time.monotonic() < began + end:
        killed = next(iter(space.find(victim)), None)
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
    second = space.run("goto", url)
    if second.returncode == 6:  # that of a goto which had answered: its page is lost, and this says so
        second = space.run("goto", url)
    assert second.returncode == 0, f"the next goto: {second}"
    assert "Sign up" in space.must("text")
    # One whose daemon was killed in its first moments ends when it has started and sees the end of its pipe.
    until(lambda: len(space.find("chromium")) <= 1, ENDING_SECONDS)
    space.must("stop")
    space.until_gone(ENDING_SECONDS)
    return f"exit {first.returncode}: {said.replace(url, 'URL')}" if killed else NOT_THERE


def length_of_start(space: Workspace, url: str) -> float:
    """Return the seconds that a first command takes."""
    took = []
    for _ in range(4):
        began = time.monotonic()
        space.must("goto", url)
        took.append(time.monotonic() - began)
        space.must("stop")
    return min(took[1:])  # the first one fills caches


def main() -> int:
    faults = 0
    with served() as base, tempfile.TemporaryDirectory(prefix="kill", dir="/tmp") as folder:
        space, url = Workspace(Path(folder), ROOT), f"{base}/form"
        for victim in VICTIMS:
            for stage in range(STAGES):
                said: Counter[str] = Counter()
                part = length_of_start(space, url) / STAGES  # anew: others may use the machine, too
                for _ in range(2 * TIMES):
                    if said.total() - said[NOT_THERE] == TIMES:
                        break
                    try:
                        delay, end = (stage + random.random()) * part, (stage + 1) * part
                        said[round_of(space, url, victim, delay, end)] += 1
                    except (AssertionError, subprocess.TimeoutExpired) as error:
                        faults += 1
                        said[f"FAULT {error}"] += 1
                        space.run("stop")
                        for process in space.leftovers():
                            process.kill()
                print(f"{victim}, stage {stage + 1} of {STAGES}, a start of {part * STAGES * 1000:.0f} ms:")
                for words, count in said.most_common():
                    print(f"  {count:3} {words}", flush=True)
    print(f"{faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
