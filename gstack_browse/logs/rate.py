"""Detect floods: too many messages or characters within a second. Pure: the caller passes the time."""

from collections import deque

MOST_A_SECOND = 1_000
MOST_CHARACTERS_A_SECOND = 10_000_000


class FloodDetector:
    """The messages of the last second and their characters."""

    def __init__(self) -> None:
        self._messages: deque[tuple[float, int]] = deque()
        self._characters = 0

    def add_message(self, at: float, characters: int, slower: int = 1) -> bool:
        """Count a message at time `at` (seconds); return whether the last second has too many or too much.

        `slower`: how many times slower than usual the machine is; the limits are divided by it. Messages of several threads
        may arrive slightly out of order. If the clock was set back, counting restarts.
        """
        last = self._messages[-1][0] if self._messages else at
        if at < last - 1.0:
            self.reset()
            last = at
        at = max(at, last)
        while self._messages and (at - self._messages[0][0] >= 1.0 or len(self._messages) > MOST_A_SECOND):
            self._characters -= self._messages.popleft()[1]
        self._messages.append((at, characters))
        self._characters += characters
        return (
            len(self._messages) * slower > MOST_A_SECOND or self._characters * slower > MOST_CHARACTERS_A_SECOND
        )

    def reset(self) -> None:
        """Restart counting."""
        self._messages.clear()
        self._characters = 0
