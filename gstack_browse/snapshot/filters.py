"""Which lines of a tree are shown, and how far each is indented. Prints nothing, folds nothing."""

import re
from bisect import bisect_right
from itertools import pairwise
from operator import le

from gstack_browse.snapshot.choices import shorten_option_lists
from gstack_browse.snapshot.options import Options
from gstack_browse.snapshot.search import expand_matches, find_matches
from gstack_browse.snapshot.tree import OPERABLE, Tree
from gstack_browse.snapshot.view import View

_MOVABLE = frozenset({"separator", "scrollbar"})
_DIALOGS = frozenset({"dialog", "alertdialog"})
_ARE_USED = OPERABLE | _MOVABLE
_ARE_LISTED = _ARE_USED | _DIALOGS
_ONLY_SOME = _MOVABLE | _DIALOGS
REASONS_TO_LIST = frozenset({"cursor:pointer", "cursor:grab", "cursor:move", "listener", "onclick"})
_IN_VIEW = re.compile(r"scrollable: \d+ of (about )?(\d+) ")


def select(tree: Tree, options: Options, *, whole: range | None = None) -> View:
    """Return the lines that the options select, in document order.

    Long lists of options are shortened, except that of `whole`.
    """
    hits = find_matches(tree, options) if options.find or options.role else set()
    view = _indented(tree, _shown(tree, hits, options), options.depth)
    if options.max_chars is None:
        return view
    return shorten_option_lists(tree, view, whole=whole or tree.scope, keep=hits)


def _shown(tree: Tree, hits: set[int], options: Options) -> list[int]:
    if options.role and not options.find:
        return sorted(hits)
    lines = _matching_lines(tree, tree.shown_scope, options)
    if options.find:
        near = expand_matches(tree, hits).intersection(lines)
        return sorted(hits | {line for line in near if not _is_bare_cell(tree, line)})
    return lines


def _matching_lines(tree: Tree, scope: range, options: Options) -> list[int]:
    roles, nodes = tree.roles, tree.nodes
    if options.interactive:
        kept = _drawn_in_part(tree)
        if kept or min(nodes, default=0) < 0:
            shown = [line for line in scope if roles[line] in _ARE_LISTED or nodes[line] < 0 or line in kept]
            shown = _without_frames(tree, shown)
        else:
            shown = [line for line in scope if roles[line] in _ARE_LISTED]
        return _with_a_use(tree, shown)
    shown = [line for line in scope if roles[line] != "generic" or _says_something(tree, line)]
    if options.compact:
        return [line for line in shown if not _is_unnamed_structure(tree, line)]
    return shown


def _without_frames(tree: Tree, lines: list[int]) -> list[int]:
    """Remove clickable lines around another one with the same text: a click on it hits both."""
    nodes, names, ends = tree.nodes, tree.names, tree.ends
    frames = {
        line
        for line, inner in pairwise(lines)
        if nodes[line] < 0
        and nodes[inner] < 0
        and names[line] == names[inner] != ""
        and ends[line] == ends[inner]
        and tree.roles[line] == "generic"
        and REASONS_TO_LIST.issuperset(tree.states.get(line, "").split(", "))
    }
    return [line for line in lines if line not in frames] if frames else lines


def _drawn_in_part(tree: Tree) -> set[int]:
    """Return virtual lists (more items than drawn) with something operable in them."""
    return {
        line
        for line, said in tree.states.items()
        if (found := _IN_VIEW.search(said))
        and (found[1] or int(found[2]) >= tree.ends[line] - line)
        and any(
            tree.roles[inner] in _ARE_USED or tree.nodes[inner] < 0
            for inner in range(line + 1, tree.ends[line])
        )
    }


def _with_a_use(tree: Tree, lines: list[int]) -> list[int]:
    """Remove separators and scrollbars without a value, which cannot be moved, and empty dialogs.

    A dialog stays that the page waits for.
    """
    roles, values = tree.roles, tree.values
    return [
        line
        for line in lines
        if roles[line] not in _ONLY_SOME or line in values or _is_open_dialog(tree, lines, line)
    ]


def _is_open_dialog(tree: Tree, lines: list[int], line: int) -> bool:
    if tree.roles[line] not in _DIALOGS:
        return False
    following = bisect_right(lines, line)
    holds_some = following < len(lines) and lines[following] < tree.ends[line]
    return holds_some or "modal" in tree.states.get(line, "").split(", ")


def _says_something(tree: Tree, line: int) -> bool:
    """A generic element is listed for folding; it is shown when it has something of its own to say."""
    return tree.nodes[line] < 0 or bool(tree.names[line]) or line in tree.states or line in tree.values


def _is_unnamed_structure(tree: Tree, line: int) -> bool:
    return (
        tree.nodes[line] >= 0
        and tree.roles[line] not in OPERABLE
        and not tree.names[line]
        and line not in tree.values
        and "scrollable" not in tree.states.get(line, "")
    )


def _is_bare_cell(tree: Tree, line: int) -> bool:
    return (
        tree.roles[line] in ("cell", "gridcell")
        and _is_unnamed_structure(tree, line)
        and line not in tree.states
    )


def _indented(tree: Tree, lines: list[int], depth: int | None) -> View:
    """Two blanks per shown ancestor; deeper than `depth` is left out."""
    ends = tree.ends
    if all(map(le, map(ends.__getitem__, lines), lines[1:])):
        return View(lines, [0] * len(lines))  # nothing is inside of anything that is shown
    indents: list[int] = []
    open_until: list[int] = []
    for line in lines:
        while open_until and open_until[-1] <= line:
            open_until.pop()
        indents.append(len(open_until))
        if (end := ends[line]) > line + 1:
            open_until.append(end)
    if depth is None or max(indents, default=0) <= depth:
        return View(lines, indents)
    kept = [place for place, indent in enumerate(indents) if indent <= depth]
    return View([lines[place] for place in kept], [indents[place] for place in kept])
