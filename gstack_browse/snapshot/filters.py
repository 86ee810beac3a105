"""Which lines of a tree are shown, and how far each is indented. Prints nothing, folds nothing."""

from collections.abc import Iterable
from dataclasses import dataclass

from gstack_browse.snapshot.options import Options
from gstack_browse.snapshot.tree import OPERABLE, Tree

ITEMS = frozenset({"row", "listitem", "option", "article", "treeitem", "menuitem"})
"""Roles of what repeats: a match inside one is shown with the controls of the same item."""


@dataclass(slots=True)
class View:
    """The lines of a tree that are shown. `indents[k]` belongs to `lines[k]`."""

    lines: list[int]
    indents: list[int]

    def part(self, start: int, stop: int) -> "View":
        """Some of the lines, by their places among those shown."""
        return View(self.lines[start:stop], self.indents[start:stop])


def select(tree: Tree, options: Options) -> View:
    """The lines that the options leave, in document order."""
    scope = tree.scope if tree.scope is not None else range(len(tree))
    lines = _wanted(tree, scope, options)
    if options.find:
        lines = _found(tree, lines, options.find)
    return _indented(tree, lines, options.depth)


def _wanted(tree: Tree, scope: range, options: Options) -> list[int]:
    roles, refs = tree.roles, tree.refs
    if options.interactive and min(refs, default=0) < 0:
        return [line for line in scope if roles[line] in OPERABLE or refs[line] < 0]
    if options.interactive:
        return [line for line in scope if roles[line] in OPERABLE]
    shown = [line for line in scope if roles[line] != "generic" or _says_something(tree, line)]
    if options.compact:
        return [line for line in shown if not _is_unnamed_structure(tree, line)]
    return shown


def _says_something(tree: Tree, line: int) -> bool:
    """A generic element is listed for folding; it is shown when it has something of its own to say."""
    return tree.refs[line] < 0 or bool(tree.names[line]) or line in tree.states or line in tree.values


def _is_unnamed_structure(tree: Tree, line: int) -> bool:
    return (
        tree.refs[line] >= 0
        and tree.roles[line] not in OPERABLE
        and not tree.names[line]
        and line not in tree.values
        and "scrollable" not in tree.states.get(line, "")
    )


def _found(tree: Tree, lines: list[int], text: str) -> list[int]:
    """The lines with the text, all that they are in, and what can be done with the item they are part of."""
    wanted = " ".join(text.split()).casefold()
    matches = [line for line in _all_with_text(tree, wanted) if tree.scope is None or line in tree.scope]
    keep = set(matches)
    for line in matches:
        keep.update(_ancestors(tree, line))
        keep.update(_controls_beside(tree, line))
    shown = set(lines) | set(matches)
    return sorted(keep & shown)


def _all_with_text(tree: Tree, wanted: str) -> list[int]:
    names = [line for line, name in enumerate(tree.names) if name and wanted in name.casefold()]
    values = [line for line, value in tree.values.items() if wanted in value.casefold()]
    return sorted({*names, *values})


def _ancestors(tree: Tree, line: int) -> Iterable[int]:
    while (line := tree.parents[line]) >= 0:
        yield line


def _controls_beside(tree: Tree, line: int) -> Iterable[int]:
    item = next((above for above in _ancestors(tree, line) if tree.roles[above] in ITEMS), None)
    if item is None:
        return []
    inside = range(item + 1, tree.ends[item])
    controls = [below for below in inside if tree.roles[below] in OPERABLE or tree.refs[below] < 0]
    return controls if len(controls) <= 12 else []


def _indented(tree: Tree, lines: list[int], depth: int | None) -> View:
    """Two blanks per shown ancestor; deeper than `depth` is left out."""
    view = View([], [])
    open_until: list[int] = []
    ends = tree.ends
    for line in lines:
        while open_until and open_until[-1] <= line:
            open_until.pop()
        if depth is None or len(open_until) <= depth:
            view.lines.append(line)
            view.indents.append(len(open_until))
        if (end := ends[line]) > line + 1:
            open_until.append(end)
    return view
