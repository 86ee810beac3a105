"""Which tasks a run is of: our own or those of a benchmark. Small enough to be told to another process (`--jobs`)."""

from collections.abc import Sequence
from dataclasses import dataclass

from tests.evals import tasks
from tests.evals.task import Task

OURS, MINIWOB = "", "miniwob"


@dataclass(frozen=True)
class TaskSet:
    """Tasks by name."""

    benchmark: str = OURS
    again: int = 1
    """How many problems of each task, where a benchmark makes them by a seed."""

    @property
    def label(self) -> str:
        """What runs are compared by: only those of the same tasks."""
        return self.benchmark

    def every(self) -> Sequence[Task]:
        """All of them. Raises OSError where a benchmark cannot be had."""
        if self.benchmark == MINIWOB:
            from tests.evals import miniwob

            return miniwob.every(self.again)
        return tasks.every()

    def named(self, name: str) -> Task:
        """Raises LookupError."""
        for task in self.every():
            if task.name == name:
                return task
        raise LookupError(f"No task is called {name}")


OWN = TaskSet()
