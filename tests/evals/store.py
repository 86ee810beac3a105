"""Keep runs: in `~/.gstack-dev`, or GSTACK_EVAL_DIR. The heartbeat beside them is `live.py`'s.

    evals/_partial-e2e.json            the run that is under way, or the last one: rewritten after each test, never removed
    evals/e2e-20260314-143022.json     a finished run; no file is ever replaced
    e2e-runs/<run>/                    progress.log, <test>.ndjson, <test>-failure.json, <test>.png, junit.xml

What cannot be written is said once, and the run goes on (`guard.py`). Files are private, written in one step, and no link is
followed (`PrivateDirectory`).
"""

import json
import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from gstack_browse.errors import BrowseError
from gstack_browse.workspace.private_files import PrivateDirectory
from tests.evals.guard import Guard
from tests.evals.junit import junit
from tests.evals.run import Run, Setting, run_from_json

PARTIAL = "_partial-e2e.json"
MOST_BYTES = 50_000_000
"""Of a file that is read: a run of 1,000 tests with all their calls has some 10 MB."""
Failure = dict[str, object]


class Store:
    """Writes one run."""

    def __init__(
        self,
        root: Path,
        setting: Setting,
        *,
        seed: int | None = None,
        alone: bool = True,
        now: datetime | None = None,
    ) -> None:
        """`alone`: no other run is under way, which had the partial file and the heartbeat."""
        began = (now or datetime.now(UTC)).astimezone(UTC)
        self.guard = Guard()
        self.root = root
        self._root = PrivateDirectory(str(root))
        self._alone = alone
        self._failures: set[str] = set()
        name = began.strftime("e2e-%Y%m%d-%H%M%S")
        with self.guard("The directory of runs"):
            name = self._reserved(root, name)
        self.run = Run(name, began.isoformat(timespec="seconds"), setting, is_partial=True, seed=seed)
        if alone:
            with self.guard("The last run's partial results"):
                self._keep_what_was_killed()
        self._save_partial()

    def add(self, run: Run) -> None:
        """Keep the results so far."""
        self.run = run
        self._save_partial()

    def finish(self, run: Run) -> Path | None:
        """Keep the whole run. Returns its file; None where it could not be written."""
        self.run = run
        written = None
        with self.guard("The run"):
            whole = replace(run, is_partial=False)
            written = Path(self._root.write(f"{run.name}.json", _bytes(whole.to_json()), folder="evals"))
        with self.guard("The list of tests for CI"):
            self._root.write("junit.xml", junit(run).encode(), folder=f"e2e-runs/{run.name}")
        return written

    def progress(self, words: str) -> None:
        with self.guard("The progress log"):
            line = f"{datetime.now(UTC):%H:%M:%S} {words}\n"
            self._root.append("progress.log", line.encode("utf-8", "replace"), folder=self.folder)

    def evidence(self, test: str) -> "EvidenceFolder":
        return EvidenceFolder(self.root, self.run.name, test, self.guard)

    def failure(self, test: str, failure: Failure) -> None:
        self._failures.add(test)
        with self.guard("What is known of a failure"):
            self._root.write(f"{file_name(test)}-failure.json", _bytes(failure), folder=self.folder)

    def knows_failure(self, test: str) -> bool:
        """Whether it has been told of this failure already."""
        return test in self._failures

    @property
    def folder(self) -> str:
        return f"e2e-runs/{self.run.name}"

    def _save_partial(self) -> None:
        name = PARTIAL if self._alone else f"_partial-{self.run.name}.json"
        with self.guard("The results so far"):
            self._root.write(name, _bytes(self.run.to_json()), folder="evals")

    def _reserved(self, root: Path, name: str) -> str:
        """Return the name, with a number where there is such a run already.

        Its directory is made, so that no other run has the name.
        """
        finished = self._root.list_times("evals")
        for place in (root, root / "e2e-runs"):
            place.mkdir(mode=0o700, parents=True, exist_ok=True)
        for number in range(1, 1000):
            numbered = name if number == 1 else f"{name}-{number}"
            if f"{numbered}.json" in finished:
                continue
            with suppress(FileExistsError):
                (root / "e2e-runs" / numbered).mkdir(mode=0o700)
                return numbered
        raise FileExistsError(f"too many runs are called {name}")

    def _keep_what_was_killed(self) -> None:
        """Give a partial run without a finished one a name of its own.

        The next run would begin in its place.
        """
        raw = self._root.read(PARTIAL, folder="evals", max_bytes=MOST_BYTES)
        if raw is None:
            return
        left = run_from_json(json.loads(raw), "e2e-unknown")
        if left.tests and f"{left.name}.json" not in self._root.list_times("evals"):
            self._root.write(f"_partial-{left.name}.json", raw, folder="evals")


