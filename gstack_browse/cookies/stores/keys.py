"""The keys of cookie values: one request per browser, kept in memory for the daemon's life, never anywhere else.

Asked for only when a wanted cookie needs one, so that nobody is shown a Keychain dialog for nothing.
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
class Found:
    """Keys by tag; `missing` says why one that was asked for is not among them."""

    keys: dict[bytes, list[bytes]] = field(default_factory=dict)
    missing: NoKey | None = None


class Keys:
    """Keys of the browsers of one machine. Blocks while it asks; safe to use from one thread at a time."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._kept: dict[str, list[bytes]] = {}

    def find(self, browser: Browser, tags: Set[bytes]) -> Found:
        """Keys for the tags that occur among a browser's cookies."""
        if self._machine.system == MAC:
            return self._asked(browser, V10) if V10 in tags else Found()
        found = self._asked(browser, V11) if V11 in tags else Found()
        found.keys[V10] = decrypt.fixed_linux_keys()
        return found

    def _asked(self, browser: Browser, tag: bytes) -> Found:
        if browser.id not in self._kept:
            try:
                self._kept[browser.id] = self._ask(browser)
            except NoKey as why:
                return Found(missing=why)
        return Found({tag: self._kept[browser.id]})

    def _ask(self, browser: Browser) -> list[bytes]:
        """Raises NoKey. Each system's own library is loaded only there."""
        if self._machine.system == MAC:
            from gstack_browse.cookies.stores import keychain

            return [decrypt.mac_key(keychain.password(browser.keychain))]
        from gstack_browse.cookies.stores import kwallet, secret_service

        secrets = secret_service.secrets(browser.applications) or kwallet.secrets(browser.keychain)
        if not secrets:
            raise NoKey(f"no keyring that can be reached holds a key of {browser.name}", _NO_KEYRING)
        return [decrypt.linux_key(secret) for secret in (*secrets, b"")]
