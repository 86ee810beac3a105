"""Print a row with clickable cells as one line: `@e40 [row] 3 cells: "run-17" "409.39" "ok"`.

This is for `-i`. `--find`, and `-s` on the row, print the cells with refs. Of many such rows three are printed, the
others counted. Days of a calendar, and cells without words, keep lines of their own, as they are clicked themselves.
"""

import itertools
from collections.abc import Iterator

from gstack_browse.snapshot.fold import FEWEST_ITEMS, KEPT_ITEMS, is_next_number, items_below, plural_noun
from gstack_browse.snapshot.tree import Note, Tree, View
from gstack_browse.text.sanitise import escape_quotes

REASONS_TO_LIST = frozenset({"cursor:pointer", "cursor:grab", "cursor:move", "listener", "onclick"})
"""States that only say why something without a role is listed."""
_CELLS = frozenset({"cell", "gridcell"})
_FEWEST_CELLS = 2
_MOST_CHARS = 120
"""Limit of a row's text."""


def put_cells_into_rows(tree: Tree, lines: list[int]) -> tuple[list[int], dict[int, str]]:
    """Replace clickable cells by the rows that they are in.

    Return the lines then to be shown, and for each such row the text printed behind it: ` 3 cells: "run-17" …`.
    """
    cells: dict[int, list[int]] = {}
    for line in lines:
        if _is_plain_cell(tree, line) and tree.roles[row := tree.parents[line]] == "row":
            cells.setdefault(row, []).append(line)
    if not cells:
        return lines, {}
    shown = set(lines)
    endings = {}
    for row, clickable in cells.items():
        if len(clickable) < _FEWEST_CELLS or not _is_record(tree, clickable):
            continue
        holds_others = any(line in shown for cell in clickable for line in range(cell + 1, tree.ends[cell]))
        if not holds_others:
            endings[row] = "" if tree.names[row] else _row_text(tree, row)
    if not endings:
        return lines, {}
    gone = {cell for row in endings for cell in cells[row]}
    return sorted((shown - gone) | endings.keys()), endings


def fold_rows(tree: Tree, view: View) -> View:
    """Return the view with three of each run of rows without controls, and a note for the others."""
    folded = View([], [], view.notes, view.endings)
    for row, stop in list(_runs(tree, view)):
        count = stop - row
        kept = KEPT_ITEMS if count >= FEWEST_ITEMS else count
        folded.lines += view.lines[row : row + kept]
        folded.indents += view.indents[row : row + kept]
        if kept < count:
            folded.add_note(view.lines[row + kept - 1], _fold_note(tree, view, row + kept, stop))
    return folded


def _is_plain_cell(tree: Tree, line: int) -> bool:
    """Return whether a line is a cell that is clickable, without any other state."""
    if tree.nodes[line] >= 0 or tree.roles[line] not in _CELLS:
        return False
    return REASONS_TO_LIST.issuperset(tree.states.get(line, "").split(", "))


def _is_record(tree: Tree, cells: list[int]) -> bool:
    """Return whether cells are fields of a record: most are named, and not 1, 2, 3 as in a calendar."""
    names = [tree.names[cell] for cell in cells]
    counting = sum(is_next_number(one, other) for one, other in itertools.pairwise(names))
    return 2 * sum(map(bool, names)) > len(names) and 2 * counting < len(names) - 1


def _row_text(tree: Tree, row: int) -> str:
    """Return the number of a row's cells, and the beginning of their names: ` 3 cells: "run-17" "ok"`."""
    cells = [line for line in tree.children(row) if tree.nodes[line]]
    names = " ".join(f'"{escape_quotes(tree.names[line])}"' for line in cells if tree.names[line])
    more = f"{names[:_MOST_CHARS]}…" if len(names) > _MOST_CHARS else names
    return f" {len(cells)} cells: {more}"


def _runs(tree: Tree, view: View) -> Iterator[tuple[int, int]]:
    """Yield (first, stop) in `view.lines` of each run of one-line rows in a table, and of each other line."""
    first = 0
    while first < len(view.lines):
        stop = first + 1
        if _is_printed_alone(tree, view, first):
            parent = tree.parents[view.lines[first]]
            while (
                stop < len(view.lines)
                and _is_printed_alone(tree, view, stop)
                and tree.parents[view.lines[stop]] == parent
            ):
                stop += 1
        yield first, stop
        first = stop


def _is_printed_alone(tree: Tree, view: View, index: int) -> bool:
    """Return whether a row stands on one line with its cells, and no line inside it is shown.

    index: of the row in `view.lines`
    """
    line = view.lines[index]
    if line not in view.endings or tree.roles[line] != "row":
        return False
    return index + 1 == len(view.lines) or view.lines[index + 1] >= tree.ends[line]


def _fold_note(tree: Tree, view: View, first: int, stop: int) -> Note:
    """Return the note on the folded rows `first` to `stop` of `view.lines`.

    In it they have the numbers that `--rows` takes: from 1, counted in their table.
    """
    parent = tree.parents[view.lines[first]]
    items = items_below(tree, parent)
    begin, end = items.index(view.lines[first]) + 1, items.index(view.lines[stop - 1]) + 1
    indent = "  " * view.indents[first]
    how = f"snapshot -i -s {{}} --rows {begin}-{min(end, begin + 19)}" if parent >= 0 else "snapshot -i --all"
    return Note(
        f"{indent}… {stop - first:,} more {plural_noun(tree, items)} like these ({begin}-{end}): {how}", parent
    )
