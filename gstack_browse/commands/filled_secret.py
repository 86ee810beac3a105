"""Fills a kept secret into a field of its own origin: neither the caller nor a reply ever has the value. Declares no command."""

import asyncio
import time
from typing import Annotated

from gstack_browse.browser.input import act
from gstack_browse.browser.input.find import Element
from gstack_browse.browser.output.cookies import origin_of
from gstack_browse.browser.tabs.page import PageSession
from gstack_browse.errors import ActionFailed, Refused
from gstack_browse.registry.arguments import ArgumentType, CallerPaths
from gstack_browse.text.sanitise import one_line
from gstack_browse.vault.records import Secret, checked_name

CODE_SECONDS = 300.0
"""How long a one-time code is hidden in replies: servers take one a little longer than its period."""
ENOUGH_SECONDS = 3.0
"""A code that ends sooner is waited out: it would be refused by the time that it is sent."""


def _name(word: str, paths: CallerPaths) -> str:
    return checked_name(word)


SecretName = Annotated[str, ArgumentType("name", "the name of a secret, as 'secrets' lists it", _name)]


async def fill(page: PageSession, target: str, name: str) -> tuple[Element, str]:
    """Fill a secret in. Returns the field, and what the page made of the value. Raises Refused on another origin."""
    from gstack_browse.vault.store import Store

    secret = await asyncio.to_thread(Store().get, name)
    if secret is None:
        raise ActionFailed(f"There is no secret {name}", "'secrets' lists them, 'secret-set' keeps one")

    async def reveal(element: Element) -> str:
        await _require_origin(page, target, element, secret)
        value = await _code(secret) if secret.is_totp else secret.value
        page.session.revealed.add(value, seconds=CODE_SECONDS if secret.is_totp else float("inf"))
        return value

    return await act.fill_secret(page, target, reveal)


async def _require_origin(page: PageSession, target: str, element: Element, secret: Secret) -> None:
    """Raise Refused unless the frame that holds the field is of the secret's origin."""
    origin = await origin_of(page, element.frame)
    if origin not in secret.origins:
        raise Refused(
            f"The secret {secret.name} is for {', '.join(secret.origins)}, and {target} is on {one_line(origin, 200) or 'no site'}",
            "Look at the address: a page may look like another one. Ask the user before you go on",
        )


async def _code(secret: Secret) -> str:
    from gstack_browse.vault import totp

    key = totp.parse(secret.value)
    left = key.seconds_left(time.time())
    if left < ENOUGH_SECONDS:
        await asyncio.sleep(left)
    return key.code(time.time())
