"""The tasks, one module each, named as its file. A module without `SITE` is shared by some of them.

A module has SITE, PROMPT, `prepare`, `solve` and `check` (or BUGS, for a bug hunt), and may have LIMITS, SOLVERS and CANNOT: see `Task`.
"""

from functools import cache, partial
from importlib import import_module
from pathlib import Path
from types import ModuleType

from tests.evals.hunt import verdict
from tests.evals.task import Limits, Task


@cache
def every() -> tuple[Task, ...]:
    """All tasks, by name."""
    modules = [import_module(f"{__name__}.{path.stem}") for path in Path(__file__).parent.glob("[a-z]*.py")]
    found = [_task_of(module) for module in modules if hasattr(module, "SITE")]
    return tuple(sorted(found, key=lambda task: task.name))


def _task_of(module: ModuleType) -> Task:
    is_hunt = hasattr(module, "BUGS")
    return Task(
        name=module.__name__.rpartition(".")[2].replace("_", "-"),
        site=module.SITE,
        prompt=module.PROMPT,
        prepare=module.prepare,
        check=(lambda case, outcome: ()) if is_hunt else module.check,
        solver=module.solve,
        limits=getattr(module, "LIMITS", Limits()),
        solvers=getattr(module, "SOLVERS", {}),
        cannot=getattr(module, "CANNOT", {}),
        verdict=partial(verdict, possible=module.BUGS) if is_hunt else None,
    )


def named(name: str) -> Task:
    """Raises LookupError."""
    for task in every():
        if task.name == name:
            return task
    raise LookupError(f"No task is called {name}: {', '.join(task.name for task in every())}")
