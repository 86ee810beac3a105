"""Find browser profiles on this machine, with the names their owners know them by; read their files.

A profile is the user's own, yet its content is treated as untrusted: opening a FIFO would hang, a link could
lead elsewhere, a huge file would fill the memory. Only regular files are read, not through a link, limited in size.
"""

import configparser
import os
import re
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import orjson

from gstack_browse.workspace import descriptors


class UnsuitableFile(Exception):
    """A file must not be read; the text says why."""


def read_file(path: Path, max_bytes: int) -> bytes:
    """Return the content of a regular file of at most `max_bytes`.

    Raises FileNotFoundError, and UnsuitableFile for a link, another kind of file, or a larger one.
    """
    with _open_regular_file(path) as descriptor:
        if os.fstat(descriptor).st_size > max_bytes:
            raise UnsuitableFile(f"it is larger than {max_bytes >> 20} MB")
        content = bytearray()
        while piece := os.read(descriptor, max_bytes + 1 - len(content)):
            content += piece
    if len(content) > max_bytes:
        raise UnsuitableFile("it grows while it is read")
    return bytes(content)


def read_head(path: Path, count: int) -> bytes:
    """Return the first `count` bytes of a file; b"" if it is missing or not a regular file."""
    try:
        with _open_regular_file(path) as descriptor:
            return os.read(descriptor, count)
    except (FileNotFoundError, UnsuitableFile):
        return b""


def read_json(path: Path, max_bytes: int = 8 << 20) -> dict[str, Any]:
    """Return the JSON object in a file; {} if missing, refused by `read_file`, or not an object."""
    try:
        found = orjson.loads(read_file(path, max_bytes))
    except (FileNotFoundError, UnsuitableFile, orjson.JSONDecodeError):
        return {}
    return found if isinstance(found, dict) else {}


@contextmanager
def _open_regular_file(path: Path) -> Iterator[int]:
    """Open a file for reading and yield its descriptor; refuse links and anything but regular files.

    Raises FileNotFoundError and UnsuitableFile.
    """
    try:
        descriptor = descriptors.open_file(None, str(path))
    except (FileNotFoundError, NotADirectoryError):
        raise FileNotFoundError(path) from None
    except OSError as error:
        raise UnsuitableFile("it is a link" if path.is_symlink() else str(error.strerror).lower()) from None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise UnsuitableFile("it is not a regular file")
        yield descriptor
    finally:
        os.close(descriptor)


class Unreadable(Exception):
    """A database cannot be read; the text says why."""


class NoKey(Exception):
    """A key is not available; the text says why, `advice` what to do."""

    def __init__(self, why: str, advice: str = "") -> None:
        super().__init__(why)
        self.advice = advice

    def describe(self) -> str:
        """Return why there is no key, and what to do if something helps."""
        return f"{self}. {self.advice}" if self.advice else str(self)


MAC = "darwin"


@dataclass(frozen=True)
class Browser:
    """A browser and the directories of its profiles.

    `config`: below `~/.config`; `mac`: below `~/Library/Application Support`; "" for none;
    `home`: below the home directory (Snap, Flatpak and others).
    `applications`: the names under which the Secret Service may have its secret; `keychain`: the X of `X Safe Storage`
    in the Keychain and in KWallet.
    """

    id: str
    name: str
    config: str
    mac: str
    applications: tuple[str, ...] = ()
    keychain: str = ""
    home: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()

    @property
    def is_firefox(self) -> bool:
        """Return whether the browser is a Firefox, which stores profiles in its own way."""
        return self.id.startswith("firefox")


