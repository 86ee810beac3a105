"""The fixture sites, each with planted bugs, and the server that serves them."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

SITES = Path(__file__).parent / "sites"


class Site(ThreadingHTTPServer):
    """A fixture site on a port of its own.

    `url` is its address, `slow_seconds` the time that `/slow/…` takes.
    """

    daemon_threads = True

    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), _handler(folder))
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.slow_seconds = 1.2
        self.over = threading.Event()


def _handler(folder: Path) -> type[SimpleHTTPRequestHandler]:
    class Handler(SimpleHTTPRequestHandler):
        server: Site

        def __init__(self, *args: object) -> None:
            super().__init__(*args, directory=str(folder))

        def do_GET(self) -> None:
            if self.path.startswith("/slow/"):
                self.server.over.wait(self.server.slow_seconds)
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
            if self.path == "/save":
                self._answer(201, "text/plain", b"")
            else:
                self._answer(500, "text/plain", b"disk full")

        def _answer(self, status: int, kind: str, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *words: object) -> None:
            pass

    return Handler


@contextmanager
def serving(folder: Path) -> Iterator[Site]:
    with Site(folder) as site:
        thread = threading.Thread(target=site.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield site
        finally:
            site.over.set()
            site.shutdown()
            thread.join()
