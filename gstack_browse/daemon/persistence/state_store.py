"""Save the browser state in a file below ~/.gstack, encrypted if there is a keyring, with one writer.

Not in the workspace: a repository could bring such a file, and log its user in as somebody else. What is read is checked all the
same.
"""

import os
import time
from base64 import b64decode, b64encode
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import fields, replace
from typing import Any, NamedTuple

from gstack_browse.browser.dialogs import DialogPolicy
from gstack_browse.browser.network.shaping import Shaping
from gstack_browse.browser.state.context_state import ContextState
from gstack_browse.browser.state.emulation import Emulation
from gstack_browse.errors import BrowseError
from gstack_browse.network.shaping.throttle import Throttle
from gstack_browse.protocol import is_context_name
from gstack_browse.security.vault import Keyring, NoKeyring
from gstack_browse.text.json_bytes import decode, encode
from gstack_browse.workspace.directory import hash_path
from gstack_browse.workspace.private_files import PrivateDirectory, open_home
from gstack_browse.workspace.state import WritableStateDir, open_or_make

FOLDER = "browser-state"
MOST_BYTES = 200_000_000
_MAGIC = b"gbrowse state 1\n"
_PLAIN, _ENCRYPTED = b"plain\n", b"aes-256-gcm\n"
_KEY_BYTES, _NONCE_BYTES = 32, 12


class StateUnusable(Exception):
    """Raised if the saved state cannot be read or written now; the text is the reason."""


class StoredState(NamedTuple):
    """A saved browser state, and when it was saved (seconds since 1970)."""

    state: ContextState
    at: float


