"""Compare two sequences of lines as a unified diff. Refs are stable, so an inserted row is one line."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from difflib import SequenceMatcher

NO_CHANGES = "(no changes)"
_CONTEXT = 2
_MANY_PAIRS = 2_000_000
"""Limit of equal pairs of lines above which frequent lines are ignored: comparison would take minutes."""

_Opcodes = list[tuple[str, int, int, int, int]]


def unified_diff_of_lines(
    before: Sequence[Hashable],
    after: Sequence[Hashable],
    *texts: Callable[[int], str],
    names: Sequence[str] = ("previous snapshot", "this snapshot"),
) -> str:
    """Return a unified diff with hunks, or NO_CHANGES.

    `texts`: two functions that render a line of either side by its index; by default the compared values are printed.
    Common lines at both ends are skipped, as that costs nothing.
    """
    one, other = texts or (lambda index: str(before[index]), lambda index: str(after[index]))
    head = _common_prefix_length(before, after)
    tail = _common_prefix_length(before[head:][::-1], after[head:][::-1])
    if head == len(before) == len(after):
        return NO_CHANGES
    start = max(head - _CONTEXT, 0)
    stops = [max(len(side) - max(tail - _CONTEXT, 0), start) for side in (before, after)]
    old, new = before[start : stops[0]], after[start : stops[1]]
    matcher = SequenceMatcher(None, old, new, autojunk=_count_equal_pairs(old, new) > _MANY_PAIRS)
    lines = [f"--- {names[0]}", f"+++ {names[1]}"]
    for hunk in matcher.get_grouped_opcodes(_CONTEXT):
        lines.extend(_render_hunk(hunk, one, other, start))
    return "\n".join(lines)


def _count_equal_pairs(one: Sequence[Hashable], other: Sequence[Hashable]) -> int:
    """Count the pairs of equal lines."""
    counts = Counter(one)
    return sum(counts[line] for line in other)


def _common_prefix_length(one: Sequence[Hashable], other: Sequence[Hashable]) -> int:
    """Return how many lines are equal from the start."""
    for index, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return index
    return min(len(one), len(other))


def _render_hunk(
    opcodes: _Opcodes, before: Callable[[int], str], after: Callable[[int], str], start: int
) -> Iterator[str]:
    first, last = opcodes[0], opcodes[-1]
    yield f"@@ -{_format_span(first[1] + start, last[2] + start)} +{_format_span(first[3] + start, last[4] + start)} @@"
    for tag, i1, i2, j1, j2 in opcodes:
        if tag == "equal":
            yield from (f" {after(index)}" for index in range(start + j1, start + j2))
            continue
        yield from (f"-{before(index)}" for index in range(start + i1, start + i2))
        yield from (f"+{after(index)}" for index in range(start + j1, start + j2))


def _format_span(first: int, last: int) -> str:
    """Format a hunk's range as diff(1) does: lines count from 1, an empty range names the line before it."""
    length = last - first
    if length == 1:
        return str(first + 1)
    return f"{first + 1 if length else first},{length}"
