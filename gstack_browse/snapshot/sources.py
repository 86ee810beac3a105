"""The texts around an element that can tell it from another one: of its row, its section, what stands before it."""

import re
from collections.abc import Callable, Container, Iterable, Sequence
from functools import lru_cache, partial

from gstack_browse.snapshot.items import Places, says
from gstack_browse.snapshot.tree import OPERABLE, Tree

LONGEST = 40
_ITEMS_AROUND = 2
"""A row or item, and the one that it is in."""
_TEXTS_OF_ITEM = 4
_LINES_OF_ITEM = 40
_WORTHLESS = 5
_HEADERS = frozenset({"rowheader", "heading"})
_SEPARATORS = " |·,;:/–-"
_TWO_SEPARATORS = re.compile(r"([|·,;/–-])\s+\1")
_LETTER = re.compile(r"[^\W\d_]")
_LETTER_OR_DIGIT = re.compile(r"[^\W_]")

Said = Callable[[int], str]


class Sources:
    """The texts around a line, by the distance and the worth of what they belong to."""

    def __init__(self, tree: Tree, common: Container[int]) -> None:
        self._tree = tree
        self._common = common
        self._places = Places(tree)
        self._texts: dict[int, list[str]] = {}
        self._firsts: dict[int, list[str]] = {}
        self._leads: dict[int, dict[int, str]] = {}
        roles = set(tree.roles)
        self._best = 2 if roles.isdisjoint(_HEADERS) else 1
        """What nothing that comes later in an item is worth more than."""
        has_headings = "heading" in roles
        others = (
            (self._heading, has_headings),
            (self._opener, any("expanded" in states for states in tree.states.values())),
            (self._section, True),
            (self._outer_heading, has_headings),
            (self._above, True),
            (self._around, "paragraph" in roles),
            (self._before, True),
        )
        self._others: list[Said] = [partial(self._other, source) for source, is_there in others if is_there]

    def of(self, group: Sequence[int]) -> list[Said]:
        """Those that may know something of these lines, in the order in which they are asked."""
        of_item: list[Said] = [
            partial(self._of_item, outer, index)
            for outer in range(_ITEMS_AROUND)
            if any(self._item(line, outer) >= 0 for line in group)
            for index in range(_TEXTS_OF_ITEM)
        ]
        return [*of_item, *self._others]

    def nearest(self, line: int) -> str:
        """The first text for a line whose equals are not printed."""
        texts = (self._of_item(0, 0, line), self._of_item(1, 0, line), self._other(self._heading, line))
        return next(filter(None, texts), "")

    def _other(self, source: Said, line: int) -> str:
        """What a source says besides the line's own name."""
        text, name = source(line), self._tree.names[line]
        if not text or not name or text == name:
            return "" if name else text
        if name not in text:
            return text.strip(_SEPARATORS)
        return (
            text.removesuffix(f" {name}").removeprefix(f"{name} ").removeprefix(f"{name}:").strip(_SEPARATORS)
        )

    def _of_item(self, outer: int, index: int, line: int) -> str:
        item = self._item(line, outer)
        if item < 0:
            return ""
        texts = self._texts_of(item) if index else self._first_of(item)
        return texts[index] if index < len(texts) and texts[index] != self._tree.names[line] else ""

    def _item(self, line: int, outer: int) -> int:
        """The row or item that the line is in, or one further out; -1 where there is none."""
        item = self._places.item(line)
        for _ in range(outer):
            item = self._places.item(item) if item >= 0 else -1
        return item

    def _heading(self, line: int) -> str:
        return self._name(self._places.heading(line))

    def _outer_heading(self, line: int) -> str:
        return self._name(self._places.heading(line, outer=True))

    def _opener(self, line: int) -> str:
        return self._name(self._places.opener(line))

    def _name(self, line: int) -> str:
        return self._tree.names[line] if line >= 0 else ""

    def _section(self, line: int) -> str:
        """The name of the nearest part of the page, or else what kind of part it is."""
        section = self._places.section(line)
        return (self._tree.names[section] or self._tree.roles[section]) if section >= 0 else ""

    def _above(self, line: int) -> str:
        """The text right before the paragraph, the group … that the line is in."""
        tree, part = self._tree, self._tree.parents[line]
        if part < 1:
            return ""
        before = part - 1
        return says(tree, before) if tree.parents[before] == tree.parents[part] else ""

    def _around(self, line: int) -> str:
        """The sentence that the line is part of."""
        above = self._tree.parents[line]
        return says(self._tree, above) if above >= 0 and self._tree.roles[above] == "paragraph" else ""

    def _before(self, line: int) -> str:
        """The text before the line, among texts and controls that take turns, a text first."""
        parent = self._tree.parents[line]
        if parent not in self._leads:
            self._leads[parent] = self._taking_turns(parent)
        text = self._leads[parent].get(line, "")
        return f"after {text}" if text else ""

    def _taking_turns(self, parent: int) -> dict[int, str]:
        """For each control below `parent` the text before it; {} when it could be the text behind as well."""
        tree = self._tree
        leads: dict[int, str] = {}
        text, is_last = "", False
        for child in tree.children(parent) if parent >= 0 else tree.top():
            if is_control := tree.roles[child] in OPERABLE or tree.nodes[child] < 0:
                leads[child] = text
            elif (said := says(tree, child)) and _LETTER_OR_DIGIT.search(said):
                text = said
            elif tree.roles[child] == "text":
                continue
            is_last = is_control
        return leads if is_last and all(leads.values()) else {}

    def _first_of(self, item: int) -> list[str]:
        """The first text of a row or item alone, mostly without looking at all of it; [] where there is none."""
        if item not in self._firsts:
            best, least = "", _WORTHLESS
            for text, worth in self._said_in(item):
                if worth < least:
                    best, least = text, worth
                if least <= self._best:
                    break
            self._firsts[item] = [cut(best)] if least < _WORTHLESS else []
        return self._firsts[item]

    def _texts_of(self, item: int) -> list[str]:
        """The first texts of a row or item: its own name, its header, what has letters, the rest."""
        if item not in self._texts:
            found: dict[str, int] = {}
            for text, worth in self._said_in(item):
                found.setdefault(cut(text), worth)
            self._texts[item] = sorted(found, key=lambda text: found[text])[:_TEXTS_OF_ITEM]
        return self._texts[item]

    def _said_in(self, item: int) -> Iterable[tuple[str, int]]:
        """Texts without the names of controls that other items have too, and how little each is worth."""
        tree = self._tree
        inside = range(item + 1, min(tree.ends[item], item + _LINES_OF_ITEM))
        shared = self._controls_in(inside)
        for text, worth in ((tree.names[item], 0), (tree.values.get(item, ""), 2)):
            if text := _without(text, shared):
                yield text, worth
        header = 0
        for line in inside:
            role = tree.roles[line]
            if role in _HEADERS:
                header = tree.ends[line]
            elif role in OPERABLE and role != "link":
                continue
            if line in self._common:
                yield tree.names[line] or tree.values.get(line, ""), 4
            elif mark := _LETTER_OR_DIGIT.search(
                text := _without(tree.names[line] or tree.values.get(line, ""), shared)
            ):
                yield text, 1 if line < header else 3 if mark[0].isdecimal() and not _LETTER.search(text) else 2

    def _controls_in(self, lines: range) -> list[str]:
        """The names of controls among the lines that other items have, too."""
        common = [line for line in lines if line in self._common]
        return [self._tree.names[line] for line in common if self._tree.roles[line] in OPERABLE]


def cut(text: str, limit: int = LONGEST) -> str:
    """A text in one line, no longer than that."""
    if len(text) <= limit and "\n" not in text:
        return text
    text = " ".join(text[: 4 * limit].split())
    return text if len(text) <= limit else f"{text[: limit - 1].rstrip()}…"


def _without(text: str, names: Iterable[str]) -> str:
    """A text without words that are controls of their own, and without what stood between them."""
    for name in names:
        if name and name in text:
            text = _word(name).sub("", text, count=1).strip(_SEPARATORS)
            text = _TWO_SEPARATORS.sub(r"\1", text)
    return text


@lru_cache(maxsize=256)
def _word(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
