"""Runs installers (apt, Playwright), with their progress and the reason of a failure."""

import os
import re
import subprocess
from collections.abc import Callable, Sequence

Progress = Callable[[str], None]
"""Is called with each line of progress that a user should see."""

_SECONDS = 900
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_SHOWN_LINES = ("Downloading", "Get:", "Unpacking", "Setting up", "E:", "Need to get", "Failed", "Error:", "|")
_ERROR_LINES = ("Error:", "E:")
_NODE_STACK_LINES = ("at ", "errno:", "code:", "syscall:", "hostname:", "}")


def has_apt() -> bool:
    return os.path.exists("/usr/bin/apt-get")


def as_root(command: Sequence[str]) -> list[str] | None:
    """Return `command`, with sudo if needed, to run as root without a password.

    None if that is not possible.
    """
    if os.geteuid() == 0:
        return list(command)
    import shutil  # no part of a start

    sudo = shutil.which("sudo")
    if sudo and not run([sudo, "-n", "true"], ignore_line):
        return [sudo, "-n", *command]
    return None


def run(command: Sequence[str], progress: Progress) -> str:
    """Run an installer. Returns why it failed, in one line, or "" for success."""
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    environment.pop("NODE_OPTIONS", None)  # editors make every Node load their modules
    lines = []
    try:
        with subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=environment,
            text=True,
            errors="replace",
        ) as process:
            assert process.stdout is not None
            for coloured in process.stdout:
                line = _COLOUR.sub("", coloured)
                lines.append(line)
                if line.startswith(_SHOWN_LINES):
                    progress("  " + line.strip()[:120])
            code = process.wait(timeout=_SECONDS)
    except OSError as error:
        return str(error)
    return failure_reason(lines)[:160] or f"exit code {code}" if code else ""


def failure_reason(lines: Sequence[str]) -> str:
    """Return the line that says why an installer failed: the first error, or else the last line.

    The first error caused the others. Lines of a stack trace, and the fields of an error that Node prints, are skipped.
    """
    said = [line.strip() for line in lines if line.strip() and not line.lstrip().startswith(_NODE_STACK_LINES)]
    errors = [line for line in said if line.startswith(_ERROR_LINES)]
    return (errors or said[-1:] or [""])[0].removeprefix("Error: ")


def ignore_line(line: str) -> None:
    """Ignore a line of progress."""
