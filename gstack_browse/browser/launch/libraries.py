"""Finds the shared libraries that a program lacks, and installs Debian's packages that have them.

No library is known here by name. The loader names the libraries that it does not find. Debian's rule for packages of libraries (policy
manual, 8.1) gives the names that a package may have, and apt knows which of these exists.
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
_ANSWER = re.compile(r"^(\S+?):\n  Installed: .*\n  Candidate: (?!\(none\))", re.MULTILINE)


def complete(what: str, program: Path, progress: installer.Progress, others: Sequence[str] = ()) -> None:
    """Install the libraries that `program` lacks, where we are root or may be by sudo.

    Args:
        what: the program's name in messages
        others: a command that installs libraries whose packages apt cannot name

    Raises SetupFailed with the libraries and the command to type where some are still missing.
    """
    missing, before, problem = missing_libraries(program), [""], ""
    while missing and missing != before:  # a library that is there now may lack another one
        before = missing
        problem = _install(what, missing, progress, others)
        missing = missing_libraries(program)
    if missing:
        raise lack(what, missing, others, problem)


def lack(what: str, missing: Sequence[str], others: Sequence[str] = (), problem: str = "") -> SetupFailed:
    """Return the failure of a program that lacks libraries, with the command that installs them."""
    packages = find_packages(missing)
    if not installer.has_apt():
        hint = "Install the packages of your system that have them"
    elif all(packages.values()) or not others:
        names = [packages[library] or candidates(library)[0] for library in missing]
        hint = f"Install it: sudo apt-get install {' '.join(dict.fromkeys(names))}"
    else:
        hint = f"Install it: sudo {shlex.join(others)}"
    many = "libraries" if len(missing) > 1 else "a library"
    return SetupFailed(
        f"{what} lacks {many} of the system: {', '.join(missing)}{f' ({problem})' if problem else ''}", hint
    )


def missing_libraries(program: Path) -> list[str]:
    """Return the libraries that the loader does not find for `program`, in the loader's order."""
    try:
        with program.open("rb") as file:
            is_script = file.read(2) == b"#!"
        # Who starts the program by a script hears of one library at a time.
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
    """Return the package of each library: the first of its candidates that apt can install, or ""."""
    names = [name for library in libraries for name in candidates(library)]
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
    known = set(_ANSWER.findall(done.stdout))
    return {library: next((name for name in candidates(library) if name in known), "") for library in libraries}


def candidates(library: str) -> list[str]:
    """Return the names that the package of a library may have.

    `libX11.so.6` is in `libx11-6`, `libglib-2.0.so.0` in `libglib2.0-0`. Since Debian 13 some names end with `t64`, for times of 64 bits.
    """
    name, _, version = library.lower().replace("_", "-").partition(".so")
    version = version.lstrip(".").partition(".")[0]
    stems = dict.fromkeys((name, re.sub(r"-(?=\d)", "", name)))
    names = [f"{stem}{'-' if version and stem[-1:].isdigit() else ''}{version}" for stem in stems]
    return [*names, *(f"{name}t64" for name in names)]


def _install(what: str, missing: Sequence[str], progress: installer.Progress, others: Sequence[str]) -> str:
    """Install what apt has of these libraries, and the rest by `others`. Returns why that failed, or ""."""
    apt = installer.as_root(["apt-get"])
    if not apt or not installer.has_apt():
        return ""
    progress(f"{what} lacks {', '.join(missing)}: installing")
    packages = find_packages(missing)
    if not all(packages.values()):  # a machine that is new has no lists yet
        installer.run([*apt, "update"], progress)
        packages = find_packages(missing)
    names = list(dict.fromkeys(name for name in packages.values() if name))
    problem = (
        installer.run([*apt, "install", "-y", "--no-install-recommends", *names], progress) if names else ""
    )
    if others and not all(packages.values()):
        problem = installer.run(installer.as_root(others) or others, progress)
    return problem
