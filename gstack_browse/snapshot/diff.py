"""What changed between two snapshots, as a unified diff. References are stable, so an inserted row is one line."""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

NO_CHANGES = "(no changes)"
_CONTEXT = 2

_Opcodes = list[tuple[str, int, int, int, int]]


def unified(before: Sequence[str], after: Sequence[str]) -> str:
    """A unified diff with hunks, or NO_CHANGES. What both have at their ends is skipped: it costs nothing."""
    head = _common(before, after)
    tail = _common(before[head:][::-1], after[head:][::-1])
    if head == len(before) == len(after):
        return NO_CHANGES
    start = max(head - _CONTEXT, 0)
    stops = [max(len(side) - max(tail - _CONTEXT, 0), start) for side in (before, after)]
    matcher = SequenceMatcher(None, before[start : stops[0]], after[start : stops[1]], autojunk=False)
    lines = ["--- previous snapshot", "+++ this snapshot"]
    for hunk in matcher.get_grouped_opcodes(_CONTEXT):
        lines.extend(_hunk(hunk, before, after, start))
    return "\n".join(lines)


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """How many lines are the same from the beginning."""
    for index, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return index
    return min(len(one), len(other))


def _hunk(opcodes: _Opcodes, before: Sequence[str], after: Sequence[str], start: int) -> Iterator[str]:
    first, last = opcodes[0], opcodes[-1]
    yield f"@@ -{_span(first[1] + start, last[2] + start)} +{_span(first[3] + start, last[4] + start)} @@"
    for tag, i1, i2, j1, j2 in opcodes:
        if tag == "equal":
            yield from (f" {line}" for line in before[start + i1 : start + i2])
            continue
        yield from (f"-{line}" for line in before[start + i1 : start + i2])
        yield from (f"+{line}" for line in after[start + j1 : start + j2])


def _span(first: int, last: int) -> str:
    """A hunk's place as diff(1) writes it: lines count from 1, an empty place names the line before it."""
    length = last - first
    if length == 1:
        return str(first + 1)
    return f"{first + 1 if length else first},{length}"
