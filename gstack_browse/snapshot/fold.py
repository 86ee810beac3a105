"""Choose runs of similar siblings to fold in a snapshot, and join equal lines into one.

The longest run is cut first and only as far as needed; then the next. Runs are found in the whole tree. So the rows
of a table fold in an interactive snapshot, too, where only their buttons are shown.

A run of equal lines, or of lines that count up, becomes one line. A control that many items have is printed behind each item:

    @c172–@c193 22× [generic] (.border white)
    @e46 [button] "1 May 2027"; 2: @e47, 3: @e48, 4: @e49, 5: @e50, 6: @e51
    @c12 [row] "run-1 failed" [selectable]; @e9 [checkbox]

Refs of equal lines are in the order of the page. Of lines that count up each number is printed with its ref, except for
removed lines in a comparison.
"""

import bisect
import heapq
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby

from gstack_browse.snapshot.items import FIELDS
from gstack_browse.snapshot.tree import Tree, View

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
_LINE = re.compile(
    r"(?P<lead>[-+ ]? *)@(?P<kind>[ec])(?P<number>\d+) (?P<role>\[[^\]]+\])(?P<rest>.*)", re.DOTALL
)
_NUMBER = re.compile(r"\d+")
_BEGINS_WITH_NUMBER = re.compile(r' "\d')
"""Of names that count up, only such ones are joined, as days are: whoever looks for "Button 2" is to find it."""
_NAME = re.compile(r' "(?:[^"\\]|\\.)*"')
_OFF_SCREEN = "[off screen]"


@dataclass(frozen=True, slots=True)
class Fold:
    """A run's last items, which are left out: `first` to `last` (from 1) of the children of `parent`."""

    parent: int
    first: int
    last: int
    noun: str
    lines: range
    """The lines of the tree that are not shown."""

    @property
    def count(self) -> int:
        """Return the number of items that are left out."""
        return self.last - self.first + 1


def fold(tree: Tree, view: View, costs: Sequence[int], max_chars: int) -> list[Fold]:
    """Return items to leave out so that about `max_chars` characters remain: the last ones of long runs.

    A run is six or more siblings, most of the same role. `costs[k]`: length of `view.lines[k]`.
    """
    text = _LineLengths(view.lines, [0, *accumulate(costs)])
    excess = text.total - max_chars
    folds: list[Fold] = []
    largest = (
        [(-text.char_count(line, tree.ends[line]), line) for line in tree.children(-1)] if excess > 0 else []
    )
    heapq.heapify(largest)
    while excess > 0 and largest:
        _, parent = heapq.heappop(largest)
        children = tree.children(parent)
        if folded := _fold_end_of_run(tree, text, parent, children, excess):
            folds.append(folded)
            excess -= text.char_count(folded.lines.start, folded.lines.stop)
            children = children[: bisect.bisect_left(children, folded.lines.start)]
        for child in children:
            if (char_count := text.char_count(child, tree.ends[child])) >= _LEAST_CHARS:
                heapq.heappush(largest, (-char_count, child))
    return sorted(folds, key=lambda folded: folded.lines.start)


def find_longest_run(tree: Tree, line: int | None) -> tuple[int, list[int]]:
    """Find the parent with the most children at or below `line` (None: anywhere): (parent, children).

    Returns (-1, []) if there are none.
    """
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
    return parent, items_below(tree, parent)


def plural_noun(tree: Tree, items: Sequence[int]) -> str:
    """Return the noun for folded lines, by the role of the first: "rows", "options", else "items"."""
    return _NOUNS.get(tree.roles[items[0]], "items") if items else "items"


def items_below(tree: Tree, parent: int) -> list[int]:
    """Return the lines one level below `parent` (-1: the outermost ones) that are more than text."""
    return [child for child in tree.children(parent) if tree.roles[child] != "text"]


