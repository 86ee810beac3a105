"""Define the programs that work on tasks.

A record each, with what was read in their documentation (docs/evals.md says which were tried).

A program is called by its plain name and found on the PATH. Its settings and sessions are in a new directory each time, so that
nothing of its user's is read or changed; what it may know of its user are the keys that the record names.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tests.evals.streams import claude, codex
from tests.evals.transcript import Reader


@dataclass(frozen=True)
class Ask:
    """Order to a program, besides the prompt, which it reads from standard input."""

    turns: int
    model: str | None = None


Words = Callable[[Ask], list[str]]
CLAUDE_TOOLS = "Bash,Read,Write,Edit,Glob,Grep,Skill"


@dataclass(frozen=True)
class Agent:
    """How a program is called, and how its stream is read."""

    name: str
    """Its command."""
    read: Reader
    skills: str
    """The host for which skills are installed, as `gbrowse skills-install --host` calls it."""
    keys: tuple[str, ...]
    """Variables that let it in with its maker."""
    words: Words
    """What follows the command."""
    judging: Words
    """What follows the command where it is to read and to answer, and to do nothing."""
    home: str
    """The variable that names the directory of its settings, besides HOME."""
    environment: Mapping[str, str] = field(default_factory=dict)
    is_sandboxed: bool = False
    """Whether its commands run in a sandbox, in which no browser can be started: the daemon has to be there before."""


def _claude(ask: Ask, *tools: str) -> list[str]:
    words = ["-p", "--output-format", "stream-json", "--verbose", "--max-turns", str(ask.turns)]
    words += ["--no-session-persistence", "--strict-mcp-config"]
    return [*words, *(["--model", ask.model] if ask.model else []), *tools]


def _codex(ask: Ask, *sandbox: str) -> list[str]:
    words = ["exec", "--json", "--skip-git-repo-check", "--ephemeral", "--sandbox", *sandbox]
    return [*words, *(["-m", ask.model] if ask.model else []), "-"]


CLAUDE = Agent(
    "claude",
    claude,
    skills="claude",
    keys=("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "CLAUDE_CODE_OAUTH_TOKEN"),
    words=lambda ask: _claude(ask, "--allowedTools", CLAUDE_TOOLS),
    judging=lambda ask: _claude(ask, "--disallowedTools", f"{CLAUDE_TOOLS},Task,WebFetch,WebSearch"),
    home="CLAUDE_CONFIG_DIR",
    environment={"DISABLE_AUTOUPDATER": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"},
)
CODEX = Agent(
    "codex",
    codex,
    skills="codex",
    keys=("CODEX_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL"),
    words=lambda ask: _codex(ask, "workspace-write", "-c", "sandbox_workspace_write.network_access=true"),
    judging=lambda ask: _codex(ask, "read-only"),
    home="CODEX_HOME",
    is_sandboxed=True,
)
AGENTS = {agent.name: agent for agent in (CLAUDE, CODEX)}
