"""Make the command line of a process that runs one of our modules.

Hostile input to large libraries is read in such a process, not in the daemon.
"""

import sys
from pathlib import Path

_BOOT = (
    "import sys; sys.path.insert(0, sys.argv.pop(1)); "
    "from importlib import import_module; import_module(sys.argv.pop(1)).main()"
)
_PLACE = str(Path(__file__).parents[2])


def command_line(module: str, *words: str) -> list[str]:
    """Return the command line of a new Python process that calls `main` of one of our modules.

    `words`: its `sys.argv[1:]`. Neither variables of Python nor the working directory change which modules it loads.
    """
    return [sys.executable, "-E", "-P", "-X", "utf8", "-c", _BOOT, _PLACE, module, *words]
