"""Relay TLS between Chromium and servers that want a client certificate (`BROWSE_CLIENT_CERT`).

    Chromium ─TLS, certificate of this browser's own (`RelayCert`)─► relay ─TLS, client certificate─► server

A resolver rule leads Chromium to a relay for that server only. The relay verifies the server's certificate. If it is not trusted, or
if the server's TLS fails, the relay passes Chromium's bytes on unchanged, and Chromium shows the failure itself.
"""

import asyncio
import ipaddress
import os
import secrets
import ssl
from base64 import b64encode
from collections.abc import Sequence
from datetime import timedelta
from hashlib import sha256
from ipaddress import ip_address
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from cryptography.x509.oid import NameOID

from gstack_browse.browser.launch.outbound import outbound_connection
from gstack_browse.browser.launch.outbound.outbound_connection import (
    has_connection_table,
    is_client_of_same_user,
    make_tls_context,
)
from gstack_browse.browser.launch.outbound.tls import (
    CERTIFICATE_EXPIRED,
    ClientHello,
    NotTls,
    Stream,
    TcpStream,
    TlsStream,
    encode_alert,
    parse_client_hello,
    parse_refusal,
)
from gstack_browse.errors import BrowseError, SetupFailed
from gstack_browse.security import client_certs
from gstack_browse.security.client_certs import VARIABLE, ClientCert, find_wildcard_conflict, utc_now
from gstack_browse.security.policy.hosts import matches_any_host
from gstack_browse.settings import Settings

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes
    from cryptography.x509 import Certificate

PROTOCOLS = ("h2", "http/1.1")


class PresentedCert:
    """A client certificate with its TLS contexts.

    Changed files are read again: short-lived certificates are renewed in place.
    """

    def __init__(self, entry: ClientCert, settings: Settings) -> None:
        """Read the certificate's files. Blocks. Raises SetupFailed."""
        self.entry = entry
        self._settings = settings
        self._identity = client_certs.load_identity(entry)
        self._contexts: dict[tuple[str, ...], ssl.SSLContext] = {}
        self.trust = make_tls_context(settings.ca_cert)
        """For proxies, which get no certificate."""
        self.tls_context(())

    @property
    def title(self) -> str:
        """Return the path of the certificate's file, for messages."""
        return str(self.entry.certificate)

    def describe_invalidity(self) -> str:
        """Describe why the certificate is not valid now; "" if it is."""
        return self._identity.describe_invalidity(client_certs.utc_now())

    def tls_context(self, protocols: tuple[str, ...]) -> ssl.SSLContext:
        """Return the TLS context for a connection to the server, which presents the certificate.

        Args:
            protocols: the client's ALPN protocols; those of PROTOCOLS among them are offered

        Blocks. Raises SetupFailed.
        """
        if client_certs.read_stamp(self.entry) != self._identity.stamp:
            self._identity = client_certs.load_identity(self.entry)
            self._contexts.clear()
        offered = tuple(name for name in PROTOCOLS if name in protocols)
        if offered not in self._contexts:
            self._contexts[offered] = self._make_context(offered)
        return self._contexts[offered]

    def _make_context(self, protocols: tuple[str, ...]) -> ssl.SSLContext:
        """Make the TLS context that presents the certificate to the server. `protocols`: to offer by ALPN."""
        context = make_tls_context(self._settings.ca_cert)
        context.hostname_checks_common_name = False  # as in Chromium
        if matches_any_host(self.entry.origin, self._settings.insecure):
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        context.post_handshake_auth = True  # for servers that ask for the certificate only at some paths
        if protocols:
            context.set_alpn_protocols(list(protocols))
        present_certificate(context, self._identity.chain, self._identity.key)
        return context


def present_certificate(
    context: ssl.SSLContext, chain: "tuple[Certificate, ...]", key: "PrivateKeyTypes"
) -> None:
    """Make a TLS context present a certificate. `chain`: the certificate first, then its issuers.

    OpenSSL reads it from a file only, so the encrypted key is in a temporary file meanwhile.
    """
    from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, Encoding, PrivateFormat

    password = secrets.token_bytes(32).hex()
    encrypted = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(password.encode()))
    with TemporaryDirectory(prefix="gbrowse-cert-") as place:
        path = os.path.join(place, "identity.pem")
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb") as file:
            file.write(encrypted)
            file.writelines(one.public_bytes(Encoding.PEM) for one in chain)
        context.load_cert_chain(path, password=password)


