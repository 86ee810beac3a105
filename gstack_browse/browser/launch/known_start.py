"""Remembers with which program and flags Playwright has started Chromium, so that the next daemon can do so before Playwright is there.

A start is known by everything that the flags depend on: versions, settings, the environment, the program itself. Whatever differs makes it
another start, and one that is not known. The flags are compared once more when the driver says what it would have started.

A daemon's first act is to read this, so nothing is imported here that takes time.
"""

import os
import sys
from binascii import crc32

from gstack_browse import __version__, descriptors
from gstack_browse.browser.cdp import playwright_internals
from gstack_browse.browser.launch.scratch import cache

_PREFIXES = ("BROWSE_", "PLAYWRIGHT", "PW_", "PWDEBUG", "PWTEST")
"""Not PWD, which is another one in each workspace."""
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
_MARKS = ("/.dockerenv", "/run/.containerenv")
_MOST_BYTES = 64 << 10
_PROFILE = "--user-data-dir="
_FOREIGN = (
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
"""Variables with which a browser starts in another way: with extensions, a store of certificates, requests that are judged before they are sent, or not at all."""
_WITHOUT_INFLUENCE = ("BROWSE_AS", "BROWSE_IDLE_TIMEOUT", "BROWSE_FENCE", "BROWSE_STATE_FILE")


class KnownStart:
    """What Chromium is started with: `arguments` without the directory of its profile. `full`: where Playwright's full Chromium would be.

    `checksum` tells it from any other one; the native client, which has read the same file, says by it what it has started.
    """

    def __init__(self, executable: str, full: str, arguments: "list[str]", checksum: int = 0) -> None:
        self.executable = executable
        self.full = full
        self.arguments = arguments
        self.checksum = checksum

    def command(self, profile: str) -> "list[str]":
        """The words to start it with."""
        return [self.executable, *(word + profile if word == _PROFILE else word for word in self.arguments)]

    def is_like(self, arguments: "list[str]") -> bool:
        """Whether the driver would start Chromium with the same."""
        return self.arguments == without_profile(arguments)


def without_profile(arguments: "list[str]") -> "list[str]":
    """Arguments without the directory of the profile, which is another one each time."""
    return [_PROFILE if word.startswith(_PROFILE) else word for word in arguments]


def recall() -> KnownStart | None:
    """The start that the last one in these circumstances had; None where there was none, or where its program has changed."""
    if os.environ.get("BROWSE_WIRE") == "0" or not playwright_internals.is_known():
        return None
    if any(os.environ.get(name) for name in _FOREIGN) or _has_proxy_with_user():
        return None
    key = _circumstances()
    path = _file()
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
    return _read(content, key)


def remember(executable: str, full: str, arguments: "list[str]") -> None:
    """Write down what a browser was started with in these circumstances; without a word where that cannot be."""
    key = _circumstances()
    path = _file()
    words = [executable, _looks(executable), full, *without_profile(arguments)]
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


def forget() -> None:
    """Remove what was remembered: it has turned out to be wrong."""
    if path := _file():
        try:
            os.unlink(path)
        except OSError:
            return


def _read(content: bytes, key: str) -> KnownStart | None:
    words = content.decode(errors="surrogateescape").split("\0")
    if len(words) < 5 or words[0] != key or _looks(words[1]) != words[2]:
        return None
    return KnownStart(words[1], words[3], words[4:], crc32(content))


def _circumstances() -> str:
    """Everything that decides with which flags Playwright starts a headless Chromium for us."""
    relevant = [f"{name}={value}" for name, value in sorted(os.environ.items()) if _has_influence(name)]
    marks = [str(os.path.exists(path)) for path in _MARKS]
    facts = [__version__, playwright_internals.VERSION, sys.platform, str(os.geteuid()), *marks]
    return "\n".join([*facts, *relevant]).replace("\0", "")


def _has_influence(name: str) -> bool:
    return (
        name in _VARIABLES
        or name in _PROXIES
        or (name.startswith(_PREFIXES) and name not in _WITHOUT_INFLUENCE)
    )


def _has_proxy_with_user() -> bool:
    """Whether a proxy may ask for a password, which is answered where requests are judged."""
    return any("@" in word for name, word in os.environ.items() if name in _PROXIES)


def _file() -> str:
    """Where the start in this environment is remembered: named so that `native_chromium.c` can find it without knowing our version."""
    folder = cache("start")
    programs = os.path.realpath(os.path.dirname(sys.executable))
    words = [programs, *(f"{name}={value}" for name, value in os.environ.items() if _has_influence(name))]
    number = sum(crc32(os.fsencode(word)) for word in words) & 0xFFFFFFFF
    return folder and f"{folder}/chromium-{number:08x}"


def _looks(executable: str) -> str:
    """What tells a program from the one that will be in its place after an upgrade; "" where it cannot be run."""
    try:
        status = os.stat(executable)
    except OSError:
        return "gone"
    return f"{status.st_ino} {status.st_size} {status.st_mtime_ns}"