BROWSERS: tuple[Browser, ...] = (
    Browser("chrome", "Chrome", "google-chrome", "Google/Chrome", ("chrome",), keychain="Chrome",
            home=(".var/app/com.google.Chrome/config/google-chrome",), aliases=("google-chrome",)),
    Browser("chrome-beta", "Chrome Beta", "google-chrome-beta", "Google/Chrome Beta", ("chrome",), keychain="Chrome"),
    Browser("chrome-unstable", "Chrome Dev", "google-chrome-unstable", "Google/Chrome Dev", ("chrome",),
            keychain="Chrome", aliases=("chrome-dev",)),
    Browser("chromium", "Chromium", "chromium", "Chromium", ("chromium",), keychain="Chromium",
            home=("snap/chromium/common/chromium", ".var/app/org.chromium.Chromium/config/chromium")),
    Browser("brave", "Brave", "BraveSoftware/Brave-Browser", "BraveSoftware/Brave-Browser", ("brave",),
            keychain="Brave", home=("snap/brave/current/.config/BraveSoftware/Brave-Browser",
                                    ".var/app/com.brave.Browser/config/BraveSoftware/Brave-Browser")),
    Browser("brave-beta", "Brave Beta", "BraveSoftware/Brave-Browser-Beta", "BraveSoftware/Brave-Browser-Beta", ("brave",),
            keychain="Brave"),
    Browser("brave-dev", "Brave Dev", "BraveSoftware/Brave-Browser-Dev", "BraveSoftware/Brave-Browser-Dev", ("brave",),
            keychain="Brave"),
    Browser("brave-nightly", "Brave Nightly", "BraveSoftware/Brave-Browser-Nightly", "BraveSoftware/Brave-Browser-Nightly", ("brave",),
            keychain="Brave"),
    Browser("edge", "Microsoft Edge", "microsoft-edge", "Microsoft Edge", ("microsoft-edge", "chromium"),
            keychain="Microsoft Edge", home=(".var/app/com.microsoft.Edge/config/microsoft-edge",),
            aliases=("microsoft-edge", "msedge")),
    Browser("edge-beta", "Microsoft Edge Beta", "microsoft-edge-beta", "Microsoft Edge Beta", ("microsoft-edge", "chromium"),
            keychain="Microsoft Edge"),
    Browser("edge-dev", "Microsoft Edge Dev", "microsoft-edge-dev", "Microsoft Edge Dev", ("microsoft-edge", "chromium"),
            keychain="Microsoft Edge"),
    Browser("vivaldi", "Vivaldi", "vivaldi", "Vivaldi", ("vivaldi", "chrome"), keychain="Vivaldi",
            home=("snap/vivaldi/current/.config/vivaldi", ".var/app/com.vivaldi.Vivaldi/config/vivaldi")),
    Browser("opera", "Opera", "opera", "com.operasoftware.Opera", ("opera", "chromium"), keychain="Opera",
            home=("snap/opera/current/.config/opera", ".var/app/com.opera.Opera/config/opera")),
    Browser("arc", "Arc", "", "Arc/User Data", keychain="Arc"),
    Browser("comet", "Comet", "", "Comet", keychain="Comet"),
    Browser("firefox", "Firefox", "mozilla/firefox", "Firefox",
            home=(".mozilla/firefox", "snap/firefox/common/.mozilla/firefox",
                  ".var/app/org.mozilla.firefox/.mozilla/firefox",
                  ".var/app/org.mozilla.firefox/config/mozilla/firefox")),
)  # fmt: skip


@dataclass(frozen=True)
class Machine:
    """The user's home directory, `$XDG_CONFIG_HOME`, and the system: `linux` or `darwin`."""

    home: Path
    config: Path
    system: str

    def profile_roots(self, browser: Browser) -> Iterator[Path]:
        """Yield the directories that may hold a browser's profiles, whether they exist or not."""
        if self.system == MAC:
            yield self.home / "Library/Application Support" / browser.mac
            return
        if browser.config:
            yield self.config / browser.config
        yield from (self.home / place for place in browser.home)


def detect_machine(system: str, environment: Mapping[str, str] = os.environ) -> Machine:
    """Return the current user's directories with browser profiles. `system`: `linux` or `darwin`.

    A relative `$XDG_CONFIG_HOME` is ignored, as its specification says.
    """
    home = Path(os.path.expanduser("~"))
    config = environment.get("XDG_CONFIG_HOME", "")
    return Machine(home, Path(config) if config.startswith("/") else home / ".config", system)


def find_browser(word: str) -> Browser | None:
    """Return the browser whose identifier, alias or name is `word`, ignoring case; None for none."""
    wanted = word.strip().lower()
    return next((one for one in BROWSERS if wanted in (one.id, one.name.lower(), *one.aliases)), None)


_STANDARD = re.compile(r"Default|Profile [0-9]{1,4}")
_COOKIE_FILES = ("Network/Cookies", "Cookies")
_FIREFOX_COOKIES = "cookies.sqlite"
_MOST_PROFILES = 100
_MOST_INI_BYTES = 1 << 20
_MOST_NAME = 80


