"""What changed between two snapshots of a tab, both printed with the same options.

Lines of one document are the same when the element and its words are. The elements of another document are others
throughout, so only their words are compared, and the elements that are gone are printed without their references.
"""

import re
from collections.abc import Collection, Hashable
from functools import cached_property

from gstack_browse.snapshot.asides import Asides
from gstack_browse.snapshot.diff import NO_CHANGES, unified
from gstack_browse.snapshot.options import Options
from gstack_browse.snapshot.render import clipped, line_text, viewed, with_notes, words
from gstack_browse.snapshot.tree import Tree

_BEFORE, _NOW = "previous snapshot", "this snapshot"
_LONGEST_ADDRESS = 200
_REF = re.compile(r"@[ec][0-9]+")


def compared(before: Tree, tree: Tree, options: Options) -> str:
    """A unified diff, no longer than the options allow. `before` gets the scope of `tree`."""
    shared = set(before.documents) & set(tree.documents)
    before.scope = _same_part(before, tree, shared) if tree.scope else None
    one, other = _Lines(before, options, shared), _Lines(tree, options, shared)
    is_another = before.documents[:1] != tree.documents[:1]
    names = [
        f"{name}: {_address(of)}" if is_another else name for name, of in ((_BEFORE, before), (_NOW, tree))
    ]
    told = unified(one.keys(), other.keys(), one.past, other.text, names=names)
    if set(before.documents) == shared or set(tree.documents) == shared:
        return clipped(told, options)
    end = f"{'' if is_another else 'a frame shows '}another document, whose refs are all new: 'snapshot -i' prints them"
    return f"(no changes; {end})" if told == NO_CHANGES else f"{clipped(told, options)}\n({end})"


class _Lines:
    """All lines that the options leave, not folded. `shared`: documents that the other snapshot shows too."""

    def __init__(self, tree: Tree, options: Options, shared: Collection[int]) -> None:
        self._tree = tree
        self._shared = shared
        self._bare = options.bare
        self._view = viewed(tree, options)
        self._shown = with_notes(tree, self._view, list(zip(self._view.lines, self._view.indents, strict=True)))

    def keys(self) -> list[Hashable]:
        """What each line is compared by."""
        return [self._key(shown) for shown in self._shown]

    def text(self, index: int) -> str:
        """A line as it is printed."""
        shown = self._shown[index]
        if isinstance(shown, str):
            return shown
        line, indent = shown
        return "  " * indent + line_text(self._tree, line, None, self._asides.get(line, ""))

    def past(self, index: int) -> str:
        """A line that is no longer there as it is printed: without its reference where the document is gone with it."""
        shown = self._shown[index]
        if isinstance(shown, str):
            return shown
        line, indent = shown
        text = words(self._tree, line, None, self._asides.get(line, ""))
        if self._tree.documents[line] in self._shared and (ref := self._tree.earlier_ref(line)):
            text = f"{ref} {text}"
        return "  " * indent + text

    def _key(self, shown: str | tuple[int, int]) -> Hashable:
        if isinstance(shown, str):
            return _REF.sub("@", shown)
        line, indent = shown
        if self._tree.documents[line] in self._shared:
            return indent, self._tree.nodes[line], words(self._tree, line, None)
        return indent, words(self._tree, line, None, self._asides.get(line, ""))

    @cached_property
    def _asides(self) -> dict[int, str]:
        return Asides(self._tree, self._view).of(self._view) if self._bare else {}


def _address(tree: Tree) -> str:
    return tree.url[:_LONGEST_ADDRESS]


def _same_part(before: Tree, tree: Tree, shared: Collection[int]) -> range:
    """The lines of the earlier tree that show what the scope of the later one does; none when that is new."""
    assert tree.scope is not None
    tops = tree.siblings(tree.scope.start, tree.scope.stop)
    there = [line for top in tops if (line := _counterpart(before, tree, top, shared)) >= 0]
    return range(min(there), max(before.ends[line] for line in there)) if there else range(0)


def _counterpart(before: Tree, tree: Tree, line: int, shared: Collection[int]) -> int:
    """The line of an element in the earlier tree, in another document that of one with the same words; -1 for none."""
    if tree.documents[line] in shared:
        return before.lines_of.get(tree.nodes[line], -1)
    said = (tree.roles[line], tree.names[line])
    lines = enumerate(zip(before.roles, before.names, strict=True))
    return next((other for other, others_said in lines if others_said == said), -1)
