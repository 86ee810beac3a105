"""The store of secrets: the keyring, or a file below ~/.gstack that only its owner can read."""

import os
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import orjson

from gstack_browse.errors import SetupFailed
from gstack_browse.local.private import PrivateDirectory, open_home
from gstack_browse.vault.keyring import Keyring, NoKeyring
from gstack_browse.vault.records import Secret, parse_secret, to_fields

FILE = "secrets.json"
MOST_BYTES = 5_000_000


class SecretStore:
    """The secrets of one person. Every method blocks.

    Methods raise SetupFailed (locked keyring, damaged file), and Refused for a file that others can write to.
    """

    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        self._environment = environment
        self._keyring = Keyring("secret")

    def store(self, secret: Secret) -> str:
        """Store a secret, replacing one of the same name. Return where it is stored, as text for the user."""
        content = orjson.dumps(to_fields(secret))
        try:
            self._keyring.write(secret.name, content)
        except NoKeyring:
            return self._update_file(secret.name, to_fields(secret))
        self._update_file(secret.name, None)
        return self._keyring.title

    def get(self, name: str) -> Secret | None:
        """Return the secret with that name; None if it does not exist."""
        try:
            content = self._keyring.read(name)
        except NoKeyring:
            content = None
        if content:
            return _decode_secret(name, content)
        return parse_secret(name, self._read_file().get(name))

    def list_all(self) -> list[Secret]:
        """Return all secrets, sorted by name."""
        names = {*self._read_file()}
        with suppress(NoKeyring):
            names |= {*self._keyring.list_names()}
        return [secret for name in sorted(names) if (secret := self.get(name))]

    def remove(self, name: str) -> bool:
        """Remove a secret. Return whether it existed."""
        was_there = self.get(name) is not None
        with suppress(NoKeyring):
            self._keyring.remove(name)
        self._update_file(name, None)
        return was_there

    def _folder(self) -> PrivateDirectory:
        """Return the private directory of the file."""
        return open_home(self._environment)

    def _read_file(self) -> dict[str, Any]:
        """Return the file's entries by name; raise SetupFailed if the file is damaged."""
        content = self._folder().read(FILE, max_bytes=MOST_BYTES)
        try:
            found = orjson.loads(content) if content else {}
        except orjson.JSONDecodeError:
            raise SetupFailed(
                f"{self._folder().path_of(FILE)} is damaged",
                "Look at it, or remove it and set the secrets anew",
            ) from None
        return found if isinstance(found, dict) else {}

    def _update_file(self, name: str, fields: dict[str, Any] | None) -> str:
        """Write an entry of the file, or remove it if `fields` is None. Return the file's path."""
        every = self._read_file()
        path = str(self._folder().path_of(FILE))
        if fields is None and name not in every:
            return path
        every.pop(name, None)
        every |= {name: fields} if fields else {}
        if every:
            return self._folder().write(FILE, orjson.dumps(every, option=orjson.OPT_INDENT_2))
        self._folder().remove(FILE)
        return path


def _decode_secret(name: str, content: bytes) -> Secret | None:
    """Return the secret from a keyring item; None if it is malformed."""
    try:
        return parse_secret(name, orjson.loads(content))
    except orjson.JSONDecodeError:
        return None
