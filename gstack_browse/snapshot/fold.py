"""Fold runs of similar siblings where the text would be too long. Hides lines, renumbers nothing.

The longest run is cut first and only as far as needed; then the next. What repeats is found in the tree as it is,
so the rows of a table fold in an interactive snapshot too, where only their buttons are shown.
"""

import bisect
import heapq
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from gstack_browse.snapshot.tree import Tree
from gstack_browse.snapshot.view import View

FEWEST_ITEMS = 6
"""Shorter runs are never folded."""
KEPT_ITEMS = 3
"""How many items of a run always stay, to show what they look like."""
_LEAST_CHARS = 200
"""What is shorter is not worth a fold."""

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
        """The number of lines from first to last."""
        return self.last - self.first + 1


def fold(tree: Tree, view: View, costs: Sequence[int], max_chars: int) -> list[Fold]:
    """Choose runs to fold so that about `max_chars` remain. `costs[k]`: length of `view.lines[k]`."""
    text = _Text(view.lines, [0, *accumulate(costs)])
    excess = text.total - max_chars
    folds: list[Fold] = []
    largest = [(-text.cost(line, tree.ends[line]), line) for line in tree.top()] if excess > 0 else []
    heapq.heapify(largest)
    while excess > 0 and largest:
        _, parent = heapq.heappop(largest)
        children = tree.children(parent)
        if folded := _cut(tree, text, parent, children, excess):
            folds.append(folded)
            excess -= text.cost(folded.lines.start, folded.lines.stop)
            children = children[: bisect.bisect_left(children, folded.lines.start)]
        for child in children:
            if (cost := text.cost(child, tree.ends[child])) >= _LEAST_CHARS:
                heapq.heappush(largest, (-cost, child))
    return sorted(folds, key=lambda folded: folded.lines.start)


def items_of(tree: Tree, line: int | None) -> tuple[int, list[int]]:
    """Return parent and items of the longest run at or below `line` (None: in the whole tree)."""
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
    return parent, _items_below(tree, parent)


def plural_noun(tree: Tree, items: Sequence[int]) -> str:
    """Return the noun for folded lines, by the role of the first: "rows", "options", else "items"."""
    return _NOUNS.get(tree.roles[items[0]], "items") if items else "items"


def _items_below(tree: Tree, parent: int) -> list[int]:
    """Return the lines one level below `parent` that are more than text."""
    return [child for child in tree.children(parent) if tree.roles[child] != "text"]


@dataclass(frozen=True, slots=True)
class _Text:
    """How long the text is: `sums[k]` characters before the line `lines[k]` of the tree."""

    lines: Sequence[int]
    sums: Sequence[int]

    @property
    def total(self) -> int:
        """The number of characters of all lines."""
        return self.sums[-1]

    def cost(self, start: int, stop: int) -> int:
        """Return the number of characters of the lines of the tree from `start` up to `stop`."""
        return self._chars_before(stop) - self._chars_before(start)

    def last_with(self, chars: int, stop: int) -> int:
        """Return the last line from which `chars` characters remain up to `stop`; -1 if fewer."""
        index = bisect.bisect_right(self.sums, self._chars_before(stop) - chars) - 1
        return self.lines[index] if index >= 0 else -1

    def _chars_before(self, line: int) -> int:
        """Return the number of characters of the printed lines before `line` of the tree."""
        return self.sums[bisect.bisect_left(self.lines, line)]


def _cut(tree: Tree, text: _Text, parent: int, children: Sequence[int], excess: int) -> Fold | None:
    """Fold the last items of a run as far as the excess requires; None if it is not a run."""
    items = [child for child in children if tree.roles[child] != "text"]
    if len(items) < FEWEST_ITEMS or max(Counter(tree.roles[item] for item in items).values()) < FEWEST_ITEMS:
        return None
    end = tree.ends[parent]
    keep = max(bisect.bisect_right(items, text.last_with(excess, end)) - 1, KEPT_ITEMS)
    if len(items) - keep < 2 or text.cost(items[keep], end) < _LEAST_CHARS:
        return None
    return Fold(parent, keep + 1, len(items), plural_noun(tree, items), range(items[keep], end))
