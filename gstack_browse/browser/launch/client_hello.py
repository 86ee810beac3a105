"""The first message of a TLS connection, read without answering it. Pure."""

from typing import NamedTuple

MOST_BYTES = 1 << 16
_HANDSHAKE, _CLIENT_HELLO = 22, 1
_SERVER_NAME, _PROTOCOLS = 0, 16
_RECORD_HEADER, _MESSAGE_HEADER = 5, 4


class NotTls(ValueError):
    """The bytes are no beginning of a TLS connection."""


class ClientHello(NamedTuple):
    """What a client wants. `server_name`: "" where it asks for an address; `protocols`: ALPN, in its order."""

    server_name: str
    protocols: tuple[str, ...]


def read(content: bytes) -> ClientHello | None:
    """The message, once all of it is there; None before. Raises NotTls."""
    message = _message(content)
    if message is None:
        return None
    try:
        return _parsed(_Vector(message))
    except (IndexError, UnicodeDecodeError):
        raise NotTls("its first message is damaged") from None


def alert(description: int) -> bytes:
    """A fatal alert, as the answer to the first message."""
    return bytes((21, 3, 3, 0, 2, 2, description))


def _message(content: bytes) -> bytes | None:
    """The handshake message without its header, which may stand in several records."""
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


class _Vector:
    """Takes numbers and vectors from bytes. Raises IndexError where they end."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    def __bool__(self) -> bool:
        return bool(self._content)

    def take(self, size: int) -> bytes:
        if size > len(self._content):
            raise IndexError
        taken, self._content = self._content[:size], self._content[size:]
        return taken

    def rest(self) -> bytes:
        return self.take(len(self._content))

    def number(self, size: int) -> int:
        return int.from_bytes(self.take(size), "big")

    def vector(self, size: int) -> "_Vector":
        """Bytes behind their count, which takes `size` bytes."""
        return _Vector(self.take(self.number(size)))


def _parsed(reader: _Vector) -> ClientHello:
    reader.take(2 + 32)  # version, random
    for size in (1, 2, 1):  # session, ciphers, compression
        reader.vector(size)
    name, protocols = "", tuple[str, ...]()
    extensions = reader.vector(2) if reader else reader
    while extensions:
        kind, body = extensions.number(2), extensions.vector(2)
        if kind == _SERVER_NAME:
            name = _name(body.vector(2))
        elif kind == _PROTOCOLS:
            protocols = tuple(_protocols(body.vector(2)))
    return ClientHello(name, protocols)


def _name(names: _Vector) -> str:
    while names:
        kind, name = names.number(1), names.vector(2)
        if kind == 0:
            return name.rest().decode("ascii").lower()
    return ""


def _protocols(listed: _Vector) -> "list[str]":
    found = []
    while listed:
        found.append(listed.vector(1).rest().decode("latin-1"))
    return found
