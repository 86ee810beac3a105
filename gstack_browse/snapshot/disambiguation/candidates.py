"""List the texts that may tell equal lines apart, in the order in which they are tried.

`labels` takes from it. The list is `DISAMBIGUATORS`; `docs/snapshot.md` has it with an example for each.
"""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial

from gstack_browse.snapshot.disambiguation.calendars import Calendars
from gstack_browse.snapshot.disambiguation.item_texts import (
    TEXTS_OF_ITEM,
    ItemTexts,
    Sentences,
    cut,
    without_own,
)
from gstack_browse.snapshot.items import Boxes, Surroundings, text_of_line
from gstack_browse.snapshot.tree import Tree

TextSource = Callable[[Sequence[int]], list[str]]
"""Returns a text for each of some lines with the same name: "" if it has none, [] if all lack one."""


@dataclass(frozen=True)
class Disambiguator:
    """A kind of text around lines.

    `find` returns its sources for a group, the best first; [] where it has none.

    `for_days`: it is tried for the days of a calendar, too, whose rows say nothing.
    """

    name: str
    find: "Callable[[Candidates, Group], list[TextSource]]"
    for_days: bool = False


DISAMBIGUATORS = (
    Disambiguator("words beside", lambda of, group: of.beside_nested_controls(group), for_days=True),
    Disambiguator("part of the item", lambda of, group: of.parts_of_items(group)),
    Disambiguator("row or item", lambda of, group: of.texts_of_items(group.items)),
    Disambiguator("row or item around that", lambda of, group: of.texts_of_items(group.outer_items)),
    Disambiguator("cell", lambda of, group: of.cells(group)),
    Disambiguator("heading above a link", lambda of, group: of.parts.headings_of_links(group)),
    Disambiguator("box", lambda of, group: of.boxes(group)),
    Disambiguator("heading above", lambda of, group: of.parts.headings(group), for_days=True),
    Disambiguator("button that opened it", lambda of, _: of.parts.openers(), for_days=True),
    Disambiguator("section", lambda of, _: of.parts.sections(), for_days=True),
    Disambiguator("section around that", lambda of, _: of.parts.outer_sections(), for_days=True),
    Disambiguator("heading above that", lambda of, _: of.parts.outer_headings(), for_days=True),
    Disambiguator("text above", lambda of, _: of.texts_above()),
    Disambiguator("paragraph", lambda of, _: of.paragraphs()),
    Disambiguator("text before", lambda of, _: of.texts_before()),
    Disambiguator("clause", lambda of, _: of.clauses()),
    Disambiguator("further text of the box", lambda of, group: of.further_texts_of_boxes(group)),
    Disambiguator("class", lambda of, group: of.classes(group), for_days=True),
    Disambiguator("control beside", lambda of, group: of.neighbouring_controls(group)),
)
"""By distance, and by how well such a text identifies an item: the first that differs for the lines is printed."""

_CELLS = frozenset({"cell", "gridcell", "columnheader", "rowheader"})
_PARTS_OF_ITEMS = frozenset({"group", "radiogroup", "region", "tabpanel", "toolbar", "menu", "form"})


@dataclass(frozen=True)
class Group:
    """Lines that read the same, with the row or item around each (-1 for none), and the one around that."""

    lines: Sequence[int]
    items: Mapping[int, int]
    outer_items: Mapping[int, int]
    boxes: Mapping[int, Sequence[range]]
    """Line → the boxes around it that hold none of the others, innermost first; {} for days."""


