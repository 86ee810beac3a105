"""Replace one of our files by something else, as an attacker would."""

import os
import socket
from pathlib import Path


def plant(path: Path, what: str, target: Path = Path("/dev/null")) -> None:
    """Make a `link` to the target, a `file`, a `fifo`, a `directory` or a `socket` of that path."""
    match what:
        case "link":
            path.symlink_to(target)
        case "file":
            path.write_text("precious")
        case "fifo":
            os.mkfifo(path)
        case "directory":
            path.mkdir()
        case "socket":
            with socket.socket(socket.AF_UNIX) as left:
                left.bind(str(path))
        case _:
            raise ValueError(what)
