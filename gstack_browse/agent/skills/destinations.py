"""Choose where skills are installed, and keep the list of installed skills in AGENTS.md.

The list stands between two marks. The rest of the file is a person's.
"""

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from typing import NamedTuple

from gstack_browse import __version__
from gstack_browse.agent.skills import manifest
from gstack_browse.agent.skills.hosts import GENERIC, HOSTS, MAX_AGENTS_FILE, Host
from gstack_browse.agent.skills.manifest import FileTree, Manifest, hash_content, is_higher
from gstack_browse.agent.skills.packaged import MAIN, Skill, replace_host_phrases, strip_header
from gstack_browse.errors import UsageError

BEGIN = "<!-- gbrowse skills: begin -->"
END = "<!-- gbrowse skills: end -->"


class Destination(NamedTuple):
    """A folder of skills below the project or the home directory, and the programs that read it."""

    tree: FileTree
    folder: str
    manifest: Manifest
    hosts: tuple[Host, ...]
    is_global: bool

    @property
    def host(self) -> Host:
        """Return the program that the files are written for: the only reader, or GENERIC for several."""
        return self.hosts[0] if len(self.hosts) == 1 else GENERIC

    @property
    def display_path(self) -> str:
        """Return the folder as messages name it: `~/.claude/skills`."""
        return f"~/{self.folder}" if self.is_global else self.folder

    @property
    def host_titles(self) -> str:
        """Return the names of the programs that read the folder: `Claude Code, Codex`."""
        return ", ".join(host.title for host in self.hosts) or "no host"

    @property
    def listing(self) -> str:
        """Return the file that must list the skills for a program that reads this folder: AGENTS.md.

        "" for none.
        """
        return "" if self.is_global else next((host.listing for host in self.hosts if host.listing), "")


def choose_hosts(project: FileTree, home: FileTree, names: Iterable[str], *, is_global: bool) -> list[Host]:
    """Return the programs to install skills for: those named, else used in the project, else at home.

    `is_global`: without names, look only in the home directory. Raises UsageError if none is found.
    """
    if chosen := [HOSTS[name] for name in dict.fromkeys(names)]:
        return chosen
    in_project = [host for host in HOSTS.values() if any(project.exists(sign) for sign in host.signs)]
    at_home = [host for host in HOSTS.values() if any(home.exists(sign) for sign in host.user_signs)]
    found = at_home if is_global or not in_project else in_project
    skilled = [host for host in found if not host.listing]
    if found:
        return skilled or found
    raise UsageError(
        "Neither the project nor the home directory shows which program is to read the skills",
        f"Name one: gbrowse skills-install --host claude (or {', '.join(name for name in HOSTS if name != 'claude')})",
    )


def plan_destinations(tree: FileTree, hosts: Iterable[Host], *, is_global: bool = False) -> list[Destination]:
    """Return the folders in which to install skills for `hosts`, each with the programs that read it.

    `is_global`: the tree is the home directory. A program that also reads a folder already in use gets none of its own, so that it
    finds each skill once.
    """
    readers: dict[str, list[Host]] = {}
    for host in sorted(hosts, key=lambda host: len(host.reads)):
        used = [
            folder for folder in host.reads if folder in readers or manifest.load_manifest(tree, folder).skills
        ]
        folder = host.user if is_global else (used or [host.project])[0]
        readers.setdefault(folder, []).append(host)
    return [_open_destination(tree, folder, found, is_global=is_global) for folder, found in readers.items()]


def find_installed(tree: FileTree, *, is_global: bool = False) -> list[Destination]:
    """Return every folder of the tree with skills of gbrowse. `is_global`: the tree is the home directory."""
    folders = dict.fromkeys(host.user if is_global else host.project for host in HOSTS.values())
    found = [_open_destination(tree, folder, [], is_global=is_global) for folder in folders]
    return [destination for destination in found if destination.manifest.skills]


def _open_destination(tree: FileTree, folder: str, hosts: list[Host], *, is_global: bool) -> Destination:
    """Return a folder of skills with its manifest; `hosts` are added to the programs that read it."""
    record = manifest.load_manifest(tree, folder)
    names = dict.fromkeys([*record.hosts, *(host.name for host in hosts)])
    return Destination(tree, folder, record, tuple(HOSTS[name] for name in names), is_global)


class ListingResult(Enum):
    """The result of updating the list; the values are printed."""

    WRITTEN = "lists the skills"
    SAME = "unchanged"
    CHANGED = "the list was changed by hand, kept"
    TOO_LONG = f"would be longer than {MAX_AGENTS_FILE} bytes, which programs cut off; not changed"
    REMOVED = "the list is removed"
    NONE = "has no list"


