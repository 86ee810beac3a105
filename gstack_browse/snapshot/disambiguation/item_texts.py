"""Find texts that identify a row, an item or a box, and the text and clause around a control."""

import re
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from gstack_browse.snapshot.items import FIELDS, Boxes, text_of_line
from gstack_browse.snapshot.tree import OPERABLE, Tree

PICTURES = frozenset({"img", "image", "figure"})
LETTER_OR_DIGIT = re.compile(r"[^\W_]")
_ENDS = re.compile(r"[.,;!?|·•](?=\s|$)")
"""Where a clause ends."""
_BEGINNING = " .,;:!?|·•)/–-"
"""What does not begin a text that is printed by itself."""


class Sentences:
    """Finds the text right before a line, and the clause in which it stands."""

    def __init__(self, tree: Tree, boxes: Boxes) -> None:
        self._tree = tree
        self._boxes = boxes
        self._leads: dict[int, dict[int, int]] = {}

    def texts_before(self, group: Sequence[int]) -> list[str]:
        """Return each control's preceding text if texts and controls alternate, a text first; else ""."""
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
        """Return the text on line `text` for control `line`; "" if it is a similar control's, or `text` is -1."""
        is_own = text >= 0 and not self._boxes.belongs_to_similar_line(text, line)
        return text_of_line(self._tree, text) if is_own else ""

    def clauses(self, group: Sequence[int]) -> list[str]:
        """Return the clause around each link or button in a paragraph, with its name; "" for other lines.

        In a paragraph, lines are read one after the other. Elsewhere the text after a line may be in another row.
        """
        return list(map(self._clause, group))

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
        """Return the text right before each of these siblings (the × of tags); [] if the order is ambiguous."""
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
            elif (child_text := text_of_line(tree, child)) and LETTER_OR_DIGIT.search(child_text):
                text = text if role in PICTURES and text >= 0 and not is_last else child
                is_last = False
            elif role != "text":
                is_last = False
            child = tree.ends[child]
        return leads if is_last else {}


LONGEST = 40
TEXTS_OF_ITEM = 4
_LINES_OF_ITEM = 40
_LINES_OF_COMPANY = 12
_WORTHLESS = 5
_HEADERS = frozenset({"rowheader", "heading"})
_SILENT = OPERABLE - {"link"}
"""Controls, whose names say what can be done with an item and not which it is."""
_PICTURE = 3
"""How little the name of a picture is worth: what stands beside a picture says more of an item."""
_LETTER = re.compile(r"[^\W\d_]")


class _Peers(NamedTuple):
    """The common features of siblings that are choices: days of a month, chips.

    `role` is "" for a line that is no such choice: only clickable lines without a role are.
    """

    role: str
    are_numbers: bool


_NO_PEERS = _Peers("", are_numbers=False)


