"""Describe an element by a note below a flow's step, and compare fields by their attributes.

#@ textbox "Email" tag=input id=email name=email near="Account" in="form "Sign in"<main" order=1/2

The engine describes elements (`engine/scripts/selectors/identity.js`); `matching` compares them. A note has what a
person can judge in a diff: never a value of a field.

A field is identified by its test id, its id and its `name`, rather than by its label, whose words change. A release
may give these attributes a prefix, a suffix or another case (`id_sku`, `new-id_sku`, `productSku`), so they are
compared by the words in them. If they have no word in common with any field, the label alone identifies the field,
unless its `name` differs from the expected one in all words.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from gstack_browse.errors import UsageError
from gstack_browse.text.pattern import fold_label
from gstack_browse.text.sanitise import one_line

NOTE_PREFIX = "#@"
_LESS_THAN = "‹"
"""Stands in notes for a sign that separates the texts of a list there."""
MOST_TEXT = 120
MOST_ANCESTORS = 8
_FIELD = re.compile(r'([a-z]+)=("(?:[^"\\]|\\.)*"|[^\s"]+)(?:\s+|\Z)')
_HEAD = re.compile(r'([a-zA-Z][a-zA-Z-]*|-)\s+("(?:[^"\\]|\\.)*")(?:\s+|\Z)')
_BARE = re.compile(r"[A-Za-z0-9_./:-]+\Z")
_ORDER = re.compile(r"([1-9][0-9]{0,5})/([1-9][0-9]{0,5})\Z")


@dataclass(frozen=True)
class Identity:
    """An element as it was when a step acted on it. Empty strings: the element has nothing of the kind."""

    role: str = ""
    name: str = ""
    tag: str = ""
    testid: str = ""
    id: str = ""
    field: str = ""
    """The attribute `name` of a field; of a radio button or checkbox with its value, as `way=express`, if that has no digit."""
    type: str = ""
    href: str = ""
    """A link's address without query and fragment; "?" at its end: it has one of them, so the rest may be other links', too."""
    hint: str = ""
    """A field's placeholder, or a title."""
    near: str = ""
    """Text around the element that is not its own."""
    around: str = ""
    """Text of the largest box around one of several alike that has no other of them in it; only where its place alone tells it."""
    within: tuple[str, ...] = ()
    """Named parts of the page around the element, the innermost first: `form "Sign in"`."""
    dialog: str = ""
    """What the dialog around a button says, if that has no name."""
    order: tuple[int, int] = (0, 0)
    """Its place among the elements of the same role and name, and how many these are; (0, 0): unknown."""
    shared: tuple[str, ...] = ()
    """Names of fields of this class: the marks that other elements had, too."""
    chosen: tuple[str, ...] = ()
    """Labels of the options that `select` chose, in the order of its words. Not of the element: the step's."""

    @property
    def label(self) -> str:
        """Return the element in a few words: `button "Sign in"`."""
        return f"{self.role or self.tag or 'element'} {json.dumps(self.name, ensure_ascii=False)}"


_KEYS = {
    key: key for key in ("tag", "testid", "id", "name", "type", "href", "hint", "near", "around", "dialog")
}
_KEYS["name"] = "field"
"""Key in a note → field of Identity that is a text."""
_OTHER_KEYS = {"in": "within", "order": "order", "shared": "shared", "chosen": "chosen"}
ATTRIBUTES = ("testid", "id", "field", "href")
"""Fields of Identity that tell an element without its words."""
_TEXTS = frozenset({"role", "name", *_KEYS.values()})
assert {field.name for field in fields(Identity)} >= _TEXTS


