"""List and change cookies and storage, and import cookies of the person's own browsers."""

import asyncio
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

from gstack_browse.browser.devtools.page import Frame
from gstack_browse.browser.engine.messages import FrameGone, evaluate
from gstack_browse.browser.session.session import BrowserSession
from gstack_browse.cookies import records
from gstack_browse.cookies.records import DatabaseContents, Skip, StoredCookie
from gstack_browse.cookies.stores import database, profiles
from gstack_browse.cookies.stores.keys import KeyStore
from gstack_browse.cookies.stores.profiles import Browser, NoKey, Profile, detect_machine
from gstack_browse.errors import ActionFailed, Refused

if TYPE_CHECKING:
    from gstack_browse.browser.command.page import PageSession
    from gstack_browse.browser.state.cookie_jar import CookieJar

PHASES = ("dns", "tcp", "ssl", "ttfb", "download", "domParse", "domReady", "load")


async def list_items(page: "PageSession") -> dict[str, dict[str, str]]:
    """Return the items of `localStorage` and `sessionStorage`. Raises ActionFailed without storage."""
    found: dict[str, dict[str, str]] | None = await page.world.call("storage", frame=page.frame)
    if found is None:
        raise ActionFailed("This page may not have any storage", "Run 'goto <url>' first")
    return found


async def set_item(page: "PageSession", key: str, value: str, *, session: bool = False) -> None:
    """Set an item of the local or session storage, and verify it. Raises ActionFailed with the reason."""
    problem: str = await page.world.call("setItem", session, key, value, frame=page.frame)
    if problem:
        raise ActionFailed(f"The {_storage_name(session=session)} storage did not take the item: {problem}")


async def remove_items(page: "PageSession", key: str | None, *, session: bool = False) -> int:
    """Remove an item, or all for None. Return how many there were. Raises ActionFailed with the reason."""
    found: dict[str, Any] = await page.world.call("removeItems", session, key, frame=page.frame)
    if problem := found["problem"]:
        raise ActionFailed(
            f"The {_storage_name(session=session)} storage cannot be changed: {problem}",
            "Run 'goto <url>' first",
        )
    return int(found["count"])


def _storage_name(*, session: bool) -> str:
    """Return the name of the storage in messages: "session" or "local"."""
    return "session" if session else "local"


async def navigation_timing(page: "PageSession") -> dict[str, int | None]:
    """Return milliseconds of each of PHASES; None for those to come.

    Raises ActionFailed without a navigation.
    """
    found: dict[str, int | None] | None = await page.world.call("navigationTiming", frame=page.frame)
    if found is None:
        raise ActionFailed("This page was not navigated to, so there is nothing to time", "Run 'goto <url>'")
    return found


async def count_imported(session: "BrowserSession") -> dict[str, int]:
    """Count the browser's cookies for each host of the imported domains."""
    hosts = [_cookie_host(cookie) for cookie in await session.current.jar.cookies()]
    return dict(sorted(Counter(host for host in hosts if records.is_below_any(session.imported, host)).items()))


async def remove(session: "BrowserSession", host: str) -> int:
    """Remove a host's cookies, and forget it as imported. Return how many there were."""
    jar = session.current.jar
    cookies = [cookie for cookie in await jar.cookies() if _cookie_host(cookie) == host]
    await jar.remove(cookies)
    session.imported.discard(host)
    return len(cookies)


async def list_of_site(jar: "CookieJar", site: str) -> list[dict[str, Any]]:
    """List the cookies that belong to a site; all for ""."""
    found = await jar.cookies()
    return [cookie for cookie in found if not site or records.is_cookie_of_site(cookie["domain"], site)]


def _cookie_host(cookie: Mapping[str, Any]) -> str:
    """Return a cookie's host without the dot."""
    return str(cookie["domain"]).lstrip(".")


# ── scripts ──────────────────────────────────────────────────────────────────────────────────────────────────