@dataclass(frozen=True, slots=True)
class _LineLengths:
    """The lengths of printed lines: `sums[k]` characters come before the line `lines[k]` of the tree."""

    lines: Sequence[int]
    sums: Sequence[int]

    @property
    def total(self) -> int:
        """Return the number of characters of all printed lines."""
        return self.sums[-1]

    def char_count(self, start: int, stop: int) -> int:
        """Return the number of characters printed for the lines of the tree from `start` up to `stop`."""
        return self._chars_before(stop) - self._chars_before(start)

    def last_with(self, chars: int, stop: int) -> int:
        """Return the last line from which at least `chars` characters follow up to line `stop`; -1 if none."""
        index = bisect.bisect_right(self.sums, self._chars_before(stop) - chars) - 1
        return self.lines[index] if index >= 0 else -1

    def _chars_before(self, line: int) -> int:
        """Return the number of characters of the printed lines before `line` of the tree."""
        return self.sums[bisect.bisect_left(self.lines, line)]


def _fold_end_of_run(
    tree: Tree, text: _LineLengths, parent: int, children: Sequence[int], excess: int
) -> Fold | None:
    """Return a fold of the last items of a run, as many as needed to save `excess` characters.

    None if `children` are no run, or it would not be worth it.
    """
    items = [child for child in children if tree.roles[child] != "text"]
    if len(items) < FEWEST_ITEMS or max(Counter(tree.roles[item] for item in items).values()) < FEWEST_ITEMS:
        return None
    end = tree.ends[parent]
    keep = max(bisect.bisect_right(items, text.last_with(excess, end)) - 1, KEPT_ITEMS)
    if len(items) - keep < 2 or text.char_count(items[keep], end) < _LEAST_CHARS:
        return None
    return Fold(parent, keep + 1, len(items), plural_noun(tree, items), range(items[keep], end))


def join_runs(lines: Iterable[str]) -> list[str]:
    """Join six or more equal or counting lines of a snapshot; put an item's only control behind it.

    Replaces six or more lines of one role that are off screen by the first, with the number of the others.
    """
    return _join_equal(_join_off_screen(_put_controls_behind(list(lines))))


def _join_off_screen(lines: Sequence[str]) -> list[str]:
    """Join consecutive lines of one role that are off screen: menus that a page keeps out of reach."""
    joined: list[str] = []
    for kind, group in groupby(lines, _off_screen_kind):
        run = list(group)
        if kind and len(run) >= FEWEST_ITEMS:
            run = [f"{run[0]}; {len(run) - 1} more off screen: snapshot -i --find TEXT"]
        joined += run
    return joined


def _off_screen_kind(line: str) -> tuple[str, str] | None:
    """Return (indentation, role) of a rendered line that is off screen; None for other lines."""
    match = _LINE.fullmatch(line) if _OFF_SCREEN in line else None
    return (match["lead"], match["role"]) if match and _OFF_SCREEN in _NAME.sub("", match["rest"]) else None


def _put_controls_behind(lines: list[str]) -> list[str]:
    """Move an item's only control to the item's line, in runs of six or more such items.

    `@c12 [row] "run-1"` and below it `@e9 [checkbox] "Select"` → `@c12 [row] "run-1"; @e9 [checkbox]`. The first
    item, and each whose control has another name than the one before, keeps its two lines.
    """
    matches = [_LINE.fullmatch(line) for line in lines]
    joined: list[str] = []
    index = 0
    while index < len(lines):
        stop = index
        while _has_only_child(matches, stop) and _have_same_role(matches[index], matches[stop]):
            stop += 2
        if stop - index < 2 * FEWEST_ITEMS:
            joined.append(lines[index])
            index += 1
            continue
        name = ""
        for item in range(index, stop, 2):
            control = matches[item + 1]
            assert control
            named = _NAME.match(control["rest"])
            if named and named[0] == name:
                states = control["rest"][named.end() :]
                joined.append(f"{lines[item]}; @{control['kind']}{control['number']} {control['role']}{states}")
            else:
                joined += lines[item : item + 2]
                name = named[0] if named else ""
        index = stop
    return joined


