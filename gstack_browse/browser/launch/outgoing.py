"""How what we ask ourselves, beside the browser, gets to its server: by the same proxies, trusting the same authorities."""

import asyncio
import ssl
from pathlib import Path
from typing import Any
from urllib.parse import quote

from gstack_browse.browser.cdp import tls
from gstack_browse.errors import SetupFailed
from gstack_browse.policy.hosts import is_url_of_any
from gstack_browse.settings import Settings


class NoWay(OSError):
    """The proxy settings lead to the address in a way that only Chromium can take."""


async def trust(settings: Settings) -> ssl.SSLContext:
    """The system's authorities, and those of `BROWSE_CA_CERT`. Raises SetupFailed."""
    tls.allow()
    return await asyncio.to_thread(trusted, settings.ca_cert)


def trusted(ca_cert: Path | None) -> ssl.SSLContext:
    """Load the system's authorities, and those of the file `ca_cert`. Blocks. Raises SetupFailed."""
    context = ssl.create_default_context()  # heeds SSL_CERT_FILE and SSL_CERT_DIR
    if ca_cert:
        try:
            context.load_verify_locations(ca_cert)
        except (OSError, ssl.SSLError) as error:
            raise SetupFailed(
                f"BROWSE_CA_CERT: {ca_cert} cannot be used: {error.strerror or error}",
                "Mend that; gbrowse stop",
            ) from None
    return context


def as_pages(url: str, settings: Settings) -> dict[str, Any]:
    """What aiohttp is told with a request for an address of a page's. Raises NoWay."""
    overlooked = {"ssl": False} if is_url_of_any(settings.insecure, url) else {}
    return overlooked | by_proxy(url, settings)


def by_proxy(url: str, settings: Settings) -> dict[str, Any]:
    """The same, but every certificate is looked at (`BROWSE_INSECURE` is about pages). Raises NoWay where a SOCKS proxy is in between."""
    server = settings.proxy.server_for(url) if settings.proxy else None
    if server is None:
        return {}
    if server.is_socks:
        raise NoWay(f"it is behind the SOCKS proxy {server}, by which only the browser can ask")
    if not server.user:
        return {"proxy": str(server)}
    login = f"{quote(server.user, safe='')}:{quote(server.password, safe='')}@"
    return {"proxy": str(server).replace("://", f"://{login}", 1)}
