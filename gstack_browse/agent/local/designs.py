"""Designs: keep the designs of a project beyond the checkout that they were made in."""

import os
from collections.abc import Iterator
from stat import S_ISLNK, S_ISREG
from typing import NamedTuple

from gstack_browse.agent.local.caller import Caller
from gstack_browse.errors import BrowseError, ProblemsFound
from gstack_browse.registry import META, command
from gstack_browse.text.sanitise import one_line
from gstack_browse.text.units import format_count
from gstack_browse.workspace.private_files import PrivateDirectory, open_home, open_in_workspace

FOLDER = "designs"
MOST_FILES = 2_000
MOST_BYTES = 20_000_000
_DEEPEST = 4
_MOST_NAMED = 5


@command(META, examples=["design-keep", "design-keep --restore"])
def design_keep(caller: Caller, *, restore: bool = False) -> str:
    """Copy this workspace's .gstack/designs to ~/.gstack/projects/<project>/designs/<host>.

    They outlive the checkout there. The project is known by its remote, so another checkout has the same ones.
    A kept file that is other here is replaced; one that is missing here stays kept. Links are not followed. Files are
    left out that are too large, too many or more than 4 folders down; exit 1 when nothing is left to keep.

    restore: copy those that are kept and missing here back; what is here stays as it is
    """
    from gstack_browse.agent.local.git import open_git

    with open_git(caller) as git:
        kept_folder = f"projects/{git.project_slug()}/{FOLDER}/{git.remote_host()}"
    home, here = open_home(caller.environment), open_in_workspace(caller.paths.workspace)
    if restore:
        result = _copy_folder(home, kept_folder, here, FOLDER, replaces=False)
        verb, place = "Restored", here.path_of(FOLDER)
    else:
        result = _copy_folder(here, FOLDER, home, kept_folder, replaces=True)
        verb, place = "Kept", home.path_of(kept_folder)
    lines = [f"{verb}: {format_count(result.copied, 'file')}", f"→ {one_line(str(place), 300)}"]
    lines += [f"→ left out: {why}" for why in result.skipped[:_MOST_NAMED]]
    if len(result.skipped) > _MOST_NAMED:
        lines.append(f"→ {len(result.skipped) - _MOST_NAMED} more left out")
    if result.skipped and not result.copied + result.unchanged:
        raise ProblemsFound(f"{verb} nothing: all was left out", output="\n".join(lines))
    return "\n".join(lines)


class _CopyResult(NamedTuple):
    """How many files were copied, how many were there already, and why others were left out."""

    copied: int
    unchanged: int
    skipped: list[str]


def _copy_folder(
    source: PrivateDirectory,
    source_folder: str,
    target: PrivateDirectory,
    target_folder: str,
    *,
    replaces: bool,
) -> _CopyResult:
    """Copy the files of a folder that the target folder lacks; with `replaces`, also those that differ."""
    copied, unchanged = 0, 0
    skipped: list[str] = []
    for number, (below, name) in enumerate(_list_files(source, source_folder, skipped)):
        if number >= MOST_FILES:
            skipped.append(f"all after the first {MOST_FILES:,} files")
            break
        try:
            content = source.read(name, folder=source_folder + below, max_bytes=MOST_BYTES)
            there = target.read(name, folder=target_folder + below, max_bytes=MOST_BYTES)
            if content is None:
                continue
            if content == there or (there is not None and not replaces):
                unchanged += 1
                continue
            target.write(name, content, folder=target_folder + below)
            copied += 1
        except BrowseError as error:
            skipped.append(f"{one_line(f'{below}/{name}'[1:], 120)}: {one_line(error.message, 200)}")
    return _CopyResult(copied, unchanged, skipped)


def _list_files(source: PrivateDirectory, folder: str, skipped: list[str]) -> Iterator[tuple[str, str]]:
    """Yield (subfolder, name) of the regular files in a folder and below, no deeper than _DEEPEST.

    The subfolder is "" or begins with a slash. Links and folders too far down are added to `skipped` instead. Raises
    Refused if a link leads to `folder`.
    """
    for directory, folders, names, descriptor in source.walk(folder):
        below = directory.removeprefix(".")
        if below.count("/") > _DEEPEST:
            entries = format_count(len(folders) + len(names), "entry", "entries")
            skipped.append(f"{one_line(below[1:], 120)}: {entries} more than {_DEEPEST} folders down")
            folders[:] = []
            continue
        for name in sorted([*folders, *names]):
            try:
                mode = os.stat(name, dir_fd=descriptor, follow_symlinks=False).st_mode
            except FileNotFoundError:
                continue  # removed since the folder was listed
            if S_ISREG(mode):
                yield below, name
            elif S_ISLNK(mode):
                skipped.append(f"{one_line(f'{below}/{name}'[1:], 120)}: a link")
        folders.sort()
