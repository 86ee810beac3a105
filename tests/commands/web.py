"""The web server the commands are tried against: tests/site, and answers that no file can give."""

import itertools
import re
import threading
from base64 import b64encode
from collections.abc import Callable
from hashlib import sha1
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

FOLDER = Path(__file__).parents[1] / "site"
TYPES = {".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".png": "image/png"}
STRICT = "default-src 'none'; script-src 'none'; style-src 'unsafe-inline'; require-trusted-types-for 'script'"


_NUMBERED = re.compile(r"/(inline|scripts)/\d+")


class Web:
    """A server on this machine. `url` is its address; `show` gives markup an address of its own."""

    def __init__(self, host: str = "127.0.0.1") -> None:
        self.pages: dict[str, tuple[str, dict[str, str]]] = {}
        self.over = threading.Event()
        """Set when the tests end: answers that were held back are dropped."""
        self.gates: dict[str, threading.Event] = {}
        self.reached: dict[str, threading.Event] = {}
        """Set once somebody waits at the gate of that name."""
        self._numbers = itertools.count(1)
        self._server = ThreadingHTTPServer((host, 0), _handler(self))
        self._server.daemon_threads = True
        self.port = self._server.server_port
        self.url = f"http://{host}:{self.port}"
        self.other = f"http://localhost:{self.port}"
        """The same server as another origin."""
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05})
        self._thread.start()

    def show(self, markup: str, **headers: str) -> str:
        """The address of a page with that markup; headers as `Content_Security_Policy="…"`."""
        path = f"/inline/{next(self._numbers)}.html"
        text = markup if "<html" in markup.lower() else f"<!doctype html><title>Test</title>{markup}"
        self.pages[path] = text, {name.replace("_", "-"): value for name, value in headers.items()}
        return self.url + path

    def show_elsewhere(self, markup: str, **headers: str) -> str:
        """The address of such a page on another site."""
        return self.show(markup, **headers).replace(self.url, self.other)

    def script(self, name: str, code: str) -> str:
        path = f"/scripts/{next(self._numbers)}/{name}"
        self.pages[path] = code, {}
        return self.url + path

    def forget_named(self) -> None:
        """Remove all gates and all pages but those that `show` and `script` have given an address.

        Such an address is of one test only.
        """
        for path in [path for path in self.pages if not _NUMBERED.match(path)]:
            del self.pages[path]
        self.reached.clear()
        while self.gates:
            self.gates.popitem()[1].set()

    def gate(self, name: str) -> threading.Event:
        """Return the event that `/gate/NAME` waits for before it answers."""
        self.reached.setdefault(name, threading.Event())
        return self.gates.setdefault(name, threading.Event())

    def later(self, seconds: float, act: Callable[[], object]) -> None:
        """Do something while a command is waiting for it."""
        timer = threading.Timer(seconds, act)
        timer.daemon = True
        timer.start()

    def close(self) -> None:
        self.over.set()
        for gate in self.gates.values():
            gate.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def _handler(web: Web) -> type[BaseHTTPRequestHandler]:
    class Handler(_Handler):
        site = web

    return Handler


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    """Else a body waits up to 40 ms behind its headers, on a connection that was used a moment before."""
    site: Web

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        words = parts.path.strip("/").split("/")
        special: Callable[..., None] | None = getattr(self, f"at_{words[0]}", None)
        try:
            if parts.path in self.site.pages:
                text, headers = self.site.pages[parts.path]
                self.reply(200, text, TYPES.get(Path(parts.path).suffix, TYPES[".html"]), **headers)
            elif special:
                special(*words[1:], **{key: values[0] for key, values in parse_qs(parts.query).items()})
            else:
                self.file(unquote(parts.path))
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    do_POST = do_HEAD = do_GET  # noqa: N815 - the names http.server looks for

    def file(self, path: str) -> None:
        if path == "/favicon.ico":
            self.reply(204, "")
            return
        found = FOLDER / path.lstrip("/")
        if found.is_file() and FOLDER in found.resolve().parents:
            self.reply(200, found.read_bytes(), TYPES.get(found.suffix, "application/octet-stream"))
        else:
            self.reply(404, f"<title>Not found</title><h1>No {path}</h1>")

    def at_redirect(self, to: str = "/plain.html") -> None:
        self.reply(302, "", Location=to)

    def at_circle(self) -> None:
        self.reply(302, "", Location="/circle")

    def at_status(self, code: str) -> None:
        self.reply(int(code), f"<title>{code}</title><h1>Status {code}</h1>")

    def at_private(self) -> None:
        """Asks for user and password: ann, correct horse."""
        if self.headers["Authorization"] == "Basic YW5uOmNvcnJlY3QgaG9yc2U=":
            self.reply(200, "<h1>Hello Ann</h1>")
        else:
            self.reply(401, "<h1>Who are you?</h1>", **{"WWW-Authenticate": 'Basic realm="here"'})

    def at_empty(self) -> None:
        self.reply(204, "")

    def at_drop(self) -> None:
        self.close_connection = True

    def at_hang(self) -> None:
        """Never answers."""
        self.site.over.wait()
        self.close_connection = True

    def at_uncached(self) -> None:
        """An answer that no cache keeps."""
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.reply(200, '{"saved": true}', "application/json", **{"Cache-Control": "no-store"})

    def at_late(self, seconds: str) -> None:
        """Answers after so many seconds. A page that asks synchronously is busy meanwhile without computing."""
        self.site.over.wait(float(seconds))
        self.reply(200, "")

    def at_half(self) -> None:
        """Begins to answer and never ends."""
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", "100000")
        self.end_headers()
        self.wfile.write(b"<title>Half</title><h1>The first half</h1>" + b" " * 2000)
        self.site.over.wait()
        self.close_connection = True

    def at_broken(self, by: str) -> None:
        """Ends before all that was announced has come, or is no gzip though it says so.

        The first ends once its beginning is shown: Chromium throws away what has come and is not parsed when the connection ends.
        """
        self.site.gate("shown").set()
        shown = self.site.reached["shown"]
        shown.clear()
        body = b"<h1>A start</h1><script>fetch('/gate/shown', {cache: 'no-store'})</script>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", "5000" if by == "length" else str(len(body)))
        if by == "coding":
            self.send_header("Content-Encoding", "gzip")
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = True
        if by == "length":
            shown.wait(60)

    def at_gate(self, name: str) -> None:
        """Answers when the test opens the gate."""
        self.rfile.read(int(self.headers.get("Content-Length") or 0))  # else the next request begins with it
        gate = self.site.gate(name)
        self.site.reached[name].set()
        gate.wait()
        self.reply(200, f"<title>Open</title><h1>{name} is open</h1>")

    def at_download(self, name: str = "report.csv", gate: str = "") -> None:
        if gate:
            self.site.gate(gate).wait()
        self.reply(
            200, "a,b\n1,2\n", "text/csv", **{"Content-Disposition": f'attachment; filename="{unquote(name)}"'}
        )

    def at_large(self, megabytes: str, announced: str = "", name: str = "large.bin", gate: str = "") -> None:
        """A file of so many MB that may announce more than it has, or wait for a gate before its last byte."""
        self.send_response(200)
        self.send_header("Content-Disposition", f'attachment; filename="{name}"')
        size = int(float(megabytes) * 1e6)
        self.send_header("Content-Length", announced or str(size))
        self.end_headers()
        for _ in range(size // 100_000):
            self.wfile.write(b"x" * 100_000)
        self.wfile.flush()
        if gate:
            self.site.gate(gate).wait()
        self.close_connection = True

    def at_headers(self, to: str = "") -> None:
        """Tells the request's headers, or leads elsewhere."""
        if to:
            self.reply(302, "", Location=unquote(to))
            return
        self.reply(
            200,
            "".join(f"<li>{name}: {value}</li>" for name, value in self.headers.items()),
            **{"Access-Control-Allow-Origin": "*"},
        )

    def at_api(self, code: str = "200") -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.reply(int(code), '{"ok":true}', "application/json")

    def at_chunked(self) -> None:
        """A body without a length."""
        self.send_response(200)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.wfile.write(b"a\r\n0123456789\r\n0\r\n\r\n")

    def at_bytes(self) -> None:
        """Every byte there is."""
        self.reply(200, bytes(range(256)), "application/octet-stream")

    def at_events(self, gate: str = "") -> None:
        """An event stream that ends, or one that goes on when the test opens the gate."""
        if not gate:
            self.reply(200, "event: tick\ndata: one\n\ndata: two\n\n", "text/event-stream")
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        self.wfile.write(b"data: first\n\ndata: sec")
        self.wfile.flush()
        self.site.gate(gate).wait()
        self.wfile.write(b"ond\n\n")
        self.wfile.flush()
        self.site.over.wait()
        self.close_connection = True

    def at_socket(self) -> None:
        """A web socket that says what it hears, with an exclamation mark (short frames only: RFC 6455, 5.2)."""
        key = self.headers["Sec-WebSocket-Key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        self.send_response(101)
        for name, value in {"Upgrade": "websocket", "Connection": "Upgrade"}.items():
            self.send_header(name, value)
        self.send_header("Sec-WebSocket-Accept", b64encode(sha1(key.encode()).digest()).decode())
        self.end_headers()
        self.close_connection = True
        while (head := self.rfile.read(2)) and head[0] & 15 != 8:
            mask, masked = self.rfile.read(4), self.rfile.read(head[1] & 127)
            said = bytes(byte ^ mask[at % 4] for at, byte in enumerate(masked)) + b"!"
            self.wfile.write(bytes([head[0], len(said)]) + said)

    def at_login(self) -> None:
        form = self._form()
        if form.get("user") == "ann" and form.get("password") == "correct horse":
            self.reply(303, "", Location="/welcome", **{"Set-Cookie": "session=ann; HttpOnly; Path=/"})
        else:
            self.reply(403, "<title>Sign in</title><p id=error>Wrong user or password")

    def at_welcome(self) -> None:
        cookie = SimpleCookie(self.headers.get("Cookie", ""))
        who = cookie["session"].value if "session" in cookie else "nobody"
        self.reply(200, f"<title>Welcome</title><h1>Hello {who}</h1>")

    def at_connection(self) -> None:
        """Name the connection; the answer may be kept for ten minutes."""
        self.reply(200, str(self.client_address[1]), Cache_Control="max-age=600")

    def at_echo(self) -> None:
        lines = "".join(f"<li>{key} = {value}</li>" for key, value in self._form().items())
        self.reply(200, f"<title>Echo</title><ul>{lines}</ul>")

    def _form(self) -> dict[str, str]:
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length).decode()
        return {key: values[0] for key, values in parse_qs(body, keep_blank_values=True).items()}

    def reply(
        self, code: int, body: str | bytes, kind: str = "text/html; charset=utf-8", **headers: str
    ) -> None:
        content = body.encode() if isinstance(body, str) else body
        self.send_response(code)
        self.send_header("Content-Type", kind)
        if code != 204:
            self.send_header("Content-Length", str(len(content)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        return
