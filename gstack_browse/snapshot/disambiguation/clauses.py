"""The text of a sentence around a line: right before it, and its clause."""

import re
from collections.abc import Sequence

from gstack_browse.snapshot.disambiguation.boxes import Boxes
from gstack_browse.snapshot.items import text_of_line
from gstack_browse.snapshot.tree import OPERABLE, Tree

PICTURES = frozenset({"img", "image", "figure"})
LETTER_OR_DIGIT = re.compile(r"[^\W_]")
_ENDS = re.compile(r"[.,;!?|·•](?=\s|$)")
"""Where a clause ends."""
_BEGINNING = " .,;:!?|·•)/–-"
"""What does not begin a text that is printed by itself."""


class Sentences:
    """The texts of one tree right before its lines, and around them."""

    def __init__(self, tree: Tree, boxes: Boxes) -> None:
        self._tree = tree
        self._boxes = boxes
        self._leads: dict[int, dict[int, int]] = {}

    def texts_before(self, group: Sequence[int]) -> list[str]:
        """Return the texts before lines, where texts and controls alternate, a text first."""
        texts = []
        for line in group:
            parent = self._tree.parents[line]
            if parent not in self._leads:
                self._leads[parent] = self._alternating_texts(parent)
            texts.append(self._text_for(self._leads[parent].get(line, -1), line))
        if not any(texts):
            texts = self._leading_texts(group)
        return [text.lstrip(_BEGINNING) for text in texts]

    def _text_for(self, text: int, line: int) -> str:
        """Return the text before a line; "" if it belongs to another line that reads the same."""
        return (
            text_of_line(self._tree, text)
            if text >= 0 and not self._boxes.belongs_to_similar_line(text, line)
            else ""
        )

    def clauses(self, group: Sequence[int]) -> list[str]:
        """Return the clause around links and buttons in paragraphs, including their name.

        In a paragraph, lines are read one after the other. Elsewhere the text after a line may be in another row.
        """
        return [self._clause(line) for line in group]

    def _clause(self, line: int) -> str:
        """Return the clause around a link or button within a paragraph's text; "" if it is not within text."""
        tree, name, parent = self._tree, self._tree.names[line], self._tree.parents[line]
        is_word = tree.roles[line] in ("link", "button") or tree.nodes[line] < 0
        if not is_word or not name or parent < 0 or tree.roles[parent] != "paragraph":
            return ""
        last, following = line - 1, tree.ends[line]
        before = text_of_line(tree, last) if last > parent and tree.parents[last] == parent else ""
        behind = text_of_line(tree, following) if following < tree.ends[parent] else ""
        before, behind = _ENDS.split(before)[-1].strip(), _ENDS.split(behind)[0].strip()
        return " ".join(filter(LETTER_OR_DIGIT.search, (before, name, behind))) if before or behind else ""

    def _leading_texts(self, group: Sequence[int]) -> list[str]:
        """Return the texts right before lines, as before the crosses of tags; "" if that is ambiguous."""
        tree, parent = self._tree, self._tree.parents[group[0]]
        behind = tree.ends[group[-1]]
        is_last = behind == len(tree) or tree.parents[behind] != parent or self._is_control(behind)
        if not is_last or any(tree.parents[line] != parent for line in group):
            return []
        before = [self._previous(line) for line in group]
        texts = [
            self._text_for(text, line) if text >= 0 and not self._is_control(text) else ""
            for text, line in zip(before, group, strict=True)
        ]
        return texts if all(map(LETTER_OR_DIGIT.search, texts)) else []

    def _is_control(self, line: int) -> bool:
        """Return whether a line can be operated: by its role, or as it listens for clicks (node below 0)."""
        return self._tree.roles[line] in OPERABLE or self._tree.nodes[line] < 0

    def _previous(self, line: int) -> int:
        """Return the previous sibling of a line, -1 for none."""
        parents, previous = self._tree.parents, line - 1
        while previous > parents[line] and parents[previous] != parents[line]:
            previous = parents[previous]
        return previous if previous > parents[line] else -1

    def _alternating_texts(self, parent: int) -> dict[int, int]:
        """Map each control below `parent` to the text before it; {} if it could also be the text after it."""
        tree = self._tree
        child, stop = (parent + 1, tree.ends[parent]) if parent >= 0 else (0, len(tree))
        leads: dict[int, int] = {}
        text, is_last = -1, False
        while child < stop:
            role = tree.roles[child]
            if self._is_control(child):
                if text < 0:
                    return {}
                leads[child], is_last = text, True
            elif (said := text_of_line(tree, child)) and LETTER_OR_DIGIT.search(said):
                text = text if role in PICTURES and text >= 0 and not is_last else child
                is_last = False
            elif role != "text":
                is_last = False
            child = tree.ends[child]
        return leads if is_last else {}
