"""Compile the native client, where there is a compiler.

    python build_native.py TARGET PYTHON_CLIENT [--static]

PYTHON_CLIENT is the program it leaves everything unusual to, as seen from TARGET's directory. Exit code 1: there is none,
and nothing lies at TARGET; the Python client does the same. With --static it must need no library and is not started
here: it may be for another processor. Run by `wheel_native.py` and `setup.py`: standard library only.
"""

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

CLIENT = Path(__file__).resolve().parent.parent / "gstack_browse/client"
SOURCES = tuple(sorted(CLIENT.glob("native*.c")))
FLAGS = (
    "-std=c11",
    "-O2",
    "-s",
    "-U_FORTIFY_SOURCE",
    "-D_FORTIFY_SOURCE=2",
    "-fstack-protector-strong",
    "-fPIE",
)
LINKS = ("-static-pie", "-pie")
"""Static starts 0.2 ms sooner; not every system has the library for it."""
HARDENED = ("-Wl,-z,relro,-z,now",)


def main(words: Sequence[str]) -> int:
    target, python_client, *flags = words
    return 0 if build(Path(target), python_client, static="--static" in flags) else 1


def build(target: Path, python_client: str, *, static: bool = False) -> bool:
    """Compile it to `target`. Returns whether there is a program now; if not, an older one is gone."""
    with suppress(FileNotFoundError):
        target.unlink()
    compiler = find_compiler()
    if not compiler:
        return False
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".native-") as place:
        program = Path(place) / "gbrowse"
        for link in LINKS[:1] if static else LINKS:
            flags = (*FLAGS, f'-DPYTHON_CLIENT="{python_client}"', link, *HARDENED)
            if succeeds([*compiler, *flags, "-o", program, *SOURCES]) and (static or starts(program)):
                program.replace(target)
                return True
    return False


def find_compiler() -> list[str]:
    """The words that run the C compiler: $CC, or what the system has. `CC=false` is a way to have none."""
    if not sys.platform.startswith("linux"):
        return []
    if named := shlex.split(os.environ.get("CC", "")):
        return named
    return [found for found in map(shutil.which, ("cc", "gcc", "clang")) if found][:1]


def starts(program: Path) -> bool:
    """Whether it runs here, and not only compiles: where it lies now it cannot do more than to miss the Python client."""
    try:
        done = subprocess.run([program], capture_output=True, check=False, timeout=10)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return b"Python client" in done.stderr


def succeeds(command: Sequence[str | Path]) -> bool:
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
