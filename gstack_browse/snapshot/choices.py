"""Long lists of options: the chosen ones are printed, the others counted. The tree keeps them all.

A country field has 250 options, and nobody needs them to choose one: `select` takes a label. What a list box shows
may have to be clicked, so the first of its options stay. The options that each row of a table offers are printed once. `-s` on the list, `--find` and `--all` print the others.
"""

import bisect
from collections.abc import Collection, Iterator

from gstack_browse.snapshot.tree import Tree
from gstack_browse.snapshot.view import Note, View

SHORT = 8
"""Lists up to here are printed whole."""
_FIRST_OF_LISTBOX = 10
_FEWEST_ALIKE = 3
"""Shorter lists are printed again where another one has the same options."""
_CHOSEN = frozenset({"selected", "checked", "focused", "active"})
_LISTS = frozenset({"combobox", "listbox"})


def shortened(tree: Tree, view: View, *, whole: range | None, keep: Collection[int] = ()) -> View:
    """The view with long lists of options shortened. The list that `whole` lies in stays as it is.

    Of other lists the lines `keep` stay.
    """
    short = View([], [], view.notes)
    printed: dict[tuple[str, ...], int] = {}
    start = 0
    for choices in _lists(tree):
        if tree.ends[choices] - choices <= _FEWEST_ALIKE:
            continue
        first, stop = _places(view, choices + 1, tree.ends[choices])
        options = [line for line in view.lines[first:stop] if tree.roles[line] == "option"]
        if whole and choices <= whole[0] and whole[-1] < tree.ends[choices]:
            continue
        model = printed.setdefault(tuple(tree.names[line] for line in options[: SHORT + 1]), choices)
        if not _is_long(tree, choices, options, model):
            continue
        kept = _kept(tree, choices, options, keep)
        if left_out := len(options) - len(kept.intersection(options)):
            _append(short, view, range(start, first))
            _append(short, view, [k for k in range(first, stop) if view.lines[k] in kept])
            indent = "  " * min(view.indents[first:stop])
            told = _told(tree, choices, left_out, model if len(options) <= SHORT else choices, indent)
            short.note(short.lines[-1] if short.lines else -1, told)
            start = stop
    if not start:
        return view
    _append(short, view, range(start, len(view.lines)))
    return short


def _is_long(tree: Tree, choices: int, options: list[int], model: int) -> bool:
    """True also for what another list with the same options, `model`, has printed already."""
    limit = SHORT if tree.roles[choices] == "combobox" else 2 * _FIRST_OF_LISTBOX
    return len(options) > limit or (model != choices and len(options) >= _FEWEST_ALIKE)


def _lists(tree: Tree) -> Iterator[int]:
    """The lines of all lists of options, in order; lists within a list are left out."""
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
    try:
        return tree.roles.index("option", line)
    except ValueError:
        return -1


def _kept(tree: Tree, choices: int, options: list[int], keep: Collection[int]) -> set[int]:
    """The options that stay, with the groups that they are in."""
    chosen = [line for line in options if _is_chosen(tree, line)][:SHORT]
    first = options[:_FIRST_OF_LISTBOX] if tree.roles[choices] == "listbox" else []
    kept = {*chosen, *first, *(line for line in options if line in keep)}
    for line in list(kept):
        while (line := tree.parents[line]) > choices:
            kept.add(line)
    return kept


def _is_chosen(tree: Tree, line: int) -> bool:
    return line in tree.states and not _CHOSEN.isdisjoint(tree.states[line].split(", "))


def _told(tree: Tree, choices: int, count: int, model: int, indent: str) -> Note:
    """How many are left out, and what to do without them. `model`: a list with the same options."""
    options = f"{indent}… {count:,} more option{'s' * (count > 1)}"
    if model != choices:
        return Note(f"{options}, those of {{}} (select takes a label)", model)
    if tree.roles[choices] == "combobox":
        return Note(f"{options} (select takes a label)")
    return Note(f"{options} (select takes a label; snapshot -s {{}} prints them)", choices)


def _places(view: View, start: int, stop: int) -> tuple[int, int]:
    """Where the lines of the tree from `start` up to `stop` are among those shown."""
    return bisect.bisect_left(view.lines, start), bisect.bisect_left(view.lines, stop)


def _append(view: View, other: View, places: Collection[int]) -> None:
    view.lines += [other.lines[k] for k in places]
    view.indents += [other.indents[k] for k in places]