def from_engine(description: Mapping[str, Any]) -> Identity:
    """Make an identity of the page engine's description of an element, its texts cut to one line."""
    texts = {name: one_line(str(description.get(name) or ""), MOST_TEXT) for name in _TEXTS}
    ancestors = (one_line(str(each), MOST_TEXT) for each in description.get("within", ())[:MOST_ANCESTORS])
    # a name that cannot be seen, such as a lone U+FEFF, is none
    within = tuple(each.replace("<", _LESS_THAN) for each in ancestors if each)
    place, count = description.get("order") or (0, 0)
    shared = tuple(name for name in ATTRIBUTES if name in description.get("shared", ()))
    return Identity(**texts, within=within, order=(int(place), int(count)), shared=shared, chosen=())


def with_chosen(identity: Identity, labels: Sequence[str]) -> Identity:
    """Return the identity with the labels of the options that a step chose in its list."""
    lines = (one_line(label, MOST_TEXT) for label in labels)
    return replace(identity, chosen=tuple(label.replace("<", _LESS_THAN) for label in lines))


def render_note(identity: Identity) -> str:
    """Render an identity as a note (`#@ …`) of a flow file, which `parse_note` reads."""
    parts = [NOTE_PREFIX, identity.role or "-", quote_text(identity.name)]
    for key, name in _KEYS.items():
        if value := getattr(identity, name):
            parts.append(f"{key}={_quote_unless_bare(value)}")
    if identity.within:
        parts.append(f"in={quote_text('<'.join(identity.within))}")
    if identity.chosen:
        joined = "<".join(identity.chosen)
        parts.append(f"chosen={_quote_unless_bare(joined)}")
    if identity.order[1]:
        parts.append(f"order={identity.order[0]}/{identity.order[1]}")
    if identity.shared:
        keys = [key for key, name in _KEYS.items() if name in identity.shared]
        parts.append(f"shared={'/'.join(keys)}")
    return " ".join(parts)


def _quote_unless_bare(text: str) -> str:
    """Return a value of a note, in double quotes if it needs them."""
    return text if _BARE.match(text) else quote_text(text)


def quote_text(text: str) -> str:
    """Return a text in double quotes, escaped as in JSON."""
    return json.dumps(text, ensure_ascii=False)


def parse_note(line: str) -> Identity:
    """Parse a note as `render_note` writes it. Raises UsageError with the column."""
    start = len(line) - len(line.lstrip())
    rest = line[start + len(NOTE_PREFIX) :]
    at = start + len(NOTE_PREFIX) + len(rest) - len(rest.lstrip())
    head = _HEAD.match(line, at)
    if not head:
        raise UsageError(
            f'column {at + 1}: a note begins with a role and a name: {NOTE_PREFIX} button "Sign in"'
        )
    found: dict[str, Any] = {
        "role": "" if head[1] == "-" else head[1],
        "name": _unquote_text(head[2], head.start(2)),
    }
    at = head.end()
    while at < len(line):
        match = _FIELD.match(line, at)
        if not match:
            raise UsageError(f"column {at + 1}: this is no key=value of a note")
        key, value = match[1], match[2]
        text = _unquote_text(value, match.start(2)) if value.startswith('"') else value
        name = _OTHER_KEYS.get(key) or _KEYS.get(key)
        if name is None or name in found:
            raise UsageError(f'column {at + 1}: the key "{key}" is unknown here, or given twice')
        found[name] = _parse_value(name, text, match.start(2))
        at = match.end()
    return Identity(**found)


def _parse_value(name: str, text: str, at: int) -> Any:
    """Parse the value of a field of Identity. `at`: index of the text in the line, for messages."""
    if name == "within":
        return tuple(filter(None, text.split("<")))[:MOST_ANCESTORS]
    if name == "chosen":
        return tuple(text.split("<"))
    if name == "shared":
        marks = tuple(_KEYS.get(key, "") for key in text.split("/"))
        if not set(marks) <= set(ATTRIBUTES):
            raise UsageError(f"column {at + 1}: shared marks are of testid, id, name and href, as testid/href")
        return marks
    if name == "order":
        if not (order := _ORDER.match(text)):
            raise UsageError(f"column {at + 1}: an order is a place and a number, as 1/3")
        return int(order[1]), int(order[2])
    return text


