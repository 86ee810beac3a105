"""Choose which lines of a tree a snapshot shows, how they are indented, and which lists are shortened.

Of a long list of options only the selected ones are shown, the others counted: a country field has 250, and `select`
takes a label that was never printed. The first options of a list box stay, since a person may click them. Options that
repeat in each row of a table are shown once. `-s` on the list, `--find` and `--all` show the others.
"""

import bisect
import re
from collections.abc import Collection, Iterable, Iterator
from itertools import pairwise
from operator import le

from gstack_browse.snapshot.items import LARGEST_ITEM, Surroundings
from gstack_browse.snapshot.rows import REASONS_TO_LIST, fold_rows, put_cells_into_rows
from gstack_browse.snapshot.tree import OPERABLE, Note, Options, Tree, View

DIALOGS = frozenset({"dialog", "alertdialog"})
_MOST_DIALOG_TEXT = 150
"""Characters of the text that are printed."""
_NAMED_BY_CONTENT = frozenset({"text", "heading"})


def is_modal(tree: Tree, line: int) -> bool:
    """Return whether a line is a modal dialog."""
    return tree.roles[line] in DIALOGS and "modal" in tree.states.get(line, "").split(", ")


def dialog_texts(tree: Tree, lines: Iterable[int]) -> dict[int, str]:
    """Return what to print behind the lines of modal dialogs and alerts: ": Really delete it?".

    Dialogs that have a description or no text are left out.
    """
    endings: dict[int, str] = {}
    roles = tree.roles
    for line in [line for line in lines if roles[line] in DIALOGS]:
        is_described = line in tree.values or 'description="' in tree.states.get(line, "")
        if is_described or (roles[line] != "alertdialog" and not is_modal(tree, line)):
            continue
        if text := _join_texts(_static_texts(tree, line)):
            endings[line] = f": {text}"
    return endings


def _static_texts(tree: Tree, dialog: int) -> Iterator[str]:
    """Yield the texts in a dialog, without its name and what is in its controls."""
    line = dialog + 1
    while line < tree.ends[dialog]:
        if tree.roles[line] in OPERABLE or tree.nodes[line] < 0:
            line = tree.ends[line]
            continue
        text = tree.names[line] if tree.roles[line] in _NAMED_BY_CONTENT else tree.values.get(line, "")
        if text and text != tree.names[dialog]:
            yield text
        line += 1


def _join_texts(texts: Iterable[str]) -> str:
    """Return texts in one line, cut to _MOST_DIALOG_TEXT characters."""
    joined = ""
    for text in texts:
        joined = f"{joined} {text}".strip()
        if len(joined) > _MOST_DIALOG_TEXT:
            return f"{joined[: _MOST_DIALOG_TEXT - 1]}…"
    return joined


_REF = re.compile(r"@([ec])([1-9][0-9]{0,8})")
_BESIDE = 8
"""How many lines on both sides of a match are printed of what is too long to be printed whole."""
_MOST_OF_SECTION = 20
"""Lines of a part of the page that is printed whole, where a match stands in it by itself: most of a longer one has nothing to do with that."""


def find_matches(tree: Tree, options: Options) -> set[int]:
    """Return the lines that match `--find` (a text or a ref) and `--role`."""
    if (line := line_of(tree, options.find)) in tree.shown_scope:
        return {line}
    if not options.find:
        return {line for line in tree.shown_scope if tree.roles[line] in options.roles}
    with_text = set(_lines_with_text(tree, " ".join(options.find.split()).casefold()))
    return _find_lines_of_roles(tree, with_text, options.roles) if options.role else with_text


def line_of(tree: Tree, text: str) -> int:
    """Return the line whose ref is `text`, such as "@e3"; -1 for other texts and unknown refs."""
    match = _REF.fullmatch(text.strip())
    return tree.line_of(int(match[2]) * (1 if match[1] == "e" else -1)) if match else -1