DAYS = 397
"""The longest validity that Chromium accepts."""


class RelayCert:
    """A self-signed certificate for one host. Making it blocks."""

    def __init__(self, host: str) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._certificate = _make_certificate(host, self._key)
        self._contexts: dict[str, ssl.SSLContext] = {}

    @property
    def fingerprint(self) -> str:
        """Return the SHA-256 of the public key in base64: it tells Chromium to trust this certificate.

        It goes to `--ignore-certificate-errors-spki-list`, so that no other untrusted certificate is accepted.
        """
        public = self._key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        return b64encode(sha256(public).digest()).decode()

    def tls_context(self, protocol: str) -> ssl.SSLContext:
        """Return the TLS context with which the relay answers a connection from Chromium.

        `protocol`: the ALPN protocol agreed on with the server, "" for none.
        """
        if protocol not in self._contexts:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.minimum_version = ssl.TLSVersion.TLSv1_3
            if protocol:
                context.set_alpn_protocols([protocol])
            present_certificate(context, (self._certificate,), self._key)
            self._contexts[protocol] = context
        return self._contexts[protocol]


def _make_certificate(host: str, key: ec.EllipticCurvePrivateKey) -> x509.Certificate:
    """Return a self-signed certificate for the host, valid from yesterday for DAYS days."""
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "gbrowse")])
    try:
        names: x509.GeneralName = x509.IPAddress(ip_address(host))
    except ValueError:
        names = x509.DNSName(host)
    begun = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    begun = begun.serial_number(x509.random_serial_number()).not_valid_before(utc_now() - timedelta(days=1))
    whole = begun.not_valid_after(utc_now() + timedelta(days=DAYS - 1))
    return whole.add_extension(x509.SubjectAlternativeName([names]), critical=False).sign(key, hashes.SHA256())


LOOPBACK = "127.0.0.1"
HELLO_SECONDS = 10.0
CONNECT_SECONDS = 25.0
"""Less than Chromium's own limit for a handshake, so that an alert still reaches it."""
REFUSAL_SECONDS = 1.0
"""How long to wait after the handshake for a refusal, by a server that has not accepted the certificate before."""


class _Refused(Exception):
    """The client certificate was refused, has expired or cannot be read. `alert`: TLS alert for Chromium."""

    def __init__(self, alert: int) -> None:
        super().__init__()
        self.alert = alert


