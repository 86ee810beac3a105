"""Settings from files: what a person has set for all workspaces, and what a workspace asks for.

`~/.config/gbrowse/config.toml` (or below `XDG_CONFIG_HOME`) may hold every setting, `gbrowse.toml` in the workspace only what does no harm:
a repository is somebody else's. A setting is named like its variable, `BROWSE_MAX_TABS` is `max_tabs`. The environment comes first,
then the person's file, then the workspace's.

The daemon takes them in before anything else, as if they had been variables, so nothing is imported here unless there is a file.
"""

import os

from gstack_browse import descriptors
from gstack_browse.errors import FileFailed, Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, MutableMapping

FILE = "gbrowse/config.toml"
WORKSPACE_FILE = "gbrowse.toml"
MAX_BYTES = 100_000
HARMLESS = frozenset(
    (
        "allow",
        "allow_resources",
        "confirm",
        "context_mb",
        "fence",
        "idle_timeout",
        "max_contexts",
        "max_tabs",
        "shot_side",
    )
)
"""What a workspace may set: limits, and what forbids or marks something."""
VARIABLE_ONLY = frozenset(("state_file", "as"))
"""Settings of one call or one terminal, which the client has to know."""


ADDED: "list[str]" = []
"""Variables that this process has from files. Another daemon reads the files anew."""


class FileSettings:
    """What a file says: words by the names of settings. `refused`: names that this file may not set, or that are none."""

    def __init__(self, path: str, words: "dict[str, str]", refused: "list[str]") -> None:
        self.path = path
        self.words = words
        self.refused = refused


def apply(environment: "MutableMapping[str, str]", workspace: str) -> None:
    """Add what the files say, as variables, to those that are set. Raises FileFailed or Refused for the person's own file.

    A workspace's file that cannot be used is left out: `gbrowse config` says why.
    """
    for name, word in _said(environment, workspace).items():
        variable = variable_of(name)
        if not environment.get(variable):
            environment[variable] = word
            ADDED.append(variable)


def variable_of(name: str) -> str:
    """The variable of a setting."""
    return f"BROWSE_{name.upper()}"


def _said(environment: "Mapping[str, str]", workspace: str) -> "dict[str, str]":
    said: dict[str, str] = {}
    try:
        if theirs := of_workspace(workspace):
            said = theirs.words
    except (FileFailed, Refused):
        pass
    own = of_person(environment)
    return said | own.words if own else said


def place(environment: "Mapping[str, str]") -> str:
    """The path of the person's file; "" for somebody without a home."""
    base = environment.get("XDG_CONFIG_HOME", "")
    home = environment.get("HOME", "")
    if not base.startswith("/"):
        base = f"{home}/.config" if home.startswith("/") else ""
    return base and f"{base}/{FILE}"


def of_person(environment: "Mapping[str, str]") -> FileSettings | None:
    """What the person's file says; None where there is none. Raises FileFailed, and Refused where others can write to it."""
    path = place(environment)
    if not path:
        return None
    try:
        fd = os.open(
            path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK
        )  # may be a link: many keep such files together
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise FileFailed(f"{path} cannot be read: {error.strerror}", "Mend it, or remove it") from None
    return _parsed(path, _content(fd, path, is_private=True), None)


def of_workspace(workspace: str) -> FileSettings | None:
    """The same of a workspace's file. Raises FileFailed, and Refused for what is no plain file."""
    path = f"{workspace}/{WORKSPACE_FILE}"
    try:
        fd = descriptors.open_file(None, path, os.O_RDONLY | os.O_NONBLOCK)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise FileFailed(f"{path} cannot be read: {error.strerror}", "Mend it, or remove it") from None
    return _parsed(path, _content(fd, path, is_private=False), HARMLESS)


def _content(fd: int, path: str, *, is_private: bool) -> bytes:
    import stat

    try:
        found = os.fstat(fd)
        if not stat.S_ISREG(found.st_mode):
            raise Refused(f"{path} is no file", "Remove it")
        if is_private and (found.st_uid not in (os.geteuid(), 0) or found.st_mode & 0o022):
            raise Refused(f"{path} can be written by others", f"chmod go-w {path}")
        if found.st_size > MAX_BYTES:
            raise FileFailed(f"{path} is larger than {MAX_BYTES:,} bytes", "Mend it, or remove it")
        return os.read(fd, MAX_BYTES)
    finally:
        os.close(fd)


def _parsed(path: str, content: bytes, allowed: "frozenset[str] | None") -> FileSettings:
    import tomllib

    try:
        fields = tomllib.loads(content.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise FileFailed(f"{path} is not TOML: {error}", "Mend it, or remove it") from None
    words: dict[str, str] = {}
    refused = []
    for name, value in fields.items():
        word = _word(value)
        if word is None:
            raise FileFailed(f"{path}: {name[:60]!r} must be text, a number, true, false, or a list of texts")
        if name in VARIABLE_ONLY or (allowed is not None and name not in allowed):
            refused.append(name[:60])
        else:
            words[name] = word
    return FileSettings(path, words, refused)


def _word(value: object) -> str | None:
    """A value as a variable has it; None for what none can have."""
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, list):
        words = [_word(item) for item in value if isinstance(item, str)]
        return ",".join(filter(None, words)) if len(words) == len(value) else None
    return value if isinstance(value, str) and "\0" not in value else None