async def check_script_allowed(page: "PageSession", frames: Iterable[Frame] = ()) -> None:
    """Raise Refused if a script may not run in the tab.

    Since cookies were imported, a page that persuades its reader to run a script could use it against another
    site's login. So scripts run only on pages of imported domains, and on pages that have no cookies at all. The
    frames it runs in count as well as the page.
    """
    if not page.session.imported:
        return
    for frame in {page.tab.page.main_frame, page.frame, *frames}:
        if not await _is_script_allowed(page, frame):
            host = urlsplit(await script_origin(page, frame)).hostname or "this page"
            raise Refused(
                f"Scripts do not run on {host}: cookies were imported for other sites, and it is none of them",
                "If the user wants this script to run here, repeat it with --any-origin",
            )


async def script_origin(page: "PageSession", frame: Frame) -> str:
    """Return the origin of a frame's scripts: at about:blank, that of its opener."""
    try:
        context = await page.world.frames.context_of(frame)
        answer = await evaluate(context, "self.origin", by_value=True)
    except FrameGone:
        return frame.url
    return str(answer.get("value", ""))


async def _is_script_allowed(page: "PageSession", frame: Frame) -> bool:
    """Return whether a frame has an imported origin, or no cookies."""
    origin = await script_origin(page, frame)
    host = urlsplit(origin).hostname
    if host is None:
        return True  # an opaque origin (a file, a sandboxed frame) has no cookies
    if records.is_below_any(page.session.imported, f"[{host}]" if ":" in host else host):
        return True
    urls = [origin, frame.url] if frame.url.startswith("http") else [origin]
    return not await page.session.current.jar.cookies(urls)


@dataclass
class ImportResult:
    """Result of an import: imported cookies by host, skipped ones by reason, a missing key."""

    imported: Counter[str] = field(default_factory=Counter)
    skipped: Counter[Skip] = field(default_factory=Counter)
    missing: NoKey | None = None


class Importer:
    """Imports cookies for one session. A key is requested once, and kept as long as the importer."""

    def __init__(self) -> None:
        self._machine = detect_machine(sys.platform)
        self._keys = KeyStore(self._machine)
        self._one_at_a_time = asyncio.Lock()

    async def list_profiles(self, browser: Browser | None = None) -> list[Profile]:
        """List profiles with a cookie database, of all browsers or of one."""
        return await asyncio.to_thread(profiles.list_profiles, self._machine, browser)

    async def read_contents(self, profile: Profile) -> DatabaseContents:
        """Read a profile's database, still encrypted. Raises Unreadable."""
        return await asyncio.to_thread(database.read_profile, profile)

    async def import_cookies(
        self,
        session: BrowserSession,
        profile: Profile,
        contents: DatabaseContents,
        is_wanted: Callable[[StoredCookie], bool],
        sites: Sequence[str] = (),
    ) -> ImportResult:
        """Import the wanted cookies. `sites`: domains that the user named, on which scripts may then run."""
        async with self._one_at_a_time:
            gathered = await asyncio.to_thread(
                database.gather_cookies, profile, contents, is_wanted, self._keys
            )
            before = set(session.imported)
            session.imported |= {cookie.host.lstrip(".") for cookie in gathered.cookies}  # nobody attaches
            await session.before_import()
            rejected = await session.current.jar.add(gathered.cookies)
        imported = Counter(cookie.host.lstrip(".") for cookie in gathered.cookies)
        imported.subtract(cookie.host.lstrip(".") for cookie in rejected)
        result = ImportResult(+imported, gathered.skipped, gathered.missing)
        result.skipped[Skip.REJECTED] += len(rejected)
        session.imported = before | ({*sites, *result.imported} if result.imported else set())
        return result


_importers: WeakKeyDictionary[BrowserSession, Importer] = WeakKeyDictionary()


def get_importer(session: BrowserSession) -> Importer:
    """Return the importer of a session."""
    if session not in _importers:
        _importers[session] = Importer()
    return _importers[session]
