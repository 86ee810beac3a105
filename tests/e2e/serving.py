"""Small servers for tests: of pages, of redirects, of refusals.

class Shop(Answering):
    def get(self) -> None:
        self.answer(b"<h1>Shop</h1>")

with serving(Shop) as port: ...
"""

import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

SITE = Path(__file__).parents[1] / "site"


class Answering(BaseHTTPRequestHandler):
    """Answer requests by the methods `get` and `post` of a subclass, and print nothing of them."""

    def get(self) -> None:
        self.send_error(501)

    def post(self) -> None:
        self.send_error(501)

    def do_GET(self) -> None:
        self.get()

    def do_POST(self) -> None:
        self.post()

    def answer(self, body: bytes, status: int = 200, kind: str = "text/html", **headers: str) -> None:
        """Send an answer, with headers as `Set_Cookie="a=b"`."""
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, *_: object) -> None:
        """Say nothing of handshakes, and of browsers that have gone."""


class _Files(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def serving(handler: Callable[..., BaseHTTPRequestHandler], certificate: Path | None = None) -> Iterator[int]:
    """Serve until the block ends, over TLS if there is a certificate. Yields the port of 127.0.0.1."""
    with _Server(("127.0.0.1", 0), handler) as server:
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            # Each connection shakes hands in its own thread: a browser opens some ahead, and is silent there.
            server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        try:
            yield server.server_port
        finally:
            server.shutdown()


@contextmanager
def serving_site() -> Iterator[str]:
    """Serve tests/site. Yields its address."""
    with serving(partial(_Files, directory=str(SITE))) as port:
        yield f"http://127.0.0.1:{port}"