class Candidates:
    """The texts around the lines of one tree."""

    def __init__(self, tree: Tree, common: Container[int]) -> None:
        """`common`: lines whose texts many items have, so that they identify none."""
        self._tree = tree
        self._places = Surroundings(tree)
        self._boxes = Boxes(tree)
        self._item_texts = ItemTexts(tree, common)
        self._sentences = Sentences(tree, self._boxes)
        self._calendars = Calendars(tree)
        self.months = self._calendars.month_titles
        roles = set(tree.roles)
        self._has_parts = not roles.isdisjoint(_PARTS_OF_ITEMS)
        self._has_paragraphs = "paragraph" in roles
        self.parts: PageParts = PageParts(tree, self._places, self._boxes)

    def sources_for(self, lines: Sequence[int]) -> list[TextSource]:
        """Return the sources that may have texts for these lines, the best first."""
        are_days = self._calendars.are_days(lines)
        group = self._make_group(lines, are_days=are_days)
        return [
            source
            for disambiguator in DISAMBIGUATORS
            if disambiguator.for_days or not are_days
            for source in disambiguator.find(self, group)
        ]

    def _make_group(self, lines: Sequence[int], *, are_days: bool) -> Group:
        """Return equal lines with the items and boxes around them.

        For days of a calendar these are not needed.
        """
        if are_days:
            return Group(lines, {}, {}, {})
        items = self._places.items(lines)
        outers = self._places.items({item for item in items.values() if item >= 0})
        boxes = dict(zip(lines, self._boxes.exclusive_surroundings(lines), strict=True))
        return Group(lines, items, {line: outers.get(item, -1) for line, item in items.items()}, boxes)

    def nearest(self, line: int) -> str:
        """Return the first text for a line, for one whose duplicates are not printed."""
        item = self._places.item(line)
        outer = self._places.item(item) if item >= 0 else -1
        texts = (
            *self._item_texts.nth_texts({line: item}, 0, [line]),
            *self._item_texts.nth_texts({line: outer}, 0, [line]),
            *self._without_own_name(partial(self.parts.names, self._places.heading), [line]),
        )
        return next(filter(None, texts), "")

    # rows and items

    def parts_of_items(self, group: Group) -> list[TextSource]:
        """Return a source for names of sections within rows or items, such as groups of a toolbar."""
        if not self._has_parts or not _has_any(group.items):
            return []
        names, section = self._tree.names, self._places.section
        parts = {
            line: cut(names[part]) if (part := section(line)) > group.items[line] >= 0 else ""
            for line in group.lines
        }
        return [lambda lines: [parts[line] for line in lines]] if any(parts.values()) else []

    def texts_of_items(self, items: Mapping[int, int]) -> list[TextSource]:
        """Return a source for each of the first texts of rows or items."""
        if not _has_any(items):
            return []
        return [partial(self._item_texts.nth_texts, items, index) for index in range(TEXTS_OF_ITEM)]

    def cells(self, group: Group) -> list[TextSource]:
        """Return a source for texts of cells: several controls of one row may read the same."""
        if not _has_any(group.items):
            return []
        roles, parents = self._tree.roles, self._tree.parents
        cells = {
            line: parent if (parent := parents[line]) >= 0 and roles[parent] in _CELLS else -1
            for line in group.lines
        }
        return [partial(self._item_texts.nth_texts, cells, 0)] if _has_any(cells) else []

    # boxes

    def boxes(self, group: Group) -> list[TextSource]:
        """Return sources for boxes that contain only one of the lines.

        The outermost level that every line has comes first, then the innermost boxes.
        """
        if not (outer := _outermost_common(group)):
            return []
        return [
            partial(self._without_own_name, partial(self._item_texts.first_texts_around, boxes))
            for boxes in (outer, group.boxes)
        ]

    def further_texts_of_boxes(self, group: Group) -> list[TextSource]:
        """Return sources for the other texts of the outermost such boxes."""
        outer = _outermost_common(group)
        if not outer or not self._tree.boxes:
            return []  # rows and items say the rest

        @cache
        def texts(line: int) -> list[str]:
            around = self._item_texts.texts_around(line, outer[line][0]) if outer[line] else ()
            return list(dict.fromkeys(text for text, _ in sorted(around, key=lambda text: text[1])))

        def nexts(at: int, lines: Sequence[int]) -> list[str]:
            return ["".join(texts(line)[at : at + 1]) for line in lines]

        return [partial(self._without_own_name, partial(nexts, index)) for index in range(1, TEXTS_OF_ITEM)]

    def neighbouring_controls(self, group: Group) -> list[TextSource]:
        """Return a source for names and values of other controls in small boxes."""
        beside = self._item_texts.neighbouring_control_text
        return [lambda lines: [beside(line, group.boxes[line]) for line in lines]]

    # texts beside

    def texts_above(self) -> list[TextSource]:
        """Return the texts above the lines' paragraphs or groups."""
        return [partial(self._without_own_name, self._above)]

    def paragraphs(self) -> list[TextSource]:
        """Return the source of texts from the paragraphs around the lines; [] if there are none."""
        return [partial(self._without_own_name, self._around)] if self._has_paragraphs else []

    def texts_before(self) -> list[TextSource]:
        """Return the source of texts right before the lines, as `after "Total"`."""
        return [self._texts_before]

    def clauses(self) -> list[TextSource]:
        """Return the parts of sentences with the lines' names."""
        return [partial(self._without_own_name, self._sentences.clauses)]

    def _above(self, lines: Sequence[int]) -> list[str]:
        """Return the texts right before the paragraphs or groups around the lines."""
        tree, parents, is_of_another = self._tree, self._tree.parents, self._boxes.belongs_to_similar_line
        parts = [parents[line] for line in lines]
        return [
            text_of_line(tree, part - 1)
            if part > 0 and parents[part - 1] == parents[part] and not is_of_another(part - 1, line)
            else ""
            for part, line in zip(parts, lines, strict=True)
        ]

    def _around(self, lines: Sequence[int]) -> list[str]:
        """Return the texts of the paragraphs around the lines."""
        tree = self._tree
        parts = [tree.parents[line] for line in lines]
        return [
            text_of_line(tree, part) if part >= 0 and tree.roles[part] == "paragraph" else "" for part in parts
        ]

    def _texts_before(self, lines: Sequence[int]) -> list[str]:
        """Return "after …" with the text before each line: it may be about something else."""
        return [
            text and f"after {text}" for text in self._without_own_name(self._sentences.texts_before, lines)
        ]

    # markup

    def beside_nested_controls(self, group: Group) -> list[TextSource]:
        """Return the texts beside controls that are nested in a control and have no lines."""
        return self._markup_hints(group, lambda hint: not hint.startswith("."))

    def classes(self, group: Group) -> list[TextSource]:
        """Return the CSS classes in which lines of one name differ: days of this month and the next.

        Also pairs of arrows: `calendar-nav calendar-prevmonth` (EasyUI 1.5).
        """
        return self._markup_hints(group, lambda hint: hint.startswith("."))

    def _markup_hints(self, group: Group, accepts: Callable[[str], bool]) -> list[TextSource]:
        """Return a source of the lines' hints from the markup that `accepts` accepts; [] if there are none."""
        hints = self._tree.hints
        if not any(line in hints for line in group.lines):
            return []
        return [lambda lines: [hint if accepts(hint := hints.get(line, "")) else "" for line in lines]]

    def _without_own_name(self, source: TextSource, lines: Sequence[int]) -> list[str]:
        """Return a source's texts without the lines' own name."""
        return _without_own_name(self._tree, source, lines)


