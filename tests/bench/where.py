"""Measure where the time of the hot commands goes: in the daemon, or in Chromium.

`python -m tests.bench.where` runs a daemon of its own with a clock in its connection to Chromium, and prints for each
command medians over the rounds: its time inside the daemon, the messages it sent and how long at least one of them was out; and the
processor time that a round cost each of the two.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil

from tests.bench.memory import daemon_of, seconds_of
from tests.bench.pages import served
from tests.e2e.daemon.harness import Wire

STEPS = (
    ("/form", "js", ["1+1"]),
    ("/form", "is", ["visible", "#go"]),
    ("/form", "click", ["#go"]),
    ("/form", "fill", ["#name", "Ada"]),
    ("/form", "select", ["#country", "Germany"]),
    ("/form", "hover", ["#go"]),
    ("/form", "screenshot", ["--viewport", "shot.png"]),
    ("/form", "goto", ["{base}/form"]),
    ("/form", "snapshot", ["-i"]),
    ("/news", "text", []),
    ("/news", "snapshot", ["-i"]),
    ("/table-1000", "snapshot", ["-i"]),
)
ROUNDS = 60
HEADINGS = ("command", "whole", "waiting", "messages", "daemon", "Chromium")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.where", description=__doc__)
    parser.add_argument("--daemon", metavar="WORKSPACE", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.daemon:
        _be_the_daemon(options.daemon)
    print(f"{HEADINGS[0]:26}" + "".join(f"{heading:>10}" for heading in HEADINGS[1:]))
    with served() as base, started(base + "/form") as (wire, daemon):
        for page, command, words in STEPS:
            _ask(wire, "goto", base + page)
            print(_row(page, command, [word.format(base=base) for word in words], wire, daemon))


def _row(page: str, command: str, words: list[str], wire: Wire, daemon: psutil.Process) -> str:
    for _ in range(5):
        _ask(wire, command, *words)
    before = _processor_seconds(daemon)
    told = [_ask(wire, command, *words) for _ in range(ROUNDS)]
    spent = [
        (after - begun) * 1000 / ROUNDS for after, begun in zip(_processor_seconds(daemon), before, strict=True)
    ]
    whole, waiting, messages = (statistics.median(item["clock"][index] for item in told) for index in range(3))
    cells = [f"{whole:10.2f}", f"{waiting:10.2f}", f"{messages:10.0f}", *(f"{ms:10.2f}" for ms in spent)]
    return f"{command + ', ' + page[1:]:26}" + "".join(cells)


def _processor_seconds(daemon: psutil.Process) -> tuple[float, float]:
    """Processor time so far, of the daemon, and of everything that it has started."""
    return seconds_of(daemon), sum(map(seconds_of, daemon.children(recursive=True)))


def _ask(wire: Wire, command: str, *words: str) -> dict[str, Any]:
    """Return the reply, with the clock's reading."""
    reply = wire.ask(command, *words)
    if not reply["ok"]:
        sys.exit(f"{command}: {reply}")
    return reply


@contextmanager
def started(url: str) -> Iterator[tuple[Wire, psutil.Process]]:
    """Start a daemon under the clock, at that page; yield a connection to it, and its process."""
    with tempfile.TemporaryDirectory(prefix="gbrowse-where-") as workspace:
        (Path(workspace) / ".gstack").mkdir()
        first = json.dumps({"cmd": "goto", "args": [url]}).encode() + b"\n"
        words = [sys.executable, "-m", "tests.bench.where", "--daemon", workspace]
        said = subprocess.run(words, input=first, stdout=subprocess.PIPE, check=True).stdout
        if said != b"ready\n":
            sys.exit(f"The daemon did not start: {said!r}")
        with Wire(Path(workspace) / ".gstack/browse.sock") as wire:
            try:
                yield wire, daemon_of(Path(workspace))
            finally:
                _ask(wire, "stop")


def _be_the_daemon(workspace: str) -> None:
    """A daemon whose replies have one more field, `clock`: whole ms, waiting ms, messages."""
    from gstack_browse import protocol
    from gstack_browse.browser.cdp.session import Session
    from gstack_browse.daemon.process.starter import main as daemon
    from gstack_browse.daemon.request import dispatch

    clock = _Clock()
    answer, encode = dispatch.Dispatch.answer, protocol.encode_reply

    def timed(send: Callable[..., Any]) -> Callable[..., Any]:
        """A function that sends a message and returns the future of its answer."""

        def send_timed(*words: Any, **options: Any) -> Any:
            future = send(*words, **options)
            clock.sent()
            future.add_done_callback(lambda _: clock.answered())
            return future

        return send_timed

    async def timed_answer(self: Any, request: Any, say: Any) -> Any:
        clock.begin()
        reply = await answer(self, request, say)
        clock.end()
        return reply

    def timed_encode(request: Any, reply: Any) -> bytes:
        line = json.loads(encode(request, reply))
        return json.dumps({**line, "clock": clock.reading}).encode() + b"\n"

    Session.send = timed(Session.send)  # type: ignore[method-assign]
    dispatch.Dispatch.answer = timed_answer  # type: ignore[method-assign]
    protocol.encode_reply = timed_encode
    daemon(["gbrowse-daemon", os.fspath(workspace)])


class _Clock:
    """Milliseconds of one command: all of it, and those in which a message was out."""

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        self._begun = time.perf_counter()
        self._out = self.messages = 0
        self._waited = 0.0
        self.reading = (0.0, 0.0, 0)

    def sent(self) -> None:
        if not self._out:
            self._since = time.perf_counter()
        self._out += 1
        self.messages += 1

    def answered(self) -> None:
        if self._out == 1:
            self._waited += time.perf_counter() - self._since
        self._out = max(self._out - 1, 0)

    def end(self) -> None:
        now = time.perf_counter()
        self.reading = ((now - self._begun) * 1000, self._waited * 1000, self.messages)


if __name__ == "__main__":
    main()
