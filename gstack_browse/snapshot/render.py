"""Render a tree as the text of a snapshot. Pure: no browser, no clock."""

import bisect
import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from gstack_browse.snapshot.disambiguation.labels import Labels
from gstack_browse.snapshot.filters import select
from gstack_browse.snapshot.fold import Fold, find_longest_run, fold, join_runs, plural_noun
from gstack_browse.snapshot.tree import Note, Options, Tree, View
from gstack_browse.text.sanitise import escape_quotes

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
        return _render(tree, options)
    if printed.options != options or printed.prints != numbers.history.prints:
        printed.text, printed.options = _render(tree, options), options
        printed.prints = numbers.history.prints
    return printed.text


def _render(tree: Tree, options: Options) -> str:
    """Render the tree as the options say, without the cache."""
    if not len(tree):
        return NOTHING
    if options.rows is not None:
        part, head = _select_rows(tree, options, options.rows)
        return "\n".join([head, *_render_bounded(tree, part, options)])
    view = select(tree, options)
    lines = _render_bounded(tree, view, options) if view.lines else [_describe_empty(tree, options)]
    if tree.unlisted and options.interactive:
        lines.append(f"… {tree.unlisted:,} more clickable elements without a role: snapshot -iC")
    if tree.unseen_listeners:
        listeners = f"{tree.unseen_listeners:,} more elements listen for clicks"
        lines.append(f"({listeners}; they were too many to look at)")
    return "\n".join(lines)


def select_view(tree: Tree, options: Options) -> View:
    """Return the lines that the options select (only some rows with `--rows`), with nothing folded."""
    return select(tree, options) if options.rows is None else _select_rows(tree, options, options.rows)[0]


def shown_elements(tree: Tree, options: Options) -> list[int]:
    """Return the lines of all elements that `options` select, also folded ones, but no lines of text."""
    return [line for line in select_view(tree, options).lines if tree.nodes[line]]


def clip_text(text: str, options: Options) -> str:
    """Cut a rendered text at the options' limit, by whole lines."""
    if options.max_chars is None:
        return text
    lines, _ = _clip_lines(text.split("\n"), options.max_chars)
    return "\n".join(lines)


def render_without_refs(tree: Tree) -> str:
    """Render all lines of a tree without refs, to compare pages."""
    view = select(tree, Options(max_chars=None))
    shown = zip(view.lines, view.indents, strict=True)
    return "\n".join("  " * indent + line_text_without_ref(tree, line, MAX_TEXT) for line, indent in shown)


def line_text(tree: Tree, line: int) -> str:
    """Render a line without indentation: ref, role, name, states, value."""
    text = line_text_without_ref(tree, line, MAX_TEXT)
    return f"{tree.ref(line)} {text}" if tree.nodes[line] else text


def line_text_without_ref(tree: Tree, line: int, limit: int | None, label: str = "") -> str:
    """Render a line without indentation and ref: role, name, label, states, value.

    `limit`: characters of name and value; None for no limit. `label`: printed behind the name, ` (Cherry)`.
    """
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
    """Return a hint from the markup, ` (Cherry)`, for a name without letters such as "×"; else ""."""
    hint = tree.hints.get(line, "")
    return f" ({hint})" if hint and hint[0] != "." and not any(map(str.isalnum, name)) else ""


def bracketed(states: str) -> str:
    """Return states, comma-separated, each in brackets: `checked, disabled` → `[checked] [disabled]`."""
    return " ".join(f"[{state}]" for state in split_states(states)) if ", " in states else f"[{states}]"


def split_states(states: str) -> list[str]:
    """Split states at the commas outside of quotation marks: `checked, level=2` → ["checked", "level=2"]."""
    return states.split(", ") if '"' not in states else _OUTSIDE_QUOTES.split(states)


def _cut(text: str, limit: int | None) -> str:
    """Cut a text to `limit` characters, the last of them "…"; None for no limit."""
    return text if limit is None or len(text) <= limit else f"{text[: limit - 1]}…"


def _render_lines(tree: Tree, view: View, labels: dict[int, str], limit: int | None) -> list[str]:
    """Render the lines of a view with its notes. `labels`: by line; `limit`: characters of name and value."""
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
            text = f'[{roles[line]}] "{name}"{label(line, "")}'  # most lines; the same as `line_text_without_ref` makes of it
        else:
            text = line_text_without_ref(tree, line, limit, label(line, ""))
        if line in view.endings:
            text = f"{text}{view.endings[line]}"
        lines.append(f"{'  ' * indent}{ref} {text}" if ref else f"{'  ' * indent}{text}")
    return with_notes(tree, view, lines) if view.notes else lines


def with_notes(tree: Tree, view: View, lines: Sequence[_Shown]) -> "list[_Shown | str]":
    """Return `lines`, one for each line of the view, with the view's notes rendered in between."""
    noted: list[_Shown | str] = []
    start = 0
    for line in sorted(view.notes):
        stop = bisect.bisect_right(view.lines, line)
        if line < 0 or (stop and view.lines[stop - 1] == line):
            noted += lines[start:stop]
            noted += [note.render(tree) for note in view.notes[line]]
            start = stop
    return [*noted, *lines[start:]]


