"""Installing skills and removing them: what is untouched is renewed, what a person changed is kept.

First everything is read and decided, then written: what is refused (a symbolic link) is refused before anything has changed.
"""

from collections.abc import Iterable, Sequence
from enum import Enum
from typing import NamedTuple

from gstack_browse import __version__
from gstack_browse.skills import listing, manifest, packaged
from gstack_browse.skills.destinations import Destination
from gstack_browse.skills.hosts import GENERIC
from gstack_browse.skills.listing import Listed
from gstack_browse.skills.manifest import Installed, digest
from gstack_browse.skills.packaged import MAIN, Skill
from gstack_browse.skills.passages import for_host
from gstack_browse.skills.versions import is_higher


class InstallStep(Enum):
    """What becomes of a file."""

    NEW = "new"
    RENEWED = "renewed"
    SAME = "unchanged"
    CHANGED = "changed by hand, kept"
    FOREIGN = "not from gbrowse, left alone"
    NEWER = "from a newer gbrowse, left alone"
    REMOVED = "removed"


class Change(NamedTuple):
    """A change to one file of a skill; `content` is the new content."""

    skill: str
    path: str
    step: InstallStep
    content: bytes = b""


def step_for(on_disk: bytes | None, recorded: str | None, wanted: bytes) -> InstallStep:
    """What becomes of a file that was written with the hash `recorded` and is to hold `wanted`."""
    if on_disk is None:
        return InstallStep.NEW
    if on_disk == wanted:
        return InstallStep.SAME
    if recorded is None:
        return InstallStep.FOREIGN
    return InstallStep.RENEWED if digest(on_disk) == recorded else InstallStep.CHANGED


def rendered(skill: Skill, destination: Destination) -> dict[str, bytes]:
    """The skill's files as the folder's hosts are to read them."""
    return {path: for_host(text, destination.host).encode() for path, text in skill.files.items()}


def chosen(destination: Destination, names: Sequence[str]) -> list[Skill]:
    """The skills to install: the named ones; without names the installed ones, or else all.

    All that are installed are written anew when the folder gets another reader, who may call things otherwise.
    """
    known = packaged.names()
    there = [name for name in destination.manifest.skills if name in known]
    if not names:
        return packaged.skills(there or known)
    has_new_reader = destination.manifest.hosts != [host.name for host in destination.hosts]
    return packaged.skills(list(dict.fromkeys([*names, *(there if has_new_reader else ())])))


def plan(destination: Destination, skills: Iterable[Skill]) -> list[Change]:
    """What installing would do. Raises Refused for a link or anything else that is no plain file."""
    for path in (f"{destination.folder}/{manifest.NAME}", destination.listing):
        if path:
            destination.tree.read(path)
    changes = [change for skill in skills for change in _plan(destination, skill)]
    dropped = set(destination.manifest.skills) - set(packaged.names())
    return changes + [change for name in sorted(dropped) for change in _removal(destination, name)]


def install(destination: Destination, skills: Sequence[Skill]) -> tuple[list[Change], Listed | None]:
    """Write what is to be written, and the manifest. Raises Refused, FileFailed."""
    changes = plan(destination, skills)
    record = destination.manifest
    for change in changes:
        path = f"{destination.folder}/{change.skill}/{change.path}"
        if change.step in (InstallStep.NEW, InstallStep.RENEWED):
            destination.tree.write(path, change.content)
        _record(record, change)
    _remove(destination, [change for change in changes if not change.content])
    record.hosts = [host.name for host in destination.hosts]
    listed = _list(destination)
    manifest.save(destination.tree, destination.folder, record)
    return changes, listed


def leave(destination: Destination, names: Sequence[str]) -> Destination:
    """Write the folder's files for the remaining readers when the named readers no longer want them."""
    remaining = destination._replace(hosts=tuple(host for host in destination.hosts if host.name not in names))
    install(remaining, chosen(remaining, ()))
    return remaining


def remove(destination: Destination, names: Iterable[str]) -> tuple[list[Change], Listed | None]:
    """Remove what gbrowse has written and nobody has changed; what remains is the person's. Raises Refused, FileFailed."""
    changes = [change for name in names for change in _removal(destination, name)]
    if destination.listing:
        destination.tree.read(destination.listing)
    for name in dict.fromkeys(change.skill for change in changes):
        _remove(destination, [change for change in changes if change.skill == name])
        destination.manifest.skills.pop(name, None)
        destination.tree.prune(f"{destination.folder}/{name}")
    listed = _list(destination)
    manifest.save(destination.tree, destination.folder, destination.manifest)
    return changes, listed


def _list(destination: Destination) -> Listed | None:
    """Bring the list in AGENTS.md up to date; None where there is none, and is to be none."""
    path = destination.listing or (GENERIC.listing if destination.manifest.listing else "")
    if not path:
        return None
    there = [skill for skill in packaged.skills() if skill.name in destination.manifest.skills]
    wanted = listing.block(destination, there) if there and destination.listing else ""
    return listing.write(destination, path, wanted)


def _plan(destination: Destination, skill: Skill) -> list[Change]:
    known = destination.manifest.skills.get(skill.name, Installed(""))
    if is_higher(known.version, __version__):
        return [Change(skill.name, MAIN, InstallStep.NEWER)]
    files = rendered(skill, destination)
    changes = [
        Change(
            skill.name,
            path,
            step_for(_read(destination, skill.name, path), known.files.get(path), content),
            content,
        )
        for path, content in files.items()
    ]
    if foreign := [change for change in changes if change.path == MAIN and change.step is InstallStep.FOREIGN]:
        return foreign
    gone = [path for path in known.files if path not in files]
    return changes + [Change(skill.name, path, _removed(destination, skill.name, path)) for path in gone]


def _removal(destination: Destination, name: str) -> list[Change]:
    files = destination.manifest.skills[name].files
    return [Change(name, path, _removed(destination, name, path)) for path in files]


def _removed(destination: Destination, name: str, path: str) -> InstallStep:
    on_disk = _read(destination, name, path)
    is_ours = on_disk is None or digest(on_disk) == destination.manifest.skills[name].files[path]
    return InstallStep.REMOVED if is_ours else InstallStep.CHANGED


def _record(record: manifest.Manifest, change: Change) -> None:
    """Note what was written. Of a file that was changed by hand the old hash stays, by which that is seen."""
    if (
        change.step in (InstallStep.NEW, InstallStep.RENEWED, InstallStep.SAME, InstallStep.CHANGED)
        and change.content
    ):
        known = record.skills.setdefault(change.skill, Installed(__version__))
        known.version = __version__
        if change.step is not InstallStep.CHANGED:
            known.files[change.path] = digest(change.content)


def _remove(destination: Destination, changes: Iterable[Change]) -> None:
    """Remove unchanged files, and directories that are empty afterwards; forget the files that a person has changed."""
    for change in changes:
        path = f"{destination.folder}/{change.skill}/{change.path}"
        if change.step is InstallStep.REMOVED:
            destination.tree.remove(path)
        if change.step in (InstallStep.REMOVED, InstallStep.CHANGED):
            known = destination.manifest.skills[change.skill]
            known.files.pop(change.path, None)
            destination.tree.prune(path.rpartition("/")[0])


def _read(destination: Destination, name: str, path: str) -> bytes | None:
    return destination.tree.read(f"{destination.folder}/{name}/{path}")
