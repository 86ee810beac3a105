"""Parse words that name an element, or alternatively a time, distance, URL or file. Pure."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from gstack_browse.errors import Refused, UsageError
from gstack_browse.registry.values.measures import (
    Clip,
    Point,
    is_distance,
    parse_clip,
    parse_distance,
    parse_whole_number,
)
from gstack_browse.registry.values.paths import (
    IMAGE_SUFFIXES,
    CallerPaths,
    parse_file_for_page,
    parse_openable_url,
    parse_output_file,
)

_REF = r"@[ec][0-9]+\Z"
_BARE_REF = r"[ec][0-9]+\Z"
"""A ref as Playwright's own tools write it. No element of HTML is called so."""


def normalise_target(word: str) -> str:
    """Return a selector or ref (@e3) in its usual form: without blanks around it, `@e3` for `e3`.

    Raises UsageError if it is empty, or begins with @ and is no ref.
    """
    found = word.strip()
    if re.match(_BARE_REF, found):
        return f"@{found}"
    if not found:
        raise UsageError(
            "The target is empty", "Give a CSS selector, text=…, role=…, label=… or a ref such as @e3"
        )
    ref, inside, selector = found.partition(">>")
    if found.startswith("@") and not (re.match(_REF, ref.strip()) and bool(inside) == bool(selector.strip())):
        raise UsageError(f'"{found}" is not a ref', "Refs look like @e3 or @c1; run 'snapshot -i' to see them")
    return found


def parse_target_or_milliseconds(word: str, _paths: CallerPaths) -> str | int:
    """Parse a whole number as milliseconds, any other word as a target (selector or ref)."""
    if re.fullmatch(r"[0-9]+", word):
        return parse_whole_number(word, least=0, most=300_000, unit="milliseconds")
    return normalise_target(word)


class Address(str):
    """A URL typed where a target was allowed, too."""


def parse_target_or_distance(word: str, paths: CallerPaths) -> str | Point:
    """Parse two numbers such as "120,-40" as a distance, any other word as a target (selector or ref)."""
    return parse_distance(word, paths) if is_distance(word) else normalise_target(word)


def parse_target_or_rectangle(word: str, paths: CallerPaths) -> str | Clip:
    """Parse four numbers such as "0,0,400,300" as a rectangle, other words as a target (selector or ref)."""
    return (
        parse_clip(word, paths)
        if re.fullmatch(r"\s*[0-9.]+(?:,\s*[0-9.]+){3}\s*", word)
        else normalise_target(word)
    )


_ADDRESS = r"(?i)[a-z][a-z0-9+.-]*://|data:|blob:|javascript:|about:|[a-z0-9.-]+:[0-9]{1,5}/|[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}/"


def parse_target_or_url(word: str, paths: CallerPaths) -> str:
    """Parse a word as a URL if it has a scheme, or is a host with a port or path; else as a target.

    The URL is returned as Address. Raises UsageError and Refused.
    """
    if not re.match(_ADDRESS, word.strip()):
        return normalise_target(word)
    url = parse_openable_url(word, paths)
    if not url.startswith(("http:", "https:")):
        raise Refused(f"{url.partition(':')[0]}: addresses are not downloaded", "Allowed: http and https")
    return Address(url)


_SELECTOR_START = r"[@.#\[*:]|//|\(/|[A-Za-z][\w:-]*="
_HIDDEN_DIRECTORY = r"\.[\w.-]*/"
"""A path such as `.gstack/a.png` or `../a.png`: the name of a class holds no slash."""
_SELECTOR_INSIDE = r"[#\[\]>:~+*]|\s|\w\.\w"
_OTHER_FILE = r"(?i)\.(?:gif|bmp|tiff?|svg|avif|pdf|txt|md|html?|json)\Z"
"""A file of another kind rather than a class of that name."""


_TAGS = frozenset((
    "article", "aside", "body", "canvas", "dialog", "figure", "footer", "form", "header", "html", "iframe", "main",
    "nav", "section", "svg", "table", "video",
))  # fmt: skip
"""Names of elements that one pictures; any other word may be a file whose ending was forgotten."""

STANDARD_OUTPUT = Path("-")


