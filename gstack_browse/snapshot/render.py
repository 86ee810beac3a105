"""From a tree to the text of a snapshot. Pure: no browser, no clock.

One line per element, two blanks per shown level:
    @e1 [heading] "Sign in" [level=1]
    @e2 [textbox] "Email": me@example.com
"""

import bisect
import heapq
import re
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TypeVar

from gstack_browse.snapshot.disambiguation.labels import Labels
from gstack_browse.snapshot.filters import select
from gstack_browse.snapshot.runs import join_runs
from gstack_browse.snapshot.tree import Tree
from gstack_browse.snapshot.view import Note, Options, View
from gstack_browse.text.sanitise import escape_quotes

FEWEST_ITEMS = 6
"""Shorter runs are never folded."""
KEPT_ITEMS = 3
"""How many items of a run always stay, to show what they look like."""
_LEAST_CHARS = 200
"""What is shorter is not worth a fold."""

_NOUNS = {
    "row": "rows",
    "listitem": "items",
    "option": "options",
    "article": "articles",
    "treeitem": "items",
    "cell": "cells",
}


@dataclass(frozen=True, slots=True)
class Fold:
    """Items left out: `first` to `last` (counted from 1) of the children of line `parent`."""

    parent: int
    first: int
    last: int
    noun: str
    lines: range
    """The lines of the tree that are not shown."""

    @property
    def count(self) -> int:
        return self.last - self.first + 1


def fold(tree: Tree, view: View, costs: Sequence[int], max_chars: int) -> list[Fold]:
    """Choose runs to fold so that about `max_chars` remain. `costs[k]`: length of `view.lines[k]`."""
    text = _Text(view.lines, [0, *accumulate(costs)])
    excess = text.total - max_chars
    folds: list[Fold] = []
    largest = [(-text.cost(line, tree.ends[line]), line) for line in tree.top()] if excess > 0 else []
    heapq.heapify(largest)
    while excess > 0 and largest:
        _, parent = heapq.heappop(largest)
        children = tree.children(parent)
        if folded := _cut_folded(tree, text, parent, children, excess):
            folds.append(folded)
            excess -= text.cost(folded.lines.start, folded.lines.stop)
            children = children[: bisect.bisect_left(children, folded.lines.start)]
        for child in children:
            if (cost := text.cost(child, tree.ends[child])) >= _LEAST_CHARS:
                heapq.heappush(largest, (-cost, child))
    return sorted(folds, key=lambda folded: folded.lines.start)


def items_of(tree: Tree, line: int | None) -> tuple[int, list[int]]:
    """Return parent and items of the longest run at or below `line` (None: in the whole tree)."""
    scope = range(len(tree)) if line is None else range(line, tree.ends[line])
    counts = Counter(tree.parents[below] for below in scope if tree.roles[below] != "text")
    counts.pop(-1, None)
    inside = {parent: count for parent, count in counts.items() if parent in scope}
    if not inside:
        return -1, []
    parent = (
        line
        if line is not None and inside.get(line, 0) >= FEWEST_ITEMS
        else max(inside, key=lambda p: inside[p])
    )
    return parent, _items(tree, parent)


def noun_of(tree: Tree, items: Sequence[int]) -> str:
    """Return the noun for them: rows, items, …"""
    return _NOUNS.get(tree.roles[items[0]], "items") if items else "items"


def _items(tree: Tree, parent: int) -> list[int]:
    return [child for child in tree.children(parent) if tree.roles[child] != "text"]


@dataclass(frozen=True, slots=True)
class _Text:
    """How long the text is: `sums[k]` characters before the line `lines[k]` of the tree."""

    lines: Sequence[int]
    sums: Sequence[int]

    @property
    def total(self) -> int:
        return self.sums[-1]

    def cost(self, start: int, stop: int) -> int:
        """Of the lines of the tree from `start` up to `stop`."""
        return self._before(stop) - self._before(start)

    def last_with(self, chars: int, stop: int) -> int:
        """Return the last line from which `chars` characters remain up to `stop`; -1 if fewer."""
        index = bisect.bisect_right(self.sums, self._before(stop) - chars) - 1
        return self.lines[index] if index >= 0 else -1

    def _before(self, line: int) -> int:
        return self.sums[bisect.bisect_left(self.lines, line)]


