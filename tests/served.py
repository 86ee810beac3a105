"""Start Playwright's own server, of the package that is installed.

`BROWSE_REMOTE=playwright+ws://…` leads to it.
"""

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil
from playwright._impl._driver import compute_driver_executable

from tests import chromiums
from tests.foreign import APART

LISTENING = "Listening on "


class Served:
    """The running server.

    `address` is for BROWSE_REMOTE, `headers` the file for BROWSE_REMOTE_HEADERS.
    """

    def __init__(self, process: "subprocess.Popen[str]", folder: Path) -> None:
        self.process = process
        assert process.stdout
        said = process.stdout.readline()
        assert said.startswith(LISTENING), said
        self.address = f"playwright+{said.removeprefix(LISTENING).strip()}"
        self.headers = folder / "headers"
        wanted = {"executablePath": str(chromiums.usual()), "args": ["--no-sandbox"]}
        self.headers.touch(mode=0o600)
        self.headers.write_text(f"x-playwright-launch-options: {json.dumps(wanted)}\n")

    @property
    def env(self) -> dict[str, str]:
        return {"BROWSE_REMOTE": self.address, "BROWSE_REMOTE_HEADERS": str(self.headers)}


@contextmanager
def served(*, is_apart: bool = False) -> Iterator[Served]:
    """Run such a server for the length of a block.

    It lets its clients say which Chromium it starts, as ours is none of Playwright's own.

    `is_apart`: its `/tmp` is another one than ours, as on another machine.
    """
    with TemporaryDirectory(dir="/tmp", ignore_cleanup_errors=True) as folder:
        before = (*APART, folder) if is_apart else ()
        argv = [
            *before,
            *compute_driver_executable(),
            "run-server",
            "--port",
            "0",
            "--host",
            "127.0.0.1",
            "--unsafe",
        ]
        process = subprocess.Popen(
            argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        try:
            yield Served(process, Path(folder))
        finally:
            for each in [*psutil.Process(process.pid).children(recursive=True), process]:
                with suppress(psutil.NoSuchProcess):
                    each.kill()
            process.wait()
