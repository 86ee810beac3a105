"""Finds the shared libraries that a program lacks, and installs Debian's packages of them.

    ldd, or the program itself ─► names of missing libraries ─► names that their packages may have (Debian policy manual, 8.1)
        ─► apt-cache: which of these exist ─► apt-get install ─► once more, as a new library may lack another one

No list of libraries is kept here.
"""

import os
import re
import shlex
import subprocess
from collections.abc import Sequence
from pathlib import Path

from gstack_browse.browser.launch import installer
from gstack_browse.errors import SetupFailed

LOADER_MESSAGE = "error while loading shared libraries"
_LDD = "/usr/bin/ldd"
_SECONDS = 20
_INSTALLABLE = re.compile(r"^(\S+?):\n  Installed: .*\n  Candidate: (?!\(none\))", re.MULTILINE)
"""A package in the output of `apt-cache policy` that has a version to install."""


def install_missing(
    name: str, program: Path, progress: installer.Progress, fallback: Sequence[str] = ()
) -> None:
    """Install the libraries that `program` lacks, as root or by sudo without a password.

    Args:
        name: the program's name in messages
        fallback: a command for libraries whose package has another name than Debian's rule says; () for none

    Raises SetupFailed, with the missing libraries and the command to type, if some are still missing.
    """
    missing, before, problem = missing_libraries(program), [""], ""
    while missing and missing != before:  # a library that is there now may lack another one
        before = missing
        problem = _install(name, missing, progress, fallback)
        missing = missing_libraries(program)
    if missing:
        raise missing_error(name, missing, fallback, problem)


def missing_error(
    name: str, missing: Sequence[str], fallback: Sequence[str] = (), problem: str = ""
) -> SetupFailed:
    """Make the error for a program that lacks libraries. Its hint is the command that installs them."""
    packages = find_packages(missing)
    if not installer.has_apt():
        hint = "Install the packages of your system that have them"
    elif all(packages.values()) or not fallback:
        names = [packages[library] or candidate_packages(library)[0] for library in missing]
        hint = f"Install it: sudo apt-get install {' '.join(dict.fromkeys(names))}"
    else:
        hint = f"Install it: sudo {shlex.join(fallback)}"
    many = "libraries" if len(missing) > 1 else "a library"
    return SetupFailed(
        f"{name} lacks {many} of the system: {', '.join(missing)}{f' ({problem})' if problem else ''}", hint
    )


def missing_libraries(program: Path) -> list[str]:
    """List the libraries that the loader does not find for `program`; [] if that cannot be told."""
    try:
        with program.open("rb") as file:
            is_script = file.read(2) == b"#!"
        # ldd lists all libraries at once, but does not read scripts. A started program names only the first one that is missing.
        words = [str(program), "--version"] if is_script or not os.path.exists(_LDD) else [_LDD, str(program)]
        done = subprocess.run(
            words,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            env={**os.environ, "LC_ALL": "C"},
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return []
    found = re.findall(r"^\s*(\S+) => not found$", done.stdout, re.MULTILINE)
    found += re.findall(LOADER_MESSAGE + r": (\S+):", done.stderr)
    return list(dict.fromkeys(found))


def find_packages(libraries: Sequence[str]) -> dict[str, str]:
    """Map each library to the first candidate package that apt can install; "" for none."""
    names = [name for library in libraries for name in candidate_packages(library)]
    try:
        done = subprocess.run(
            ["/usr/bin/apt-cache", "policy", *names],
            capture_output=True,
            text=True,
            env={**os.environ, "LC_ALL": "C"},
            check=False,
        )
    except OSError:
        return dict.fromkeys(libraries, "")
    known = set(_INSTALLABLE.findall(done.stdout))
    return {
        library: next((name for name in candidate_packages(library) if name in known), "")
        for library in libraries
    }


def candidate_packages(library: str) -> list[str]:
    """List the names that the Debian package of a library may have.

    `libX11.so.6` is in `libx11-6`, `libglib-2.0.so.0` in `libglib2.0-0`. Since Debian 13 some names end with `t64`, for times of 64 bits.
    """
    name, _, version = library.lower().replace("_", "-").partition(".so")
    version = version.lstrip(".").partition(".")[0]
    stems = dict.fromkeys((name, re.sub(r"-(?=\d)", "", name)))
    names = [f"{stem}{'-' if version and stem[-1:].isdigit() else ''}{version}" for stem in stems]
    return [*names, *(f"{name}t64" for name in names)]


def _install(name: str, missing: Sequence[str], progress: installer.Progress, fallback: Sequence[str]) -> str:
    """Install these libraries' packages by apt, and the rest by `fallback`. Return why that failed, or ""."""
    apt = installer.as_root(["apt-get"])
    if not apt or not installer.has_apt():
        return ""
    progress(f"{name} lacks {', '.join(missing)}: installing")
    packages = find_packages(missing)
    if not all(packages.values()):  # a new machine has no package lists yet
        installer.run([*apt, "update"], progress)
        packages = find_packages(missing)
    names = list(dict.fromkeys(name for name in packages.values() if name))
    problem = (
        installer.run([*apt, "install", "-y", "--no-install-recommends", *names], progress) if names else ""
    )
    if fallback and not all(packages.values()):
        problem = installer.run(installer.as_root(fallback) or fallback, progress)
    return problem
