"""A bounded log that remembers how much it ever held, so that a reader can ask for what is new."""

from collections import deque
from collections.abc import Iterator
from itertools import islice
from typing import Generic, TypeVar

Entry = TypeVar("Entry")

CAPACITY = 50_000


class Ring(Generic[Entry]):
    """The last `capacity` entries. Adding is O(1); what falls out is counted."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._entries: deque[Entry] = deque(maxlen=capacity)
        self.total = 0
        """How many entries were ever added; the cursor of the next one."""

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._entries)

    def add(self, entry: Entry) -> None:
        self._entries.append(entry)
        self.total += 1

    def clear(self) -> None:
        """Forget the entries; cursors stay valid."""
        self._entries.clear()

    def since(self, cursor: int) -> list[Entry]:
        """The entries added after `total` was `cursor`, as far as they are still held."""
        wanted = min(self.total - cursor, len(self._entries))
        if wanted <= 0:
            return []
        return list(islice(self._entries, len(self._entries) - wanted, None))
