"""Serves a site on a free port of this machine, under two names: for a browser those are two sites."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, unquote, urlsplit

from tests.evals.sites.site import Request, Site

MOST_BYTES = 20_000_000


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, site: Site) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.site = site

    def handle_error(self, request: object, client_address: object) -> None:
        """A browser that is stopped leaves requests behind; other failures are the site's own and are shown."""
        if not self.site.stopping.is_set() and not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    server: _Server

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def log_message(self, format: str, *values: object) -> None:
        """The site's own log, in its database, is the one that counts."""

    def _answer(self) -> None:
        address = urlsplit(self.path)
        length = min(int(self.headers.get("Content-Length") or 0), MOST_BYTES)
        request = Request(
            self.command,
            (self.headers.get("Host") or "").partition(":")[0],
            unquote(address.path),
            dict(parse_qsl(address.query, keep_blank_values=True)),
            self.rfile.read(length),
            dict(self.headers),
        )
        reply = self.server.site.answer(request)
        with suppress(ConnectionError):
            self.send_response(reply.status)
            self.send_header("Content-Type", reply.kind)
            self.send_header("Content-Length", str(len(reply.body)))
            self.send_header("Cache-Control", "no-store")
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(reply.body)


@contextmanager
def served(site: Site) -> Iterator[tuple[str, str]]:
    """Serve a site: its address, and its address as another site."""
    server = _Server(site)
    port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{port}", f"http://localhost:{port}"
    finally:
        site.stopping.set()
        server.shutdown()
        server.server_close()
        thread.join()
        site.database.close()
