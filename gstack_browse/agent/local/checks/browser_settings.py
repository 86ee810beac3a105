"""The settings of daemon and browser as `config` shows and changes them, each with its source."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from gstack_browse.agent.local.settings import replace_line
from gstack_browse.errors import BrowseError, SetupFailed, UsageError
from gstack_browse.workspace import config_file, descriptors
from gstack_browse.workspace.config_file import FileSettings, variable_of

MEANINGS = {
    "idle_timeout": ("1800000", "milliseconds without a command until the daemon leaves; 0: never"),
    "chromium": ("", "the Chrome or Chromium to use instead of looking for one"),
    "sandbox": ("", "whether Chromium uses its sandbox; empty: yes, unless root, container or CI"),
    "fence": ("0", "mark text that comes from pages in every reply"),
    "allow": ("", "hosts that tabs may show; empty: any"),
    "allow_resources": ("", "hosts that pages may ask besides those"),
    "allow_metadata": ("0", "pages may reach the metadata service of a cloud"),
    "confirm": ("", "commands that wait until a person lets each through"),
    "attach": ("0", "programs may attach in spite of rules and imported cookies"),
    "persist": ("0", "the next daemon begins with the cookies, storage and tabs of the last one"),
    "profile": ("", "a directory with a profile that lasts, logins and all; one browser has it at a time"),
    "extensions_dir": ("", "an unpacked extension to load, or a directory of some"),
    "max_tabs": ("100", "how many tabs may be open in each browser context"),
    "max_contexts": ("50", "how many browser contexts may be open beside the default one"),
    "context_mb": ("0", "how many MB the pages of one context may take; 0: any number"),
    "shot_side": ("1568", "how many pixels a picture has a side at most; 0: any number"),
    "widget_rules": ("", "rules for widgets without roles that are left out, for example -select2,-dropdown"),
    "source_maps": ("1", "0: name positions in scripts as they were sent, not those in the original files"),
    "downloads": ("200", "how many files .gstack/downloads may hold"),
    "downloads_mb": ("4000", "how many MB that may be"),
    "page_downloads": ("20", "how many of these one page gets"),
    "page_downloads_mb": ("1000", "how many MB that may be"),
    "proxy": ("", "the proxy that pages are loaded through; direct: none, whatever https_proxy says"),
    "no_proxy": ("", "hosts that are asked without it"),
    "ca_cert": ("", "a file of certificates (PEM) that are trusted beside Chromium's own"),
    "client_cert": (
        "",
        "client certificates for servers: https://intranet.corp=/home/ann/ann.p12, or =/…/cert.pem+/…/key.pem",
    ),
    "insecure": ("", "hosts whose certificates are not looked at"),
    "remote": ("", "the address of a browser on another machine to use instead of one of gbrowse's own"),
    "remote_headers": ("", "the file with headers for it, or secret:<name>"),
    "headed": ("0", "Chromium has a window, on the display of DISPLAY or WAYLAND_DISPLAY"),
}
"""Default value and description of each setting."""


class EffectiveSetting(NamedTuple):
    """The effective value of a setting, and its source: "default", a variable, or the path of a file."""

    word: str
    source: str


class SettingSources:
    """All sources of settings, read once. `problems` lists the errors in the files."""

    def __init__(self, environment: Mapping[str, str], workspace: str) -> None:
        self._environment = environment
        self.problems: list[str] = []
        self._files: list[FileSettings] = []
        self._read_source(lambda: config_file.read_person_file(environment))
        self._read_source(lambda: config_file.read_workspace_file(workspace))

    def _read_source(self, read: Callable[[], FileSettings | None]) -> None:
        """Read one settings file by `read`; add its errors, forbidden and unknown settings to `problems`."""
        try:
            found = read()
        except BrowseError as error:
            self.problems.append(error.message)
            return
        if found is None:
            return
        self._files.append(found)
        unknown = [name for name in found.words if name not in MEANINGS]
        self.problems += [f"{found.path}: {name} may not be set here" for name in found.refused]
        self.problems += [f"{found.path}: there is no setting {name!r}" for name in unknown]

    @property
    def environment(self) -> dict[str, str]:
        """Return the environment with a variable added for each setting in a file that it does not set itself."""
        from_files = {
            variable_of(name): self.effective(name).word
            for file in self._files
            for name in file.words
            if name in MEANINGS
        }
        return {**self._environment, **from_files}

    @property
    def paths(self) -> list[str]:
        """Return the paths of the settings files that exist."""
        return [file.path for file in self._files]

    def effective(self, name: str) -> EffectiveSetting:
        """Return a setting's effective value and its source: the environment, else a file, else the default."""
        variable = variable_of(name)
        if word := self._environment.get(variable):
            return EffectiveSetting(word, variable)
        for file in self._files:
            if name in file.words:
                return EffectiveSetting(file.words[name], file.path)
        return EffectiveSetting(MEANINGS[name][0], "default")

    def describe(self, name: str) -> str:
        """Return a setting as a line for people: name, value, source and meaning."""
        word, source = self.effective(name)
        return f"{name} = {word or '(empty)'}  ({source}: {MEANINGS[name][1]})"


def change_setting(environment: Mapping[str, str], name: str, word: str) -> str:
    """Write a setting into the person's file, which holds for all workspaces; `word` "unset" removes it.

    Return the file's path. Raises UsageError for an invalid value, FileFailed for a file that is broken already.
    """
    path = config_file.person_file_path(environment)
    if not path:
        raise SetupFailed("You have no home directory", "Set HOME, or XDG_CONFIG_HOME")
    config_file.read_person_file(environment)  # raises for a broken file: do not write into it
    if word != "unset":
        from gstack_browse import settings as daemon_settings  # takes long to load

        daemon_settings.read({variable_of(name): word})
    file = Path(os.path.realpath(path))
    text = file.read_text() if file.exists() else ""
    _write_file(file, replace_line(text, name, None if word == "unset" else _to_toml(word)))
    return path


def _to_toml(word: str) -> str:
    """Return a setting's value as TOML: integer or quoted string. Raises UsageError for several lines."""
    if word.isascii() and word.isdigit():
        return str(int(word))
    if any(character in word for character in "\n\r\0"):
        raise UsageError("A setting is one line")
    return '"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _write_file(file: Path, text: str) -> None:
    """Replace a file's content in one step, creating its directory for the owner only if it is missing."""
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    directory = descriptors.open_directory(str(file.parent))
    try:
        descriptors.replace(directory, file.name, text.encode())
    finally:
        os.close(directory)
