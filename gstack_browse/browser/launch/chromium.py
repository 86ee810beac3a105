"""Find the Chromium for the settings, or install one with the libraries that it lacks.

An installation tries Playwright's download, then Debian's package. `python -m` this module finds or installs a Chromium, installs the
libraries that it lacks, and prints its path. No list of libraries is kept here:

    ldd, or the program itself ─► names of missing libraries ─► names that their packages may have (Debian policy manual, 8.1)
        ─► apt-cache: which of these exist ─► apt-get install ─► once more, as a new library may lack another one
"""

import asyncio
import os
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from gstack_browse.browser.launch import executables
from gstack_browse.errors import SetupFailed
from gstack_browse.settings import Settings, read
from gstack_browse.workspace import config_file

Progress = Callable[[str], None]
"""Is called with each line of progress that a user should see."""

APT_GET = ("apt-get", "-o", "DPkg::Lock::Timeout=600")
"""Another installer may be at work, such as a second gbrowse: `apt-get install` waits up to 600 s for its turn."""
_UPDATE_SECONDS, _RETRY_SECONDS = 120, 1.0

_INSTALL_SECONDS = 900
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_SHOWN_LINES = ("Downloading", "Get:", "Unpacking", "Setting up", "E:", "Need to get", "Failed", "Error:", "|")
_ERROR_LINES = ("Error:", "E:")
_NODE_STACK_LINES = ("at ", "errno:", "code:", "syscall:", "hostname:", "}")


def has_apt() -> bool:
    """Return whether this system has `apt-get`."""
    return os.path.exists("/usr/bin/apt-get")


def as_root(command: Sequence[str]) -> list[str] | None:
    """Return `command`, with sudo if needed, to run as root without a password.

    None if that is not possible.
    """
    if os.geteuid() == 0:
        return list(command)
    import shutil  # no part of a start

    sudo = shutil.which("sudo")
    if sudo and not run_installer([sudo, "-n", "true"], ignore_line):
        return [sudo, "-n", *command]
    return None


def run_installer(command: Sequence[str], progress: Progress) -> str:
    """Run an installer. Return why it failed, in one line, or "". `progress` gets its output lines."""
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
            code = process.wait(timeout=_INSTALL_SECONDS)
    except OSError as error:
        return str(error)
    return failure_reason(lines)[:160] or f"exit code {code}" if code else ""


def update_package_lists(apt: Sequence[str], progress: Progress) -> None:
    """Run `apt-get update`; try again while another one runs, since apt-get itself does not wait for it.

    `apt`: the command of `apt-get`, perhaps with sudo.
    """
    give_up = time.monotonic() + _UPDATE_SECONDS
    while "Could not get lock" in run_installer([*apt, "update"], progress) and time.monotonic() < give_up:
        time.sleep(_RETRY_SECONDS)


def failure_reason(lines: Sequence[str]) -> str:
    """Return the output line that says why an installer failed: the first error, or else the last line.

    The first error caused the others. Lines of a stack trace, and the fields of an error that Node prints, are skipped.
    """
    messages = [
        line.strip() for line in lines if line.strip() and not line.lstrip().startswith(_NODE_STACK_LINES)
    ]
    errors = [line for line in messages if line.startswith(_ERROR_LINES)]
    return (errors or messages[-1:] or [""])[0].removeprefix("Error: ")


def ignore_line(line: str) -> None:
    """Ignore a line of progress: for callers who show none to anybody."""


LOADER_MESSAGE = "error while loading shared libraries"
_LDD = "/usr/bin/ldd"
_SECONDS = 20
_INSTALLABLE = re.compile(r"^(\S+?):\n  Installed: .*\n  Candidate: (?!\(none\))", re.MULTILINE)
"""A package in the output of `apt-cache policy` that has a version to install."""


def install_libraries_of(name: str, program: Path, progress: Progress, fallback: Sequence[str] = ()) -> None:
    """Install the system libraries that `program` lacks, as root or by sudo without a password.

    Args:
        name: the program's name in messages
        fallback: a command for libraries whose package has another name than Debian's rule says; () for none

    Raises SetupFailed, with the missing libraries and the command to type, if some are still missing.
    """
    missing, before, problem = missing_libraries(program), [""], ""
    while missing and missing != before:  # a library that is there now may lack another one
        before = missing
        problem = _install_libraries(name, missing, progress, fallback)
        missing = missing_libraries(program)
    if missing:
        raise missing_libraries_error(name, missing, fallback, problem)


def missing_libraries_error(
    name: str, missing: Sequence[str], fallback: Sequence[str] = (), problem: str = ""
) -> SetupFailed:
    """Make the error for a program without its system libraries. Hint: the command that installs them.

    `fallback`: see `install_libraries_of`. `problem`: why installing them has failed; "" if that was not tried.
    """
    packages = find_packages(missing)
    if not has_apt():
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
    """Return the system libraries that `program` needs and lacks, by `ldd`; [] if that cannot be asked."""
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
    """Return, for each library, the name of a Debian package with it that apt can install; "" for none."""
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


