"""TLS in asyncio, and byte streams over TCP and TLS.

TLS runs over any stream: inside of TLS to a proxy, and after bytes that were read already. The daemon's start leaves asyncio's TLS out
(`daemon.process.starter`): call `enable_tls` before anything that uses TLS.
"""

import asyncio
import importlib
import ssl
from asyncio import base_events, selector_events, sslproto
from contextlib import suppress
from typing import Protocol

CHUNK_BYTES = 1 << 16


class Stream(Protocol):
    """A byte stream in both directions. One task may read while another one writes."""

    async def read(self) -> bytes:
        """Read some bytes; b"" at the end. Raises OSError."""

    async def write(self, content: bytes) -> None:
        """Write bytes; wait while the other side is slow to read. Raises OSError."""

    async def close(self) -> None:
        """Close properly: after what was written, and in TLS with a close_notify."""

    async def close_without_notify(self) -> None:
        """Close after what was written, without a close_notify: as many servers do."""

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
        """Drop the connection, and bytes not yet sent with it."""
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
        """Receive once within `seconds`, and keep the bytes for `read`. Raises the errors of `read`."""
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
        """Drop the connection without a farewell."""
        self._below.abort()

    async def _receive(self) -> None:
        """Feed TLS with the bytes received next."""
        came = await self._below.read()
        if came:
            self._in.write(came)
        else:
            self._in.write_eof()
        self._received.set()

    async def _flush(self) -> None:
        """Send the bytes that TLS has made."""
        if content := self._out.read():
            await self._below.write(content)


def enable_tls() -> None:
    """Enable TLS in asyncio."""
    import ssl  # OpenSSL costs time and 4 MB

    if getattr(sslproto, "ssl", None) is None:
        importlib.reload(sslproto)
        for module in (base_events, selector_events):
            module.ssl = ssl  # type: ignore[attr-defined]