def _unquote_text(text: str, at: int) -> str:
    """Return the text of a quotation. Raises UsageError with the column `at` + 1."""
    try:
        value = json.loads(text, strict=False)
    except ValueError:
        raise UsageError(f"column {at + 1}: the quotation is not JSON") from None
    return str(value)


FIELD_ATTRIBUTES = ("testid", "id", "field")
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


def shares_field(identity: Identity) -> bool:
    """Return whether an element is one of a group of choices with one `name`, and no value tells which."""
    return identity.type in CHOICES and "=" not in identity.field


def compared_name(identity: Identity) -> str:
    """Return an element's name as it is compared: a field's without the colon or star behind it.

    Radio buttons and the like keep them: of two grades one may be A, and the other one A*.
    """
    has_label = is_field(identity) and identity.role not in _CHOICE_ROLES
    return (fold_label(identity.name) if has_label else "") or identity.name


def lacks_attributes(expected: Identity, found: Identity) -> bool:
    """Return whether a field has neither the test id nor the id nor the `name` of the expected one.

    Attributes that other fields shared do not count; False if no others are left.
    """
    shared = set(expected.shared)
    if shares_field(expected) and (expected.id or expected.testid):
        shared.add("field")
    marks = [name for name in FIELD_ATTRIBUTES if getattr(expected, name) and name not in shared]
    return (
        is_field(expected)
        and bool(marks)
        and not any(getattr(expected, name) == getattr(found, name) for name in marks)
    )


def find_likelier_field(expected: Identity, found: Identity, everywhere: Iterable[Identity]) -> Identity | None:
    """Find a field with another label, more like the expected one than `found` by test id, id and `name`.

    `found`: the field that the selector finds. `everywhere`: all elements of the page. None if there is no such field.
    """
    if not lacks_attributes(expected, found):
        return None
    names = {expected.name.casefold(), found.name.casefold()}
    rivals = [
        each
        for each in everywhere
        if is_field(each)
        and (each.tag == expected.tag or each.role == expected.role)
        and each.name.casefold() not in names
    ]
    marks = [name for name in FIELD_ATTRIBUTES if getattr(expected, name)]
    evidence = [_Evidence(expected, name, [found, *rivals]) for name in marks]
    for rival in rivals:
        agreements = [(each.find_agreements(rival), each.find_agreements(found)) for each in evidence]
        is_likelier = any(theirs - own for theirs, own in agreements)
        if is_likelier and not any(own - theirs for theirs, own in agreements):
            return rival
    return None


class _Evidence:
    """How fields of a page compare with the expected one in one attribute (test id, id or `name`)."""

    def __init__(self, expected: Identity, name: str, fields: Sequence[Identity]) -> None:
        self._name = name
        self._mine = getattr(expected, name)
        values = [value for each in fields if (value := getattr(each, name))]
        counts = Counter(word for value in values for word in set(split_words(value)))
        self._frequent = {word for word, count in counts.items() if _is_majority(count, len(values))}
        stem = _DIGITS.sub("0", self._mine)
        alike = sum(_DIGITS.sub("0", value) == stem for value in values)
        self._is_counted = name == "id" and stem != self._mine and _is_majority(alike, len(values))
        """Whether a library has numbered the fields: one more in front, and each has the next one's id."""

    def find_agreements(self, field: Identity) -> set[str]:
        """Return the words that this attribute of `field` shares with the expected field's.

        Words of most fields, and numbered ids, do not count. "equal" is added if the two are equal, "inside" if one is part of the
        other.
        """
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


def split_words(value: str) -> Iterator[str]:
    """Split an attribute into its words and numbers: `productSku-2` is product, sku and 2."""
    return (word.casefold() for word in _WORD.findall(_CASE_CHANGE.sub(" ", value)))
