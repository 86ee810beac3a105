"""A secret as a record, and its form in a file or a keyring. Pure; no `repr` shows the value."""

import re
from dataclasses import dataclass, field
from typing import Any

from gstack_browse.errors import UsageError

MOST_CHARACTERS = 10_000
_NAME = r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}\Z"


@dataclass(frozen=True)
class Secret:
    """A secret, which is filled in only on pages of `origins`. `is_totp`: the value is the key of one-time codes."""

    name: str
    origins: tuple[str, ...]
    value: str = field(repr=False)
    is_totp: bool = False


def checked_name(word: str) -> str:
    """The name, if it can be that of a secret. Raises UsageError."""
    if not re.match(_NAME, word):
        raise UsageError(f'"{word[:60]}" is no name for a secret', "Letters, digits, and . _ - between them")
    return word


def from_fields(name: str, fields: Any) -> Secret | None:
    """Read a secret from the fields that a file or a keyring holds; None where they describe no secret."""
    if not (isinstance(fields, dict) and isinstance(fields.get("value"), str) and re.match(_NAME, name)):
        return None
    origins = fields.get("origins")
    if not (isinstance(origins, list) and origins and all(isinstance(origin, str) for origin in origins)):
        return None
    return Secret(name, tuple(origins), fields["value"], fields.get("totp") is True)


def fields_of(secret: Secret) -> dict[str, Any]:
    """The fields of a secret for a file or a keyring, without its name."""
    return {"origins": list(secret.origins), "totp": secret.is_totp, "value": secret.value}
