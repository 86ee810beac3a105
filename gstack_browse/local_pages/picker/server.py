"""Serve the page on which a person chooses which cookies of other browsers to import, and do so."""

import asyncio
from collections.abc import Sequence
from weakref import WeakKeyDictionary

from aiohttp import web

from gstack_browse.browser.context.open_context import OpenContext
from gstack_browse.browser.reading import storage
from gstack_browse.browser.reading.cookie_import import Importer, ImportResult
from gstack_browse.cookies.records import StoredCookie, count_by_domain
from gstack_browse.cookies.stores.profiles import Profile, Unreadable
from gstack_browse.local_pages.loopback import server
from gstack_browse.local_pages.loopback.server import (
    Guard,
    LoopbackPage,
    is_list_of_strings,
    json_response,
    read_json,
)
from gstack_browse.text.units import format_count

OPEN_SECONDS = 600.0
"""How long the page stays open unless the person presses Done."""

_open: WeakKeyDictionary[OpenContext, "Picker"] = WeakKeyDictionary()


async def open_picker(browser: OpenContext, importer: Importer, profiles: Sequence[Profile]) -> str:
    """Serve the page that imports other browsers' cookies into a context; an earlier one is closed.

    Return the reply's text.
    """
    if earlier := _open.pop(browser, None):
        await earlier.page.close()
    picker = _open[browser] = Picker(browser, importer, profiles)
    browser.visited.add(picker)
    address = await picker.page.listen()
    shown = await server.open_in_desktop_browser(address)
    return (
        f"Cookie picker: {address}\n"
        f"→ {'a browser was asked to open it; otherwise open' if shown else 'open'} it in your own browser, choose the "
        f"sites, press Done. It works once and closes after {OPEN_SECONDS / 60:.0f} minutes\n"
        f"→ {server.describe_tunnel(address)}\n"
        "→ without a browser: cookie-import-browser --list, then cookie-import-browser --domain <site>"
    )


class Picker:
    """The state of one picker page, until Done or ten minutes later."""

    def __init__(self, browser: OpenContext, importer: Importer, profiles: Sequence[Profile]) -> None:
        self._browser = browser
        self._importer = importer
        self._profiles = profiles
        self.page = LoopbackPage(
            "gstack_browse.local_pages.picker",
            ("style.css", "script.js"),
            self._routes(),
            guard=Guard("picker", "cookie-import-browser"),
            seconds=OPEN_SECONDS,
            on_close=self._on_closed,
        )

    def _on_closed(self) -> None:
        """Forget the page once it is closed."""
        self._browser.visited.discard(self)
        if _open.get(self._browser) is self:
            del _open[self._browser]

    def _routes(self) -> list[web.RouteDef]:
        """Return the routes of the page's requests, relative to its secret path."""
        return [
            web.get("profiles", self._list_profiles),
            web.get("profiles/{number:[0-9]{1,3}}", self._list_domains),
            web.get("imported", self._list_imported),
            web.post("import", self._import_cookies),
            web.post("remove", self._remove_cookies),
            web.post("done", self._finish),
        ]

    async def _list_profiles(self, request: web.Request) -> web.Response:
        """Reply to the page with the profiles of the browsers on this machine."""
        return json_response(
            [{"browser": profile.browser.name, "profile": profile.label} for profile in self._profiles]
        )

    async def _list_domains(self, request: web.Request) -> web.Response:
        """Reply to the page with a profile's domains and their numbers of cookies, or why it cannot be read."""
        number = int(request.match_info["number"])
        if number >= len(self._profiles):
            raise web.HTTPNotFound(text="no such profile")
        try:
            contents = await self._importer.read_contents(self._profiles[number])
        except Unreadable as why:
            return json_response({"problem": str(why), "domains": []})
        return json_response(
            {"domains": [(item.host, item.cookies) for item in count_by_domain(contents.cookies)]}
        )

    async def _list_imported(self, request: web.Request) -> web.Response:
        """Reply to the page with each domain of imported cookies and their number."""
        return json_response(list((await storage.count_imported_cookies(self._browser)).items()))

    async def _import_cookies(self, request: web.Request) -> web.Response:
        """Import a profile's cookies of the domains in the request into the context. Reply with what was done."""
        choice = await read_json(request)
        number, hosts = choice.get("profile"), choice.get("domains")
        if (
            not isinstance(number, int)
            or not 0 <= number < len(self._profiles)
            or not is_list_of_strings(hosts)
        ):
            raise web.HTTPBadRequest(text="not understood")
        profile, wanted = self._profiles[number], frozenset(hosts)

        def is_wanted(cookie: StoredCookie) -> bool:
            return cookie.host.lstrip(".") in wanted

        try:
            contents = await self._importer.read_contents(profile)
        except Unreadable as why:
            return json_response({"message": f"{profile.title} could not be read: {why}", "imported": 0})
        outcome = await self._importer.import_cookies(self._browser, profile, contents, is_wanted)
        return json_response({"message": _describe_outcome(outcome), "imported": outcome.imported.total()})

    async def _remove_cookies(self, request: web.Request) -> web.Response:
        """Remove the imported cookies of the domain in the request from the context. Reply with their number."""
        host = (await read_json(request)).get("domain")
        if not isinstance(host, str) or host not in await storage.count_imported_cookies(self._browser):
            raise web.HTTPBadRequest(text="not understood")
        count = await storage.remove_cookies_of_host(self._browser, host)
        return json_response({"message": f"Removed {format_count(count, 'cookie')} of {host}"})

    async def _finish(self, request: web.Request) -> web.Response:
        """Close the page once this reply is sent: the person has pressed Done."""
        asyncio.get_running_loop().call_soon(self.page.close_in_background)
        return json_response({"message": "Done"})


def _describe_outcome(outcome: ImportResult) -> str:
    """Describe an import for people: `Imported 12 cookies; skipped 2 expired`."""
    parts = [f"Imported {format_count(outcome.imported.total(), 'cookie')}"]
    if skipped := +outcome.skipped:
        parts.append("skipped " + ", ".join(f"{count} {reason}" for reason, count in skipped.most_common()))
    if outcome.missing:
        parts.append(outcome.missing.describe())
    return "; ".join(parts)
