"""Share what solvers of MiniWoB++ need: which tasks they are for, and the page's instruction."""

import re
from collections.abc import Callable

from tests.evals.tools.browser import Browser, LostError

Solve = Callable[[Browser, str], object]
"""Does what an instruction says on a page that is open."""
SOLVERS: dict[str, Solve] = {}
"""By the package's name of a task; `__module__` says who solves it."""


def solves(*names: str) -> Callable[[Solve], Solve]:
    """Mark the solver of some tasks."""

    def mark(solve: Solve) -> Solve:
        SOLVERS.update(dict.fromkeys(names, solve))
        return solve

    return mark


def found(pattern: str, text: str) -> re.Match[str]:
    """Return where a pattern is in what was printed. Raises LostError."""
    match = re.search(pattern, text)
    if match is None:
        raise LostError(f"nothing like {pattern} was printed")
    return match


def instruction(page: Browser) -> str:
    """Return the page's instruction, in one line."""
    return " ".join(page.text("#query").split())
