"""The tasks: classes, in a module for each site. A task's name is that of its class, in small letters."""

from functools import cache
from importlib import import_module
from inspect import isabstract
from pathlib import Path

from tests.evals.task import Task


@cache
def every() -> tuple[Task, ...]:
    """All tasks, by name."""
    modules = [import_module(f"{__name__}.{path.stem}") for path in Path(__file__).parent.glob("[a-z]*.py")]
    classes = {each for module in modules for each in vars(module).values() if isinstance(each, type)}
    found = [each() for each in classes if issubclass(each, Task) and not isabstract(each)]
    return tuple(sorted(found, key=lambda task: task.name))


def named(name: str) -> Task:
    """Raises LookupError."""
    for task in every():
        if task.name == name:
            return task
    raise LookupError(f"No task is called {name}: {', '.join(task.name for task in every())}")