class StateStore:
    """Reads and writes the file with the saved state of one state directory. Every method blocks.

    `is_encrypted` is valid after the first `read` or `write`.
    """

    def __init__(self, state: WritableStateDir, environment: Mapping[str, str] = os.environ) -> None:
        self._name = hash_path(f"{state.path}/{state.state_file}") + ".state"
        self._folder: PrivateDirectory = open_home(environment)
        self._keyring = Keyring("key")
        self._lock: int | None = None
        self._key: bytes | None = None
        self._has_asked_keyring = False

    @property
    def path(self) -> str:
        """Return the path of the file with the saved state (tabs, cookies, storage)."""
        return str(self._folder.path_of(self._name, folder=FOLDER))

    @property
    def is_encrypted(self) -> bool:
        """Return whether the file with the saved state is encrypted, by a key in the system's keyring."""
        return self._key is not None

    def read(self) -> StoredState | None:
        """Return the state that an earlier daemon saved; None if there is no file.

        Raises StateUnusable if it cannot be read; the file stays as it is.
        """
        try:
            content = self._folder.read(self._name, folder=FOLDER, max_bytes=MOST_BYTES)
        except BrowseError as error:
            raise StateUnusable(error.message) from None
        if content is None:
            return None
        try:
            found = decode(self._decode(content))
            stored = StoredState(ContextState.from_dict(found["state"]), float(found["at"]))
        except (ValueError, KeyError, TypeError, AttributeError):
            raise StateUnusable(f"{self.path} is damaged") from None
        if not _is_valid(stored.state):
            raise StateUnusable(f"{self.path} is damaged")
        return stored

    def write(self, state: ContextState) -> None:
        """Replace the file with the saved state. Raises StateUnusable, also if another daemon writes to it."""
        found = {"at": time.time(), "state": _without_secrets(state)}
        try:
            self._lock_for_writing()
            self._folder.write(self._name, self._encode(encode(found)), folder=FOLDER)
        except BrowseError as error:
            raise StateUnusable(error.message) from None
        except OSError as error:
            raise StateUnusable(f"{self.path} cannot be written: {error.strerror}") from None

    def delete(self) -> None:
        """Delete the file with the saved state."""
        with suppress(BrowseError):
            self._folder.remove(self._name, folder=FOLDER)

    def set_aside(self) -> str:
        """Rename the file to `….broken`, since the state in it could not be restored. Return the new path."""
        aside = self.path + ".broken"
        with suppress(OSError):
            os.replace(self.path, aside)
        return aside

    def _lock_for_writing(self) -> None:
        """Lock the file with the saved state: no other daemon writes it until `release` or the process ends.

        Raises StateUnusable if another daemon has the lock.
        """
        if self._lock is not None:
            return
        folder = f"{self._folder.path}/{FOLDER}"
        os.close(open_or_make(self._folder.path))
        place = WritableStateDir(folder, open_or_make(folder), folder)
        try:
            self._lock = place.lock(self._name + ".lock")
        finally:
            place.close()
        if self._lock is None:
            raise StateUnusable("another daemon writes it")

    def release(self) -> None:
        """Unlock the file with the saved state, so that another daemon can write it."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _encode(self, plain: bytes) -> bytes:
        """Return file content for a serialised state: encrypted; without a keyring marked as not encrypted."""
        key = self._get_key(create=True)
        if key is None:
            return _MAGIC + _PLAIN + plain
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        nonce = os.urandom(_NONCE_BYTES)
        return _MAGIC + _ENCRYPTED + nonce + AESGCM(key).encrypt(nonce, plain, self._name.encode())

    def _decode(self, content: bytes) -> bytes:
        """Decrypt a file's content, and return the serialised state in it.

        Raises StateUnusable without its key, ValueError for an unknown format.
        """
        if content.startswith(_MAGIC + _PLAIN):
            return content[len(_MAGIC + _PLAIN) :]
        if not content.startswith(_MAGIC + _ENCRYPTED):
            raise ValueError
        key = self._get_key(create=False)
        if key is None:
            raise StateUnusable("the keyring that has its key cannot be reached")
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        rest = content[len(_MAGIC + _ENCRYPTED) :]
        try:
            return AESGCM(key).decrypt(rest[:_NONCE_BYTES], rest[_NONCE_BYTES:], self._name.encode())
        except InvalidTag:
            raise ValueError from None

    def _get_key(self, *, create: bool) -> bytes | None:
        """Return the keyring's encryption key, cached; None without a keyring.

        `create`: make a key if the keyring has none. Raises StateUnusable if the keyring is locked.
        """
        if self._key is None and not (self._has_asked_keyring and create):
            try:
                self._key = self._read_or_make_key(create=create)
            except NoKeyring:
                self._key = None
            except BrowseError as error:
                raise StateUnusable(error.message.lower()) from None
            self._has_asked_keyring = True
        return self._key

    def _read_or_make_key(self, *, create: bool) -> bytes | None:
        """Return the encryption key in the keyring; None if it has none, unless `create`: then make one."""
        found = self._keyring.read("browser state")
        if found is None and create:
            found = b64encode(os.urandom(_KEY_BYTES))
            self._keyring.write("browser state", found)
        return b64decode(found) if found else None


def _without_secrets(state: ContextState) -> ContextState:
    """Return a copy of `state` without the secrets that were filled into pages: no file may contain them."""
    contexts = {name: _without_secrets(inner) for name, inner in state.contexts.items()}
    return replace(state, revealed=[], contexts=contexts)


def _is_valid(state: Any) -> bool:
    """Return whether all fields of a saved state have the types and ranges that a restore expects."""
    numbers = (
        state.active,
        state.next_id,
        *state.viewport,
        *state.first_refs,
        state.requests,
        state.next_script,
    )
    storage = state.storage if isinstance(state.storage, dict) else {}
    lists = (storage.get("cookies"), storage.get("origins"), state.imported)
    return (
        all(type(number) is int and 0 <= number < 2**40 for number in numbers)
        and (len(state.viewport), len(state.first_refs), len(state.dialogs))
        == (2, 2, len(fields(DialogPolicy)))
        and type(state.scale) in (int, float)
        and isinstance(state.user_agent, str)
        and type(state.mobile) is bool
        and _is_emulation(state.emulation)
        and all(isinstance(found, list) for found in lists)
        and all(isinstance(item, dict) for found in lists[:2] for item in found or ())
        and all(isinstance(host, str) for host in state.imported)
        and _are_extras(state.extras)
        and _is_shaping(state.shaping, state.throttle)
        and _are_scripts(state.init_scripts)
        and _are_documents(state.loaded_html)
        and isinstance(state.shared_from, str)
        and all(_is_tab(tab) for tab in state.tabs)
        and all(
            is_context_name(name) and not inner.contexts and _is_valid(inner)
            for name, inner in state.contexts.items()
        )
    )


def _is_emulation(found: Any) -> bool:
    """Return whether `found` (a value read from a file) is a valid device emulation."""
    try:
        Emulation.from_dict(found)
    except (TypeError, ValueError, AttributeError):
        return False
    return True


def _is_shaping(found: Any, throttle: Any) -> bool:
    """Return whether values read from a file are valid rules for requests (`found`) and a valid throttle."""
    try:
        Shaping().restore(found)
        Throttle.from_dict(throttle)
    except (TypeError, ValueError, KeyError, AttributeError):
        return False
    return True


def _are_extras(found: Any) -> bool:
    """Return whether `found` (a value read from a file) is a list of extra headers and credentials.

    Each is a list of 3 strings.
    """
    lists = [found.get(name, []) for name in ("headers", "credentials")] if isinstance(found, dict) else [None]
    return all(
        isinstance(entries, list)
        and all(
            isinstance(entry, list) and len(entry) == 3 and all(isinstance(word, str) for word in entry)
            for entry in entries
        )
        for entries in lists
    )


def _are_scripts(found: Any) -> bool:
    """Return whether `found`, read from a file, is a list of init scripts: [number, string, string]."""
    return isinstance(found, list) and all(
        isinstance(entry, list) and [type(word) for word in entry] == [int, str, str] for entry in found
    )


def _are_documents(found: Any) -> bool:
    """Return whether `found` (a value read from a file) is a list of documents that `load-html` showed.

    Each is [`file:` URL, text or null].
    """
    return isinstance(found, list) and all(
        isinstance(entry, list)
        and len(entry) == 2
        and isinstance(entry[0], str)
        and entry[0].startswith("file:///")
        and isinstance(entry[1], str | None)
        for entry in found
    )


def _is_tab(tab: Any) -> bool:
    """Return whether the fields of a tab, read from a file, have the right types."""
    words = (tab.url, tab.origin, tab.name, *tab.items.values()) if isinstance(tab.items, dict) else (None,)
    numbers = (tab.id, *tab.following)
    return (
        len(numbers) == 3
        and all(type(number) is int and 0 < number < 2**40 for number in numbers)
        and all(isinstance(word, str) for word in words)
    )


def is_empty(state: ContextState) -> bool:
    """Return whether a state has no tab, cookie or storage."""
    is_blank = all(tab.url in ("", "about:blank") for tab in state.tabs)
    has_storage = state.storage.get("cookies") or state.storage.get("origins")
    return is_blank and not has_storage and all(is_empty(inner) for inner in state.contexts.values())
