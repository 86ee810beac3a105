"""TLS in asyncio, byte streams over TCP and TLS, and the messages of a handshake that relays read.

TLS runs over any stream: inside of TLS to a proxy, and after bytes that were read already. The daemon's start leaves asyncio's TLS out
(`daemon.process.starter`): call `enable_tls` before anything that uses TLS.
"""

import asyncio
import importlib
import ssl
from asyncio import base_events, selector_events, sslproto
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple, Protocol

CHUNK_BYTES = 1 << 16


class Stream(Protocol):
    """A byte stream in both directions. One task may read while another one writes."""

    async def read(self) -> bytes:
        """Read some bytes; b"" at the end. Raises OSError."""

    async def write(self, content: bytes) -> None:
        """Write bytes; wait while the other side is slow to read. Raises OSError."""

    async def close(self) -> None:
        """Send what was written, over TLS also a `close_notify` alert, and close the connection."""

    async def close_without_notify(self) -> None:
        """Send pending bytes and close the connection; over TLS without `close_notify`, as many servers do."""

    def abort(self) -> None:
        """Reset the connection, so that the other side sees an error."""


class TcpStream:
    """A TCP connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    async def read(self) -> bytes:
        """Return received bytes; b"" at the end."""
        return await self.reader.read(CHUNK_BYTES)

    async def write(self, content: bytes) -> None:
        """Send bytes, and wait until the buffer has room again."""
        self.writer.write(content)
        await self.writer.drain()

    async def close(self) -> None:
        """Close the connection after what is in the buffer."""
        self.writer.close()

    async def close_without_notify(self) -> None:
        """Close the connection. TCP has no notice of its own; this exists for the interface `Stream`."""
        self.writer.close()

    def abort(self) -> None:
        """Reset the connection, and drop bytes not yet sent."""
        if not self.writer.is_closing():  # after `close`, written bytes may still be on their way
            self.writer.transport.abort()


class TlsStream:
    """TLS over another stream.

    Args:
        below: the stream that carries the TLS records
        server_name: host whose certificate is verified; None: we are the server
        already: bytes that were read from `below` before
    """

    def __init__(
        self, below: Stream, context: ssl.SSLContext, server_name: str | None = None, *, already: bytes = b""
    ) -> None:
        self._below = below
        self._in, self._out = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._in.write(already)
        self._tls = context.wrap_bio(
            self._in, self._out, server_side=server_name is None, server_hostname=server_name
        )
        self._early = b""
        self._received = asyncio.Event()

    @property
    def protocol(self) -> str:
        """Return the protocol agreed on by ALPN; "" for none."""
        return self._tls.selected_alpn_protocol() or ""

    @property
    def verifies_client_late(self) -> bool:
        """Return whether a server can refuse the client's certificate only after the handshake (TLS 1.3)."""
        return self._tls.version() == "TLSv1.3"

    async def handshake(self) -> None:
        """Do the handshake. Raises OSError, and ssl.SSLError after sending our alert."""
        while True:
            try:
                self._tls.do_handshake()
                return await self._flush()
            except ssl.SSLWantReadError:
                await self._flush()
                await self._receive()
            except ssl.SSLError:
                with suppress(OSError):
                    await self._flush()
                raise

    async def read_ahead(self, seconds: float) -> None:
        """Wait up to `seconds` for bytes, and keep them for the next `read`. Raises the errors of `read`."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._receive()
        with suppress(ssl.SSLWantReadError):
            self._early += self._tls.read(CHUNK_BYTES)

    async def read(self) -> bytes:
        """Read some bytes; b"" after a close_notify.

        Raises OSError, ssl.SSLError, and ssl.SSLEOFError at an end without one.
        """
        if early := self._early:
            self._early = b""
            return early
        while True:
            try:
                return self._tls.read(CHUNK_BYTES)
            except ssl.SSLZeroReturnError:
                return b""
            except ssl.SSLWantReadError:
                await self._flush()
                await self._receive()

    async def write(self, content: bytes) -> None:
        """Encrypt and send bytes. Waits if TLS has to receive a message first."""
        at = 0
        while at < len(content):
            try:
                at += self._tls.write(content[at:])
            except (
                ssl.SSLWantReadError
            ):  # the server asks for a certificate once more: `read` gets what is missing
                self._received.clear()
                await self._flush()
                await self._received.wait()
        await self._flush()

    async def close(self) -> None:
        """Send the notice that ends TLS (`close_notify`), then close the connection."""
        with suppress(ssl.SSLError):
            self._tls.unwrap()
        await self._flush()
        await self._below.close()

    async def close_without_notify(self) -> None:
        """Close the connection without `close_notify`: the other side sees that bytes may be missing."""
        await self._below.close_without_notify()

    def abort(self) -> None:
        """Reset the connection, without a close_notify."""
        self._below.abort()

    async def _receive(self) -> None:
        """Read encrypted bytes from the stream below, and feed them to TLS."""
        content = await self._below.read()
        if content:
            self._in.write(content)
        else:
            self._in.write_eof()
        self._received.set()

    async def _flush(self) -> None:
        """Write the encrypted bytes that TLS has made to the stream below."""
        if content := self._out.read():
            await self._below.write(content)


def enable_tls() -> None:
    """Import `ssl` into asyncio: the daemon starts without it, to save time and memory."""
    import ssl  # OpenSSL costs time and 4 MB

    if getattr(sslproto, "ssl", None) is None:
        importlib.reload(sslproto)
        for module in (base_events, selector_events):
            module.ssl = ssl  # type: ignore[attr-defined]


MOST_BYTES = 1 << 16
_HANDSHAKE, _CLIENT_HELLO = 22, 1
_SERVER_NAME, _PROTOCOLS = 0, 16
_RECORD_HEADER, _MESSAGE_HEADER = 5, 4


class NotTls(ValueError):
    """The bytes do not begin a TLS connection."""


class ClientHello(NamedTuple):
    """The fields of a TLS ClientHello that a relay needs.

    `server_name`: "" for an IP address; `protocols`: ALPN, in the client's order.
    """

    server_name: str
    protocols: tuple[str, ...]


def parse_client_hello(content: bytes) -> ClientHello | None:
    """Parse the first message of a TLS client; None while bytes are missing. Raises NotTls."""
    message = _join_handshake(content)
    if message is None:
        return None
    try:
        return _parse_client_hello(_Reader(message))
    except (IndexError, UnicodeDecodeError):
        raise NotTls("its first message is damaged") from None


def encode_alert(description: int) -> bytes:
    """Encode a fatal TLS alert that answers the ClientHello. `description`: the alert's number."""
    return bytes((21, 3, 3, 0, 2, 2, description))