class ServerRelay:
    """The relay for one server. Of a connection, `near` is Chromium's side and `far` the server's.

    `last_failure`: why the last connection failed, for people; "" if it did not.
    """

    def __init__(self, presented: PresentedCert, cert: RelayCert, settings: Settings) -> None:
        self.entry: ClientCert = presented.entry
        self.last_failure = ""
        self.presented = presented
        self._cert = cert
        self._settings = settings
        self._was_accepted = False
        """Whether the server has accepted the certificate before."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    async def open(self) -> None:
        """Begin to listen for connections from Chromium, at a free port of 127.0.0.1."""
        self._server = await asyncio.start_server(self._on_connection, LOOPBACK, 0)

    @property
    def port(self) -> int:
        """Return the port that the relay listens on."""
        assert self._server is not None
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    def close(self) -> None:
        """Stop listening, and abort the open connections."""
        if self._server:
            self._server.close()
        for task in self._tasks:
            task.cancel()

    def _on_connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve a connection from Chromium in a task of its own."""
        task = asyncio.ensure_future(self._serve(TcpStream(reader, writer)))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, chromium: TcpStream) -> None:
        """Serve one connection from Chromium until it closes. Never raises for failures of either side."""
        try:
            if await asyncio.to_thread(
                is_client_of_same_user, chromium.writer.get_extra_info("peername")[1], self.port
            ):
                await self._relay(chromium)
        except (OSError, NotTls):
            pass  # `last_failure` has it already, or the client was not our Chromium
        finally:
            chromium.abort()

    async def _relay(self, chromium: TcpStream) -> None:
        """Relay a connection from Chromium to the server, with the client certificate.

        If the TLS to the server fails, the bytes are passed through unchanged, so that Chromium reports why.
        """
        async with asyncio.timeout(HELLO_SECONDS):
            content, hello = await _read_hello(chromium)
        if hello.server_name != self._server_name:
            return  # a page asks for the port under another name
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                server = await self._connect_with_certificate(hello.protocols)
        except _Refused as refused:
            await chromium.write(encode_alert(refused.alert))
            await chromium.close()
            return
        except ssl.SSLError as error:
            self.last_failure = (
                f"{VARIABLE}: {self.presented.title} was not presented: {_describe_tls_error(error)}"
            )
            await self._pass_through(chromium, content)
            return
        except OSError as error:
            why = error.strerror or str(error)
            self.last_failure = f"{self.entry.endpoint} cannot be reached: {why or 'no answer'}"
            raise
        self.last_failure = ""
        try:
            end = TlsStream(chromium, self._cert.tls_context(server.protocol), already=content)
            await end.handshake()
            await self._copy_both_ways(end, server)
        finally:
            server.abort()

    @property
    def _server_name(self) -> str:
        """Return the server name that Chromium's ClientHello must have: the host, "" for an IP address."""
        return "" if ":" in self.entry.host or self.entry.host.replace(".", "").isdigit() else self.entry.host

    async def _connect_with_certificate(self, protocols: tuple[str, ...]) -> TlsStream:
        """Connect to the server, and present the certificate.

        In TLS 1.3 a refusal comes after the handshake, so the first connection waits for the server's next message: a refusal,
        or the session ticket of a server that accepts. A server without tickets costs that connection REFUSAL_SECONDS.
        Raises _Refused, OSError, TimeoutError.
        """
        try:
            context = await asyncio.to_thread(self.presented.tls_context, protocols)
        except BrowseError as error:  # the changed files are unusable
            self.last_failure = error.message
            raise _Refused(_CERTIFICATE_UNKNOWN) from None
        if lapse := self.presented.describe_invalidity():
            self.last_failure = f"{VARIABLE}: {self.presented.title} {lapse}"
            raise _Refused(CERTIFICATE_EXPIRED)
        stream = await self._connect_to_server()
        server = TlsStream(stream, context, self.entry.host)
        try:
            await server.handshake()
            if server.verifies_client_late and not self._was_accepted:
                await server.read_ahead(REFUSAL_SECONDS)
        except BaseException as error:
            stream.abort()
            if isinstance(error, ssl.SSLError) and (refusal := parse_refusal(error)):
                raise self._note_refusal(*refusal) from None
            raise
        self._was_accepted = True
        return server

    def _note_refusal(self, alert: int, words: str) -> _Refused:
        """Set `last_failure` to the server's refusal of the certificate. Return the exception to raise.

        `alert`: number of the TLS alert; `words`: its name.
        """
        self.last_failure = f"{VARIABLE}: the server does not take {self.presented.title}: {words}"
        return _Refused(alert)

    async def _connect_to_server(self) -> Stream:
        """Open a connection to the server, by the proxy if the settings name one for it."""
        settings, entry = self._settings, self.entry
        proxy = settings.proxy.server_for(entry.origin) if settings.proxy else None
        trust = self.presented.trust
        return await outbound_connection.open_stream(
            entry.host, entry.port, proxy, trust, allows_metadata=settings.allows_metadata
        )

    async def _pass_through(self, chromium: TcpStream, content: bytes) -> None:
        """Connect to the server, and pass bytes between it and Chromium unchanged.

        `content`: bytes that were read from Chromium already.
        """
        async with asyncio.timeout(CONNECT_SECONDS):
            server = await self._connect_to_server()
        try:
            await server.write(content)
            await self._copy_both_ways(chromium, server)
        finally:
            server.abort()

    async def _copy_both_ways(self, chromium: Stream, server: Stream) -> None:
        """Copy bytes between Chromium and the server until one side closes.

        A close_notify of TLS is passed on as one.
        """

        async def forward() -> None:
            while content := await chromium.read():
                await server.write(content)
            await server.close()

        async def back() -> None:
            try:
                while content := await server.read():
                    await chromium.write(content)
            except ssl.SSLEOFError:  # no close_notify; Chromium accepts that as many servers do it
                await chromium.close_without_notify()
                return
            except ssl.SSLError as error:
                if refusal := parse_refusal(error):
                    self._was_accepted = False
                    self._note_refusal(*refusal)
                raise
            await chromium.close()

        tasks = [asyncio.ensure_future(forward()), asyncio.ensure_future(back())]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


