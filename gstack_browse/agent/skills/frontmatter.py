"""Parse and write the front matter of a skill: `key: value` lines between two `---`. Pure.

Only a part of YAML is accepted and written: one line for each key, values plain or as a JSON string, and one nested
mapping, `metadata`. Folded and block scalars are refused, since programs disagree about them.
"""

import json
import re

FENCE = "---"
MAX_NAME = 64
MAX_DESCRIPTION = 1024
MAX_COMPATIBILITY = 500
KEYS = ("name", "description", "license", "compatibility", "metadata", "allowed-tools")
"""Keys of the specification (agentskills.io); validators and uploads refuse others."""

Fields = dict[str, "str | dict[str, str]"]

_LINE = re.compile(r"( *)([A-Za-z][A-Za-z0-9_-]*):(?: +(.*))?\Z")
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*\Z")
_AMBIGUOUS = re.compile(r": |:\Z| #|\A[\[\]{}&*!|>'\"%@`#,?-]")
_NOT_A_STRING = re.compile(r"(?:true|false|yes|no|on|off|null|~|[-+.\d]*)\Z", re.I)


class InvalidFrontMatter(ValueError):
    """Malformed front matter. `line` counts from 1 in the whole file."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.message = message
        self.line = line


def split_front_matter(text: str) -> tuple[Fields, str]:
    """Return the fields and the text after them. Raises InvalidFrontMatter."""
    lines = text.split("\n")
    if lines[0] != FENCE:
        raise InvalidFrontMatter(f"the file does not begin with {FENCE}", 1)
    try:
        end = lines.index(FENCE, 1)
    except ValueError:
        raise InvalidFrontMatter(f"the front matter has no closing {FENCE}", 1) from None
    return _parse_fields(lines[1:end]), "\n".join(lines[end + 1 :])


def render_front_matter(fields: Fields) -> str:
    """Render the front matter with its fences; values that YAML could misread become JSON strings."""
    lines = [FENCE]
    for key, value in fields.items():
        if isinstance(value, dict):
            lines.append(f"{key}:")
            lines += [f"  {name}: {json.dumps(inner, ensure_ascii=False)}" for name, inner in value.items()]
        else:
            lines.append(f"{key}: {_quote_if_needed(key, value)}")
    return "\n".join([*lines, FENCE])


def find_problems(fields: Fields, folder: str) -> list[str]:
    """Return violations of the specification of agentskills.io by a skill in that folder."""
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


def _parse_fields(lines: list[str]) -> Fields:
    """Parse the lines between the fences."""
    fields: Fields = {}
    inner: dict[str, str] | None = None
    for number, line in enumerate(lines, 2):
        if not line.strip():
            continue
        match = _LINE.match(line)
        if not match or len(match[1]) not in (0, 2):
            raise InvalidFrontMatter(f'"{line.strip()[:60]}" is not "key: value" on one line', number)
        indent, key, value = match[1], match[2], (match[3] or "").strip()
        into: dict[str, str] | Fields | None = inner if indent else fields
        if into is None:
            raise InvalidFrontMatter(f"{key} is indented, but belongs to nothing", number)
        if key in into:
            raise InvalidFrontMatter(f"{key} is given twice", number)
        if not indent:
            inner = {} if not value else None
        into[key] = inner if not indent and inner is not None else _parse_value(key, value, number)  # type: ignore[assignment]
    return fields


def _parse_value(key: str, value: str, line: int) -> str:
    """Parse a plain or quoted value."""
    if value.startswith('"'):
        try:
            parsed = json.loads(value)
        except ValueError:
            raise InvalidFrontMatter(f"{key}: the quoted text is not closed on its line", line) from None
        return str(parsed)
    if not _is_plain(value):
        raise InvalidFrontMatter(f"{key}: YAML reads this value otherwise; put it in double quotes", line)
    return value


def _is_plain(value: str) -> bool:
    """Return whether YAML reads the value as it stands."""
    return bool(value) and not _AMBIGUOUS.search(value) and value.isprintable()


def _quote_if_needed(key: str, value: str) -> str:
    """Return a value as it stands, or as a JSON string; descriptions are always quoted."""
    if key != "description" and _is_plain(value) and not _NOT_A_STRING.match(value):
        return value
    return json.dumps(value, ensure_ascii=False)
