"""Templates: text with `{{NAME}}` and `{{NAME:argument,argument}}`, and their filling. Pure.

The caller supplies the text for a placeholder, which may contain placeholders itself, six deep.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from gstack_browse.agent.skills.hosts import WORDS, Host
from gstack_browse.agent.skills.packaged import mark_host_phrase
from gstack_browse.errors import EXIT_CODES
from gstack_browse.registry import Command, Registry
from gstack_browse.registry.command import Family, Parameter
from gstack_browse.registry.usage import option_rows, usage

MAX_DEPTH = 6

_PLACEHOLDER = re.compile(r"\{\{([A-Z][A-Z0-9_]*)(?::([^{}\n]*))?\}\}")
_BRACES = re.compile(r"\{\{|\}\}")


class Source(NamedTuple):
    """A text with the path of its file for error messages; "" for a computed text."""

    path: str
    text: str


class TemplateError(ValueError):
    """A malformed template: `path:line: what is wrong`."""

    def __init__(self, path: str, line: int, message: str, known: Iterable[str] = ()) -> None:
        listed = f"\nPlaceholders: {' '.join(known)}" if known else ""
        super().__init__(f"{path}:{line}: {message}{listed}")
        self.path = path
        self.line = line
        self.message = message


class BadArguments(ValueError):
    """Raised by a resolver for arguments that it cannot use."""


Resolver = Callable[..., Source]


@dataclass(frozen=True)
class Placeholder:
    """A name allowed between braces. `resolve` gets the arguments, `least` to `most` of them."""

    name: str
    grammar: str
    resolve: Resolver
    least: int = 0
    most: int = 0


@dataclass
class TemplateFiller:
    """Fills in the placeholders of documents."""

    placeholders: dict[str, Placeholder]

    def fill(self, source: Source, depth: int = 0) -> str:
        """Return the text with each placeholder replaced by what it stands for.

        Raises TemplateError with file and line. `depth`: in how many other placeholders the text stands.
        """
        pieces, at = [], 0
        for match in _PLACEHOLDER.finditer(source.text):
            between = source.text[at : match.start()]
            self._refuse_braces(source, at, between)
            pieces += [between, self._fill_placeholder(source, match, depth)]
            at = match.end()
        self._refuse_braces(source, at, source.text[at:])
        return "".join([*pieces, source.text[at:]])

    def _fill_placeholder(self, source: Source, match: re.Match[str], depth: int) -> str:
        """Return the text that replaces a placeholder (`match`): without placeholders, and indented like it."""
        line = _find_line_number(source.text, match.start())
        if depth >= MAX_DEPTH:
            raise TemplateError(source.path, line, f"placeholders are nested more than {MAX_DEPTH} deep")
        name = match[1]
        words = [word.strip() for word in match[2].split(",")] if match[2] is not None else []
        found = self._resolve(source.path, line, name, words)
        inner = found if found.path else Source(f"{source.path}:{line}: {name}", found.text)
        filled = self.fill(inner, depth + 1).strip("\n")
        before = source.text[source.text.rfind("\n", 0, match.start()) + 1 : match.start()]
        # A placeholder that is alone on its line has all lines of its text indented like it.
        is_indented = before and not before.strip()
        return re.sub(r"\n(?=[^\n])", f"\n{before}", filled) if is_indented else filled

    def _resolve(self, path: str, line: int, name: str, words: list[str]) -> Source:
        """Return the template text that a placeholder stands for. `path`, `line`: where it is.

        `words`: its arguments. Raises TemplateError for an unknown placeholder or wrong arguments.
        """
        placeholder = self.placeholders.get(name)
        if placeholder is None:
            raise TemplateError(path, line, f"{{{{{name}}}}} is no placeholder", self._list_grammars())
        if not placeholder.least <= len(words) <= placeholder.most or "" in words:
            raise TemplateError(path, line, f"{{{{{name}}}}} is written {{{{{placeholder.grammar}}}}}")
        try:
            return placeholder.resolve(*words)
        except BadArguments as error:
            raise TemplateError(path, line, f"{{{{{name}}}}}: {error}") from None

    def _refuse_braces(self, source: Source, at: int, text: str) -> None:
        """Raise TemplateError if `text`, the part of the source from index `at` on, contains {{ or }}."""
        if braces := _BRACES.search(text):
            what = "{{ is never closed, or is" if braces[0] == "{{" else "}} closes"
            line = _find_line_number(source.text, at + braces.start())
            raise TemplateError(source.path, line, f"{what} no placeholder", self._list_grammars())

    def _list_grammars(self) -> list[str]:
        """Return how each placeholder is written with its arguments, as `COMMANDS:command,…`, for messages."""
        return [placeholder.grammar for placeholder in self.placeholders.values()]


def _find_line_number(text: str, at: int) -> int:
    """Return the number, from 1, of the line of `text` with the character at index `at`."""
    return text.count("\n", 0, at) + 1


MOST_COMMANDS = 20
TIERS = (1, 2, 3)
"""Extent of a preamble: 1 its output lines, 2 also how to ask, 3 also to search before building."""


@dataclass(frozen=True)
class SkillFacts:
    """The input of all resolvers. With `host` None, phrases that differ between hosts are only marked."""

    registry: Registry
    skill: str
    tier: int
    shared: Mapping[str, Source]
    host: Host | None = None


def list_placeholders(facts: SkillFacts) -> dict[str, Placeholder]:
    """Return all placeholders that templates may use, by name. Their texts are computed from `facts`."""

    def computed(resolve: Callable[..., str]) -> Callable[..., Source]:
        return lambda *words: Source("", resolve(facts, *words))

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
        Placeholder("PREAMBLE", "PREAMBLE", computed(render_preamble)),
        Placeholder("SKILL", "SKILL", computed(lambda known: known.skill)),
        Placeholder("HOST", "HOST:word[,value]", computed(render_host_phrase), least=1, most=2),
        Placeholder("SHARED", "SHARED:name", partial(get_shared_text, facts), least=1, most=1),
    )
    return {placeholder.name: placeholder for placeholder in every}


def get_shared_text(facts: SkillFacts, name: str) -> Source:
    """Return the template `skills/shared/NAME.md`, its placeholders unfilled.

    Raises BadArguments for an unknown name.
    """
    if name not in facts.shared:
        raise BadArguments(f"there is no skills/shared/{name}.md; there are: {', '.join(sorted(facts.shared))}")
    return facts.shared[name]


def render_preamble(facts: SkillFacts) -> str:
    """Return a skill's preamble: placeholders of its first `facts.tier` blocks.

    Raises BadArguments unless that is in TIERS.
    """
    blocks = ["{{SHARED:preamble}}", "{{SHARED:questions}}", "{{SHARED:searching}}"]
    if facts.tier not in TIERS:
        raise BadArguments(
            f"metadata.preamble of the skill is {facts.tier}; it may be {', '.join(map(str, TIERS))}"
        )
    return "\n\n".join(blocks[: facts.tier])


def render_host_phrase(facts: SkillFacts, word: str, value: str = "") -> str:
    """Return the phrase of the host (the agent program) for one of WORDS.

    Without a host, the phrase is marked for the installation. `value` is put into it. Raises BadArguments for an unknown word.
    """
    if word not in WORDS:
        raise BadArguments(f"no host has a word for {word}; there are: {', '.join(WORDS)}")
    return facts.host.phrase(word, value) if facts.host else mark_host_phrase(word, value)


def render_family_tables(facts: SkillFacts, *families: str) -> str:
    """Render a table of commands for each family (group in the help), or for those named in `families`."""
    known = _map_families(facts)
    for name in families:
        if name.casefold() not in known:
            raise BadArguments(f"there is no family {name}; there are: {', '.join(known)}")
    wanted = [name.casefold() for name in families] or list(known)
    return "\n\n".join(
        f"**{family.title}**: {family.summary}\n\n{_render_rows(members)}"
        for family, members in (known[name] for name in wanted)
    )


def render_command_table(facts: SkillFacts, *names: str) -> str:
    """Render a Markdown table of the named commands: usage and summary."""
    return _render_rows([_get_command(facts, name) for name in names])


def render_snapshot_flags(facts: SkillFacts) -> str:
    """Render a Markdown table of the flags of `snapshot`, with an example each."""
    command = _get_command(facts, "snapshot")
    helps = dict(option_rows(command))
    rows = ["| flag | meaning | example |", "|---|---|---|"]
    for option, shown in zip(command.options, helps, strict=False):
        rows.append(
            f"| `{_escape_cell(shown)}` | {_escape_cell(helps[shown])} | `$B {_escape_cell(_find_example(command, option))}` |"
        )
    return "\n".join(rows)


def render_exit_codes(facts: SkillFacts) -> str:
    """Render a Markdown table of exit codes: meaning, and what to do then. It depends on no `facts`."""
    rows = (f"| {code} | {meaning} | {then} |" for code, (meaning, then) in EXIT_CODES.items())
    return "\n".join(["| code | meaning | then |", "|---|---|---|", *rows])


def render_examples(facts: SkillFacts, name: str) -> str:
    """Render a command's examples as a shell block."""
    lines = [f"$B {example}" for example in _get_command(facts, name).examples]
    return "\n".join(["```bash", *lines, "```"])


