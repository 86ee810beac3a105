"""Test networks of companies.

A proxy that wants a password, an authority of their own, a certificate without a trusted signer.
"""

import shutil
import ssl
import threading
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.e2e.daemon.harness import DaemonHarness
from tests.tls import Authority

WANTED = "Basic " + b64encode(b"ann:s3cret").decode()


class Proxying(BaseHTTPRequestHandler):
    """A proxy that answers by itself, once it was told user and password."""

    def do_GET(self) -> None:
        is_known = self.headers.get("Proxy-Authorization") == WANTED
        self.send_response(200 if is_known else 407)
        if not is_known:
            self.send_header("Proxy-Authenticate", 'Basic realm="corp"')
        body = f"<h1>Through the proxy to {self.path}</h1><a href=/b>b</a>".encode()
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class Answering(BaseHTTPRequestHandler):
    """A page."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<h1>Inside</h1><a href=/b>b</a>")

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def _serving(handler: type[BaseHTTPRequestHandler], context: ssl.SSLContext | None = None) -> Iterator[int]:
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        if context:
            # each connection shakes hands in its own thread: a browser opens some ahead, and is silent there
            server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server.server_address[1]
        server.shutdown()


@pytest.fixture
def proxy() -> Iterator[int]:
    yield from _serving(Proxying)


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    """A company's authority, which no machine trusts."""
    return Authority(tmp_path)


@contextmanager
def secure(authority: Authority) -> Iterator[int]:
    """Serve a page by a certificate of that authority."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(authority.server())
    yield from _serving(Answering, context)


def test_a_proxy_gets_its_user_and_password(home: DaemonHarness, proxy: int) -> None:
    home.env |= {
        "BROWSE_PROXY": f"http://ann@127.0.0.1:{proxy}",
        "GSTACK_HOME": str(home.runtime),
        "DBUS_SESSION_BUS_ADDRESS": "disabled:",
    }
    told = home.run("goto", "http://intranet.test/a")
    assert "407" in told.stdout + told.stderr
    home.run("secret-set", "proxy", "--origin", f"http://127.0.0.1:{proxy}", stdin="s3cret")
    home.must("restart")
    assert home.must("goto", "http://intranet.test/a").endswith("(200)")
    assert home.must("text", "h1") == "Through the proxy to http://intranet.test/a"
    assert "1 link checked, none is broken" in home.must("links", "--check"), "asked by the proxy, too"
    assert home.must("newtab", "http://other.test/") != ""
    assert home.must("text", "h1") == "Through the proxy to http://other.test/"


@pytest.mark.skipif(not shutil.which("certutil"), reason="certutil is not installed")
def test_own_authority_is_trusted_and_a_certificate_overlooked_for_named_hosts_alone(
    home: DaemonHarness, authority: Authority, tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    with secure(authority) as trusted, secure(Authority(tmp_path / "other", "Other")) as overlooked:
        home.env |= {"BROWSE_CA_CERT": str(authority.file), "BROWSE_INSECURE": f"localhost:{overlooked}"}
        for port in (trusted, overlooked):
            assert home.must("goto", f"https://localhost:{port}/").endswith("(200)")
            assert "1 link checked, none is broken" in home.must("links", "--check")
        told = home.run("goto", f"https://127.0.0.1:{overlooked}/")
        assert "ERR_CERT_AUTHORITY_INVALID" in told.stderr
        assert "BROWSE_CA_CERT=<ca.pem>" in told.stderr
        home.must("goto", f"https://localhost:{overlooked}/")
        script = f"fetch('https://127.0.0.1:{overlooked}/', {{mode: 'no-cors'}}).then(() => 'came', () => 'did not come')"
        assert home.must("js", script) == "did not come"
        home.must("newtab", f"https://localhost:{trusted}/b")
        home.must("restart")
        for tab in ("1", "2"):
            assert home.must("--tab", tab, "text", "h1") == "Inside"
