"""Open connections to servers as pages do: directly, or through the proxy."""

import asyncio
import ssl
from base64 import b64encode
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import quote

from gstack_browse.browser.launch.outbound import tls
from gstack_browse.browser.launch.outbound.tls import Stream, TcpStream, TlsStream
from gstack_browse.errors import SetupFailed
from gstack_browse.security.policy import metadata
from gstack_browse.security.policy.hosts import matches_any_host
from gstack_browse.security.policy.proxies import ProxyServer
from gstack_browse.settings import Settings

MOST_HEADERS = 1 << 14
_SOCKS_ANSWERS = {
    1: "fails",
    2: "forbids it",
    3: "finds no network",
    4: "does not reach it",
    5: "is refused there",
}


class RouteError(OSError):
    """The connection failed. The message is for people."""


async def open_stream(
    host: str, port: int, proxy: ProxyServer | None, trust: ssl.SSLContext, *, allows_metadata: bool
) -> Stream:
    """Open a connection to a server, directly or through a proxy.

    Args:
        proxy: None for a direct connection
        trust: TLS context for an https proxy
        allows_metadata: allow addresses of cloud metadata services

    Raises OSError, RouteError with a message for people.
    """
    if proxy is None:
        stream = await _open_tcp(host, port)
        address = stream.writer.get_extra_info("peername")[0]
        if metadata.is_metadata_address(address) and not allows_metadata:
            stream.abort()
            raise RouteError(f"{host} leads to a cloud metadata service")
        return stream
    to_proxy = await _open_tcp(proxy.host, proxy.port)
    try:
        if proxy.is_socks:
            return await _tunnel_through_socks(to_proxy, host, port, proxy)
        return await _tunnel_through_http(to_proxy, host, port, proxy, trust)
    except BaseException:
        to_proxy.abort()
        raise


async def _open_tcp(host: str, port: int) -> TcpStream:
    """Open a TCP connection to a host. Raises OSError if that fails."""
    return TcpStream(*await asyncio.open_connection(host, port))


async def _tunnel_through_http(
    to_proxy: TcpStream, host: str, port: int, proxy: ProxyServer, trust: ssl.SSLContext
) -> Stream:
    """Ask an HTTP proxy to connect to the server (CONNECT; RFC 9110, 9.3.6). Return the connected stream.

    `trust`: for a proxy that is itself reached by TLS. Raises RouteError if the proxy refuses.
    """
    stream: Stream = to_proxy
    if proxy.scheme == "https":
        stream = tls = TlsStream(to_proxy, trust, proxy.host)
        await tls.handshake()
    place = f"{f'[{host}]' if ':' in host else host}:{port}"
    lines = [f"CONNECT {place} HTTP/1.1", f"Host: {place}"]
    if proxy.user:
        login = b64encode(f"{proxy.user}:{proxy.password}".encode()).decode()
        lines.append(f"Proxy-Authorization: Basic {login}")
    await stream.write("\r\n".join([*lines, "", ""]).encode())
    answer = b""
    while b"\r\n\r\n" not in answer:
        came = await stream.read()
        answer += came
        if not came or len(answer) > MOST_HEADERS:
            raise RouteError(f"the proxy {proxy} gives no answer")
    words = answer.split(b"\r\n", 1)[0].split(None, 2)
    if len(words) < 2 or words[1] != b"200":
        status = words[1].decode("latin-1")[:3] if len(words) > 1 else "?"
        raise RouteError(f"the proxy {proxy} refuses to connect to it ({status})")
    if not answer.endswith(b"\r\n\r\n"):
        raise RouteError(
            f"the proxy {proxy} says more than that it is connected"
        )  # a TLS server waits for the client
    return stream


