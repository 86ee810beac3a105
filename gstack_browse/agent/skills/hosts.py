"""Describe the programs that read skills: folders, accepted front matter, names of tools. Pure.

Front matter is `key: value` between two `---`.

`words` has what a skill must phrase differently for each program; a template inserts it by `{{HOST:word}}`.

Only a part of YAML is accepted and written: one line for each key, values plain or as a JSON string, and one nested
mapping, `metadata`. Folded and block scalars are refused, since programs disagree about them.
"""

import json
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

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
    """Split a Markdown text into the fields of its front matter and the rest. Raises InvalidFrontMatter."""
    lines = text.split("\n")
    if lines[0] != FENCE:
        raise InvalidFrontMatter(f"the file does not begin with {FENCE}", 1)
    try:
        end = lines.index(FENCE, 1)
    except ValueError:
        raise InvalidFrontMatter(f"the front matter has no closing {FENCE}", 1) from None
    return _parse_fields(lines[1:end]), "\n".join(lines[end + 1 :])


def render_front_matter(fields: Fields) -> str:
    """Render fields as YAML front matter between `---` lines.

    A description is quoted, and so are values that YAML could misread.
    """
    lines = [FENCE]
    for key, value in fields.items():
        if isinstance(value, dict):
            lines.append(f"{key}:")
            lines += [f"  {name}: {json.dumps(inner, ensure_ascii=False)}" for name, inner in value.items()]
        else:
            is_plain = key != "description" and _is_plain(value) and not _NOT_A_STRING.match(value)
            lines.append(f"{key}: {value if is_plain else json.dumps(value, ensure_ascii=False)}")
    return "\n".join([*lines, FENCE])


def find_problems(fields: Fields, folder: str) -> list[str]:
    """Return how the front matter of the skill in `folder` violates the specification of agentskills.io."""
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
    """Parse the lines of a front matter, without the `---` around them. Raises InvalidFrontMatter."""
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
    """Parse a field's plain or quoted value. Raises InvalidFrontMatter, with the number of the `line`."""
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
    """Return whether YAML reads a value without quotes as the same string."""
    return bool(value) and not _AMBIGUOUS.search(value) and value.isprintable()


PORTABLE = ("name", "description", "license", "metadata")
"""Keys that every host accepts."""
MAX_AGENTS_FILE = 32 * 1024
"""Limit of AGENTS.md in bytes: Codex reads no further."""

_NOT_ALLOWED = MappingProxyType({"Bash": "", "Write": "", "Edit": ""})
"""Tools that skills use but must not allow by being installed: pages are hostile, and the user decides."""
NOTHING: Mapping[str, str] = MappingProxyType({})

_WORDS = {
    "ask": "a message to the user that ends your turn",
    "agent": "a sub-agent, where your program has them",
    "call": "the skill `{}`",
    "other-model": "`codex exec` or `claude -p`, whichever is not what you run in",
}


class Host(NamedTuple):
    """A program that reads skills.

    Paths are relative: `project`, `reads`, `signs` to the project, `user`, `user_signs` to the home directory.
    `reads` are the project folders in which it finds skills, its own first. `signs` are files that show that it is used.
    `tools` are its names for Claude Code's tools, for `allowed-tools` if `keys` has that; "" leaves a tool out.
    """

    name: str
    title: str
    project: str
    user: str
    reads: tuple[str, ...]
    signs: tuple[str, ...]
    user_signs: tuple[str, ...]
    keys: tuple[str, ...] = PORTABLE
    tools: Mapping[str, str] = NOTHING
    words: Mapping[str, str] = NOTHING
    max_list: int = 0
    """Limit of names, descriptions and paths of all skills together, in characters; 0: no known limit."""
    listing: str = ""
    """A file of the project that lists the installed skills, for programs without support for skills."""

    def phrase(self, name: str, value: str = "") -> str:
        """Return this program's phrase for a key of _WORDS such as "call", with `value` in place of `{}`.

        Raises KeyError if no program has such a phrase.
        """
        return self.words.get(name, _WORDS[name]).replace("{}", value)


CLAUDE = Host(
    name="claude",
    title="Claude Code",
    project=".claude/skills",
    user=".claude/skills",
    reads=(".claude/skills",),
    signs=(".claude", "CLAUDE.md"),
    user_signs=(".claude",),
    keys=(*PORTABLE, "allowed-tools"),
    tools=_NOT_ALLOWED,
    words={
        "ask": "the AskUserQuestion tool",
        "agent": "a sub-agent (Agent tool)",
        "call": "`/{}`",
        "other-model": "`codex exec`",
    },
)
CODEX = Host(
    name="codex",
    title="Codex",
    project=".agents/skills",
    user=".agents/skills",
    reads=(".agents/skills",),
    signs=(".codex",),
    user_signs=(".codex",),
    words={"call": "`${}`", "other-model": "`claude -p`"},
    max_list=8000,
)
CURSOR = Host(
    name="cursor",
    title="Cursor",
    project=".agents/skills",
    user=".cursor/skills",
    reads=(".agents/skills", ".cursor/skills", ".claude/skills", ".codex/skills"),
    signs=(".cursor", ".cursorrules"),
    user_signs=(".cursor",),
    words={"call": "`/{}`"},
)
OPENCODE = Host(
    name="opencode",
    title="OpenCode",
    project=".agents/skills",
    user=".config/opencode/skills",
    reads=(".agents/skills", ".opencode/skills", ".claude/skills"),
    signs=(".opencode", "opencode.json", "opencode.jsonc"),
    user_signs=(".config/opencode",),
    words={"ask": "the question tool", "agent": "a sub-agent (task tool)"},
)
FACTORY = Host(
    name="factory",
    title="Factory Droid",
    project=".factory/skills",
    user=".factory/skills",
    reads=(".factory/skills",),
    signs=(".factory",),
    user_signs=(".factory",),
    words={"call": "`/{}`"},
)
AGENTS = Host(
    name="agents",
    title="any program that reads AGENTS.md",
    project=".agents/skills",
    user=".agents/skills",
    reads=(".agents/skills",),
    signs=("AGENTS.md", ".agents"),
    user_signs=(".agents",),
    keys=(*PORTABLE, "allowed-tools"),
    tools=_NOT_ALLOWED,
    listing="AGENTS.md",
)

HOSTS = {host.name: host for host in (CLAUDE, CODEX, CURSOR, OPENCODE, FACTORY, AGENTS)}
GENERIC = AGENTS
"""The host of the packaged files, and of folders that several programs read."""
WORDS = tuple(_WORDS)