def _install_libraries(name: str, missing: Sequence[str], progress: Progress, fallback: Sequence[str]) -> str:
    """Install the packages of the `missing` libraries by apt, else by the command `fallback`.

    Return why that failed; "" if it did not, or was not possible.
    """
    apt = as_root(APT_GET)
    if not apt or not has_apt():
        return ""
    progress(f"{name} lacks {', '.join(missing)}: installing")
    packages = find_packages(missing)
    if not all(packages.values()):  # a new machine has no package lists yet
        update_package_lists(apt, progress)
        packages = find_packages(missing)
    names = list(dict.fromkeys(name for name in packages.values() if name))
    problem = (
        run_installer([*apt, "install", "-y", "--no-install-recommends", *names], progress) if names else ""
    )
    if fallback and not all(packages.values()):
        problem = run_installer(as_root(fallback) or fallback, progress)
    return problem


NAME = "Chromium"
_PLAYWRIGHT = (sys.executable, "-m", "playwright")
LIBRARIES_INSTALLER = (*_PLAYWRIGHT, "install-deps", "chromium-headless-shell")
"""Installs the system packages that Chromium needs, with fonts, on some releases of Debian and Ubuntu."""


def find_executable(settings: Settings, *, full: bool = False) -> Path | None:
    """Find the Chromium to start; None if this machine has no Chromium.

    Args:
        full: ignore headless shells, which have no windows and no extensions

    Raises SetupFailed if `BROWSE_CHROMIUM` names something that cannot be run.
    """
    if settings.chromium and not os.access(settings.chromium, os.X_OK):
        raise SetupFailed(f"BROWSE_CHROMIUM names {settings.chromium}, which cannot be run")
    executable = executables.find_executable(str(settings.chromium or ""), full=full)
    return Path(executable) if executable else None


def is_headless_shell(executable: Path) -> bool:
    """Return whether an executable is a headless shell: it has no windows and no extensions."""
    return "headless" in executable.name


async def install(settings: Settings, progress: Progress) -> Path:
    """Install a Chromium; return its executable's path. Takes minutes; `progress` gets lines for people.

    Raises SetupFailed with the reason of each attempt and a hint.
    """
    progress("No Chromium on this machine yet: installing one (once, this takes a minute or two)")
    failures = []
    for title, attempt in (
        ("Playwright's download", _install_by_playwright),
        ("Debian's package", _install_by_apt),
    ):
        progress(f"Trying {title} …")
        problem = await asyncio.to_thread(attempt, progress)
        if executable := find_executable(settings):
            progress(f"Chromium is ready: {executable}")
            return executable
        failures.append(f"{title}: {problem}")
    raise SetupFailed(
        f"No Chromium could be installed ({'; '.join(failures)})",
        "Install Chrome or Chromium yourself (Debian: sudo apt-get install chromium), or set BROWSE_CHROMIUM to its path",
    )


def install_missing_libraries(executable: Path, progress: Progress) -> None:
    """Install the libraries that a Chromium lacks. Raises SetupFailed if some are still missing."""
    install_libraries_of(NAME, executable, progress, LIBRARIES_INSTALLER)


def _install_by_playwright(progress: Progress) -> str:
    """Install Playwright's build, and its libraries if we may. Return the error; "" for none."""
    problem = run_installer([*_PLAYWRIGHT, "install", "chromium-headless-shell"], progress)
    install_libraries = as_root(LIBRARIES_INSTALLER)
    if not problem and install_libraries and has_apt():
        return run_installer(install_libraries, progress)
    return problem


def _install_by_apt(progress: Progress) -> str:
    """Install Debian's Chromium, with its headless shell if there is one.

    Return the error; "" for none.
    """
    if not has_apt():
        return "there is no apt-get here"
    apt = as_root(APT_GET)
    if not apt:
        return "needs root"
    update_package_lists(apt, progress)
    shell_package = os.path.basename(executables.SYSTEM_SHELL)
    shell = [] if run_installer(["apt-cache", "show", shell_package], ignore_line) else [shell_package]
    return run_installer([*apt, "install", "-y", "--no-install-recommends", "chromium", *shell], progress)


def _print_progress(line: str) -> None:
    """Print a line of progress to standard error."""
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


async def _find_or_install() -> Path:
    """Find or install a Chromium, with its system libraries. Return its path. Raises SetupFailed."""
    config_file.add_settings(os.environ, os.getcwd())
    settings = read()
    executable = find_executable(settings) or await install(settings, _print_progress)
    install_missing_libraries(executable, _print_progress)
    return executable


async def _main() -> int:
    """Print the path of Chromium's executable, installed if necessary. Return the exit code."""
    try:
        sys.stdout.write(f"{await _find_or_install()}\n")
    except SetupFailed as error:
        _print_progress(f"Error: {error.message}\n{error.hint}")
        return error.code
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(_main()))
