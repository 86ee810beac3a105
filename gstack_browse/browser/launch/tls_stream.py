"""Streams of bytes, plain and in TLS. TLS over any other stream, so also within that to a proxy, and behind bytes that were read before."""

import asyncio
import ssl
from contextlib import suppress
from typing import Protocol

CHUNK = 1 << 16


class Stream(Protocol):
    """Bytes in both directions. One task reads, another one may write meanwhile."""

    async def read(self) -> bytes:
        """Some bytes; none at the end. Raises OSError."""

    async def write(self, content: bytes) -> None:
        """Send bytes; wait while the other side takes none. Raises OSError."""

    async def finish(self) -> None:
        """Close, with what belongs to a proper end."""

    async def end(self) -> None:
        """Close behind what was written, without what belongs to a proper end: as many servers do."""

    def abort(self) -> None:
        """Close so that the other side sees no proper end."""


class TcpStream:
    """A connection of asyncio's."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    async def read(self) -> bytes:
        return await self.reader.read(CHUNK)

    async def write(self, content: bytes) -> None:
        self.writer.write(content)
        await self.writer.drain()

    async def finish(self) -> None:
        self.writer.close()

    async def end(self) -> None:
        self.writer.close()

    def abort(self) -> None:
        if not self.writer.is_closing():  # what was written before it was closed is on its way
            self.writer.transport.abort()


class TlsStream:
    """TLS over `below`. `server_name` is whose certificate is looked at, by a client; None: we are the server. `already`: what was read before."""

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
        self._came = asyncio.Event()

    @property
    def protocol(self) -> str:
        """What was agreed on by ALPN; "" for nothing."""
        return self._tls.selected_alpn_protocol() or ""

    @property
    def judges_client_later(self) -> bool:
        """Whether a server says what it thinks of the client only after the handshake."""
        return self._tls.version() == "TLSv1.3"

    async def handshake(self) -> None:
        """Raises ssl.SSLError, with what was said of it sent, and OSError."""
        while True:
            try:
                self._tls.do_handshake()
                return await self._flush()
            except ssl.SSLWantReadError:
                await self._flush()
                await self._more()
            except ssl.SSLError:
                with suppress(OSError):
                    await self._flush()
                raise

    async def hear(self, seconds: float) -> None:
        """Take what the other side says in so many seconds, once, for `read`. Raises what `read` does."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._more()
        with suppress(ssl.SSLWantReadError):
            self._early += self._tls.read(CHUNK)

    async def read(self) -> bytes:
        """Some bytes; none at a proper end. Raises ssl.SSLError, its SSLEOFError at an end that is no proper one, and OSError."""
        if early := self._early:
            self._early = b""
            return early
        while True:
            try:
                return self._tls.read(CHUNK)
            except ssl.SSLZeroReturnError:
                return b""
            except ssl.SSLWantReadError:
                await self._flush()
                await self._more()

    async def write(self, content: bytes) -> None:
        at = 0
        while at < len(content):
            try:
                at += self._tls.write(content[at:])
            except (
                ssl.SSLWantReadError
            ):  # the server asks for a certificate once more: `read` gets what is missing
                self._came.clear()
                await self._flush()
                await self._came.wait()
        await self._flush()

    async def finish(self) -> None:
        with suppress(ssl.SSLError):
            self._tls.unwrap()
        await self._flush()
        await self._below.finish()

    async def end(self) -> None:
        await self._below.end()

    def abort(self) -> None:
        self._below.abort()

    async def _more(self) -> None:
        came = await self._below.read()
        if came:
            self._in.write(came)
        else:
            self._in.write_eof()
        self._came.set()

    async def _flush(self) -> None:
        if content := self._out.read():
            await self._below.write(content)
