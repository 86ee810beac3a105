"""An authority, servers and clients that it has signed for, and servers that want to know who asks."""

import select
import socket
import socketserver
import ssl
import threading
import time
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from hashlib import sha1
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
)
from cryptography.hazmat.primitives.serialization.pkcs12 import serialize_key_and_certificates
from cryptography.x509.oid import NameOID

MAGIC = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


class Authority:
    """Signs certificates. `file`: its own, in PEM."""

    def __init__(self, folder: Path, name: str = "Corp") -> None:
        self._folder = folder
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        self._key = ec.generate_private_key(ec.SECP256R1())
        self.file = folder / f"{name}-ca.pem"
        own = self._signed(self._name, self._key, x509.BasicConstraints(ca=True, path_length=None), days=30)
        self.file.write_bytes(own.public_bytes(Encoding.PEM))

    def server(self) -> Path:
        """Certificate and key for localhost and 127.0.0.1, in one file."""
        names = x509.SubjectAlternativeName(
            [x509.DNSName("localhost"), x509.IPAddress(ip_address("127.0.0.1"))]
        )
        certificate, key = self._make_certificate("localhost", names, days=30)
        return self._written("server.pem", _private(key) + certificate.public_bytes(Encoding.PEM))

    def client(self, name: str, *, days: int = 30, passphrase: str = "") -> tuple[Path, Path]:
        """Certificate and key of a person, in two files."""
        certificate, key = self._make_certificate(
            name, x509.BasicConstraints(ca=False, path_length=None), days=days
        )
        return (
            self._written(f"{name}.pem", certificate.public_bytes(Encoding.PEM)),
            self._written(f"{name}-key.pem", _private(key, passphrase)),
        )

    def client_p12(self, name: str, passphrase: str = "") -> Path:
        """Make a client's certificate and key in PKCS #12."""
        certificate, key = self._make_certificate(
            name, x509.BasicConstraints(ca=False, path_length=None), days=30
        )
        how = BestAvailableEncryption(passphrase.encode()) if passphrase else NoEncryption()
        return self._written(
            f"{name}.p12", serialize_key_and_certificates(name.encode(), key, certificate, None, how)
        )

    def _written(self, name: str, content: bytes) -> Path:
        path = self._folder / name
        path.write_bytes(content)
        path.chmod(0o600)
        return path

    def _make_certificate(
        self, name: str, extension: x509.ExtensionType, *, days: int
    ) -> tuple[x509.Certificate, ec.EllipticCurvePrivateKey]:
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        return self._signed(subject, key, extension, days=days), key

    def _signed(
        self, name: x509.Name, key: ec.EllipticCurvePrivateKey, extension: x509.ExtensionType, *, days: int
    ) -> x509.Certificate:
        now = datetime.now(UTC)
        begun = (
            x509.CertificateBuilder().subject_name(name).issuer_name(self._name).public_key(key.public_key())
        )
        begun = begun.serial_number(x509.random_serial_number()).not_valid_before(now - timedelta(days=60))
        whole = begun.not_valid_after(now + timedelta(days=days)).add_extension(extension, critical=True)
        return whole.sign(self._key, hashes.SHA256())


def _private(key: ec.EllipticCurvePrivateKey, passphrase: str = "") -> bytes:
    how = BestAvailableEncryption(passphrase.encode()) if passphrase else NoEncryption()
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, how)


