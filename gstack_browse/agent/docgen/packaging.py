"""Generate the files that package managers and agents' marketplaces look for.

These are the manual page, the completions and the list of skills, each at the path where it is looked for.
"""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from gstack_browse import __version__
from gstack_browse.agent.skills import packaged
from gstack_browse.errors import EXIT_CODES
from gstack_browse.registry import Command, Registry
from gstack_browse.registry.completion import render_script
from gstack_browse.registry.usage import argument_rows, option_rows, usage

_HEAD = """\
.\\" Written by `python -m gstack_browse.agent.docgen --write` from the declarations in gstack_browse/commands.
.TH GBROWSE 1 "" "gbrowse {version}" "User Commands"
.nh
.SH NAME
gbrowse \\- a browser that stays open between commands
.SH SYNOPSIS
.B gbrowse
[\\fB\\-\\-as\\fR \\fINAME\\fR [\\fB\\-\\-share\\fR \\fINAME\\fR]] [\\fB\\-\\-tab\\fR \\fIN\\fR] [\\fB\\-\\-timeout\\fR \\fIMS\\fR]
[\\fB\\-\\-json\\fR] [\\fB\\-\\-fence\\fR] [\\fB\\-\\-any\\-download\\fR] \\fIcommand\\fR [\\fIarguments\\fR]
.SH DESCRIPTION
A daemon holds Chromium open, one for each workspace. Each command is a line that it answers within its deadline.
The first command starts the daemon; \\fBgbrowse stop\\fR ends it, and so do thirty idle minutes.
.SH OPTIONS
They stand before the command.
"""

_OPTIONS = (
    ("--as NAME", "Work in the browser context of that name, with --share NAME with the logins of that one."),
    ("--tab N", "Act on that tab without switching to it."),
    ("--timeout MS", "Replace the command's deadline."),
    ("--json", "Print the JSON reply."),
    ("--fence, --no-fence", "Mark what comes from a page, or do not."),
    ("--any-download", "Let pages download several files until the next command."),
    ("--help", "Print help for those who begin."),
    ("--version", "Print the version."),
)

_FILES = (
    (".gstack/", "The workspace's socket, logs and saved state: at the root of the git repository, or here."),
    ("gbrowse.toml", "Settings of the workspace that can do no harm."),
    ("~/.config/gbrowse/config.toml", "Settings of a person."),
)

_SEE_ALSO = "\\fBgbrowse help\\fR \\fIcommand\\fR says the same of one command, \\fBgbrowse config\\fR lists the settings.\n"


def render_manual(registry: Registry) -> str:
    """Render the manual page gbrowse(1) in roff."""
    exit_codes = [(str(code), meaning) for code, (meaning, _) in EXIT_CODES.items()]
    parts = [_HEAD.format(version=__version__), *_render_rows(_OPTIONS), ".SH COMMANDS\n"]
    for family, commands in registry.by_family():
        parts.append(f".SS {escape_roff(family.title)}\n")
        for index, command in enumerate(commands):
            parts += [".PP\n"] if index else []  # a heading has begun a paragraph
            parts += _render_command(command)
    parts += [".SH EXIT STATUS\n", *_render_rows(exit_codes), ".SH FILES\n", *_render_rows(_FILES)]
    parts += [".SH SEE ALSO\n", _SEE_ALSO]
    return "".join(parts)


def _render_command(command: Command) -> Iterator[str]:
    """Yield the roff source of a command's part of the manual page, piece by piece."""
    yield f"\\fB{escape_roff(usage(command))}\\fR\n.RS 4\n{_render_paragraphs(command.summary)}"
    if command.details:
        yield ".PP\n" + _render_paragraphs(command.details)
    yield from _render_rows(argument_rows(command) + option_rows(command))
    if command.aliases:
        yield f".PP\nAlso called: {escape_roff(', '.join(command.aliases))}.\n"
    yield ".RE\n"


def _render_rows(rows: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield the roff source of a list of terms with explanations. `rows`: (term, explanation)."""
    for left, right in rows:
        yield f".TP\n\\fB{escape_roff(left)}\\fR\n{_render_paragraphs(right)}"


def _render_paragraphs(text: str) -> str:
    """Render a text as roff source; its empty lines separate paragraphs."""
    return "".join(f"{escape_roff(line)}\n" if line.strip() else ".PP\n" for line in text.splitlines())


def escape_roff(text: str) -> str:
    """Escape a line so that roff shows it as it is, with hyphens that can be copied as such.

    At the beginning of a line, a dot or an apostrophe would be an order to roff. Not every roff reads UTF-8.
    """
    shown = text.replace("\\", "\\e").replace("-", "\\-")
    shown = "".join(one if one.isascii() else f"\\[u{ord(one):04X}]" for one in shown)
    return f"\\&{shown}" if shown.startswith((".", "'")) else shown


SHARE = "deploy/share"
"""What the wheel installs as `share/`; distributions use the same folders below `/usr/share`."""

_COMPLETIONS = {
    "bash": "bash-completion/completions/gbrowse",
    "zsh": "zsh/site-functions/_gbrowse",
    "fish": "fish/vendor_completions.d/gbrowse.fish",
}
_STUB = "./deploy/skills/gbrowse"


def generate_packaging(root: Path, registry: Registry) -> dict[Path, str]:
    """Return path → full text of manual page, completions and marketplace.json in the repository `root`."""
    share = root / SHARE
    return {
        share / "man/man1/gbrowse.1": render_manual(registry),
        **{share / path: render_script(registry, shell) + "\n" for shell, path in _COMPLETIONS.items()},
        root / ".claude-plugin/marketplace.json": render_marketplace(),
    }


def render_marketplace() -> str:
    """Return the text of marketplace.json, the list of skills for Claude Code and `npx skills add`."""
    names = packaged.list_names()
    whole = "All skills: browse, test, review and design with a Chromium that stays open."
    stub = "One short skill that has the installed gbrowse print the skill of its own version."
    plugins = (
        ("gbrowse", whole, [f"./gstack_browse/agent/skills/{name}" for name in names]),
        ("gbrowse-stub", stub, [_STUB]),
    )
    fields = {
        "name": "gbrowse",
        "owner": {"name": "gbrowse"},
        "metadata": {"description": "Skills that drive a browser from the shell", "version": __version__},
        "plugins": [
            {"name": name, "source": "./", "description": description, "strict": False, "skills": skills}
            for name, description, skills in plugins
        ],
    }
    return json.dumps(fields, indent=2) + "\n"
