"""Finds the unpacked extensions that `BROWSE_EXTENSIONS_DIR` names, and the flags that load them."""

from pathlib import Path

from gstack_browse.errors import SetupFailed

_MANIFEST = "manifest.json"


def find_extensions(directory: Path) -> list[Path]:
    """Return `directory` if it is an extension, else the extensions in it. Raises SetupFailed without any."""
    if not directory.is_dir():
        raise SetupFailed(f"BROWSE_EXTENSIONS_DIR names {directory}, which is no directory")
    if (directory / _MANIFEST).is_file():
        found = [directory]
    else:
        found = sorted(path.parent for path in directory.glob(f"*/{_MANIFEST}"))
    if not found:
        raise SetupFailed(
            f"BROWSE_EXTENSIONS_DIR names {directory}, where there is no {_MANIFEST}",
            "Name the directory of an unpacked extension",
        )
    if any("," in str(path) for path in found):
        raise SetupFailed("Chromium cannot load an extension from a path with a comma in it")
    return [path.resolve() for path in found]


def make_flags(extensions: list[Path]) -> list[str]:
    """Make Chromium's flags that load these extensions and no others."""
    paths = ",".join(str(path) for path in extensions)
    return [
        f"--disable-extensions-except={paths}",
        f"--load-extension={paths}",
    ]
