"""Parse the fields and values of `fill-form` from JSON. Pure but for the rules for files."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from gstack_browse.errors import UsageError
from gstack_browse.registry.paths import CallerPaths, page_file

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
    """A field as it was named, and the value for it."""

    target: str
    value: FieldValue


class FormFields(tuple[FormField, ...]):
    """The fields of a form, in the order in which they are filled."""

    @property
    def secrets(self) -> list[str]:
        """All values: it is unknown which field is for a secret before the page is asked."""
        return [field.value for field in self if isinstance(field.value, str)]


def parse_form_fields(
    word: str, paths: CallerPaths, target_of: Callable[[str, CallerPaths], str]
) -> FormFields:
    """Parse the fields of a JSON object. `target_of` checks a target as typed.

    Raises UsageError, Refused and FileFailed.
    """
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
        FormField(target_of(target, paths), _parse_value(target, value, paths)) for target, value in pairs
    ]
    if twice := _find_repeated([field.target for field in fields]):
        raise UsageError(f"{twice} is given twice")
    return FormFields(fields)


class _Pairs(list[tuple[str, Any]]):
    """A JSON object as a list of pairs, which keeps repeated names."""


def _refuse_constant(constant: str) -> None:
    raise ValueError(f"{constant} is no value")


def _parse_value(target: str, value: Any, paths: CallerPaths) -> FieldValue:
    if isinstance(value, bool | str):
        return value
    if isinstance(value, _Pairs) and [name for name, _ in value] == ["file"]:
        return Files([page_file(name, paths) for name in _parse_words(target, value[0][1])])
    if isinstance(value, _Pairs) and [name for name, _ in value] == ["secret"] and isinstance(value[0][1], str):
        return StoredSecret(value[0][1])
    if isinstance(value, list) and not isinstance(value, _Pairs):
        return tuple(_parse_words(target, value))
    raise UsageError(
        f"{target[:100]} has no value that a field can get",
        f'A text ("" clears), a number, true or false, a list of options, a file, or {{"secret": "name"}}. {EXAMPLE}',
    )


def _parse_words(target: str, value: Any) -> list[str]:
    words = value if isinstance(value, list) else [value]
    if not all(isinstance(word, str) for word in words):
        raise UsageError(f"The list for {target[:100]} is to consist of words", EXAMPLE)
    return words


def _find_repeated(words: Sequence[str]) -> str:
    return next((word for word in words if words.count(word) > 1), "")
