"""The keys of cookie values: requested once per browser, kept in memory for the daemon's life only.

They are requested only when a chosen cookie needs one, so that no Keychain dialog appears for nothing.
"""

from collections.abc import Set
from dataclasses import dataclass, field

from gstack_browse.cookies import decrypt
from gstack_browse.cookies.decrypt import V10, V11
from gstack_browse.cookies.stores.failures import NoKey
from gstack_browse.cookies.stores.places import MAC, Browser, Machine

_NO_KEYRING = (
    "Run this in your desktop session: over ssh or in a container its D-Bus and keyring are out of reach"
)


@dataclass
class FoundKeys:
    """Keys by tag; `missing` says why a requested one is not among them."""

    keys: dict[bytes, list[bytes]] = field(default_factory=dict)
    missing: NoKey | None = None


class KeyStore:
    """The keys of this machine's browsers. Blocks while it requests one; use it from one thread at a time."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._cache: dict[str, list[bytes]] = {}

    def find(self, browser: Browser, tags: Set[bytes]) -> FoundKeys:
        """Return the keys for the tags that occur among a browser's cookies."""
        if self._machine.system == MAC:
            return self._get_cached(browser, V10) if V10 in tags else FoundKeys()
        found = self._get_cached(browser, V11) if V11 in tags else FoundKeys()
        found.keys[V10] = decrypt.derive_fixed_linux_keys()
        return found

    def _get_cached(self, browser: Browser, tag: bytes) -> FoundKeys:
        """Return a browser's keys under `tag`, requesting them the first time."""
        if browser.id not in self._cache:
            try:
                self._cache[browser.id] = self._request_keys(browser)
            except NoKey as why:
                return FoundKeys(missing=why)
        return FoundKeys({tag: self._cache[browser.id]})

    def _request_keys(self, browser: Browser) -> list[bytes]:
        """Request a browser's keys from the system. Raises NoKey.

        Each system's library is imported only on that system.
        """
        if self._machine.system == MAC:
            from gstack_browse.cookies.stores import keychain

            return [decrypt.derive_mac_key(keychain.read_password(browser.keychain))]
        from gstack_browse.cookies.stores import kwallet, secret_service

        secrets = secret_service.read_secrets(browser.applications) or kwallet.read_secrets(browser.keychain)
        if not secrets:
            raise NoKey(f"no keyring that can be reached holds a key of {browser.name}", _NO_KEYRING)
        return [decrypt.derive_linux_key(secret) for secret in (*secrets, b"")]
