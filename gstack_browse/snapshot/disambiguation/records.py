"""Find the record (row, item, card) of a list that a line is in, and which record has taken its place.

A record is identified by its own words: those that no other record of its list has, or pairs and triples of words
that no other has together. `find_record_change` judges by them: see docs/refs.md ("Another record").

An element that the page has drawn anew has the same role and name, in the same parts of the page, at the same place
of the same record. In no record it must be the only one of its name, before and now.
"""

import itertools
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TypeVar

from gstack_browse.snapshot.disambiguation.item_texts import cut
from gstack_browse.snapshot.items import ITEMS, LARGEST_ITEM, SECTIONS, Boxes, text_of_line
from gstack_browse.snapshot.tree import OPERABLE, Tree

_SAME = 2.0
"""The likeness of two records with the same content. It is above 1: `Green Tea` has all words of `Tea`, too."""
_MOST_OF_IT = 2 / 3
"""The share of a record's own words that has to be found elsewhere for the record to be there."""
_WORD = re.compile(r"[^\W_]+")
_SIGN = re.compile(r"[^\w\s!-~]")
"""A character that is no letter, no digit and no punctuation of ASCII, as an emoji."""
_VERBS = frozenset({"button", "menuitem", "menuitemcheckbox", "menuitemradio", "switch"})
"""Roles of controls whose names say what they do, and may change in place: Play, Pause."""
_CLOSED = frozenset({"dialog", "alertdialog", "iframe"})
"""Roles of what is a page by itself: what it is in says nothing of it."""
_CONTAINERS = frozenset(
    {"table", "grid", "treegrid", "list", "listbox", "group", "radiogroup", "toolbar", "tablist", "navigation"}
)
_LARGEST_ROW = 200
"""Lines of a row or an item that is still compared."""
_NEIGHBOURS = 20
"""Records of a list that are compared on each side of one."""
_MOST_LEVELS = 3
"""Records in each other that are compared: an item, the card around it."""
_MOST_COMBINED = 16
"""Words of a record that are tried in pairs and in threes: 680 of them."""
_FEW_OTHERS = 2
"""So many other records with none of their own words left: the list reuses its elements, as it does when scrolled."""
_LETTER = re.compile(r"[^\W\d_]")
_MOST_TEXTS = 6
_LONGEST_TEXT = 200

LineText = Callable[[Tree, int], str]
Found = TypeVar("Found")
OwnWords = set[frozenset[str]]
"""What identifies a record: sets of words, each of which no other record of its list has whole."""
_WHOLE = "="
"""Begins an own word that is the whole content, in order, for a record like `Tea 2` beside `Tea 2 2`, which has all its words."""


def tokens_of(text: str) -> set[str]:
    """Split a text into its case-folded words, numbers and signs."""
    return set(_split(text))


