"""A bounded log that counts all entries ever added, so that a reader can ask for new ones."""

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

Entry = TypeVar("Entry")

CAPACITY = 50_000
MOST_CHARACTERS = 10_000_000
"""Limit of page text in all entries: 50,000 of the longest messages would take 500 MB."""


class Ring(Generic[Entry]):
    """The last `capacity` entries, fewer if they are long. `characters` measures an entry."""

    def __init__(self, capacity: int = CAPACITY, characters: Callable[[Entry], int] = lambda entry: 0) -> None:
        self._capacity = capacity
        self._characters = characters
        self._total_characters = 0
        """Characters of all entries."""
        self._entries: deque[tuple[int, Entry]] = deque()
        self.total = 0
        """The number of entries ever added; the cursor of the next one."""
        self._first = 0
        """The cursor of the oldest entry still held."""
        self._watchers: list[Callable[[], object]] = []

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[Entry]:
        return (entry for _, entry in self._entries)

    def add(self, entry: Entry) -> None:
        """Append an entry, dropping the oldest ones beyond the limits, and call the watchers."""
        self._entries.append((self.total, entry))
        self.total += 1
        self._total_characters += self._characters(entry)
        while len(self._entries) > self._capacity or self._total_characters > MOST_CHARACTERS:
            number, oldest = self._entries.popleft()
            self._total_characters -= self._characters(oldest)
            self._first = number + 1
        if self._watchers:
            self.notify_watchers()

    def continue_count(self, total: int) -> None:
        """Continue the count of an earlier log."""
        self.total = max(self.total, total)
        if not self._entries:
            self._first = self.total

    @contextmanager
    def watch(self, changed: Callable[[], object]) -> Iterator[None]:
        """Call `changed` whenever an entry is added or changed, while the context is entered."""
        self._watchers.append(changed)
        try:
            yield
        finally:
            self._watchers.remove(changed)

    def notify_watchers(self) -> None:
        """Call the watchers, after an entry has changed."""
        for changed in self._watchers:
            changed()

    def count_lost(self, cursor: int) -> int:
        """Return how many entries since the cursor have been dropped."""
        return max(self._first - cursor, 0)

    def remove(self, is_unwanted: Callable[[Entry], bool]) -> int:
        """Remove matching entries and return their number; cursors stay valid."""
        kept = [item for item in self._entries if not is_unwanted(item[1])]
        forgotten = len(self._entries) - len(kept)
        self._entries.clear()
        self._entries.extend(kept)
        self._total_characters = sum(self._characters(entry) for _, entry in kept)
        return forgotten

    def entries_since(self, cursor: int) -> list[Entry]:
        """Return the entries since `total` was `cursor` that are still held."""
        if cursor == self.total:
            return []
        found = []
        for number, entry in reversed(self._entries):
            if number < cursor:
                break
            found.append(entry)
        return found[::-1]
