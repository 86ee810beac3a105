"""The first message of a TLS connection, as OpenSSL writes it, whole and in parts."""

import ssl

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gstack_browse.browser.launch.outbound.tls import ClientHello, NotTls, encode_alert, parse_client_hello


def _hello(name: str | None, protocols: list[str]) -> bytes:
    context = ssl.create_default_context()
    context.check_hostname = name is not None
    if protocols:
        context.set_alpn_protocols(protocols)
    sent = ssl.MemoryBIO()
    with pytest.raises(ssl.SSLWantReadError):
        context.wrap_bio(ssl.MemoryBIO(), sent, server_hostname=name).do_handshake()
    return sent.read()


def _in_records(content: bytes, size: int) -> bytes:
    """Return the message split into records of `size` bytes."""
    message = content[5:]
    parts = [message[at : at + size] for at in range(0, len(message), size)]
    return b"".join(content[:3] + len(part).to_bytes(2, "big") + part for part in parts)


def test_names_and_protocols_are_read_and_other_bytes_refused() -> None:
    named = _hello("Intranet.corp", ["h2", "http/1.1"])
    assert parse_client_hello(named) == ClientHello("intranet.corp", ("h2", "http/1.1"))
    assert parse_client_hello(named + b"more") == parse_client_hello(named)
    assert parse_client_hello(_in_records(named, 7)) == parse_client_hello(named)
    assert [parse_client_hello(named[:size]) for size in (0, 1, 4, 5, 9, len(named) - 1)] == [None] * 6
    assert parse_client_hello(_hello("127.0.0.1", [])) == ClientHello("", ())
    for content in (
        b"GET / HTTP/1.1\r\n",
        b"\x16\x03\x01\x00\x04\x02\x00\x00\x00",
        b"\x16\x03\x01\x00\x06\x01\x00\x00\x02\x03\x03",
    ):
        with pytest.raises(NotTls):
            parse_client_hello(content)
    with pytest.raises(NotTls):
        parse_client_hello(b"\x16\x03\x01\x00\x00" * 20_000)
    assert encode_alert(45) == b"\x15\x03\x03\x00\x02\x02\x2d"


@given(st.binary(max_size=80))
def test_damaged_ones_are_refused_or_read(tail: bytes) -> None:
    message = b"\x01" + len(tail).to_bytes(3, "big") + tail
    try:
        parse_client_hello(b"\x16\x03\x01" + len(message).to_bytes(2, "big") + message)
    except NotTls:
        return
