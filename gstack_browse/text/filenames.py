"""Make file names of pages' suggestions that act on no file system, shell or terminal. Pure."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import PurePath

MOST_BYTES = 120
MOST_SUFFIX_BYTES = 20
NAMELESS = "download"
_ACTIVE = frozenset("/\\:`$\"'<>|;&*?!")
"""Path separators, and characters special to a shell: an agent may type the printed name."""


def safe_name(suggested: str) -> str:
    """Return a file name like `suggested`, which comes from a page, that is safe to use.

    It is one component of a path, not hidden, not an option, printable (without bidirectional and invisible characters),
    and has at most 120 bytes with its suffix.
    """
    visible = (letter for letter in suggested[:2000] if letter.isprintable() or letter.isspace())
    kept = "".join("_" if letter in _ACTIVE else letter for letter in visible)
    name = " ".join(kept.split()).lstrip(".-~ ").rstrip(". ")
    stem, suffix = split_suffix(name)
    if len(suffix.encode()) > MOST_SUFFIX_BYTES:
        stem, suffix = name, ""
    room = MOST_BYTES - len(suffix.encode())
    return (stem.encode()[:room].decode(errors="ignore").rstrip() + suffix) or NAMELESS


def number_names(name: str) -> Iterator[str]:
    """Yield a file name, then numbered variants of it: `r.csv`, `r-2.csv`, `r-3.csv` and so on."""
    stem, suffix = split_suffix(name)
    yield name
    for number in count(2):
        yield f"{stem}-{number}{suffix}"


def split_suffix(name: str) -> tuple[str, str]:
    """Split a file name into stem and suffix: `a.tar.gz` → `a`, `.tar.gz`."""
    found = re.fullmatch(r"(.+?)((?:\.tar)?\.[^.]+)", name, re.DOTALL | re.IGNORECASE)
    return (found[1], found[2]) if found else (name, "")


def shorten_paths(paths: Sequence[PurePath]) -> list[str]:
    """Return each path's file name, with as many parents as are needed to tell it from the others."""
    most = max((len(path.parts) for path in paths), default=0)
    shown = {path: path.name for path in paths}
    for parts in range(2, most + 1):
        several = Counter(shown.values())
        shown = {
            path: str(PurePath(*path.parts[-parts:])) if several[name] > 1 else name
            for path, name in shown.items()
        }
    return [shown[path] for path in paths]