def _split(text: str) -> list[str]:
    """Split a text into its case-folded words and numbers, in order, and its signs."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return [*_WORD.findall(folded), *_SIGN.findall(folded)]


class ListedRecord:
    """A row, an item or a card around a line, and its list: `members` are the lines of all its records."""

    def __init__(
        self, tree: Tree, lines: range, members: Callable[[], Sequence[range]], *, is_control: bool = False
    ) -> None:
        """is_control: it is nothing but a control, which stands beside equal ones"""
        self.tree = tree
        self.lines = lines
        self._find_members = members
        self._is_control = is_control
        self._words: dict[int, set[str]] = {}
        self._content: dict[int, set[str]] = {}
        self._wholes: dict[int, str] = {}
        self._own: dict[int, OwnWords] = {}

    @cached_property
    def members(self) -> Sequence[range]:
        """Return the lines of each row, item or card of the list, in order."""
        return self._find_members()

    @cached_property
    def index(self) -> int:
        """Return the record's index in the list's `members`."""
        return self.members.index(self.lines)

    @property
    def kind(self) -> tuple[str, bool]:
        """Return (role, whether it is a lone control): only records equal in both can be compared."""
        return (self.tree.roles[self.lines.start] if self.node else "", self._is_control)

    @property
    def node(self) -> int:
        """Return the node id of the record's element; 0 if that element has no line."""
        first = self.lines.start
        return abs(self.tree.nodes[first]) if self.tree.ends[first] == self.lines.stop else 0

    @property
    def has_letters(self) -> bool:
        """Return whether the record's text has a letter: days of a calendar are numbers alone."""
        return any(_LETTER.search(_content(self.tree, line)) for line in self.lines)

    @cached_property
    def neighbours(self) -> range:
        """Return the indices in `members` of this row or item and of up to 20 on each side."""
        return range(max(self.index - _NEIGHBOURS, 0), min(self.index + _NEIGHBOURS + 1, len(self.members)))

    def words_of(self, index: int) -> set[str]:
        """Return all words in the row or item `members[index]`, also those of its buttons."""
        return _get_or_find(self._words, index, lambda: _collect_tokens(self.tree, self.members[index], _text))

    def content_words(self, index: int) -> set[str]:
        """Return the words in the row or item `members[index]`, except those of its buttons."""
        return _get_or_find(
            self._content, index, lambda: _collect_tokens(self.tree, self.members[index], _content)
        )

    def whole_content(self, index: int) -> str:
        """Return "=" and the words of the row or item `members[index]`, in order, without its buttons'."""
        return _get_or_find(self._wholes, index, lambda: _join_words(self.tree, self.members[index], _content))

    def has_words(self, index: int, words: frozenset[str]) -> bool:
        """Return whether the row or item `members[index]` has all of `words`, one set of `own_words`.

        Where that is a whole content ("=…"), whether its content is the same.
        """
        return words <= self.words_of(index) or words == {self.whole_content(index)}

    def own_words(self, index: int) -> OwnWords:
        """Return the words of a row or item that none of its neighbours has. They identify it.

        If each word of its content is in a neighbour, too: pairs of them, else threes, else the whole content, and
        words in names of its buttons. `index`: of the record in `members`.
        """
        return _get_or_find(self._own, index, lambda: self._find_own_words(index))

    def _find_own_words(self, index: int) -> OwnWords:
        """Find what `own_words` returns."""
        content, words = self.content_words(index), self.words_of(index)
        if own := _find_unique(content, self._content_counts):
            return own
        beside = [other for other in self.neighbours if other != index]
        others = [self.content_words(other) for other in beside]
        own = _find_unique_sets(content, self._content_counts, others)
        whole = self.whole_content(index)
        if not own and content and whole not in map(self.whole_content, beside):
            own = {frozenset({whole})}
        if self._is_control and not self._shares_words(index):
            return own
        own |= _find_unique(words, self._word_counts)
        return own or _find_unique_sets(words, self._word_counts, [self.words_of(other) for other in beside])

    @property
    def is_redrawn_if_all_words_change(self) -> bool:
        """Return whether the loss of all its own words proves that the row or item shows other data now.

        It does not if only its buttons have words: toggles change theirs when pressed.
        """
        is_identified = any(self._content_counts[word] == 1 for word in self.content_words(self.index))
        return (is_identified and not self._is_control) or self._shares_words(self.index)

    def _shares_words(self, index: int) -> bool:
        """Return whether a row or item shares a word with a neighbour: `Delete Apple`, `Delete Banana`.

        `index`: of the row or item in `members`.
        """
        return any(self._word_counts[word] > 1 for word in self.words_of(index))

    @cached_property
    def _content_counts(self) -> Counter[str]:
        """Return word → how many of the neighbouring rows or items have it in their content."""
        return Counter(word for index in self.neighbours for word in self.content_words(index))

    @cached_property
    def _word_counts(self) -> Counter[str]:
        """Return word → how many of the neighbouring rows or items have it, also in names of buttons."""
        return Counter(word for index in self.neighbours for word in self.words_of(index))

    def identifying_texts(self) -> list[tuple[int, str]]:
        """Return a few texts that tell this record from those beside it, as (node id or 0, text).

        They are compared first, as own words take ten times as long to find: those are needed only where one of these
        texts has gone.
        """
        if self._is_control and not self.own_words(self.index):
            return []
        beside = self._adjacent_records()
        texts = self._texts_not_in(beside, _content) or self._texts_not_in(beside, _text)
        if not texts and self.own_words(self.index):
            texts = self._texts_not_in([], _content) or self._texts_not_in([], _text)
        return [(abs(self.tree.nodes[line]), text[:_LONGEST_TEXT]) for line, text in texts[:_MOST_TEXTS]]

    def _texts_not_in(self, others: Sequence[range], text_of: LineText) -> list[tuple[int, str]]:
        """Return (line, text) of the record's texts that no line of `others` has.

        `text_of`: returns a line's text.
        """
        other_texts = {text_of(self.tree, line) for lines in others for line in lines}
        texts = [(line, text_of(self.tree, line)) for line in self.lines]
        return [(line, text) for line, text in texts if text and text not in other_texts]

    def _adjacent_records(self) -> list[range]:
        """Return the lines of the rows or items directly before and after this one."""
        first, stop, tree = self.lines.start, self.lines.stop, self.tree
        if not self.node:
            return [self.members[at] for at in (self.index - 1, self.index + 1) if 0 <= at < len(self.members)]
        depth, role = tree.depths[first], tree.roles[first]
        before = first - 1
        while before >= 0 and tree.depths[before] > depth:
            before -= 1
        found = [line for line in (before, stop) if 0 <= line < len(tree) and tree.depths[line] == depth]
        return [range(line, tree.ends[line]) for line in found if tree.roles[line] == role]

    def title(self, line: int) -> str:
        """Return a text that identifies the record to a reader; "" without one, or if `line`'s name does so."""
        own = self.own_words(self.index)
        if _has_any(own, self.tree.names[line]):
            return ""
        texts = [text for other in self.lines if (text := _content(self.tree, other))]
        return cut(next((text for text in texts if _has_any(own, text)), " ".join(texts) if own else ""))

    def counterpart(self, lines: range, role: str, name: str, index: int) -> int:
        """Find one of `lines` with this role and name, else number `index` (from 0) of this role, else -1."""
        roles, names = self.tree.roles, self.tree.names
        same = [line for line in lines if roles[line] == role]
        named = [line for line in same if names[line] == name]
        return named[0] if named else same[index] if index < len(same) else -1

    def index_among_role(self, line: int) -> int:
        """Return how many lines of the record before `line` have its role."""
        roles = self.tree.roles
        return sum(roles[other] == roles[line] for other in range(self.lines.start, line))

    def index_of(self, line: int) -> int:
        """Return the index in `members` of the record that contains a line; -1 for none."""
        return next((index for index, lines in enumerate(self.members) if line in lines), -1)


