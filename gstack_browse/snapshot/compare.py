"""What changed between two snapshots of a tab, both printed with the same options.

Lines of one document are the same when the element and its words are. The elements of another document are others
throughout, so only their words are compared, and the elements that are gone are printed without their references.
"""

import re
from collections.abc import Hashable

from gstack_browse.snapshot.diff import NO_CHANGES, unified
from gstack_browse.snapshot.options import Options
from gstack_browse.snapshot.render import Lines, clipped, lines_of
from gstack_browse.snapshot.tree import Tree

_LONGEST_ADDRESS = 200
_REF = re.compile(r"@[ec][0-9]+")


def compared(before: Tree, tree: Tree, options: Options, *, is_same_document: bool) -> str:
    """A unified diff, no longer than the options allow. `before` gets the scope of `tree`."""
    before.scope = _same_part(before, tree, is_same_document) if tree.scope else None
    one, other = lines_of(before, options), lines_of(tree, options)
    if is_same_document:
        return clipped(unified(_elements(one), _elements(other), one.text, other.text), options)
    names = (f"previous snapshot: {_address(before)}", f"this snapshot: {_address(tree)}")
    told = unified(_words(one), _words(other), one.words, other.text, names=names)
    end = "another document, whose refs are all new: 'snapshot -i' prints them"
    return f"(no changes; {end})" if told == NO_CHANGES else f"{clipped(told, options)}\n({end})"


def _elements(lines: Lines) -> list[Hashable]:
    return [(lines.element(index), lines.words(index, asides=False)) for index in range(len(lines))]


def _words(lines: Lines) -> list[Hashable]:
    return [
        lines.words(index) if lines.element(index) else _REF.sub("@", lines.words(index))
        for index in range(len(lines))
    ]


def _address(tree: Tree) -> str:
    return tree.url[:_LONGEST_ADDRESS]


def _same_part(before: Tree, tree: Tree, is_same_document: bool) -> range:
    """The lines of the earlier tree that show what the scope of the later one does; none when that is new."""
    assert tree.scope is not None
    tops = tree.siblings(tree.scope.start, tree.scope.stop)
    found = [_counterpart(before, tree, top, is_same_document) for top in tops]
    there = [line for line in found if line >= 0]
    return range(min(there), max(before.ends[line] for line in there)) if there else range(0)


def _counterpart(before: Tree, tree: Tree, line: int, is_same_document: bool) -> int:
    """The line of an element in the earlier tree; -1 for none."""
    if is_same_document:
        return before.lines_of.get(tree.nodes[line], -1)
    words = (tree.roles[line], tree.names[line])
    return next(
        (k for k, other in enumerate(zip(before.roles, before.names, strict=True)) if other == words), -1
    )
