"""Shorten long lists of options: selected ones are printed, the others counted.

The tree keeps them all. A country field has 250 options, and `select` takes a label without having seen it. What a list
box shows may have to be clicked, so its first options stay. Options that repeat in each row of a table are printed once.
`-s` on the list, `--find` and `--all` print the others.
"""

import bisect
from collections.abc import Collection, Iterator

from gstack_browse.snapshot.tree import Tree
from gstack_browse.snapshot.view import Note, View

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

    `whole`: lines in the list that is not shortened; `keep`: lines of other lists that stay. `joins_closed`: the options of a closed
    list stand behind its line.
    """
    short = View([], [], view.notes, view.endings)
    printed: dict[tuple[str, ...], int] = {}
    start = 0
    for choices in _find_lists(tree):
        if tree.ends[choices] - choices <= _FEWEST_ALIKE and not joins_closed:
            continue
        first, stop = _view_range(view, choices + 1, tree.ends[choices])
        options = [line for line in view.lines[first:stop] if tree.roles[line] == "option"]
        if whole and choices <= whole[0] and whole[-1] < tree.ends[choices]:
            continue
        model = printed.setdefault(tuple(tree.names[line] for line in options[: SHORT + 1]), choices)
        if joins_closed and _is_closed(tree, choices, options) and choices in view.lines[first - 1 : first]:
            short.endings[choices] = _options_text(tree, options, is_known=model != choices)
            _append_lines(short, view, range(start, first))
            start = stop
            continue
        if not _is_long(tree, choices, options, model):
            continue
        kept = _options_to_keep(tree, choices, options, keep)
        if left_out := len(options) - len(kept.intersection(options)):
            _append_lines(short, view, range(start, first))
            _append_lines(short, view, [k for k in range(first, stop) if view.lines[k] in kept])
            indent = "  " * min(view.indents[first:stop])
            told = _omission_note(tree, choices, left_out, model if len(options) <= SHORT else choices, indent)
            short.note(short.lines[-1] if short.lines else -1, told)
            start = stop
    if not start:
        return view
    _append_lines(short, view, range(start, len(view.lines)))
    return short


def _is_closed(tree: Tree, choices: int, options: list[int]) -> bool:
    """Return whether a list has its options in it and does not show them: a `<select>`."""
    if (
        not options
        or tree.roles[choices] != "combobox"
        or "expanded" in tree.states.get(choices, "").split(", ")
    ):
        return False
    inside = {tree.roles[tree.parents[line]] for line in options if tree.parents[line] != choices}
    return inside <= {"group"}


def _options_text(tree: Tree, options: list[int], *, is_known: bool) -> str:
    """Return the options of a closed list: ` (of 3: Red, Green, Blue)`.

    Return their number if they are many, or printed above.
    """
    text = ", ".join(tree.names[line] or '""' for line in options)
    if is_known and len(options) >= _FEWEST_ALIKE:
        return f" (of {len(options):,}, as above)"
    if len(options) > SHORT or len(text) > _MOST_CHARS:
        return f" (of {len(options):,}: select takes a label)"
    return f" (of {len(options)}: {text})"


def _is_long(tree: Tree, choices: int, options: list[int], model: int) -> bool:
    """Return whether to shorten a list: it is long, or the list `model` has printed the same options."""
    limit = SHORT if tree.roles[choices] == "combobox" else 2 * _FIRST_OF_LISTBOX
    return len(options) > limit or (model != choices and len(options) >= _FEWEST_ALIKE)


def _find_lists(tree: Tree) -> Iterator[int]:
    """Yield the outermost lists of options, in order."""
    line = done = 0
    while (line := _next_option(tree, line)) >= 0:
        choices = tree.parents[line]
        while choices >= done and tree.roles[choices] not in _LISTS:
            choices = tree.parents[choices]
        if choices >= done:
            yield choices
            done = tree.ends[choices]
        line = max(done, line + 1)


def _next_option(tree: Tree, line: int) -> int:
    """Return the first line from `line` on that is an option; -1 for none."""
    try:
        return tree.roles.index("option", line)
    except ValueError:
        return -1


def _options_to_keep(tree: Tree, choices: int, options: list[int], keep: Collection[int]) -> set[int]:
    """Return the options that stay, with their groups."""
    chosen = [line for line in options if _is_chosen(tree, line)][:SHORT]
    first = options[:_FIRST_OF_LISTBOX] if tree.roles[choices] == "listbox" else []
    kept = {*chosen, *first, *(line for line in options if line in keep)}
    for line in list(kept):
        while (line := tree.parents[line]) > choices:
            kept.add(line)
    return kept


def _is_chosen(tree: Tree, line: int) -> bool:
    """Return whether a line is selected or checked."""
    return line in tree.states and not _CHOSEN.isdisjoint(tree.states[line].split(", "))


def _omission_note(tree: Tree, choices: int, count: int, model: int, indent: str) -> Note:
    """Return the note on omitted options and how to see them. `model`: a list with the same options."""
    options = f"{indent}… {count:,} more option{'s' * (count > 1)}"
    if model != choices:
        return Note(f"{options}, those of {{}} (select takes a label)", model)
    if tree.roles[choices] == "combobox":
        return Note(f"{options} (select takes a label)")
    return Note(f"{options} (select takes a label; snapshot -s {{}} prints them)", choices)


def _view_range(view: View, start: int, stop: int) -> tuple[int, int]:
    """Return the range within the view of the tree's lines from `start` to `stop`."""
    return bisect.bisect_left(view.lines, start), bisect.bisect_left(view.lines, stop)


def _append_lines(view: View, other: View, places: Collection[int]) -> None:
    """Append lines of another view. `places`: their indices there."""
    view.lines += [other.lines[k] for k in places]
    view.indents += [other.indents[k] for k in places]
