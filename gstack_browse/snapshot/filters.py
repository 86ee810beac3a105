"""Which lines of a tree are shown, and how far each is indented. Prints nothing, folds nothing."""

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator
from itertools import pairwise
from operator import le

from gstack_browse.snapshot.dialogs import DIALOGS, dialog_texts, is_modal
from gstack_browse.snapshot.disambiguation.choices import shorten_option_lists
from gstack_browse.snapshot.items import LARGEST_ITEM, Surroundings
from gstack_browse.snapshot.rows import REASONS_TO_LIST, fold_rows, put_cells_into_rows
from gstack_browse.snapshot.tree import OPERABLE, Tree
from gstack_browse.snapshot.view import Options, View

_REF = re.compile(r"@([ec])([1-9][0-9]{0,8})")
_BESIDE = 8
"""How many lines on both sides of a match are printed of what is too long to be printed whole."""
_MOST_OF_SECTION = 20
"""Lines of a part of the page that is printed whole, where a match stands in it by itself: most of a longer one has nothing to do with that."""


def find_matches(tree: Tree, options: Options) -> set[int]:
    """Return the matching lines: with the text, of the role, or with the ref."""
    if (line := line_of(tree, options.find)) in tree.shown_scope:
        return {line}
    if not options.find:
        return {line for line in tree.shown_scope if tree.roles[line] in options.roles}
    with_text = set(_lines_with_text(tree, " ".join(options.find.split()).casefold()))
    return _find_lines_of_roles(tree, with_text, options.roles) if options.role else with_text


def line_of(tree: Tree, text: str) -> int:
    """Return the line of a ref; -1 for any other text, and for refs that the tree lacks."""
    match = _REF.fullmatch(text.strip())
    return tree.line_of(int(match[2]) * (1 if match[1] == "e" else -1)) if match else -1


def expand_matches(tree: Tree, hits: Collection[int]) -> set[int]:
    """Return the lines with their ancestors and the whole row, list item or section of each."""
    places = Surroundings(tree)
    wanted = set(hits)
    done: set[range] = set()
    for line in hits:
        wanted.update(_ancestors(tree, line, wanted))
        lines = _readable_unit(tree, places, line)
        if lines not in done:
            done.add(lines)
            wanted.update(lines)
    return wanted


def _lines_with_text(tree: Tree, wanted: str) -> Iterator[int]:
    """Yield the shown lines whose name or value contains the text. `wanted`: in lower case (`casefold`)."""
    scope = tree.shown_scope
    for line, name in enumerate(tree.names):
        if name and wanted in name.casefold() and line in scope:
            yield line
    for line, value in tree.values.items():
        if wanted in value.casefold() and line in scope:
            yield line


def _find_lines_of_roles(tree: Tree, with_text: set[int], roles: Collection[str]) -> set[int]:
    """Return lines of the roles that contain the text; if none does, those in the same row or section."""
    inside = {
        above
        for line in with_text
        for above in (line, *_ancestors(tree, line))
        if tree.roles[above] in roles and above in tree.shown_scope
    }
    return inside or {line for line in expand_matches(tree, with_text) if tree.roles[line] in roles}


def _ancestors(tree: Tree, line: int, known: Collection[int] = ()) -> Iterable[int]:
    """Yield the lines that contain a line, innermost first, up to a known one."""
    while (line := tree.parents[line]) >= 0 and line not in known:
        yield line


def _readable_unit(tree: Tree, places: Surroundings, line: int) -> range:
    """Return the row, list item or section of a match; of a long one the lines near the match."""
    lines = _enclosing_unit(tree, places, line)
    most = LARGEST_ITEM
    if lines is None:
        lines, most = _enclosing_section(tree, places, line), _MOST_OF_SECTION
    if len(lines) <= most:
        return lines
    first = max(line - _BESIDE, lines.start) if line > lines.start else line
    return range(first, min(line + _BESIDE + 1, lines.stop))


def _enclosing_unit(tree: Tree, places: Surroundings, line: int) -> range | None:
    """Return the row around a match; None without one.

    A row is preferred to something smaller, such as an item of its list of actions.
    """
    if tree.roles[line] == "heading":
        return places.headed(line)
    is_bare_control = tree.nodes[line] < 0  # clickable without a role: it looks like an item
    if tree.ends[line] > line + 1 or (places.is_item(line) and not is_bare_control):
        return range(line, tree.ends[line])
    item = places.row(line)
    if item < 0:
        item = places.item(line)
    return range(item, tree.ends[item]) if item >= 0 else None


def _enclosing_section(tree: Tree, places: Surroundings, line: int) -> range:
    """Return the lines from the heading above to the next one, within the smallest section."""
    section = places.section(line)
    lines = range(section, tree.ends[section]) if section >= 0 else range(len(tree))
    heading = places.heading(line)
    if heading in lines and line in (headed := places.headed(heading)):
        return headed
    return lines


_MOVABLE = frozenset({"separator", "scrollbar"})
_ARE_USED = OPERABLE | _MOVABLE
_ARE_LISTED = _ARE_USED | DIALOGS
_ONLY_SOME = _MOVABLE | DIALOGS
_IN_VIEW = re.compile(r"scrollable: \d+ of (about )?(\d+) ")


