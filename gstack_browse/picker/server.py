"""The page on which a person chooses what to import, and what is done when they click there."""

import asyncio
from collections.abc import Sequence
from weakref import WeakKeyDictionary

from aiohttp import web

from gstack_browse.browser.output import cookies
from gstack_browse.browser.output.importing import Importer, Outcome
from gstack_browse.browser.tabs.session import BrowserSession
from gstack_browse.cookies.records import StoredCookie, count_by_domain
from gstack_browse.cookies.stores.failures import Unreadable
from gstack_browse.cookies.stores.profiles import Profile
from gstack_browse.loopback import desktop
from gstack_browse.loopback.guard import Guard
from gstack_browse.loopback.server import LoopbackPage, are_words, as_json, body_of

OPEN_SECONDS = 600.0
"""How long the page stays open when nobody presses Done."""

_open: WeakKeyDictionary[BrowserSession, "Picker"] = WeakKeyDictionary()


async def open_picker(session: BrowserSession, importer: Importer, profiles: Sequence[Profile]) -> str:
    """Open the page, closing an earlier one of this session, and say where it is."""
    if earlier := _open.pop(session, None):
        await earlier.page.close()
    picker = _open[session] = Picker(session, importer, profiles)
    session.visited.add(picker)
    address = await picker.page.listen()
    shown = await desktop.show(address)
    return (
        f"Cookie picker: {address}\n"
        f"→ {'a browser was asked to open it; otherwise open' if shown else 'open'} it in your own browser, choose the "
        f"sites, press Done. It works once and closes after {OPEN_SECONDS / 60:.0f} minutes\n"
        f"→ {desktop.from_elsewhere(address)}\n"
        "→ without a browser: cookie-import-browser --list, then cookie-import-browser --domain <site>"
    )


class Picker:
    """What one visitor may see and do, until Done or ten minutes later."""

    def __init__(self, session: BrowserSession, importer: Importer, profiles: Sequence[Profile]) -> None:
        self._session = session
        self._importer = importer
        self._profiles = profiles
        self.page = LoopbackPage(
            "gstack_browse.picker",
            ("style.css", "script.js"),
            self._routes(),
            guard=Guard("picker", "cookie-import-browser"),
            seconds=OPEN_SECONDS,
            closed=self._closed,
        )

    def _closed(self) -> None:
        self._session.visited.discard(self)
        if _open.get(self._session) is self:
            del _open[self._session]

    def _routes(self) -> list[web.RouteDef]:
        return [
            web.get("profiles", self._list_profiles),
            web.get("profiles/{number:[0-9]{1,3}}", self._list_domains),
            web.get("imported", self._list_imported),
            web.post("import", self._import),
            web.post("remove", self._remove),
            web.post("done", self._done),
        ]

    async def _list_profiles(self, request: web.Request) -> web.Response:
        return as_json(
            [{"browser": profile.browser.name, "profile": profile.label} for profile in self._profiles]
        )

    async def _list_domains(self, request: web.Request) -> web.Response:
        number = int(request.match_info["number"])
        if number >= len(self._profiles):
            raise web.HTTPNotFound(text="no such profile")
        try:
            contents = await self._importer.contents(self._profiles[number])
        except Unreadable as why:
            return as_json({"problem": str(why), "domains": []})
        return as_json({"domains": [(item.host, item.cookies) for item in count_by_domain(contents.cookies)]})

    async def _list_imported(self, request: web.Request) -> web.Response:
        return as_json(list((await cookies.counts(self._session)).items()))

    async def _import(self, request: web.Request) -> web.Response:
        asked = await body_of(request)
        number, hosts = asked.get("profile"), asked.get("domains")
        if not isinstance(number, int) or not 0 <= number < len(self._profiles) or not are_words(hosts):
            raise web.HTTPBadRequest(text="not understood")
        profile, wanted = self._profiles[number], frozenset(hosts)

        def is_wanted(cookie: StoredCookie) -> bool:
            return cookie.host.lstrip(".") in wanted

        try:
            contents = await self._importer.contents(profile)
        except Unreadable as why:
            return as_json({"said": f"{profile.title} could not be read: {why}", "imported": 0})
        outcome = await self._importer.bring(self._session, profile, contents, is_wanted)
        return as_json({"said": _said(outcome), "imported": outcome.imported.total()})

    async def _remove(self, request: web.Request) -> web.Response:
        host = (await body_of(request)).get("domain")
        if not isinstance(host, str) or host not in await cookies.counts(self._session):
            raise web.HTTPBadRequest(text="not understood")
        count = await cookies.remove(self._session, host)
        return as_json({"said": f"Removed {_cookies(count)} of {host}"})

    async def _done(self, request: web.Request) -> web.Response:
        asyncio.get_running_loop().call_soon(self.page.end)
        return as_json({"said": "Done"})


def _cookies(count: int) -> str:
    return f"{count} cookie{'' if count == 1 else 's'}"


def _said(outcome: Outcome) -> str:
    """`Imported 12 cookies; skipped 2 expired`."""
    parts = [f"Imported {_cookies(outcome.imported.total())}"]
    if skipped := +outcome.skipped:
        parts.append("skipped " + ", ".join(f"{count} {reason}" for reason, count in skipped.most_common()))
    if outcome.missing:
        parts.append(f"{outcome.missing}. {outcome.missing.advice}")
    return "; ".join(parts)