@dataclass(frozen=True)
class Profile:
    """A profile with a cookie database.

    `directory` identifies it; `name` is for people (an email, a name).
    """

    browser: Browser
    directory: str
    name: str
    database: Path

    @property
    def title(self) -> str:
        """Return browser and profile as text: `Chromium, profile Default (ann@example.com)`."""
        return f"{self.browser.name}, profile {self.label}"

    @property
    def label(self) -> str:
        """Return the profile's directory and name as text: `Default (ann@example.com)`."""
        return (
            f"{self.directory} ({self.name})" if self.name and self.name != self.directory else self.directory
        )

    def is_called(self, word: str) -> bool:
        """Return whether `word` is the profile's directory, name or label, ignoring case."""
        return word.strip().lower() in (self.directory.lower(), self.name.lower(), self.label.lower())


def list_profiles(machine: Machine, browser: Browser | None = None) -> list[Profile]:
    """Return the profiles of all known browsers, or of one, in the order of BROWSERS.

    Reads a few small files of each.
    """
    found: dict[Path, Profile] = {}
    for one in [browser] if browser else BROWSERS:
        for root in machine.profile_roots(one):
            profiles = (
                _find_firefox_profiles(root, one) if one.is_firefox else _find_chromium_profiles(root, one)
            )
            found |= {Path(os.path.realpath(profile.database)): profile for profile in profiles}
    return list(found.values())


def _find_chromium_profiles(root: Path, browser: Browser) -> Iterator[Profile]:
    """Yield the profiles in a Chromium's user data directory; Opera has one in that directory itself."""
    known = read_json(root / "Local State").get("profile")
    cache = known.get("info_cache") if isinstance(known, dict) else None
    named = cache if isinstance(cache, dict) else {}
    for directory in ["", *_list_profile_directories(root, named)]:
        places = [root / directory / place for place in _COOKIE_FILES]
        if database := next(filter(os.path.lexists, places), None):
            email, own_name = _read_account(root / directory)
            name = email or _printable_text(_get_field(named.get(directory), "name")) or own_name
            yield Profile(browser, directory or "Default", name, database)


def _list_profile_directories(root: Path, named: dict[str, object]) -> list[str]:
    """Return the names of the profile directories in a Chromium's user data directory, `Default` first.

    `named`: entries of `Local State` by directory. Other directories count if they have a standard name.
    """
    try:
        entries = [entry.name for entry in os.scandir(root) if entry.is_dir()]
    except OSError:
        return []
    wanted = [name for name in entries if _STANDARD.fullmatch(name) or name in named]
    return sorted(wanted, key=lambda name: (name != "Default", len(name), name))[:_MOST_PROFILES]


def _read_account(profile: Path) -> tuple[str, str]:
    """Return (email of the account signed in to a Chromium profile, the profile's own name), "" for none."""
    preferences = read_json(profile / "Preferences")
    accounts = preferences.get("account_info")
    first = accounts[0] if isinstance(accounts, list) and accounts else None
    own_name = _get_field(preferences.get("profile"), "name")
    return _printable_text(_get_field(first, "email")), _printable_text(own_name)


def _get_field(record: object, name: str) -> object:
    """Return a field of a JSON object; None if `record` is not an object or lacks it."""
    return record.get(name) if isinstance(record, dict) else None


def _printable_text(found: object) -> str:
    """Return `found` if it is printable text, cut to _MOST_NAME characters; "" otherwise."""
    return found[:_MOST_NAME] if isinstance(found, str) and found.isprintable() else ""


def _find_firefox_profiles(root: Path, browser: Browser) -> Iterator[Profile]:
    """Yield the Firefox profiles with cookies that `profiles.ini` in `root` lists.

    Their paths may lie anywhere: the file is the user's own.
    """
    ini = configparser.RawConfigParser(strict=False)
    try:
        ini.read_string(read_file(root / "profiles.ini", _MOST_INI_BYTES).decode("utf-8", "replace"))
    except (FileNotFoundError, UnsuitableFile, configparser.Error):
        return
    for section in ini.sections()[:_MOST_PROFILES]:
        path = ini.get(section, "Path", fallback="")
        if not section.startswith("Profile") or not path or "\0" in path:
            continue
        directory = root / path if ini.get(section, "IsRelative", fallback="1") == "1" else Path(path)
        if os.path.lexists(directory / _FIREFOX_COOKIES):
            name = _printable_text(ini.get(section, "Name", fallback=""))
            yield Profile(browser, PurePosixPath(path).name, name, directory / _FIREFOX_COOKIES)
