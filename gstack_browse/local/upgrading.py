"""Brings gbrowse itself up to date, by the way it was installed."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from gstack_browse import __version__
from gstack_browse.errors import ActionFailed, BrowseError, SetupFailed, TimedOut
from gstack_browse.local import settings, updates
from gstack_browse.local.caller import Caller
from gstack_browse.local.private import home
from gstack_browse.local.process import run_command
from gstack_browse.local.repository import environment_for_git, find_repository
from gstack_browse.skills.outdated import everywhere

PROJECT = "gstack-browse"
_VERSION = "import sys; sys.path.append(sys.argv[1]); from gstack_browse import __version__; print(__version__)"
_MOST_LINES = 20


class Installation(NamedTuple):
    """How gbrowse was installed, and the command that upgrades that kind of installation."""

    way: str
    command: tuple[str, ...]


def installation(package_place: Path, python: str, environment_path: str) -> Installation:
    """What there is to see: a checkout, the marks that pipx and uv leave in an environment, else pip.

    Raises SetupFailed where the environment has neither pip nor uv to install with.
    """
    prefix = Path(python).parent.parent
    if (package_place / ".git").exists() and (package_place / "bin/gbrowse").is_file():
        return Installation("a checkout", ("git", "-C", str(package_place), "pull", "--ff-only"))
    if (prefix / "pipx_metadata.json").is_file():
        return Installation("pipx", ("pipx", "upgrade", PROJECT))
    if (prefix / "uv-receipt.toml").is_file():
        return Installation("uv tool", ("uv", "tool", "upgrade", PROJECT))
    if _has_pip(python):
        return Installation("pip", (python, "-m", "pip", "install", "--upgrade", PROJECT))
    if shutil.which("uv", path=environment_path):
        return Installation("uv pip", ("uv", "pip", "install", "--python", python, "--upgrade", PROJECT))
    raise SetupFailed(
        f"{python} has no pip, and there is no uv",
        f"Install it again: pipx install {PROJECT}",
    )


def _has_pip(python: str) -> bool:
    done = subprocess.run([python, "-P", "-m", "pip", "--version"], capture_output=True, check=False)
    return done.returncode == 0


def upgrade(caller: Caller, *, dry_run: bool) -> str:
    """Run the command that fits, and say what has changed. Raises BrowseError when it fails."""
    place = Path(__file__).parents[2]
    found = installation(place, sys.executable, caller.environment.get("PATH", ""))
    shown = " ".join(found.command)
    if dry_run:
        return f"gbrowse {__version__} was installed by {found.way}\nWould run: {shown}"
    with environment_of(place, caller) as environment:
        _run(found.command, environment, caller.deadline_seconds)
    version = subprocess.run(
        [sys.executable, "-I", "-S", "-c", _VERSION, str(place)], capture_output=True, text=True, check=False
    ).stdout.strip()
    if version == __version__:
        return f"Ran: {shown}\ngbrowse {__version__} is the newest there"
    _remember(caller)
    done = [
        f"Ran: {shown}",
        f"gbrowse {__version__} → {version or 'unknown'}",
        "A daemon that runs takes it over by itself",
    ]
    return "\n".join([*done, *_renewed(caller)])


def _renewed(caller: Caller) -> list[str]:
    """Have the new gbrowse bring the skills up to date that are installed here and in the home directory: what it says."""
    here, home_directory = str(caller.paths.workspace), caller.environment.get("HOME", "")
    lines = []
    for tree, options in ((here, ()), (home_directory, ("--global",))):
        if not tree.startswith("/") or not everywhere(tree, ""):
            continue
        try:
            said = run_command(caller, "skills-install", *options)
        except BrowseError as error:
            said = error.message
        lines += said.splitlines()
    return lines


@contextmanager
def environment_of(place: Path, caller: Caller) -> Iterator[dict[str, str]]:
    """The variables for the command that upgrades: in a checkout those with which all of ours call git."""
    repository = find_repository(place)
    if repository and repository.top == place:
        with environment_for_git(repository, caller.environment) as environment:
            yield environment
    else:
        yield dict(caller.environment)


def _run(command: tuple[str, ...], environment: Mapping[str, str], seconds: float) -> None:
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
        failure = ActionFailed(
            f"{' '.join(command)} ended with exit code {done.returncode}", "Its last words are above"
        )
        failure.output = "\n".join(done.stdout.splitlines()[-_MOST_LINES:])
        raise failure


def _remember(caller: Caller) -> None:
    """Let the next preamble say it; what was known of newer versions is no longer so."""
    try:
        place = home(caller.environment)
        if settings.read(place).local_traces:
            place.write(updates.UPGRADED, f"{__version__}\n".encode())
    except BrowseError as error:
        caller.notes.append(f"the next skill will not be told: {error.message}")
