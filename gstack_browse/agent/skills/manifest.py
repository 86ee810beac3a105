"""Read and write the skills in a folder, and the record (manifest) of what was installed there.

The record is `.gbrowse-skills.json`, with the hash of each file.

A repository may be hostile: any name that we read or write can be a link or a FIFO. So each directory on the way is
opened relative to its parent's descriptor, and anything but plain files and directories is refused and left alone. The
record is untrusted, too: it is validated, and only paths below its own folder are used.
"""

import json
import os
import re
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from gstack_browse.agent.skills import MANIFEST
from gstack_browse.agent.skills.hosts import HOSTS
from gstack_browse.errors import FileFailed, Refused
from gstack_browse.workspace import descriptors
from gstack_browse.workspace.directory import printable_path

MAX_BYTES = 1024 * 1024


class FileTree:
    """The files below `root`. Paths are relative, separated by `/`; `..` is refused."""

    def __init__(self, root: str) -> None:
        self.root = root.rstrip("/") or "/"

    def full_path(self, path: str) -> str:
        """Return the full path of a relative one, for messages."""
        return printable_path(f"{self.root}/{path}")

    def exists(self, path: str) -> bool:
        """Return whether anything is at that path, even a broken link."""
        try:
            os.stat(f"{self.root}/{path}", follow_symlinks=False)
        except OSError:
            return False
        return True

    def read(self, path: str) -> bytes | None:
        """Return a file's content; None if it does not exist.

        Raises Refused for a link, another kind of file, or one above MAX_BYTES.
        """
        with self._open_parent(path) as (parent, name):
            if parent is None:
                return None
            try:
                fd = descriptors.open_file(parent, name)
            except FileNotFoundError:
                return None
            except OSError as error:
                raise self._refusal(path, parent, name) from error
            try:
                found = os.fstat(fd)
                if not stat.S_ISREG(found.st_mode):
                    raise Refused(f"{self.full_path(path)} is no plain file; gbrowse leaves it alone")
                if found.st_size > MAX_BYTES:
                    raise Refused(f"{self.full_path(path)} is larger than {MAX_BYTES} bytes")
                return os.read(fd, MAX_BYTES)
            finally:
                os.close(fd)

    def write(self, path: str, content: bytes) -> None:
        """Replace a file in one step, creating missing directories. Raises Refused and FileFailed."""
        self.read(path)
        with self._translate_errors(path), self._open_parent(path, make=True) as (parent, name):
            assert parent is not None
            descriptors.replace(parent, name, content, mode=0o644)

    def remove(self, path: str) -> None:
        """Remove a file if it exists.

        Raises Refused like `read`, and FileFailed if the file cannot be removed.
        """
        if self.read(path) is not None:
            with self._translate_errors(path), self._open_parent(path) as (parent, name):
                os.unlink(name, dir_fd=parent)

    def prune(self, path: str) -> None:
        """Remove a directory if it is empty."""
        with self._open_parent(path) as (parent, name), suppress(OSError):
            if parent is not None:
                os.rmdir(name, dir_fd=parent)

    @contextmanager
    def _open_parent(self, path: str, *, make: bool = False) -> Iterator[tuple[int | None, str]]:
        """Open a path's parent directory; yield its descriptor (None if missing) and the last name.

        `make`: create missing directories. Raises Refused if the path leads out, or through a link.
        """
        *directories, name = path.split("/")
        if ".." in directories or name in ("", ".", ".."):
            raise Refused(f"{printable_path(path)} leads out of {printable_path(self.root)}")
        at = os.open(self.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            for directory in directories:
                below = self._open_below(at, directory, path, make=make)
                if below is None:
                    yield None, name
                    return
                os.close(at)
                at = below
            yield at, name
        finally:
            os.close(at)

    def _open_below(self, at: int, directory: str, path: str, *, make: bool) -> int | None:
        """Open a directory by its name in the directory `at` (a descriptor).

        Return its descriptor; None if it does not exist. `path`: the whole path, for the error. `make`: create it if
        missing. Raises Refused for a link or another kind of file.
        """
        if make:
            with suppress(FileExistsError):
                os.mkdir(directory, 0o755, dir_fd=at)
        try:
            return descriptors.open_directory(directory, at)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._refusal(path[: path.index(directory) + len(directory)], at, directory) from error

    def _refusal(self, path: str, at: int, name: str) -> Refused:
        """Return the error for a path that is a link or of the wrong kind.

        `at`, `name`: its directory's descriptor and last part.
        """
        mode = os.stat(name, dir_fd=at, follow_symlinks=False).st_mode
        kinds = {
            stat.S_IFLNK: "is a symbolic link",
            stat.S_IFREG: "cannot be opened, or is no directory",
            stat.S_IFDIR: "cannot be opened, or is a directory",
        }
        what = kinds.get(stat.S_IFMT(mode), "is no plain file or directory")
        return Refused(
            f"{self.full_path(path)} {what}; gbrowse leaves it alone",
            f"Look at it: ls -ld {self.full_path(path)}",
        )

    @contextmanager
    def _translate_errors(self, path: str) -> Iterator[None]:
        """Convert an OSError raised in the `with` block to FileFailed. `path`: the file in the message."""
        try:
            yield
        except OSError as error:
            raise FileFailed(f"{self.full_path(path)} cannot be changed: {error.strerror}") from None


NAME = MANIFEST
_PATH = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]*(?:/[A-Za-z0-9_-][A-Za-z0-9._-]*)*\Z")
_HASH = re.compile(r"[0-9a-f]{64}\Z")
_VERSION = re.compile(r"[0-9A-Za-z.+!_-]{1,40}\Z")
_MOST_OF_A_NAME = 64
"""Characters, as for hosts. Names and versions are printed, and somebody else may have written them."""


