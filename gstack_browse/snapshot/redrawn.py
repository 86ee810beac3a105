"""Find the element that a page has drawn anew in the place of one that is gone. Pure.

It is of the same role and name, stands in the same parts of the page, and in the same record at the same place. Where no record
tells it from others, it must have been the only one of its name, and be that now.
"""

from collections.abc import Sequence

from gstack_browse.snapshot.disambiguation.records import ListedRecord, Lists
from gstack_browse.snapshot.items import ITEMS, SECTIONS
from gstack_browse.snapshot.tree import Tree


def find_redrawn(old: Lists, line: int, new: Lists, candidates: Sequence[int]) -> int:
    """Return the candidate that stands where `line` of the old tree did; -1 if none or several do.

    candidates: lines of the new tree with its role and name, in its document, that were not there before
    """
    found = [other for other in candidates if _is_in_place(old, line, new, other)]
    return found[0] if len(found) == 1 else -1


def describe_candidates(tree: Tree, lines: Sequence[int]) -> list[str]:
    """Return for each line what tells its record from the others, in parentheses; "" for nothing."""
    lists = Lists(tree)
    titles = []
    for line in lines:
        record = _identifying_record(lists, line)
        titles.append(record.title(line) if record else "")
    return [f" ({title})" if title else "" for title in titles]


def _is_in_place(old: Lists, line: int, new: Lists, other: int) -> bool:
    """Return whether line `other` of the new tree is in the place that `line` has in the old one.

    That is the same place in the same record, or else each must be the only line with its role and name.
    """
    if _parts_around(old.tree, line) != _parts_around(new.tree, other):
        return False
    was, now = _identifying_record(old, line), _identifying_record(new, other)
    if was is None:
        return _is_only_one(old.tree, line) and _is_only_one(new.tree, other)
    if now is None or was.kind != now.kind or was.place(line) != now.place(other):
        return False
    return was.own_words(was.index) == now.own_words(now.index)


def _identifying_record(lists: Lists, line: int) -> ListedRecord | None:
    """Return the innermost record around a line that has words of its own; None for none."""
    return next((record for record in lists.records(line) if record.own_words(record.index)), None)


def _is_only_one(tree: Tree, line: int) -> bool:
    """Return whether no other line of the tree has the line's role and name."""
    said = tree.roles[line], tree.names[line]
    return list(zip(tree.roles, tree.names, strict=True)).count(said) == 1


def _parts_around(tree: Tree, line: int) -> list[tuple[str, str]]:
    """Return role and name of each part of the page and item around a line.

    An item's name is its record's, which is compared.
    """
    parts = []
    while (line := tree.parents[line]) >= 0:
        role = tree.roles[line]
        if role in SECTIONS:
            parts.append((role, tree.names[line]))
        elif role in ITEMS:
            parts.append((role, ""))
    return parts
