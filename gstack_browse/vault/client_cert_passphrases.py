"""Stored passphrases of client certificates, which are never part of a setting.

`secret-set client-cert --origin https://intranet.corp` stores one.
"""

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from gstack_browse.errors import BrowseError
from gstack_browse.settings import Settings

if TYPE_CHECKING:
    from gstack_browse.client_certs.entries import ClientCert


async def add_stored_passphrases(settings: Settings) -> Settings:
    """Return the settings with the stored passphrases of their client certificates.

    A certificate whose passphrase is missing fails later, when the browser starts.
    """
    if not settings.client_certs:
        return settings
    found = await asyncio.to_thread(lambda: tuple(_add_passphrase(one) for one in settings.client_certs))
    return replace(settings, client_certs=found)


def _add_passphrase(one: "ClientCert") -> "ClientCert":
    """Return the certificate with its stored passphrase, or unchanged where none is stored for its origin."""
    from gstack_browse.vault.store import SecretStore

    for name in one.secrets:
        try:
            secret = SecretStore().get(name)
        except BrowseError:
            return one  # the keyring is locked
        if secret and one.origin in secret.origins:
            return replace(one, passphrase=secret.value)
    return one