def runs(root: Path) -> list[Run]:
    """Every run that can be read, oldest first, partial ones among them; what cannot be read is left out.

    A partial run that was finished is shown as the finished one.
    """
    place = PrivateDirectory(str(root))
    found: dict[str, Run] = {}
    for name in sorted(_names(place)):
        run = _read(place, name)
        if run is not None and (run.name not in found or found[run.name].is_partial):
            found[run.name] = run
    return sorted(found.values(), key=lambda run: (run.when, run.name))


def unreadable(root: Path) -> list[tuple[str, str]]:
    """The files in the place of runs that cannot be read, each with the reason."""
    place = PrivateDirectory(str(root))
    found = []
    for name in sorted(_names(place)):
        try:
            run_from_json(json.loads(place.read(name, folder="evals", max_bytes=MOST_BYTES) or b""), name)
        except (BrowseError, ValueError, RecursionError) as error:
            found.append(
                (str(root / "evals" / name), str(error).partition("\n")[0][:200] or type(error).__name__)
            )
    return found


def partial(root: Path) -> Run | None:
    """The results so far of the run that is under way, or was."""
    return _read(PrivateDirectory(str(root)), PARTIAL)


def read_file(root: Path, run: str, file: str) -> bytes:
    """Return a file of a run's directory; nothing where it cannot be read."""
    try:
        place = PrivateDirectory(str(root))
        return place.read(file, folder=f"e2e-runs/{run}", max_bytes=MOST_BYTES) or b""
    except BrowseError:
        return b""


@dataclass(frozen=True)
class EvidenceFolder:
    """Folder for the evidence of one test."""

    root: Path
    run: str
    test: str
    guard: Guard = field(default_factory=Guard)

    def spoken(self, lines: bytes) -> None:
        """Keep lines of the transcript: an agent's stream as it came, or commands and what they printed."""
        with self.guard("The transcript"):
            self._place().append(f"{file_name(self.test)}.ndjson", lines, folder=self._folder)

    def picture(self, file: Path) -> None:
        """Keep what the page looked like when the test failed."""
        with self.guard("The picture of a failure"):
            self._place().write(f"{file_name(self.test)}.png", file.read_bytes(), folder=self._folder)

    def _place(self) -> PrivateDirectory:
        return PrivateDirectory(str(self.root))

    @property
    def _folder(self) -> str:
        return f"e2e-runs/{self.run}"


def file_name(test: str) -> str:
    """A test's name as a file's: `gbrowse/shop-order` is `gbrowse-shop-order`."""
    plain = re.sub(r"[^A-Za-z0-9._]+", "-", test).strip("-.")[:100]
    return plain or "test"


def _names(place: PrivateDirectory) -> Iterable[str]:
    try:
        names = place.list_times("evals")
    except BrowseError:
        return []
    return [name for name in names if name.endswith(".json") and not name.startswith(".")]


def _read(place: PrivateDirectory, name: str) -> Run | None:
    try:
        raw = place.read(name, folder="evals", max_bytes=MOST_BYTES)
        return run_from_json(json.loads(raw or b""), name.removesuffix(".json").lstrip("_"))
    except (BrowseError, ValueError, RecursionError):
        return None


def _bytes(value: object) -> bytes:
    return (json.dumps(value, indent=1, ensure_ascii=True, default=str) + "\n").encode()