class Greeting(BaseHTTPRequestHandler):
    """A page that says who asks, and a web socket that does."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        subject = dict(pair for (pair,) in (self.connection.getpeercert() or {}).get("subject", ()))
        told = subject.get("commonName", "nobody").encode()
        if key := self.headers.get("Sec-WebSocket-Key"):
            self.send_response(101)
            self.send_header("Upgrade", "websocket")
            self.send_header("Connection", "Upgrade")
            self.send_header(
                "Sec-WebSocket-Accept", b64encode(sha1(f"{key}{MAGIC}".encode()).digest()).decode()
            )
            self.end_headers()
            self.wfile.write(bytes((0x81, len(told))) + told)
            self.close_connection = True
            return
        if self.path == "/endless":  # its end is that of the connection, without a word of TLS's
            self.send_response(200)
            self.send_header("Content-Type", "text/plain")
            self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(b"0123456789" * 100_000)
            return
        body = b"<h1>Hello " + told + b"</h1><a href=/b>b</a>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class LingeringServer(ThreadingHTTPServer):
    """Closes a connection after the client does.

    Else a reset for unread bytes would overtake the alert that refuses a certificate.
    """

    verification_seconds = 0.0

    def finish_request(self, request: Any, client_address: Any) -> None:
        if self.verification_seconds:
            select.select([request], [], [], 10)
            request.settimeout(0)
            with suppress(
                ssl.SSLWantReadError
            ):  # the server's half of the handshake; the client's, with its certificate, comes next
                request.do_handshake()
            time.sleep(self.verification_seconds)
            request.settimeout(None)
        super().finish_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        with suppress(OSError):
            socket.socket.shutdown(request, socket.SHUT_WR)  # the bare socket: the handshake may have failed
            request.settimeout(10)
            while socket.socket.recv(request, 65536):
                pass
        self.close_request(request)


@contextmanager
def greeting(
    certificate: Path,
    clients: Path,
    latest: ssl.TLSVersion = ssl.TLSVersion.TLSv1_3,
    verification_seconds: float = 0,
) -> Iterator[int]:
    """A server that demands a certificate which the authority `clients` has signed. Gives its port.

    `verification_seconds`: how long the server takes to verify a client's certificate.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    context.load_verify_locations(clients)
    context.verify_mode = ssl.CERT_REQUIRED
    context.maximum_version = latest
    with LingeringServer(("127.0.0.1", 0), Greeting) as server:
        server.handle_error = lambda *_: None  # type: ignore[method-assign]
        server.verification_seconds = verification_seconds
        # each connection shakes hands in its own thread: a browser opens some ahead, and is silent there
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1]
        server.shutdown()


class Tunnelling(socketserver.StreamRequestHandler):
    """A proxy that leads wherever it is asked, to this machine, once it was told user and password."""

    seen: list[str]

    def handle(self) -> None:
        first = self.rfile.readline().decode()
        headers = list(iter(lambda: self.rfile.readline().decode().strip(), ""))
        self.seen.append(first.strip())
        if f"Proxy-Authorization: Basic {b64encode(b'ann:s3cret').decode()}" not in headers:
            self.wfile.write(
                b"HTTP/1.1 407 Who?\r\nProxy-Authenticate: Basic realm=corp\r\nContent-Length: 0\r\n\r\n"
            )
            return
        self.lead(int(first.split()[1].rpartition(":")[2]), b"HTTP/1.1 200 Connected\r\n\r\n")

    def lead(self, port: int, told: bytes) -> None:
        """Say that there is a connection, and carry what both sides say."""
        with socket.create_connection(("127.0.0.1", port)) as far:
            self.wfile.write(told)
            back = threading.Thread(target=_copied, args=(far, self.connection), daemon=True)
            back.start()
            _copied(self.connection, far)
            back.join()


class Socks(Tunnelling):
    """A proxy by SOCKS 5 (RFC 1928), without a login. Port 8443 is refused."""

    def handle(self) -> None:
        _, count = self.rfile.read(2)
        assert 0 in self.rfile.read(count)
        self.wfile.write(b"\x05\x00")
        _, _, _, kind = self.rfile.read(4)
        named = self.rfile.read(self.rfile.read(1)[0]).decode() if kind == 3 else ""
        host = named or str(ip_address(self.rfile.read({1: 4, 4: 16}[kind])))
        port = int.from_bytes(self.rfile.read(2), "big")
        self.seen.append(f"{kind} {host}:{port}")
        answer = b"\x00\x01\x7f\x00\x00\x01\x04\x38"
        if port == 8443:
            self.wfile.write(b"\x05\x05" + answer[1:])
        else:
            self.lead(port, b"\x05\x00" + answer)


def _copied(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while content := source.recv(65536):
            target.sendall(content)
        target.shutdown(socket.SHUT_WR)


@contextmanager
def tunnelling(
    kind: type[Tunnelling] = Tunnelling, certificate: Path | None = None
) -> Iterator[tuple[int, list[str]]]:
    """Run a proxy; yields its port, and the list of what it is asked for.

    `certificate`: it speaks TLS itself, and shows that.
    """
    seen: list[str] = []
    handler = type("Handler", (kind,), {"seen": seen})
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1], seen
        server.shutdown()