class Lists:
    """The lists of records in one tree."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree

    @cached_property
    def _boxes(self) -> Boxes:
        """Return the boxes of the tree, made on first use."""
        return Boxes(self.tree)

    def records(self, line: int) -> list[ListedRecord]:
        """Return the records (rows, items, cards) around a line, innermost first.

        The control itself is added, with those beside it, if no record has a letter in it.
        """
        found = list(itertools.islice(self._enclosing_records(line), _MOST_LEVELS))
        if not any(record.has_letters for record in found):
            controls = partial(self._controls_of_same_role, line)
            found.append(ListedRecord(self.tree, self._subtree(line), controls, is_control=True))
        return found

    def _controls_of_same_role(self, line: int) -> list[range]:
        """Return the lines of each control of the same role in the list or table around `line`.

        Outside of a list or table: of its siblings of the same role.
        """
        roles, ends = self.tree.roles, self.tree.ends
        above = next((above for above in self.tree.ancestors(line) if roles[above] in _CONTAINERS), -1)
        if above < 0:
            return self._sibling_items(line)
        inside = range(above, ends[above])
        return [self._subtree(other) for other in inside if roles[other] == roles[line]]

    def _enclosing_records(self, line: int) -> Iterator[ListedRecord]:
        """Yield the rows, items and repeated boxes around a line, innermost first."""
        roles = self.tree.roles
        if roles[line] in ITEMS:
            yield ListedRecord(self.tree, self._subtree(line), partial(self._sibling_items, line))
        for lines, above in self._boxes.walk_outwards(line):
            role = roles[above] if above >= 0 else "generic"
            if role in _CLOSED or len(lines) > _LARGEST_ROW:
                return
            if role in ITEMS:
                yield ListedRecord(self.tree, lines, partial(self._sibling_items, above))
            elif role == "generic" and len(lines) <= LARGEST_ITEM:
                alike = self._find_similar_boxes(lines, above)
                if len(alike) > 1:
                    yield ListedRecord(self.tree, lines, partial(list, alike))

    def _sibling_items(self, line: int) -> list[range]:
        """Return the lines of each sibling of the element on `line` that has its role, itself included."""
        roles, siblings = self.tree.roles, self.tree.children(self.tree.parents[line])
        return [self._subtree(other) for other in siblings if roles[other] == roles[line]]

    def _find_similar_boxes(self, lines: range, above: int) -> list[range]:
        """Return the boxes (elements without a role) beside the box `lines` with its controls, and itself.

        `above`: its own line; -1 if it has none.
        """
        controls = self._list_control_roles(lines)
        if not controls:
            return []
        beside = self._sibling_items(above) if above >= 0 else self._boxes.beside(lines)
        return [other for other in beside if other == lines or self._list_control_roles(other) == controls]

    def _list_control_roles(self, lines: range) -> list[str]:
        """Return the roles of the controls in these lines, in order."""
        roles, nodes = self.tree.roles, self.tree.nodes
        return [roles[line] for line in lines if roles[line] in OPERABLE or nodes[line] < 0]

    def _subtree(self, line: int) -> range:
        """Return the lines of the element on `line` and of all that is in it."""
        return range(line, self.tree.ends[line])


@dataclass(frozen=True, slots=True)
class RecordChange:
    """A change of an element: it was printed in one record (a row, an item) and now shows another."""

    was: str
    """What tells the printed record from others, beside the name of the line; "" for nothing."""
    now: str
    """The same of the one that stands there now."""
    moved_to: int
    """The line of the later tree that is now what the printed one was; -1 where that is nowhere."""


def find_record_change(old: Lists, line: int, new: Lists, now_line: int) -> RecordChange | None:
    """Return how an element's row or item has changed since it was printed, as by sorting; None if not.

    line, now_line: the element's line in the earlier and in the later tree
    """
    for was, now in zip(old.records(line), new.records(now_line), strict=False):
        if not was.own_words(was.index) or was.kind != now.kind:
            continue
        kept = _likeness(was, was.index, now, now.index)
        if kept == _SAME:
            continue
        moved = _find_moved(was, now, kept)
        if moved >= 0 or _replaces_another(was, now, kept) or _is_list_redrawn(was, now, kept):
            where, role, name = -1, old.tree.roles[line], old.tree.names[line]
            if moved >= 0:
                where = now.counterpart(now.members[moved], role, name, was.index_among_role(line))
            return RecordChange(was.title(line), now.title(now_line), where)
    return None


def _find_moved(was: ListedRecord, now: ListedRecord, kept: float) -> int:
    """Return the index in `now.members` of the record that shows the data of `was` now; -1 for none.

    now: the record in which the element of `was` is now. kept: the likeness of the two
    """
    least = max(_MOST_OF_IT, kept)
    for index in range(len(now.members)):
        likeness = _likeness(was, was.index, now, index) if index != now.index else 0
        if likeness > least:
            before = _index_in_tree_of(was, now, index)
            if before < 0 or _likeness(was, was.index, was, before) < likeness:
                return index
    return -1


def _index_in_tree_of(other: ListedRecord, record: ListedRecord, index: int) -> int:
    """Return the index that record `index` of `record`'s list has in the tree of `other`; -1 for none.

    It is recognised by the node ids of its elements. `other`: any record of the same list in the other tree. Both indices are in
    the list's `members` of the respective tree.
    """
    nodes, lines_of = record.tree.nodes, other.tree.lines_of
    for line in record.members[index]:
        if nodes[line] and (found := lines_of.get(nodes[line], -1)) >= 0:
            return other.index_of(found)
    return -1


def _replaces_another(was: ListedRecord, now: ListedRecord, kept: float) -> bool:
    """Return whether `now` shows data of another record of the earlier list, instead of that of `was`.

    kept: the likeness of `was` and `now`
    """
    least = max(_MOST_OF_IT, kept)
    for index in was.neighbours:
        if index != was.index and _likeness(was, index, now, now.index) > least:
            there = _index_in_tree_of(now, was, index)
            if there < 0 or _likeness(was, index, now, there) < 1:
                return True
    return False


def _is_list_redrawn(was: ListedRecord, now: ListedRecord, kept: float) -> bool:
    """Return whether the list shows other data: some other rows or items have lost all their own words.

    In a list that reuses the elements scrolled out of view, that may be a few of many: enough even if `was` and `now` have words in
    common by chance. kept: the likeness of the two
    """
    if not was.is_redrawn_if_all_words_change:
        return False
    others = []
    for index in was.neighbours:
        own = was.own_words(index) if index != was.index else set()
        there = _index_in_tree_of(now, was, index) if own else -1
        if there >= 0:
            others.append(_likeness(was, index, now, there))
    changed = others.count(0)
    return changed >= _FEW_OTHERS or (not kept and 2 * changed > len(others))


def _likeness(was: ListedRecord, index: int, now: ListedRecord, other: int) -> float:
    """Return the share of a record's own words that another record has (0 to 1), or _SAME.

    _SAME: it has all of them, and the same content. index, other: of the records in the lists of `was` and `now`
    """
    own = was.own_words(index)
    if not own:
        return 0
    share = sum(now.has_words(other, words) for words in own) / len(own)
    whole = was.whole_content(index)
    is_same = whole == now.whole_content(other) and (
        whole != _WHOLE
        or _join_words(was.tree, was.members[index], _text) == _join_words(now.tree, now.members[other], _text)
    )
    return _SAME if share == 1 and is_same else share


def _find_unique(words: set[str], counts: Counter[str]) -> OwnWords:
    """Return those of `words` that one record alone has. `counts`: word → how many records have it."""
    return {frozenset({word}) for word in words if counts[word] == 1}


def _find_unique_sets(words: set[str], counts: Counter[str], others: Sequence[set[str]]) -> OwnWords:
    """Return the pairs, else threes of a record's `words` that none of the `others` has together.

    counts: word → how many records have it
    """
    # Words that all have tell nothing. More than a few of the rest would take too long to combine.
    telling = sorted(word for word in words if counts[word] <= len(others))
    for size in (2, 3) if len(telling) <= _MOST_COMBINED else ():
        found = {
            frozenset(combined)
            for combined in itertools.combinations(telling, size)
            if not any(other.issuperset(combined) for other in others)
        }
        if found:
            return found
    return set()


def _has_any(own_words: OwnWords, text: str) -> bool:
    """Return whether a text has one of a record's own_words words (all words of the pair)."""
    return any(words <= tokens_of(text) for words in own_words)


