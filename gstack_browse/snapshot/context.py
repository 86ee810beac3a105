"""What tells equal lines apart where their surroundings are not printed: `@e56 [button] "Delete" (Cherry)`.

Of all that could be said the shortest is: the text of the row or item, the heading above, the named part of the page.
Nothing is said where nothing differs.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Sequence
from functools import partial

from gstack_browse.snapshot.items import Places, says
from gstack_browse.snapshot.tree import OPERABLE, Tree
from gstack_browse.snapshot.view import View

LONGEST = 40
_TEXTS_OF_ITEM = 4
_LINES_OF_ITEM = 40
_HEADERS = frozenset({"rowheader", "heading"})
_LETTER = re.compile(r"[^\W\d_]")
_LETTER_OR_DIGIT = re.compile(r"[^\W_]")
_ENOUGH = 0.9
"""The first text that differs in so many of the lines is taken; else the one that differs most."""

Key = tuple[str, str, int]
Said = Callable[[int], str]


def alike(tree: Tree, view: View) -> dict[int, Key]:
    """The lines that read as another one does: role, name and the shown line that they are in."""
    if len(set(map(tree.names.__getitem__, view.lines))) == len(view.lines):
        return {}
    counts = Counter(map(tree.names.__getitem__, view.lines))
    above = _shown_above(view)
    keys = {
        line: (tree.roles[line], tree.names[line], above[place])
        for place, line in enumerate(view.lines)
        if counts[tree.names[line]] > 1 and tree.roles[line] != "text"
    }
    equal = Counter(keys.values())
    return {line: key for line, key in keys.items() if equal[key] > 1}


def contexts(tree: Tree, groups: Iterable[Sequence[int]], common: Container[int] = ()) -> dict[int, str]:
    """What tells the lines of each group apart, at most LONGEST characters. What is `common` to many items names none."""
    sources = _Sources(tree, common)
    told: dict[int, str] = {}
    for group in groups:
        for line, text in _told_apart(group, sources.all()).items():
            told[line] = cut(text).rstrip(":")
    return {line: text for line, text in told.items() if text}


def cut(text: str, limit: int = LONGEST) -> str:
    """A text in one line, no longer than that."""
    if len(text) <= limit and "\n" not in text:
        return text
    text = " ".join(text[: 4 * limit].split())
    return text if len(text) <= limit else f"{text[: limit - 1].rstrip()}…"


def _shown_above(view: View) -> Sequence[int]:
    """For each shown line the shown line that it is in, -1 for none."""
    if not any(view.indents):
        return [-1] * len(view.lines)
    above: list[int] = []
    path: list[int] = []
    for line, indent in zip(view.lines, view.indents, strict=True):
        del path[indent:]
        above.append(path[-1] if path else -1)
        path.append(line)
    return above


def _told_apart(group: Sequence[int], sources: Sequence[Said]) -> dict[int, str]:
    """The text of the source that differs most; lines that still read the same get another's too."""
    if len(group) == 1:  # the others are not printed
        return {group[0]: next(filter(None, (source(group[0]) for source in sources)), "")}
    best: list[str] = []
    most, following = 1, len(sources)
    for index, source in enumerate(sources):
        texts = [cut(source(line)) for line in group]
        if (kinds := len(set(texts))) > most:
            best, most, following = texts, kinds, index + 1
        if most >= _ENOUGH * len(group):
            break
    told = {line: text for line, text in zip(group, best, strict=False) if text}
    if most == len(group) or not best:
        return told
    for text, same in _alike(group, best).items():
        for line, more in _told_apart(same, sources[following:]).items():
            told[line] = f"{cut(text, LONGEST // 2)}, {more}" if text else more
    return told


def _alike(group: Sequence[int], texts: Sequence[str]) -> dict[str, list[int]]:
    alike: dict[str, list[int]] = defaultdict(list)
    for line, text in zip(group, texts, strict=True):
        alike[text].append(line)
    return {text: same for text, same in alike.items() if len(same) > 1}


class _Sources:
    """The texts around a line, by the distance and the worth of what they belong to."""

    def __init__(self, tree: Tree, common: Container[int]) -> None:
        self._tree = tree
        self._common = common
        self._places = Places(tree)
        self._texts: dict[int, list[str]] = {}
        self._leads: dict[int, dict[int, str]] = {}

    def all(self) -> list[Said]:
        of_item: list[Said] = [
            lambda line, outer=outer, index=index: self._of_item(line, outer, index)  # type: ignore[misc]
            for outer in range(2)
            for index in range(_TEXTS_OF_ITEM)
        ]
        others = (self._heading, self._opener, self._section, self._outer_heading, self._above, self._before)
        return [*of_item, *(partial(self._other, source) for source in others)]

    def _other(self, source: Said, line: int) -> str:
        """What a source says besides the line's own name."""
        text, name = source(line), self._tree.names[line]
        return "" if text == name else text.removesuffix(f" {name}").removeprefix(f"{name} ") if name else text

    def _of_item(self, line: int, outer: int, index: int) -> str:
        item = self._places.item(line)
        for _ in range(outer):
            item = self._places.item(item) if item >= 0 else -1
        texts = self._texts_of(item) if item >= 0 else []
        return texts[index] if index < len(texts) and texts[index] != self._tree.names[line] else ""

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

    def _texts_of(self, item: int) -> list[str]:
        """The first texts of a row or item: its own name, its header, what has letters, the rest."""
        if item not in self._texts:
            found = {cut(text): worth for text, worth in self._said_in(item)}
            self._texts[item] = sorted(found, key=lambda text: found[text])[:_TEXTS_OF_ITEM]
        return self._texts[item]

    def _said_in(self, item: int) -> Iterable[tuple[str, int]]:
        """Texts, and how little each is worth."""
        tree = self._tree
        if tree.names[item]:
            yield tree.names[item], 0
        if item in tree.values:
            yield tree.values[item], 2
        header = 0
        for line in range(item + 1, min(tree.ends[item], item + _LINES_OF_ITEM)):
            role = tree.roles[line]
            if role in _HEADERS:
                header = tree.ends[line]
            elif role in OPERABLE and role != "link":
                continue
            text = tree.names[line] or tree.values.get(line, "")
            if text and (mark := _LETTER_OR_DIGIT.search(text)):
                if line in self._common:
                    yield text, 4
                else:
                    yield (
                        text,
                        1 if line < header else 3 if mark[0].isdecimal() and not _LETTER.search(text) else 2,
                    )
