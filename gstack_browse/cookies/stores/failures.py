"""Errors while reading cookies or their keys. Their texts never quote a file or a service."""


class Unreadable(Exception):
    """A database cannot be read; the text says why."""


class NoKey(Exception):
    """A key is not available; the text says why, `advice` what to do."""

    def __init__(self, why: str, advice: str = "") -> None:
        super().__init__(why)
        self.advice = advice