def _has_only_child(matches: Sequence[re.Match[str] | None], index: int) -> bool:
    """Return whether the line at `index` is a named item that contains only the line after it.

    `matches`: of the rendered lines with _LINE; None for a line without a ref.
    """
    item, control, after = (*matches[index : index + 3], None, None, None)[:3]
    if not item or not control or not _NAME.match(item["rest"]) or "; " in control["rest"]:
        return False
    inside = len(item["lead"]) + 2
    is_only = index + 2 >= len(matches) or (after is not None and len(after["lead"]) < inside)
    return (
        len(control["lead"]) == inside and item["lead"][:1].strip() == control["lead"][:1].strip() and is_only
    )


def _have_same_role(first: re.Match[str] | None, item: re.Match[str] | None) -> bool:
    """Return whether two rendered lines have the same role, indentation and sign of a comparison (+, -).

    `first`, `item`: the lines' matches of _LINE. False if either is None, as for a line without a ref.
    """
    return bool(first and item and (first["lead"], first["role"]) == (item["lead"], item["role"]))


def _join_equal(lines: Iterable[str]) -> list[str]:
    """Join consecutive rendered lines that are equal, or whose names begin with a number that counts up."""
    joined: list[str] = []
    run: list[str] = []
    matches: list[re.Match[str]] = []
    for line in lines:
        match = _LINE.fullmatch(line)
        if match and matches and _continues(matches, match):
            run.append(line)
            matches.append(match)
            continue
        joined += _render_run(run, matches)
        run, matches = [line], [match] if match else []
    return joined + _render_run(run, matches)


def is_next_number(one: str, other: str) -> bool:
    """Return whether `other` is `one` with a number that is one higher: `Page 1`, `Page 2`."""
    return one != other and _counting_index(one, other) is not None


def _continues(matches: list[re.Match[str]], match: re.Match[str]) -> bool:
    """Return whether line `match` continues a run (`matches`) of lines that are equal or count up."""
    before = matches[-1]
    if match["role"][1:-1] in FIELDS:
        return False  # each is filled in by itself
    if any(match[part] != before[part] for part in ("lead", "kind", "role")):
        return False
    if int(match["number"]) != int(before["number"]) + 1:
        return False
    step = _counting_index(before["rest"], match["rest"])
    if step is None or (step >= 0 and not _BEGINS_WITH_NUMBER.match(match["rest"])):
        return False
    return len(matches) == 1 or step == _counting_index(matches[-2]["rest"], before["rest"])


def _counting_index(one: str, other: str) -> int | None:
    """Return the index of the only number that differs between the texts, if it is one higher.

    `Day 1 of 9`, `Day 2 of 9` → 0. -1 for equal texts, None for any others.
    """
    if one == other:
        return -1
    if _NUMBER.sub("#", one) != _NUMBER.sub("#", other):
        return None
    pairs = list(zip(_NUMBER.findall(one), _NUMBER.findall(other), strict=True))
    unlike = [index for index, (left, right) in enumerate(pairs) if left != right]
    if len(unlike) != 1 or len(pairs[unlike[0]][0]) > 9:
        return None
    left, right = pairs[unlike[0]]
    return unlike[0] if int(right) == int(left) + 1 else None


def _render_run(run: list[str], matches: list[re.Match[str]]) -> list[str]:
    """Join the lines of a run into one: with the other numbers, or with first and last ref.

    Short runs stay as they are. `matches`: of the lines with _LINE.
    """
    if len(matches) < FEWEST_ITEMS:
        return run
    first, last = matches[0], matches[-1]
    index = _counting_index(first["rest"], matches[1]["rest"])
    assert index is not None
    if index >= 0 and first["lead"][:1] != "-":
        others = (
            f"{_NUMBER.findall(match['rest'])[index]}: @{match['kind']}{match['number']}"
            for match in matches[1:]
        )
        return [f"{run[0]}; {', '.join(others)}"]
    refs = f"@{first['kind']}{first['number']}–@{last['kind']}{last['number']}"
    text = first["rest"] if index < 0 else f"{first['rest']} …{last['rest']}"
    return [f"{first['lead']}{refs} {len(matches)}× {first['role']}{text}"]
