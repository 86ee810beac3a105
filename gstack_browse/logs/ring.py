"""A bounded log that remembers how much it ever held, so that a reader can ask for what is new."""

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

Entry = TypeVar("Entry")

CAPACITY = 50_000
MOST_CHARACTERS = 10_000_000
"""Of what pages wrote into the entries: 50,000 of the longest messages would be 500 MB."""


class Ring(Generic[Entry]):
    """The last `capacity` entries, fewer where they are long (`characters` measures one). `total` counts all that were ever added."""

    def __init__(self, capacity: int = CAPACITY, characters: Callable[[Entry], int] = lambda entry: 0) -> None:
        self._capacity = capacity
        self._characters = characters
        self._held = 0
        """Characters of all entries."""
        self._entries: deque[tuple[int, Entry]] = deque()
        self.total = 0
        """How many entries were ever added; the cursor of the next one."""
        self._first = 0
        """The cursor of the first entry that has not fallen out."""
        self._watchers: list[Callable[[], object]] = []

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[Entry]:
        return (entry for _, entry in self._entries)

    def add(self, entry: Entry) -> None:
        self._entries.append((self.total, entry))
        self.total += 1
        self._held += self._characters(entry)
        while len(self._entries) > self._capacity or self._held > MOST_CHARACTERS:
            number, oldest = self._entries.popleft()
            self._held -= self._characters(oldest)
            self._first = number + 1
        if self._watchers:
            self.touch()

    def go_on_from(self, total: int) -> None:
        """Continue the count of an earlier log."""
        self.total = max(self.total, total)
        if not self._entries:
            self._first = self.total

    @contextmanager
    def watched(self, changed: Callable[[], object]) -> Iterator[None]:
        """While this is entered, call `changed` whenever an entry was added, or became another."""
        self._watchers.append(changed)
        try:
            yield
        finally:
            self._watchers.remove(changed)

    def touch(self) -> None:
        """An entry has changed: call the watchers."""
        for changed in self._watchers:
            changed()

    def missing(self, cursor: int) -> int:
        """How many entries of those since the cursor have fallen out."""
        return max(self._first - cursor, 0)

    def forget(self, is_unwanted: Callable[[Entry], bool]) -> int:
        """Forget such entries; cursors stay valid. Returns how many there were."""
        kept = [item for item in self._entries if not is_unwanted(item[1])]
        forgotten = len(self._entries) - len(kept)
        self._entries.clear()
        self._entries.extend(kept)
        self._held = sum(self._characters(entry) for _, entry in kept)
        return forgotten

    def since(self, cursor: int) -> list[Entry]:
        """The entries added after `total` was `cursor`, as far as they are still held."""
        if cursor == self.total:
            return []
        found = []
        for number, entry in reversed(self._entries):
            if number < cursor:
                break
            found.append(entry)
        return found[::-1]
