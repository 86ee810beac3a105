"""Compare two snapshots, or any two sequences of lines, as a unified diff.

Refs are stable, so an inserted row is one line.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from difflib import SequenceMatcher
from functools import cached_property, partial
from itertools import groupby

from gstack_browse.snapshot.disambiguation.labels import Labels
from gstack_browse.snapshot.fold import join_runs
from gstack_browse.snapshot.render import (
    clip_text,
    line_text_without_ref,
    render,
    select_view,
    with_notes,
)
from gstack_browse.snapshot.tree import Options, Tree

NO_CHANGES = "(no changes)"
_CONTEXT = 2
_MANY_PAIRS = 2_000_000
"""Limit of equal pairs of lines above which frequent lines are ignored: comparison would take minutes."""

_Opcodes = list[tuple[str, int, int, int, int]]


def unified_diff_of_lines(
    before: Sequence[Hashable],
    after: Sequence[Hashable],
    *texts: Callable[[int], str],
    names: Sequence[str] = ("previous snapshot", "this snapshot"),
) -> str:
    """Return a unified diff with hunks, or NO_CHANGES.

    `texts`: two functions that render a line of either side by its index; by default the compared values are printed.
    Common lines at both ends are skipped, as that costs nothing. `names`: file names in the two header lines; empty:
    no header.
    """
    one, other = texts or (lambda index: str(before[index]), lambda index: str(after[index]))
    head = _common_prefix_length(before, after)
    tail = _common_prefix_length(before[head:][::-1], after[head:][::-1])
    if head == len(before) == len(after):
        return NO_CHANGES
    start = max(head - _CONTEXT, 0)
    stops = [max(len(side) - max(tail - _CONTEXT, 0), start) for side in (before, after)]
    old, new = before[start : stops[0]], after[start : stops[1]]
    counts = Counter(old)
    equal_pairs = sum(counts[line] for line in new)
    matcher = SequenceMatcher(None, old, new, autojunk=equal_pairs > _MANY_PAIRS)
    lines = [f"--- {names[0]}", f"+++ {names[1]}"] if names else []
    for hunk in matcher.get_grouped_opcodes(_CONTEXT):
        lines.extend(_render_hunk(hunk, one, other, start))
    return "\n".join(lines)


def _common_prefix_length(one: Sequence[Hashable], other: Sequence[Hashable]) -> int:
    """Return how many lines at the beginning are equal in both sequences."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((index for index, (left, right) in pairs if left != right), min(len(one), len(other)))


def _render_hunk(
    opcodes: _Opcodes, before: Callable[[int], str], after: Callable[[int], str], start: int
) -> Iterator[str]:
    """Yield the lines of one hunk. `before`, `after`: return the text of a line.

    `start`: index of the first line compared.
    """
    first, last = opcodes[0], opcodes[-1]
    yield f"@@ -{_format_span(first[1] + start, last[2] + start)} +{_format_span(first[3] + start, last[4] + start)} @@"
    for tag, i1, i2, j1, j2 in opcodes:
        if tag == "equal":
            yield from (f" {after(index)}" for index in range(start + j1, start + j2))
            continue
        yield from (f"-{before(index)}" for index in range(start + i1, start + i2))
        yield from (f"+{after(index)}" for index in range(start + j1, start + j2))


def _format_span(first: int, last: int) -> str:
    """Format a hunk's range as diff(1) does: lines count from 1, an empty range names the line before it."""
    length = last - first
    if length == 1:
        return str(first + 1)
    return f"{first + 1 if length else first},{length}"


_LONGEST_ADDRESS = 200
_MANY_REMOVED, _SHOWN_REMOVED = 6, 2
"""From how many removed lines on that follow each other so many are printed."""
_REF = re.compile(r"@[ec][0-9]+")


def render_difference(before: Tree, tree: Tree, options: Options) -> str:
    """Return a unified diff of two snapshots of a tab, cut at the options' limit.

    If the tab shows another page, return its snapshot instead, as its refs are all new. Sets `before.scope` to the
    lines that correspond to `tree.scope`.
    """
    if before.documents[:1] != tree.documents[:1]:
        return f"new page: {tree.url[:_LONGEST_ADDRESS]}\n{render(tree, options)}"
    shared = set(before.documents) & set(tree.documents)
    before.scope = _matching_scope(before, tree, shared) if tree.scope else None
    one, other = _ComparedLines(before, options, shared), _ComparedLines(tree, options, shared)
    removed = partial(one.render, is_removed=True)
    diff = unified_diff_of_lines(one.keys(), other.keys(), removed, other.render, names=())
    if options.joins_runs and tree.scope is None:
        diff = "\n".join(_cut_removed(join_runs(diff.split("\n"))))
    if set(before.documents) == shared or set(tree.documents) == shared:
        return clip_text(diff, options)
    end = "a frame shows another document, whose refs are all new: 'snapshot -i' prints them"
    return f"(no changes; {end})" if diff == NO_CHANGES else f"{clip_text(diff, options)}\n({end})"