def _render_bounded(tree: Tree, view: View, options: Options) -> list[str]:
    """Render a view's lines; fold runs of similar siblings if they exceed the options' limit."""
    labels = Labels(tree, view, is_needed=options.needs_labels)
    joins_runs = options.joins_runs and tree.scope is None
    if options.max_chars is None:
        return _render_lines(tree, view, labels.labels_for(view), None)
    budget = max(options.max_chars - NOTES, 0)
    costs = _line_costs(tree, view)
    room = budget - sum(costs)
    folds: list[Fold] = []
    if room < 0 or sum(map(len, labels.labels_for(view).values())) > room:
        labels.add_costs(view, costs, budget)
        folds = fold(tree, view, costs, budget)
        view = _apply_folds(view, folds)
    lines = _render_lines(tree, view, labels.labels_for(view), MAX_TEXT)
    lines = join_runs(lines) if joins_runs else lines
    saved = sum(costs) - sum(map(len, lines)) - len(lines)
    lines, cut = _clip_lines(lines, options.max_chars)
    saved += cut
    if saved > 0 and (folds or cut):
        lines.append(f"({saved:,} characters saved; --all prints everything, --find TEXT searches it)")
    return lines


def _line_costs(tree: Tree, view: View) -> list[int]:
    """Return the length of each rendered line, without rendering it: most may be folded."""
    fixed = {role: len(f"@e [{role}]\n") for role in set(map(tree.roles.__getitem__, view.lines))}
    fixed["text"] = len("[text]: \n") - len("0") - len(' ""')  # neither number nor quotes
    roles = map(tree.roles.__getitem__, view.lines)
    digits = tree.ref_widths(view.lines)
    names = map(len, map(tree.names.__getitem__, view.lines))
    costs = [
        2 * indent + fixed[role] + number + (name + 3 if 0 < name < MAX_TEXT else MAX_TEXT + 3 if name else 0)
        for indent, role, number, name in zip(view.indents, roles, digits, names, strict=True)
    ]
    for line, states in tree.states.items():
        _add_cost(costs, view, line, len(bracketed(states)) + 1)
    for line, value in tree.values.items():
        _add_cost(costs, view, line, min(len(value), MAX_TEXT) + 2)
    for line, hint in tree.hints.items():
        _add_cost(costs, view, line, len(hint) + 3)
    for line, ending in view.endings.items():
        _add_cost(costs, view, line, len(ending))
    for line, notes in view.notes.items():
        _add_cost(costs, view, line, sum(len(note.text) + 1 for note in notes))
    return costs


def _add_cost(costs: list[int], view: View, line: int, cost: int) -> None:
    """Add `cost` to that of a line, if the view has it. `costs[k]`: characters of `view.lines[k]`."""
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
        left.add_note(left.lines[-1] if left.lines else -1, _fold_note(folded, view.indents[stop]))
        start = bisect.bisect_left(view.lines, folded.lines.stop)
    left.lines += view.lines[start:]
    left.indents += view.indents[start:]
    return left


def _fold_note(folded: Fold, indent: int) -> Note:
    """Return the note for folded lines, with the command that prints the first twenty of them."""
    upto = min(folded.last, folded.first + 19)
    return Note(
        f"{'  ' * indent}… {folded.count:,} more {folded.noun} like these"
        f" ({folded.first}-{folded.last}): snapshot -s {{}} --rows {folded.first}-{upto}",
        folded.parent,
    )


def _clip_lines(lines: list[str], max_chars: int) -> tuple[list[str], int]:
    """Cut off lines beyond `max_chars` and a tenth; return the others with a note, and the characters cut."""
    total, limit = 0, max_chars + max_chars // 10
    for index, line in enumerate(lines):
        total += len(line) + 1
        if total > limit:
            rest = lines[index:]
            note = f"… {len(rest):,} more lines: snapshot --all, or -s REF"
            return [*lines[:index], note], sum(map(len, rest))
    return lines, 0


def _select_rows(tree: Tree, options: Options, rows: range) -> tuple[View, str]:
    """Return a view of items `rows` (from 1) of the scope's longest run, and the headline above them."""
    parent, items = find_longest_run(tree, tree.scope.start if tree.scope else None)
    noun = plural_noun(tree, items)
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


def _describe_empty(tree: Tree, options: Options) -> str:
    """Return the text that is printed if the options select no line."""
    if options.find:
        who = f"no [{options.role}] here" if options.role else "nothing here"
        return f'({who} contains "{options.find}")'
    if options.role:
        roles = sorted({tree.roles[line] for line in tree.shown_scope} - {"generic", "text"})
        return f"(no [{options.role}] here; there is: {', '.join(roles) or 'text only'})"
    return NOTHING_LEFT if options.interactive else NOTHING
