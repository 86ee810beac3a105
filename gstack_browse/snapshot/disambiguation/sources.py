"""Texts around an element that distinguish it from similar ones: of its row, section, and so on."""

import re
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import NamedTuple

from gstack_browse.snapshot.annotate import Boxes
from gstack_browse.snapshot.disambiguation.calendars import Calendars
from gstack_browse.snapshot.disambiguation.sentences import LETTER_OR_DIGIT, PICTURES, Sentences
from gstack_browse.snapshot.items import FIELDS, Surroundings, text_of_line
from gstack_browse.snapshot.tree import OPERABLE, Tree

_SEPARATORS = " |·,;:/–-"
_TWO_SEPARATORS = re.compile(r"([|·,;/–-])\s+(?=\1)")


def without_own(text: str, name: str) -> str:
    """A text without the name that begins or ends it."""
    if not text or not name or text == name:
        return "" if name else text
    if name in text:
        text = text.removesuffix(f" {name}").removeprefix(f"{name} ").removeprefix(f"{name}:")
    return text.strip(_SEPARATORS)


def without(text: str, names: Iterable[str]) -> str:
    """A text without words that are controls of their own, and without what stood between them."""
    for name in names:
        if name in text and name:
            text = _TWO_SEPARATORS.sub("", _without_word(text, name).strip(_SEPARATORS))
    return text


def _without_word(text: str, word: str) -> str:
    """A text without the first place where a word is no part of a longer one."""
    at = text.find(word)
    while at >= 0:
        end = at + len(word)
        if not _is_of_word(text[:at][-1:]) and not _is_of_word(text[end : end + 1]):
            return text[:at] + text[end:]
        at = text.find(word, at + 1)
    return text


def _is_of_word(character: str) -> bool:
    return character.isalnum() or character == "_"


LONGEST = 40
_ITEMS_AROUND = 2
"""A row or item, and the one that it is in."""
_TEXTS_OF_ITEM = 4
_LINES_OF_ITEM = 40
_LINES_OF_COMPANY = 12
_WORTHLESS = 5
_CELLS = frozenset({"cell", "gridcell", "columnheader", "rowheader"})
_HEADERS = frozenset({"rowheader", "heading"})
_PARTS_OF_ITEMS = frozenset({"group", "radiogroup", "region", "tabpanel", "toolbar", "menu", "form"})
_SILENT = OPERABLE - {"link"}
"""Controls, whose names say what can be done with an item and not which it is."""
_PICTURE = 3
"""How little the name of a picture is worth: what stands beside a picture says more of an item."""
_LETTER = re.compile(r"[^\W\d_]")

TextSource = Callable[[Sequence[int]], list[str]]
"""Returns a text for each of some lines with the same name: "" if it has none, [] if all lack one."""


class _Peers(NamedTuple):
    """The kind of a clickable line without a role, to compare it with its siblings; "" for others."""

    role: str
    are_numbers: bool


_NO_PEERS = _Peers("", are_numbers=False)


