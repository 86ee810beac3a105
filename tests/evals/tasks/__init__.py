"""The tasks, one file each. A file without `TASK` is shared by some of them."""

from functools import cache
from importlib import import_module
from pathlib import Path

from tests.evals.task import Task


@cache
def every() -> tuple[Task, ...]:
    """All tasks, by name."""
    modules = [import_module(f"{__name__}.{path.stem}") for path in Path(__file__).parent.glob("[a-z]*.py")]
    found = [module.TASK for module in modules if hasattr(module, "TASK")]
    return tuple(sorted(found, key=lambda task: task.name))


def named(name: str) -> Task:
    """Raises LookupError."""
    for task in every():
        if task.name == name:
            return task
    raise LookupError(f"No task is called {name}: {', '.join(task.name for task in every())}")
