"""Read tasks of other people's benchmarks from their files.

Files and sites are not part of this repository.
"""

from pathlib import Path

from tests.evals.benchmarks import webarena, webvoyager
from tests.evals.benchmarks.places import Places
from tests.evals.task import Task

FORMATS = {"webarena": webarena.tasks, "webvoyager": webvoyager.tasks}
MOST_BYTES = 50_000_000


def tasks(format: str, file: str, places: Places) -> tuple[Task, ...]:
    """The tasks of a file. Raises OSError, and ValueError for what is no such file."""
    path = Path(file)
    if path.stat().st_size > MOST_BYTES:
        raise ValueError(f"{file} is larger than {MOST_BYTES:,} bytes")
    try:
        return tuple(FORMATS[format](path.read_text(encoding="utf-8"), places, path.parent))
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{file} is no file of tasks of {format}: {error!r}") from error