def select(tree: Tree, options: Options, *, whole: range | None = None) -> View:
    """Return the lines that the options select, in document order.

    Long lists of options are shortened, except that of `whole`.
    """
    hits = find_matches(tree, options) if options.find or options.role else set()
    lines, endings = _lines_to_show(tree, hits, options), dict[int, str]()
    if options.joins_rows and not _is_within_row(tree):
        lines, endings = put_cells_into_rows(tree, lines)
    view = _indent_lines(tree, lines, options.depth)
    view.endings = {**endings, **dialog_texts(tree, lines)} if options.interactive else endings
    if options.max_chars is None:
        return view
    if endings and options.rows is None:
        view = fold_rows(tree, view)
    return shorten_option_lists(
        tree, view, whole=whole or tree.scope, keep=hits, joins_closed=options.joins_runs
    )


def _is_within_row(tree: Tree) -> bool:
    """Return whether the scope is a row or something in it, whose cells are asked for then."""
    line = tree.scope.start if tree.scope else -1
    while line >= 0 and tree.roles[line] != "row":
        line = tree.parents[line]
    return line >= 0


def _lines_to_show(tree: Tree, hits: set[int], options: Options) -> list[int]:
    """Return the lines that the options select. `hits`: the matches of `--find` and `--role`."""
    if options.role and not options.find:
        return sorted(hits)
    lines = _matching_lines(tree, tree.shown_scope, options)
    if options.find:
        near = expand_matches(tree, hits).intersection(lines)
        return sorted(hits | {line for line in near if not _is_bare_cell(tree, line)})
    return lines


def _matching_lines(tree: Tree, scope: range, options: Options) -> list[int]:
    """Return the lines that `-i` and `--compact` leave of a scope."""
    roles, nodes = tree.roles, tree.nodes
    if options.interactive:
        kept = _partly_drawn_lists(tree)
        if kept or min(nodes, default=0) < 0:
            shown = [line for line in scope if roles[line] in _ARE_LISTED or nodes[line] < 0 or line in kept]
            shown = _drop_wrapping_lines(tree, shown)
        else:
            shown = [line for line in scope if roles[line] in _ARE_LISTED]
        return _with_a_use(tree, _without_nested_buttons(tree, shown))
    shown = [line for line in scope if roles[line] != "generic" or _says_something(tree, line)]
    if options.compact:
        return [line for line in shown if not _is_unnamed_structure(tree, line)]
    return shown


def _drop_wrapping_lines(tree: Tree, lines: list[int]) -> list[int]:
    """Remove clickable lines that only wrap a clickable line or control of the same text.

    A click hits both.
    """
    nodes, names, ends = tree.nodes, tree.names, tree.ends

    def can_be_pressed(line: int) -> bool:
        is_control = tree.roles[line] in ("button", "link") and "disabled" not in tree.states.get(
            line, ""
        ).split(", ")
        return nodes[line] < 0 or is_control

    frames = {
        line
        for line, inner in pairwise(lines)
        if nodes[line] < 0
        and can_be_pressed(inner)
        and names[line] == names[inner] != ""
        and ends[line] == ends[inner]
        and tree.roles[line] == "generic"
        and REASONS_TO_LIST.issuperset(tree.states.get(line, "").split(", "))
    }
    return [line for line in lines if line not in frames] if frames else lines


def _without_nested_buttons(tree: Tree, lines: list[int]) -> list[int]:
    """Remove one of two buttons that are one: with nothing but the other in it, and the same name.

    The inner one stays, but where only the outer one says that it opens something or is chosen.
    """
    roles, names, ends, states = tree.roles, tree.names, tree.ends, tree.states
    dropped: set[int] = set()
    for outer, inner in reversed(list(pairwise(lines))):
        if roles[outer] != "button" or roles[inner] != "button" or inner >= ends[outer]:
            continue
        if ends[outer] != ends[inner] or names[outer] != names[inner]:
            continue
        dropped.add(outer if inner in states or outer not in states else inner)
    return [line for line in lines if line not in dropped] if dropped else lines


def _partly_drawn_lists(tree: Tree) -> set[int]:
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
    """Return whether a line is a dialog with lines shown in it, or a modal one.

    `lines`: those shown, ascending.
    """
    if tree.roles[line] not in DIALOGS:
        return False
    following = bisect_right(lines, line)
    holds_some = following < len(lines) and lines[following] < tree.ends[line]
    return holds_some or is_modal(tree, line)


def _says_something(tree: Tree, line: int) -> bool:
    """Return whether a generic element is printed: it has a name, states, a value, or listens for clicks."""
    return tree.nodes[line] < 0 or bool(tree.names[line]) or line in tree.states or line in tree.values


def _is_unnamed_structure(tree: Tree, line: int) -> bool:
    """Return whether a line has neither name nor value, and nothing can be done with it."""
    return (
        tree.nodes[line] >= 0
        and tree.roles[line] not in OPERABLE
        and not tree.names[line]
        and line not in tree.values
        and "scrollable" not in tree.states.get(line, "")
    )


def _is_bare_cell(tree: Tree, line: int) -> bool:
    """Return whether a line is a table cell without name, value and states."""
    return (
        tree.roles[line] in ("cell", "gridcell")
        and _is_unnamed_structure(tree, line)
        and line not in tree.states
    )


def _indent_lines(tree: Tree, lines: list[int], depth: int | None) -> View:
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
