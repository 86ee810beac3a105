"""The command line of a process that runs a module of ours, for input that must not reach the daemon's own memory."""

import sys
from pathlib import Path

_BOOT = (
    "import sys; sys.path.insert(0, sys.argv.pop(1)); "
    "from importlib import import_module; import_module(sys.argv.pop(1)).main()"
)
_PLACE = str(Path(__file__).parents[2])


def command_line(module: str, *words: str) -> list[str]:
    """Return the words that start a process which calls `main` of a module. Its `sys.argv[1:]` are `words`.

    Neither variables of Python nor the working directory change which modules it loads.
    """
    return [sys.executable, "-E", "-P", "-X", "utf8", "-c", _BOOT, _PLACE, module, *words]