class PageParts:
    """The parts of the page around the lines of one tree.

    They are headings, sections, and the buttons that open them.
    """

    def __init__(self, tree: Tree, places: Surroundings, boxes: Boxes) -> None:
        self._tree = tree
        self._places = places
        self._boxes = boxes
        self._has_headings = "heading" in tree.roles
        self._has_openers = any("expanded" in states for states in tree.states.values())

    def headings_of_links(self, group: Group) -> list[TextSource]:
        """Return the headings above links in a text: they come before sentences beside these."""
        is_link = self._tree.roles[group.lines[0]] == "link"
        return self._names_of(self._places.heading) if self._has_headings and is_link else []

    def headings(self, group: Group) -> list[TextSource]:
        """Return a source of texts: the nearest headings above, but those that `headings_of_links` returns."""
        is_known = group.boxes and self._tree.roles[group.lines[0]] == "link"
        return self._names_of(self._places.heading) if self._has_headings and not is_known else []

    def outer_headings(self) -> list[TextSource]:
        """Return a source of texts: the headings of a higher level above those."""
        return self._names_of(self._places.outer_heading) if self._has_headings else []

    def openers(self) -> list[TextSource]:
        """Return a source of texts: names of the buttons that opened the parts around, as in Swagger UI."""
        return self._names_of(self._places.opener) if self._has_openers else []

    def sections(self) -> list[TextSource]:
        """Return a source of texts: names or roles of the nearest sections."""
        return [
            partial(
                _without_own_name,
                self._tree,
                lambda lines: self._section_names(map(self._places.section, lines)),
            )
        ]

    def outer_sections(self) -> list[TextSource]:
        """Return a source of texts: names or roles of the sections around the nearest ones."""
        section = self._places.section

        def outer(line: int) -> int:
            return section(inner) if (inner := section(line)) >= 0 else -1

        return [partial(_without_own_name, self._tree, lambda lines: self._section_names(map(outer, lines)))]

    def _names_of(self, place: Callable[[int], int]) -> list[TextSource]:
        """Return the source of the names of what `place` finds for each line."""
        return [partial(_without_own_name, self._tree, partial(self.names, place))]

    def names(self, place: Callable[[int], int], lines: Sequence[int]) -> list[str]:
        """Return the name of the line that `place` finds for each line.

        It is "" if a similar line has it in its box, too.
        """
        names, is_of_another = self._tree.names, self._boxes.belongs_to_similar_line
        return [
            names[above] if (above := place(line)) >= 0 and not is_of_another(above, line) else ""
            for line in lines
        ]

    def _section_names(self, sections: Iterable[int]) -> list[str]:
        """Return each section's name, else its hint, else its role; "" for none (-1)."""
        names, hints, roles = self._tree.names, self._tree.hints, self._tree.roles
        return [
            names[section] or hints.get(section) or roles[section] if section >= 0 else ""
            for section in sections
        ]


def _without_own_name(tree: Tree, source: TextSource, lines: Sequence[int]) -> list[str]:
    """Return a source's texts without the lines' own name."""
    texts, name = source(lines), tree.names[lines[0]]
    kept = {text: cut(without_own(text, name)) for text in set(texts)}
    return [kept[text] for text in texts]


def _has_any(places: Mapping[int, int]) -> bool:
    """Return whether any line has a place (-1 is none)."""
    return max(places.values(), default=-1) >= 0


def _outermost_common(group: Group) -> dict[int, Sequence[range]]:
    """Return for each line its boxes from the outermost level on that every line has; {} without boxes."""
    heights = [len(boxes) for boxes in group.boxes.values() if boxes]
    if not heights:
        return {}
    common = min(heights) - 1
    return {line: boxes[common:] for line, boxes in group.boxes.items()}
