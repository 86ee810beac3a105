"""The relays of one browser, and the flags by which its Chromium is led to them."""

import asyncio
import ipaddress
import ssl
from collections.abc import Sequence

from gstack_browse.browser.launch.client_certs import PresentedCert
from gstack_browse.browser.launch.local_peer import is_known
from gstack_browse.browser.launch.relay import HERE, ServerRelay
from gstack_browse.browser.launch.relay_cert import RelayCert
from gstack_browse.client_certs.entries import VARIABLE, ClientCert, find_wildcard_conflict
from gstack_browse.errors import SetupFailed
from gstack_browse.settings import Settings

RESOLVE_SECONDS = 3.0


class Relays:
    """Relays that listen. `flags`: for Chromium, but for the rules by which it finds hosts, and its proxy."""

    def __init__(self, relays: Sequence[ServerRelay], flags: Sequence[str]) -> None:
        self._relays = relays
        self.flags = flags

    @property
    def rules(self) -> list[str]:
        """Rules for `--host-resolver-rules`: each server at its port is here."""
        return [f"MAP {relay.one.endpoint} {HERE}:{relay.port}" for relay in self._relays]

    @property
    def endpoints(self) -> list[str]:
        """Host and port of each server."""
        return [relay.one.endpoint for relay in self._relays]

    def context_for(self, url: str) -> ssl.SSLContext | None:
        """With which we ask for a URL ourselves; None where no client certificate is presented. Raises SetupFailed. Blocks."""
        return next((relay.presented.context(()) for relay in self._relays if relay.one.covers(url)), None)

    def trouble(self, url: str) -> str:
        """Why the last connection to the server of a URL failed, in words; "" where it did not, and for other servers."""
        return next((relay.trouble for relay in self._relays if relay.one.covers(url)), "")

    def close(self) -> None:
        """End them all."""
        for relay in self._relays:
            relay.close()


async def opened(settings: Settings) -> Relays:
    """Relays for all servers that a client certificate is named for. Raises SetupFailed."""
    known = settings.client_certs
    if not is_known():
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
            spaces.append(f"{HERE}:{relay.port}={await _space(one, settings)}")
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


async def _space(one: ClientCert, settings: Settings) -> str:
    """Where the server is for Chromium, which keeps pages of the internet from asking in local networks: not on this machine, as the relay.

    By a proxy nobody knows; Chromium takes such servers for public ones.
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
