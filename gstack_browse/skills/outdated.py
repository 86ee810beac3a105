"""Find installed skills of an older gbrowse. Reads manifests only, for preambles and `status`."""

from collections.abc import Iterable

from gstack_browse import __version__
from gstack_browse.skills.destinations import Destination, find_installed
from gstack_browse.skills.tree import FileTree
from gstack_browse.skills.versions import is_higher


def find_everywhere(project: str, home: str) -> list[Destination]:
    """Return every folder of the project and of the home directory ("": none) with installed skills."""
    found = find_installed(FileTree(project))
    if home.startswith("/") and home.rstrip("/") != project.rstrip("/"):
        found += find_installed(FileTree(home), is_global=True)
    return found


def find_outdated(destinations: Iterable[Destination]) -> list[str]:
    """Return the names of skills that an older gbrowse installed, sorted."""
    return sorted(
        {
            name
            for destination in destinations
            for name, known in destination.manifest.skills.items()
            if is_higher(__version__, known.version)
        }
    )