class ItemTexts:
    """The texts of the rows, items and boxes of one tree."""

    def __init__(self, tree: Tree, common: Container[int]) -> None:
        self._tree = tree
        self._common = common
        self._texts: dict[_Peers, dict[int, list[str]]] = defaultdict(lambda: {-1: []})
        self._firsts: dict[_Peers, dict[int, str]] = defaultdict(lambda: {-1: ""})
        self._least = 2 if _HEADERS.isdisjoint(tree.roles) else 1
        """What nothing that comes later in an item is worth more than."""

    def _first_text(self, item: int, peers: _Peers) -> str:
        """Return the best text of a row or item, and cache it; "" without any.

        Mostly without reading all of it. `peers`: what the choices in it have in common, if a choice is to be labelled.
        """
        first = self._firsts[peers][item] = cut(self._best_ranked(self._ranked_item_texts(item, peers)))
        return first

    def _peers_of(self, line: int) -> _Peers:
        """Return what a line and its siblings have in common if they are choices (days, chips); or _NO_PEERS."""
        tree, is_choice = self._tree, self._tree.nodes[line] < 0
        return _Peers(tree.roles[line], not _LETTER.search(tree.names[line])) if is_choice else _NO_PEERS

    def _is_uninformative_peer(self, other: int, peers: _Peers) -> bool:
        """Return whether line `other` is just another choice: a day beside a day, or a chip many items have."""
        tree = self._tree
        if tree.nodes[other] >= 0 or tree.roles[other] != peers.role:
            return False
        return other in self._common or (peers.are_numbers and not _LETTER.search(tree.names[other]))

    def _best_ranked(self, ranked: Iterable[tuple[str, int]]) -> str:
        """Return the text of the lowest rank from pairs (text, rank); "" without any below _WORTHLESS.

        Stop at a rank that no other text of this page can be below.
        """
        best, least = "", _WORTHLESS
        for text, worth in ranked:
            if worth < least:
                best, least = text, worth
            if least <= self._least:
                break
        return best

    def _text_of(self, item: int, index: int, peers: _Peers) -> str:
        """Return the text number `index` (from 0, best first) of an item's texts; "" for none.

        The order: the item's own name, row headers, texts with letters, others.
        """
        if item not in (known := self._texts[peers]):
            found: dict[str, int] = {}
            for text, worth in self._ranked_item_texts(item, peers):
                found.setdefault(cut(text), worth)
            known[item] = sorted(found, key=lambda text: found[text])[:TEXTS_OF_ITEM]
        texts = known[item]
        return texts[index] if index < len(texts) else ""

    def _ranked_item_texts(self, item: int, peers: _Peers) -> Iterator[tuple[str, int]]:
        """Yield (text, rank) of an item's texts; the lower the rank, the better the text identifies the item.

        Names of controls that other items have, too (Edit, Delete), are left out.
        """
        tree, inside = self._tree, range(item, self._tree.ends[item])
        shared = self._shared_control_names(inside)
        if (text := tree.names[item]) and (text := without_words(text, shared)):
            yield text, 0
        if (text := tree.values.get(item, "")) and (text := without_words(text, shared)):
            yield text, 2
        beside: Iterable[int] = inside[1:_LINES_OF_ITEM]
        if peers.role:
            beside = [other for other in beside if not self._is_uninformative_peer(other, peers)]
        yield from self._ranked_texts(beside, shared)

    def texts_around(self, line: int, box: range) -> Iterator[tuple[str, int]]:
        """Yield (text, rank) of the other lines in `box`, which contains `line`: low ranks identify it best."""
        peers = self._peers_of(line)
        beside = [
            other
            for other in box[:_LINES_OF_ITEM]
            if other != line and not self._is_uninformative_peer(other, peers)
        ]
        shared = [name for name in self._shared_control_names(box) if name != self._tree.names[line]]
        return self._ranked_texts(beside, shared)

    def _shared_control_names(self, lines: range) -> list[str]:
        """Return the names of controls on these lines that controls of other items have, too (Edit, Delete)."""
        names, roles, common = self._tree.names, self._tree.roles, self._common
        return [names[line] for line in lines[:_LINES_OF_ITEM] if line in common and roles[line] in OPERABLE]

    def _ranked_texts(self, lines: Iterable[int], shared: Sequence[str]) -> Iterator[tuple[str, int]]:
        """Yield (text, rank) of lines, low ranks for texts that identify an item best.

        `shared`: names of controls that other items have, too, which are left out of the texts.
        """
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
            elif rank := _text_rank(text := without_words(text, shared)):
                yield text, 1 if line < header else max(rank, _PICTURE) if role in PICTURES else rank

    def nth_texts(self, items: Mapping[int, int], index: int, group: Sequence[int]) -> list[str]:
        """Return for each line text number `index` (from 0, best first) of its row or item; "" for none.

        `items`: line → its row or item. A text that is the lines' own name counts as none.
        """
        name, peers = self._tree.names[group[0]], self._peers_of(group[0])
        if index:
            texts = [self._text_of(items[line], index, peers) for line in group]
        else:
            firsts = self._firsts[peers]
            texts = [
                firsts[item] if (item := items[line]) in firsts else self._first_text(item, peers)
                for line in group
            ]
        return [text if text != name else "" for text in texts] if name in texts else texts

    def first_texts_around(self, boxes: Mapping[int, Sequence[range]], lines: Sequence[int]) -> list[str]:
        """Return for each line the best text of the innermost box around it that has one; "" for none.

        So a chip's cross is labelled by the chip's word, on whichever side of it that stands (Tagify 4.36).
        """
        return [
            next(filter(None, (self._best_ranked(self.texts_around(line, box)) for box in boxes[line])), "")
            for line in lines
        ]

    def neighbouring_control_text(self, line: int, boxes: Iterable[range]) -> str:
        """Return another control's name or value: the first in the innermost small box with both controls.

        "" for fields, and if there is none. A name that other items have, too, does not count.
        """
        tree = self._tree
        if tree.roles[line] in FIELDS or tree.nodes[line] < 0:
            return ""
        for around in boxes:
            if len(around) > _LINES_OF_COMPANY:
                return ""
            for other in around:
                if other != line and tree.roles[other] in OPERABLE and (text := self._control_text(other)):
                    return cut(text)
        return ""

    def _control_text(self, control: int) -> str:
        """Return a control's name, or the value of a field without one.

        "" if other items have it, or it has no letter or digit.
        """
        tree = self._tree
        text = "" if control in self._common else tree.names[control]
        if not text and tree.roles[control] in FIELDS:
            text = tree.values.get(control, "")
        return text if LETTER_OR_DIGIT.search(text) else ""


def cut(text: str, limit: int = LONGEST) -> str:
    """Return a text in one line, cut to `limit` characters with "…" at the end."""
    if len(text) <= limit and "\n" not in text:
        return text
    text = " ".join(text[: 4 * limit].split())
    return text if len(text) <= limit else f"{text[: limit - 1].rstrip()}…"


def _text_rank(text: str) -> int:
    """Rank a text by how well it names an item: 2 with letters, 3 with digits alone; 0 if it has neither.

    A lower rank is better, except 0, which is worth nothing.
    """
    if text[:1].isalpha():
        return 2
    mark = LETTER_OR_DIGIT.search(text)
    return (3 if mark[0].isdecimal() and not _LETTER.search(text) else 2) if mark else 0


_SEPARATORS = " |·,;:/–-"
_TWO_SEPARATORS = re.compile(r"([|·,;/–-])\s+(?=\1)")


def without_name(text: str, name: str) -> str:
    """Return the text without the name that it begins or ends with."""
    if not text or not name or text == name:
        return "" if name else text
    if name in text:
        text = text.removesuffix(f" {name}").removeprefix(f"{name} ").removeprefix(f"{name}:")
    return text.strip(_SEPARATORS)


def without_words(text: str, names: Iterable[str]) -> str:
    """Return the text without these words (names of controls), and without separators between them."""
    for name in names:
        if name in text and name:
            text = _TWO_SEPARATORS.sub("", _without_word(text, name).strip(_SEPARATORS))
    return text


def _without_word(text: str, word: str) -> str:
    """Return the text without the first occurrence of `word` as a whole word."""
    at = text.find(word)
    while at >= 0:
        end = at + len(word)
        if not _is_word_character(text[:at][-1:]) and not _is_word_character(text[end : end + 1]):
            return text[:at] + text[end:]
        at = text.find(word, at + 1)
    return text


def _is_word_character(character: str) -> bool:
    """Return whether a character is a letter, a digit or an underscore."""
    return character.isalnum() or character == "_"
