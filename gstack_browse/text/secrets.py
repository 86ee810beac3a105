"""Recognise secrets among stored values, by their names and their form, and hide them. Pure."""

import json
import re
from collections.abc import Mapping
from typing import Any

from gstack_browse.text.redact import REDACTED
from gstack_browse.text.units import format_count

_SECRET_NAME = re.compile(
    r"token|secret|passw|passphrase|credential|api[-_. ]?key|private[-_. ]?key|access[-_. ]?key|bearer|jwt|csrf|xsrf"
    r"|auth(?!or)|\botp\b|\bsess(?:ion)?[-_. ]?(?:id|key)?\b|signature|refresh",
    re.I,
)
_SECRET_VALUE = re.compile(
    r"(?<![\w-])(?>[\w-]*?eyJ)[\w-]{8,}+\.[\w-]{4,}|(?:sk|pk|rk)[-_](?:live|test|proj|ant)?[-_]?[\w-]{12,}|gh[pousr]_\w{16,}|github_pat_\w{16,}"
    r"|xox[abprs]-[\w-]{8,}|AKIA[0-9A-Z]{12,}|AIza[\w-]{20,}|glpat-[\w-]{12,}|npm_\w{20,}|SG\.[\w-]{12,}|ya29\.[\w-]{12,}"
    r"|Bearer\s+\S{8,}|-----BEGIN [A-Z ]*PRIVATE KEY-----"
)
"""Looks for a JWT once in a word: to try again at each `eyJ` of a page's `eyJeyJeyJ…` takes quadratic time."""
MOST_DEPTH = 20


def hide_secrets(items: Mapping[str, str]) -> dict[str, str]:
    """Return the items (name → value) with secrets replaced by REDACTED, also those within JSON values."""
    return {key: hide_value(key, value) for key, value in items.items()}


def hide_value(name: str, value: str) -> str:
    """Return `value`, or REDACTED if it seems to be a secret by its name or form.

    If it is JSON, only such parts of it are replaced.
    """
    if not value:
        return value
    structured = _parse_structure(value)
    if structured is not None:
        cleaned = _hide_nested(structured, MOST_DEPTH)
        return value if cleaned == structured else json.dumps(cleaned, ensure_ascii=False)
    return REDACTED if _SECRET_NAME.search(name) or _SECRET_VALUE.search(value) else value


def abbreviate_secret(value: str) -> str:
    """Return a secret's beginning and length, to tell it from others; "" for an empty one."""
    shown = value[: min(len(value) // 4, 4)]
    return f"{shown}… ({format_count(len(value), 'character')})" if value else ""


def _parse_structure(value: str) -> Any:
    """Parse `value` as a JSON object or list; None if it is neither."""
    if value[:1] not in "{[":
        return None
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return None


def _hide_nested(value: Any, depth: int) -> Any:
    """Replace secrets in a decoded JSON value, and all that is nested deeper than `depth` levels."""
    if depth == 0:
        return REDACTED
    if isinstance(value, dict):
        # Under a secret's name a text or a number is masked; an empty one, true, false and null say nothing.
        return {
            key: REDACTED
            if item and type(item) in (str, int, float) and _SECRET_NAME.search(key)
            else _hide_nested(item, depth - 1)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [_hide_nested(item, depth - 1) for item in value]
    if isinstance(value, str):
        return hide_value("", value) if depth > 1 else REDACTED
    return value


def is_secret_name(name: str) -> bool:
    """Return whether a value with this name is likely to be a secret: `access_token`."""
    return _SECRET_NAME.search(name) is not None


def find_secret_values(text: str) -> list[str]:
    """Return the parts of a text that have the form of a secret, such as a JWT or a known service's key."""
    return [match[0] for match in _SECRET_VALUE.finditer(text)]
