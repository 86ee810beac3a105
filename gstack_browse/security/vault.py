"""Store secrets in the keyring or a private file below ~/.gstack, and make one-time codes (RFC 6238).

`python -m gstack_browse.security.vault` prints for `doctor` how the keyring answers.
"""

import base64
import binascii
import hmac
import os
import re
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from urllib.parse import parse_qs, unquote, urlsplit

import orjson

from gstack_browse.errors import SetupFailed, UsageError
from gstack_browse.workspace.private_files import open_home

if TYPE_CHECKING:
    from secretstorage import Collection, Item

    from gstack_browse.cookies.stores.bus import TimedConnection

T = TypeVar("T")
APPLICATION = "gbrowse"
MOST_CHARACTERS = 10_000
_NAME = r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}\Z"
FILE = "secrets.json"
MOST_BYTES = 5_000_000
_ALGORITHMS = {"SHA1": "sha1", "SHA256": "sha256", "SHA512": "sha512"}


class NoKeyring(Exception):
    """The keyring cannot be reached, or the desktop has no default one."""


class Keyring:
    """Named items of gbrowse in the desktop's keyring (Secret Service), for one `purpose`.

    Methods raise NoKeyring, and SetupFailed if the keyring is locked.
    """

    title = "the keyring"

    def __init__(self, purpose: str) -> None:
        self._purpose = purpose

    def check_writable(self) -> None:
        """Raise NoKeyring or SetupFailed if nothing can be stored in the keyring."""

        self._run_on_bus(lambda bus: self._default_collection(bus).ensure_not_locked())

    def list_names(self) -> list[str]:
        """Return the names of all keyring items of this object's purpose."""
        return self._run_on_bus(
            lambda bus: [item.get_attributes().get("name", "") for item in self._search(bus)]
        )

    def read(self, name: str) -> bytes | None:
        """Return the value of the keyring item with that name; None if there is no such item."""

        def read_item(bus: "TimedConnection") -> bytes | None:
            found = self._search(bus, name)
            return bytes(found[0].get_secret()) if found else None

        return self._run_on_bus(read_item)

    def write(self, name: str, content: bytes) -> None:
        """Store a value in the keyring under that name, replacing an earlier one."""
        label = f"gbrowse {self._purpose} {name}"
        self._run_on_bus(
            lambda bus: self._default_collection(bus).create_item(
                label, self._attributes(name), content, replace=True
            )
        )

    def remove(self, name: str) -> None:
        """Remove the keyring item with that name, if it exists."""

        def delete_items(bus: "TimedConnection") -> None:
            for item in self._search(bus, name):
                item.delete()

        self._run_on_bus(delete_items)

    def _default_collection(self, bus: "TimedConnection") -> "Collection":
        """Return the keyring in which the desktop stores new items."""
        from secretstorage import get_collection_by_alias

        return get_collection_by_alias(bus, "default")

    def _search(self, bus: "TimedConnection", name: str | None = None) -> "Sequence[Item]":
        """Return the keyring items with that name; without `name`, all of this object's purpose."""
        from secretstorage import search_items

        return list(search_items(bus, self._attributes(name)))

    def _attributes(self, name: str | None) -> dict[str, str]:
        """Return the attributes that identify a keyring item.

        Without `name`, those of all items of this purpose.
        """
        found = {"application": APPLICATION, "purpose": self._purpose}
        return found if name is None else found | {"name": name}

    def _run_on_bus(self, act: "Callable[[TimedConnection], T]") -> T:
        """Call `act` with a connection to the D-Bus session bus, and return its result.

        Raises NoKeyring for errors of the bus, SetupFailed for a locked keyring.
        """
        try:
            from jeepney import DBusErrorResponse
            from secretstorage.exceptions import LockedException, SecretStorageException

            from gstack_browse.cookies.stores.bus import session_bus
        except ImportError:  # the libraries are installed on Linux only
            raise NoKeyring from None
        with session_bus() as bus:
            if bus is None:
                raise NoKeyring
            try:
                return act(bus)
            except LockedException:
                raise SetupFailed(
                    "The keyring is locked", "Unlock it (open your desktop's password program), then try again"
                ) from None
            except (SecretStorageException, DBusErrorResponse, OSError):
                raise NoKeyring from None  # no such service on this bus, or no default collection


@dataclass(frozen=True)
class Secret:
    """A secret, filled in only on pages of `origins`. `is_totp`: the value is the key of one-time codes."""

    name: str
    origins: tuple[str, ...]
    value: str = field(repr=False)
    is_totp: bool = False


def check_name(word: str) -> str:
    """Return `word` if it can be the name of a secret. Raises UsageError otherwise."""
    if not re.match(_NAME, word):
        raise UsageError(f'"{word[:60]}" is no name for a secret', "Letters, digits, and . _ - between them")
    return word


def parse_secret(name: str, fields: Any) -> Secret | None:
    """Convert a secret's JSON in a file or keyring (`fields`); None if it is malformed."""
    if not (isinstance(fields, dict) and isinstance(fields.get("value"), str) and re.match(_NAME, name)):
        return None
    origins = fields.get("origins")
    if not (isinstance(origins, list) and origins and all(isinstance(origin, str) for origin in origins)):
        return None
    return Secret(name, tuple(origins), fields["value"], fields.get("totp") is True)


def to_fields(secret: Secret) -> dict[str, Any]:
    """Return a secret as JSON for a file or keyring, where its name is the key."""
    return {"origins": list(secret.origins), "totp": secret.is_totp, "value": secret.value}