def _content(tree: Tree, line: int) -> str:
    """Return the text of a line; "" for a button named by a word, which names an action and is no data.

    A button named by a number is data: a page, a day.
    """
    text = _text(tree, line)
    return "" if tree.roles[line] in _VERBS and _LETTER.search(text) else text


def _text(tree: Tree, line: int) -> str:
    """Return the name or text of a line; "" for editable elements. Values of fields do not count."""
    if "editable" in tree.states.get(line, ""):
        return ""
    return tree.names[line] if tree.roles[line] in OPERABLE else text_of_line(tree, line)


def _collect_tokens(tree: Tree, lines: range, text_of: LineText) -> set[str]:
    """Return the words in the texts of these lines. `text_of`: returns the text of one line."""
    return {token for line in lines for token in tokens_of(text_of(tree, line))}


def _join_words(tree: Tree, lines: range, text_of: LineText) -> str:
    """Return "=" and the words of these lines, in order. `text_of`: returns the text of a line."""
    return _WHOLE + " ".join(word for line in lines for word in _split(text_of(tree, line)))


def _get_or_find(cache: dict[int, Found], index: int, find: Callable[[], Found]) -> Found:
    """Return `cache[index]`; the first time, call `find` and store its result there."""
    if index not in cache:
        cache[index] = find()
    return cache[index]


