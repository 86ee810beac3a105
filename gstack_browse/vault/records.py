"""What is known of a secret, and how it is written down. Pure; the value is in no `repr`."""

import re
from dataclasses import dataclass, field
from typing import Any

from gstack_browse.errors import UsageError

MOST_CHARACTERS = 10_000
_NAME = r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}\Z"


@dataclass(frozen=True)
class Secret:
    """A secret: filled in only on pages of `origins`. `is_totp`: the value is a key of which codes are made."""

    name: str
    origins: tuple[str, ...]
    value: str = field(repr=False)
    is_totp: bool = False


def checked_name(word: str) -> str:
    """A name for a secret. Raises UsageError."""
    if not re.match(_NAME, word):
        raise UsageError(f'"{word[:60]}" is no name for a secret', "Letters, digits, and . _ - between them")
    return word


def from_fields(name: str, fields: Any) -> Secret | None:
    """A secret as a file or a keyring holds it; None for what is none."""
    if not (isinstance(fields, dict) and isinstance(fields.get("value"), str) and re.match(_NAME, name)):
        return None
    origins = fields.get("origins")
    if not (isinstance(origins, list) and origins and all(isinstance(origin, str) for origin in origins)):
        return None
    return Secret(name, tuple(origins), fields["value"], fields.get("totp") is True)


def fields_of(secret: Secret) -> dict[str, Any]:
    """What is written down of a secret, beside its name."""
    return {"origins": list(secret.origins), "totp": secret.is_totp, "value": secret.value}
