"""The programs that read skills: their folders, accepted front matter, and names of tools. Pure data.

`words` has what a skill must phrase differently for each program; a template inserts it by `{{HOST:word}}`.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from gstack_browse.agent.skills import frontmatter

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
    max_description: int = frontmatter.MAX_DESCRIPTION
    max_list: int = 0
    """Limit of names, descriptions and paths of all skills together, in characters; 0: no known limit."""
    listing: str = ""
    """A file of the project that lists the installed skills, for programs without support for skills."""

    def word(self, name: str, value: str = "") -> str:
        """Return the program's phrase for `name`, with `value` inserted.

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
