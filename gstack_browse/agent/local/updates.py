"""Known newer versions, and when to report them. Pure.

The files below `~/.gstack`: `last-update-check` has one line, the last check's result; `update-snoozed` has
`<version> <level> <seconds since 1970>`. After the clock was set back they count as old.
"""

from typing import NamedTuple

from gstack_browse.agent.skills.manifest import is_higher

CHECKED = "last-update-check"
BEGUN = "update-check-begun"
SNOOZED = "update-snoozed"
UPGRADED = "just-upgraded-from"
ASKED = "update-check-asked"

UP_TO_DATE_SECONDS = 60 * 60
UPGRADE_SECONDS = 12 * 60 * 60
FAILED_SECONDS = 60 * 60
BEGUN_SECONDS = 60
"""How long no second check starts after the start of one, whether that has ended or not."""
SNOOZE_SECONDS = (24 * 60 * 60, 48 * 60 * 60, 7 * 24 * 60 * 60)
"""The length of a snooze by level: the first, the second, and every later one of a version."""


class CheckResult(NamedTuple):
    """The last check's result. `line`: what to report, or ""; `is_fresh`: no new check is needed yet."""

    line: str
    is_fresh: bool
    newer: str = ""


NOTHING = CheckResult("", is_fresh=False)


def parse_result(text: str, age_seconds: float, current: str) -> CheckResult:
    """Parse the line that the last check for updates wrote `age_seconds` ago.

    `current`: the version of this gbrowse. A malformed line gives NOTHING: nothing to report, and a new check is due.
    """
    word, *rest = text.strip().split(" ")
    if word == "UP_TO_DATE" and rest == [current]:
        return CheckResult("", 0 <= age_seconds < UP_TO_DATE_SECONDS)
    if word == "UPGRADE_AVAILABLE" and len(rest) == 2 and rest[0] == current and is_higher(rest[1], current):
        return CheckResult(
            f"UPGRADE_AVAILABLE {current} {rest[1]}", 0 <= age_seconds < UPGRADE_SECONDS, rest[1]
        )
    if word == "CHECK_FAILED" and rest:
        return CheckResult(f"CHECK_FAILED {' '.join(rest)[:200]}", 0 <= age_seconds < FAILED_SECONDS)
    return NOTHING


class Snooze(NamedTuple):
    """A snoozed version: for the `level`th time, at `at` (seconds since 1970)."""

    version: str
    level: int
    at: int

    def applies_to(self, version: str, now: float) -> bool:
        """Return whether exactly this version is still snoozed at `now` (seconds since 1970)."""
        return self.version == version and 0 <= now - self.at < self.seconds

    @property
    def seconds(self) -> int:
        """Return how long the snooze lasts, in seconds."""
        return SNOOZE_SECONDS[min(self.level, len(SNOOZE_SECONDS)) - 1]

    def __str__(self) -> str:
        return f"{self.version} {self.level} {self.at}"


def parse_snooze(text: str) -> Snooze | None:
    """Parse the content of the snooze file, "VERSION LEVEL AT"; None if it is malformed."""
    words = text.split()
    if len(words) == 3 and all(word.isascii() and word.isdigit() and len(word) < 12 for word in words[1:]):
        level, at = int(words[1]), int(words[2])
        return Snooze(words[0], level, at) if level > 0 else None
    return None


def next_snooze(before: Snooze | None, version: str, now: float) -> Snooze:
    """Return a snooze for `version` from now on, longer than `before` if that is of the same version.

    `now`: seconds since 1970.
    """
    level = before.level + 1 if before and before.version == version else 1
    return Snooze(version, level, int(now))