def parse_screenshot_word(word: str, paths: CallerPaths) -> str | Path:
    """Parse a word of `screenshot`: a target (ref or selector), a path of a picture, or `-`.

    Targets are returned as str, paths as Path. Raises UsageError and what `parse_output_file` raises.
    """
    if word == "-":
        return STANDARD_OUTPUT
    if re.match(_BARE_REF, word) or (re.match(_SELECTOR_START, word) and not re.match(_HIDDEN_DIRECTORY, word)):
        return normalise_target(word)
    if word.lower().endswith(IMAGE_SUFFIXES):
        return parse_output_file(word, paths)
    if word in _TAGS:
        return normalise_target(word)
    if re.search(_SELECTOR_INSIDE, word) and "/" not in word and not re.search(_OTHER_FILE, word):
        return normalise_target(word)
    raise UsageError(
        f'"{word}" is neither a selector nor a path ending in {", ".join(IMAGE_SUFFIXES)}',
        f"For an element write 'css={word}', for a file '{word}.png'",
    )


MOST_FIELDS = 500
EXAMPLE = """For example: '{"@e2": "Ann", "label=Agree": true, "#colours": ["Red", "Blue"], "#cv": {"file": "cv.pdf"}}'"""


class Files:
    """The files for a field."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self.paths = paths


class StoredSecret:
    """The stored secret for a field, by the name that `secret-set` gave it."""

    def __init__(self, name: str) -> None:
        self.name = name


FieldValue = bool | str | tuple[str, ...] | Files | StoredSecret
"""Checked or not; a text, or the option of a list; the options of a list, none too; files; a kept secret."""


class FormField(NamedTuple):
    """The target of a form's field as typed, and the value for it."""

    target: str
    value: FieldValue


class FormFields(tuple[FormField, ...]):
    """The fields of a form, in the order in which they are filled."""

    lists: frozenset[str] = frozenset()
    """Targets of fields that offer options, once the page was asked: what is chosen there is no secret."""

    @property
    def secrets(self) -> list[str]:
        """Return the typed texts that may be secret: all for fields without fixed options (not in `lists`).

        Until the page was asked which fields have options, these are all texts.
        """
        return [
            field.value for field in self if isinstance(field.value, str) and field.target not in self.lists
        ]


def parse_form_fields(word: str, paths: CallerPaths) -> FormFields:
    """Parse a JSON object, target → value, for `fill-form`. Raises UsageError, Refused and FileFailed."""
    import json  # no part of a start

    if word.lstrip()[:1] == "[":  # not parsed: a megabyte of lists takes long
        raise UsageError("The fields are one JSON object, of targets and values", EXAMPLE)
    try:
        pairs = json.loads(
            word, object_pairs_hook=_Pairs, parse_int=str, parse_float=str, parse_constant=_refuse_constant
        )
    except (ValueError, RecursionError) as error:
        raise UsageError(f"The fields are not JSON: {error}", EXAMPLE) from None
    if not isinstance(pairs, _Pairs) or not pairs:
        raise UsageError("The fields are one JSON object, of targets and values", EXAMPLE)
    if len(pairs) > MOST_FIELDS:
        raise UsageError(f"fill-form takes at most {MOST_FIELDS} fields, not {len(pairs)}")
    fields = [
        FormField(normalise_target(target), _parse_field_value(target, value, paths)) for target, value in pairs
    ]
    targets = [field.target for field in fields]
    if twice := next((target for target in targets if targets.count(target) > 1), ""):
        raise UsageError(f"{twice} is given twice")
    return FormFields(fields)


class _Pairs(list[tuple[str, Any]]):
    """A JSON object as a list of pairs, which keeps repeated names."""


def _refuse_constant(constant: str) -> None:
    """Raise ValueError for NaN and Infinity, which Python's JSON parser would accept."""
    raise ValueError(f"{constant} is no value")


def _parse_field_value(target: str, value: Any, paths: CallerPaths) -> FieldValue:
    """Convert a form field's JSON value. `target`: the field, for errors. Raises UsageError, FileFailed."""
    if isinstance(value, bool | str):
        return value
    if isinstance(value, _Pairs) and [name for name, _ in value] == ["file"]:
        return Files([parse_file_for_page(name, paths) for name in _parse_string_list(target, value[0][1])])
    if isinstance(value, _Pairs) and [name for name, _ in value] == ["secret"] and isinstance(value[0][1], str):
        return StoredSecret(value[0][1])
    if isinstance(value, list) and not isinstance(value, _Pairs):
        return tuple(_parse_string_list(target, value))
    raise UsageError(
        f"{target[:100]} has no value that a field can get",
        f'A text ("" clears), a number, true or false, a list of options, a file, or {{"secret": "name"}}. {EXAMPLE}',
    )


def _parse_string_list(target: str, value: Any) -> list[str]:
    """Return a JSON list's strings; a single string as a list of one. `target`: the field, for errors.

    Raises UsageError for anything but strings.
    """
    words = value if isinstance(value, list) else [value]
    if not all(isinstance(word, str) for word in words):
        raise UsageError(f"The list for {target[:100]} is to consist of words", EXAMPLE)
    return words
