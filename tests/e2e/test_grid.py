"""Test a real Selenium Grid 4: a hub with two nodes of one browser each.

`bin/test-grid` installs what is missing, and runs this.
"""

import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from tests.e2e.daemon.harness import ROOT, DaemonHarness, Site, until
from tests.grid import JAR, is_installed

STEREOTYPE = json.dumps({"browserName": "chrome", "goog:chromeOptions": {"args": ["--no-sandbox"]}})
QUEUE_SECONDS = 40
"""How long a session may wait for a free browser, its start included: on a machine that is loaded that alone takes half a minute."""
PATIENCE = 180
"""Seconds for what the Grid does in its own time."""

pytestmark = [
    pytest.mark.slow,  # the Grid keeps a session in its queue for QUEUE_SECONDS, and believes in a killed node for two minutes
    pytest.mark.skipif(not is_installed(), reason="needs a Selenium Grid: bin/test-grid installs it"),
]


def free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port: int = sock.getsockname()[1]
        return port


class Grid:
    """The processes of a Grid. `url` is the hub's."""

    def __init__(self) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.processes: list[subprocess.Popen[bytes]] = []
        publish, subscribe = (f"tcp://127.0.0.1:{free_port()}" for _ in range(2))
        bus = ["--publish-events", publish, "--subscribe-events", subscribe]
        self._run("hub", self.port, *bus, "--session-request-timeout", str(QUEUE_SECONDS))
        until(lambda: self.status() is not None, PATIENCE)
        for _ in range(2):
            self._run(
                "node", free_port(), *bus, "--selenium-manager", "false", "--detect-drivers", "false", "--max-sessions", "1",
                "--driver-configuration", "display-name=Chrome", "max-sessions=1", "webdriver-executable=/usr/bin/chromedriver",
                f"stereotype={STEREOTYPE}",
            )  # fmt: skip

    def _run(self, role: str, port: int, *words: str) -> None:
        argv = ["java", "-jar", str(JAR), role, "--host", "127.0.0.1", "--port", str(port), *words]
        quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.processes.append(subprocess.Popen(argv, start_new_session=True, **quiet))  # type: ignore[call-overload]

    def status(self) -> dict[str, object] | None:
        try:
            with urllib.request.urlopen(f"{self.url}/status", timeout=5) as answer:
                return json.load(answer)["value"]  # type: ignore[no-any-return]
        except (OSError, ValueError):
            return None

    def nodes(self) -> int:
        return sum(node["availability"] == "UP" for node in (self.status() or {}).get("nodes", []))  # type: ignore[attr-defined]

    def sessions(self) -> int:
        nodes = (self.status() or {}).get("nodes", [])
        return sum(1 for node in nodes for slot in node["slots"] if slot["session"])  # type: ignore[attr-defined]

    def node_with_a_session(self) -> psutil.Process:
        """A node whose driver runs a browser."""
        nodes = [psutil.Process(each.pid) for each in self.processes[1:]]
        return next(node for node in nodes if any("chromedriver" in child.name() for child in node.children()))

    def close(self) -> None:
        for process in self.processes:
            children = psutil.Process(process.pid).children(recursive=True) if process.poll() is None else []
            for child in children:
                with suppress(psutil.NoSuchProcess):
                    child.kill()
            process.kill()
            process.wait()


@pytest.fixture(scope="module")
def grid() -> Iterator[Grid]:
    made = Grid()
    try:
        until(lambda: made.nodes() == 2, PATIENCE)
        yield made
    finally:
        made.close()


@pytest.fixture
def homes(tmp_path: Path) -> Iterator[list[DaemonHarness]]:
    """Workspaces of three users of the Grid."""
    places = [Path(tempfile.mkdtemp(prefix="gb-")) for _ in range(3)]
    made = [DaemonHarness(place, ROOT) for place in places]
    yield made
    for home, place in zip(made, places, strict=True):
        home.close()
        shutil.rmtree(place, ignore_errors=True)


def arrive(home: DaemonHarness, url: str) -> None:
    """Go there, however long a session takes to come."""
    home.must("--timeout", str((PATIENCE - 10) * 1000), "goto", url, seconds=PATIENCE)


def test_sessions_come_go_and_are_given_back(grid: Grid, homes: list[DaemonHarness]) -> None:
    site = Site()
    for home in homes:
        home.env |= {"BROWSE_REMOTE": grid.url, "BROWSE_MAX_TABS": "20"}
    first, second, third = homes
    arrive(first, site("/"))
    assert first.must("snapshot", "-i") == '@e1 [link] "two"'
    arrive(second, site("/two"))
    assert (grid.sessions(), second.must("title"), first.must("title")) == (2, "Two", "Home")

    queued = third.run("--timeout", "20000", "goto", site("/"), seconds=PATIENCE)
    assert queued.returncode == 3, queued
    assert "has no free slot (2 of 2 in use): 1 request in its queue, with this one" in queued.stderr
    assert "has no free slot" in third.status()
    full = third.run("--timeout", "150000", "goto", site("/"), seconds=PATIENCE)
    assert full.returncode == 1
    assert "gives no session" in full.stderr

    first.must("stop")
    until(lambda: grid.sessions() == 1, PATIENCE)
    arrive(third, site("/"))
    assert grid.sessions() == 2

    daemon = third.daemon()
    third.remember(daemon)
    daemon.send_signal(signal.SIGKILL)
    daemon.wait(60)
    until(lambda: grid.sessions() == 1, PATIENCE)

    node = grid.node_with_a_session()
    with second.start("wait", "--text", "never", "--timeout", "120000") as waiting:
        until(lambda: "Running: wait" in second.status(), PATIENCE)
        for process in [*node.children(recursive=True), node]:
            os.kill(process.pid, signal.SIGKILL)
        _, said = waiting.communicate(timeout=PATIENCE)
    assert (waiting.returncode, "is gone" in said) == (6, True), said
    again = second.run("--timeout", str((PATIENCE - 10) * 1000), "goto", site("/"), seconds=PATIENCE)
    assert again.returncode == 0, again
    assert "browser state was lost (1 tab" in again.stderr, again  # on the other node
    second.must("stop")
    until(
        lambda: grid.sessions() <= 1, PATIENCE
    )  # for two minutes the hub believes in the node that was killed
    site.close()
