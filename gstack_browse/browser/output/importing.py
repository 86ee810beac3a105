"""Brings cookies of the user's own browsers into this one, and remembers whose they are.

Blocking work (files, keyring) is done in threads. Which cookies are wanted is the caller's to say.
"""

import asyncio
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from gstack_browse.browser.tabs.session import BrowserSession
from gstack_browse.cookies.records import DatabaseContents, Skip, StoredCookie
from gstack_browse.cookies.stores import gather, profiles
from gstack_browse.cookies.stores.failures import NoKey
from gstack_browse.cookies.stores.keys import KeyStore
from gstack_browse.cookies.stores.places import Browser, detect_machine
from gstack_browse.cookies.stores.profiles import Profile


@dataclass
class Outcome:
    """What an import did: cookies by host, how many were left out and why, and what hindered their decryption."""

    imported: Counter[str] = field(default_factory=Counter)
    skipped: Counter[Skip] = field(default_factory=Counter)
    missing: NoKey | None = None


class Importer:
    """Reads cookies of the user's browsers for one session. A key is asked for once and kept as long as the importer."""

    def __init__(self) -> None:
        self._machine = detect_machine(sys.platform)
        self._keys = KeyStore(self._machine)
        self._one_at_a_time = asyncio.Lock()

    async def profiles(self, browser: Browser | None = None) -> list[Profile]:
        """Profiles with a cookie database, of all browsers or of one."""
        return await asyncio.to_thread(profiles.list_profiles, self._machine, browser)

    async def contents(self, profile: Profile) -> DatabaseContents:
        """What a profile's database holds, still encrypted. Raises Unreadable."""
        return await asyncio.to_thread(gather.read_profile, profile)

    async def bring(
        self,
        session: BrowserSession,
        profile: Profile,
        contents: DatabaseContents,
        wanted: Callable[[StoredCookie], bool],
        sites: Sequence[str] = (),
    ) -> Outcome:
        """Import the wanted cookies. `sites` are the domains the user named, on which scripts may then run."""
        async with self._one_at_a_time:
            gathered = await asyncio.to_thread(gather.gather_cookies, profile, contents, wanted, self._keys)
            rejected = await session.current.jar.add(gathered.cookies)
        taken = Counter(cookie.host.lstrip(".") for cookie in gathered.cookies)
        taken.subtract(cookie.host.lstrip(".") for cookie in rejected)
        outcome = Outcome(+taken, gathered.skipped, gathered.missing)
        outcome.skipped[Skip.REJECTED] += len(rejected)
        if outcome.imported:
            session.imported |= {*sites, *outcome.imported}
        return outcome


_importers: WeakKeyDictionary[BrowserSession, Importer] = WeakKeyDictionary()


def importer(session: BrowserSession) -> Importer:
    """The importer of a session."""
    if session not in _importers:
        _importers[session] = Importer()
    return _importers[session]
