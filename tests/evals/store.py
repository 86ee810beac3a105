"""Keep runs: in `~/.gstack-dev`, or GSTACK_EVAL_DIR.

    evals/e2e-20260314-143022.json     a run: written anew after each test
    e2e-runs/<run>/                    <test>.ndjson, <test>.png

What cannot be written is said once, and the run goes on. Files are private, written in one step, and no link is followed
(`PrivateDirectory`).
"""

import json
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

from gstack_browse.errors import BrowseError
from gstack_browse.workspace.private_files import PrivateDirectory
from tests.evals.result import Result
from tests.evals.run import Run, Setting, run_from_json

MOST_BYTES = 50_000_000
"""Of a file that is read: a run of 1,000 tests with all their calls has some 10 MB."""


def directory() -> Path:
    """Return the directory of the runs."""
    named = os.environ.get("GSTACK_EVAL_DIR")
    return Path(os.path.abspath(os.path.expanduser(named or "~/.gstack-dev")))


def folder(root: Path, run: str) -> Path:
    """Return the directory of a run's transcripts and pictures."""
    return root / "e2e-runs" / run


class Store:
    """Writes one run."""

    def __init__(
        self, root: Path, setting: Setting, *, seed: int | None = None, now: datetime | None = None
    ) -> None:
        began = (now or datetime.now(UTC)).astimezone(UTC)
        self._root = PrivateDirectory(str(root))
        self._said: set[str] = set()
        name = began.strftime("e2e-%Y%m%d-%H%M%S")
        with self._guarded("The directory of runs"):
            name = _reserve(root, name)
        self.run = Run(name, began.isoformat(timespec="seconds"), setting, is_partial=True, seed=seed)
        self._save()

    def add(self, test: Result, wall_clock_ms: int) -> None:
        """Keep the results so far."""
        self.run = self.run.with_test(test, wall_clock_ms)
        self._save()

    def finish(self) -> bool:
        """Keep the whole run. Return whether it could be written."""
        self.run = replace(self.run, is_partial=False)
        return self._save()

    def keep_lines(self, test: str, lines: bytes) -> None:
        """Keep lines of a test's transcript: an agent's stream as it came, or commands and what they printed."""
        with self._guarded("The transcript"):
            self._root.append(f"{file_name(test)}.ndjson", lines, folder=self._folder)

    def keep_picture(self, test: str, file: Path) -> None:
        """Keep what the page looked like when the test failed."""
        with self._guarded("The picture of a failure"):
            self._root.write(f"{file_name(test)}.png", file.read_bytes(), folder=self._folder)

    @property
    def _folder(self) -> str:
        return f"e2e-runs/{self.run.name}"

    def _save(self) -> bool:
        with self._guarded("The run"):
            content = json.dumps(self.run.to_json(), indent=1, default=str) + "\n"
            self._root.write(f"{self.run.name}.json", content.encode(), folder="evals")
        return "The run" not in self._said

    @contextmanager
    def _guarded(self, what: str) -> Iterator[None]:
        """Say trouble with what is kept once for each kind, and never raise it."""
        try:
            yield
        except (OSError, BrowseError, ValueError) as error:
            if what not in self._said:
                self._said.add(what)
                print(f"{what} could not be written, the run goes on: {error}", file=sys.stderr)


def _reserve(root: Path, name: str) -> str:
    """Make the directory of a run. Returns its name, with a number where there is such a run already."""
    for number in count(1):
        numbered = name if number == 1 else f"{name}-{number}"
        if not (place := folder(root, numbered)).exists():
            place.mkdir(mode=0o700, parents=True)
            break
    return numbered


def runs(root: Path) -> list[Run]:
    """Return every run that can be read, oldest first. Say why others cannot."""
    found = []
    place = PrivateDirectory(str(root))
    for path in sorted((root / "evals").glob("e2e-*.json"), key=lambda path: path.stem):
        try:
            raw = place.read(path.name, folder="evals", max_bytes=MOST_BYTES)
            found.append(run_from_json(json.loads(raw or b"")))
        except (BrowseError, ValueError, RecursionError) as error:
            print(f"{path}: cannot be read: {error}", file=sys.stderr)
    return found


def file_name(test: str) -> str:
    """A test's name as a file's: `gbrowse/shop-order` is `gbrowse-shop-order`."""
    plain = re.sub(r"[^A-Za-z0-9._]+", "-", test).strip("-.")[:100]
    return plain or "test"