def expand_matches(tree: Tree, hits: Collection[int]) -> set[int]:
    """Return the lines `hits` with their ancestors, and the whole row, list item or section of each."""
    surroundings = Surroundings(tree)
    wanted = set(hits)
    done: set[range] = set()
    for line in hits:
        wanted.update(tree.ancestors(line, wanted))
        lines = _readable_unit(tree, surroundings, line)
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
        for above in (line, *tree.ancestors(line))
        if tree.roles[above] in roles and above in tree.shown_scope
    }
    return inside or {line for line in expand_matches(tree, with_text) if tree.roles[line] in roles}


def _readable_unit(tree: Tree, surroundings: Surroundings, line: int) -> range:
    """Return the row, list item or section of a match; of a long one only lines near the match."""
    lines = _enclosing_unit(tree, surroundings, line)
    most = LARGEST_ITEM
    if lines is None:
        lines, most = _enclosing_section(tree, surroundings, line), _MOST_OF_SECTION
    if len(lines) <= most:
        return lines
    first = max(line - _BESIDE, lines.start) if line > lines.start else line
    return range(first, min(line + _BESIDE + 1, lines.stop))


def _enclosing_unit(tree: Tree, surroundings: Surroundings, line: int) -> range | None:
    """Return the lines of the row or item around a match, or below it if it is a heading; None for none.

    A row is preferred to something smaller, such as an item of its list of actions.
    """
    if tree.roles[line] == "heading":
        return surroundings.lines_under_heading(line)
    is_bare_control = tree.nodes[line] < 0  # clickable without a role: it looks like an item
    if tree.ends[line] > line + 1 or (surroundings.is_item(line) and not is_bare_control):
        return range(line, tree.ends[line])
    item = surroundings.row(line)
    if item < 0:
        item = surroundings.item(line)
    return range(item, tree.ends[item]) if item >= 0 else None


def _enclosing_section(tree: Tree, surroundings: Surroundings, line: int) -> range:
    """Return the lines from the heading above to the next one, within the smallest section."""
    section = surroundings.section(line)
    lines = range(section, tree.ends[section]) if section >= 0 else range(len(tree))
    heading = surroundings.heading(line)
    if heading in lines and line in (lines_under_heading := surroundings.lines_under_heading(heading)):
        return lines_under_heading
    return lines


_MOVABLE = frozenset({"separator", "scrollbar"})
_ARE_USED = OPERABLE | _MOVABLE
_ARE_LISTED = _ARE_USED | DIALOGS
_ONLY_SOME = _MOVABLE | DIALOGS
_IN_VIEW = re.compile(r"scrollable: \d+ of (about )?(\d+) ")


def select(tree: Tree, options: Options, *, whole: range | None = None) -> View:
    """Return the lines that the options select, in document order.

    Long lists of options are shortened, except a list that contains the lines `whole`.
    """
    hits = find_matches(tree, options) if options.find or options.role else set()
    lines, endings = _lines_to_show(tree, hits, options), dict[int, str]()
    # If `-s` has selected a row, or something in one, its cells are listed.
    selected = (tree.scope.start, *tree.ancestors(tree.scope.start)) if tree.scope else ()
    if options.joins_rows and not any(tree.roles[line] == "row" for line in selected):
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


def _lines_to_show(tree: Tree, hits: set[int], options: Options) -> list[int]:
    """Return the lines that the options select. `hits`: the lines that match `--find` and `--role`."""
    if options.role and not options.find:
        return sorted(hits)
    lines = _matching_lines(tree, tree.shown_scope, options)
    if options.find:
        near = expand_matches(tree, hits).intersection(lines)
        return sorted(hits | {line for line in near if not _is_bare_cell(tree, line)})
    return lines


def _matching_lines(tree: Tree, scope: range, options: Options) -> list[int]:
    """Return the lines of `scope` that `-i` and `--compact` keep."""
    roles, nodes = tree.roles, tree.nodes
    if options.interactive:
        kept = _partly_drawn_lists(tree)
        if kept or min(nodes, default=0) < 0:
            shown = [line for line in scope if roles[line] in _ARE_LISTED or nodes[line] < 0 or line in kept]
            shown = _drop_wrapping_lines(tree, shown)
        else:
            shown = [line for line in scope if roles[line] in _ARE_LISTED]
        return _drop_useless_lines(tree, _without_nested_buttons(tree, shown))
    shown = [line for line in scope if roles[line] != "generic" or _is_generic_printed(tree, line)]
    if options.compact:
        return [line for line in shown if not _is_unnamed_structure(tree, line)]
    return shown


