"""Sets this checkout up: `.venv` with what `pyproject.toml` asks for. `--dev` adds the tools for `bin/test`.

Safe to run many times and at once, and to interrupt: a mark in `.venv`, a copy of `pyproject.toml`, is made last (what is
set up for tests is marked as set up for everything). Run by
`bin/gbrowse` and `bin/test` with any Python from 3.11 on, before anything is installed: standard library only.
"""

import fcntl
import os
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROJECT = ROOT / "pyproject.toml"
VENV = ROOT / ".venv"
PYTHON = VENV / "bin/python"
NATIVE = VENV / "bin/gbrowse"
NATIVE_SOURCES = tuple((ROOT / "gstack_browse/client").glob("native*.[ch]"))
WORTH_SAYING = ("Collecting", "Downloading", "Installing", "Get:", "Setting up")


def main(words: Sequence[str]) -> int:
    extras = ("dev",) if "--dev" in words else ()
    marks = [VENV / "ready-dev", VENV / "ready"] if extras else [VENV / "ready"]
    with open(__file__, "rb") as lock:
        wait_for(lock.fileno())
        try:
            if VENV.is_symlink():  # the lock is this checkout's, and .venv may be another's
                raise OSError("its .venv is a link to another place; remove the link, and .venv is made here")
            if not is_current(marks[0]):
                set_up(extras)
            make_importable()
            build_native()
            for mark in marks:
                make_current(mark)
        except (subprocess.CalledProcessError, OSError) as error:
            say(f"Error: this checkout could not be set up: {reason(error)}")
            return 1
    return 0


def wait_for(lock: int) -> None:
    """Take the lock: one sets up, the others wait for it and find it done."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        say("Waiting for another process that is setting up this checkout …")
        fcntl.flock(lock, fcntl.LOCK_EX)


def is_current(mark: Path) -> bool:
    return mark.is_file() and mark.read_bytes() == PROJECT.read_bytes() and works()


def make_current(mark: Path) -> None:
    """Write the mark, newer than what bin/gbrowse compares it with."""
    mark.write_bytes(PROJECT.read_bytes())
    newest = max(path.stat().st_mtime_ns for path in (PROJECT, *NATIVE_SOURCES))
    if mark.stat().st_mtime_ns <= newest:
        later = newest + 1_000_000_000
        os.utime(mark, ns=(later, later))


def build_native() -> None:
    """Compile the native client unless it is up to date; without a compiler there is none."""
    script = ROOT / "bin/build_native.py"
    newest = max(path.stat().st_mtime_ns for path in (*NATIVE_SOURCES, script))
    if not NATIVE.exists() or NATIVE.stat().st_mtime_ns < newest:
        subprocess.run([PYTHON, "-I", script, NATIVE, "../../bin/gbrowse-python"], check=False)


def make_importable() -> None:
    """Let scripts of .venv's Python import the package from anywhere. The line is relative: a checkout may be moved."""
    for packages in VENV.glob("lib/python3.*/site-packages"):
        line = os.path.relpath(ROOT, packages) + "\n"
        path = packages / "gbrowse-checkout.pth"
        if not path.exists() or path.read_text() != line:
            path.write_text(line)


def set_up(extras: Sequence[str]) -> None:
    again = " again, since its Python has gone" if PYTHON.is_symlink() and not PYTHON.exists() else ""
    say(f"Setting up .venv for this checkout{again}: once, this takes up to a minute")
    if not works():
        make_venv()
    if packages := requirements(extras):
        install_packages(packages, with_uv=bool(extras))


def install_packages(packages: Sequence[str], *, with_uv: bool) -> None:
    """Install packages by uv, which takes a fifth of pip's time, or by pip.

    A few packages are not worth uv's own size. It reads no configuration of pip: where it finds no index, pip goes on.
    """
    # Python compiles what is used when it is used; compiling all takes a fifth of the time.
    pip = [str(PYTHON), "-m", "pip", "install", "--no-compile", "--disable-pip-version-check"]
    if with_uv:
        try:
            run([*pip, "--only-binary=:all:", "uv"])
            return run([str(VENV / "bin/uv"), "pip", "install", "--python", str(PYTHON), *packages])
        except (subprocess.CalledProcessError, OSError) as error:
            say(f"uv cannot do it here, so pip does: {reason(error)}")
    return run([*pip, *packages])


def works() -> bool:
    """Whether .venv has a Python of its own that is new enough, and pip: it may be half made, or its Python gone."""
    check = "import pip, sys; sys.exit(sys.version_info < (3, 11))"
    try:
        return subprocess.run([PYTHON, "-I", "-c", check], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def requirements(extras: Sequence[str]) -> list[str]:
    project = tomllib.loads(PROJECT.read_text("utf-8"))["project"]
    return [
        *project["dependencies"],
        *(one for name in extras for one in project["optional-dependencies"][name]),
    ]


def make_venv() -> None:
    """Make .venv anew, with pip.

    Debian ships Python without what `venv` needs to install pip, so there are several ways to it.
    """
    shutil.rmtree(VENV, ignore_errors=True)
    if can_run("from ensurepip import bootstrap") or (
        os.geteuid() == 0 and shutil.which("apt-get") and install_debians_venv()
    ):
        run([sys.executable, "-I", "-m", "venv", str(VENV)])
    elif can_run("import virtualenv"):
        run([sys.executable, "-m", "virtualenv", "--quiet", str(VENV)])
    elif can_run("from pip import main"):
        run([sys.executable, "-I", "-m", "venv", "--without-pip", str(VENV)])
        run(
            [
                sys.executable,
                "-m",
                "pip",
                "--python",
                str(PYTHON),
                "install",
                "--disable-pip-version-check",
                "pip",
            ]
        )
    else:
        raise OSError(
            f"this Python has neither ensurepip, virtualenv nor pip; type: sudo apt-get install {debian()}"
        )


def can_run(statement: str) -> bool:
    return subprocess.run([sys.executable, "-c", statement], capture_output=True, check=False).returncode == 0


def install_debians_venv() -> bool:
    say(f"Installing {debian()} …")
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for words in (["update"], ["install", "-y", "--no-install-recommends", debian()]):
        # A second gbrowse may be installing. `install` waits for the end of it, `update` does not.
        command = ["apt-get", "-qq", "-o", "DPkg::Lock::Timeout=600", *words]
        for _ in range(60):
            done = subprocess.run(
                command, env=environment, stdout=sys.stderr, stderr=subprocess.PIPE, text=True, check=False
            )
            sys.stderr.write(done.stderr)
            if "Could not get lock" not in done.stderr:
                break
            time.sleep(1)
    return done.returncode == 0


def debian() -> str:
    return f"python{sys.version_info.major}.{sys.version_info.minor}-venv"


def run(command: Sequence[str]) -> None:
    """Run a command, showing the lines that tell how far it is; all of them if it fails."""
    lines = []
    environment = {
        name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")
    }
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=-1,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        env=environment,
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            lines.append(line.rstrip())
            if line.lstrip().startswith(WORTH_SAYING):
                say("  " + line.strip()[:100])
    if process.returncode:
        say("\n".join(lines))
        raise subprocess.CalledProcessError(process.returncode, command)


def reason(error: Exception) -> str:
    if isinstance(error, subprocess.CalledProcessError):
        return f"{' '.join(error.cmd[:4])} … ended with exit code {error.returncode}"
    return str(error)


def say(text: str) -> None:
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
