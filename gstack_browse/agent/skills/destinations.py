"""Choose the programs and folders to install skills for."""

from collections.abc import Iterable
from typing import NamedTuple

from gstack_browse.agent.skills import manifest
from gstack_browse.agent.skills.hosts import GENERIC, HOSTS, Host
from gstack_browse.agent.skills.manifest import Manifest
from gstack_browse.agent.skills.tree import FileTree
from gstack_browse.errors import UsageError


class Destination(NamedTuple):
    """A folder of skills below the project or the home directory, its manifest, and its readers."""

    tree: FileTree
    folder: str
    manifest: Manifest
    hosts: tuple[Host, ...]
    is_global: bool

    @property
    def host(self) -> Host:
        """The program that the files are written for: the only reader, or GENERIC for several."""
        return self.hosts[0] if len(self.hosts) == 1 else GENERIC

    @property
    def shown(self) -> str:
        """The folder as messages name it: `~/.claude/skills`."""
        return f"~/{self.folder}" if self.is_global else self.folder

    @property
    def titles(self) -> str:
        """The readers' names for people."""
        return ", ".join(host.title for host in self.hosts) or "no host"

    @property
    def listing(self) -> str:
        """The file in which a program that finds no skills itself reads of them, AGENTS.md; "" for none."""
        return "" if self.is_global else next((host.listing for host in self.hosts if host.listing), "")


def choose_hosts(project: FileTree, home: FileTree, names: Iterable[str], *, is_global: bool) -> list[Host]:
    """Return the named programs; without names those of the project, else those of the home directory.

    Raises UsageError if none is found.
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
    """Return each folder to install in, with the programs that read it.

    A program that also reads a folder already in use gets none of its own, so that it finds each skill once.
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
    """Return every folder below the tree in which gbrowse has installed skills."""
    folders = dict.fromkeys(host.user if is_global else host.project for host in HOSTS.values())
    found = [_open_destination(tree, folder, [], is_global=is_global) for folder in folders]
    return [destination for destination in found if destination.manifest.skills]


def _open_destination(tree: FileTree, folder: str, hosts: list[Host], *, is_global: bool) -> Destination:
    """Read a folder's manifest and add `hosts` to its readers."""
    record = manifest.load_manifest(tree, folder)
    names = dict.fromkeys([*record.hosts, *(host.name for host in hosts)])
    return Destination(tree, folder, record, tuple(HOSTS[name] for name in names), is_global)
