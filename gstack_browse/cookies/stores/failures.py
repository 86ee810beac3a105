"""What can go wrong while cookies or their keys are fetched. Texts never repeat what a file or service said."""


class Unreadable(Exception):
    """A database nothing can be read from; the text says why."""


class NoKey(Exception):
    """A key cannot be had; the text says why, `advice` what to do."""

    def __init__(self, why: str, advice: str = "") -> None:
        super().__init__(why)
        self.advice = advice
