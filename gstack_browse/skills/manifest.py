"""The record of skills installed in a folder: `.gbrowse-skills.json` with the hash of each file.

The file lies in a project and is untrusted: it is validated, and only paths below its own folder are used.
"""

import json
import re
from contextlib import suppress
from importlib import import_module
from typing import Any

from gstack_browse.errors import Refused
from gstack_browse.skills import MANIFEST
from gstack_browse.skills.hosts import HOSTS
from gstack_browse.skills.tree import FileTree

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
