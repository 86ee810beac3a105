"""The environment as one frozen record, read once by the daemon."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from gstack_browse.errors import UsageError

IDLE_MILLISECONDS = 30 * 60 * 1000


@dataclass(frozen=True)
class Settings:
    """What the environment asks for.

    `idle_seconds`: leave after so long without a command (0: never). `chromium`: the executable to use instead
    of looking for one. `sandbox`: None decides by itself. `fence`: mark text that comes from pages. `extensions`: a
    directory that is an unpacked extension, or holds some.
    """

    idle_seconds: float = IDLE_MILLISECONDS / 1000
    chromium: Path | None = None
    sandbox: bool | None = None
    fence: bool = False
    extensions: Path | None = None


def read(environment: Mapping[str, str] = os.environ) -> Settings:
    """Settings from the environment. Raises UsageError naming the variable that makes no sense."""
    executable = environment.get("BROWSE_CHROMIUM", "")
    extensions = environment.get("BROWSE_EXTENSIONS_DIR", "")
    return Settings(
        idle_seconds=_milliseconds(environment, "BROWSE_IDLE_TIMEOUT", IDLE_MILLISECONDS) / 1000,
        chromium=Path(executable).absolute() if executable else None,
        sandbox=_switch(environment, "BROWSE_SANDBOX"),
        fence=_switch(environment, "BROWSE_FENCE") or False,
        extensions=Path(extensions).expanduser().absolute() if extensions else None,
    )


def _milliseconds(environment: Mapping[str, str], name: str, default: int) -> int:
    word = environment.get(name, "").strip()
    if not word:
        return default
    if not (word.isascii() and word.isdigit()):
        raise UsageError(f"{name} must be a number of milliseconds, not {word[:40]!r}")
    return int(word)


def _switch(environment: Mapping[str, str], name: str) -> bool | None:
    word = environment.get(name, "").strip().lower()
    if not word:
        return None
    if word not in ("0", "1"):
        raise UsageError(f"{name} must be 0 or 1, not {word[:40]!r}")
    return word == "1"