_CERTIFICATE_UNKNOWN = 46


async def _read_hello(chromium: TcpStream) -> tuple[bytes, ClientHello]:
    """Read until the ClientHello is complete. Return all bytes read, and the parsed message.

    Raises NotTls.
    """
    content = b""
    while True:
        received = await chromium.read()
        if not received:
            raise NotTls("it ends")
        content += received
        if hello := parse_client_hello(content):
            return content, hello


def _describe_tls_error(error: ssl.SSLError) -> str:
    """Describe a TLS failure of the server, as part of a sentence for people."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"the server's certificate is not trusted ({error.verify_message})"
    return f"the server's TLS fails ({(error.reason or 'unknown').lower().replace('_', ' ')})"


RESOLVE_SECONDS = 3.0


class Relays:
    """The open relays of a browser.

    `flags`: Chromium's flags for them, without resolver rules and proxy options.
    """

    def __init__(self, relays: Sequence[ServerRelay], flags: Sequence[str]) -> None:
        self._relays = relays
        self.flags = flags

    @property
    def resolver_rules(self) -> list[str]:
        """Return rules for `--host-resolver-rules` that map each server's host and port to its relay."""
        return [f"MAP {relay.entry.endpoint} {LOOPBACK}:{relay.port}" for relay in self._relays]

    @property
    def endpoints(self) -> list[str]:
        """Return `host:port` of each relayed server."""
        return [relay.entry.endpoint for relay in self._relays]

    def context_for(self, url: str) -> ssl.SSLContext | None:
        """Return the TLS context for our own requests to a URL; None without a client certificate for it.

        Blocks. Raises SetupFailed.
        """
        return next(
            (relay.presented.tls_context(()) for relay in self._relays if relay.entry.covers(url)), None
        )

    def last_failure(self, url: str) -> str:
        """Return why the last connection to a URL's server failed, for people.

        "" if it did not, or without a relay.
        """
        return next((relay.last_failure for relay in self._relays if relay.entry.covers(url)), "")

    def close(self) -> None:
        """Close all relays."""
        for relay in self._relays:
            relay.close()


async def open_relays(settings: Settings) -> Relays:
    """Open a local relay to each server that `BROWSE_CLIENT_CERT` names. Raises SetupFailed."""
    known = settings.client_certs
    if not has_connection_table():
        raise SetupFailed(f"{VARIABLE} works on Linux only", f"Unset {VARIABLE}")
    if hidden := find_wildcard_conflict(settings.hosts, known):
        one, pattern = hidden
        raise SetupFailed(
            f"{VARIABLE} names {one.endpoint}, to which BROWSE_ALLOW_RESOURCES does not let gbrowse lead Chromium: {pattern} includes it",
            f"Name the hosts below {pattern.name[2:]} one by one; gbrowse stop",
        )
    made: list[ServerRelay] = []
    fingerprints, spaces = [], []
    try:
        for one in known:
            own = await asyncio.to_thread(RelayCert, one.host)
            made.append(
                relay := ServerRelay(await asyncio.to_thread(PresentedCert, one, settings), own, settings)
            )
            await relay.open()
            fingerprints.append(own.fingerprint)
            spaces.append(f"{LOOPBACK}:{relay.port}={await _find_address_space(one, settings)}")
    except BaseException:
        Relays(made, ()).close()
        raise
    return Relays(
        made,
        (
            f"--ignore-certificate-errors-spki-list={','.join(fingerprints)}",
            f"--ip-address-space-overrides={','.join(spaces)}",
        ),
    )


async def _find_address_space(entry: ClientCert, settings: Settings) -> str:
    """Return the server's address space for `--ip-address-space-overrides`: public, local or loopback.

    Chromium keeps public pages from local networks, and would judge the server by the relay's address. Behind a proxy the address is
    unknown; Chromium treats such servers as public.
    """
    if settings.proxy and settings.proxy.server_for(entry.origin):
        return "public"
    try:
        async with asyncio.timeout(RESOLVE_SECONDS):
            found = await asyncio.get_running_loop().getaddrinfo(entry.host, entry.port)
    except OSError:
        return "local"
    addresses = [ipaddress.ip_address(str(info[4][0]).partition("%")[0]) for info in found]
    if any(address.is_loopback for address in addresses):
        return "loopback"
    return "local" if any(address.is_private or address.is_link_local for address in addresses) else "public"
