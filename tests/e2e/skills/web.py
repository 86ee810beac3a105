"""The fixture sites, each with planted bugs, and the server that serves them."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler
from pathlib import Path
from typing import Any

from tests.e2e import serving as servers

SITES = Path(__file__).parent / "sites"


@dataclass
class Site:
    """A fixture site. `url` is its address, `slow_seconds` the time that `/slow/…` takes."""

    url: str = ""
    slow_seconds: float = 1.2
    over: threading.Event = field(default_factory=threading.Event)


class _Pages(SimpleHTTPRequestHandler):
    def __init__(self, *args: Any, site: Site, folder: Path) -> None:
        self.site = site
        super().__init__(*args, directory=str(folder))

    def do_GET(self) -> None:
        if self.path.startswith("/slow/"):
            self.site.over.wait(self.site.slow_seconds)
            self._answer(200, "text/javascript", b"// recommendations")
        elif self.path == "/api/notes":
            self._answer(200, "application/json", b'["Buy milk", "Call Ann"]')
        else:
            super().do_GET()

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self._answer(201, "text/plain", b"") if self.path == "/save" else self._answer(
            500, "text/plain", b"disk full"
        )

    def _answer(self, status: int, kind: str, body: bytes) -> None:
        servers.Answering.answer(self, body, status, kind)  # type: ignore[arg-type]

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def serving(folder: Path) -> Iterator[Site]:
    site = Site()
    with servers.serving(partial(_Pages, site=site, folder=folder)) as port:
        site.url = f"http://127.0.0.1:{port}"
        yield site
        site.over.set()
