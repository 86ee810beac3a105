"""Read settings from files: the user's own, for all workspaces, and a workspace's.

`~/.config/gbrowse/config.toml` (or below `XDG_CONFIG_HOME`) may have every setting, `gbrowse.toml` in the workspace only
harmless ones: a repository may come from someone else. A setting is named like its variable: `BROWSE_MAX_TABS` is
`max_tabs`. The environment takes precedence, then the person's file, then the workspace's.

The daemon reads them first, as if they had been variables, so nothing is imported here unless there is a file.
"""

import os

from gstack_browse.errors import FileFailed, Refused
from gstack_browse.workspace import descriptors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, MutableMapping

FILE = "gbrowse/config.toml"
WORKSPACE_FILE = "gbrowse.toml"
MAX_BYTES = 100_000
HARMLESS = frozenset((
    "allow", "allow_resources", "confirm", "context_mb", "fence", "idle_timeout", "max_contexts", "max_tabs", "shot_side",
))  # fmt: skip
"""The settings that a workspace may set: limits, and those that forbid or mark something."""
VARIABLE_ONLY = frozenset(("state_file", "as"))
"""Settings of one call or terminal, which the client has to know."""


ADDED: "list[str]" = []
"""Variables that this process took from files. A successor reads the files again."""


class FileSettings:
    """The settings of a file, name → value as in a variable. `refused`: names that the file may not set."""

    def __init__(self, path: str, words: "dict[str, str]", refused: "list[str]") -> None:
        self.path = path
        self.words = words
        self.refused = refused


def add_settings(environment: "MutableMapping[str, str]", workspace: str) -> None:
    """Add the settings of both files (the user's own, the workspace's) as variables to `environment`.

    A variable that is set stays. Raises FileFailed or Refused for the user's own file. A workspace's file that cannot be used is
    ignored: `gbrowse config` says why.
    """
    words: dict[str, str] = {}
    try:
        if workspace_settings := read_workspace_file(workspace):
            words = workspace_settings.words
    except (FileFailed, Refused):
        pass
    if own_settings := read_person_file(environment):
        words |= own_settings.words
    for name, word in words.items():
        variable = variable_of(name)
        if not environment.get(variable):
            environment[variable] = word
            ADDED.append(variable)


def variable_of(name: str) -> str:
    """Return the environment variable of a setting's name in a file: `BROWSE_MAX_TABS` for `max_tabs`."""
    return f"BROWSE_{name.upper()}"


def person_file_path(environment: "Mapping[str, str]") -> str:
    """Return the path of the user's own settings file; "" without a home directory."""
    base = environment.get("XDG_CONFIG_HOME", "")
    home = environment.get("HOME", "")
    if not base.startswith("/"):
        base = f"{home}/.config" if home.startswith("/") else ""
    return base and f"{base}/{FILE}"


def read_person_file(environment: "Mapping[str, str]") -> FileSettings | None:
    """Read the user's own settings file; None if it does not exist.

    Raises FileFailed, and Refused if others can write to it.
    """
    path = person_file_path(environment)
    if not path:
        return None
    return _read_file(path, os.O_CLOEXEC, is_private=True)  # may be a link: many keep such files together


def read_workspace_file(workspace: str) -> FileSettings | None:
    """Read a workspace's settings file; None if it does not exist.

    Raises FileFailed, and Refused unless it is a plain file.
    """
    return _read_file(f"{workspace}/{WORKSPACE_FILE}", descriptors.SAFE, is_private=False)


def _read_file(path: str, flags: int, *, is_private: bool) -> FileSettings | None:
    """Read a settings file, opened with these flags; None if it does not exist.

    Raises FileFailed and Refused. `is_private`: it is the user's own, so it may have all settings, and is refused if others can write to it.
    """
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | flags)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise FileFailed(f"{path} cannot be read: {error.strerror}", "Mend it, or remove it") from None
    import stat

    try:
        found = os.fstat(fd)
        if not stat.S_ISREG(found.st_mode):
            raise Refused(f"{path} is no file", "Remove it")
        if is_private and (found.st_uid not in (os.geteuid(), 0) or found.st_mode & 0o022):
            raise Refused(f"{path} can be written by others", f"chmod go-w {path}")
        if found.st_size > MAX_BYTES:
            raise FileFailed(f"{path} is larger than {MAX_BYTES:,} bytes", "Mend it, or remove it")
        content = os.read(fd, MAX_BYTES)
    finally:
        os.close(fd)
    return _parse(path, content, None if is_private else HARMLESS)


def _parse(path: str, content: bytes, allowed: "frozenset[str] | None") -> FileSettings:
    """Parse the TOML of a settings file. Raises FileFailed.

    `path`: for messages. `allowed`: names of settings that it may have; None for all.
    """
    import tomllib

    try:
        fields = tomllib.loads(content.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise FileFailed(f"{path} is not TOML: {error}", "Mend it, or remove it") from None
    words: dict[str, str] = {}
    refused = []
    for name, value in fields.items():
        word = _to_variable_value(value)
        if word is None:
            raise FileFailed(f"{path}: {name[:60]!r} must be text, a number, true, false, or a list of texts")
        if name in VARIABLE_ONLY or (allowed is not None and name not in allowed):
            refused.append(name[:60])
        else:
            words[name] = word
    return FileSettings(path, words, refused)


def _to_variable_value(value: object) -> str | None:
    """Convert a TOML value to the text of an environment variable; None for a type that has no such text."""
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, list):
        words = [_to_variable_value(item) for item in value if isinstance(item, str)]
        return ",".join(filter(None, words)) if len(words) == len(value) else None
    return value if isinstance(value, str) and "\0" not in value else None
