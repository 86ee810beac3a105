"""The record of skills installed in a folder: `.gbrowse-skills.json` with the hash of each file.

The file lies in a project and is untrusted: it is validated, and only paths below its own folder are used.
"""

import json
import re
from collections.abc import Iterable
from contextlib import suppress
from importlib import import_module
from typing import Any

from gstack_browse.agent.skills import MANIFEST
from gstack_browse.agent.skills.hosts import HOSTS
from gstack_browse.agent.skills.tree import FileTree
from gstack_browse.errors import Refused

NAME = MANIFEST
_PATH = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]*(?:/[A-Za-z0-9_-][A-Za-z0-9._-]*)*\Z")
_HASH = re.compile(r"[0-9a-f]{64}\Z")


class InstalledSkill:
    """An installed skill: the version of gbrowse, and the SHA-256 of each file as written."""

    __slots__ = ("files", "version")

    def __init__(self, version: str, files: dict[str, str] | None = None) -> None:
        self.version = version
        self.files = files or {}


class Manifest:
    """The skills installed in a folder and their readers; `listing` is the hash of our list in AGENTS.md."""

    __slots__ = ("hosts", "listing", "skills")

    def __init__(
        self, hosts: list[str] | None = None, skills: dict[str, InstalledSkill] | None = None, listing: str = ""
    ) -> None:
        self.hosts = hosts or []
        self.skills = skills or {}
        self.listing = listing


def hash_content(content: bytes) -> str:
    """Return the SHA-256 of a file's content in hexadecimal."""
    for module in (
        "_sha2",
        "_sha256",
        "hashlib",
    ):  # Python's own, 3.12 and before: importing hashlib loads OpenSSL, 5 ms
        with suppress(ImportError):
            return str(import_module(module).sha256(content).hexdigest())
    raise AssertionError


def load_manifest(tree: FileTree, folder: str) -> Manifest:
    """Read a folder's manifest; an empty one if it is missing or malformed."""
    try:
        return _parse_manifest(json.loads(tree.read(f"{folder}/{NAME}") or b"{}"))
    except (ValueError, TypeError, AttributeError, Refused):
        return Manifest()


def save_manifest(tree: FileTree, folder: str, manifest: Manifest) -> None:
    """Write the manifest, or remove it if no skill is installed."""
    path = f"{folder}/{NAME}"
    if not manifest.skills:
        tree.remove(path)
        tree.prune(folder)
        return
    record: dict[str, Any] = {
        "hosts": manifest.hosts,
        "skills": {
            name: {"version": item.version, "files": dict(sorted(item.files.items()))}
            for name, item in sorted(manifest.skills.items())
        },
    }
    if manifest.listing:
        record["listing"] = manifest.listing
    tree.write(path, (json.dumps(record, indent=2) + "\n").encode())


def _parse_manifest(record: dict[str, Any]) -> Manifest:
    """Parse a manifest, leaving out malformed entries."""
    skills = {
        name: InstalledSkill(
            str(item["version"])[:40] if str(item.get("version", "")).isprintable() else "",
            {path: found for path, found in item["files"].items() if _PATH.match(path) and _HASH.match(found)},
        )
        for name, item in record.get("skills", {}).items()
        if _PATH.match(name) and "/" not in name and isinstance(item.get("files"), dict)
    }
    listing = str(record.get("listing", ""))
    hosts = [host for host in record.get("hosts", []) if host in HOSTS]
    return Manifest(hosts, skills, listing if _HASH.match(listing) else "")


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
