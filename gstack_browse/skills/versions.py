"""Compare versions by PEP 440 ("Summary of permitted suffixes and relative ordering"). Pure."""

import re
from collections.abc import Iterable

_PATTERN = r"""(?ix) \s* v? (?:(?P<epoch>\d+)!)? (?P<release>\d+(?:\.\d+)*)
    (?:[-_.]?(?P<phase>alpha|a|beta|b|preview|pre|c|rc)[-_.]?(?P<phase_number>\d*))?
    (?P<post>-(?P<post_implicit>\d+) | [-_.]?(?:post|rev|r)[-_.]?(?P<post_number>\d*))?
    (?P<dev>[-_.]?dev[-_.]?(?P<dev_number>\d*))?
    (?:\+(?P<local>[a-z0-9]+(?:[-_.][a-z0-9]+)*))? \s* \Z"""
_PHASES = {"a": 0, "alpha": 0, "b": 1, "beta": 1, "c": 2, "rc": 2, "pre": 2, "preview": 2}
_ONLY_DEV, _FINAL = -1, 3
_MAX_LENGTH = 100

Key = tuple[object, ...]


def sort_key(version: str) -> Key | None:
    """Return a key to sort versions; None for any other text."""
    match = re.match(_PATTERN, version[: _MAX_LENGTH + 1]) if len(version) <= _MAX_LENGTH else None
    if not match:
        return None
    release = tuple(int(part) for part in match["release"].split("."))
    while len(release) > 1 and release[-1] == 0:
        release = release[:-1]
    has_post, has_dev = match["post"] is not None, match["dev"] is not None
    if match["phase"]:
        phase = (_PHASES[match["phase"].lower()], int(match["phase_number"] or 0))
    else:
        phase = (_ONLY_DEV if has_dev and not has_post else _FINAL, 0)
    post = int(match["post_implicit"] or match["post_number"] or 0) if has_post else -1
    dev = (0, int(match["dev_number"] or 0)) if has_dev else (1, 0)
    return (int(match["epoch"] or 0), release, phase, post, dev, _local_key(match["local"] or ""))


def _local_key(text: str) -> tuple[tuple[int, int, str], ...]:
    """Return the key of a local version: numbers rank above words, a longer one above its prefix."""
    parts = re.split(r"[-_.]", text.lower()) if text else []
    return tuple((1, int(part), "") if part.isdigit() else (0, 0, part) for part in parts)


def is_higher(version: str, than: str) -> bool:
    """Return whether `version` is above `than`; False if either is not a version."""
    left, right = sort_key(version), sort_key(than)
    return left is not None and right is not None and left > right


def is_prerelease(version: str) -> bool:
    """Return whether a version is a pre-release: alpha, beta, candidate or development."""
    match = re.match(_PATTERN, version[:_MAX_LENGTH])
    return bool(match and (match["phase"] or match["dev"]))


def newest(versions: Iterable[str], current: str) -> str:
    """Return the highest version to offer a user of `current`; "" if none is higher.

    Pre-releases are offered only to users of one.
    """
    offered = [
        version
        for version in versions
        if is_higher(version, current) and (is_prerelease(current) or not is_prerelease(version))
    ]
    return max(offered, key=lambda version: sort_key(version) or (), default="")
