"""The stored password of a proxy whose address has a user but no password.

`secret-set proxy --origin http://proxy:3128` stores one.
"""

import asyncio
from dataclasses import replace

from gstack_browse.errors import BrowseError
from gstack_browse.policy.proxies import SECRET
from gstack_browse.settings import Settings


async def add_stored_password(settings: Settings) -> Settings:
    """Return the settings with the proxy's stored password, if there is one.

    Without a password the browser shows the proxy's own answer (407).
    """
    proxy = settings.proxy
    if not proxy or not proxy.user or proxy.password:
        return settings
    password = await asyncio.to_thread(_read_password, proxy.origin)
    return replace(settings, proxy=replace(proxy, password=password)) if password else settings


def _read_password(origin: str) -> str:
    """Return the password that is stored for the proxy's origin; "" for none."""
    from gstack_browse.vault.store import SecretStore

    try:
        secret = SecretStore().get(SECRET)
    except BrowseError:
        return ""  # the keyring is locked: go on without a password
    return secret.value if secret and origin in secret.origins else ""