def _cut_folded(tree: Tree, text: _Text, parent: int, children: Sequence[int], excess: int) -> Fold | None:
    """Fold the last items of a run as far as the excess requires; None if it is not a run."""
    items = [child for child in children if tree.roles[child] != "text"]
    if len(items) < FEWEST_ITEMS or max(Counter(tree.roles[item] for item in items).values()) < FEWEST_ITEMS:
        return None
    end = tree.ends[parent]
    keep = max(bisect.bisect_right(items, text.last_with(excess, end)) - 1, KEPT_ITEMS)
    if len(items) - keep < 2 or text.cost(items[keep], end) < _LEAST_CHARS:
        return None
    return Fold(parent, keep + 1, len(items), noun_of(tree, items), range(items[keep], end))


_Shown = TypeVar("_Shown")

NOTHING = "(no accessible elements found)"
NOTHING_LEFT = "(no interactive elements found)"
NOTES = 200
"""Characters reserved for the notes on folded lines."""
MAX_TEXT = 400
"""Limit of names and values in a bounded snapshot; `--all` prints them whole."""
_OUTSIDE_QUOTES = re.compile(r', (?=(?:[^"]*"[^"]*")*[^"]*$)')


def render(tree: Tree, options: Options | None = None) -> str:
    """Render the snapshot as text, without a final newline.

    The last text is cached: a page that has not changed has an equal tree, and often nothing else was printed since.
    """
    options = options or Options()
    printed, numbers = tree.printed, tree.numbers
    if numbers is None:
        return _rendered(tree, options)
    if printed.options != options or printed.prints != numbers.history.prints:
        printed.text, printed.options, printed.prints = (
            _rendered(tree, options),
            options,
            numbers.history.prints,
        )
    return printed.text


def _rendered(tree: Tree, options: Options) -> str:
    if not len(tree):
        return NOTHING
    if options.rows is not None:
        return _render_rows(tree, options, options.rows)
    view = select(tree, options)
    lines = _render_bounded(tree, view, options) if view.lines else [_nothing_left(tree, options)]
    if tree.unlisted and options.interactive:
        lines.append(f"… {tree.unlisted:,} more clickable elements without a role: snapshot -iC")
    if tree.unseen_listeners:
        lines.append(
            f"({tree.unseen_listeners:,} more elements listen for clicks; they were too many to look at)"
        )
    return "\n".join(lines)


def select_view(tree: Tree, options: Options) -> View:
    """Return the lines that the options select, unfolded."""
    return select(tree, options) if options.rows is None else _select_rows(tree, options, options.rows)[0]


def shown_elements(tree: Tree, options: Options) -> list[int]:
    """Return the selected lines, including folded ones, that can have a ref."""
    return [line for line in select(tree, options).lines if tree.nodes[line]]


def clip_text(text: str, options: Options) -> str:
    """Cut a text that cannot be folded at the options' limit."""
    if options.max_chars is None:
        return text
    lines, _ = _clip_lines(text.split("\n"), options.max_chars)
    return "\n".join(lines)


def render_without_refs(tree: Tree) -> str:
    """Render everything without refs, for comparing pages."""
    view = select(tree, Options(max_chars=None))
    shown = zip(view.lines, view.indents, strict=True)
    return "\n".join("  " * indent + line_words(tree, line, MAX_TEXT) for line, indent in shown)


def line_text(tree: Tree, line: int, limit: int | None = MAX_TEXT, label: str = "") -> str:
    """Render a line without indentation: ref, role, name, label, states, value."""
    text = line_words(tree, line, limit, label)
    return f"{tree.ref(line)} {text}" if tree.nodes[line] else text


def line_words(tree: Tree, line: int, limit: int | None, label: str = "") -> str:
    """Render a line without its ref."""
    role, name = tree.roles[line], tree.names[line]
    if limit is not None and len(name) > limit:
        name = _cut(name, limit)
    if role == "text":
        return f"[text]: {name}"
    if name:
        if '"' in name or "\\" in name:
            name = escape_quotes(name)
        text = f'[{role}] "{name}"{label or _sign_hint(tree, line, name)}'
    elif line in tree.hints and not label.startswith(" (near "):
        text = f"[{role}] ({tree.hints[line]}){label}"
    else:
        text = f"[{role}]{label}"
    if line in tree.states:
        text = f"{text} {bracketed(tree.states[line])}"
    if line in tree.values:
        text = f"{text}: {_cut(tree.values[line], limit)}"
    return text


def _sign_hint(tree: Tree, line: int, name: str) -> str:
    """Return what a lone cross belongs to, in parentheses: a name without letters does not say that."""
    hint = tree.hints.get(line, "")
    return f" ({hint})" if hint and hint[0] != "." and not any(map(str.isalnum, name)) else ""


