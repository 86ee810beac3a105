"""Regions of documents that programs write: what stands between two marks."""

from pathlib import Path


def fill_region(path: Path, begin: str, end: str, words: str) -> str:
    """Return a document with other words between two marks. Raises ValueError where these are not there."""
    before, _, after = _split(path, begin, end)
    return f"{before}{begin}{words}{end}{after}"


def read_region(path: Path, begin: str, end: str) -> str:
    """Return what stands between two marks of a document. Raises ValueError where these are not there."""
    return _split(path, begin, end)[1]


def _split(path: Path, begin: str, end: str) -> tuple[str, str, str]:
    before, found, rest = path.read_text(encoding="utf-8").partition(begin)
    inside, ends, after = rest.partition(end)
    if not found or not ends:
        raise ValueError(f"{path.name} has no region for a run")
    return before, inside, after
