"""Serves the picker's page and does what is clicked on it. Who may talk to it is decided in `guard`."""

import asyncio
import os
import shutil
import sys
from collections.abc import Awaitable, Callable, Sequence
from importlib import resources
from typing import TypeGuard
from weakref import WeakKeyDictionary

import orjson
from aiohttp import web

from gstack_browse.browser.output import cookies
from gstack_browse.browser.output.importing import Importer, Outcome
from gstack_browse.browser.tabs.session import BrowserSession
from gstack_browse.cookies.records import StoredCookie, by_domain
from gstack_browse.cookies.stores.failures import Unreadable
from gstack_browse.cookies.stores.profiles import Profile
from gstack_browse.picker.guard import HEADERS, Guard

OPEN_SECONDS = 600.0
"""How long the page stays open when nobody presses Done."""
MOST_BODY_BYTES = 1 << 20

_PAGES = {"": ("index.html", "text/html"), "style.css": ("style.css", "text/css"),
          "script.js": ("script.js", "text/javascript")}  # fmt: skip
_CLOSE_SECONDS = 1.0

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

_open: WeakKeyDictionary[BrowserSession, "Picker"] = WeakKeyDictionary()


async def open_picker(session: BrowserSession, importer: Importer, profiles: Sequence[Profile]) -> str:
    """Open the page, closing an earlier one of this session, and say where it is."""
    if earlier := _open.pop(session, None):
        await earlier.close()
    picker = _open[session] = Picker(session, importer, profiles)
    address = await picker.listen()
    shown = await _show(address)
    return (
        f"Cookie picker: {address}\n"
        f"→ {'a browser was asked to open it; otherwise open' if shown else 'open'} it in your own browser, choose the "
        f"sites, press Done. It works once and closes after {OPEN_SECONDS / 60:.0f} minutes\n"
        "→ without a browser: cookie-import-browser --list, then cookie-import-browser --domain <site>"
    )


