"""What a person has set: `config.toml` below `~/.gstack`, one line `key = true` or `key = false` each."""

import re
from typing import Literal, NamedTuple

from gstack_browse.errors import FileFailed
from gstack_browse.local.private import PrivateDirectory

FILE = "config.toml"


Name = Literal["update_check", "gstack_contributor", "local_traces"]
Value = Literal["true", "false", "unset"]

MEANINGS: dict[Name, str] = {
    "update_check": "look for a newer version at pip's package index; unset: ask once",
    "gstack_contributor": "write a field report when gbrowse itself misbehaves",
    "local_traces": "keep notes below ~/.gstack: sessions, reviews, reports; false stops all of them",
}


class UserSettings(NamedTuple):
    """The settings that hold; the defaults where the file does not name them."""

    update_check: bool | None = None
    gstack_contributor: bool = False
    local_traces: bool = True

    def shown(self, name: Name) -> str:
        """The value as it is typed."""
        value: bool | None = getattr(self, name)
        return "unset" if value is None else _word(value)


PRIVATE = UserSettings(update_check=False, gstack_contributor=False, local_traces=False)
"""What holds where the file cannot be read: whoever wrote one may have forbidden something."""


def read(home: PrivateDirectory) -> UserSettings:
    """The settings in the file. Raises FileFailed where it is no TOML, or a setting neither true nor false."""
    return UserSettings(**chosen(_text(home)))


def chosen(text: str) -> dict[str, bool]:
    """The settings that a file's text names."""
    if (found := _plain(text)) is not None:
        return found
    import tomllib

    try:
        fields = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise FileFailed(f"{FILE} is not TOML: {error}", "Mend it, or remove it") from None
    for name in MEANINGS:
        if not isinstance(fields.get(name, True), bool):
            raise FileFailed(f"{FILE}: {name} must be true or false", f"Type: gbrowse config {name} true")
    return {name: fields[name] for name in MEANINGS if name in fields}


_LINE = r"(\w+)\s*=\s*(true|false)\s*(?:#.*)?\Z"


def _plain(text: str) -> dict[str, bool] | None:
    """The same for a file as `change` writes it, without `tomllib`, which takes 6 ms to import; None for any other file."""
    found: dict[str, bool] = {}
    for line in map(str.strip, text.splitlines()):
        if line and not line.startswith("#"):
            match = re.match(_LINE, line)
            if not match or match[1] in found:
                return None
            found[match[1]] = match[2] == "true"
    return {name: value for name, value in found.items() if name in MEANINGS}


def change(home: PrivateDirectory, name: Name, value: Value) -> None:
    """Set or unset one, and keep the rest of the file as it is."""
    text = _text(home)
    chosen(text)  # what is broken is not made worse
    home.write(FILE, with_line(text, name, None if value == "unset" else value == "true").encode())


def with_line(text: str, name: str, value: bool | str | None) -> str:
    """A file's text with the line of one setting replaced, added before the first table, or taken out (None). A text is what TOML has for a value."""
    table = re.search(r"(?m)^\s*\[", text)
    top, rest = (text[: table.start()], text[table.start() :]) if table else (text, "")
    lines = [line for line in top.splitlines() if not re.match(rf"\s*['\"]?{name}['\"]?\s*=", line)]
    if value is not None:
        lines.append(f"{name} = {_word(value)}")
    return "\n".join(lines).strip("\n") + "\n" + rest


def _word(value: bool | str) -> str:
    return str(value).lower() if isinstance(value, bool) else value


def _text(home: PrivateDirectory) -> str:
    try:
        return (home.read(FILE, max_bytes=100_000) or b"").decode()
    except UnicodeDecodeError as error:
        raise FileFailed(f"{FILE} is not UTF-8 (byte {error.start})", "Mend it, or remove it") from None
