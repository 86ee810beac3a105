"""The pages of MiniWoB++: its package is fetched from PyPI once and unpacked. None of its code is run."""

import subprocess
import sys
import tempfile
import zipfile
from functools import cache
from pathlib import Path

from tests.evals.store import directory

PACKAGE = "miniwob==1.1.0"
INSIDE = "miniwob/html/"


@cache
def root() -> Path:
    """The directory of its HTML. Raises OSError where it cannot be fetched."""
    place = directory() / PACKAGE.replace("==", "-")
    if not place.is_dir():
        place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        print(f"Fetching {PACKAGE} from PyPI", file=sys.stderr)
        with tempfile.TemporaryDirectory(dir=place.parent) as scratch:
            _unpack(_fetched(Path(scratch)), Path(scratch) / "pages")
            (Path(scratch) / "pages" / INSIDE).rename(place)
    return place


def names() -> list[str]:
    """All tasks of the package."""
    return sorted(path.stem for path in (root() / "miniwob").glob("*.html"))


def _fetched(scratch: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
    done = subprocess.run(
        [*command, "--dest", str(scratch), PACKAGE], capture_output=True, text=True, check=False
    )
    wheels = list(scratch.glob("*.whl"))
    if done.returncode or not wheels:
        raise OSError(f"{PACKAGE} could not be fetched: {done.stderr.strip()[-500:]}")
    return wheels[0]


def _unpack(wheel: Path, place: Path) -> None:
    """Only the pages. `extract` keeps names inside the place."""
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if name.startswith(INSIDE):
                archive.extract(name, place)
