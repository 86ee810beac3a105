"""Paths of files as a reply names them. Pure."""

from collections import Counter
from collections.abc import Sequence
from pathlib import PurePath


def distinct(paths: Sequence[PurePath]) -> list[str]:
    """Each path by its last part; where several paths end in that, by as many parts as tell them apart."""
    most = max((len(path.parts) for path in paths), default=0)
    shown = {path: path.name for path in paths}
    for parts in range(2, most + 1):
        several = Counter(shown.values())
        shown = {
            path: str(PurePath(*path.parts[-parts:])) if several[name] > 1 else name
            for path, name in shown.items()
        }
    return [shown[path] for path in paths]
