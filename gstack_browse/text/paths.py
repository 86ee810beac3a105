"""Shorten paths of files for a reply. Pure."""

from collections import Counter
from collections.abc import Sequence
from pathlib import PurePath


def shorten_paths(paths: Sequence[PurePath]) -> list[str]:
    """Return each path's name, with as many parents as distinguish it from the others."""
    most = max((len(path.parts) for path in paths), default=0)
    shown = {path: path.name for path in paths}
    for parts in range(2, most + 1):
        several = Counter(shown.values())
        shown = {
            path: str(PurePath(*path.parts[-parts:])) if several[name] > 1 else name
            for path, name in shown.items()
        }
    return [shown[path] for path in paths]
