"""Records of reviews, and the decision whether the current files may be shipped. Pure."""

import json
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from gstack_browse.text.table_output import align_columns

DAY = 86_400
FRESH_SECONDS = 7 * DAY
ENGINEERING = ("review", "plan-eng-review")
"""Reviews of which the last must be clean, recent, and of the current files."""
KNOWN = (*ENGINEERING, "plan-ceo-review", "plan-design-review", "design-review", "qa")
MAX_RECORDS = 10_000


class Review(NamedTuple):
    """A review. `tree`: git's hash of the reviewed files; `time`: seconds since 1970."""

    skill: str
    time: float
    status: str
    unresolved: int = 0
    critical: int = 0
    mode: str = ""
    commit: str = ""
    tree: str = ""

    def to_line(self) -> bytes:
        """Return the record as a line of JSON."""
        return json.dumps(self._asdict(), separators=(",", ":")).encode() + b"\n"

    @property
    def is_clean(self) -> bool:
        """Return whether no finding is left."""
        return self.status == "clean" and not self.unresolved and not self.critical


def parse_records(content: bytes) -> list[Review]:
    """Parse a file of review records, oldest first; skip malformed lines, as others may write there."""
    found = (_parse_record(line) for line in content.splitlines()[-MAX_RECORDS:])
    return [record for record in found if record]


def _parse_record(line: bytes) -> Review | None:
    """Parse a review record, one line of JSON; None if it is malformed."""
    try:
        fields: Any = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(fields, dict):
        return None
    values = {name: fields[name] for name in Review._fields if name in fields}
    for name, kind in Review.__annotations__.items():
        wanted = (int, float) if kind is float else kind
        if name in values and (not isinstance(values[name], wanted) or isinstance(values[name], bool)):
            return None
    if not {"skill", "time", "status"} <= values.keys() or not abs(values["time"]) < 1e12:
        return None
    return Review(**values)


class Verdict(NamedTuple):
    """Whether the files are cleared to ship, and the reason."""

    is_cleared: bool
    reason: str


def judge(records: Iterable[Review], tree: str, now: float) -> Verdict:
    """Decide whether the project's current files are cleared to ship.

    `tree`: git's hash of them; `now`: seconds since 1970. The last engineering review must be clean, less than seven
    days old, and of these files.
    """
    engineering = [record for record in records if record.skill in ENGINEERING]
    if not engineering:
        return Verdict(False, "no engineering review was recorded")
    last = engineering[-1]
    age = now - last.time
    if not last.is_clean:
        return Verdict(False, f"{last.skill} is not clean: {describe_state(last)}")
    if not -DAY < age < FRESH_SECONDS:
        return Verdict(False, f"{last.skill} is {format_age(age)} old; below 7 days is needed")
    if not tree or last.tree != tree:
        return Verdict(False, f"the files have changed since {last.skill} looked at them")
    return Verdict(True, f"{last.skill} was clean, of these very files, {format_age(age)} ago")


def render_dashboard(records: Sequence[Review], tree: str, now: float) -> str:
    """Render a table of the last review by each skill, and whether they let the project ship.

    `tree`: git's hash of the files as they are now. `now`: seconds since 1970.
    """
    last = {record.skill: record for record in records}
    rows = [("REVIEW", "RUNS", "LAST", "STATUS", "COMMIT", "FILES")]
    for name in dict.fromkeys((*KNOWN, *last)):
        if record := last.get(name):
            runs = sum(item.skill == name for item in records)
            files = "as now" if tree and record.tree == tree else "changed since"
            age = f"{format_age(now - record.time)} ago"
            rows.append((name, str(runs), age, describe_state(record), record.commit or "-", files))
        else:
            rows.append((name, "0", "-", "not run", "-", "-"))
    found = judge(records, tree, now)
    return "\n".join(
        [align_columns(rows), "", f"{'CLEARED' if found.is_cleared else 'NOT CLEARED'}: {found.reason}"]
    )


def describe_state(record: Review) -> str:
    """Return a review's status with the findings left and its mode: `issues, 2 critical (quick)`."""
    left = [
        f"{count} {word}"
        for count, word in ((record.critical, "critical"), (record.unresolved, "unresolved"))
        if count
    ]
    mode = f" ({record.mode})" if record.mode else ""
    return record.status + (f", {', '.join(left)}" if left else "") + mode


def format_age(seconds: float) -> str:
    """Format an age: `5 min`, `3 h`, `2 d`; a negative one counts as 0."""
    minutes = max(0, int(seconds // 60))
    if minutes < 60:
        return f"{minutes} min"
    return f"{minutes // 60} h" if minutes < 48 * 60 else f"{minutes // 1440} d"
