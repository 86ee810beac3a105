"""Upgrade gbrowse itself, by the way it was installed."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from gstack_browse import __version__
from gstack_browse.agent.local import settings, updates
from gstack_browse.agent.local.caller import Caller
from gstack_browse.agent.local.git import environment_for_git, find_repository
from gstack_browse.agent.local.subprocesses import run_command
from gstack_browse.agent.skills.destinations import find_everywhere
from gstack_browse.errors import ActionFailed, BrowseError, SetupFailed, TimedOut
from gstack_browse.workspace.private_files import open_home

PROJECT = "gstack-browse"
_PRINT_VERSION = (
    "import sys; sys.path.append(sys.argv[1]); from gstack_browse import __version__; print(__version__)"
)
_MOST_LINES = 20


class Installation(NamedTuple):
    """How gbrowse was installed, and the command that upgrades such an installation."""

    way: str
    command: tuple[str, ...]


def detect_installation(package_place: Path, python: str, environment_path: str) -> Installation:
    """Return how gbrowse was installed: as a checkout, by pipx, by uv, or by pip.

    `package_place`: the directory that contains the package. `python`: the interpreter's path. `environment_path`: the value of PATH.
    Raises SetupFailed if the environment has neither pip nor uv.
    """
    prefix = Path(python).parent.parent
    if (package_place / ".git").exists() and (package_place / "bin/gbrowse").is_file():
        return Installation("a checkout", ("git", "-C", str(package_place), "pull", "--ff-only"))
    if (prefix / "pipx_metadata.json").is_file():
        return Installation("pipx", ("pipx", "upgrade", PROJECT))
    if (prefix / "uv-receipt.toml").is_file():
        return Installation("uv tool", ("uv", "tool", "upgrade", PROJECT))
    pip = subprocess.run([python, "-P", "-m", "pip", "--version"], capture_output=True, check=False)
    if pip.returncode == 0:
        return Installation("pip", (python, "-m", "pip", "install", "--upgrade", PROJECT))
    if shutil.which("uv", path=environment_path):
        return Installation("uv pip", ("uv", "pip", "install", "--python", python, "--upgrade", PROJECT))
    raise SetupFailed(f"{python} has no pip, and there is no uv", f"Install it again: pipx install {PROJECT}")


def run_upgrade(caller: Caller, *, dry_run: bool) -> str:
    """Upgrade gbrowse as it was installed, and return the reply's text: what has changed.

    Raises BrowseError if that fails. `dry_run`: only return what would be run.
    """
    place = Path(__file__).parents[3]
    found = detect_installation(place, sys.executable, caller.environment.get("PATH", ""))
    shown = " ".join(found.command)
    if dry_run:
        return f"gbrowse {__version__} was installed by {found.way}\nWould run: {shown}"
    with upgrade_environment(place, caller) as environment:
        _run_upgrade_command(found.command, environment, caller.deadline_seconds)
    version = subprocess.run(
        [sys.executable, "-I", "-S", "-c", _PRINT_VERSION, str(place)],
        capture_output=True,
        text=True,
        check=False,
    ).stdout.strip()
    if version == __version__:
        return f"Ran: {shown}\ngbrowse {__version__} is the newest there"
    _record_upgrade(caller)
    done = [
        f"Ran: {shown}",
        f"gbrowse {__version__} → {version or 'unknown'}",
        "A daemon that runs takes it over by itself",
    ]
    return "\n".join([*done, *_upgrade_skills(caller)])


def _upgrade_skills(caller: Caller) -> list[str]:
    """Make the upgraded gbrowse update skills in project and home directory; return its output as lines."""
    here, home_directory = str(caller.paths.workspace), caller.environment.get("HOME", "")
    lines = []
    for tree, options in ((here, ()), (home_directory, ("--global",))):
        if not tree.startswith("/") or not find_everywhere(tree, ""):
            continue
        try:
            output = run_command(caller, "skills-install", *options)
        except BrowseError as error:
            output = error.message
        lines += output.splitlines()
    return lines


@contextmanager
def upgrade_environment(place: Path, caller: Caller) -> Iterator[dict[str, str]]:
    """Yield variables for the upgrade; if `place` is a checkout, git ignores the checkout's configuration."""
    repository = find_repository(place)
    if repository and repository.top == place:
        with environment_for_git(repository, caller.environment) as environment:
            yield environment
    else:
        yield dict(caller.environment)


def _run_upgrade_command(command: tuple[str, ...], environment: Mapping[str, str], seconds: float) -> None:
    """Run the upgrade command, for at most `seconds`. Raises SetupFailed, TimedOut and ActionFailed."""
    try:
        done = subprocess.run(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=seconds,
            check=False,
        )
    except FileNotFoundError:
        raise SetupFailed(
            f"{command[0]} is not there", f"Put it on PATH: {os.path.basename(command[0])}"
        ) from None
    except subprocess.TimeoutExpired:
        raise TimedOut(f"{' '.join(command)} did not end in {seconds:g} s", "Run it by hand") from None
    if done.returncode:
        raise ActionFailed(
            f"{' '.join(command)} ended with exit code {done.returncode}",
            "Its last words are above",
            output="\n".join(done.stdout.splitlines()[-_MOST_LINES:]),
        )


def _record_upgrade(caller: Caller) -> None:
    """Write this version to a file, so that the next preamble reports the upgrade from it.

    Does nothing if local traces are off. A failure becomes a note to the caller.
    """
    try:
        place = open_home(caller.environment)
        if settings.read_settings(place).local_traces:
            place.write(updates.UPGRADED, f"{__version__}\n".encode())
    except BrowseError as error:
        caller.notes.append(f"the next skill will not be told: {error.message}")