def render_list(destination: Destination, skills: list[Skill]) -> str:
    """Render the list of installed skills for AGENTS.md, between the marks BEGIN and END."""
    lines = [
        f"- {skill.name} (`{destination.folder}/{skill.name}/{MAIN}`): {skill.description}" for skill in skills
    ]
    intro = "Read the file of a skill before you do what it is for."
    return "\n".join([BEGIN, "## Skills of gbrowse", "", intro, "", *lines, END])


def write_list(destination: Destination, path: str, wanted: str) -> ListingResult:
    """Put the list of skills (`wanted`, from `render_list`) into the file `path` of a destination's tree.

    "" removes the list. The rest of the file stays, and so does a list that a person has changed.
    """
    content = (destination.tree.read(path) or b"").decode("utf-8", "surrogateescape")
    before, found, rest = content.partition(BEGIN)
    inside, closed, after = rest.partition(END)
    old = f"{BEGIN}{inside}{END}" if found and closed else ""
    if (found and not closed) or (old and hash_content(_encode(old)) != destination.manifest.listing):
        return ListingResult.CHANGED
    if old == wanted:
        return ListingResult.SAME if old else ListingResult.NONE
    text = _join_parts(before if old else content, wanted, after)
    if wanted and len(_encode(text)) > MAX_AGENTS_FILE:
        return ListingResult.TOO_LONG
    destination.manifest.listing = hash_content(_encode(wanted)) if wanted else ""
    if text:
        destination.tree.write(path, _encode(text))
    else:
        destination.tree.remove(path)
    return ListingResult.WRITTEN if wanted else ListingResult.REMOVED


def _join_parts(before: str, middle: str, after: str) -> str:
    """Join three parts of a file by empty lines, leaving out blank parts."""
    parts = [part for part in (before.rstrip("\n"), middle, after.strip("\n")) if part.strip()]
    return "\n\n".join(parts) + "\n" if parts else ""


def _encode(text: str) -> bytes:
    """Encode a text as UTF-8; surrogates become the malformed bytes that they were decoded from."""
    return text.encode("utf-8", "surrogateescape")


def find_everywhere(project: str, home: str) -> list[Destination]:
    """Return every folder with skills of gbrowse, in a project and a home directory ("" for none)."""
    found = find_installed(FileTree(project))
    if home.startswith("/") and home.rstrip("/") != project.rstrip("/"):
        found += find_installed(FileTree(home), is_global=True)
    return found


def find_outdated(destinations: Iterable[Destination]) -> list[str]:
    """Return the sorted names of those skills in the folders that an older gbrowse installed."""
    return sorted(
        {
            name
            for destination in destinations
            for name, known in destination.manifest.skills.items()
            if is_higher(__version__, known.version)
        }
    )


def render_overview(skills: Mapping[str, str], destinations: Sequence[Destination]) -> str:
    """Render the reply of `skills`: a line per skill with its purpose, then one per folder with skills.

    `skills`: name → description.
    """
    width = max(map(len, skills))
    lines = [f"Skills of gbrowse {__version__}:"]
    lines += [f"  {name:<{width}}  {_cut_first_sentence(description)}" for name, description in skills.items()]
    for item in destinations:
        installed = ", ".join(f"{name} {known.version}" for name, known in sorted(item.manifest.skills.items()))
        lines.append(f"Installed in {item.display_path} for {item.host_titles}: {installed}")
    if not destinations:
        lines.append("None is installed here. Run: gbrowse skills-install")
    elif old := find_outdated(destinations):
        lines.append(f"Out of date: {', '.join(old)}. Run: gbrowse skills-install")
    return "\n".join(lines)


def render_skill_file(skill: Skill, file: str, destinations: Sequence[Destination]) -> str:
    """Return a file's text as the command `skill` prints it, with the names of the skill's other files.

    Its phrases are those of the program that reads the first of `destinations`. Raises UsageError for an unknown file.
    """
    if file not in skill.files:
        raise UsageError(f"{skill.name} has no file {file[:60]!a}", f"There are: {', '.join(skill.files)}")
    host = destinations[0].host if destinations else GENERIC
    text = strip_header(replace_host_phrases(skill.files[file], host))
    if file != MAIN or len(skill.files) == 1:
        return text
    others = "\n".join(f"gbrowse skill {skill.name} {path}" for path in skill.files if path != MAIN)
    return f"{text}\n\n<!-- its other files -->\n{others}"


def _cut_first_sentence(text: str) -> str:
    """Return a text's first sentence without its full stop, cut at 110 characters."""
    first = text.partition(". ")[0].rstrip(".")
    return first if len(first) <= 110 else first[:109] + "…"
