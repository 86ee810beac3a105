"""Detects floods: more messages or characters in a second than a limit. Pure: the caller passes the time."""

from collections import deque

MOST_A_SECOND = 1_000
MOST_CHARACTERS_A_SECOND = 10_000_000


class Rate:
    """How much was said within the last second: messages and their characters."""

    def __init__(self) -> None:
        self._said: deque[tuple[float, int]] = deque()
        self._characters = 0

    def is_exceeded(self, at: float, characters: int, slower: int = 1) -> bool:
        """Count one more message, said at `at` (seconds); whether the second up to then has too many, or too much.

        So many times slower than usual is who says that: so many times less is too much.

        Messages of several threads may come a little out of order. A clock that was set back begins anew.
        """
        last = self._said[-1][0] if self._said else at
        if at < last - 1.0:
            self.forget()
            last = at
        at = max(at, last)
        while self._said and (at - self._said[0][0] >= 1.0 or len(self._said) > MOST_A_SECOND):
            self._characters -= self._said.popleft()[1]
        self._said.append((at, characters))
        self._characters += characters
        return len(self._said) * slower > MOST_A_SECOND or self._characters * slower > MOST_CHARACTERS_A_SECOND

    def forget(self) -> None:
        """Begin anew."""
        self._said.clear()
        self._characters = 0
