"""Names for files whose names come from pages: nothing in them acts on a file system, a shell or a terminal. Pure."""

from collections.abc import Iterator
from itertools import count

MOST_BYTES = 120
MOST_SUFFIX_BYTES = 20
NAMELESS = "download"
_ACTIVE = frozenset("/\\:`$\"'<>|;&*?!")
"""Separators of paths, and what a shell does not take as it is. An agent may type the name as it was printed."""
_DOUBLE = (".tar",)
"""Suffixes that go together with the one behind them."""


def safe_name(suggested: str) -> str:
    """A file name that says the same as the one that a page suggests.

    One part of a path, not hidden, no option, printable (bidirectional and invisible characters are left out), of at most
    120 bytes with its suffix kept.
    """
    kept = "".join("_" if letter in _ACTIVE else letter for letter in suggested[:2000] if _is_visible(letter))
    name = " ".join(kept.split()).lstrip(".-~ ").rstrip(". ")
    stem, suffix = split(name)
    if len(suffix.encode()) > MOST_SUFFIX_BYTES:
        stem, suffix = name, ""
    room = MOST_BYTES - len(suffix.encode())
    return (stem.encode()[:room].decode(errors="ignore").rstrip() + suffix) or NAMELESS


def numbered(name: str) -> Iterator[str]:
    """That name, then the same with numbers: `r.csv`, `r-2.csv`, `r-3.csv` …"""
    stem, suffix = split(name)
    yield name
    for number in count(2):
        yield f"{stem}-{number}{suffix}"


def split(name: str) -> tuple[str, str]:
    """The name without and with its suffix: `a.tar.gz` → `a`, `.tar.gz`."""
    stem, dot, last = name.rpartition(".")
    if not (stem and last):
        return name, ""
    for double in _DOUBLE:
        if stem.lower().endswith(double) and len(stem) > len(double):
            cut = len(stem) - len(double)
            return stem[:cut], stem[cut:] + dot + last
    return stem, dot + last


def _is_visible(letter: str) -> bool:
    """Printable, or a space of some kind. What is neither (controls, formats, halves of characters) has no place in a name."""
    return letter.isprintable() or letter.isspace()
