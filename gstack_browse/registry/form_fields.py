"""What `fill-form` is given: fields and the values that they are to get, as JSON. Pure but for the rules for files."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from gstack_browse.errors import UsageError
from gstack_browse.registry.paths import CallerPaths, page_file

MOST_FIELDS = 500
EXAMPLE = """For example: '{"@e2": "Ann", "label=Agree": true, "#colours": ["Red", "Blue"], "#cv": {"file": "cv.pdf"}}'"""


class Files:
    """The files that a field gets."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self.paths = paths


class KeptSecret:
    """The secret that a field gets, by the name that `secret-set` has given it."""

    def __init__(self, name: str) -> None:
        self.name = name


FieldValue = bool | str | tuple[str, ...] | Files | KeptSecret
"""Checked or not; a text, or the option of a list; the options of a list, none too; files; a kept secret."""


class FormField(NamedTuple):
    """A field as it was named, and what it is to get."""

    target: str
    value: FieldValue


class FormFields(tuple[FormField, ...]):
    """The fields of a form, in the order in which they are filled."""

    @property
    def secrets(self) -> list[str]:
        """All that is typed: which of the fields is for a secret is not known before the page is asked."""
        return [field.value for field in self if isinstance(field.value, str)]


def form_fields(word: str, paths: CallerPaths, target_of: Callable[[str, CallerPaths], str]) -> FormFields:
    """The fields in a JSON object. `target_of` checks a target as it was typed. Raises UsageError, Refused and FileFailed."""
    import json  # no part of a start

    if word.lstrip()[:1] == "[":  # not parsed: a megabyte of lists takes long
        raise UsageError("The fields are one JSON object, of targets and values", EXAMPLE)
    try:
        pairs = json.loads(
            word, object_pairs_hook=_Pairs, parse_int=str, parse_float=str, parse_constant=_refused
        )
    except (ValueError, RecursionError) as error:
        raise UsageError(f"The fields are not JSON: {error}", EXAMPLE) from None
    if not isinstance(pairs, _Pairs) or not pairs:
        raise UsageError("The fields are one JSON object, of targets and values", EXAMPLE)
    if len(pairs) > MOST_FIELDS:
        raise UsageError(f"fill-form takes at most {MOST_FIELDS} fields, not {len(pairs)}")
    fields = [FormField(target_of(target, paths), _value(target, value, paths)) for target, value in pairs]
    if twice := _repeated([field.target for field in fields]):
        raise UsageError(f"{twice} is given twice")
    return FormFields(fields)


class _Pairs(list[tuple[str, Any]]):
    """An object of JSON as it is written: a name that stands there twice is not lost."""


def _refused(constant: str) -> None:
    raise ValueError(f"{constant} is no value")


def _value(target: str, value: Any, paths: CallerPaths) -> FieldValue:
    if isinstance(value, bool | str):
        return value
    if isinstance(value, _Pairs) and [name for name, _ in value] == ["file"]:
        return Files([page_file(name, paths) for name in _words(target, value[0][1])])
    if isinstance(value, _Pairs) and [name for name, _ in value] == ["secret"] and isinstance(value[0][1], str):
        return KeptSecret(value[0][1])
    if isinstance(value, list) and not isinstance(value, _Pairs):
        return tuple(_words(target, value))
    raise UsageError(
        f"{target[:100]} has no value that a field can get",
        f'A text ("" clears), a number, true or false, a list of options, a file, or {{"secret": "name"}}. {EXAMPLE}',
    )


def _words(target: str, value: Any) -> list[str]:
    words = value if isinstance(value, list) else [value]
    if not all(isinstance(word, str) for word in words):
        raise UsageError(f"The list for {target[:100]} is to consist of words", EXAMPLE)
    return words


def _repeated(words: Sequence[str]) -> str:
    return next((word for word in words if words.count(word) > 1), "")
