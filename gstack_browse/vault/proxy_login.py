"""The password of a proxy that wants one and was named without: kept by `secret-set proxy --origin http://proxy:3128`."""

import asyncio
from dataclasses import replace

from gstack_browse.errors import BrowseError
from gstack_browse.policy.proxies import SECRET
from gstack_browse.settings import Settings


async def completed(settings: Settings) -> Settings:
    """Settings with that password, where one is kept for the proxy. Without one the proxy's own answer is told."""
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