def _drop_wrapping_lines(tree: Tree, lines: list[int]) -> list[int]:
    """Remove clickable lines that only wrap a clickable line or control of the same text.

    A click on the inner one hits both.
    """
    nodes, names, ends = tree.nodes, tree.names, tree.ends

    def can_be_pressed(line: int) -> bool:
        is_disabled = "disabled" in tree.states.get(line, "").split(", ")
        return nodes[line] < 0 or (tree.roles[line] in ("button", "link") and not is_disabled)

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
    """Drop one of two nested buttons that have the same name and nothing else in them.

    The inner one stays, unless only the outer one has states such as `expanded`.
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
    """Return the lines of virtual lists (with more items than are in the page) that hold a control."""
    return {
        line
        for line, states in tree.states.items()
        if (found := _IN_VIEW.search(states))
        and (found[1] or int(found[2]) >= tree.ends[line] - line)
        and any(
            tree.roles[inner] in _ARE_USED or tree.nodes[inner] < 0
            for inner in range(line + 1, tree.ends[line])
        )
    }


def _drop_useless_lines(tree: Tree, lines: list[int]) -> list[int]:
    """Remove separators and scrollbars without a value, which cannot be moved, and empty dialogs.

    An empty modal dialog stays, as it blocks the page.
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
    following = bisect.bisect_right(lines, line)
    holds_some = following < len(lines) and lines[following] < tree.ends[line]
    return holds_some or is_modal(tree, line)


def _is_generic_printed(tree: Tree, line: int) -> bool:
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
    is_cell = tree.roles[line] in ("cell", "gridcell")
    return is_cell and line not in tree.states and _is_unnamed_structure(tree, line)


def _indent_lines(tree: Tree, lines: list[int], depth: int | None) -> View:
    """Return a view of the lines, each indented once per shown ancestor, up to `depth` levels."""
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


SHORT = 8
"""Lists up to this length are printed whole."""
_FIRST_OF_LISTBOX = 10
_MOST_CHARS = 100
"""Limit of the names of options that are printed behind a closed list."""
_FEWEST_ALIKE = 3
"""Shorter lists are printed again where another one has the same options."""
_CHOSEN = frozenset({"selected", "checked", "focused", "active"})
_LISTS = frozenset({"combobox", "listbox"})


def shorten_option_lists(
    tree: Tree, view: View, *, whole: range | None, keep: Collection[int] = (), joins_closed: bool = False
) -> View:
    """Return the view with long lists of options shortened.

    `whole`: a list that contains these lines is not shortened. `keep`: lines that stay. `joins_closed`: print the
    options of a closed list (a `<select>`) behind its line.
    """
    short = View([], [], view.notes, view.endings)
    printed: dict[tuple[str, ...], int] = {}
    start = 0
    for list_line in _find_lists(tree):
        if tree.ends[list_line] - list_line <= _FEWEST_ALIKE and not joins_closed:
            continue
        first, stop = (bisect.bisect_left(view.lines, edge) for edge in (list_line + 1, tree.ends[list_line]))
        options = [line for line in view.lines[first:stop] if tree.roles[line] == "option"]
        if whole and list_line <= whole[0] and whole[-1] < tree.ends[list_line]:
            continue
        model = printed.setdefault(tuple(tree.names[line] for line in options[: SHORT + 1]), list_line)
        if joins_closed and _is_closed(tree, list_line, options) and list_line in view.lines[first - 1 : first]:
            short.endings[list_line] = _options_text(tree, options, is_known=model != list_line)
            _append_lines(short, view, range(start, first))
            start = stop
            continue
        limit = SHORT if tree.roles[list_line] == "combobox" else 2 * _FIRST_OF_LISTBOX
        is_known = model != list_line and len(options) >= _FEWEST_ALIKE  # an earlier list has the same options
        if len(options) <= limit and not is_known:
            continue
        kept = _options_to_keep(tree, list_line, options, keep)
        if left_out := len(options) - len(kept.intersection(options)):
            _append_lines(short, view, range(start, first))
            _append_lines(short, view, [k for k in range(first, stop) if view.lines[k] in kept])
            indent = "  " * min(view.indents[first:stop])
            known = model if len(options) <= SHORT else list_line
            note = _omission_note(tree, list_line, left_out, known, indent)
            short.add_note(short.lines[-1] if short.lines else -1, note)
            start = stop
    if not start:
        return view
    _append_lines(short, view, range(start, len(view.lines)))
    return short


