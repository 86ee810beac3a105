"""Tell whether films can be written as WebM, without loading codec or Pillow.

As a program it prints `WebM`, or nothing.
"""

import shlex
import sys
from importlib.util import find_spec

SUFFIXES = (".webm", ".webp")
NO_CODEC = "WebM needs the library av, which is not installed"
INSTALL_CODEC = f"{shlex.quote(sys.executable)} -m pip install av"
GET_CODEC = f"{INSTALL_CODEC}; or name a file that ends in .webp"


def has_codec() -> bool:
    """Return whether the video library is installed, without loading it (35 MB)."""
    return find_spec("av") is not None


if __name__ == "__main__":
    sys.stdout.write("WebM" if has_codec() else "")
