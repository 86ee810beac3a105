"""Passphrases of client certificates: stored by `secret-set client-cert --origin https://intranet.corp`, never part of a setting."""

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from gstack_browse.errors import BrowseError
from gstack_browse.settings import Settings

if TYPE_CHECKING:
    from gstack_browse.client_certs.entries import ClientCert


async def completed(settings: Settings) -> Settings:
    """The settings, with the passphrases that are stored. A certificate that lacks its own is a failure of the browser's start."""
    if not settings.client_certs:
        return settings
    found = await asyncio.to_thread(lambda: tuple(_with_passphrase(one) for one in settings.client_certs))
    return replace(settings, client_certs=found)


def _with_passphrase(one: "ClientCert") -> "ClientCert":
    from gstack_browse.vault.store import Store

    for name in one.secrets:
        try:
            secret = Store().get(name)
        except BrowseError:
            return one  # the keyring is locked
        if secret and one.origin in secret.origins:
            return replace(one, passphrase=secret.value)
    return one
