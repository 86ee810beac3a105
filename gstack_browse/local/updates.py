"""What is known of newer versions, and when it is said: the table of times. Pure.

The files below `~/.gstack`: `last-update-check` holds one line, what the last check found; `update-snoozed` holds
`<version> <level> <seconds since 1970>`. A clock that was set back makes them old, never valid for longer.
"""

from typing import NamedTuple

from gstack_browse.skills.versions import is_higher

CHECKED = "last-update-check"
BEGUN = "update-check-begun"
SNOOZED = "update-snoozed"
UPGRADED = "just-upgraded-from"
ASKED = "update-check-asked"

UP_TO_DATE_SECONDS = 60 * 60
UPGRADE_SECONDS = 12 * 60 * 60
FAILED_SECONDS = 60 * 60
BEGUN_SECONDS = 60
"""A check that was begun is not begun again for so long, whether it has ended or not."""
SNOOZE_SECONDS = (24 * 60 * 60, 48 * 60 * 60, 7 * 24 * 60 * 60)
"""By level: the first, the second, and every later time that a version is put off."""


class Known(NamedTuple):
    """The last check's result: `line` is what there is to say, `is_fresh` whether it need not be checked again."""

    line: str
    is_fresh: bool
    newer: str = ""


NOTHING = Known("", is_fresh=False)


def known(text: str, age_seconds: float, current: str) -> Known:
    """What the file says to somebody who runs `current`. What makes no sense says nothing and is not fresh."""
    word, *rest = text.strip().split(" ")
    if word == "UP_TO_DATE" and rest == [current]:
        return Known("", 0 <= age_seconds < UP_TO_DATE_SECONDS)
    if word == "UPGRADE_AVAILABLE" and len(rest) == 2 and rest[0] == current and is_higher(rest[1], current):
        return Known(f"UPGRADE_AVAILABLE {current} {rest[1]}", 0 <= age_seconds < UPGRADE_SECONDS, rest[1])
    if word == "CHECK_FAILED" and rest:
        return Known(f"CHECK_FAILED {' '.join(rest)[:200]}", 0 <= age_seconds < FAILED_SECONDS)
    return NOTHING


class Snooze(NamedTuple):
    """A version that was put off: for the `level`th time, at `at` seconds since 1970."""

    version: str
    level: int
    at: int

    def holds(self, version: str, now: float) -> bool:
        """Whether that version is still put off. A newer one is not."""
        return self.version == version and 0 <= now - self.at < self.seconds

    @property
    def seconds(self) -> int:
        """For how many seconds the version is put off."""
        return SNOOZE_SECONDS[min(self.level, len(SNOOZE_SECONDS)) - 1]

    def __str__(self) -> str:
        return f"{self.version} {self.level} {self.at}"


def snooze(text: str) -> Snooze | None:
    """The file's content; None for what makes no sense."""
    words = text.split()
    if len(words) == 3 and all(word.isascii() and word.isdigit() and len(word) < 12 for word in words[1:]):
        level, at = int(words[1]), int(words[2])
        return Snooze(words[0], level, at) if level > 0 else None
    return None


def next_snooze(before: Snooze | None, version: str, now: float) -> Snooze:
    """Put `version` off: for longer than the last time, if that was the same version."""
    level = before.level + 1 if before and before.version == version else 1
    return Snooze(version, level, int(now))
