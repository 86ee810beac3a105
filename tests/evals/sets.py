"""Choose the tasks of a run: our own or those of a benchmark.

Small enough to be passed to another process (`--jobs`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from tests.evals import benchmarks, tasks
from tests.evals.benchmarks.places import Places
from tests.evals.task import Task

OURS, MINIWOB = "", "miniwob"
NOWHERE = Places()


@dataclass(frozen=True)
class TaskSet:
    """Tasks by name."""

    benchmark: str = OURS
    again: int = 1
    """How many problems of each task, where a benchmark makes them by a seed."""
    file: str = ""
    """Where the tasks are, for those that are read from a file."""
    places: Places = NOWHERE
    """Where the sites of those are."""
    seconds: float = 0
    """The time limit of each task; 0 for the task's own."""

    @property
    def label(self) -> str:
        """Return the name of the set: only runs of the same set are compared."""
        return f"{self.benchmark}:{Path(self.file).name}" if self.file else self.benchmark

    def every(self) -> Sequence[Task]:
        """Return all of the tasks.

        Raises OSError where a benchmark cannot be had, ValueError for a malformed file.
        """
        if self.file:
            return _from_file(self.benchmark, self.file, self.places)
        if self.benchmark == MINIWOB:
            from tests.evals import miniwob

            return miniwob.every(self.again)
        return tasks.every()

    def named(self, name: str) -> Task:
        """Raises LookupError."""
        for task in self.every():
            if task.name == name:
                limits = replace(task.limits, seconds=self.seconds) if self.seconds else task.limits
                return replace(task, limits=limits)
        raise LookupError(f"No task is called {name}")


@cache
def _from_file(benchmark: str, file: str, places: Places) -> Sequence[Task]:
    return benchmarks.tasks(benchmark, file, places)


OWN = TaskSet()