def _is_closed(tree: Tree, list_line: int, options: list[int]) -> bool:
    """Return whether a line is a combobox that is not expanded and contains its options: a `<select>`."""
    is_expanded = "expanded" in tree.states.get(list_line, "").split(", ")
    if not options or is_expanded or tree.roles[list_line] != "combobox":
        return False
    inside = {tree.roles[tree.parents[line]] for line in options if tree.parents[line] != list_line}
    return inside <= {"group"}


def _options_text(tree: Tree, options: list[int], *, is_known: bool) -> str:
    """Return the options of a closed list: ` (of 3: Red, Green, Blue)`.

    Return only their number if they are many, or `is_known`: an earlier list has printed the same options.
    """
    text = ", ".join(tree.names[line] or '""' for line in options)
    if is_known and len(options) >= _FEWEST_ALIKE:
        return f" (of {len(options):,}, as above)"
    if len(options) > SHORT or len(text) > _MOST_CHARS:
        return f" (of {len(options):,}: select takes a label)"
    return f" (of {len(options)}: {text})"


def _find_lists(tree: Tree) -> Iterator[int]:
    """Yield the outermost lists of options, in order."""
    done = 0
    for line in (line for line, role in enumerate(tree.roles) if role == "option"):
        if line < done:
            continue
        list_line = tree.parents[line]
        while list_line >= done and tree.roles[list_line] not in _LISTS:
            list_line = tree.parents[list_line]
        if list_line >= done:
            yield list_line
            done = tree.ends[list_line]


def _options_to_keep(tree: Tree, list_line: int, options: list[int], keep: Collection[int]) -> set[int]:
    """Return the options of a long list that stay, with the lines of their groups.

    Those are chosen ones (at most SHORT), the first few of a list box, and those in `keep`.
    """
    chosen = [line for line in options if _is_chosen(tree, line)][:SHORT]
    first = options[:_FIRST_OF_LISTBOX] if tree.roles[list_line] == "listbox" else []
    kept = {*chosen, *first, *(line for line in options if line in keep)}
    for line in list(kept):
        while (line := tree.parents[line]) > list_line:
            kept.add(line)
    return kept


def _is_chosen(tree: Tree, line: int) -> bool:
    """Return whether an option is selected, checked, focused or active."""
    return line in tree.states and not _CHOSEN.isdisjoint(tree.states[line].split(", "))


def _omission_note(tree: Tree, list_line: int, count: int, model: int, indent: str) -> Note:
    """Return the note on omitted options, with the command that shows them.

    `model`: the earlier list with the same options, else `list_line`.
    """
    options = f"{indent}… {count:,} more option{'s' * (count > 1)}"
    if model != list_line:
        return Note(f"{options}, those of {{}} (select takes a label)", model)
    if tree.roles[list_line] == "combobox":
        return Note(f"{options} (select takes a label)")
    return Note(f"{options} (select takes a label; snapshot -s {{}} prints them)", list_line)


def _append_lines(view: View, other: View, indices: Collection[int]) -> None:
    """Append some lines of the view `other` to `view`. `indices`: of these lines in `other.lines`."""
    view.lines += [other.lines[k] for k in indices]
    view.indents += [other.indents[k] for k in indices]
