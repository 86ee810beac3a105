"""A secret as a record, and its form in a file or a keyring. Pure; no `repr` shows the value."""

import re
from dataclasses import dataclass, field
from typing import Any

from gstack_browse.errors import UsageError

MOST_CHARACTERS = 10_000
_NAME = r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}\Z"


@dataclass(frozen=True)
class Secret:
    """A secret, filled in only on pages of `origins`. `is_totp`: the value is the key of one-time codes."""

    name: str
    origins: tuple[str, ...]
    value: str = field(repr=False)
    is_totp: bool = False


def check_name(word: str) -> str:
    """Return `word` if it can name a secret; raise UsageError otherwise."""
    if not re.match(_NAME, word):
        raise UsageError(f'"{word[:60]}" is no name for a secret', "Letters, digits, and . _ - between them")
    return word


def parse_secret(name: str, fields: Any) -> Secret | None:
    """Return the secret from the fields of a file or keyring; None if they are malformed."""
    if not (isinstance(fields, dict) and isinstance(fields.get("value"), str) and re.match(_NAME, name)):
        return None
    origins = fields.get("origins")
    if not (isinstance(origins, list) and origins and all(isinstance(origin, str) for origin in origins)):
        return None
    return Secret(name, tuple(origins), fields["value"], fields.get("totp") is True)


def to_fields(secret: Secret) -> dict[str, Any]:
    """Return a secret's fields for a file or keyring, without its name."""
    return {"origins": list(secret.origins), "totp": secret.is_totp, "value": secret.value}
