"""The preamble of a skill: a line for each fact that matters, mostly none. Never fails.

It waits for nothing: a newer version is looked up by a separate process and reported the next time.
"""

import os
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress

from gstack_browse import __version__
from gstack_browse.agent.local import settings, updates
from gstack_browse.agent.skills.manifest import is_higher
from gstack_browse.errors import BrowseError
from gstack_browse.workspace.private_files import PrivateDirectory, open_home

_CHECK_SCRIPT = """\
import sys
sys.path.append(sys.argv[1])
from gstack_browse.agent.local.package_index import main
main(sys.argv[2])
"""


def preamble_lines(environment: Mapping[str, str], workspace: str) -> Iterator[str]:
    """Yield what a skill should know when it begins, one fact a line, such as `SESSIONS 3`.

    Facts that cannot be determined are left out.
    """
    yield from _person_lines(environment)
    with suppress(BrowseError, OSError, ValueError):
        if names := _outdated_skills(workspace, environment.get("HOME", "")):
            yield f"SKILLS_OUTDATED {' '.join(names)}"


def _person_lines(environment: Mapping[str, str]) -> Iterator[str]:
    """Yield the preamble's facts from files in ~/.gstack, one a line: upgrades, other sessions, settings."""
    try:
        place = open_home(environment)
    except BrowseError:
        return
    try:
        chosen = settings.read_settings(place)
    except BrowseError as error:
        yield f"CONFIG_BROKEN {error.message}"
        chosen = settings.PRIVATE
    if not chosen.local_traces:
        return
    for lines in (_upgrade_line(place), _update_line(place, chosen), _sessions_line(place)):
        with suppress(BrowseError, OSError, ValueError):  # files in ~/.gstack that cannot be used
            yield from lines
    if chosen.gstack_contributor:
        yield "CONTRIBUTOR on"


def _upgrade_line(place: PrivateDirectory) -> Iterator[str]:
    """Yield `JUST_UPGRADED old new`, once after an upgrade. `place`: ~/.gstack."""
    before = read_text(place, updates.UPGRADED)
    if not before:
        return
    for name in (updates.UPGRADED, updates.SNOOZED, updates.CHECKED):
        place.remove(name)
    if is_higher(__version__, before):
        yield f"JUST_UPGRADED {before} {__version__}"


def _update_line(place: PrivateDirectory, chosen: settings.UserSettings) -> Iterator[str]:
    """Yield the last update check's result, as `UPGRADE_AVAILABLE …`, unless it is snoozed.

    If the result is old, start a new check in the background. If the person has not decided about checks: yield the question, once.
    """
    if chosen.update_check is None:
        if not place.list_times("").get(updates.ASKED):
            place.touch(updates.ASKED)
            yield "ASK first-run-update-check"
        return
    if not chosen.update_check:
        return
    now, times = time.time(), place.list_times("")
    age = now - times.get(updates.CHECKED, now)
    known = updates.parse_result(read_text(place, updates.CHECKED), age, __version__)
    if not known.is_fresh and not 0 <= now - times.get(updates.BEGUN, 0.0) < updates.BEGUN_SECONDS:
        place.touch(updates.BEGUN)  # raises where nothing can be written: the check would start each time
        _start_update_check(place)
    snooze = updates.parse_snooze(read_text(place, updates.SNOOZED))
    if known.line and not (known.newer and snooze and snooze.applies_to(known.newer, now)):
        yield known.line


def _sessions_line(place: PrivateDirectory) -> Iterator[str]:
    """Count this agent; yield `SESSIONS n` if at least MANY used gbrowse lately. `place`: ~/.gstack."""
    count = settings.count_agents(place, settings.find_agent_process())
    if count >= settings.MANY:
        yield f"SESSIONS {count}"


def _outdated_skills(workspace: str, user_home: str) -> list[str]:
    """Return the names of installed skills that an older gbrowse wrote.

    Manifests are parsed only if one names another version.
    """
    from gstack_browse.agent.skills import MANIFEST
    from gstack_browse.agent.skills.hosts import HOSTS
    from gstack_browse.agent.skills.manifest import FileTree

    trees = [(FileTree(root), is_global) for root, is_global in ((workspace, False), (user_home, True)) if root]
    ours = f'"version": "{__version__}"'.encode()
    manifests = (
        tree.read(f"{folder}/{MANIFEST}") or b""
        for tree, is_global in trees
        for folder in {host.user if is_global else host.project for host in HOSTS.values()}
    )
    if all(content.count(b'"version"') == content.count(ours) for content in manifests):
        return []
    from gstack_browse.agent.skills.destinations import find_everywhere, find_outdated

    return find_outdated(find_everywhere(workspace, user_home))


def read_text(place: PrivateDirectory, name: str) -> str:
    """Return the text of a file in ~/.gstack (`place`), at most 1000 bytes, stripped; "" if it is missing."""
    return (place.read(name, max_bytes=1000) or b"").decode("utf-8", "replace").strip()


def _start_update_check(place: PrivateDirectory) -> None:
    """Start a detached process that checks for a newer version and notes it in `place` (~/.gstack)."""
    package = __file__.rsplit("/", 4)[0]
    words = [sys.executable, "-I", "-S", "-X", "utf8", "-c", _CHECK_SCRIPT, package, place.path]
    null = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    try:
        actions = [(os.POSIX_SPAWN_DUP2, null, descriptor) for descriptor in (0, 1, 2)]
        os.posix_spawn(sys.executable, words, os.environ, file_actions=actions)
    finally:
        os.close(null)