class TextSources:
    """The texts around lines, ordered by distance and by how well they identify an item."""

    def __init__(self, tree: Tree, common: Container[int]) -> None:
        self._tree = tree
        self._common = common
        self._places = Surroundings(tree)
        self._boxes = Boxes(tree)
        self._texts: dict[_Peers, dict[int, list[str]]] = defaultdict(lambda: {-1: []})
        self._firsts: dict[_Peers, dict[int, str]] = defaultdict(lambda: {-1: ""})
        self._sentences = Sentences(tree, self._boxes)
        self._calendars = Calendars(tree)
        self.months = self._calendars.month_titles
        roles = set(tree.roles)
        self._least = 2 if roles.isdisjoint(_HEADERS) else 1
        """What nothing that comes later in an item is worth more than."""
        self._has_parts = not roles.isdisjoint(_PARTS_OF_ITEMS)
        has_headings = self._has_headings = "heading" in roles
        parts = (
            (self._headings, has_headings),
            (self._openers, any("expanded" in states for states in tree.states.values())),
            (self._sections, True),
            (self._outer_sections, True),
            (self._outer_headings, has_headings),
        )
        self._of_page: list[TextSource] = [
            partial(self._without_own_name, source) for source, is_there in parts if is_there
        ]
        self._others: list[TextSource] = [
            *self._of_page,
            partial(self._without_own_name, self._above),
            *([partial(self._without_own_name, self._around)] if "paragraph" in roles else []),
            self._before,
            partial(self._without_own_name, self._sentences.clauses),
        ]

    def sources_for(self, group: Sequence[int]) -> list[TextSource]:
        """Return the sources that may have texts for these lines, the best first."""
        items = self._places.items(group)
        has_hints = any(line in self._tree.hints for line in group)
        marked: list[TextSource] = [self._marked] if has_hints else []
        classes: list[TextSource] = [self._classes] if has_hints else []
        if self._calendars.are_days(group):
            return [*marked, *self._of_page, *classes]
        alone = dict(zip(group, self._boxes.exclusive_surroundings(group), strict=True))
        company: list[TextSource] = [
            lambda lines: [self._neighbouring_control(line, alone[line]) for line in lines]
        ]
        others = [*self._of_boxes_and_others(group, alone), *classes, *company]
        if max(items.values()) < 0:
            return [*marked, *others]
        outers = self._places.items({item for item in items.values() if item >= 0})
        around = [items]
        if max(outers.values()) >= 0:
            around.append({line: outers.get(item, -1) for line, item in items.items()})
        return [
            *marked,
            *self._section_sources(group, items),
            *(partial(self._of_items, places, index) for places in around for index in range(_TEXTS_OF_ITEM)),
            *self._cell_sources(group),
            *others,
        ]

    def _of_boxes_and_others(
        self, group: Sequence[int], alone: Mapping[int, Sequence[range]]
    ) -> list[TextSource]:
        """Order the sources: for a link in a text the heading above comes before sentences beside it."""
        first = 1 if self._has_headings and self._tree.roles[group[0]] == "link" else 0
        firsts, more = self._box_sources(alone)
        return [*self._others[:first], *firsts, *self._others[first:], *more]

    def _marked(self, group: Sequence[int]) -> list[str]:
        """Return the texts beside controls that are nested in a control and have no lines."""
        return ["" if hint.startswith(".") else hint for hint in self._hints(group)]

    def _classes(self, group: Sequence[int]) -> list[str]:
        """Return the CSS classes in which lines of one name differ: days of this month and the next.

        Also pairs of arrows: `calendar-nav calendar-prevmonth` (EasyUI 1.5).
        """
        return [hint if hint.startswith(".") else "" for hint in self._hints(group)]

    def _hints(self, group: Sequence[int]) -> list[str]:
        hints = self._tree.hints
        return [hints.get(line, "") for line in group]

    def _section_sources(self, group: Sequence[int], items: Mapping[int, int]) -> list[TextSource]:
        """Return a source for names of sections within rows or items, such as groups of a toolbar."""
        if not self._has_parts:
            return []
        names, section = self._tree.names, self._places.section
        parts = {line: cut(names[part]) if (part := section(line)) > items[line] >= 0 else "" for line in group}
        return [lambda lines: [parts[line] for line in lines]] if any(parts.values()) else []

    def _cell_sources(self, group: Sequence[int]) -> list[TextSource]:
        """Return a source for texts of cells: several controls of one row may read the same."""
        roles, parents = self._tree.roles, self._tree.parents
        cells = {
            line: parent if (parent := parents[line]) >= 0 and roles[parent] in _CELLS else -1 for line in group
        }
        return [partial(self._of_items, cells, 0)] if max(cells.values()) >= 0 else []

    def _box_sources(self, alone: Mapping[int, Sequence[range]]) -> tuple[list[TextSource], list[TextSource]]:
        """Return sources for boxes that contain only one of the lines, and for further texts of these.

        The outermost level that every line has comes first, then the innermost boxes.
        """
        heights = [len(boxes) for boxes in alone.values() if boxes]
        if not heights:
            return [], []
        common = min(heights) - 1
        outer = {line: boxes[common:] for line, boxes in alone.items()}
        firsts: list[TextSource] = [
            partial(self._without_own_name, partial(self._firsts_around, boxes)) for boxes in (outer, alone)
        ]
        if not self._tree.boxes:
            return firsts, []  # rows and items say the rest

        @cache
        def texts(line: int) -> list[str]:
            said = sorted(self._said_around(line, outer[line][0]), key=lambda text: text[1]) if outer[line] else []  # fmt: skip
            return list(dict.fromkeys(text for text, _ in said))

        def nexts(at: int, lines: Sequence[int]) -> list[str]:
            return ["".join(texts(line)[at : at + 1]) for line in lines]

        return firsts, [
            partial(self._without_own_name, partial(nexts, index)) for index in range(1, _TEXTS_OF_ITEM)
        ]

    def _firsts_around(self, boxes: Mapping[int, Sequence[range]], lines: Sequence[int]) -> list[str]:
        """Return for each line the first text of its innermost box with a text.

        A chip tells its cross, whether that stands before its word (Tagify 4.36) or behind it.
        """
        return [
            next(filter(None, (self._best(self._said_around(line, box)) for box in boxes[line])), "")
            for line in lines
        ]

    def _neighbouring_control(self, line: int, boxes: Iterable[range]) -> str:
        """Return the unique name or the value of the first other control in a small box or row."""
        tree = self._tree
        if tree.roles[line] in FIELDS or tree.nodes[line] < 0:
            return ""
        for around in boxes:
            if len(around) > _LINES_OF_COMPANY:
                return ""
            for other in around:
                if other != line and tree.roles[other] in OPERABLE and (text := self._calls(other)):
                    return cut(text)
        return ""

    def _calls(self, control: int) -> str:
        tree = self._tree
        text = "" if control in self._common else tree.names[control]
        if not text and tree.roles[control] in FIELDS:
            text = tree.values.get(control, "")
        return text if LETTER_OR_DIGIT.search(text) else ""

    def nearest(self, line: int) -> str:
        """Return the first text for a line, for one whose duplicates are not printed."""
        item = self._places.item(line)
        outer = self._places.item(item) if item >= 0 else -1
        texts = (
            *self._of_items({line: item}, 0, [line]),
            *self._of_items({line: outer}, 0, [line]),
            *self._without_own_name(self._headings, [line]),
        )
        return next(filter(None, texts), "")

    def _of_items(self, items: Mapping[int, int], index: int, group: Sequence[int]) -> list[str]:
        """Return the text number `index` of the row or item around each line, unless it is their name."""
        name, peers = self._tree.names[group[0]], self._peers(group[0])
        if index:
            texts = [self._text_of(items[line], index, peers) for line in group]
        else:
            firsts = self._firsts[peers]
            texts = [
                firsts[item] if (item := items[line]) in firsts else self._first_text(item, peers)
                for line in group
            ]
        return [text if text != name else "" for text in texts] if name in texts else texts

    def _without_own_name(self, source: TextSource, group: Sequence[int]) -> list[str]:
        """Return a source's texts without the lines' own name."""
        texts, name = source(group), self._tree.names[group[0]]
        kept = {text: cut(without_own(text, name)) for text in set(texts)}
        return [kept[text] for text in texts]

    def _headings(self, group: Sequence[int]) -> list[str]:
        return self._names(self._places.heading, group)

    def _outer_headings(self, group: Sequence[int]) -> list[str]:
        return self._names(self._places.outer_heading, group)

    def _openers(self, group: Sequence[int]) -> list[str]:
        """Return the names of the buttons that opened the parts around: Swagger UI has no other titles."""
        return self._names(self._places.opener, group)

    def _names(self, place: Callable[[int], int], group: Sequence[int]) -> list[str]:
        names, is_of_another = self._tree.names, self._boxes.belongs_to_similar_line
        return [
            names[above] if (above := place(line)) >= 0 and not is_of_another(above, line) else ""
            for line in group
        ]

    def _sections(self, group: Sequence[int]) -> list[str]:
        """Return the names of the nearest sections, or their roles."""
        return self._calling(map(self._places.section, group))

    def _outer_sections(self, group: Sequence[int]) -> list[str]:
        """Return the names or roles of the sections around the nearest ones."""
        sections = list(map(self._places.section, group))
        return self._calling(self._places.section(section) if section >= 0 else -1 for section in sections)

    def _calling(self, sections: Iterable[int]) -> list[str]:
        names, hints, roles = self._tree.names, self._tree.hints, self._tree.roles
        return [
            names[section] or hints.get(section) or roles[section] if section >= 0 else ""
            for section in sections
        ]

    def _above(self, group: Sequence[int]) -> list[str]:
        """Return the texts right before the paragraphs or groups around the lines."""
        tree, parents, is_of_another = self._tree, self._tree.parents, self._boxes.belongs_to_similar_line
        parts = [parents[line] for line in group]
        return [
            text_of_line(tree, part - 1)
            if part > 0 and parents[part - 1] == parents[part] and not is_of_another(part - 1, line)
            else ""
            for part, line in zip(parts, group, strict=True)
        ]

    def _around(self, group: Sequence[int]) -> list[str]:
        """Return the texts of the paragraphs around the lines."""
        tree = self._tree
        parts = [tree.parents[line] for line in group]
        return [
            text_of_line(tree, part) if part >= 0 and tree.roles[part] == "paragraph" else "" for part in parts
        ]

    def _before(self, group: Sequence[int]) -> list[str]:
        """Return "after …" with the text before each line: it may be about something else."""
        return [
            text and f"after {text}" for text in self._without_own_name(self._sentences.texts_before, group)
        ]

    def _first_text(self, item: int, peers: _Peers) -> str:
        """Return the best text of a row or item, mostly without reading all of it; "" without any."""
        first = self._firsts[peers][item] = cut(self._best(self._said_in(item, peers)))
        return first

    def _peers(self, line: int) -> _Peers:
        """Return the kind of a line's siblings among which it is a choice."""
        tree = self._tree
        return (
            _Peers(tree.roles[line], not _LETTER.search(tree.names[line]))
            if tree.nodes[line] < 0
            else _NO_PEERS
        )

    def _is_uninformative_peer(self, other: int, peers: _Peers) -> bool:
        """Return whether a line is a mere sibling: days beside a day, chips that other groups have, too."""
        tree = self._tree
        if tree.nodes[other] >= 0 or tree.roles[other] != peers.role:
            return False
        return other in self._common or (peers.are_numbers and not _LETTER.search(tree.names[other]))

    def _best(self, said: Iterable[tuple[str, int]]) -> str:
        best, least = "", _WORTHLESS
        for text, worth in said:
            if worth < least:
                best, least = text, worth
            if least <= self._least:
                break
        return best

    def _text_of(self, item: int, index: int, peers: _Peers) -> str:
        """Return a text of a row or item by its rank: own name, header, with letters, others."""
        if item not in (known := self._texts[peers]):
            found: dict[str, int] = {}
            for text, worth in self._said_in(item, peers):
                found.setdefault(cut(text), worth)
            known[item] = sorted(found, key=lambda text: found[text])[:_TEXTS_OF_ITEM]
        texts = known[item]
        return texts[index] if index < len(texts) else ""

    def _said_in(self, item: int, peers: _Peers) -> Iterator[tuple[str, int]]:
        """Yield (text, rank) of an item's texts, without names of controls that other items have, too."""
        tree, inside = self._tree, range(item, self._tree.ends[item])
        shared = self._shared(inside)
        if (text := tree.names[item]) and (text := without(text, shared)):
            yield text, 0
        if (text := tree.values.get(item, "")) and (text := without(text, shared)):
            yield text, 2
        beside: Iterable[int] = inside[1:_LINES_OF_ITEM]
        if peers.role:
            beside = [other for other in beside if not self._is_uninformative_peer(other, peers)]
        yield from self._said_by(beside, shared)

    def _said_around(self, line: int, box: range) -> Iterator[tuple[str, int]]:
        """Yield (text, rank) of the texts in a box around a line."""
        peers = self._peers(line)
        beside = [
            other
            for other in box[:_LINES_OF_ITEM]
            if other != line and not self._is_uninformative_peer(other, peers)
        ]
        shared = [name for name in self._shared(box) if name != self._tree.names[line]]
        return self._said_by(beside, shared)

    def _shared(self, lines: range) -> list[str]:
        """Return the names of controls among the lines that other controls have, too."""
        names, roles, common = self._tree.names, self._tree.roles, self._common
        return [names[line] for line in lines[:_LINES_OF_ITEM] if line in common and roles[line] in OPERABLE]

    def _said_by(self, lines: Iterable[int], shared: Sequence[str]) -> Iterator[tuple[str, int]]:
        tree, common = self._tree, self._common
        names, values, roles = tree.names, tree.values, tree.roles
        header = 0
        for line in lines:
            role = roles[line]
            if role in _HEADERS:
                header = tree.ends[line]
            elif role in _SILENT:
                continue
            if not (text := names[line] or values.get(line, "")):
                continue
            if line in common:
                if LETTER_OR_DIGIT.search(text):
                    yield text, 4
            elif worth := _worth(text := without(text, shared)):
                yield text, 1 if line < header else max(worth, _PICTURE) if role in PICTURES else worth


def cut(text: str, limit: int = LONGEST) -> str:
    """A text in one line, no longer than that."""
    if len(text) <= limit and "\n" not in text:
        return text
    text = " ".join(text[: 4 * limit].split())
    return text if len(text) <= limit else f"{text[: limit - 1].rstrip()}…"


def _worth(text: str) -> int:
    """How little a text is worth: 2 with letters, 3 with digits alone; 0 for none at all."""
    if text[:1].isalpha():
        return 2
    mark = LETTER_OR_DIGIT.search(text)
    return (3 if mark[0].isdecimal() and not _LETTER.search(text) else 2) if mark else 0
