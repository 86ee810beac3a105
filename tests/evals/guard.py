"""Where observations of a run go, and the one place where trouble with them ends."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from gstack_browse.errors import BrowseError


def directory() -> Path:
    """Where runs are kept."""
    named = os.environ.get("GSTACK_EVAL_DIR")
    return Path(os.path.abspath(os.path.expanduser(named or "~/.gstack-dev")))


class Guard:
    """The one place where trouble with observations ends: said once for each kind of trouble, never raised."""

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
