"""The text of each generated document: references of commands and settings, and skills. Reads templates; writes nothing."""

from pathlib import Path

from gstack_browse import commands
from gstack_browse.docgen.command_names import generate_name_tables
from gstack_browse.docgen.markdown import escape_tags
from gstack_browse.docgen.settings_page import render_settings
from gstack_browse.docgen.skills import generate_skills
from gstack_browse.registry import REGISTRY, Command, Kind, Registry
from gstack_browse.registry.usage import argument_rows, kind_rows, option_rows, usage

assert commands.__all__  # imported for its declarations

_GLOBAL_OPTIONS = """Global options stand before the command:

- `--as NAME` works in the browser context of that name ([contexts.md](contexts.md)), with `--share NAME` with the logins of that one.
- `--tab N` acts on that tab without switching to it.
- `--timeout MS` replaces the command's deadline.
- `--json` prints the JSON reply.
- `--fence` marks what comes from a page; `--no-fence` takes that back.
- `--any-download` lets pages download several files until the next command."""
_TARGETS = """A *target* is a CSS selector, any Playwright selector (`text=Sign in`, `role=button[name="Go"]`), or a ref (`@e3`, `@c1`)
from `snapshot`. `label=Email`, `placeholder=`, `alt=` and `title=` find a part of these words, in quotes just these. `testid=save` finds a
`data-testid`, `… >> nth=1` the second of several, and `@e3 >> text=Delete` what an element has in it.

All that name words prefer what is visible to what is hidden. `text=All` prefers an element that says `All` to one that says `all`, and
both to `Show all items`; `label=` and its kin do the same. What is left must be one element for an action; a read takes the first. CSS is
meant as it stands."""


def generate_documents(root: Path) -> dict[Path, str]:
    """Return path → full text of all generated documents and sources. Raises TemplateError."""
    return {
        root / "docs/commands.md": render_reference(REGISTRY),
        root / "docs/settings.md": render_settings(),
        **generate_name_tables(root, REGISTRY),
        **generate_skills(root, REGISTRY),
    }


def render_reference(registry: Registry) -> str:
    """Render the command reference as Markdown."""
    parts = [
        "# Commands",
        "Written by `python -m gstack_browse.docgen --write` from the declarations in `gstack_browse/commands`; "
        "`gbrowse help <command>` says the same.",
        _GLOBAL_OPTIONS,
        _TARGETS,
        "Exit codes are in [protocol.md](protocol.md#exit-codes).",
        "Each call is of one kind: " + "; ".join(f"*{kind.value}* {kind.meaning}" for kind in Kind) + ".",
    ]
    for family, members in registry.by_family():
        parts.append(f"## {family.title}\n\n{_capitalise(family.summary)}")
        parts += [_render_command(command) for command in members]
    return "\n\n".join(parts) + "\n"


def _render_command(command: Command) -> str:
    blocks = [f"### {command.name}", f"```text\n{usage(command)}\n```", escape_tags(command.summary)]
    if command.details:
        blocks.append(escape_tags(command.details))
    if rows := argument_rows(command) + option_rows(command):
        blocks.append("\n".join(f"- `{left}`: {escape_tags(right)}" for left, right in rows))
    facts = [f"{when}*{kind.value}*: {kind.meaning}" for when, kind in kind_rows(command)]
    facts.append(f"deadline {command.timeout:g} s")
    if command.is_local:
        facts.append("runs in the client, without daemon and browser")
    if command.aliases:
        facts.append("also called " + ", ".join(f"`{alias}`" for alias in command.aliases))
    blocks.append("; ".join(facts) + ".")
    blocks.append("```bash\n" + "\n".join(f"gbrowse {example}" for example in command.examples) + "\n```")
    return "\n\n".join(blocks)


def _capitalise(text: str) -> str:
    return text[:1].upper() + text[1:]
