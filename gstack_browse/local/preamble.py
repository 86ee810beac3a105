"""What a skill is told when it begins: a line for each fact that matters, mostly none. Never fails.

Nothing is waited for: whether there is a newer version is looked up by a process of its own, and said the next time.
"""

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping

from gstack_browse import __version__
from gstack_browse.errors import BrowseError
from gstack_browse.local import sessions, settings, updates
from gstack_browse.local.private import PrivateDirectory, home
from gstack_browse.skills.versions import is_higher

_CHECK = """\
import sys
sys.path.append(sys.argv[1])
from gstack_browse.local.update_check import main
main(sys.argv[2])
"""


def lines(environment: Mapping[str, str], workspace: str) -> Iterator[str]:
    """The facts, one a line. What cannot be found out is left out."""
    yield from _of_the_person(environment)
    try:
        if names := _outdated_skills(workspace, environment.get("HOME", "")):
            yield f"SKILLS_OUTDATED {' '.join(names)}"
    except (BrowseError, OSError, ValueError):
        return


def _of_the_person(environment: Mapping[str, str]) -> Iterator[str]:
    try:
        place = home(environment)
    except BrowseError:
        return
    try:
        chosen = settings.read(place)
    except BrowseError as error:
        yield f"CONFIG_BROKEN {error.message}"
        chosen = settings.PRIVATE
    if not chosen.local_traces:
        return
    for fact in (_upgraded, _update, _sessions, _contributor):
        yield from _unless_broken(fact, place, chosen)


def _unless_broken(
    fact: Callable[[PrivateDirectory, settings.UserSettings], Iterator[str]],
    place: PrivateDirectory,
    chosen: settings.UserSettings,
) -> Iterator[str]:
    try:
        yield from fact(place, chosen)
    except (BrowseError, OSError, ValueError):
        return  # no skill fails because a file of ours cannot be read or written


def _upgraded(place: PrivateDirectory, chosen: settings.UserSettings) -> Iterator[str]:
    before = text_of(place, updates.UPGRADED)
    if not before:
        return
    for name in (updates.UPGRADED, updates.SNOOZED, updates.CHECKED):
        place.remove(name)
    if is_higher(__version__, before):
        yield f"JUST_UPGRADED {before} {__version__}"


def _update(place: PrivateDirectory, chosen: settings.UserSettings) -> Iterator[str]:
    if chosen.update_check is None:
        if not place.times("").get(updates.ASKED):
            place.touch(updates.ASKED)
            yield "ASK first-run-update-check"
        return
    if not chosen.update_check:
        return
    now, times = time.time(), place.times("")
    age = now - times.get(updates.CHECKED, now)
    known = updates.known(text_of(place, updates.CHECKED), age, __version__)
    if not known.is_fresh and not 0 <= now - times.get(updates.BEGUN, 0.0) < updates.BEGUN_SECONDS:
        place.touch(updates.BEGUN)  # where nothing can be written, nothing is looked up: it would be each time
        _look_up_beside(place)
    snooze = updates.snooze(text_of(place, updates.SNOOZED))
    if known.line and not (known.newer and snooze and snooze.holds(known.newer, now)):
        yield known.line


def _sessions(place: PrivateDirectory, chosen: settings.UserSettings) -> Iterator[str]:
    count = sessions.note(place, sessions.agent())
    if count >= sessions.MANY:
        yield f"SESSIONS {count}"


def _contributor(place: PrivateDirectory, chosen: settings.UserSettings) -> Iterator[str]:
    if chosen.gstack_contributor:
        yield "CONTRIBUTOR on"


def _outdated_skills(workspace: str, user_home: str) -> list[str]:
    """Installed skills that an older gbrowse wrote. The manifests are only parsed where another version is named in one."""
    from gstack_browse.skills import MANIFEST
    from gstack_browse.skills.hosts import HOSTS
    from gstack_browse.skills.tree import FileTree

    trees = [(FileTree(root), is_global) for root, is_global in ((workspace, False), (user_home, True)) if root]
    ours = f'"version": "{__version__}"'.encode()
    manifests = (
        tree.read(f"{folder}/{MANIFEST}") or b""
        for tree, is_global in trees
        for folder in {host.user if is_global else host.project for host in HOSTS.values()}
    )
    if all(content.count(b'"version"') == content.count(ours) for content in manifests):
        return []
    from gstack_browse.skills.outdated import everywhere, outdated

    return outdated(everywhere(workspace, user_home))


def text_of(place: PrivateDirectory, name: str) -> str:
    """A small file's text; "" where there is none, or none that is text."""
    return (place.read(name, max_bytes=1000) or b"").decode("utf-8", "replace").strip()


def _look_up_beside(place: PrivateDirectory) -> None:
    """Start the check in a process of its own, which nobody waits for."""
    package = __file__.rsplit("/", 3)[0]
    words = [sys.executable, "-I", "-S", "-X", "utf8", "-c", _CHECK, package, place.path]
    null = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    try:
        actions = [(os.POSIX_SPAWN_DUP2, null, descriptor) for descriptor in (0, 1, 2)]
        os.posix_spawn(sys.executable, words, os.environ, file_actions=actions)
    finally:
        os.close(null)
