"""Count at a proxy which hosts Chromium asks that no page has asked for."""

import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.e2e.daemon.harness import DaemonHarness, until
from tests.faults import fault
from tests.tls import Authority

PAGE = """<html lang=de><title>Anmeldung</title><p>Der Hund geht heute nach Hause, und morgen kommt er wieder.
<form action=/next><input name=user autocomplete=username><input type=password name=word autocomplete=current-password>
<input name=card autocomplete=cc-number><input name=street autocomplete=street-address><input name=tel autocomplete=tel>
<textarea spellcheck=true></textarea><button>Los</button></form><a href=/program.exe download>Programm</a>"""


class CountingProxy(ThreadingHTTPServer):
    """A proxy that lets nothing through, and notes which hosts it was asked for."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Refusing)
        self.hosts: list[str] = []


class _Refusing(BaseHTTPRequestHandler):
    server: CountingProxy

    def do_GET(self) -> None:
        self.server.hosts.append(self.headers["Host"])
        self.send_error(502)

    do_CONNECT = do_POST = do_HEAD = do_GET  # noqa: N815 - the names http.server looks for

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class _Site(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header(
            "Content-Type", "application/octet-stream" if ".exe" in self.path else "text/html; charset=utf-8"
        )
        self.end_headers()
        self.wfile.write(b"MZ" if ".exe" in self.path else PAGE.encode())

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def serving(server: ThreadingHTTPServer) -> Iterator[int]:
    """Run a server until the block ends, and yield its port."""
    with server:
        threading.Thread(target=server.serve_forever, args=(0.05,)).start()
        yield server.server_port
        server.shutdown()


def distrusted(folder: Path) -> ThreadingHTTPServer:
    """Make a server whose certificate is not trusted."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(Authority(folder).server())
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Site)
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    return server


@fault(
    "Connections",
    "Chromium starts, and shows forms, a login, another language, a program to download, and a certificate that nobody trusts",
    "a proxy is asked for the one host that the page asks for, and for no other",
)
@pytest.mark.parametrize("profile", ["", pytest.param("profile", marks=pytest.mark.slow)])  # as rare as dear
def test_chromium_requests_only_the_hosts_of_its_pages(
    home: DaemonHarness, tmp_path: Path, profile: str
) -> None:
    proxy = CountingProxy()
    with (
        serving(proxy) as port,
        serving(ThreadingHTTPServer(("127.0.0.1", 0), _Site)) as plain,
        serving(distrusted(tmp_path)) as secure,
    ):
        home.env |= {
            "BROWSE_PROXY": f"http://127.0.0.1:{port}",
            "BROWSE_PROFILE": str(tmp_path / profile) if profile else "",
        }
        home.must("goto", f"http://localhost:{plain}/")
        home.must("click", "textarea")
        home.must("type", "a mispeled wrod ")
        for name in ("user", "word", "card", "street", "tel"):
            home.must("fill", f"[name={name}]", "4111111111111111")
        assert "program.exe" in home.must("click", "a")
        home.must("click", "button")
        assert "ERR_CERT_AUTHORITY_INVALID" in home.run("goto", f"https://localhost:{secure}/").stderr
        home.must("goto", f"http://localhost:{plain}/")
        home.run("js", "fetch('http://asked.test/').catch(() => {})")
        until(lambda: "asked.test" in proxy.hosts)
        assert set(proxy.hosts) == {"asked.test"}
