"""Folding: a run of similar siblings is cut when the text would be too long. Hides lines, renumbers nothing.

The longest run is cut first and only as far as needed; then the next. What repeats is found in the tree as it is,
so the rows of a table fold in an interactive snapshot too, where only their buttons are shown.
"""

import bisect
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from gstack_browse.snapshot.filters import View
from gstack_browse.snapshot.tree import Tree

FEWEST_ITEMS = 6
"""Shorter runs are never folded."""
KEPT_ITEMS = 3
"""How many items of a run always stay, to show what they look like."""

_NOUNS = {
    "row": "rows",
    "listitem": "items",
    "option": "options",
    "article": "articles",
    "treeitem": "items",
    "cell": "cells",
}


@dataclass(frozen=True, slots=True)
class Fold:
    """Items left out: `first` to `last` (counted from 1) of the children of line `parent`."""

    parent: int
    first: int
    last: int
    noun: str
    lines: range
    """The lines of the tree that are not shown."""

    @property
    def count(self) -> int:
        return self.last - self.first + 1


@dataclass(frozen=True, slots=True)
class _Run:
    parent: int
    items: Sequence[int]
    end: int
    cost: int


def fold(tree: Tree, view: View, costs: Sequence[int], max_chars: int) -> list[Fold]:
    """What to leave out so that about `max_chars` are left. `costs[k]` is the length of the text of `view.lines[k]`."""
    sums = [0, *accumulate(costs)]
    excess = sums[-1] - max_chars
    if excess <= 0:
        return []
    folds: list[Fold] = []
    for run in sorted(_runs(tree, view, sums), key=lambda run: -run.cost):
        if excess <= 0:
            break
        if _is_inside(run, folds):
            continue
        folded = _cut(tree, view, sums, run, excess, folds)
        if folded:
            folds.append(folded)
            excess -= _cost(view, sums, folded.lines)
    return sorted(folds, key=lambda folded: folded.lines.start)


def items_of(tree: Tree, line: int | None) -> tuple[int, list[int]]:
    """The longest run at or below `line` (the whole tree for None): its parent's line and the lines of its items."""
    scope = range(len(tree)) if line is None else range(line, tree.ends[line])
    counts = Counter(tree.parents[below] for below in scope if tree.roles[below] != "text")
    counts.pop(-1, None)
    inside = {parent: count for parent, count in counts.items() if parent in scope}
    if not inside:
        return -1, []
    parent = (
        line
        if line is not None and inside.get(line, 0) >= FEWEST_ITEMS
        else max(inside, key=lambda p: inside[p])
    )
    return parent, _items(tree, parent)


def noun_of(tree: Tree, items: Sequence[int]) -> str:
    """What to call them: rows, items, …"""
    return _NOUNS.get(tree.roles[items[0]], "items") if items else "items"


def _items(tree: Tree, parent: int) -> list[int]:
    return [child for child in tree.children(parent) if tree.roles[child] != "text"]


def _runs(tree: Tree, view: View, sums: list[int]) -> list[_Run]:
    """Parents with many children of the same kind, with what their text costs."""
    counts = Counter(zip(tree.parents, tree.roles, strict=True))
    runs = []
    for (parent, role), count in counts.items():
        if count < FEWEST_ITEMS or parent < 0 or role == "text":
            continue
        end = tree.ends[parent]
        runs.append(_Run(parent, (), end, _cost(view, sums, range(parent + 1, end))))
    return list({run.parent: run for run in runs}.values())


def _cost(view: View, sums: list[int], lines: range) -> int:
    first = bisect.bisect_left(view.lines, lines.start)
    last = bisect.bisect_left(view.lines, lines.stop)
    return sums[last] - sums[first]


def _is_inside(run: _Run, folds: list[Fold]) -> bool:
    return any(folded.lines.start <= run.parent < folded.lines.stop for folded in folds)


def _cut(tree: Tree, view: View, sums: list[int], run: _Run, excess: int, folds: list[Fold]) -> Fold | None:
    """Keep as many items from the top as the excess allows, at least a few."""
    items = _items(tree, run.parent)
    keep = KEPT_ITEMS
    for index in range(len(items) - 1, KEPT_ITEMS, -1):
        if _cost(view, sums, range(items[index], run.end)) >= excess:
            keep = index
            break
    if len(items) - keep < 2:
        return None
    hidden = range(items[keep], run.end)
    if any(folded.lines.start in hidden for folded in folds):
        folds[:] = [folded for folded in folds if folded.lines.start not in hidden]
    if _cost(view, sums, hidden) < 200:
        return None
    return Fold(run.parent, keep + 1, len(items), noun_of(tree, items), hidden)
