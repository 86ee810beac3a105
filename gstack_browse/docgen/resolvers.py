"""The texts for the placeholders of skills: pure functions of registry, skill, host and shared texts."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from gstack_browse.docgen.templates import BadArguments, Placeholder, Source
from gstack_browse.errors import EXIT_CODES
from gstack_browse.registry import Command, Registry
from gstack_browse.registry.command import Parameter
from gstack_browse.registry.families import Family
from gstack_browse.registry.usage import option_rows, usage
from gstack_browse.skills.hosts import WORDS, Host
from gstack_browse.skills.passages import mark_passage

MOST_COMMANDS = 20
TIERS = (1, 2, 3)
"""Extent of a preamble: 1 its output lines, 2 also how to ask, 3 also to search before building."""


@dataclass(frozen=True)
class SkillFacts:
    """The input of all resolvers. With `host` None, passages for hosts are marked for the installation."""

    registry: Registry
    skill: str
    tier: int
    shared: Mapping[str, Source]
    host: Host | None = None


def list_placeholders(facts: SkillFacts) -> dict[str, Placeholder]:
    """Return all placeholders by name."""

    def computed(resolve: Callable[..., str]) -> Callable[..., Source]:
        return lambda *words: Source("", resolve(facts, *words))

    def shared(name: str) -> Callable[..., Source]:
        return partial(get_shared_text, facts, name)

    every = (
        Placeholder(
            "COMMAND_REFERENCE",
            "COMMAND_REFERENCE[:family,…]",
            computed(render_family_tables),
            most=len(_map_families(facts)),
        ),
        Placeholder(
            "COMMANDS", "COMMANDS:command,…", computed(render_command_table), least=1, most=MOST_COMMANDS
        ),
        Placeholder("SNAPSHOT_FLAGS", "SNAPSHOT_FLAGS", computed(render_snapshot_flags)),
        Placeholder("EXIT_CODES", "EXIT_CODES", computed(render_exit_codes)),
        Placeholder("EXAMPLES", "EXAMPLES:command", computed(render_examples), least=1, most=1),
        Placeholder("PREAMBLE", "PREAMBLE", computed(render_preamble), once=True),
        Placeholder("SKILL", "SKILL", computed(lambda known: known.skill)),
        Placeholder("HOST", "HOST:word[,value]", computed(render_host_phrase), least=1, most=2),
        Placeholder("SHARED", "SHARED:name", partial(get_shared_text, facts), least=1, most=1),
        *(Placeholder(name, name, shared(name.lower().replace("_", "-"))) for name in SHARED),
    )
    return {placeholder.name: placeholder for placeholder in every}


SHARED = (
    "BROWSE_SETUP",
    "BASE_BRANCH_DETECT",
    "QA_METHODOLOGY",
    "DESIGN_METHODOLOGY",
    "REVIEW_DASHBOARD",
    "TEST_BOOTSTRAP",
    "CODEX_PLAN_REVIEW",
    "DESIGN_SETUP",
    "DESIGN_SHOTGUN_LOOP",
)
"""Placeholders with the text of `skills/shared/<name in lower case, with hyphens>.md`."""


def get_shared_text(facts: SkillFacts, name: str) -> Source:
    """Return a text of `skills/shared`. Raises BadArguments for an unknown name."""
    if name not in facts.shared:
        raise BadArguments(f"there is no skills/shared/{name}.md; there are: {', '.join(sorted(facts.shared))}")
    return facts.shared[name]


def render_preamble(facts: SkillFacts) -> str:
    """Return the preamble of a skill, to the extent of its tier."""
    blocks = ["{{SHARED:preamble}}", "{{SHARED:questions}}", "{{SHARED:searching}}"]
    if facts.tier not in TIERS:
        raise BadArguments(
            f"metadata.preamble of the skill is {facts.tier}; it may be {', '.join(map(str, TIERS))}"
        )
    return "\n\n".join(blocks[: facts.tier])


def render_host_phrase(facts: SkillFacts, word: str, value: str = "") -> str:
    """Return the host's phrase, or a marked passage if the host is not known yet."""
    if word not in WORDS:
        raise BadArguments(f"no host has a word for {word}; there are: {', '.join(WORDS)}")
    return facts.host.word(word, value) if facts.host else mark_passage(word, value)


def render_family_tables(facts: SkillFacts, *families: str) -> str:
    """Render a table of commands for each family, or for the named ones."""
    known = _map_families(facts)
    for name in families:
        if name.casefold() not in known:
            raise BadArguments(f"there is no family {name}; there are: {', '.join(known)}")
    wanted = [name.casefold() for name in families] or list(known)
    return "\n\n".join(_render_family(*known[name]) for name in wanted)


def render_command_table(facts: SkillFacts, *names: str) -> str:
    """Render a table of the named commands."""
    return _render_rows([_get_command(facts, name) for name in names])


def render_snapshot_flags(facts: SkillFacts) -> str:
    """Render the flags of `snapshot` with an example each."""
    command = _get_command(facts, "snapshot")
    helps = dict(option_rows(command))
    rows = ["| flag | meaning | example |", "|---|---|---|"]
    for option, shown in zip(command.options, helps, strict=False):
        rows.append(
            f"| `{_escape_cell(shown)}` | {_escape_cell(helps[shown])} | `$B {_escape_cell(_find_example(command, option))}` |"
        )
    return "\n".join(rows)


def render_exit_codes(facts: SkillFacts) -> str:
    """Render a table of exit codes with their meaning and what to do."""
    rows = ["| code | meaning | then |", "|---|---|---|"]
    return "\n".join(
        [*rows, *(f"| {code} | {meaning} | {then} |" for code, (meaning, then) in EXIT_CODES.items())]
    )


def render_examples(facts: SkillFacts, name: str) -> str:
    """Render a command's examples as a shell block."""
    lines = [f"$B {example}" for example in _get_command(facts, name).examples]
    return "\n".join(["```bash", *lines, "```"])


def _get_command(facts: SkillFacts, name: str) -> Command:
    command = facts.registry.get(name)
    if command is None:
        raise BadArguments(f"there is no command {name}")
    return command


def _map_families(facts: SkillFacts) -> dict[str, tuple[Family, list[Command]]]:
    return {family.title.casefold(): (family, members) for family, members in facts.registry.by_family()}


def _render_family(family: Family, members: list[Command]) -> str:
    return f"**{family.title}**: {family.summary}\n\n{_render_rows(members)}"


def _render_rows(members: Sequence[Command]) -> str:
    rows = [
        f"| `{_escape_cell(usage(item).removeprefix('gbrowse '))}` | {_escape_cell(item.summary)} |"
        for item in members
    ]
    return "\n".join(["| command | what it does |", "|---|---|", *rows])


_VALUES = {"depth": "4", "selector": "main", "find": "Cherry", "role": "button", "rows": "20-40", "max": "8000"}
"""Values in examples of flags that no example of the command uses."""


def _find_example(command: Command, option: Parameter) -> str:
    """Return an example of a flag: one of the command's, or a constructed one."""
    for example in command.examples:
        if option.long in example.split() or (option.short and f"-{option.short}" in example.split()):
            return example
    if option.flag or option.name == "output":
        needs = "-a " if option.name in ("full", "output") else ""
        value = " .gstack/page.png" if option.name == "output" else ""
        return f"{command.name} {needs}{option.long if not option.short else '-' + option.short}{value}"
    return f"{command.name} {option.long if not option.short else '-' + option.short} {_VALUES.get(option.name, '1')}"


def _escape_cell(text: str) -> str:
    return text.replace("|", "\\|")
