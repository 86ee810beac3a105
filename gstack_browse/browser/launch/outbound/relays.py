"""Opens the relays of one browser, and makes the flags that lead Chromium to them."""

import asyncio
import ipaddress
import ssl
from collections.abc import Sequence

from gstack_browse.browser.launch.outbound.client_certs import PresentedCert
from gstack_browse.browser.launch.outbound.outbound_connection import has_connection_table
from gstack_browse.browser.launch.outbound.relay import LOOPBACK, RelayCert, ServerRelay
from gstack_browse.errors import SetupFailed
from gstack_browse.security.client_certs.entries import VARIABLE, ClientCert, find_wildcard_conflict
from gstack_browse.settings import Settings

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
        """Rules for `--host-resolver-rules` that map each server's host and port to its relay."""
        return [f"MAP {relay.entry.endpoint} {LOOPBACK}:{relay.port}" for relay in self._relays]

    @property
    def endpoints(self) -> list[str]:
        """Host and port of each server."""
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
    """Open a relay for each server of `BROWSE_CLIENT_CERT`. Raises SetupFailed."""
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


async def _find_address_space(one: ClientCert, settings: Settings) -> str:
    """Return the server's address space for `--ip-address-space-overrides`: public, local or loopback.

    Chromium keeps public pages from local networks, and would judge the server by the relay's address. Behind a proxy the address is
    unknown; Chromium treats such servers as public.
    """
    if settings.proxy and settings.proxy.server_for(one.origin):
        return "public"
    try:
        async with asyncio.timeout(RESOLVE_SECONDS):
            found = await asyncio.get_running_loop().getaddrinfo(one.host, one.port)
    except (OSError, TimeoutError):
        return "local"
    addresses = [ipaddress.ip_address(str(info[4][0]).partition("%")[0]) for info in found]
    if any(address.is_loopback for address in addresses):
        return "loopback"
    return "local" if any(address.is_private or address.is_link_local for address in addresses) else "public"