def _join_handshake(content: bytes) -> bytes | None:
    """Join the TLS records of the client's first handshake message, and remove its header.

    None while bytes are missing. Raises NotTls.
    """
    gathered, at = b"", 0
    while True:
        if content[at : at + 1] and content[at] != _HANDSHAKE:
            raise NotTls("it does not begin with a handshake")
        if len(content) > MOST_BYTES:
            raise NotTls("its first message has no end")
        header = content[at : at + _RECORD_HEADER]
        size = int.from_bytes(header[3:5], "big")
        if len(header) < _RECORD_HEADER or len(content) < at + _RECORD_HEADER + size:
            return None
        at += _RECORD_HEADER
        gathered += content[at : at + size]
        at += size
        if gathered and gathered[0] != _CLIENT_HELLO:
            raise NotTls("its first message is another one")
        wanted = _MESSAGE_HEADER + int.from_bytes(gathered[1:4], "big")
        if len(gathered) >= _MESSAGE_HEADER and len(gathered) >= wanted:
            return gathered[_MESSAGE_HEADER:wanted]


class _Reader:
    """Reads numbers and vectors from bytes. Raises IndexError at their end."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    def __bool__(self) -> bool:
        return bool(self._content)

    def take(self, size: int) -> bytes:
        """Return the next `size` bytes. Raises IndexError if there are fewer."""
        if size > len(self._content):
            raise IndexError
        taken, self._content = self._content[:size], self._content[size:]
        return taken

    def take_rest(self) -> bytes:
        """Return all bytes that were not taken yet."""
        return self.take(len(self._content))

    def take_number(self, size: int) -> int:
        """Return the next `size` bytes as a number, the highest byte first."""
        return int.from_bytes(self.take(size), "big")

    def take_vector(self, size: int) -> "_Reader":
        """Take a TLS vector (a length of `size` bytes, then that many bytes). Return a reader of its content."""
        return _Reader(self.take(self.take_number(size)))


def _parse_client_hello(reader: _Reader) -> ClientHello:
    """Parse the body of a ClientHello (RFC 8446, 4.1.2). Raises IndexError if it is cut off."""
    reader.take(2 + 32)  # version, random
    for size in (1, 2, 1):  # session, ciphers, compression
        reader.take_vector(size)
    name, protocols = "", tuple[str, ...]()
    extensions = reader.take_vector(2) if reader else reader
    while extensions:
        kind, body = extensions.take_number(2), extensions.take_vector(2)
        if kind == _SERVER_NAME:
            name = _parse_server_name(body.take_vector(2))
        elif kind == _PROTOCOLS:
            protocols = tuple(_parse_protocols(body.take_vector(2)))
    return ClientHello(name, protocols)


def _parse_server_name(names: _Reader) -> str:
    """Return the host of a Server Name Indication (RFC 6066, 3), in lower case; "" for none."""
    while names:
        kind, name = names.take_number(1), names.take_vector(2)
        if kind == 0:
            return name.take_rest().decode("ascii").lower()
    return ""


def _parse_protocols(extension: _Reader) -> "list[str]":
    """Return the protocols that the ALPN extension offers (RFC 7301, 3.1), such as `h2`."""
    found = []
    while extension:
        found.append(extension.take_vector(1).take_rest().decode("latin-1"))
    return found


_REFUSALS = {
    "UNSUPPORTED_CERTIFICATE": 43,
    "CERTIFICATE_REVOKED": 44,
    "CERTIFICATE_EXPIRED": 45,
    "CERTIFICATE_UNKNOWN": 46,
    "BAD_CERTIFICATE": 42,
    "UNKNOWN_CA": 48,
    "ACCESS_DENIED": 49,
    "CERTIFICATE_REQUIRED": 116,
}
CERTIFICATE_EXPIRED = 45


def parse_refusal(error: ssl.SSLError) -> tuple[int, str] | None:
    """Return number and name of the TLS alert that refused our certificate; None for other errors."""
    reason = (error.reason or "").upper()
    if "ALERT" not in reason:
        return None
    found: Callable[[str], bool] = reason.endswith
    name = next((name for name in _REFUSALS if found(name)), "")
    return (_REFUSALS[name], name.lower().replace("_", " ").replace(" ca", " authority")) if name else None
