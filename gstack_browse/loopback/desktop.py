"""Open an address in the person's browser, and explain how to reach it without a desktop."""

import asyncio
import os
import shutil
import sys
from urllib.parse import urlsplit

_openers: set[asyncio.Task[int]] = set()


async def open_in_desktop_browser(address: str) -> bool:
    """Ask the desktop to open the address. Return whether there is a desktop.

    Other users may see the address in the list of processes for a moment; `guard` does not let them in.
    """
    desktop = sys.platform == "darwin" or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    opener = shutil.which("open" if sys.platform == "darwin" else "xdg-open")
    if not desktop or not opener:
        return False
    null = asyncio.subprocess.DEVNULL
    process = await asyncio.create_subprocess_exec(
        opener, address, stdin=null, stdout=null, stderr=null, start_new_session=True
    )
    waiting = asyncio.get_running_loop().create_task(process.wait())
    _openers.add(waiting)
    waiting.add_done_callback(_openers.discard)
    return True


def describe_tunnel(address: str) -> str:
    """Say how a browser on another machine reaches the address: the port must be the same there."""
    port = urlsplit(address).port
    return f"from another machine: ssh -L {port}:127.0.0.1:{port} <this machine>, then the same address there"
