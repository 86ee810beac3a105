"""Keep trouble with observations of a run away from the run, and name the directory of runs."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from gstack_browse.errors import BrowseError


def directory() -> Path:
    """Return the directory of the runs."""
    named = os.environ.get("GSTACK_EVAL_DIR")
    return Path(os.path.abspath(os.path.expanduser(named or "~/.gstack-dev")))


class Guard:
    """Say trouble with observations once for each kind, and never raise it."""

    def __init__(self, say: Callable[[str], None] | None = None) -> None:
        self._say = say or _say
        self._said: set[str] = set()

    @contextmanager
    def __call__(self, what: str) -> Iterator[None]:
        try:
            yield
        except (OSError, BrowseError, ValueError, RecursionError) as error:
            if what not in self._said:
                self._said.add(what)
                self._say(f"{what} could not be written, the run goes on: {error}")


def _say(words: str) -> None:
    print(words, file=sys.stderr)
