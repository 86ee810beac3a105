"""Many commands: a hundred in the ways there are, and how many requests one connection carries."""

import json
import socket
import time
from collections.abc import Sequence
from pathlib import Path

from gstack_browse.client import connect
from gstack_browse.errors import BrowseError
from tests.bench.contestants import Contestant
from tests.bench.figures import Row, Runs
from tests.bench.process import HungError
from tests.bench.steps import BATCH, OPTIONS

SECONDS = 6.0
"""What one process each may take; a slower tool's rate is taken from what it did until then."""
REPEATS = 3
# playwright-cli takes a script of Playwright's where the others take a list of commands.
SCRIPT = (
    "for (let n = 0; n < 25; n++) { await page.evaluate('1+1'); await page.fill('#name', 'Ada 1');"
    " await page.click('#go'); await page.selectOption('#country', 'Germany') }"
)


def hundred(contestants: Sequence[Contestant]) -> dict[str, Row]:
    """100 commands (js, fill, click, select in turn), ms for all of them, by the way they are sent."""
    able = [one for one in contestants if one.can("together")]
    return {
        "one process each": {one.name: _one_by_one(one) for one in able},
        "one process for all": {one.name: _together(one) for one in able if one.name != "Python client"},
        "Python, one connection": {"gbrowse": _connected(contestants[0].workspace)},
    }


def _one_by_one(one: Contestant) -> Runs:
    spent: list[float] = []
    try:
        for turn in range(100):
            action = BATCH[turn % len(BATCH)]
            done = one.run(action, expression="1+1", round=turn, option=OPTIONS[turn // 4 % 2])
            if done.code:
                return Runs(spent, fault=f"failed: exit {done.code}: {done.complaint[:100]}")
            spent.append(done.ms)
            if sum(spent) > SECONDS * 1000 and len(spent) % len(BATCH) == 0:
                break
    except HungError as error:
        return Runs(spent, fault=f"hung: {error}")
    return Runs([round(sum(spent) / len(spent) * 100, 2)], extrapolated=len(spent) < 100)


def _together(one: Contestant) -> Runs:
    filled = {"expression": "1+1", "round": "1", "option": "Germany"}
    listed = [[word.format_map(filled) for word in one.tool.words[action]] for action in BATCH] * 25
    runs = Runs()
    try:
        for _ in range(REPEATS):
            done = one.run("together", stdin=json.dumps(listed), steps=SCRIPT, deadline=60)
            runs.ms.append(done.ms)
            if done.code:
                runs.fault = f"failed: exit {done.code}: {done.complaint[:100]}"
                break
    except HungError as error:
        runs.fault = f"hung: {error}"
    return runs


def _connected(workspace: Path) -> Runs:
    """The Python client object: 100 calls on one connection."""
    runs = Runs()
    try:
        with connect(workspace=workspace, start=False) as browse:
            for _ in range(REPEATS):
                begun = time.perf_counter()
                for turn in range(25):
                    browse("js", "1+1")
                    browse("fill", "#name", f"Ada {turn}")
                    browse("click", "#go")
                    browse("select", "#country", OPTIONS[turn % 2])
                runs.ms.append(round((time.perf_counter() - begun) * 1000, 2))
    except BrowseError as error:
        runs.fault = f"failed: {error.message}"
    return runs


def requests(workspace: Path) -> dict[str, float]:
    """`url` a second on one connection, one at a time and pipelined."""
    line = json.dumps({"cmd": "url", "reply": "json"}).encode() + b"\n"
    with socket.socket(socket.AF_UNIX) as client, client.makefile("rb") as replies:
        client.settimeout(30)
        client.connect(str(workspace / ".gstack/browse.sock"))
        begun = time.perf_counter()
        for _ in range(3_000):
            client.sendall(line)
            replies.readline()
        alone = 3_000 / (time.perf_counter() - begun)
        begun = time.perf_counter()
        for _ in range(300):
            client.sendall(line * 32)
            for _ in range(32):
                replies.readline()
        together = 9_600 / (time.perf_counter() - begun)
    return {"one at a time": round(alone), "pipelined": round(together)}
