"""Where secrets are kept: in the keyring; where there is none, in a file below ~/.gstack that only its owner reads."""

import os
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import orjson

from gstack_browse.errors import SetupFailed
from gstack_browse.local.private import PrivateDirectory, home
from gstack_browse.vault.keyring import Keyring, NoKeyring
from gstack_browse.vault.records import Secret, fields_of, from_fields

FILE = "secrets.json"
MOST_BYTES = 5_000_000


class Store:
    """The secrets of one person. Every method blocks; raises SetupFailed, and Refused for a file that is not safely ours."""

    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        self._environment = environment
        self._keyring = Keyring("secret")

    def put(self, secret: Secret) -> str:
        """Store a secret; an earlier one of the same name is replaced. Returns the place, in words."""
        content = orjson.dumps(fields_of(secret))
        try:
            self._keyring.write(secret.name, content)
        except NoKeyring:
            return self._change(secret.name, fields_of(secret))
        self._change(secret.name, None)
        return self._keyring.title

    def get(self, name: str) -> Secret | None:
        """The secret of that name."""
        try:
            content = self._keyring.read(name)
        except NoKeyring:
            content = None
        if content:
            return _decoded(name, content)
        return from_fields(name, self._in_file().get(name))

    def all(self) -> list[Secret]:
        """All secrets, by name."""
        names = {*self._in_file()}
        with suppress(NoKeyring):
            names |= {*self._keyring.names()}
        return [secret for name in sorted(names) if (secret := self.get(name))]

    def remove(self, name: str) -> bool:
        """Forget a secret; False where there is none of that name."""
        was_there = self.get(name) is not None
        with suppress(NoKeyring):
            self._keyring.remove(name)
        self._change(name, None)
        return was_there

    def _folder(self) -> PrivateDirectory:
        return home(self._environment)

    def _in_file(self) -> dict[str, Any]:
        content = self._folder().read(FILE, max_bytes=MOST_BYTES)
        try:
            found = orjson.loads(content) if content else {}
        except orjson.JSONDecodeError:
            raise SetupFailed(
                f"{self._folder().path_of(FILE)} is damaged",
                "Look at it, or remove it and set the secrets anew",
            ) from None
        return found if isinstance(found, dict) else {}

    def _change(self, name: str, fields: dict[str, Any] | None) -> str:
        """Write an entry of the file, or remove the entry. Returns the file's path."""
        every = self._in_file()
        path = str(self._folder().path_of(FILE))
        if fields is None and name not in every:
            return path
        every.pop(name, None)
        every |= {name: fields} if fields else {}
        if every:
            return self._folder().write(FILE, orjson.dumps(every, option=orjson.OPT_INDENT_2))
        self._folder().remove(FILE)
        return path


def _decoded(name: str, content: bytes) -> Secret | None:
    try:
        return from_fields(name, orjson.loads(content))
    except orjson.JSONDecodeError:
        return None