def bracketed(states: str) -> str:
    if ", " not in states:
        return f"[{states}]"
    parts = states.split(", ") if '"' not in states else _OUTSIDE_QUOTES.split(states)
    return " ".join(f"[{state}]" for state in parts)


def _cut(text: str, limit: int | None) -> str:
    return text if limit is None or len(text) <= limit else f"{text[: limit - 1]}…"


def _render_lines(tree: Tree, view: View, labels: dict[int, str], limit: int | None) -> list[str]:
    """The lines of the view with their notes."""
    described = {*tree.states, *tree.values, *tree.hints}
    most, roles, names, label = limit or sys.maxsize, tree.roles, tree.names, labels.get
    lines = []
    for line, indent, ref in zip(view.lines, view.indents, tree.refs(view.lines), strict=True):
        name = names[line]
        if (
            name
            and ref
            and line not in described
            and len(name) <= most
            and '"' not in name
            and "\\" not in name
        ):
            text = (
                f'[{roles[line]}] "{name}"{label(line, "")}'  # most lines; the same as `line_words` makes of it
            )
        else:
            text = line_words(tree, line, limit, label(line, ""))
        if line in view.endings:
            text = f"{text}{view.endings[line]}"
        lines.append(f"{'  ' * indent}{ref} {text}" if ref else f"{'  ' * indent}{text}")
    return with_notes(tree, view, lines) if view.notes else lines


def with_notes(tree: Tree, view: View, lines: Sequence[_Shown]) -> "list[_Shown | str]":
    """Return the rendered lines of the view with the notes in between."""
    noted: list[_Shown | str] = []
    start = 0
    for line in sorted(view.notes):
        stop = bisect.bisect_right(view.lines, line)
        if line < 0 or (stop and view.lines[stop - 1] == line):
            noted += lines[start:stop]
            noted += [note.words(tree) for note in view.notes[line]]
            start = stop
    return [*noted, *lines[start:]]


def _render_bounded(tree: Tree, view: View, options: Options) -> list[str]:
    """Render the view's lines, folding runs of similar siblings if they are too long."""
    labels = Labels(tree, view, is_needed=options.bare)
    if options.max_chars is None:
        return _render_lines(tree, view, labels.labels_for(view), None)
    budget = max(options.max_chars - NOTES, 0)
    room = budget - _upper_bound(tree, view, budget)
    if room >= 0 and sum(map(len, labels.labels_for(view).values())) <= room:
        lines = _render_lines(tree, view, labels.labels_for(view), MAX_TEXT)
        return join_runs(lines) if _joins_runs(tree, options) else lines
    costs = _line_costs(tree, view)
    labels.add_costs(view, costs, budget)
    folds = fold(tree, view, costs, budget)
    left = _apply_folds(view, folds)
    lines = _render_lines(tree, left, labels.labels_for(left), MAX_TEXT)
    lines = join_runs(lines) if _joins_runs(tree, options) else lines
    saved = sum(costs) - sum(map(len, lines)) - len(lines)
    lines, cut = _clip_lines(lines, options.max_chars)
    saved += cut
    if saved > 0 and (folds or cut):
        lines.append(f"({saved:,} characters saved; --all prints everything, --find TEXT searches it)")
    return lines


def _joins_runs(tree: Tree, options: Options) -> bool:
    return options.joins_runs and tree.scope is None


def _upper_bound(tree: Tree, view: View, limit: int) -> int:
    """Return an upper bound of the view's length without labels, computed faster than `_line_costs`.

    Counting stops above `limit`.
    """
    each = len('@e [] ""\n') + tree.most_digits(len(view.lines))
    total = each * len(view.lines) + 2 * sum(view.indents)
    if total > limit:
        return total
    names = "".join(map(tree.names.__getitem__, view.lines))
    total += sum(map(len, map(tree.roles.__getitem__, view.lines)))
    total += len(names) + names.count('"') + names.count("\\")
    shown = set(view.lines)
    for texts in (tree.states, tree.values, tree.hints):
        total += sum(len(texts[line]) + 3 + texts[line].count(", ") for line in texts.keys() & shown)
    total += sum(map(len, view.endings.values()))
    return total + sum(len(note.text) + each for notes in view.notes.values() for note in notes)