def find_redrawn(old: Lists, line: int, new: Lists, candidates: Sequence[int]) -> int:
    """Find the element redrawn in place of that on `line`; -1 if none or several `candidates` may be it.

    candidates: lines of the new tree with the line's role and name, in its document, that were not there before
    """
    found = [other for other in candidates if _is_in_place(old, line, new, other)]
    return found[0] if len(found) == 1 else -1


def _is_in_place(old: Lists, line: int, new: Lists, other: int) -> bool:
    """Return whether line `other` of the new tree has the position of `line` in the old one.

    That is the same position in the same record, or else each must be the only line with its role and name.
    """
    if _parts_around(old.tree, line) != _parts_around(new.tree, other):
        return False
    was, now = _identifying_record(old, line), _identifying_record(new, other)
    if was is None:
        return _is_only_one(old.tree, line) and _is_only_one(new.tree, other)
    if now is None or was.kind != now.kind or was.index_among_role(line) != now.index_among_role(other):
        return False
    return was.own_words(was.index) == now.own_words(now.index)


def _identifying_record(lists: Lists, line: int) -> ListedRecord | None:
    """Return the innermost row or item around a line that has words of its own; None for none."""
    return next((record for record in lists.records(line) if record.own_words(record.index)), None)


def _is_only_one(tree: Tree, line: int) -> bool:
    """Return whether no other line of the tree has the line's role and name."""
    role_and_name = tree.roles[line], tree.names[line]
    return list(zip(tree.roles, tree.names, strict=True)).count(role_and_name) == 1


def _parts_around(tree: Tree, line: int) -> list[tuple[str, str]]:
    """Return (role, name) of the sections and items around a line, innermost first. Items get "" as name.

    Callers compare items by their words.
    """
    parts = []
    for above in tree.ancestors(line):
        role = tree.roles[above]
        if role in SECTIONS:
            parts.append((role, tree.names[above]))
        elif role in ITEMS:
            parts.append((role, ""))
    return parts
