"""Import cookies of the person's other browsers into a context."""

import asyncio
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from gstack_browse.browser.context.open_context import OpenContext
from gstack_browse.cookies.records import Cookie, DatabaseContents, Skip, StoredCookie
from gstack_browse.cookies.stores import database, profiles
from gstack_browse.cookies.stores.keys import KeyStore
from gstack_browse.cookies.stores.profiles import Browser, NoKey, Profile, detect_machine


@dataclass
class ImportResult:
    """Result of an import: imported cookies by host, skipped ones by reason, a missing key."""

    imported: Counter[str] = field(default_factory=Counter)
    skipped: Counter[Skip] = field(default_factory=Counter)
    missing: NoKey | None = None


class Importer:
    """Imports cookies into one context. Asks the system for each browser's decryption key once."""

    def __init__(self) -> None:
        self._machine = detect_machine(sys.platform)
        self._keys = KeyStore(self._machine)
        self._one_at_a_time = asyncio.Lock()

    async def list_profiles(self, browser: Browser | None = None) -> list[Profile]:
        """List the profiles of the person's browsers that have a cookie database. `browser`: None for all."""
        return await asyncio.to_thread(profiles.list_profiles, self._machine, browser)

    async def read_contents(self, profile: Profile) -> DatabaseContents:
        """Read a profile's cookie database, without decrypting it. Raises Unreadable."""
        return await asyncio.to_thread(database.read_profile, profile)

    async def import_cookies(
        self,
        browser: OpenContext,
        profile: Profile,
        contents: DatabaseContents,
        is_wanted: Callable[[StoredCookie], bool],
        sites: Sequence[str] = (),
    ) -> ImportResult:
        """Decrypt the wanted cookies of a browser's profile, and set them in the context.

        `contents`: from `read_contents`. `sites`: domains that the user named; scripts may run on them after the import: see
        `check_script_allowed`.
        """
        async with self._one_at_a_time:
            gathered = await asyncio.to_thread(
                database.gather_cookies, profile, contents, is_wanted, self._keys
            )
            before = set(browser.imported)
            rejected: Sequence[Cookie] = []
            if gathered.cookies:
                browser.imported |= {cookie.host.lstrip(".") for cookie in gathered.cookies}  # nobody attaches
                await browser.before_import()
                rejected = await browser.current.jar.add(gathered.cookies)
        imported = Counter(cookie.host.lstrip(".") for cookie in gathered.cookies)
        imported.subtract(cookie.host.lstrip(".") for cookie in rejected)
        result = ImportResult(+imported, gathered.skipped, gathered.missing)
        result.skipped[Skip.REJECTED] += len(rejected)
        browser.imported = before | ({*sites, *result.imported} if result.imported else set())
        return result


_importers: WeakKeyDictionary[OpenContext, Importer] = WeakKeyDictionary()


def get_importer(browser: OpenContext) -> Importer:
    """Return the importer of a context; make it if missing."""
    if browser not in _importers:
        _importers[browser] = Importer()
    return _importers[browser]
