"""Install and remove skills: unmodified files are updated, files changed by a person are kept.

Everything is read and decided before anything is written, so that a refusal (a symbolic link) changes nothing.
"""

from collections.abc import Iterable, Sequence
from enum import Enum
from typing import NamedTuple

from gstack_browse import __version__
from gstack_browse.agent.skills import destinations, manifest, packaged
from gstack_browse.agent.skills.destinations import Destination, ListingResult
from gstack_browse.agent.skills.hosts import GENERIC
from gstack_browse.agent.skills.manifest import InstalledSkill, hash_content, is_higher
from gstack_browse.agent.skills.packaged import MAIN, Skill, adapt_to_host


class InstallStep(Enum):
    """The step that is taken for a file; the values are printed."""

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


def decide_step(on_disk: bytes | None, recorded: str | None, wanted: bytes) -> InstallStep:
    """Decide what installing does with one file of a skill.

    Args:
        on_disk: its content, None if it does not exist
        recorded: its hash when gbrowse wrote it, None if it did not
        wanted: the content of this version
    """
    if on_disk is None:
        return InstallStep.NEW
    if on_disk == wanted:
        return InstallStep.SAME
    if recorded is None:
        return InstallStep.FOREIGN
    return InstallStep.RENEWED if hash_content(on_disk) == recorded else InstallStep.CHANGED


def render_for(skill: Skill, destination: Destination) -> dict[str, bytes]:
    """Return path → content of a skill's files, in the wording of the program that reads the folder."""
    return {path: adapt_to_host(text, destination.host).encode() for path, text in skill.files.items()}


def choose_skills(destination: Destination, names: Sequence[str]) -> list[Skill]:
    """Return the skills to install in a folder: the named ones, else those installed there, else all.

    If another program is to read the folder from now on, the installed ones are added, as their wording depends on the readers.
    """
    known = packaged.list_names()
    there = [name for name in destination.manifest.skills if name in known]
    if not names:
        return packaged.load_skills(there or known)
    has_new_reader = destination.manifest.hosts != [host.name for host in destination.hosts]
    return packaged.load_skills(list(dict.fromkeys([*names, *(there if has_new_reader else ())])))


def plan_changes(destination: Destination, skills: Iterable[Skill]) -> list[Change]:
    """Return the changes installing would make, with removal of skills that gbrowse no longer has.

    Changes nothing. Raises Refused if something else than a plain file is in the way.
    """
    for path in (f"{destination.folder}/{manifest.NAME}", destination.listing):
        if path:
            destination.tree.read(path)
    changes = [change for skill in skills for change in _plan_skill(destination, skill)]
    dropped = set(destination.manifest.skills) - set(packaged.list_names())
    return changes + [change for name in sorted(dropped) for change in _plan_removal(destination, name)]


def install_skills(
    destination: Destination, skills: Sequence[Skill]
) -> tuple[list[Change], ListingResult | None]:
    """Install skills in a folder: write changed files, the list in AGENTS.md, and the manifest.

    Returns the changes, and what became of the list (None without one). Raises Refused and FileFailed.
    """
    changes = plan_changes(destination, skills)
    record = destination.manifest
    for change in changes:
        path = f"{destination.folder}/{change.skill}/{change.path}"
        if change.step in (InstallStep.NEW, InstallStep.RENEWED):
            destination.tree.write(path, change.content)
        is_ours = change.step in (InstallStep.NEW, InstallStep.RENEWED, InstallStep.SAME)
        if change.content and (is_ours or change.step is InstallStep.CHANGED):
            known = record.skills.setdefault(change.skill, InstalledSkill(__version__))
            known.version = __version__
            if is_ours:  # of a file changed by hand the old hash stays, to detect that
                known.files[change.path] = hash_content(change.content)
    _remove_files(destination, [change for change in changes if not change.content])
    record.hosts = [host.name for host in destination.hosts]
    listed = _update_listing(destination)
    manifest.save_manifest(destination.tree, destination.folder, record)
    return changes, listed