def _line_costs(tree: Tree, view: View) -> list[int]:
    """Return the length of each line with its indentation, without rendering it: most may be folded."""
    fixed = {role: len(f"@e [{role}]\n") for role in set(map(tree.roles.__getitem__, view.lines))}
    fixed["text"] = len("[text]: \n") - len("0") - len(' ""')  # neither number nor quotes
    roles = map(tree.roles.__getitem__, view.lines)
    digits = tree.widths(view.lines)
    names = map(len, map(tree.names.__getitem__, view.lines))
    costs = [
        2 * indent + fixed[role] + number + (name + 3 if 0 < name < MAX_TEXT else MAX_TEXT + 3 if name else 0)
        for indent, role, number, name in zip(view.indents, roles, digits, names, strict=True)
    ]
    for line, states in tree.states.items():
        _add(costs, view, line, len(bracketed(states)) + 1)
    for line, value in tree.values.items():
        _add(costs, view, line, min(len(value), MAX_TEXT) + 2)
    for line, hint in tree.hints.items():
        _add(costs, view, line, len(hint) + 3)
    for line, ending in view.endings.items():
        _add(costs, view, line, len(ending))
    for line, notes in view.notes.items():
        _add(costs, view, line, sum(len(note.text) + 1 for note in notes))
    return costs


def _add(costs: list[int], view: View, line: int, cost: int) -> None:
    index = bisect.bisect_left(view.lines, line)
    if index < len(costs) and view.lines[index] == line:
        costs[index] += cost


def _apply_folds(view: View, folds: list[Fold]) -> View:
    """Return the view without folded lines, with a note in place of each fold."""
    left = View([], [], dict(view.notes), view.endings)
    start = 0
    for folded in folds:
        stop = bisect.bisect_left(view.lines, folded.lines.start)
        left.lines += view.lines[start:stop]
        left.indents += view.indents[start:stop]
        left.note(left.lines[-1] if left.lines else -1, _fold_note(folded, view.indents[stop]))
        start = bisect.bisect_left(view.lines, folded.lines.stop)
    left.lines += view.lines[start:]
    left.indents += view.indents[start:]
    return left


def _fold_note(folded: Fold, indent: int) -> Note:
    upto = min(folded.last, folded.first + 19)
    return Note(
        f"{'  ' * indent}… {folded.count:,} more {folded.noun} like these"
        f" ({folded.first}-{folded.last}): snapshot -s {{}} --rows {folded.first}-{upto}",
        folded.parent,
    )


def _clip_lines(lines: list[str], max_chars: int) -> tuple[list[str], int]:
    """Cut lines that are still too long after folding; the rest is only counted."""
    total, limit = 0, max_chars + max_chars // 10
    for index, line in enumerate(lines):
        total += len(line) + 1
        if total > limit:
            rest = lines[index:]
            return [*lines[:index], f"… {len(rest):,} more lines: snapshot --all, or -s REF"], sum(
                map(len, rest)
            )
    return lines, 0


def _render_rows(tree: Tree, options: Options, rows: range) -> str:
    """Render some items of the longest run of the scope."""
    part, head = _select_rows(tree, options, rows)
    return "\n".join([head, *_render_bounded(tree, part, options)])


def _select_rows(tree: Tree, options: Options, rows: range) -> tuple[View, str]:
    """Return the lines of some items, and the headline above them."""
    parent, items = items_of(tree, tree.scope.start if tree.scope else None)
    noun = noun_of(tree, items)
    chosen = items[rows.start - 1 : rows.stop - 1]
    if not chosen:
        return View([], []), f"({len(items)} {noun} here, none of them in {rows.start}-{rows.stop - 1})"
    lines = range(chosen[0], tree.ends[chosen[-1]])
    view = select(tree, replace(options, find=""), whole=range(parent, tree.ends[parent]))
    first, stop = (bisect.bisect_left(view.lines, line) for line in (lines.start, lines.stop))
    part = view.part(first, stop)
    least = min(part.indents, default=0)
    part.indents = [indent - least for indent in part.indents]
    where = f" of {tree.ref(parent)}" if parent >= 0 and tree.nodes[parent] else ""
    return part, f"({noun} {rows.start}-{rows.start + len(chosen) - 1} of {len(items)}{where})"


def _nothing_left(tree: Tree, options: Options) -> str:
    if options.find:
        who = f"no [{options.role}] here" if options.role else "nothing here"
        return f'({who} contains "{options.find}")'
    if options.role:
        roles = sorted({tree.roles[line] for line in tree.shown_scope} - {"generic", "text"})
        return f"(no [{options.role}] here; there is: {', '.join(roles) or 'text only'})"
    return NOTHING_LEFT if options.interactive else NOTHING
