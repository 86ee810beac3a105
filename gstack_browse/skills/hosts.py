"""The programs that read skills: where each looks, what its front matter may hold, and what it calls its tools. Pure data.

What a skill has to say differently for each program stands in `words`; a template asks for it by `{{HOST:word}}`.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from gstack_browse.skills import frontmatter

PORTABLE = ("name", "description", "license", "metadata")
"""Keys that every host accepts."""
MAX_AGENTS_FILE = 32 * 1024
"""Bytes of AGENTS.md that Codex reads in all."""

_ASKED = MappingProxyType({"Bash": "", "Write": "", "Edit": ""})
"""Tools that a skill uses and does not get allowed by being installed: pages are hostile, and who decides is the user."""
NOTHING: Mapping[str, str] = MappingProxyType({})

_WORDS = {
    "ask": "a message to the user that ends your turn",
    "agent": "a sub-agent, where your program has them",
    "call": "the skill `{}`",
    "other-model": "`codex exec` or `claude -p`, whichever is not what you run in",
}


class Host(NamedTuple):
    """One program. Paths are relative: `project`, `reads`, `signs` to the project, `user`, `user_signs` to the home directory.

    `reads` are the folders of a project in which the program finds skills, its own first. `signs` are names that show that the
    program is used. `tools` are its names for Claude Code's tools, for `allowed-tools`, if `keys`
    contains that; "" leaves one out.
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
    """Characters for the names, descriptions and paths of all skills together; 0: no such limit is known."""
    listing: str = ""
    """A file of the project that lists the installed skills, for programs that know no skills."""

    def word(self, name: str, value: str = "") -> str:
        """What the host calls something. Raises KeyError for a word that no host has."""
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
    tools=_ASKED,
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
    tools=_ASKED,
    listing="AGENTS.md",
)

HOSTS = {host.name: host for host in (CLAUDE, CODEX, CURSOR, OPENCODE, FACTORY, AGENTS)}
GENERIC = AGENTS
"""For which the committed files are made, and folders that several hosts read."""
WORDS = tuple(_WORDS)
