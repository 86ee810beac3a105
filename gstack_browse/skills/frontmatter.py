"""The front matter of a skill: `key: value` lines between two `---`, read and written. Pure.

Only a part of YAML is accepted, and what is written is in it: one line for each key, values as they stand or as a JSON string,
and one nested mapping, `metadata`. Folded and block scalars are refused, since hosts disagree about them.
"""

import json
import re

FENCE = "---"
MAX_NAME = 64
MAX_DESCRIPTION = 1024
MAX_COMPATIBILITY = 500
KEYS = ("name", "description", "license", "compatibility", "metadata", "allowed-tools")
"""What the specification of agentskills.io allows; validators and uploads refuse other keys."""

Fields = dict[str, "str | dict[str, str]"]

_LINE = re.compile(r"( *)([A-Za-z][A-Za-z0-9_-]*):(?: +(.*))?\Z")
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*\Z")
_AMBIGUOUS = re.compile(r": |:\Z| #|\A[\[\]{}&*!|>'\"%@`#,?-]")
_NO_STRING = re.compile(r"(?:true|false|yes|no|on|off|null|~|[-+.\d]*)\Z", re.I)


class Invalid(ValueError):
    """Front matter that is none. `line` counts from 1 in the whole file."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.message = message
        self.line = line


def split(text: str) -> tuple[Fields, str]:
    """The fields and what follows them. Raises Invalid."""
    lines = text.split("\n")
    if lines[0] != FENCE:
        raise Invalid(f"the file does not begin with {FENCE}", 1)
    try:
        end = lines.index(FENCE, 1)
    except ValueError:
        raise Invalid(f"the front matter has no closing {FENCE}", 1) from None
    return _fields(lines[1:end]), "\n".join(lines[end + 1 :])


def written(fields: Fields) -> str:
    """The front matter with its two fences; a value that YAML could read otherwise is a JSON string."""
    lines = [FENCE]
    for key, value in fields.items():
        if isinstance(value, dict):
            lines.append(f"{key}:")
            lines += [f"  {name}: {json.dumps(inner, ensure_ascii=False)}" for name, inner in value.items()]
        else:
            lines.append(f"{key}: {_as_yaml(key, value)}")
    return "\n".join([*lines, FENCE])


def problems(fields: Fields, folder: str) -> list[str]:
    """What the specification of agentskills.io objects to in a skill of that folder."""
    name, description = fields.get("name", ""), fields.get("description", "")
    found = [f"{key} is no key of a skill" for key in fields if key not in KEYS]
    if not isinstance(name, str) or not _NAME.match(name) or len(name) > MAX_NAME:
        found.append(f"name: 1 to {MAX_NAME} lower-case letters, digits and single hyphens")
    elif name != folder:
        found.append(f"name: {name}, but the folder is {folder}")
    if not isinstance(description, str) or not 1 <= len(description.strip()) <= MAX_DESCRIPTION:
        found.append(f"description: 1 to {MAX_DESCRIPTION} characters")
    if len(str(fields.get("compatibility", ""))) > MAX_COMPATIBILITY:
        found.append(f"compatibility: at most {MAX_COMPATIBILITY} characters")
    if not isinstance(fields.get("metadata", {}), dict):
        found.append("metadata: a mapping of names to strings")
    found += [
        f"{key}: a string"
        for key in ("license", "compatibility", "allowed-tools")
        if isinstance(fields.get(key), dict)
    ]
    return found


def _fields(lines: list[str]) -> Fields:
    fields: Fields = {}
    inner: dict[str, str] | None = None
    for number, line in enumerate(lines, 2):
        if not line.strip():
            continue
        match = _LINE.match(line)
        if not match or len(match[1]) not in (0, 2):
            raise Invalid(f'"{line.strip()[:60]}" is not "key: value" on one line', number)
        indent, key, value = match[1], match[2], (match[3] or "").strip()
        into: dict[str, str] | Fields | None = inner if indent else fields
        if into is None:
            raise Invalid(f"{key} is indented, but belongs to nothing", number)
        if key in into:
            raise Invalid(f"{key} is given twice", number)
        if not indent:
            inner = {} if not value else None
        into[key] = inner if not indent and inner is not None else _value(key, value, number)  # type: ignore[assignment]
    return fields


def _value(key: str, value: str, line: int) -> str:
    if value.startswith('"'):
        try:
            parsed = json.loads(value)
        except ValueError:
            raise Invalid(f"{key}: the quoted text is not closed on its line", line) from None
        return str(parsed)
    if not _plain(value):
        raise Invalid(f"{key}: YAML reads this value otherwise; put it in double quotes", line)
    return value


def _plain(value: str) -> bool:
    return bool(value) and not _AMBIGUOUS.search(value) and value.isprintable()


def _as_yaml(key: str, value: str) -> str:
    if key != "description" and _plain(value) and not _NO_STRING.match(value):
        return value
    return json.dumps(value, ensure_ascii=False)
