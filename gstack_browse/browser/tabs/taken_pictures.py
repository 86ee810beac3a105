"""Remembers the last picture of each subject in a tab, so that an unchanged one is recognised."""

import time
from collections.abc import Hashable
from pathlib import Path
from typing import NamedTuple

MOST = 50
"""Limit for subjects of a tab whose last picture is remembered."""


class Taken(NamedTuple):
    """A saved picture: the digest of its file, its path, and the monotonic time it was taken."""

    digest: bytes
    path: Path
    at: float

    @property
    def age(self) -> float:
        """Return the picture's age in seconds."""
        return time.monotonic() - self.at


class TakenPictures:
    """The last pictures of a tab by what they show: an element, a rectangle, the page."""

    def __init__(self) -> None:
        self._by_subject: dict[Hashable, Taken] = {}

    def same(self, subject: Hashable, content: bytes) -> Taken | None:
        """Return the last picture of a subject if its content is identical and its file still exists."""
        taken = self._by_subject.get(subject)
        return taken if taken and taken.digest == _digest(content) and taken.path.is_file() else None

    def note(self, subject: Hashable, content: bytes, path: Path) -> None:
        """Remember a saved picture of a subject."""
        self._by_subject.pop(subject, None)
        self._by_subject[subject] = Taken(_digest(content), path, time.monotonic())
        if len(self._by_subject) > MOST:
            del self._by_subject[next(iter(self._by_subject))]


def _digest(content: bytes) -> bytes:
    import hashlib  # imported late: a start does not need it

    return hashlib.blake2b(content, digest_size=16).digest()
