"""Start a Chromium that is not ours, as a person would.

It has a debugging port, and none of our flags.

`pytest --over websocket` runs the tests of commands and of the browser in one: see docs/remote.md.
"""

import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from gstack_browse.browser.launch.endpoint import PORT_FILE
from tests import chromiums
from tests.e2e.daemon.harness import until

START_SECONDS = 20


class Foreign:
    """The running browser: `url` of its WebSocket, `port`, and its process."""

    def __init__(self, process: "subprocess.Popen[bytes]", profile: Path) -> None:
        self.process = process
        self.profile = profile
        port, path = _written(process, profile / PORT_FILE)
        self.port = int(port)
        self.url = f"ws://127.0.0.1:{port}{path}"


@contextmanager
def foreign(profile: Path | None = None, program: str = "", *, is_apart: bool = False) -> Iterator[Foreign]:
    """Run such a browser for the length of a block.

    `profile`: its directory, which stays. `program`: another one than the other tests use.

    `is_apart`: its `/tmp` is another one than ours, as on another machine.
    """
    with TemporaryDirectory(dir="/tmp", ignore_cleanup_errors=True) as folder:
        place = profile or Path(folder, "profile")
        place.mkdir(exist_ok=True, parents=True)
        before = (*APART, str(place)) if is_apart else ()
        process = subprocess.Popen(
            [*before, program or str(chromiums.usual()), *BASE, f"--user-data-dir={place}", "about:blank"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "DBUS_SESSION_BUS_ADDRESS": "disabled:"},
        )
        try:
            yield Foreign(process, place)
        finally:
            process.kill()
            process.wait()


BASE = ("--headless", "--no-sandbox", "--remote-debugging-port=0", "--no-first-run", "--disable-dev-shm-usage")


APART = (
    *("unshare", "--user", "--map-root-user", "--mount", "sh", "-c"),
    f"""
    set -e
    mount -t tmpfs none /mnt
    mkdir -p "/mnt$0" "/mnt{sys.prefix}"
    mount --rbind "$0" "/mnt$0"
    mount --rbind {shlex.quote(sys.prefix)} "/mnt{sys.prefix}"
    mkdir -p /mnt/tmp
    mount --rbind /mnt/tmp /tmp
    exec "$@"
    """,
)
"""Before a command: it sees nothing of our `/tmp` but the directory that is named behind this, and the programs of our environment."""


def _written(process: "subprocess.Popen[bytes]", file: Path) -> list[str]:
    """The two lines that Chromium writes once it listens."""

    def lines() -> list[str]:
        if process.poll() is not None:
            raise RuntimeError(f"Chromium ended with {process.returncode} before it listened")
        try:
            found = file.read_text().splitlines()
        except FileNotFoundError:
            return []
        return found if len(found) == 2 else []

    written: list[str] = until(lines, START_SECONDS)
    return written
