"""Proxy and TLS options for the daemon's own HTTP requests, the same as the browser's."""

import asyncio
import ssl
from pathlib import Path
from typing import Any
from urllib.parse import quote

from gstack_browse.browser.cdp import tls
from gstack_browse.errors import SetupFailed
from gstack_browse.policy.hosts import is_url_of_any
from gstack_browse.settings import Settings


class UnsupportedProxy(OSError):
    """The proxy for the address is one that only Chromium can use."""


async def load_trust(settings: Settings) -> ssl.SSLContext:
    """Load the system's authorities, and those of `BROWSE_CA_CERT`. Raises SetupFailed."""
    tls.allow()
    return await asyncio.to_thread(make_tls_context, settings.ca_cert)


def make_tls_context(ca_cert: Path | None) -> ssl.SSLContext:
    """Load the system's authorities, and those of the file `ca_cert`. Blocks. Raises SetupFailed."""
    context = ssl.create_default_context()  # reads SSL_CERT_FILE and SSL_CERT_DIR, too
    if ca_cert:
        try:
            context.load_verify_locations(ca_cert)
        except (OSError, ssl.SSLError) as error:
            raise SetupFailed(
                f"BROWSE_CA_CERT: {ca_cert} cannot be used: {error.strerror or error}",
                "Mend that; gbrowse stop",
            ) from None
    return context


def page_request_options(url: str, settings: Settings) -> dict[str, Any]:
    """Return aiohttp's options for a request in the place of a page. Raises UnsupportedProxy.

    Certificates of hosts in `BROWSE_INSECURE` are not verified.
    """
    overlooked = {"ssl": False} if is_url_of_any(settings.insecure, url) else {}
    return overlooked | request_options(url, settings)


def request_options(url: str, settings: Settings) -> dict[str, Any]:
    """Return aiohttp's options for a request: the proxy, if any. Certificates are verified.

    Raises UnsupportedProxy for SOCKS.
    """
    server = settings.proxy.server_for(url) if settings.proxy else None
    if server is None:
        return {}
    if server.is_socks:
        raise UnsupportedProxy(f"it is behind the SOCKS proxy {server}, by which only the browser can ask")
    if not server.user:
        return {"proxy": str(server)}
    login = f"{quote(server.user, safe='')}:{quote(server.password, safe='')}@"
    return {"proxy": str(server).replace("://", f"://{login}", 1)}