class Picker:
    """One page, for one visitor, until Done or ten minutes later."""

    def __init__(self, session: BrowserSession, importer: Importer, profiles: Sequence[Profile]) -> None:
        self._session = session
        self._importer = importer
        self._profiles = profiles
        self._guard = Guard()
        self._runner = web.AppRunner(self._application(), access_log=None, shutdown_timeout=_CLOSE_SECONDS)
        self._timer: asyncio.TimerHandle | None = None
        self._closing: asyncio.Task[None] | None = None

    async def listen(self) -> str:
        """Listen on a free port of 127.0.0.1. Returns the address to open."""
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self._guard.port = self._runner.addresses[0][1]
        self._timer = asyncio.get_running_loop().call_later(OPEN_SECONDS, self.end)
        self._session.visited.add(self)
        return self._guard.address

    async def close(self) -> None:
        """Stop listening."""
        if self._timer:
            self._timer.cancel()
        self._session.visited.discard(self)
        if _open.get(self._session) is self:
            del _open[self._session]
        await self._runner.cleanup()

    def end(self) -> None:
        """Close in the background, after the answers under way."""
        self._closing = self._closing or asyncio.get_running_loop().create_task(self.close())

    def _application(self) -> web.Application:
        application = web.Application(middlewares=[self._checked], client_max_size=MOST_BODY_BYTES)
        path = self._guard.path
        application.add_routes(
            [
                web.get(path, self._page),
                web.get(path + "{name:style.css|script.js}", self._page),
                web.get(path + "profiles", self._list_profiles),
                web.get(path + "profiles/{number:[0-9]{1,3}}", self._list_domains),
                web.get(path + "imported", self._list_imported),
                web.post(path + "import", self._import),
                web.post(path + "remove", self._remove),
                web.post(path + "done", self._done),
            ]
        )
        return application

    @web.middleware
    async def _checked(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Every answer has the protecting headers, also one that refuses."""
        try:
            self._guard.check(request)
            if request.path != self._guard.path:
                self._guard.check_session(request)
            response = await handler(request)
        except web.HTTPException as error:
            response = web.Response(status=error.status, text=error.text)
        response.headers.update(HEADERS)
        return response

    async def _page(self, request: web.Request) -> web.Response:
        name, kind = _PAGES[request.match_info.get("name", "")]
        text = resources.files("gstack_browse.picker").joinpath("page", name).read_text("utf-8")
        response = web.Response(text=text, content_type=kind, charset="utf-8")
        if name == "index.html":
            self._guard.admit(request, response)
        return response

    async def _list_profiles(self, request: web.Request) -> web.Response:
        return _json(
            [{"browser": profile.browser.name, "profile": profile.shown} for profile in self._profiles]
        )

    async def _list_domains(self, request: web.Request) -> web.Response:
        number = int(request.match_info["number"])
        if number >= len(self._profiles):
            raise web.HTTPNotFound(text="no such profile")
        try:
            contents = await self._importer.contents(self._profiles[number])
        except Unreadable as why:
            return _json({"problem": str(why), "domains": []})
        return _json({"domains": [(item.host, item.cookies) for item in by_domain(contents.cookies)]})

    async def _list_imported(self, request: web.Request) -> web.Response:
        return _json(list((await cookies.counts(self._session)).items()))

    async def _import(self, request: web.Request) -> web.Response:
        asked = await _body(request)
        number, hosts = asked.get("profile"), asked.get("domains")
        if not isinstance(number, int) or not 0 <= number < len(self._profiles) or not _are_words(hosts):
            raise web.HTTPBadRequest(text="not understood")
        profile, wanted = self._profiles[number], frozenset(hosts)

        def is_wanted(cookie: StoredCookie) -> bool:
            return cookie.host.lstrip(".") in wanted

        try:
            contents = await self._importer.contents(profile)
        except Unreadable as why:
            return _json({"said": f"{profile.title} could not be read: {why}", "imported": 0})
        outcome = await self._importer.bring(self._session, profile, contents, is_wanted)
        return _json({"said": _said(outcome), "imported": outcome.imported.total()})

    async def _remove(self, request: web.Request) -> web.Response:
        host = (await _body(request)).get("domain")
        if not isinstance(host, str) or host not in await cookies.counts(self._session):
            raise web.HTTPBadRequest(text="not understood")
        count = await cookies.remove(self._session, host)
        return _json({"said": f"Removed {_cookies(count)} of {host}"})

    async def _done(self, request: web.Request) -> web.Response:
        asyncio.get_running_loop().call_soon(self.end)
        return _json({"said": "Done"})


def _json(content: object) -> web.Response:
    return web.Response(body=orjson.dumps(content), content_type="application/json")


async def _body(request: web.Request) -> dict[str, object]:
    try:
        found = orjson.loads(await request.read())
    except orjson.JSONDecodeError:
        raise web.HTTPBadRequest(text="not understood") from None
    return found if isinstance(found, dict) else {}


def _are_words(found: object) -> TypeGuard[list[str]]:
    return isinstance(found, list) and all(isinstance(word, str) for word in found)


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


async def _show(address: str) -> bool:
    """Ask the desktop to open the address. False where there is none.

    Other users may see the address in the list of processes for a moment; `guard` does not let them in.
    """
    desktop = sys.platform == "darwin" or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    opener = shutil.which("open" if sys.platform == "darwin" else "xdg-open")
    if not desktop or not opener:
        return False
    null = asyncio.subprocess.DEVNULL
    process = await asyncio.create_subprocess_exec(
        opener, address, stdin=null, stdout=null, stderr=null, start_new_session=True
    )
    waiting = asyncio.get_running_loop().create_task(process.wait())
    _openers.add(waiting)
    waiting.add_done_callback(_openers.discard)
    return True


_openers: set[asyncio.Task[int]] = set()
