"""Known newer versions, and when to report them. Pure.

The files below `~/.gstack`: `last-update-check` has one line, the last check's result; `update-snoozed` has
`<version> <level> <seconds since 1970>`. After the clock was set back they count as old.
"""

import os
import sys
import threading
from typing import NamedTuple, NoReturn

from gstack_browse import __version__
from gstack_browse.agent.local import package_index
from gstack_browse.agent.skills.manifest import is_higher, newest
from gstack_browse.errors import BrowseError
from gstack_browse.workspace.private_files import PrivateDirectory

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
    """Parse the line of the last check for someone who runs version `current`.

    A malformed line reports nothing and is not fresh.
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
        """Return whether that version is still snoozed. A newer version is not."""
        return self.version == version and 0 <= now - self.at < self.seconds

    @property
    def seconds(self) -> int:
        """The length of the snooze in seconds."""
        return SNOOZE_SECONDS[min(self.level, len(SNOOZE_SECONDS)) - 1]

    def __str__(self) -> str:
        return f"{self.version} {self.level} {self.at}"


def parse_snooze(text: str) -> Snooze | None:
    """Parse the file's content; None if it is malformed."""
    words = text.split()
    if len(words) == 3 and all(word.isascii() and word.isdigit() and len(word) < 12 for word in words[1:]):
        level, at = int(words[1]), int(words[2])
        return Snooze(words[0], level, at) if level > 0 else None
    return None


def next_snooze(before: Snooze | None, version: str, now: float) -> Snooze:
    """Snooze `version`: longer than the last time, if that was the same version."""
    level = before.level + 1 if before and before.version == version else 1
    return Snooze(version, level, int(now))


LIMIT_SECONDS = 3.0


def main(home: str) -> NoReturn:
    """Write the result into the file below `home`, within LIMIT_SECONDS, then end the process."""
    os.setsid()  # survive a signal to the caller's process group
    found: list[str] = []
    asking = threading.Thread(target=lambda: found.append(check_line()), daemon=True)
    asking.start()
    asking.join(LIMIT_SECONDS)
    said = found[0] if found else f"CHECK_FAILED the package index did not answer in {LIMIT_SECONDS:.0f} s"
    try:
        PrivateDirectory(home).write(CHECKED, f"{said}\n".encode())
    except BrowseError as error:
        sys.stderr.write(f"{error.message}\n")
    os._exit(0)


def check_line(current: str = __version__) -> str:
    """Return the line that says whether a version newer than `current` exists."""
    configured = package_index.read_pip_configuration(os.environ)
    if not configured.indexes:
        return "CHECK_FAILED pip is configured to ask no index on the web"
    versions: list[str] = []
    failures: list[str] = []
    for index in configured.indexes:
        try:
            versions += package_index.list_versions(index, configured)
        except (OSError, ValueError, RecursionError) as error:
            failures.append(_failure_reason(error))
    if newer := newest(versions, current):
        return f"UPGRADE_AVAILABLE {current} {newer}"
    if versions or not failures:
        return f"UP_TO_DATE {current}"
    return f"CHECK_FAILED the package index cannot be asked: {failures[0]}"


def _failure_reason(error: Exception) -> str:
    """Return why a request failed, without the address, which may contain a password."""
    code = getattr(error, "code", None)
    if isinstance(code, int):
        return f"it has no {package_index.PROJECT}" if code == 404 else f"it answered {code}"
    reason = getattr(error, "reason", None) or error
    return " ".join(str(getattr(reason, "strerror", None) or reason or type(error).__name__).split())[:150]
