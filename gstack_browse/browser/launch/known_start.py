"""Records with which program and flags Playwright has started Chromium.

The next daemon can then start Chromium before Playwright. A record is valid for the same versions, settings, environment and program,
since the flags depend on them. When the driver starts later, its flags are compared with the record.

A daemon reads the record first, so this module imports nothing that takes time.
"""

import os
import sys
from binascii import crc32

from gstack_browse import __version__, descriptors
from gstack_browse.browser.cdp import playwright_internals
from gstack_browse.browser.launch.scratch import cache_folder

_PREFIXES = ("BROWSE_", "PLAYWRIGHT", "PW_", "PWDEBUG", "PWTEST")
"""Prefixes of variables that change the flags. Not PW alone: PWD differs between workspaces."""
_VARIABLES = ("CI", "container", "DEBUG", "NODE_OPTIONS")
_PROXIES = (
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
)
_CONTAINER_MARKS = ("/.dockerenv", "/run/.containerenv")
_MOST_BYTES = 64 << 10
_PROFILE = "--user-data-dir="
_UNSUPPORTED = (
    "BROWSE_EXTENSIONS_DIR",
    "BROWSE_ALLOW",
    "BROWSE_ALLOW_RESOURCES",
    "BROWSE_CA_CERT",
    "BROWSE_CLIENT_CERT",
    "BROWSE_HEADED",
    "BROWSE_INSECURE",
    "BROWSE_PROFILE",
    "BROWSE_PROXY",
    "BROWSE_REMOTE",
)
"""Variables that need the usual start: extensions, certificate stores, requests judged from the first one on, windows, remote browsers."""
_IGNORED = ("BROWSE_AS", "BROWSE_DRIVER", "BROWSE_IDLE_TIMEOUT", "BROWSE_FENCE", "BROWSE_STATE_FILE")


class KnownStart:
    """A recorded start. `arguments`: without the profile's directory.

    `full`: path of Playwright's full Chromium.
    `checksum` (CRC-32) identifies the record: the native client reads the same file, and tells by it which start it has made.
    """

    def __init__(self, executable: str, full: str, arguments: "list[str]", checksum: int = 0) -> None:
        self.executable = executable
        self.full = full
        self.arguments = arguments
        self.checksum = checksum

    def command(self, profile: str) -> "list[str]":
        """Return the command line for a start with that profile directory."""
        return [self.executable, *(word + profile if word == _PROFILE else word for word in self.arguments)]

    def matches(self, arguments: "list[str]") -> bool:
        """Return whether these arguments, apart from the profile's directory, are the recorded ones."""
        return self.arguments == without_profile(arguments)


def without_profile(arguments: "list[str]") -> "list[str]":
    """Remove the profile's directory, which differs at each start, from its argument."""
    return [_PROFILE if word.startswith(_PROFILE) else word for word in arguments]


def load() -> KnownStart | None:
    """Load the record for this environment.

    None without one, if its program has changed, or if Playwright must start first.
    """
    if os.environ.get("BROWSE_WIRE") == "0" or not playwright_internals.is_known():
        return None
    if any(os.environ.get(name) for name in _UNSUPPORTED) or _has_proxy_with_user():
        return None
    key = _environment_key()
    path = _record_path()
    if not path:
        return None
    try:
        descriptor = descriptors.open_file(None, path)
    except OSError:
        return None
    try:
        content = os.read(descriptor, _MOST_BYTES)
    finally:
        os.close(descriptor)
    return _parse_record(content, key)


def save(executable: str, full: str, arguments: "list[str]") -> None:
    """Record a start for this environment. A failure to write is ignored: the next start is only slower."""
    key = _environment_key()
    path = _record_path()
    words = [executable, _program_stamp(executable), full, *without_profile(arguments)]
    content = "\0".join([key, *words]).encode(errors="surrogateescape")
    if not path or _PROFILE not in words or len(content) >= _MOST_BYTES:
        return
    folder, _, name = path.rpartition("/")
    try:
        directory = descriptors.open_directory(folder)
        try:
            descriptors.replace(directory, name, content)
        finally:
            os.close(directory)
    except OSError:
        return


def delete() -> None:
    """Delete the record of this environment, which has turned out to be wrong."""
    if path := _record_path():
        try:
            os.unlink(path)
        except OSError:
            return


def _parse_record(content: bytes, key: str) -> KnownStart | None:
    words = content.decode(errors="surrogateescape").split("\0")
    if len(words) < 5 or words[0] != key or _program_stamp(words[1]) != words[2]:
        return None
    return KnownStart(words[1], words[3], words[4:], crc32(content))


def _environment_key() -> str:
    """Return everything that the flags of a headless Chromium depend on, as text with one fact a line."""
    relevant = [f"{name}={value}" for name, value in sorted(os.environ.items()) if _has_influence(name)]
    marks = [str(os.path.exists(path)) for path in _CONTAINER_MARKS]
    facts = [__version__, playwright_internals.VERSION, sys.platform, str(os.geteuid()), *marks]
    return "\n".join([*facts, *relevant]).replace("\0", "")


def _has_influence(name: str) -> bool:
    return name in _VARIABLES or name in _PROXIES or (name.startswith(_PREFIXES) and name not in _IGNORED)


def _has_proxy_with_user() -> bool:
    """Return whether a proxy may ask for a password.

    Only interception, which needs the usual start, can answer that.
    """
    return any("@" in word for name, word in os.environ.items() if name in _PROXIES)


def _record_path() -> str:
    """Return the path of this environment's record; "" without a cache directory.

    The name depends on nothing that `native_chromium.c`, which reads it too, cannot compute: not on our version.
    """
    folder = cache_folder("start")
    programs = os.path.realpath(os.path.dirname(sys.executable))
    words = [programs, *(f"{name}={value}" for name, value in os.environ.items() if _has_influence(name))]
    number = sum(crc32(os.fsencode(word)) for word in words) & 0xFFFFFFFF
    return folder and f"{folder}/chromium-{number:08x}"


def _program_stamp(executable: str) -> str:
    """Return a stamp that changes when the program is upgraded: inode, size and time of change.

    "gone" if there is none.
    """
    try:
        status = os.stat(executable)
    except OSError:
        return "gone"
    return f"{status.st_ino} {status.st_size} {status.st_mtime_ns}"
