"""Read logins at proxies and passphrases of client certificates from the stored secrets."""

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from gstack_browse.errors import BrowseError
from gstack_browse.security.policy.proxies import SECRET
from gstack_browse.settings import Settings

if TYPE_CHECKING:
    from gstack_browse.security.client_certs import ClientCert


async def add_stored_password(settings: Settings) -> Settings:
    """Add the proxy's password from the stored secrets to the settings, if it has a user but no password.

    Without a password the browser shows the proxy's own answer (407).
    """
    proxy = settings.proxy
    if not proxy or not proxy.user or proxy.password:
        return settings
    password = await asyncio.to_thread(_read_password, proxy.origin)
    return replace(settings, proxy=replace(proxy, password=password)) if password else settings


def _read_password(origin: str) -> str:
    """Return the stored password for the proxy at `origin`; "" for none, or while the keyring is locked."""
    from gstack_browse.security.vault import SecretStore

    try:
        secret = SecretStore().get(SECRET)
    except BrowseError:
        return ""  # the keyring is locked: go on without a password
    return secret.value if secret and origin in secret.origins else ""


async def add_stored_passphrases(settings: Settings) -> Settings:
    """Add the passphrases of the client certificates from the stored secrets to the settings.

    A certificate whose passphrase is missing fails later, when the browser starts.
    """
    if not settings.client_certs:
        return settings
    found = await asyncio.to_thread(lambda: tuple(_add_passphrase(cert) for cert in settings.client_certs))
    return replace(settings, client_certs=found)


def _add_passphrase(cert: "ClientCert") -> "ClientCert":
    """Return the certificate with its passphrase from the stored secrets; unchanged if none is stored."""
    from gstack_browse.security.vault import SecretStore

    for name in cert.secret_names:
        try:
            secret = SecretStore().get(name)
        except BrowseError:
            return cert  # the keyring is locked
        if secret and cert.origin in secret.origins:
            return replace(cert, passphrase=secret.value)
    return cert
