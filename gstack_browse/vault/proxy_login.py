"""The password of a proxy whose address was given without one: stored by `secret-set proxy --origin http://proxy:3128`."""

import asyncio
from dataclasses import replace

from gstack_browse.errors import BrowseError
from gstack_browse.policy.proxies import SECRET
from gstack_browse.settings import Settings


async def completed(settings: Settings) -> Settings:
    """The settings, with the stored password of the proxy if there is one. Without a password pages show the proxy's own answer."""
    proxy = settings.proxy
    if not proxy or not proxy.user or proxy.password:
        return settings
    password = await asyncio.to_thread(_kept, proxy.origin)
    return replace(settings, proxy=replace(proxy, password=password)) if password else settings


def _kept(origin: str) -> str:
    from gstack_browse.vault.store import Store

    try:
        secret = Store().get(SECRET)
    except BrowseError:
        return ""  # the keyring is locked
    return secret.value if secret and origin in secret.origins else ""
