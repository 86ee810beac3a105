"""What each placeholder of a skill stands for: pure functions of the registry, the skill, the host and the shared texts."""

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
"""How much a preamble says: 1 the lines that it prints, 2 also how to ask, 3 also to search before building."""


@dataclass(frozen=True)
class Facts:
    """What resolvers may know. With `host` None, passages for hosts are marked, to be filled in on installation."""

    registry: Registry
    skill: str
    tier: int
    shared: Mapping[str, Source]
    host: Host | None = None


def placeholders(facts: Facts) -> dict[str, Placeholder]:
    """All placeholders by name."""

    def computed(resolve: Callable[..., str]) -> Callable[..., Source]:
        return lambda *words: Source("", resolve(facts, *words))

    def shared(name: str) -> Callable[..., Source]:
        return partial(shared_text, facts, name)

    every = (
        Placeholder(
            "COMMAND_REFERENCE",
            "COMMAND_REFERENCE[:family,…]",
            computed(command_reference),
            most=len(_families(facts)),
        ),
        Placeholder("COMMANDS", "COMMANDS:command,…", computed(commands), least=1, most=MOST_COMMANDS),
        Placeholder("SNAPSHOT_FLAGS", "SNAPSHOT_FLAGS", computed(snapshot_flags)),
        Placeholder("EXIT_CODES", "EXIT_CODES", computed(exit_codes)),
        Placeholder("EXAMPLES", "EXAMPLES:command", computed(examples), least=1, most=1),
        Placeholder("PREAMBLE", "PREAMBLE", computed(preamble), once=True),
        Placeholder("SKILL", "SKILL", computed(lambda known: known.skill)),
        Placeholder("HOST", "HOST:word[,value]", computed(host_word), least=1, most=2),
        Placeholder("SHARED", "SHARED:name", partial(shared_text, facts), least=1, most=1),
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
"""Placeholders whose text is `skills/shared/<name in lower case, with hyphens>.md`."""


def shared_text(facts: Facts, name: str) -> Source:
    """A text of `skills/shared`. Raises BadArguments where there is none of that name."""
    if name not in facts.shared:
        raise BadArguments(f"there is no skills/shared/{name}.md; there are: {', '.join(sorted(facts.shared))}")
    return facts.shared[name]


def preamble(facts: Facts) -> str:
    """What a skill begins with: as much as its tier says."""
    blocks = ["{{SHARED:preamble}}", "{{SHARED:questions}}", "{{SHARED:searching}}"]
    if facts.tier not in TIERS:
        raise BadArguments(
            f"metadata.preamble of the skill is {facts.tier}; it may be {', '.join(map(str, TIERS))}"
        )
    return "\n\n".join(blocks[: facts.tier])


def host_word(facts: Facts, word: str, value: str = "") -> str:
    """What the host calls something; marked where the host is not known yet."""
    if word not in WORDS:
        raise BadArguments(f"no host has a word for {word}; there are: {', '.join(WORDS)}")
    return facts.host.word(word, value) if facts.host else mark_passage(word, value)


def command_reference(facts: Facts, *families: str) -> str:
    """A table for each family, or for those named: usage and a line each."""
    known = _families(facts)
    for name in families:
        if name.casefold() not in known:
            raise BadArguments(f"there is no family {name}; there are: {', '.join(known)}")
    wanted = [name.casefold() for name in families] or list(known)
    return "\n\n".join(_table(*known[name]) for name in wanted)


def commands(facts: Facts, *names: str) -> str:
    """A table of some commands: usage and a line each."""
    return _rows([_command(facts, name) for name in names])


def snapshot_flags(facts: Facts) -> str:
    """The flags of `snapshot` with an example each."""
    command = _command(facts, "snapshot")
    helps = dict(option_rows(command))
    rows = ["| flag | meaning | example |", "|---|---|---|"]
    for option, shown in zip(command.options, helps, strict=False):
        rows.append(f"| `{_cell(shown)}` | {_cell(helps[shown])} | `$B {_cell(_example(command, option))}` |")
    return "\n".join(rows)


def exit_codes(facts: Facts) -> str:
    """Each exit code, what it means and what to do."""
    rows = ["| code | meaning | then |", "|---|---|---|"]
    return "\n".join(
        [*rows, *(f"| {code} | {meaning} | {then} |" for code, (meaning, then) in EXIT_CODES.items())]
    )


def examples(facts: Facts, name: str) -> str:
    """The examples of a command as a block of shell lines."""
    lines = [f"$B {example}" for example in _command(facts, name).examples]
    return "\n".join(["```bash", *lines, "```"])


def _command(facts: Facts, name: str) -> Command:
    command = facts.registry.get(name)
    if command is None:
        raise BadArguments(f"there is no command {name}")
    return command


def _families(facts: Facts) -> dict[str, tuple[Family, list[Command]]]:
    return {family.title.casefold(): (family, members) for family, members in facts.registry.by_family()}


def _table(family: Family, members: list[Command]) -> str:
    return f"**{family.title}**: {family.summary}\n\n{_rows(members)}"


def _rows(members: Sequence[Command]) -> str:
    rows = [f"| `{_cell(usage(item).removeprefix('gbrowse '))}` | {_cell(item.summary)} |" for item in members]
    return "\n".join(["| command | what it does |", "|---|---|", *rows])


_VALUES = {"depth": "4", "selector": "main", "find": "Cherry", "role": "button", "rows": "20-40", "max": "8000"}
"""What examples of flags are made of that no example of the command shows."""


def _example(command: Command, option: Parameter) -> str:
    for example in command.examples:
        if option.long in example.split() or (option.short and f"-{option.short}" in example.split()):
            return example
    if option.flag or option.name == "output":
        needs = "-a " if option.name in ("full", "output") else ""
        value = " .gstack/page.png" if option.name == "output" else ""
        return f"{command.name} {needs}{option.long if not option.short else '-' + option.short}{value}"
    return f"{command.name} {option.long if not option.short else '-' + option.short} {_VALUES.get(option.name, '1')}"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
