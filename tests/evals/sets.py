"""Choose the tasks of a run: our own or those of MiniWoB++.

Small enough to be passed to another process (`--jobs`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

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
    seconds: float = 0
    """The time limit of each task; 0 for the task's own."""

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
                limits = replace(task.limits, seconds=self.seconds) if self.seconds else task.limits
                return replace(task, limits=limits)
        raise LookupError(f"No task is called {name}")


OWN = TaskSet()