class SecretStore:
    """The secrets of one person. Every method blocks.

    Methods raise SetupFailed (locked keyring, damaged file), and Refused for a file that others can write to.
    """

    def __init__(self) -> None:
        self._keyring = Keyring("secret")

    def store(self, secret: Secret) -> str:
        """Store a secret, replacing one of the same name. Return where: `the keyring` or the path of a file."""
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
            with suppress(orjson.JSONDecodeError):
                return parse_secret(name, orjson.loads(content))
            return None
        return parse_secret(name, self._read_file().get(name))

    def list_all(self) -> list[Secret]:
        """Return all secrets, sorted by name."""
        names = {*self._read_file()}
        with suppress(NoKeyring):
            names |= {*self._keyring.list_names()}
        return [secret for name in sorted(names) if (secret := self.get(name))]

    def remove(self, name: str) -> bool:
        """Remove the secret with that name. Return whether it existed."""
        was_there = self.get(name) is not None
        with suppress(NoKeyring):
            self._keyring.remove(name)
        self._update_file(name, None)
        return was_there

    def _read_file(self) -> dict[str, Any]:
        """Return the entries of the file of secrets, name → fields. Raises SetupFailed if it is damaged."""
        directory = open_home(os.environ)
        content = directory.read(FILE, max_bytes=MOST_BYTES)
        try:
            found = orjson.loads(content) if content else {}
        except orjson.JSONDecodeError:
            raise SetupFailed(
                f"{directory.path_of(FILE)} is damaged",
                "Look at it, or remove it and set the secrets anew",
            ) from None
        return found if isinstance(found, dict) else {}

    def _update_file(self, name: str, fields: dict[str, Any] | None) -> str:
        """Write a secret (as JSON) into the file of secrets; if `fields` is None, remove it.

        Return the file's path.
        """
        every, directory = self._read_file(), open_home(os.environ)
        if fields:
            every[name] = fields
        elif every.pop(name, None) is None:
            return str(directory.path_of(FILE))
        if every:
            return directory.write(FILE, orjson.dumps(every, option=orjson.OPT_INDENT_2))
        directory.remove(FILE)
        return str(directory.path_of(FILE))


class TotpGenerator(NamedTuple):
    """Makes one-time codes (TOTP) from a key. `period`: seconds that a code is valid."""

    key: bytes
    digits: int = 6
    period: int = 30
    algorithm: str = "sha1"

    def code(self, at: float) -> str:
        """Return the one-time code that is valid at the time `at` (seconds since 1970)."""
        counter = int(at) // self.period
        digest = hmac.digest(self.key, counter.to_bytes(8, "big"), self.algorithm)
        offset = digest[-1] & 0xF
        number = int.from_bytes(digest[offset : offset + 4], "big") & 0x7FFFFFFF
        return str(number % 10**self.digits).zfill(self.digits)

    def seconds_left(self, at: float) -> float:
        """Return for how many seconds the code of the time `at` (seconds since 1970) stays valid."""
        return self.period - at % self.period


def parse_totp_key(text: str) -> TotpGenerator:
    """Parse a key for one-time codes (TOTP) as websites show it: base32 or an otpauth:// URI.

    Raises UsageError, whose message contains no part of the key.
    """
    text = text.strip()
    if not text.lower().startswith("otpauth:"):
        return TotpGenerator(_decode_key(text))
    try:
        parts = urlsplit(text)
        fields = {name: values[-1] for name, values in parse_qs(parts.query).items()}
    except ValueError:
        raise _malformed_error("its address is malformed") from None
    if unquote(parts.netloc).lower() != "totp":
        raise _malformed_error("it is not of the kind totp")
    algorithm = _ALGORITHMS.get(fields.get("algorithm", "SHA1").upper())
    if algorithm is None:
        raise _malformed_error("its algorithm is unknown")
    digits, period = _parse_number(fields, "digits", 6), _parse_number(fields, "period", 30)
    if not (6 <= digits <= 10 and 1 <= period <= 3600):
        raise _malformed_error("its digits or its period are out of range")
    return TotpGenerator(_decode_key(fields.get("secret", "")), digits, period, algorithm)


def _parse_number(fields: dict[str, str], name: str, default: int) -> int:
    """Return the number `name` in `fields`, the query of an otpauth:// URI; 0 if it is malformed."""
    word = fields.get(name, str(default))
    return int(word) if word.isascii() and word.isdigit() and len(word) < 5 else 0


def _decode_key(text: str) -> bytes:
    """Decode a base32 key, ignoring spaces and hyphens. Raises UsageError if malformed or too short."""
    compact = "".join(text.split()).replace("-", "").rstrip("=").upper()
    try:
        key = base64.b32decode(compact + "=" * (-len(compact) % 8))
    except (binascii.Error, ValueError):
        raise _malformed_error("its key is not base32") from None
    if len(key) < 5:
        raise _malformed_error("its key is too short")
    return key


def _malformed_error(why: str) -> UsageError:
    """Return the error for a malformed key of one-time codes. `why` completes its message."""
    return UsageError(
        f"That is no key for one-time codes: {why}",
        "Pipe in the key in base32 (JBSW Y3DP …) or the otpauth:// address that the website shows",
    )


def check_keyring() -> str:
    """Return the keyring's state: `answers`, `none`, or `locked` with message and hint (tab-separated)."""
    try:
        Keyring("doctor").check_writable()
    except NoKeyring:
        return "none"
    except SetupFailed as error:
        return f"locked\t{error.message}\t{error.hint}"
    return "answers"


if __name__ == "__main__":
    sys.stdout.write(check_keyring() + "\n")
