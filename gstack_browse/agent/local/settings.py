"""Settings of the person in `~/.gstack`, and the sessions that used gbrowse lately."""

import os
import re
import time
from typing import Literal, NamedTuple

from gstack_browse.errors import FileFailed
from gstack_browse.workspace.private_files import PrivateDirectory

FILE = "config.toml"


Name = Literal["update_check", "gstack_contributor", "local_traces"]
Value = Literal["true", "false", "unset"]

MEANINGS: dict[Name, str] = {
    "update_check": "look for a newer version at pip's package index; unset: ask once",
    "gstack_contributor": "write a field report when gbrowse itself misbehaves",
    "local_traces": "keep notes below ~/.gstack: sessions, reviews, reports; false stops all of them",
}


class UserSettings(NamedTuple):
    """The effective settings: values of the file, defaults for the rest."""

    update_check: bool | None = None
    gstack_contributor: bool = False
    local_traces: bool = True

    def format_value(self, name: Name) -> str:
        """Return a setting's value as a person types it: `true`, `false` or `unset`."""
        value: bool | None = getattr(self, name)
        return "unset" if value is None else str(value).lower()


PRIVATE = UserSettings(update_check=False, gstack_contributor=False, local_traces=False)
"""The settings if the file cannot be read: it may have forbidden something."""


def read_settings(home: PrivateDirectory) -> UserSettings:
    """Read the person's settings from config.toml in ~/.gstack. Raises FileFailed if it is malformed."""
    return UserSettings(**parse_settings(_read_file(home)))


def parse_settings(text: str) -> dict[str, bool]:
    """Return name → value of the known settings in config.toml's text. Raises FileFailed if malformed."""
    if (found := _parse_simple(text)) is not None:
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


def _parse_simple(text: str) -> dict[str, bool] | None:
    """Parse config.toml's text if it has only lines such as `name = true`, as `change_setting` writes.

    None for any other. This avoids importing `tomllib`, which takes 6 ms.
    """
    found: dict[str, bool] = {}
    for line in map(str.strip, text.splitlines()):
        if line and not line.startswith("#"):
            match = re.match(_LINE, line)
            if not match or match[1] in found:
                return None
            found[match[1]] = match[2] == "true"
    return {name: value for name, value in found.items() if name in MEANINGS}


def change_setting(home: PrivateDirectory, name: Name, value: Value) -> None:
    """Set or unset a setting in config.toml in `home` (~/.gstack); leave the rest of the file unchanged."""
    text = _read_file(home)
    parse_settings(text)  # raises for a broken file: do not write into it
    home.write(FILE, replace_line(text, name, None if value == "unset" else value).encode())


def replace_line(text: str, name: str, value: str | None) -> str:
    """Return a TOML file's text with the line of a setting replaced or added, or removed (`value` None).

    A new line is added before the first table. `value`: in TOML.
    """
    table = re.search(r"(?m)^\s*\[", text)
    top, rest = (text[: table.start()], text[table.start() :]) if table else (text, "")
    lines = [line for line in top.splitlines() if not re.match(rf"\s*['\"]?{name}['\"]?\s*=", line)]
    if value is not None:
        lines.append(f"{name} = {value}")
    return "\n".join(lines).strip("\n") + "\n" + rest


def _read_file(home: PrivateDirectory) -> str:
    """Return the text of config.toml in ~/.gstack, "" if missing. Raises FileFailed if it is not UTF-8."""
    try:
        return (home.read(FILE, max_bytes=100_000) or b"").decode()
    except UnicodeDecodeError as error:
        raise FileFailed(f"{FILE} is not UTF-8 (byte {error.start})", "Mend it, or remove it") from None


FOLDER = "sessions"
RECENT_SECONDS = 2 * 60 * 60
MANY = 3
"""From this number on, a question should say which agent it comes from."""

_SHELLS = frozenset(
    ("sh", "bash", "dash", "zsh", "fish", "ksh", "mksh", "ash", "busybox", "tcsh", "csh", "nu", "pwsh", "env", "timeout", "nice", "xargs", "script", "sudo", "time", "gbrowse")
)  # fmt: skip
_MOST_ANCESTORS = 20


def find_agent_process() -> int:
    """Return the process ID of the agent that typed this command.

    That is the first ancestor that is neither a shell nor a wrapper such as `timeout`; without /proc, the leader of the
    terminal's session.
    """
    pid = os.getppid()
    for _ in range(_MOST_ANCESTORS):
        found = _read_parent(pid)
        if found is None:
            return os.getsid(0)
        name, parent = found
        if name not in _SHELLS or parent <= 1:
            return pid
        pid = parent
    return pid


def _read_parent(pid: int) -> tuple[str, int] | None:
    """Return a process's name and its parent's ID: fields 2 and 4 of proc_pid_stat(5). None if unknown."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            before, _, after = file.read(1024).rpartition(b") ")
        return before.partition(b"(")[2].decode("utf-8", "replace"), int(after.split()[1])
    except (OSError, ValueError, IndexError):
        return None


def count_agents(home: PrivateDirectory, pid: int) -> int:
    """Return how many agents have used gbrowse in the last RECENT_SECONDS, with this one (`pid`).

    Each has a file in ~/.gstack (`home`): this agent's is touched, those of ended or idle agents are removed.
    """
    home.touch(str(pid), folder=FOLDER)
    now = time.time()
    count = 0
    for name, touched in home.list_times(FOLDER).items():
        if not name.isdigit() or len(name) > 10:
            continue  # a file of something else
        if abs(now - touched) < RECENT_SECONDS and _is_alive(int(name)):
            count += 1
        else:
            home.remove(name, folder=FOLDER)
    return count


def _is_alive(pid: int) -> bool:
    """Return whether a process exists."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True  # not permitted: the process exists
    return True
