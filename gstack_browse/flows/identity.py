"""Identify an element of a page, and write that as a note below a flow's step.

    #@ textbox "Email" tag=input id=email name=email near="Account" in="form \"Sign in\"<main" order=1/2

The engine describes elements (`engine/scripts/selectors/identity.js`); `matching` compares them. A note has what a person can judge in a
diff: never a value of a field.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from gstack_browse.errors import UsageError
from gstack_browse.text.sanitise import one_line

MARK = "#@"
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
    """The attribute `name` of a field."""
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
    order: tuple[int, int] = (0, 0)
    """Its place among the elements of the same role and name, and how many these are; (0, 0): unknown."""
    shared: tuple[str, ...] = ()
    """Names of fields of this class: the marks that other elements had, too."""
    chosen: tuple[str, ...] = ()
    """Labels of the options that `select` chose, in the order of its words. Not of the element: the step's."""
    box: tuple[int, int, int, int] = (0, 0, 0, 0)
    """Left, top, width and height in the document. Not in notes: a box says nothing to a reader."""

    @property
    def label(self) -> str:
        """The element in a few words: `button "Sign in"`."""
        return f"{self.role or self.tag or 'element'} {json.dumps(self.name, ensure_ascii=False)}"


_KEYS = {
    "tag": "tag",
    "testid": "testid",
    "id": "id",
    "name": "field",
    "type": "type",
    "href": "href",
    "hint": "hint",
    "near": "near",
    "around": "around",
}
"""Key in a note → field of Identity that is a text."""
_OTHER_KEYS = {"in": "within", "order": "order", "shared": "shared", "chosen": "chosen"}
MARKS = ("testid", "id", "field", "href")
"""Fields of Identity that tell an element without its words."""
_TEXTS = frozenset({"role", "name", *_KEYS.values()})
assert {field.name for field in fields(Identity)} >= _TEXTS


def from_engine(description: Mapping[str, Any]) -> Identity:
    """Return the identity that the engine tells; every text becomes one bounded line."""
    texts = {name: one_line(str(description.get(name) or ""), MOST_TEXT) for name in _TEXTS}
    ancestors = (one_line(str(each), MOST_TEXT) for each in description.get("within", ())[:MOST_ANCESTORS])
    # a name that cannot be seen, such as a lone U+FEFF, is none
    within = tuple(each.replace("<", _LESS_THAN) for each in ancestors if each)
    place, count = description.get("order") or (0, 0)
    shared = tuple(name for name in MARKS if name in description.get("shared", ()))
    left, top, width, height = (round(number) for number in description.get("box") or (0, 0, 0, 0))
    box = left, top, width, height
    return Identity(**texts, within=within, order=(int(place), int(count)), shared=shared, chosen=(), box=box)


def with_chosen(identity: Identity, labels: Sequence[str]) -> Identity:
    """Return an identity with the labels of the options that a step chose."""
    lines = (one_line(label, MOST_TEXT) for label in labels)
    return replace(identity, chosen=tuple(label.replace("<", _LESS_THAN) for label in lines))


def render_note(identity: Identity) -> str:
    """Return the note that `parse_note` reads."""
    parts = [MARK, identity.role or "-", _quote_text(identity.name)]
    for key, name in _KEYS.items():
        if value := getattr(identity, name):
            parts.append(f"{key}={value if _BARE.match(value) else _quote_text(value)}")
    if identity.within:
        parts.append(f"in={_quote_text('<'.join(identity.within))}")
    if identity.chosen:
        joined = "<".join(identity.chosen)
        parts.append(f"chosen={joined if _BARE.match(joined) else _quote_text(joined)}")
    if identity.order[1]:
        parts.append(f"order={identity.order[0]}/{identity.order[1]}")
    if identity.shared:
        keys = [key for key, name in _KEYS.items() if name in identity.shared]
        parts.append(f"shared={'/'.join(keys)}")
    return " ".join(parts)


def _quote_text(text: str) -> str:
    """Return a text in double quotes, escaped as in JSON."""
    return json.dumps(text, ensure_ascii=False)


def parse_note(line: str) -> Identity:
    """Parse a note. Raises UsageError with the column."""
    start = len(line) - len(line.lstrip())
    rest = line[start + len(MARK) :]
    at = start + len(MARK) + len(rest) - len(rest.lstrip())
    head = _HEAD.match(line, at)
    if not head:
        raise UsageError(f'column {at + 1}: a note begins with a role and a name: {MARK} button "Sign in"')
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
    """Return the value for a field of Identity. `at`: where its text begins in the line."""
    if name == "within":
        return tuple(filter(None, text.split("<")))[:MOST_ANCESTORS]
    if name == "chosen":
        return tuple(text.split("<"))
    if name == "shared":
        marks = tuple(_KEYS.get(key, "") for key in text.split("/"))
        if not set(marks) <= set(MARKS):
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