async def _tunnel_through_socks(to_proxy: TcpStream, host: str, port: int, proxy: ProxyServer) -> Stream:
    """Ask a SOCKS 5 proxy to connect to the server (RFC 1928). Return the connected stream.

    Raises RouteError if it refuses.
    """
    if proxy.scheme == "socks4":
        raise RouteError(f"{proxy} knows no names: use socks5")
    reader = to_proxy.reader
    with suppress(asyncio.IncompleteReadError):
        await to_proxy.write(b"\x05\x01\x00")
        if await reader.readexactly(2) != b"\x05\x00":
            raise RouteError(f"the proxy {proxy} wants a user")
        await to_proxy.write(b"\x05\x01\x00" + _encode_address(host) + port.to_bytes(2, "big"))
        _, code, _, kind = await reader.readexactly(4)
        if code:
            raise RouteError(f"the proxy {proxy} {_SOCKS_ANSWERS.get(code, 'refuses')}")
        size = {1: 4, 4: 16}.get(kind) or (await reader.readexactly(1))[0]
        await reader.readexactly(size + 2)
        return to_proxy
    raise RouteError(f"the proxy {proxy} gives no answer")


def _encode_address(host: str) -> bytes:
    """Encode a host for SOCKS 5 (RFC 1928, 5): an IP address as such, anything else as a name."""
    try:
        address = ip_address(host)
    except ValueError:
        name = host.encode("ascii")
        return bytes([3, len(name)]) + name
    return bytes([1 if address.version == 4 else 4]) + address.packed


TABLE = Path("/proc/net/tcp")
LOOPBACK = "0100007F"
"""127.0.0.1 as the table writes it on little-endian machines."""


def is_client_of_same_user(port: int, own_port: int) -> bool:
    """Return whether the local client at `port`, connected to our `own_port`, runs as our user. Blocks.

    Other users of the machine can connect to a port on 127.0.0.1, too.
    """
    import os

    wanted = (f"{LOOPBACK}:{port:04X}", f"{LOOPBACK}:{own_port:04X}")
    try:
        lines = TABLE.read_text().splitlines()
    except OSError:
        return False
    for line in lines:
        fields = line.split()
        if tuple(fields[1:3]) == wanted:
            return fields[7] == str(os.geteuid())
    return False


def has_connection_table() -> bool:
    """Return whether this system has the file that `is_client_of_same_user` reads (Linux)."""
    return TABLE.exists()


class UnsupportedProxy(OSError):
    """The proxy for the address is one that only Chromium can use."""


async def load_trust(settings: Settings) -> ssl.SSLContext:
    """Return a TLS context that trusts the system's authorities and `BROWSE_CA_CERT`. Raises SetupFailed."""
    tls.enable_tls()
    return await asyncio.to_thread(make_tls_context, settings.ca_cert)


def make_tls_context(ca_cert: Path | None) -> ssl.SSLContext:
    """Return a TLS context that trusts the system's authorities and those in `ca_cert`. Blocks.

    Raises SetupFailed.
    """
    context = ssl.create_default_context()  # reads SSL_CERT_FILE and SSL_CERT_DIR, too
    if ca_cert:
        try:
            context.load_verify_locations(ca_cert)
        except OSError as error:
            raise SetupFailed(
                f"BROWSE_CA_CERT: {ca_cert} cannot be used: {error.strerror or error}",
                "Mend that; gbrowse stop",
            ) from None
    return context


def page_request_options(url: str, settings: Settings) -> dict[str, Any]:
    """Return aiohttp's options for a request: its proxy, and no TLS verification for `BROWSE_INSECURE`.

    Raises UnsupportedProxy for SOCKS.
    """
    overlooked = {"ssl": False} if matches_any_host(url, settings.insecure) else {}
    return overlooked | request_options(url, settings)


def request_options(url: str, settings: Settings) -> dict[str, Any]:
    """Return aiohttp's options for a request: its proxy, if any. Raises UnsupportedProxy for SOCKS."""
    server = settings.proxy.server_for(url) if settings.proxy else None
    if server is None:
        return {}
    if server.is_socks:
        raise UnsupportedProxy(f"it is behind the SOCKS proxy {server}, by which only the browser can ask")
    if not server.user:
        return {"proxy": str(server)}
    login = f"{quote(server.user, safe='')}:{quote(server.password, safe='')}@"
    return {"proxy": str(server).replace("://", f"://{login}", 1)}
