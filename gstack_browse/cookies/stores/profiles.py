"""The profiles that exist on this machine, with the names their owners know them by."""

import configparser
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from gstack_browse.cookies.stores import files
from gstack_browse.cookies.stores.places import BROWSERS, Browser, Machine

_STANDARD = re.compile(r"Default|Profile [0-9]{1,4}")
_COOKIE_PLACES = ("Network/Cookies", "Cookies")
_FIREFOX_COOKIES = "cookies.sqlite"
_MOST_PROFILES = 100
_MOST_INI_BYTES = 1 << 20
_MOST_NAME = 80


@dataclass(frozen=True)
class Profile:
    """A profile with a cookie database. `directory` names it exactly; `name` is for people (an email, a name)."""

    browser: Browser
    directory: str
    name: str
    database: Path = field(compare=True)

    @property
    def title(self) -> str:
        """`Chromium, profile Default (ann@example.com)`."""
        return f"{self.browser.name}, profile {self.shown}"

    @property
    def shown(self) -> str:
        """`Default (ann@example.com)`."""
        return (
            f"{self.directory} ({self.name})" if self.name and self.name != self.directory else self.directory
        )

    def is_called(self, word: str) -> bool:
        """Whether a person who types `word` means this one."""
        return word.strip().lower() in (self.directory.lower(), self.name.lower(), self.shown.lower())


def installed(machine: Machine, browser: Browser | None = None) -> list[Profile]:
    """The profiles of all browsers, or of one, in the order of the table. Looks at a few small files of each."""
    found: dict[Path, Profile] = {}
    for one in [browser] if browser else BROWSERS:
        for root in machine.roots(one):
            profiles = _firefox(root, one) if one.is_firefox else _chromium(root, one)
            found |= {Path(os.path.realpath(profile.database)): profile for profile in profiles}
    return list(found.values())


def _chromium(root: Path, browser: Browser) -> Iterator[Profile]:
    """Profiles below a user data directory; Opera keeps one in the directory itself."""
    known = files.json_of(root / "Local State").get("profile")
    cache = known.get("info_cache") if isinstance(known, dict) else None
    named = cache if isinstance(cache, dict) else {}
    for directory in ["", *_directories(root, named)]:
        if database := _database(root / directory):
            name = _account(root / directory) or _text(_field(named.get(directory), "name"))
            yield Profile(browser, directory or "Default", name, database)


def _directories(root: Path, named: dict[str, object]) -> list[str]:
    try:
        entries = [entry.name for entry in os.scandir(root) if entry.is_dir()]
    except OSError:
        return []
    wanted = [name for name in entries if _STANDARD.fullmatch(name) or name in named]
    return sorted(wanted, key=lambda name: (name != "Default", len(name), name))[:_MOST_PROFILES]


def _database(profile: Path) -> Path | None:
    return next((profile / place for place in _COOKIE_PLACES if os.path.lexists(profile / place)), None)


def _account(profile: Path) -> str:
    """The email of the account that a profile is signed in with."""
    accounts = files.json_of(profile / "Preferences").get("account_info")
    first = accounts[0] if isinstance(accounts, list) and accounts else None
    return _text(_field(first, "email"))


def _field(record: object, name: str) -> object:
    return record.get(name) if isinstance(record, dict) else None


def _text(found: object) -> str:
    return found[:_MOST_NAME] if isinstance(found, str) and found.isprintable() else ""


def _firefox(root: Path, browser: Browser) -> Iterator[Profile]:
    """Profiles that `profiles.ini` lists. Their paths are the user's own; they may lie anywhere."""
    ini = configparser.RawConfigParser(strict=False)
    try:
        ini.read_string(files.read(root / "profiles.ini", _MOST_INI_BYTES).decode("utf-8", "replace"))
    except (FileNotFoundError, files.Unfit, configparser.Error):
        return
    for section in ini.sections()[:_MOST_PROFILES]:
        path = ini.get(section, "Path", fallback="")
        if not section.startswith("Profile") or not path or "\0" in path:
            continue
        directory = root / path if ini.get(section, "IsRelative", fallback="1") == "1" else Path(path)
        if os.path.lexists(directory / _FIREFOX_COOKIES):
            name = _text(ini.get(section, "Name", fallback=""))
            yield Profile(browser, PurePosixPath(path).name, name, directory / _FIREFOX_COOKIES)
