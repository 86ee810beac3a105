"""What was reviewed, and whether this tree may be shipped: records a line each, and the table made of them. Pure."""

import json
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from gstack_browse.text.columns import aligned

DAY = 86_400
FRESH_SECONDS = 7 * DAY
ENGINEERING = ("review", "plan-eng-review")
"""Reviews of which one must be clean, fresh and of this very tree."""
KNOWN = (*ENGINEERING, "plan-ceo-review", "plan-design-review", "design-review", "qa")
MAX_RECORDS = 10_000


class Review(NamedTuple):
    """A review. `tree`: hash of the reviewed files; `time`: seconds since 1970."""

    skill: str
    time: float
    status: str
    unresolved: int = 0
    critical: int = 0
    mode: str = ""
    commit: str = ""
    tree: str = ""

    def line(self) -> bytes:
        """The record as a line of the file."""
        return json.dumps(self._asdict(), separators=(",", ":")).encode() + b"\n"

    @property
    def is_clean(self) -> bool:
        """Whether nothing is left to do."""
        return self.status == "clean" and not self.unresolved and not self.critical


def parsed(content: bytes) -> list[Review]:
    """The records of a file, oldest first. Lines that are none are left out: another program may have written one."""
    found = (_record(line) for line in content.splitlines()[-MAX_RECORDS:])
    return [record for record in found if record]


def _record(line: bytes) -> Review | None:
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
    """Whether the tree is cleared, and why."""

    is_cleared: bool
    reason: str


def verdict(records: Iterable[Review], tree: str, now: float) -> Verdict:
    """CLEARED by the last engineering review: clean, below seven days old, of this very tree."""
    engineering = [record for record in records if record.skill in ENGINEERING]
    if not engineering:
        return Verdict(False, "no engineering review was recorded")
    last = engineering[-1]
    age = now - last.time
    if not last.is_clean:
        return Verdict(False, f"{last.skill} is not clean: {state(last)}")
    if not -DAY < age < FRESH_SECONDS:
        return Verdict(False, f"{last.skill} is {shown_age(age)} old; below 7 days is needed")
    if not tree or last.tree != tree:
        return Verdict(False, f"the files have changed since {last.skill} looked at them")
    return Verdict(True, f"{last.skill} was clean, of these very files, {shown_age(age)} ago")


def dashboard(records: Sequence[Review], tree: str, now: float) -> str:
    """A row for each kind of review, the last run of each, and the verdict."""
    last = {record.skill: record for record in records}
    rows = [("REVIEW", "RUNS", "LAST", "STATUS", "COMMIT", "FILES")]
    for name in dict.fromkeys((*KNOWN, *last)):
        if record := last.get(name):
            runs = sum(item.skill == name for item in records)
            files = "as now" if tree and record.tree == tree else "changed since"
            age = f"{shown_age(now - record.time)} ago"
            rows.append((name, str(runs), age, state(record), record.commit or "-", files))
        else:
            rows.append((name, "0", "-", "not run", "-", "-"))
    found = verdict(records, tree, now)
    return "\n".join([aligned(rows), "", f"{'CLEARED' if found.is_cleared else 'NOT CLEARED'}: {found.reason}"])


def state(record: Review) -> str:
    """`clean`, or what is left."""
    left = [
        f"{count} {word}"
        for count, word in ((record.critical, "critical"), (record.unresolved, "unresolved"))
        if count
    ]
    mode = f" ({record.mode})" if record.mode else ""
    return record.status + (f", {', '.join(left)}" if left else "") + mode


def shown_age(seconds: float) -> str:
    """`5 min`, `3 h`, `2 d`; a time to come counts as now."""
    minutes = max(0, int(seconds // 60))
    if minutes < 60:
        return f"{minutes} min"
    return f"{minutes // 60} h" if minutes < 48 * 60 else f"{minutes // 1440} d"
