"""Define the programs that work on tasks.

A record each, with what was read in their documentation (docs/evals.md says which were tried).

A program is called by its plain name and found on the PATH. Its settings and sessions are in a new directory each time, so that
nothing of its user's is read or changed; what it may know of its user are the keys that the record names.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tests.evals.streams import Reader, claude, codex


@dataclass(frozen=True)
class Ask:
    """Order to a program, besides the prompt, which it reads from standard input."""

    turns: int
    model: str | None = None


Words = Callable[[Ask], list[str]]


@dataclass(frozen=True)
class Agent:
    """How a program is called, and how its stream is read."""

    name: str
    """Its command."""
    words: Words
    """What follows the command."""
    read: Reader
    skills: str
    """The host for which skills are installed, as `gbrowse skills-install --host` calls it."""
    keys: tuple[str, ...]
    """Variables that let it in with its maker."""
    judging: Words
    """What follows the command where it is to read and to answer, and to do nothing."""
    home: str
    """The variable that names the directory of its settings, besides HOME."""
    environment: Mapping[str, str] = field(default_factory=dict)
    is_sandboxed: bool = False
    """Whether its commands run in a sandbox, in which no browser can be started: the daemon has to be there before."""


CLAUDE_TOOLS = ("Bash", "Read", "Write", "Edit", "Glob", "Grep", "Skill")


def _claude(ask: Ask) -> list[str]:
    return [*_claude_words(ask), "--allowedTools", ",".join(CLAUDE_TOOLS)]


def _claude_judge(ask: Ask) -> list[str]:
    return [
        *_claude_words(ask),
        "--disallowedTools",
        ",".join((*CLAUDE_TOOLS, "Task", "WebFetch", "WebSearch")),
    ]


def _claude_words(ask: Ask) -> list[str]:
    words = ["-p", "--output-format", "stream-json", "--verbose", "--max-turns", str(ask.turns)]
    return [*words, "--no-session-persistence", "--strict-mcp-config", *_model("--model", ask)]


def _codex(ask: Ask) -> list[str]:
    return _codex_words(ask, "workspace-write", "-c", "sandbox_workspace_write.network_access=true")


def _codex_judge(ask: Ask) -> list[str]:
    return _codex_words(ask, "read-only")


def _codex_words(ask: Ask, *sandbox: str) -> list[str]:
    words = ["exec", "--json", "--skip-git-repo-check", "--ephemeral", "--sandbox", *sandbox]
    return [*words, *_model("-m", ask), "-"]


def _model(option: str, ask: Ask) -> list[str]:
    return [option, ask.model] if ask.model else []


AGENTS: dict[str, Agent] = {
    agent.name: agent
    for agent in (
        Agent(
            "claude",
            _claude,
            claude,
            skills="claude",
            keys=("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "CLAUDE_CODE_OAUTH_TOKEN"),
            judging=_claude_judge,
            home="CLAUDE_CONFIG_DIR",
            environment={"DISABLE_AUTOUPDATER": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"},
        ),
        Agent(
            "codex",
            _codex,
            codex,
            skills="codex",
            keys=("CODEX_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL"),
            judging=_codex_judge,
            home="CODEX_HOME",
            is_sandboxed=True,
        ),
    )
}
