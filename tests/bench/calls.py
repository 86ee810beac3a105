"""Count how far a command travels in the daemon.

The functions of ours that it calls, and how often the file changes from one to the next.

`python -m tests.bench.calls [--each] [words …]` runs a daemon of its own on the form of the benchmark, and counts over one run of the
command (by default `click` of the form's button by its ref), which has run before. `--each` lists the calls in their order, by depth.
Resumptions of a coroutine count as no call; functions of other packages and of Python do not count either.
"""

import argparse
import json
import os
import re
import sys
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import Any

from tests.bench.pages import served
from tests.bench.where import started

PACKAGE = str(Path(__file__).parents[2] / "gstack_browse") + os.sep
WARM_ROUNDS = 3


def main() -> None:
    """Print the two numbers, and the calls when they are asked for."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.calls", description=__doc__)
    parser.add_argument("words", nargs="*", help="the command (default: click @<the button>)")
    parser.add_argument("--each", action="store_true", help="list the calls")
    parser.add_argument("--daemon", metavar="WORKSPACE", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.daemon:
        _be_the_daemon(options.daemon)
    with served() as base, started("tests.bench.calls", base + "/form") as ask:
        ask("goto", base + "/form")
        listed = json.loads(ask("snapshot", "-i"))["text"]

        button = re.findall(r"@e\d+", listed.partition('"Continue"')[0])[-1]
        words = options.words or ["click", button]
        for _ in range(WARM_ROUNDS):
            ask(*words)
        calls = [tuple(call) for call in json.loads(ask(*words))["calls"]]
    if options.each:
        for depth, file, function in calls:
            print(f"{'  ' * depth}{file.removesuffix('.py')} {function}")
    files = [file for _, file, _ in calls]
    changes = sum(one != other for one, other in pairwise(files))
    print(f"{' '.join(words)}: {len(calls)} calls, {changes} changes of file")


def _be_the_daemon(workspace: str) -> None:
    """Run a daemon whose replies have one more field, `calls`.

    Depth, file and name of each function, in order.
    """
    from gstack_browse import protocol
    from gstack_browse.daemon.process.starter import main as daemon
    from gstack_browse.daemon.request import dispatch

    answer, encode = dispatch.Dispatch.answer, protocol.encode_reply
    counted = _Counted()

    async def counted_answer(self: Any, request: Any, say: Any) -> Any:
        counted.begin()
        try:
            return await answer(self, request, say)
        finally:
            counted.end()

    def encode_counted(request: Any, reply: Any) -> bytes:
        line = json.loads(encode(request, reply))
        return json.dumps({**line, "calls": counted.calls}).encode() + b"\n"

    dispatch.Dispatch.answer = counted_answer  # type: ignore[method-assign]
    protocol.encode_reply = encode_counted
    daemon(["gbrowse-daemon", workspace])


class _Counted:
    """The calls of one command."""

    def __init__(self) -> None:
        self.calls: list[tuple[int, str, str]] = []
        self._frames: dict[int, FrameType] = {}

    def begin(self) -> None:
        self.calls, self._frames = [], {}
        sys.setprofile(self._event)

    def end(self) -> None:
        sys.setprofile(None)
        self._frames.clear()

    def _event(self, frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event != "call" or not code.co_filename.startswith(PACKAGE) or id(frame) in self._frames:
            return
        self._frames[id(frame)] = frame  # held, so that its id stays its own
        self.calls.append((_depth(frame), code.co_filename.removeprefix(PACKAGE), code.co_qualname))


def _depth(frame: FrameType | None) -> int:
    """How many functions of ours stand above this one."""
    depth = -1
    while frame:
        depth += frame.f_code.co_filename.startswith(PACKAGE)
        frame = frame.f_back
    return depth


if __name__ == "__main__":
    main()
