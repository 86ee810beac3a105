"""Choose the tasks of a run: our own or those of MiniWoB++."""

from collections.abc import Sequence
from dataclasses import dataclass

from tests.evals import tasks
from tests.evals.task import Task

OURS, MINIWOB = "", "miniwob"


@dataclass(frozen=True)
class TaskSet:
    """Tasks by name."""

    label: str = OURS
    """Empty for our own, else MINIWOB: only runs of the same set are compared."""
    again: int = 1
    """How many problems of each task, where a benchmark makes them by a seed."""

    def every(self) -> Sequence[Task]:
        """Return all of the tasks. Raises OSError where MiniWoB++ cannot be had."""
        if self.label == MINIWOB:
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
