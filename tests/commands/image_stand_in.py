"""Stand in for an image service.

It answers as it is told to, and remembers the requests. No model is behind it.
"""

import base64
import json
import ssl
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

from PIL import Image


class ServiceRequest(NamedTuple):
    """A request to the service."""

    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def fields(self) -> dict[str, object]:
        found: dict[str, object] = json.loads(self.body)
        return found


class ServiceAnswer(NamedTuple):
    """An answer. `is_cut`: the connection ends before all of it was sent."""

    body: bytes
    status: int = 200
    headers: dict[str, str] = {}  # noqa: RUF012 - never changed
    is_cut: bool = False


def picture(colour: str = "#2457d6", kind: str = "PNG", size: tuple[int, int] = (64, 48)) -> bytes:
    out = BytesIO()
    Image.new("RGB", size, colour).save(out, kind)
    return out.getvalue()


def drawn(content: bytes | None = None) -> ServiceAnswer:
    """An answer with a picture in it."""
    words = base64.b64encode(picture() if content is None else content).decode()
    return ServiceAnswer(json.dumps({"created": 1, "data": [{"b64_json": words}]}).encode())


def answer_with_words(words: str) -> ServiceAnswer:
    return ServiceAnswer(
        json.dumps({"choices": [{"message": {"role": "assistant", "content": words}}]}).encode()
    )


def refused(status: int, message: str, **headers: str) -> ServiceAnswer:
    body = json.dumps({"error": {"message": message}}).encode()
    return ServiceAnswer(body, status, {name.replace("_", "-"): value for name, value in headers.items()})


class StandIn:
    """The service. `next` are the answers to the next requests; after those it draws."""

    def __init__(self, certificate: Path | None = None) -> None:
        self.next: list[ServiceAnswer] = []
        self.asked: list[ServiceRequest] = []
        self.hold = threading.Event()
        """Cleared, answers wait for it."""
        self.hold.set()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        if certificate:
            context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
            context.load_cert_chain(certificate)
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self.port = self._server.server_port
        self.url = f"http://127.0.0.1:{self.port}/v1"
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    async def set_up(self, run: Callable[[str], Awaitable[str]]) -> None:
        """Choose it by the command."""
        await run(f"design-service {self.url} --model draws --vision-model looks")

    def close(self) -> None:
        self.hold.set()
        self._server.shutdown()
        self._server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                service.asked.append(ServiceRequest(self.path, dict(self.headers), body))
                service.hold.wait(20)
                self._answer(service.next.pop(0) if service.next else drawn())

            do_GET = do_CONNECT = do_POST  # noqa: N815

            def _answer(self, told: ServiceAnswer) -> None:
                self.send_response(told.status)
                for name, value in told.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(told.body) + 100 * told.is_cut))
                self.end_headers()
                with suppress(ConnectionError):  # whoever asked may have gone
                    self.wfile.write(told.body)

            def log_message(self, *words: object) -> None:
                pass

        return Handler
