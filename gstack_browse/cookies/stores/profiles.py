"""Find the profiles on this machine, with the names their owners know them by."""

import configparser
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from gstack_browse.cookies.stores import files
from gstack_browse.cookies.stores.places import BROWSERS, Browser, Machine

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
    database: Path = field(compare=True)

    @property
    def title(self) -> str:
        """Browser and profile: `Chromium, profile Default (ann@example.com)`."""
        return f"{self.browser.name}, profile {self.label}"

    @property
    def label(self) -> str:
        """Directory and name: `Default (ann@example.com)`."""
        return (
            f"{self.directory} ({self.name})" if self.name and self.name != self.directory else self.directory
        )

    def is_called(self, word: str) -> bool:
        """Return whether `word` is the profile's directory, name or label, ignoring case."""
        return word.strip().lower() in (self.directory.lower(), self.name.lower(), self.label.lower())


def list_profiles(machine: Machine, browser: Browser | None = None) -> list[Profile]:
    """Return the profiles of all browsers, or of one, in the order of the table.

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
    """Yield the profiles below a user data directory; Opera stores one in the directory itself."""
    known = files.read_json(root / "Local State").get("profile")
    cache = known.get("info_cache") if isinstance(known, dict) else None
    named = cache if isinstance(cache, dict) else {}
    for directory in ["", *_list_profile_directories(root, named)]:
        if database := _find_database(root / directory):
            name = _read_account_email(root / directory) or _printable_text(
                _get_field(named.get(directory), "name")
            )
            yield Profile(browser, directory or "Default", name, database)


def _list_profile_directories(root: Path, named: dict[str, object]) -> list[str]:
    """List a browser's profile directories, `Default` first.

    Those count that have a standard name or an entry in `Local State`.
    """
    try:
        entries = [entry.name for entry in os.scandir(root) if entry.is_dir()]
    except OSError:
        return []
    wanted = [name for name in entries if _STANDARD.fullmatch(name) or name in named]
    return sorted(wanted, key=lambda name: (name != "Default", len(name), name))[:_MOST_PROFILES]


def _find_database(profile: Path) -> Path | None:
    """Return the path of a profile's cookie database; None if it has none."""
    return next((profile / place for place in _COOKIE_FILES if os.path.lexists(profile / place)), None)


def _read_account_email(profile: Path) -> str:
    """Return the email of the account that a profile is signed in with; "" for none."""
    accounts = files.read_json(profile / "Preferences").get("account_info")
    first = accounts[0] if isinstance(accounts, list) and accounts else None
    return _printable_text(_get_field(first, "email"))


def _get_field(record: object, name: str) -> object:
    return record.get(name) if isinstance(record, dict) else None


def _printable_text(found: object) -> str:
    """Return `found` if it is printable text, cut to _MOST_NAME characters; "" otherwise."""
    return found[:_MOST_NAME] if isinstance(found, str) and found.isprintable() else ""


def _find_firefox_profiles(root: Path, browser: Browser) -> Iterator[Profile]:
    """Yield the profiles that `profiles.ini` lists.

    Their paths may lie anywhere: the file is the user's own.
    """
    ini = configparser.RawConfigParser(strict=False)
    try:
        ini.read_string(files.read_file(root / "profiles.ini", _MOST_INI_BYTES).decode("utf-8", "replace"))
    except (FileNotFoundError, files.UnsuitableFile, configparser.Error):
        return
    for section in ini.sections()[:_MOST_PROFILES]:
        path = ini.get(section, "Path", fallback="")
        if not section.startswith("Profile") or not path or "\0" in path:
            continue
        directory = root / path if ini.get(section, "IsRelative", fallback="1") == "1" else Path(path)
        if os.path.lexists(directory / _FIREFOX_COOKIES):
            name = _printable_text(ini.get(section, "Name", fallback=""))
            yield Profile(browser, PurePosixPath(path).name, name, directory / _FIREFOX_COOKIES)
