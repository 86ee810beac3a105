"""Fill a kept secret into a field of its own origin. Declares no command.

Neither the caller nor a reply ever has the value.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Annotated

from gstack_browse.browser.actions.locate.find import Element
from gstack_browse.browser.actions.text import filling
from gstack_browse.browser.actions.text.filling import NormalisedValue
from gstack_browse.browser.command.page import PageSession
from gstack_browse.browser.reading.storage import script_origin
from gstack_browse.errors import ActionFailed, Refused
from gstack_browse.registry.values.argument_type import ArgumentType
from gstack_browse.registry.values.paths import CallerPaths
from gstack_browse.security.vault import Secret, check_name
from gstack_browse.text.sanitise import one_line

CODE_SECONDS = 300.0
"""How long a one-time code is hidden in replies: servers take one a little longer than its period."""
ENOUGH_SECONDS = 3.0
"""A code that ends sooner is waited out: it would be refused by the time that it is sent."""


def _parse_name(word: str, paths: CallerPaths) -> str:
    """Return the name of a secret as a parsed argument. Raises UsageError."""
    return check_name(word)


SecretName = Annotated[str, ArgumentType("name", "the name of a secret, as 'secrets' lists it", _parse_name)]


class KeptSecrets:
    """The secrets that one command fills in. Each is read once, for fields of its own origins."""

    def __init__(self, page: PageSession) -> None:
        self._page = page
        self._known: dict[str, Secret] = {}

    async def revealer(self, name: str, target: str) -> Callable[[Element], Awaitable[str]]:
        """Return `reveal` for one field. Raises ActionFailed if there is no secret of that name."""
        await self._load_secret(name)
        return partial(self.reveal, name, target)

    async def check_usable(self, name: str, target: str, element: Element) -> None:
        """Raise ActionFailed if there is no such secret, Refused if the field's frame is of another origin."""
        await self._read_for_origin(name, target, element)

    async def reveal(self, name: str, target: str, element: Element) -> str:
        """Return the value for that field, which is hidden from now on. Raises what `check_usable` does."""
        secret = await self._read_for_origin(name, target, element)
        value = await _current_code(secret) if secret.is_totp else secret.value
        self._page.session.revealed.add(value, seconds=CODE_SECONDS if secret.is_totp else float("inf"))
        return value

    async def _read_for_origin(self, name: str, target: str, element: Element) -> Secret:
        """Return the secret of that name. Raises ActionFailed without one, Refused for another origin."""
        secret = await self._load_secret(name)
        origin = await script_origin(self._page, element.frame)
        if origin not in secret.origins:
            raise Refused(
                f"The secret {name} is for {', '.join(secret.origins)}, and {target} is on {one_line(origin, 200) or 'no site'}",
                "Look at the address: a page may look like another one. Ask the user before you go on",
            )
        return secret

    async def _load_secret(self, name: str) -> Secret:
        """Return a secret of the vault, read once for each command. Raises ActionFailed without one."""
        from gstack_browse.security.vault import SecretStore

        if name not in self._known:
            secret = await asyncio.to_thread(SecretStore().get, check_name(name))
            if secret is None:
                raise ActionFailed(f"There is no secret {name}", "'secrets' lists them, 'secret-set' keeps one")
            self._known[name] = secret
        return self._known[name]


async def fill(page: PageSession, target: str, name: str) -> tuple[Element, NormalisedValue | None]:
    """Fill a secret in. Returns the field, and what the page made of the value."""
    return await filling.fill_secret(page, target, await KeptSecrets(page).revealer(name, target))


async def type_into(page: PageSession, target: str, name: str, *, clear: bool, pause: float) -> str:
    """Type a secret into a field. Returns a remark, "" for none."""
    reveal = await KeptSecrets(page).revealer(name, target)
    return await filling.type_secret(page, target, reveal, clear=clear, pause=pause)


async def _current_code(secret: Secret) -> str:
    """Return the secret's TOTP code; wait for the next one if this one is valid for a moment only."""
    from gstack_browse.security.vault import parse_totp_key

    key = parse_totp_key(secret.value)
    left = key.seconds_left(time.time())
    if left < ENOUGH_SECONDS:
        await asyncio.sleep(left)
    return key.code(time.time())
