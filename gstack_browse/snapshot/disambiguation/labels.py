"""The parenthesised text after role and name, for lines printed without their surroundings.

For example: `@e5 [textbox] (near "Email:")`, `@e56 [button] "Delete" (Cherry)`.
"""

import re
from collections import defaultdict

from gstack_browse.snapshot.disambiguation.distinctions import Key, find_alike, find_distinctions
from gstack_browse.snapshot.disambiguation.item_texts import LONGEST
from gstack_browse.snapshot.disambiguation.nearby_text import find_nearby_texts
from gstack_browse.snapshot.tree import Tree
from gstack_browse.snapshot.view import View
from gstack_browse.text.sanitise import escape_quotes

_SAMPLE = 50
_MOST_CHARS = 4 * LONGEST + len(' (near "") ("")')
"""Of a label: two texts, each with all of its characters quoted."""
_MARKS = re.compile(r'[()\[\]"]')


class Labels:
    """The labels of a view: similar lines are determined once for all of it, texts only when printed."""

    def __init__(self, tree: Tree, view: View, *, is_needed: bool = True) -> None:
        """`is_needed`: False where lines are printed with what is around them; then there are none."""
        self._tree = tree
        self._is_needed = is_needed
        self._alike = find_alike(tree, view) if is_needed else {}
        self._told: tuple[View, dict[int, str]] = (View([], []), {})

    def labels_for(self, view: View) -> dict[int, str]:
        """Return the labels of a view's lines, by line: ` (near "Email:")`, ` (Cherry)`."""
        if self._is_needed and self._told[0] is not view:
            self._told = view, self._find_labels(view)
        return self._told[1]

    def _find_labels(self, view: View) -> dict[int, str]:
        """Find nearby texts for unnamed fields, and distinguishing texts for lines that read the same."""
        texts, in_columns = find_nearby_texts(self._tree, view.lines)
        find_alike, names, hints, states = self._alike, self._tree.names, self._tree.hints, self._tree.states
        groups: dict[tuple[Key | None, str], list[int]] = defaultdict(list)
        for line in view.lines:
            if line in view.endings and self._tree.roles[line] == "row":
                continue  # its cells are printed behind it
            if line in find_alike or line in in_columns:
                text = "" if names[line] else texts.get(line) or hints.get(line, "")
                groups[find_alike.get(line), text].append(line)
        unclear = [
            lines for (_, text), lines in groups.items() if len(lines) > 1 or not text or lines[0] in in_columns
        ]
        labels = {line: f' (near "{escape_quotes(text)}")' for line, text in texts.items()}
        if not unclear:
            return labels
        for line, text in find_distinctions(self._tree, unclear, find_alike).items():
            if line not in states or f'="{text}"' not in states[line]:  # its description has that text already
                labels[line] = f"{labels.get(line, '')} ({_quote_if_ambiguous(text)})"
        return labels

    def add_costs(self, view: View, costs: list[int], max_chars: int) -> None:
        """Add the estimated lengths of labels to `costs`: characters of each line of `view`, in place.

        The estimate is the mean of a sample: labels take long to find. Nothing is added if all labels fit
        into `max_chars` even at their greatest length.
        """
        if sum(costs) + len(self._alike) * _MOST_CHARS <= max_chars:
            return
        lines = list(self._alike)
        if sample := lines[:: len(lines) // _SAMPLE + 1]:
            told = self.labels_for(View(sample, [0] * len(sample)))
            cost = sum(map(len, told.values())) // len(sample)
            costs[:] = [
                known + cost if line in self._alike else known
                for line, known in zip(view.lines, costs, strict=True)
            ]


def _quote_if_ambiguous(text: str) -> str:
    """Quote a text that contains parentheses, brackets or quotation marks."""
    return text if not _MARKS.search(text) else f'"{escape_quotes(text)}"'
