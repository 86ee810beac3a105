"""Remembers the last picture of each thing in a tab, so that one that shows nothing new need not be looked at again."""

import time
from collections.abc import Hashable
from pathlib import Path
from typing import NamedTuple

MOST = 50
"""Things to picture whose last picture is remembered, of a tab."""


class Taken(NamedTuple):
    """A picture that was saved: a digest of its file, where it is, and when it was taken by the monotonic clock."""

    digest: bytes
    path: Path
    at: float

    @property
    def age(self) -> float:
        """In seconds."""
        return time.monotonic() - self.at


class TakenPictures:
    """The last pictures of a tab by what they show: an element, a rectangle, the page."""

    def __init__(self) -> None:
        self._by_subject: dict[Hashable, Taken] = {}

    def same(self, subject: Hashable, content: bytes) -> Taken | None:
        """The last picture of the subject, if it is the very same and its file still exists."""
        taken = self._by_subject.get(subject)
        return taken if taken and taken.digest == _digest(content) and taken.path.is_file() else None

    def note(self, subject: Hashable, content: bytes, path: Path) -> None:
        """A picture of the subject was saved."""
        self._by_subject.pop(subject, None)
        self._by_subject[subject] = Taken(_digest(content), path, time.monotonic())
        if len(self._by_subject) > MOST:
            del self._by_subject[next(iter(self._by_subject))]


def _digest(content: bytes) -> bytes:
    import hashlib  # not before a picture is taken: a start waits for no more than it needs

    return hashlib.blake2b(content, digest_size=16).digest()