def _get_command(facts: SkillFacts, name: str) -> Command:
    """Return a command by its name. Raises BadArguments for an unknown one."""
    command = facts.registry.get(name)
    if command is None:
        raise BadArguments(f"there is no command {name}")
    return command


def _map_families(facts: SkillFacts) -> dict[str, tuple[Family, list[Command]]]:
    """Return the families (groups in the help) with their commands, by title in lower case."""
    return {family.title.casefold(): (family, members) for family, members in facts.registry.by_family()}


def _render_rows(members: Sequence[Command]) -> str:
    """Render a Markdown table of commands: usage and summary."""
    rows = [
        f"| `{_escape_cell(usage(item).removeprefix('gbrowse '))}` | {_escape_cell(item.summary)} |"
        for item in members
    ]
    return "\n".join(["| command | what it does |", "|---|---|", *rows])


_VALUES = {
    "depth": "4", "selector": "main", "find": "Cherry", "role": "button", "rows": "20-40", "max": "8000",
    "output": ".gstack/page.png",
}  # fmt: skip
"""Values in examples of flags that no example of the command uses."""


def _find_example(command: Command, option: Parameter) -> str:
    """Return a command line that uses the option: one of the command's examples, or a constructed one."""
    for example in command.examples:
        if option.long in example.split() or (option.short and f"-{option.short}" in example.split()):
            return example
    needs = "-a " if option.name in ("full", "output") else ""
    value = "" if option.flag else f" {_VALUES.get(option.name, '1')}"
    return f"{command.name} {needs}{f'-{option.short}' if option.short else option.long}{value}"


def _escape_cell(text: str) -> str:
    """Escape a text for a cell of a Markdown table."""
    return text.replace("|", "\\|")
