"""Secrets: passwords that are filled in without anybody reading them."""

import asyncio
from collections.abc import Sequence
from typing import Annotated

from gstack_browse.commands.acting.filled_secret import SecretName
from gstack_browse.commands.daemon_interface import Daemon
from gstack_browse.errors import ActionFailed, UsageError
from gstack_browse.registry import META, READ, command
from gstack_browse.registry.arguments import PipedSecret
from gstack_browse.registry.values.argument_type import ArgumentType, Repeatable
from gstack_browse.registry.values.paths import CallerPaths
from gstack_browse.security.policy.hosts import parse_origin
from gstack_browse.security.vault import MOST_CHARACTERS, Secret
from gstack_browse.text.columns import align_columns
from gstack_browse.text.redact import SHORTEST_SECRET


def _parse_origin(word: str, paths: CallerPaths) -> str:
    """Parse an origin."""
    return parse_origin(word)


Origins = Annotated[
    Sequence[str],
    ArgumentType("url", "a site's address, of which the origin counts", _parse_origin),
    Repeatable,
]


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
