"""Write and read the heartbeat of the run that is under way: `e2e-live.json`.

The runner writes it, `watch` reads it.

A heartbeat whose process is gone is no longer one; who reads it takes it away. A process is known by its number and the time at
which it began, since numbers are used again.
"""

import json
import os
import time
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import psutil

from gstack_browse.errors import BrowseError
from gstack_browse.workspace.private_files import PrivateDirectory
from tests.evals.guard import Guard

FILE = "e2e-live.json"


@dataclass(frozen=True)
class Beat:
    """State of a run now. Times are seconds since 1970, since another process reads them."""

    run: str
    pid: int
    born: float
    """When the process began."""
    began: float
    """When the run began."""
    total: int
    done: int = 0
    failed: int = 0
    agent: str = ""
    test: str = ""
    test_began: float = 0
    turn: int = 0
    tools: int = 0
    last_tool: str = ""
    moved: float = 0
    """When something last happened: a call of a tool, or a test that began or ended."""

    @property
    def is_alive(self) -> bool:
        """Whether the process that writes it still runs."""
        try:
            return abs(psutil.Process(self.pid).create_time() - self.born) < 1
        except (psutil.Error, ValueError, TypeError, OverflowError):
            return False


@dataclass
class Heartbeat:
    """Writes the heartbeat of this process's run."""

    root: Path
    beat: Beat
    guard: Guard = field(default_factory=Guard)
    is_shown: bool = True
    """False beside another run, whose heartbeat it is."""

    def change(self, **facts: object) -> None:
        """Say what has changed, and that something moves."""
        self.beat = replace(self.beat, **{"moved": time.time(), **facts})  # type: ignore[arg-type]
        if self.is_shown:
            with self.guard("The heartbeat"):
                content = json.dumps(asdict(self.beat)).encode()
                PrivateDirectory(str(self.root)).write(FILE, content)

    def stop(self) -> None:
        """The run is over."""
        if self.is_shown:
            with self.guard("The heartbeat"):
                PrivateDirectory(str(self.root)).remove(FILE)


def begin(root: Path, run: str, total: int, agent: str, *, is_shown: bool) -> Heartbeat:
    """The heartbeat of this process."""
    now = time.time()
    beat = Beat(run, os.getpid(), psutil.Process().create_time(), now, total, agent=agent, moved=now)
    heartbeat = Heartbeat(root, beat, is_shown=is_shown)
    heartbeat.change()
    return heartbeat


def read(root: Path) -> Beat | None:
    """Return the heartbeat of any process; None where it cannot be read."""
    try:
        return Beat(**json.loads(PrivateDirectory(str(root)).read(FILE) or b"null"))
    except (BrowseError, ValueError, TypeError, RecursionError):
        return None


def alive(root: Path) -> Beat | None:
    """The heartbeat of a run that is under way; one of a dead process is taken away."""
    beat = read(root)
    if beat is None or beat.is_alive:
        return beat
    with Guard()("The heartbeat"):
        PrivateDirectory(str(root)).remove(FILE)
    return None
