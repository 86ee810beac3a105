"""Skills: what coding agents read to use gbrowse, and where it is installed."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from gstack_browse.agent.local.caller import Caller
from gstack_browse.errors import ActionFailed, SetupFailed, UsageError
from gstack_browse.registry import META, READ, command
from gstack_browse.registry.arguments import Word
from gstack_browse.registry.values.argument_type import ArgumentType, Repeatable
from gstack_browse.registry.values.paths import CallerPaths
from gstack_browse.text.units import format_count

if TYPE_CHECKING:
    from gstack_browse.agent.skills.destinations import Destination
    from gstack_browse.agent.skills.manifest import FileTree


def _parse_host(word: str, place: CallerPaths) -> str:
    """Return `word`. Raises UsageError unless it names a program that reads skills, such as "claude"."""
    from gstack_browse.agent.skills.hosts import HOSTS

    if word not in HOSTS:
        raise UsageError(f"{word[:60]!a} is no host", f"Hosts: {', '.join(HOSTS)}")
    return word


Hosts = Annotated[
    Sequence[str],
    ArgumentType("host", "claude, codex, cursor, opencode, factory or agents", _parse_host),
    Repeatable,
]
SkillName = Annotated[str, ArgumentType("name", "a skill, as 'skills' lists it", lambda word, place: word)]


@command(READ, examples=["skills"])
def skills(caller: Caller) -> str:
    """List the skills of this gbrowse: what each is for, and where it is installed."""
    from gstack_browse.agent.skills import destinations, packaged

    return destinations.render_overview(packaged.load_descriptions(), _find_installed(caller))


@command(READ, examples=["skill browse", "skill browse references/commands.md"])
def skill(caller: Caller, name: SkillName, file: Word = "SKILL.md") -> str:
    """Print a skill, or another of its files, as it is installed here.

    file: one of its files, in place of SKILL.md
    """
    from gstack_browse.agent.skills import destinations, packaged

    return destinations.render_skill_file(packaged.load_skill(name), file, _find_installed(caller))


@command(
    META,
    examples=[
        "skills-install --host claude",
        "skills-install --host claude --local",
        "skills-install browse --host codex --global",
    ],
)
def skills_install(
    caller: Caller, *names: SkillName, host: Hosts = (), global_: bool = False, local: bool = False
) -> str:
    """Install skills where coding agents find them, or bring those that are installed up to date.

    Without names: those that are installed, or else all. Without --host: the programs for which skills are installed, or
    that the project shows (.claude, .codex, AGENTS.md …), or else the home directory. A file that a person has changed is
    kept, and nothing is written outside the project, or the home directory with --global.

    host: the program that is to read them: claude, codex, cursor, opencode, factory, or agents for AGENTS.md
    global_: for all projects, in the home directory
    local: for this project, as without --global
    """
    from gstack_browse.agent.skills import check, destinations, install, packaged

    if global_ and local:
        raise UsageError("--global and --local exclude each other")
    project, home = _open_trees(caller)
    tree = home if global_ else project
    found = [] if host else destinations.find_installed(tree, is_global=global_)
    if not found:
        hosts = destinations.choose_hosts(project, home, host, is_global=global_)
        found = destinations.plan_destinations(tree, hosts, is_global=global_)
    wanted = [(item, install.choose_skills(item, names)) for item in found]
    for item, chosen in wanted:
        install.plan_changes(item, chosen)  # raises before anything is written
    lines = []
    for item, chosen in wanted:
        lines.append(check.render_installation(item, *install.install_skills(item, chosen)))
        lines += [line] if (line := check.render_not_installed(packaged.list_names(), item)) else []
    return "\n".join(lines)


@command(META, examples=["skills-remove", "skills-remove --host claude --global"])
def skills_remove(caller: Caller, *names: SkillName, host: Hosts = (), global_: bool = False) -> str:
    """Remove skills that skills-install has written. Files that a person has changed stay.

    host: only for this program; what others read in the same folder stays
    global_: those in the home directory, in place of the project's
    """
    from gstack_browse.agent.skills import destinations

    project, home = _open_trees(caller)
    found = [
        item
        for item in destinations.find_installed(home if global_ else project, is_global=global_)
        if not host or any(reader.name in host for reader in item.hosts)
    ]
    known = {name for item in found for name in item.manifest.skills}
    if missing := [name for name in names if name not in known]:
        raise UsageError(
            f"{', '.join(missing)} is not installed", f"Installed: {', '.join(sorted(known)) or 'none'}"
        )
    lines = [line for item in found if (line := _remove_from_folder(item, names, host))]
    return "\n".join(lines) or "No skills are installed here: nothing to remove"


def _remove_from_folder(item: "Destination", names: Sequence[str], hosts: Sequence[str]) -> str:
    """Remove skills from one folder, and return the reply's text on it; "" if there is nothing to remove.

    `hosts`: remove them only for these programs; () for all. Raises UsageError if other programs also read the skills.
    """
    from gstack_browse.agent.skills import check, install

    others = [reader.title for reader in item.hosts if hosts and reader.name not in hosts]
    if others and names:
        hint = "Without --host they are removed for all of them"
        raise UsageError(f"{item.display_path} is also read by {', '.join(others)}", hint)
    if others:
        return f"{item.display_path}: stays for {install.drop_hosts(item, hosts).host_titles}"
    chosen = [name for name in names or item.manifest.skills if name in item.manifest.skills]
    return check.render_removal(item, *install.remove_skills(item, chosen)) if chosen else ""


@command(READ, examples=["skills-check"])
def skills_check(caller: Caller) -> str:
    """Check the installed skills: up to date, changed by hand, valid for hosts, short, commands known.

    Each must be short enough, and gbrowse must know every command in them. Fails with 1 if there is a problem.
    Commands are looked up in files that a person has changed; those of others were looked up when this gbrowse
    was made.
    """
    from gstack_browse.agent.local.subprocesses import run_module
    from gstack_browse.agent.skills import check

    def check_commands(text: str) -> list[str]:
        # in another process, as importing all commands takes half a second
        return run_module("gstack_browse.agent.docgen.wrong_lines", text, caller).splitlines()

    found = _find_installed(caller)
    rows = [(item, row) for item in found for row in check.check_skills(item, check_commands)]
    if not rows:
        return "No skills are installed here. Run: gbrowse skills-install"
    text = check.render_table(rows)
    if problems := sum(len(row.problems) for _, row in rows):
        raise ActionFailed(
            f"{format_count(problems, 'problem')} with the installed skills", "See the list above", output=text
        )
    return text


def _open_trees(caller: Caller) -> "tuple[FileTree, FileTree]":
    """Return the file trees of project and home directory. Raises SetupFailed without a home directory."""
    from gstack_browse.agent.skills.manifest import FileTree

    home = caller.environment.get("HOME", "")
    if not home.startswith("/"):
        raise SetupFailed("There is no home directory", "Set HOME")
    return FileTree(str(caller.paths.workspace)), FileTree(home)


def _find_installed(caller: Caller) -> "list[Destination]":
    """Return all folders in project and home directory into which gbrowse has installed skills."""
    from gstack_browse.agent.skills.destinations import find_everywhere

    return find_everywhere(str(caller.paths.workspace), caller.environment.get("HOME", ""))