class InstalledSkill:
    """An installed skill: the version of gbrowse, and the SHA-256 of each file as written."""

    __slots__ = ("files", "version")

    def __init__(self, version: str, files: dict[str, str] | None = None) -> None:
        self.version = version
        self.files = files or {}


class Manifest:
    """The skills installed in a folder. `hosts`: the programs that read them.

    `listing`: hash of the list of skills in AGENTS.md as it was written.
    """

    __slots__ = ("hosts", "listing", "skills")

    def __init__(
        self, hosts: list[str] | None = None, skills: dict[str, InstalledSkill] | None = None, listing: str = ""
    ) -> None:
        self.hosts = hosts or []
        self.skills = skills or {}
        self.listing = listing


def hash_content(content: bytes) -> str:
    """Return the SHA-256 of a file's content in hexadecimal."""
    # Imported late: it loads OpenSSL (5 ms), and `preamble` needs this module without any hash.
    from hashlib import sha256

    return sha256(content).hexdigest()


def load_manifest(tree: FileTree, folder: str) -> Manifest:
    """Read which skills are installed in a folder (path in the tree): none without a valid manifest."""
    try:
        return _parse_manifest(json.loads(tree.read(f"{folder}/{NAME}") or b"{}"))
    except (ValueError, TypeError, AttributeError, Refused):
        return Manifest()


def save_manifest(tree: FileTree, folder: str, manifest: Manifest) -> None:
    """Write the manifest of a folder (path in the tree); remove it if no skill is installed."""
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
    """Convert the parsed JSON of a manifest, leaving out malformed entries."""
    skills = {
        name: InstalledSkill(
            str(item["version"]) if _VERSION.match(str(item.get("version", ""))) else "",
            {path: found for path, found in item["files"].items() if _PATH.match(path) and _HASH.match(found)},
        )
        for name, item in record.get("skills", {}).items()
        if _PATH.match(name)
        and "/" not in name
        and len(name) <= _MOST_OF_A_NAME
        and isinstance(item.get("files"), dict)
    }
    listing = str(record.get("listing", ""))
    hosts = [host for host in record.get("hosts", []) if host in HOSTS]
    return Manifest(hosts, skills, listing if _HASH.match(listing) else "")


_VERSION_PARTS = r"(\d+(?:\.\d+)*)(?:(a|b|rc)(\d+))?(?:\.(dev)(\d+))?\Z"
_MAX_LENGTH = 100

Key = tuple[list[int], str, int, str, int]


def sort_key(version: str) -> Key | None:
    """Return a key that sorts versions such as `1.2`, `1.2rc1` and `1.2.dev3`; None for another text.

    Of PEP 440 these are the forms in which gbrowse is published. A final version sorts behind its pre-releases.
    """
    match = re.match(_VERSION_PARTS, version) if len(version) <= _MAX_LENGTH else None
    if not match:
        return None
    release = [int(part) for part in match[1].split(".")]
    while release and release[-1] == 0:
        release.pop()
    # In alphabetical order: "" (1.2.dev3), then a, b, rc, "release" (1.2). So is "dev" before "release" at the end.
    phase = match[2] or ("" if match[4] else "release")
    return release, phase, int(match[3] or 0), match[4] or "release", int(match[5] or 0)


def is_higher(version: str, than: str) -> bool:
    """Return whether a version is higher than another one (`than`); False if either text is not a version."""
    left, right = sort_key(version), sort_key(than)
    return left is not None and right is not None and left > right


def is_prerelease(version: str) -> bool:
    """Return whether a version is a pre-release: alpha, beta, candidate or development."""
    return bool(re.search("a|b|rc|dev", version))


def newest(versions: Iterable[str], current: str) -> str:
    """Return the highest of `versions` to offer a user of version `current`; "" if none is higher.

    Pre-releases are offered only to users of a pre-release.
    """
    offered = [
        version
        for version in versions
        if is_higher(version, current) and (is_prerelease(current) or not is_prerelease(version))
    ]
    return max(offered, key=lambda version: sort_key(version) or (), default="")
