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
    without_name,
)
from gstack_browse.snapshot.items import Boxes, Surroundings, text_of_line
from gstack_browse.snapshot.tree import Tree

TextFinder = Callable[[Sequence[int]], list[str]]
"""Returns a text for each of some lines with the same name: "" if it has none, [] if all lack one."""


@dataclass(frozen=True)
class Disambiguator:
    """A kind of text that may tell equal lines apart, such as the text of their row.

    `find` returns its finders for a group, the best first; [] where it has none.

    `for_days`: it is tried for the days of a calendar, too, whose rows say nothing.
    """

    name: str
    find: "Callable[[Candidates, Group], list[TextFinder]]"
    for_days: bool = False


DISAMBIGUATORS = (
    Disambiguator("words beside", lambda of, group: of.nested_control_finders(group), for_days=True),
    Disambiguator("part of the item", lambda of, group: of.item_part_finders(group)),
    Disambiguator("row or item", lambda of, group: of.item_text_finders(group.items)),
    Disambiguator("row or item around that", lambda of, group: of.item_text_finders(group.outer_items)),
    Disambiguator("cell", lambda of, group: of.cell_finders(group)),
    Disambiguator("heading above a link", lambda of, group: of.parts.link_heading_finders(group)),
    Disambiguator("box", lambda of, group: of.box_finders(group)),
    Disambiguator("heading above", lambda of, group: of.parts.heading_finders(group), for_days=True),
    Disambiguator("button that opened it", lambda of, _: of.parts.opener_finders(), for_days=True),
    Disambiguator("section", lambda of, _: [of.parts.section_texts], for_days=True),
    Disambiguator("section around that", lambda of, _: [of.parts.outer_section_texts], for_days=True),
    Disambiguator("heading above that", lambda of, _: of.parts.outer_heading_finders(), for_days=True),
    Disambiguator("text above", lambda of, _: [of.texts_above]),
    Disambiguator("paragraph", lambda of, _: [of.paragraph_texts]),
    Disambiguator("text before", lambda of, _: [of.texts_before]),
    Disambiguator("clause", lambda of, _: [of.clauses]),
    Disambiguator("further text of the box", lambda of, group: of.further_box_text_finders(group)),
    Disambiguator("class", lambda of, group: of.class_finders(group), for_days=True),
    Disambiguator("control beside", lambda of, group: of.neighbouring_control_finders(group)),
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
    """The texts around the lines of one tree that may tell equal lines apart.

    The methods that `DISAMBIGUATORS` calls return functions which find the texts, so that only those tried are found.
    """

    def __init__(self, tree: Tree, common: Container[int]) -> None:
        """`common`: lines whose texts many items have, so that they identify none."""
        self._tree = tree
        self._places = Surroundings(tree)
        self._boxes = Boxes(tree)
        self._item_texts = ItemTexts(tree, common)
        self._sentences = Sentences(tree, self._boxes)
        self._calendars = Calendars(tree)
        self.months = self._calendars.month_titles
        self._has_parts = not _PARTS_OF_ITEMS.isdisjoint(tree.roles)
        self.parts: PageParts = PageParts(tree, self._places, self._boxes)
        self._without_own_name = partial(_without_own_name, tree)

    def list_finders(self, lines: Sequence[int]) -> list[TextFinder]:
        """Return functions that find texts to tell these equal lines apart, the best first.

        Each takes some of the lines and returns a text for each of them.
        """
        are_days = self._calendars.are_days(lines)
        group = self._make_group(lines, are_days=are_days)
        return [
            finder
            for disambiguator in DISAMBIGUATORS
            if disambiguator.for_days or not are_days
            for finder in disambiguator.find(self, group)
        ]

    def _make_group(self, lines: Sequence[int], *, are_days: bool) -> Group:
        """Return equal lines with the row or item and the boxes (cards, without a line) around each.

        For days of a calendar these are not needed.
        """
        if are_days:
            return Group(lines, {}, {}, {})
        items = self._places.items(lines)
        outers = self._places.items({item for item in items.values() if item >= 0})
        boxes = dict(zip(lines, self._boxes.exclusive_surroundings(lines), strict=True))
        return Group(lines, items, {line: outers.get(item, -1) for line, item in items.items()}, boxes)

    def nearest_text(self, line: int) -> str:
        """Return a text for a line with unprinted duplicates: of its item, an outer item or a heading, or ""."""
        item = self._places.item(line)
        outer = self._places.item(item) if item >= 0 else -1
        texts = (
            *self._item_texts.nth_texts({line: item}, 0, [line]),
            *self._item_texts.nth_texts({line: outer}, 0, [line]),
            *self._without_own_name(partial(self.parts.names, self._places.heading), [line]),
        )
        return next(filter(None, texts), "")

    # rows and items

    def item_part_finders(self, group: Group) -> list[TextFinder]:
        """Return a finder of section names in each line's row or item, such as toolbar groups; or []."""
        if not self._has_parts or not _has_any(group.items):
            return []
        names, section = self._tree.names, self._places.section
        parts = {
            line: cut(names[part]) if (part := section(line)) > group.items[line] >= 0 else ""
            for line in group.lines
        }
        return [lambda lines: [parts[line] for line in lines]] if any(parts.values()) else []

    def item_text_finders(self, items: Mapping[int, int]) -> list[TextFinder]:
        """Return finders of texts of each line's row or item: of the best one, the second best, and so on.

        `items`: line → the row or item around it, -1 for none.
        """
        if not _has_any(items):
            return []
        return [partial(self._item_texts.nth_texts, items, index) for index in range(TEXTS_OF_ITEM)]

    def cell_finders(self, group: Group) -> list[TextFinder]:
        """Return a finder of the lines' table cells' texts: several controls of one row may read the same."""
        if not _has_any(group.items):
            return []
        roles, parents = self._tree.roles, self._tree.parents
        cells = {
            line: parent if (parent := parents[line]) >= 0 and roles[parent] in _CELLS else -1
            for line in group.lines
        }
        return [partial(self._item_texts.nth_texts, cells, 0)] if _has_any(cells) else []

    # boxes

    def box_finders(self, group: Group) -> list[TextFinder]:
        """Return finders of texts of boxes (such as cards, without a line) that contain only one of the lines.

        The outermost level that every line has comes first, then the innermost boxes.
        """
        if not (outer := _outermost_common(group)):
            return []
        return [
            partial(self._without_own_name, partial(self._item_texts.first_texts_around, boxes))
            for boxes in (outer, group.boxes)
        ]

    def further_box_text_finders(self, group: Group) -> list[TextFinder]:
        """Return finders of other texts of each line's outermost box (a card): of the second best, and so on."""
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

    def neighbouring_control_finders(self, group: Group) -> list[TextFinder]:
        """Return a finder of another control's name or value in a small box (such as a chip) around each line."""
        beside = self._item_texts.neighbouring_control_text
        return [lambda lines: [beside(line, group.boxes[line]) for line in lines]]

    # texts beside

    def texts_above(self, lines: Sequence[int]) -> list[str]:
        """Return for each line the text right before its paragraph or group; "" for none."""
        tree, parents, is_of_another = self._tree, self._tree.parents, self._boxes.belongs_to_similar_line

        def text_above(line: int) -> str:
            part = parents[line]
            is_beside = part > 0 and parents[part - 1] == parents[part] and not is_of_another(part - 1, line)
            return text_of_line(tree, part - 1) if is_beside else ""

        return self._without_own_name(lambda lines: list(map(text_above, lines)), lines)

    def paragraph_texts(self, lines: Sequence[int]) -> list[str]:
        """Return for each line the text of the paragraph around it; "" for none."""
        tree = self._tree

        def text_around(line: int) -> str:
            part = tree.parents[line]
            return text_of_line(tree, part) if part >= 0 and tree.roles[part] == "paragraph" else ""

        return self._without_own_name(lambda lines: list(map(text_around, lines)), lines)

    def clauses(self, lines: Sequence[int]) -> list[str]:
        """Return for each line the part of a sentence in which its link or button stands."""
        return self._without_own_name(self._sentences.clauses, lines)

    def texts_before(self, lines: Sequence[int]) -> list[str]:
        """Return for each line "after …" with the text before it, perhaps about something else; "" for none."""
        return [
            text and f"after {text}" for text in self._without_own_name(self._sentences.texts_before, lines)
        ]

    # markup

    def nested_control_finders(self, group: Group) -> list[TextFinder]:
        """Return a finder of the text beside a control nested in another one, without a line; [] for none."""
        return self._markup_hints(group, lambda hint: not hint.startswith("."))

    def class_finders(self, group: Group) -> list[TextFinder]:
        """Return a finder of CSS classes in which equal lines differ, such as `.calendar-prevmonth`; or []."""
        return self._markup_hints(group, lambda hint: hint.startswith("."))

    def _markup_hints(self, group: Group, accepts: Callable[[str], bool]) -> list[TextFinder]:
        """Return a finder of each line's markup hint that `accepts` accepts; [] if no line has one.

        A hint is a CSS class (".trash") or the text beside a nested control.
        """
        hints = self._tree.hints
        if not any(line in hints for line in group.lines):
            return []
        return [lambda lines: [hint if accepts(hint := hints.get(line, "")) else "" for line in lines]]


class PageParts:
    """The headings, sections and expanded buttons to which the lines of one tree belong."""

    def __init__(self, tree: Tree, places: Surroundings, boxes: Boxes) -> None:
        self._tree = tree
        self._places = places
        self._boxes = boxes
        self._has_headings = "heading" in tree.roles
        self._has_openers = any("expanded" in states for states in tree.states.values())

    def link_heading_finders(self, group: Group) -> list[TextFinder]:
        """Return a finder of the nearest heading above each link; [] for other roles.

        It is tried before the sentences around the links.
        """
        is_link = self._tree.roles[group.lines[0]] == "link"
        return self._make_finders_by_name_of(self._places.heading) if self._has_headings and is_link else []

    def heading_finders(self, group: Group) -> list[TextFinder]:
        """Return a finder of the nearest heading above each line; [] without headings.

        [] also for links in boxes, for which `link_heading_finders` has tried it.
        """
        is_known = group.boxes and self._tree.roles[group.lines[0]] == "link"
        return (
            self._make_finders_by_name_of(self._places.heading) if self._has_headings and not is_known else []
        )

    def outer_heading_finders(self) -> list[TextFinder]:
        """Return a finder of the heading one level above each line's nearest one; [] without headings."""
        return self._make_finders_by_name_of(self._places.outer_heading) if self._has_headings else []

    def opener_finders(self) -> list[TextFinder]:
        """Return a finder of the name of the expanded button that opened the part around each line; or []."""
        return self._make_finders_by_name_of(self._places.opener) if self._has_openers else []

    def section_texts(self, lines: Sequence[int]) -> list[str]:
        """Return for each line the name or role of the nearest section around it; "" for none."""
        section = self._places.section
        return _without_own_name(self._tree, lambda lines: self._section_names(map(section, lines)), lines)

    def outer_section_texts(self, lines: Sequence[int]) -> list[str]:
        """Return for each line the name or role of the section around its nearest one; "" for none."""
        section = self._places.section

        def outer(line: int) -> int:
            return section(inner) if (inner := section(line)) >= 0 else -1

        return _without_own_name(self._tree, lambda lines: self._section_names(map(outer, lines)), lines)

    def _make_finders_by_name_of(self, find_line: Callable[[int], int]) -> list[TextFinder]:
        """Return a list of one finder: it finds for each line the name of another one, such as its heading.

        `find_line`: returns that other line, or -1 for none.
        """
        return [partial(_without_own_name, self._tree, partial(self.names, find_line))]

    def names(self, find_line: Callable[[int], int], lines: Sequence[int]) -> list[str]:
        """Return for each of `lines` the name of the line that `find_line` finds for it.

        "" if it finds none (-1), or one that is in a box with a line like this.
        """
        names, is_of_another = self._tree.names, self._boxes.belongs_to_similar_line
        return [
            names[above] if (above := find_line(line)) >= 0 and not is_of_another(above, line) else ""
            for line in lines
        ]

    def _section_names(self, sections: Iterable[int]) -> list[str]:
        """Return each section's name, else its hint from the markup, else its role; "" for none (-1)."""
        names, hints, roles = self._tree.names, self._tree.hints, self._tree.roles
        return [
            names[section] or hints.get(section) or roles[section] if section >= 0 else ""
            for section in sections
        ]


def _without_own_name(tree: Tree, finder: TextFinder, lines: Sequence[int]) -> list[str]:
    """Return `finder`'s texts for `lines`, which all have one name, without that name at either end."""
    texts, name = finder(lines), tree.names[lines[0]]
    kept = {text: cut(without_name(text, name)) for text in set(texts)}
    return [kept[text] for text in texts]


def _has_any(line_map: Mapping[int, int]) -> bool:
    """Return whether any line is mapped to another line, not to -1 (none)."""
    return max(line_map.values(), default=-1) >= 0


def _outermost_common(group: Group) -> dict[int, Sequence[range]]:
    """Return line → boxes around it, innermost first, only from the outermost level that all lines have.

    {} if there are none.
    """
    heights = [len(boxes) for boxes in group.boxes.values() if boxes]
    if not heights:
        return {}
    common = min(heights) - 1
    return {line: boxes[common:] for line, boxes in group.boxes.items()}
