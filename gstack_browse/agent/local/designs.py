"""Designs: keep the designs of a project beyond the checkout that they were made in."""

import os
from collections.abc import Iterator
from contextlib import suppress
from stat import S_ISREG
from typing import TYPE_CHECKING

from gstack_browse.agent.local.caller import Caller
from gstack_browse.errors import BrowseError
from gstack_browse.registry import META, command
from gstack_browse.text.columns import format_count
from gstack_browse.text.sanitise import one_line
from gstack_browse.workspace.private_files import open_home, open_in_workspace

if TYPE_CHECKING:
    from gstack_browse.workspace.private_files import PrivateDirectory

FOLDER = "designs"
MOST_FILES = 2_000
MOST_BYTES = 20_000_000
_DEEPEST = 4
_MOST_NAMED = 5


@command(META, examples=["design-keep", "design-keep --restore"])
def design_keep(caller: Caller, *, restore: bool = False) -> str:
    """Copy this workspace's .gstack/designs to ~/.gstack/projects/<project>/designs.

    They outlive the checkout there. The project is known by its remote, so another checkout has the same ones.
    A kept file that is other here is replaced; one that is missing here stays kept. Links are not followed.

    restore: copy those that are kept and missing here back; what is here stays as it is
    """
    from gstack_browse.agent.local.git import open_git

    with open_git(caller) as git:
        kept_folder = f"projects/{git.project_slug()}/{FOLDER}"
    home, here = open_home(caller.environment), open_in_workspace(caller.paths.workspace)
    if restore:
        copied, skipped = _copy(home, kept_folder, here, FOLDER, replaces=False)
        verb, place = "Restored", here.path_of(FOLDER)
    else:
        copied, skipped = _copy(here, FOLDER, home, kept_folder, replaces=True)
        verb, place = "Kept", home.path_of(kept_folder)
    lines = [f"{verb}: {format_count(copied, 'file')}", f"→ {one_line(str(place), 300)}"]
    lines += [f"→ left out: {why}" for why in skipped[:_MOST_NAMED]]
    if len(skipped) > _MOST_NAMED:
        lines.append(f"→ {len(skipped) - _MOST_NAMED} more left out")
    return "\n".join(lines)


def _copy(
    source: "PrivateDirectory",
    source_folder: str,
    target: "PrivateDirectory",
    target_folder: str,
    *,
    replaces: bool,
) -> tuple[int, list[str]]:
    """Copy the files of one folder to another, where they are missing or, with `replaces`, other.

    Returns how many were copied, and why others were not.
    """
    copied, skipped = 0, []
    for number, (below, name) in enumerate(_list_files(source, source_folder)):
        if number >= MOST_FILES:
            skipped.append(f"all after the first {MOST_FILES:,} files")
            break
        try:
            content = source.read(name, folder=source_folder + below, max_bytes=MOST_BYTES)
            there = target.read(name, folder=target_folder + below, max_bytes=MOST_BYTES)
            if content is None or content == there or (there is not None and not replaces):
                continue
            target.write(name, content, folder=target_folder + below)
            copied += 1
        except BrowseError as error:
            skipped.append(f"{one_line(f'{below}/{name}'[1:], 120)}: {one_line(error.message, 200)}")
    return copied, skipped


def _list_files(source: "PrivateDirectory", folder: str) -> Iterator[tuple[str, str]]:
    """Yield folder and name of the regular files in a folder, no deeper than _DEEPEST; links are passed by.

    The folder is "" or begins with a slash. Raises Refused if a link leads to `folder`.
    """
    for directory, folders, names, descriptor in source.walk(folder):
        below = directory.removeprefix(".")
        folders[:] = sorted(folders) if below.count("/") < _DEEPEST else []
        for name in sorted(names):
            with suppress(FileNotFoundError):  # removed since the folder was listed
                if S_ISREG(os.stat(name, dir_fd=descriptor, follow_symlinks=False).st_mode):
                    yield below, name
