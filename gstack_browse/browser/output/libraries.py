"""Published JavaScript libraries that run in pages: files of `libraries/`, as they are on npm."""

from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).with_name("libraries")


class Library(NamedTuple):
    """A file of a package on npm. `sha256` is that of the file."""

    package: str
    version: str
    file: str
    sha256: str

    @property
    def path(self) -> Path:
        return FOLDER / self.package / self.file

    def source(self) -> str:
        """Return the library as a script that may follow another one."""
        return f"{self.path.read_text(encoding='utf-8')}\n;"


AXE = Library(
    "axe-core", "4.14.1", "axe.min.js", "29348999450cdf2849a8e70b7912fc2da85a849da39c0d0d5394f51d4a9ed95c"
)
WEB_VITALS = Library(
    "web-vitals",
    "6.2.3",
    "web-vitals.attribution.iife.js",
    "42d0cfd64b5cf19408e19c0393ce59eef6cc09317e94faaca6d3a032d4112e48",
)
LIBRARIES = (AXE, WEB_VITALS)
