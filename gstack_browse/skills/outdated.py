"""Which installed skills an older gbrowse has made. Reads the manifests only: preambles and `status` ask."""

from collections.abc import Iterable

from gstack_browse import __version__
from gstack_browse.skills.destinations import Destination, installed
from gstack_browse.skills.tree import FileTree
from gstack_browse.skills.versions import is_higher


def everywhere(project: str, home: str) -> list[Destination]:
    """Every folder of the project and of the home directory ("" if there is none) in which skills are installed."""
    found = installed(FileTree(project))
    if home.startswith("/") and home.rstrip("/") != project.rstrip("/"):
        found += installed(FileTree(home), is_global=True)
    return found


def outdated(destinations: Iterable[Destination]) -> list[str]:
    """The skills that an older gbrowse has installed, each once."""
    return sorted(
        {
            name
            for destination in destinations
            for name, known in destination.manifest.skills.items()
            if is_higher(__version__, known.version)
        }
    )
