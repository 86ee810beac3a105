"""Parses the ClientHello of a TLS connection, without answering it. Pure.

Source: RFC 8446, 4.1.2 (ClientHello); RFC 6066, 3 (server_name); RFC 7301 (ALPN).
"""

from typing import NamedTuple

MOST_BYTES = 1 << 16
_HANDSHAKE, _CLIENT_HELLO = 22, 1
_SERVER_NAME, _PROTOCOLS = 0, 16
_RECORD_HEADER, _MESSAGE_HEADER = 5, 4


class NotTls(ValueError):
    """The bytes do not begin a TLS connection."""


class ClientHello(NamedTuple):
    """The fields that a relay needs.

    `server_name`: "" for an IP address; `protocols`: ALPN, in the client's order.
    """

    server_name: str
    protocols: tuple[str, ...]


def parse_client_hello(content: bytes) -> ClientHello | None:
    """Parse the message; None while bytes are missing. Raises NotTls."""
    message = _join_handshake(content)
    if message is None:
        return None
    try:
        return _parse_body(_Reader(message))
    except (IndexError, UnicodeDecodeError):
        raise NotTls("its first message is damaged") from None


def encode_alert(description: int) -> bytes:
    """Encode a fatal alert that answers the ClientHello."""
    return bytes((21, 3, 3, 0, 2, 2, description))


def _join_handshake(content: bytes) -> bytes | None:
    """Join the records of the handshake message, and remove its header; None while bytes are missing.

    Raises NotTls.
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
        if size > len(self._content):
            raise IndexError
        taken, self._content = self._content[:size], self._content[size:]
        return taken

    def take_rest(self) -> bytes:
        return self.take(len(self._content))

    def take_number(self, size: int) -> int:
        return int.from_bytes(self.take(size), "big")

    def take_vector(self, size: int) -> "_Reader":
        """Take a vector: a length of `size` bytes, then that many bytes."""
        return _Reader(self.take(self.take_number(size)))


def _parse_body(reader: _Reader) -> ClientHello:
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
    while names:
        kind, name = names.take_number(1), names.take_vector(2)
        if kind == 0:
            return name.take_rest().decode("ascii").lower()
    return ""


def _parse_protocols(listed: _Reader) -> "list[str]":
    found = []
    while listed:
        found.append(listed.take_vector(1).take_rest().decode("latin-1"))
    return found
