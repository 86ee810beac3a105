"""Test networks of companies.

A proxy that wants a password, an authority of their own, a certificate without a trusted signer.
"""

import shutil
import ssl
import threading
from base64 import b64encode
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from tests.e2e.daemon.harness import DaemonHarness

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
def authority(tmp_path: Path) -> Path:
    """Return a file with the certificate of an authority.

    It has signed `server.pem` beside it, for localhost and 127.0.0.1.
    """
    now = datetime.now(UTC)
    signer, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    issuer = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Corp")])
    names = x509.SubjectAlternativeName([x509.DNSName("localhost"), x509.IPAddress(ip_address("127.0.0.1"))])

    def certificate(name: x509.Name, of: ec.EllipticCurvePrivateKey, extension: x509.ExtensionType) -> bytes:
        begun = x509.CertificateBuilder().subject_name(name).issuer_name(issuer).public_key(of.public_key())
        begun = begun.serial_number(x509.random_serial_number()).not_valid_before(now - timedelta(days=1))
        whole = begun.not_valid_after(now + timedelta(days=30)).add_extension(extension, critical=True)
        return whole.sign(signer, hashes.SHA256()).public_bytes(Encoding.PEM)

    (tmp_path / "ca.pem").write_bytes(
        certificate(issuer, signer, x509.BasicConstraints(ca=True, path_length=None))
    )
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    (tmp_path / "server.pem").write_bytes(private + certificate(subject, key, names))
    return tmp_path / "ca.pem"


@pytest.fixture
def secure(authority: Path) -> Iterator[int]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(authority.with_name("server.pem"))
    yield from _serving(Answering, context)


def test_a_proxy_gets_its_user_and_password(home: DaemonHarness, proxy: int) -> None:
    home.env |= {
        "BROWSE_PROXY": f"http://ann@127.0.0.1:{proxy}",
        "GSTACK_HOME": str(home.runtime),
        "DBUS_SESSION_BUS_ADDRESS": "disabled:",
    }
    told = home.run("goto", "http://intranet.test/a")
    assert "407" in told.stdout + told.stderr
    home.must("restart")
    home.run("secret-set", "proxy", "--origin", f"http://127.0.0.1:{proxy}", stdin="s3cret")
    home.must("restart")
    assert home.must("goto", "http://intranet.test/a").endswith("(200)")
    assert home.must("text", "h1") == "Through the proxy to http://intranet.test/a"
    assert "1 link checked, none is broken" in home.must("links", "--check"), "asked by the proxy, too"
    assert home.must("newtab", "http://other.test/") != ""
    assert home.must("text", "h1") == "Through the proxy to http://other.test/"


@pytest.mark.skipif(not shutil.which("certutil"), reason="certutil is not installed")
def test_a_certificate_of_ones_own_authority_is_trusted(
    home: DaemonHarness, secure: int, authority: Path
) -> None:
    home.env["BROWSE_CA_CERT"] = str(authority)
    assert home.must("goto", f"https://localhost:{secure}/").endswith("(200)")
    assert "1 link checked, none is broken" in home.must("links", "--check")
    home.must("restart")
    assert home.must("text", "h1") == "Inside"


def test_a_certificate_is_overlooked_for_the_hosts_that_were_named(home: DaemonHarness, secure: int) -> None:
    home.env["BROWSE_INSECURE"] = f"localhost:{secure}"
    assert home.must("goto", f"https://localhost:{secure}/").endswith("(200)")
    told = home.run("goto", f"https://127.0.0.1:{secure}/")
    assert "ERR_CERT_AUTHORITY_INVALID" in told.stderr
    assert "BROWSE_CA_CERT=<ca.pem>" in told.stderr
    script = (
        f"fetch('https://127.0.0.1:{secure}/', {{mode: 'no-cors'}}).then(() => 'came', () => 'did not come')"
    )
    assert home.must("js", script) == "did not come"
    assert "1 link checked, none is broken" in home.must("links", "--check")
    home.must("newtab", f"https://localhost:{secure}/b")
    home.must("restart")
    assert home.must("text", "h1") == "Inside"
