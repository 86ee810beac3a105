"""What stands in parentheses after role and name where a line is printed without what is around it."""

import re
from collections import defaultdict

from gstack_browse.snapshot.context import Key, alike, contexts
from gstack_browse.snapshot.near import near
from gstack_browse.snapshot.sources import LONGEST
from gstack_browse.snapshot.tree import Tree
from gstack_browse.snapshot.view import View
from gstack_browse.text.sanitise import escape_quotes

_SAMPLE = 50
_MOST_CHARS = 4 * LONGEST + len(' (near "") ("")')
"""Of an aside: two texts, each with all of its characters quoted."""
_MARKS = re.compile(r'[()\[\]"]')


class Asides:
    """The asides of a view. What is alike is looked for in all of it; the words only for what is printed."""

    def __init__(self, tree: Tree, view: View, *, is_needed: bool = True) -> None:
        """`is_needed`: False where lines are printed with what is around them; then there are none."""
        self._tree = tree
        self._is_needed = is_needed
        self._alike = alike(tree, view) if is_needed else {}
        self._told: tuple[View, dict[int, str]] = (View([], []), {})

    def of(self, view: View) -> dict[int, str]:
        """For some of the lines, by line: ' (near "Email:")', " (Cherry)"."""
        if self._is_needed and self._told[0] is not view:
            self._told = view, self._found(view)
        return self._told[1]

    def _found(self, view: View) -> dict[int, str]:
        texts, in_columns = near(self._tree, view.lines)
        alike, names, hints, states = self._alike, self._tree.names, self._tree.hints, self._tree.states
        groups: dict[tuple[Key | None, str], list[int]] = defaultdict(list)
        for line in view.lines:
            if line in alike or line in in_columns:
                text = "" if names[line] else texts.get(line) or hints.get(line, "")
                groups[alike.get(line), text].append(line)
        unclear = [
            lines for (_, text), lines in groups.items() if len(lines) > 1 or not text or lines[0] in in_columns
        ]
        asides = {line: f' (near "{escape_quotes(text)}")' for line, text in texts.items()}
        if not unclear:
            return asides
        for line, text in contexts(self._tree, unclear, alike).items():
            if line not in states or f'="{text}"' not in states[line]:  # its description says it already
                asides[line] = f"{asides.get(line, '')} ({_plain(text)})"
        return asides

    def add_costs(self, view: View, costs: list[int], max_chars: int) -> None:
        """Add to the costs of the lines about what their asides take, as a sample of those that are alike tells.

        Where all of them fit into `max_chars` however long they are, nobody has to know.
        """
        if sum(costs) + len(self._alike) * _MOST_CHARS <= max_chars:
            return
        lines = list(self._alike)
        if sample := lines[:: len(lines) // _SAMPLE + 1]:
            told = self.of(View(sample, [0] * len(sample)))
            cost = sum(map(len, told.values())) // len(sample)
            costs[:] = [
                known + cost if line in self._alike else known
                for line, known in zip(view.lines, costs, strict=True)
            ]


def _plain(text: str) -> str:
    """The text, quoted where it could be taken for more than a text."""
    return text if not _MARKS.search(text) else f'"{escape_quotes(text)}"'
