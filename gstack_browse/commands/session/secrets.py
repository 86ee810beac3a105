"""Secrets: passwords that are filled in without anybody reading them."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Annotated

from gstack_browse.browser.actions.locate.find import Element
from gstack_browse.browser.actions.text import filling
from gstack_browse.browser.actions.text.filling import NormalisedValue
from gstack_browse.browser.command.page import PageCommand
from gstack_browse.browser.reading.storage import script_origin
from gstack_browse.commands.daemon_interface import Daemon
from gstack_browse.errors import ActionFailed, Refused, UsageError
from gstack_browse.registry import META, READ, command
from gstack_browse.registry.arguments import Origins, PipedSecret
from gstack_browse.registry.values.argument_type import ArgumentType
from gstack_browse.security.vault import MOST_CHARACTERS, Secret, check_name
from gstack_browse.text.redact import SHORTEST_SECRET
from gstack_browse.text.sanitise import one_line
from gstack_browse.text.table_output import align_columns

CODE_SECONDS = 300.0
"""How long a one-time code is hidden in replies: servers take one a little longer than its period."""
ENOUGH_SECONDS = 3.0
"""A code that ends sooner is waited out: it would be refused by the time that it is sent."""


SecretName = Annotated[
    str, ArgumentType("name", "the name of a secret, as 'secrets' lists it", lambda word, _: check_name(word))
]


class StoredSecrets:
    """Reads stored secrets for the fields that one command fills in; each only on its origins."""

    def __init__(self, page: PageCommand) -> None:
        self._page = page
        self._known: dict[str, Secret] = {}

    async def make_revealer(self, name: str, target: str) -> Callable[[Element], Awaitable[str]]:
        """Return a function that reveals the secret `name` for the element with which it is called.

        `target`: the element as typed, for errors. Raises ActionFailed if there is no such secret.
        """
        await self._load_secret(name)
        return partial(self.reveal, name, target)

    async def check_usable(self, name: str, target: str, element: Element) -> None:
        """Check that the secret `name` may be filled into `element`, without revealing it.

        Raises ActionFailed if there is no such secret, Refused if the element's frame is of another origin than the secret.
        `target`: the element as typed, for the error.
        """
        await self._read_for_origin(name, target, element)

    async def reveal(self, name: str, target: str, element: Element) -> str:
        """Return the value of the secret `name` for a field, and mask it in output from now on.

        `target`: the field as typed, for errors. Raises ActionFailed if there is no such secret, Refused if the field's frame is of
        another origin than the secret.
        """
        secret = await self._read_for_origin(name, target, element)
        value = await _current_code(secret) if secret.is_totp else secret.value
        self._page.context.revealed.add(value, seconds=CODE_SECONDS if secret.is_totp else float("inf"))
        return value

    async def _read_for_origin(self, name: str, target: str, element: Element) -> Secret:
        """Return the secret `name`, if it is for the origin of the frame in which `element` is.

        `target`: names the element in the message. Raises ActionFailed without a secret, Refused if it is for other origins.
        """
        secret = await self._load_secret(name)
        origin = await script_origin(self._page, element.frame)
        if origin not in secret.origins:
            raise Refused(
                f"The secret {name} is for {', '.join(secret.origins)}, and {target} is on {one_line(origin, 200) or 'no site'}",
                "Look at the address: a page may look like another one. Ask the user before you go on",
            )
        return secret

    async def _load_secret(self, name: str) -> Secret:
        """Return a stored secret by its name, read only once. Raises ActionFailed without one."""
        from gstack_browse.security.vault import SecretStore

        if name not in self._known:
            secret = await asyncio.to_thread(SecretStore().get, check_name(name))
            if secret is None:
                raise ActionFailed(f"There is no secret {name}", "'secrets' lists them, 'secret-set' keeps one")
            self._known[name] = secret
        return self._known[name]


async def fill(page: PageCommand, target: str, name: str) -> tuple[Element, NormalisedValue | None]:
    """Fill the stored secret `name` into a field. Return the field, and what the page made of the value.

    The latter is None if the value is unchanged.
    """
    return await filling.fill_secret(page, target, await StoredSecrets(page).make_revealer(name, target))


async def type_into(page: PageCommand, target: str, name: str, *, clear: bool, pause: float) -> str:
    """Type the stored secret `name` into a field, `pause` seconds between keys. Return a remark, or "".

    `clear`: empty the field first.
    """
    reveal = await StoredSecrets(page).make_revealer(name, target)
    return await filling.type_secret(page, target, reveal, clear=clear, pause=pause)


async def _current_code(secret: Secret) -> str:
    """Return the one-time code (TOTP) of a secret; wait for the next one if this one is about to expire."""
    from gstack_browse.security.vault import parse_totp_key

    key = parse_totp_key(secret.value)
    left = key.seconds_left(time.time())
    if left < ENOUGH_SECONDS:
        await asyncio.sleep(left)
    return key.code(time.time())


@command(
    META,
    examples=[
        "secret-set shop --origin https://shop.example.com < password.txt",
        "secret-set shop-code --origin https://shop.example.com --totp < key.txt",
    ],
    needs_stdin=True,
    secret=["value"],
    forms="<name> --origin <url>… [--totp] < secret",
)
async def secret_set(
    daemon: Daemon, name: SecretName, value: PipedSecret, *, origin: Origins = (), totp: bool = False
) -> str:
    """Keep a password, or a key for one-time codes, under a name: for fill --secret. Never printed again.

    It comes from standard input; at a terminal it is asked for. It is kept in your keyring; where none can be reached, in
    ~/.gstack/secrets.json, which only you can read. It is filled in only on pages of its origins.

    origin: the site it is for; may be given several times
    totp: it is the key of one-time codes, in base32 or as otpauth:// address; fill --secret fills in the code of that moment
    """
    from gstack_browse.security.vault import SecretStore, parse_totp_key

    if not origin:
        raise UsageError("A secret needs an origin", "For example --origin https://shop.example.com")
    if not value or len(value) > MOST_CHARACTERS:
        raise UsageError(
            "The secret is empty" if not value else f"A secret has at most {MOST_CHARACTERS} characters"
        )
    if totp:
        parse_totp_key(value)
    secret = Secret(name, tuple(dict.fromkeys(origin)), value, totp)
    where = await asyncio.to_thread(SecretStore().store, secret)
    lines = [f"Secret kept: {name}, for {', '.join(secret.origins)}, in {where}"]
    if where.startswith("/"):
        lines.append("no keyring can be reached: the file is not encrypted, and only you can read it")
    if len(value) < SHORTEST_SECRET:
        lines.append(f"shorter than {SHORTEST_SECRET} characters: it is not hidden where a page shows it")
    return "\n→ ".join(lines)


@command(READ, examples=["secrets"])
async def secrets(daemon: Daemon) -> str:
    """List the secrets that are kept: names and origins, never values."""
    from gstack_browse.security.vault import SecretStore

    found = await asyncio.to_thread(SecretStore().list_all)
    rows = [
        (item.name, "one-time code" if item.is_totp else "password", ", ".join(item.origins)) for item in found
    ]
    return align_columns(rows) if rows else "There are no secrets. 'secret-set' keeps one"


@command(META, examples=["secret-delete shop"])
async def secret_delete(daemon: Daemon, name: SecretName) -> str:
    """Forget a secret."""
    from gstack_browse.security.vault import SecretStore

    if not await asyncio.to_thread(SecretStore().remove, name):
        raise ActionFailed(f"There is no secret {name}", "Run 'secrets' to see the names")
    return f"Secret deleted: {name}"
