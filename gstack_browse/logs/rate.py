"""Tells when something comes faster than anybody could read it. Pure: the clock is the caller's."""

MOST_A_SECOND = 1_000
MOST_CHARACTERS_A_SECOND = 10_000_000


class Rate:
    """How much came in the running second: entries and their characters."""

    def __init__(self) -> None:
        self._since = float("-inf")
        self._entries = 0
        self._characters = 0

    def is_exceeded(self, now: float, characters: int) -> bool:
        """Count one more entry, at `now` (seconds); whether that is too many of them, or too much, for one second."""
        if now - self._since >= 1.0:
            self._since = now
            self._entries = self._characters = 0
        self._entries += 1
        self._characters += characters
        return self._entries > MOST_A_SECOND or self._characters > MOST_CHARACTERS_A_SECOND
