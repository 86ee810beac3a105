"""Tell by its marks whether a field that has the right label is another field than the expected one.

What a field takes is told by its test id, its id and its `name`; a label is words, and words move. After a release all marks may have a
prefix, a suffix or another case (`id_sku`, `new-id_sku`, `productSku`), so marks are compared by the words in them.
Where marks say nothing at all, the label alone tells a field, unless the server is told a `name` without a word of the expected one.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from gstack_browse.flows.identity import Identity
from gstack_browse.text.pattern import fold_label

FIELD_MARKS = ("testid", "id", "field")
FEWEST_FIELDS = 4
"""Of fewer fields nobody can say which words of their marks are in most of them."""
SHORTEST_INSIDE = 3
"""Shorter marks are parts of others by chance."""
_FIELD_TAGS = frozenset({"input", "select", "textarea"})
_FIELD_ROLES = frozenset(
    ["textbox", "searchbox", "combobox", "listbox", "spinbutton", "slider", "checkbox", "radio", "switch"]
)
CHOICES = ("radio", "checkbox")
_CHOICE_ROLES = frozenset({*CHOICES, "switch", "option"})
_CASE_CHANGE = re.compile(r"(?<=[^\W\d_A-Z])(?=[A-Z])")
_WORD = re.compile(r"[^\W\d_]+|[0-9]+")
_DIGITS = re.compile(r"[0-9]+")


def is_field(identity: Identity) -> bool:
    """Return whether an element takes a value, as a field of HTML or by its role."""
    return identity.role in _FIELD_ROLES or (identity.tag in _FIELD_TAGS and identity.role != "button")


def compared_name(identity: Identity) -> str:
    """Return the name of an element for comparison: of a field without a colon or a star behind it.

    Choices keep them: of two grades one may be A, and the other one A*.
    """
    has_label = is_field(identity) and identity.role not in _CHOICE_ROLES
    return (fold_label(identity.name) if has_label else "") or identity.name


def lacks_marks(expected: Identity, found: Identity) -> bool:
    """Return whether a field has none of the marks of the expected one."""
    shared = set(expected.shared)
    if expected.type in CHOICES and (expected.id or expected.testid):
        shared.add("field")  # choices of one group share their name
    marks = [name for name in FIELD_MARKS if getattr(expected, name) and name not in shared]
    return (
        is_field(expected) and bool(marks) and not any(_has_equal_mark(expected, found, name) for name in marks)
    )


def find_likelier(expected: Identity, found: Identity, everywhere: Iterable[Identity]) -> Identity | None:
    """Return a field of another label whose marks are more like the expected one's than those of `found`."""
    if not lacks_marks(expected, found):
        return None
    names = {expected.name.casefold(), found.name.casefold()}
    fields = [
        each
        for each in everywhere
        if is_field(each) and (each.tag == expected.tag or each.role == expected.role)
    ]
    rivals = [each for each in fields if each.name.casefold() not in names]
    evidence = {
        name: _Evidence(expected, name, [found, *rivals]) for name in FIELD_MARKS if getattr(expected, name)
    }
    for rival in rivals:
        against = any(each.find_agreements(rival) - each.find_agreements(found) for each in evidence.values())
        if against and not any(
            each.find_agreements(found) - each.find_agreements(rival) for each in evidence.values()
        ):
            return rival
    return None


class _Evidence:
    """The evidence that one mark of fields gives. `fields`: those of the page."""

    def __init__(self, expected: Identity, name: str, fields: Sequence[Identity]) -> None:
        self._name = name
        self._mine = getattr(expected, name)
        marks = [mark for each in fields if (mark := getattr(each, name))]
        counts = Counter(word for mark in marks for word in set(split_words(mark)))
        self._frequent = {word for word, count in counts.items() if _is_majority(count, len(marks))}
        stem = _DIGITS.sub("0", self._mine)
        alike = sum(_DIGITS.sub("0", mark) == stem for mark in marks)
        self._is_counted = name == "id" and stem != self._mine and _is_majority(alike, len(marks))
        """Whether a library has numbered the fields: one more in front, and each has the next one's id."""

    def find_agreements(self, field: Identity) -> set[str]:
        """Return the words that this mark of a field shares with the expected mark, and other agreements."""
        theirs = getattr(field, self._name)
        if self._is_counted or not theirs:
            return set()
        found = (set(split_words(self._mine)) & set(split_words(theirs))) - self._frequent
        if self._mine == theirs:
            found.add("equal")
        one, other = ("".join(split_words(each)) for each in (self._mine, theirs))
        if min(len(one), len(other)) >= SHORTEST_INSIDE and (one in other or other in one):
            found.add("inside")
        return found


def _is_majority(count: int, total: int) -> bool:
    """Return whether a count is more than half of at least FEWEST_FIELDS fields."""
    return total >= FEWEST_FIELDS and 2 * count > total


def split_words(mark: str) -> Iterator[str]:
    """Split a mark into its words and numbers: `productSku-2` is product, sku and 2."""
    return (word.casefold() for word in _WORD.findall(_CASE_CHANGE.sub(" ", mark)))


def _has_equal_mark(expected: Identity, found: Identity, name: str) -> bool:
    """Return whether two fields have the same mark; `name`: of the mark."""
    return bool(getattr(expected, name) == getattr(found, name))