def drop_hosts(destination: Destination, names: Sequence[str]) -> Destination:
    """Record that programs no longer read a folder's skills; rewrite these for its other readers.

    Returns the destination without them.
    """
    remaining = destination._replace(hosts=tuple(host for host in destination.hosts if host.name not in names))
    install_skills(remaining, choose_skills(remaining, ()))
    return remaining


def remove_skills(destination: Destination, names: Iterable[str]) -> tuple[list[Change], ListingResult | None]:
    """Remove the named skills from a folder; files that a person has changed stay.

    Returns the changes, and what became of the list in AGENTS.md (None without one). Raises Refused and FileFailed.
    """
    changes = [change for name in names for change in _plan_removal(destination, name)]
    if destination.listing:
        destination.tree.read(destination.listing)
    for name in dict.fromkeys(change.skill for change in changes):
        _remove_files(destination, [change for change in changes if change.skill == name])
        destination.manifest.skills.pop(name, None)
        destination.tree.prune(f"{destination.folder}/{name}")
    listed = _update_listing(destination)
    manifest.save_manifest(destination.tree, destination.folder, destination.manifest)
    return changes, listed


def _update_listing(destination: Destination) -> ListingResult | None:
    """Update the list of installed skills in AGENTS.md, and return what was done; None if none is needed."""
    path = destination.listing or (GENERIC.listing if destination.manifest.listing else "")
    if not path:
        return None
    there = [skill for skill in packaged.load_skills() if skill.name in destination.manifest.skills]
    wanted = destinations.render_list(destination, there) if there and destination.listing else ""
    return destinations.write_list(destination, path, wanted)


def _plan_skill(destination: Destination, skill: Skill) -> list[Change]:
    """Return the changes that would install a skill in a folder.

    If it must be left alone: one change, with step NEWER (of a newer gbrowse) or FOREIGN (not ours).
    """
    known = destination.manifest.skills.get(skill.name, InstalledSkill(""))
    if is_higher(known.version, __version__):
        return [Change(skill.name, MAIN, InstallStep.NEWER)]
    files = render_for(skill, destination)
    changes = [
        Change(
            skill.name,
            path,
            decide_step(_read_file(destination, skill.name, path), known.files.get(path), content),
            content,
        )
        for path, content in files.items()
    ]
    if foreign := [change for change in changes if change.path == MAIN and change.step is InstallStep.FOREIGN]:
        return foreign
    gone = [path for path in known.files if path not in files]
    return changes + [Change(skill.name, path, _removal_step(destination, skill.name, path)) for path in gone]


def _plan_removal(destination: Destination, name: str) -> list[Change]:
    """Return the changes that would remove an installed skill from a folder."""
    files = destination.manifest.skills[name].files
    return [Change(name, path, _removal_step(destination, name, path)) for path in files]


def _removal_step(destination: Destination, name: str, path: str) -> InstallStep:
    """Return the step that removing skill `name` takes for a file: REMOVED, or CHANGED (edited, so kept)."""
    on_disk = _read_file(destination, name, path)
    is_ours = on_disk is None or hash_content(on_disk) == destination.manifest.skills[name].files[path]
    return InstallStep.REMOVED if is_ours else InstallStep.CHANGED


def _remove_files(destination: Destination, changes: Iterable[Change]) -> None:
    """Remove the REMOVED files and empty directories; drop REMOVED and CHANGED files from the manifest."""
    for change in changes:
        path = f"{destination.folder}/{change.skill}/{change.path}"
        if change.step is InstallStep.REMOVED:
            destination.tree.remove(path)
        if change.step in (InstallStep.REMOVED, InstallStep.CHANGED):
            known = destination.manifest.skills[change.skill]
            known.files.pop(change.path, None)
            destination.tree.prune(path.rpartition("/")[0])


def _read_file(destination: Destination, name: str, path: str) -> bytes | None:
    """Return the content of the installed file `path` of skill `name`; None if it does not exist."""
    return destination.tree.read(f"{destination.folder}/{name}/{path}")
