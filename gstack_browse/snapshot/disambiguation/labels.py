"""Find the label in parentheses that tells a printed line from equal ones, or names an unnamed field.

For example: `@e5 [textbox] (near "Email:")`, `@e56 [button] "Delete" (Cherry)`. Equal lines get the shortest
sufficient text: of the row or item, the heading above, the named part of the page. Lines without any difference get
none.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence

from gstack_browse.snapshot.disambiguation.candidates import Candidates, TextFinder
from gstack_browse.snapshot.disambiguation.item_texts import LONGEST, cut
from gstack_browse.snapshot.disambiguation.nearby_text import find_nearby_texts
from gstack_browse.snapshot.tree import Tree, View
from gstack_browse.text.sanitise import escape_quotes

_SAMPLE = 50
_MOST_CHARS = 4 * LONGEST + len(' (near "") ("")')
"""Of a label: two texts, each with all of its characters quoted."""
_MARKS = re.compile(r'[()\[\]"]')
"""A text with one of them is quoted within the parentheses."""


class Labels:
    """Finds the labels of a view's lines.

    Which lines are similar is determined once for the whole view, texts only for lines that are printed.
    """

    def __init__(self, tree: Tree, view: View, *, is_needed: bool = True) -> None:
        """`is_needed`: False where lines are printed with what is around them; then there are none."""
        self._tree = tree
        self._is_needed = is_needed
        self._keys = find_alike(tree, view) if is_needed else {}
        self._cached_labels: tuple[View, dict[int, str]] = (View([], []), {})

    def labels_for(self, view: View) -> dict[int, str]:
        """Return the labels of a view's lines, by line: ` (near "Email:")`, ` (Cherry)`."""
        if self._is_needed and self._cached_labels[0] is not view:
            self._cached_labels = view, self._find_labels(view)
        return self._cached_labels[1]

    def _find_labels(self, view: View) -> dict[int, str]:
        """Return line → label: nearby text for a nameless field, distinguishing text for equal lines."""
        texts, in_columns = find_nearby_texts(self._tree, view.lines)
        keys, names, hints, states = self._keys, self._tree.names, self._tree.hints, self._tree.states
        groups: dict[tuple[Key | None, str], list[int]] = defaultdict(list)
        for line in view.lines:
            if line in view.endings and self._tree.roles[line] == "row":
                continue  # its cells are printed behind it
            if line in keys or line in in_columns:
                text = "" if names[line] else texts.get(line) or hints.get(line, "")
                groups[keys.get(line), text].append(line)
        unclear = [
            lines for (_, text), lines in groups.items() if len(lines) > 1 or not text or lines[0] in in_columns
        ]
        labels = {line: f' (near "{escape_quotes(text)}")' for line, text in texts.items()}
        if not unclear:
            return labels
        for line, text in find_distinctions(self._tree, unclear, keys).items():
            if line not in states or f'="{text}"' not in states[line]:  # its description has that text already
                quoted = f'"{escape_quotes(text)}"' if _MARKS.search(text) else text
                labels[line] = f"{labels.get(line, '')} ({quoted})"
        return labels

    def add_costs(self, view: View, costs: list[int], max_chars: int) -> None:
        """Add the estimated length of each line's label to `costs`, in place.

        `costs[k]`: characters of `view.lines[k]`. The estimate is the mean of a sample: labels take long to find.
        Nothing is added if all labels fit into `max_chars` even at their greatest length.
        """
        if sum(costs) + len(self._keys) * _MOST_CHARS <= max_chars:
            return
        lines = list(self._keys)
        if sample := lines[:: len(lines) // _SAMPLE + 1]:
            texts = self.labels_for(View(sample, [0] * len(sample)))
            cost = sum(map(len, texts.values())) // len(sample)
            costs[:] = [
                known + cost if line in self._keys else known
                for line, known in zip(view.lines, costs, strict=True)
            ]


_SHORT = 24
_ENOUGH = 0.9
"""A finder with different texts for this share of the lines is taken at once, else the best one."""

Key = tuple[str, str, int]


def find_alike(tree: Tree, view: View) -> dict[int, Key]:
    """Return the lines that read like another one, each with its key (role, name, parent in the view)."""
    roles, names = tree.roles, list(map(tree.names.__getitem__, view.lines))
    if len(set(names)) == len(names):
        return {}
    counts = Counter(names)
    keys = {
        line: (roles[line], name, above)
        for line, name, above in zip(view.lines, names, _shown_parents(view), strict=True)
        if counts[name] > 1 and roles[line] != "text"
    }
    equal = Counter(keys.values())
    return {line: key for line, key in keys.items() if equal[key] > 1}


def find_distinctions(
    tree: Tree, groups: Iterable[Sequence[int]], common: Container[int] = ()
) -> dict[int, str]:
    """Return line → the text that tells it from the other lines of its group, at most LONGEST characters.

    `common`: lines whose texts many items have, so that they identify none.
    """
    candidates = Candidates(tree, common)
    texts: dict[int, str] = {}
    for group in groups:
        if len(group) > 1:
            apart = _distinguish_by_month(group, candidates)
        else:
            apart = {group[0]: candidates.nearest_text(group[0])}
        texts |= _number_rest(group, _shorten_texts(apart))
    return {line: text for line, text in texts.items() if text}


def _number_rest(group: Sequence[int], texts: Mapping[int, str]) -> dict[int, str]:
    """Complete line → text: lines without a text get their place in the group, `3 of 6`.

    That is done if the group has three lines or more, and some have a text.
    """
    if len(group) < 3 or not any(texts.values()):
        return dict(texts)
    return {line: texts.get(line) or f"{place} of {len(group)}" for place, line in enumerate(group, start=1)}


def _shorten_texts(texts: Mapping[int, str]) -> dict[int, str]:
    """Return line → text, shortened if the texts stay different."""
    whole = {line: text.rstrip(":") for line, text in texts.items()}
    if max(map(len, whole.values()), default=0) <= _SHORT:
        return whole
    short = {line: cut(text, _SHORT).rstrip(":") for line, text in texts.items()}
    return short if len(set(short.values())) == len(set(whole.values())) else whole


def _shown_parents(view: View) -> Sequence[int]:
    """Return for each shown line the shown line that contains it, -1 for none."""
    if not any(view.indents):
        return [-1] * len(view.lines)
    above: list[int] = []
    path: list[int] = []
    for line, indent in zip(view.lines, view.indents, strict=True):
        del path[indent:]
        above.append(path[-1] if path else -1)
        path.append(line)
    return above


def _distinguish_by_month(group: Sequence[int], candidates: Candidates) -> dict[int, str]:
    """Return line → label text for equal lines; days of several months are labelled by their month first."""
    months = candidates.months(group)
    if len(set(months)) < 2:
        return _distinguish(group, candidates.list_finders(group))
    by_month: dict[str, list[int]] = defaultdict(list)
    for line, month in zip(group, months, strict=True):
        by_month[month].append(line)
    texts = {line: month for line, month in zip(group, months, strict=True) if month}
    for month, same in by_month.items():
        for line, more in (_distinguish(same, candidates.list_finders(same)) if len(same) > 1 else {}).items():
            texts[line] = cut(f"{cut(month, LONGEST // 2)}, {more}") if month else more
    return texts


def _distinguish(group: Sequence[int], finders: Sequence[TextFinder]) -> dict[int, str]:
    """Return line → label text for equal lines, from the finder whose texts differ most.

    Lines that still read the same get another finder's text as well.
    """
    best: list[str] = []
    most, at = 1, len(finders)
    for index, finder in enumerate(finders):
        texts = finder(group)
        if (kinds := len(set(texts))) > most:
            best, most, at = texts, kinds, index
        if most >= _ENOUGH * len(group):
            break
    labels = {line: text for line, text in zip(group, best, strict=False) if text}
    if not best:
        return labels
    others = [*finders[:at], *finders[at + 1 :]]
    for text, same in _group_by_text(group, best).items():
        apart = _distinguish(same, others) if len(same) > 1 else _distinguish_one(group, same[0], others, best)
        for line, more in apart.items():
            labels[line] = cut(f"{cut(text, LONGEST // 2)}, {more}") if text else more
    return labels


def _distinguish_one(
    group: Sequence[int], line: int, finders: Sequence[TextFinder], known: Container[str]
) -> dict[int, str]:
    """Return {line: text} with the first text that only this line of the group has, or {}.

    `known`: texts that are used already.
    """
    place = group.index(line)
    for finder in finders:
        texts = finder(group)
        if texts and (text := texts[place]) and texts.count(text) == 1 and text not in known:
            return {line: text}
    return {}


def _group_by_text(group: Sequence[int], texts: Sequence[str]) -> dict[str, list[int]]:
    """Group the lines by text, leaving out lines whose text no other line has.

    Lines without a text are always included.
    """
    same_text: dict[str, list[int]] = defaultdict(list)
    for line, text in zip(group, texts, strict=True):
        same_text[text].append(line)
    return {text: same for text, same in same_text.items() if len(same) > 1 or not text}