def _cut_removed(lines: Sequence[str]) -> Iterator[str]:
    """Shorten runs of many removed lines of a diff: they have been printed before.

    The first ones stay, with a count of the others.
    """
    for is_removed, run in groupby(lines, lambda line: line.startswith("-") and not line.startswith("--- ")):
        found = list(run)
        more = len(found) - _SHOWN_REMOVED if is_removed and len(found) >= _MANY_REMOVED else 0
        yield from found[: len(found) - more]
        if more:
            yield f"-… {more:,} more lines"


class _ComparedLines:
    """The lines of one snapshot that the options select, without folding.

    `shared`: documents that both snapshots show.
    """

    def __init__(self, tree: Tree, options: Options, shared: Collection[int]) -> None:
        self._tree = tree
        self._shared = shared
        self._needs_labels = options.needs_labels
        self._view = select_view(tree, options)
        self._shown = with_notes(tree, self._view, list(zip(self._view.lines, self._view.indents, strict=True)))

    def keys(self) -> list[Hashable]:
        """Return a key for each line; equal keys mean unchanged lines."""
        return [self._comparison_key(shown) for shown in self._shown]

    def render(self, index: int, *, is_removed: bool = False) -> str:
        """Return the text of the line with that index, as a snapshot prints it.

        A removed line has no ref if its document is gone.
        """
        shown = self._shown[index]
        if isinstance(shown, str):
            return shown
        line, indent = shown
        text = line_text_without_ref(self._tree, line, None, self._labels.get(line, ""))
        ref = ""
        if not is_removed and self._tree.nodes[line]:
            ref = f"{self._tree.ref(line)} "
        elif is_removed and self._tree.documents[line] in self._shared:
            ref = f"{self._tree.earlier_ref(line)} ".lstrip()
        return f"{'  ' * indent}{ref}{text}{self._view.endings.get(line, '')}"

    def _comparison_key(self, shown: str | tuple[int, int]) -> Hashable:
        """Return what a line is compared by: for a tree's line its indentation, node and text.

        `shown`: the text of a note between the lines, or (line of the tree, indentation). In a document that only one
        snapshot shows, nodes do not count: they are all new.
        """
        if isinstance(shown, str):
            return _REF.sub("@", shown)
        line, indent = shown
        ending = self._view.endings.get(line, "")
        if self._tree.documents[line] in self._shared:
            return indent, self._tree.nodes[line], line_text_without_ref(self._tree, line, None), ending
        return indent, line_text_without_ref(self._tree, line, None, self._labels.get(line, "")), ending

    @cached_property
    def _labels(self) -> dict[int, str]:
        """Map lines that read alike to labels such as ` (Invoice 7)`; {} if the lines around them are printed."""
        return Labels(self._tree, self._view).labels_for(self._view) if self._needs_labels else {}


def _matching_scope(before: Tree, tree: Tree, shared: Collection[int]) -> range:
    """Return the lines of `before` that show the elements in `tree.scope`; empty if all of them are new.

    `shared`: the documents that both trees show.
    """
    assert tree.scope is not None
    tops = tree.siblings(tree.scope.start, tree.scope.stop)
    there = [line for top in tops if (line := _find_counterpart(before, tree, top, shared)) >= 0]
    return range(min(there), max(before.ends[line] for line in there)) if there else range(0)


def _find_counterpart(before: Tree, tree: Tree, line: int, shared: Collection[int]) -> int:
    """Return the line in `before` of the element on `line` of `tree`; -1 for none.

    In a document that is not in `shared`, the first line with the same role and name counts.
    """
    if tree.documents[line] in shared:
        return before.lines_of.get(tree.nodes[line], -1)
    role_and_name = (tree.roles[line], tree.names[line])
    lines = enumerate(zip(before.roles, before.names, strict=True))
    return next((other for other, other_key in lines if other_key == role_and_name), -1)
