"""Serves one page of ours to one visitor. `guard` decides who may talk to the page; the subclass decides what the page does."""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Iterable
from importlib import resources
from typing import TypeGuard

import orjson
from aiohttp import web

from gstack_browse.loopback.guard import HEADERS, Guard, PageSecrets

MOST_BODY_BYTES = 1 << 20

_SHARED = ("look.css", "ask.js")
"""What all pages have: colours and controls; questions to the server."""
_KINDS = {"html": "text/html", "css": "text/css", "js": "text/javascript"}
_CLOSE_SECONDS = 1.0
_BEAT_SECONDS = 20.0
"""How often a window is asked whether it is still there: a tunnel may have broken."""

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class LoopbackPage:
    """A page on a free port of 127.0.0.1, until it is closed or `seconds` have passed.

    `package` has the page's files in its folder `page`: `index`, which has the address, and `files`. The paths of `routes` are relative to the page.
    `closed` is called once, when nobody can reach the page any more; `seen`, where it is given, when a visitor comes (True), and when
    the last window with the page has gone (False). The time does not pass while one is there. `sent` is called when a window is given
    the page: it is seen once its script runs, if it has not been closed by then.
    """

    def __init__(
        self,
        package: str,
        files: Iterable[str],
        routes: Iterable[web.RouteDef],
        *,
        index: str = "index.html",
        guard: Guard,
        seconds: float,
        closed: Callable[[], None],
        seen: Callable[[bool], None] | None = None,
        sent: Callable[[], None] = lambda: None,
    ) -> None:
        self._guard = guard
        self._index_name = index
        self._seconds = seconds
        self._closed = closed
        self._seen = seen
        self._sent = sent
        self._windows: set[web.WebSocketResponse] = set()
        shared = dict.fromkeys(_SHARED, "gstack_browse.loopback")
        self._files = shared | dict.fromkeys((index, *files), package)
        self._runner = web.AppRunner(
            self._application(routes), access_log=None, shutdown_timeout=_CLOSE_SECONDS
        )
        self._listening: socket.socket | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._closing: asyncio.Task[None] | None = None
        self.is_open = False

    async def listen(self, listening: socket.socket | None = None) -> str:
        """Listen on a free port of 127.0.0.1, or go on with a socket that another page has released. Returns the address to open."""
        await self._runner.setup()
        self._listening = listening or socket.create_server(("127.0.0.1", 0))
        await web.SockSite(self._runner, self._listening).start()
        self._guard.port = self._listening.getsockname()[1]
        self.is_open = True
        self.stay()
        return self._guard.address

    @property
    def keys(self) -> PageSecrets:
        """The secrets of the page, for one that goes on with its socket."""
        return self._guard.keys

    def stay(self) -> None:
        """Start the time until the page closes anew."""
        if self._timer:
            self._timer.cancel()
        if self.is_open and not self._windows:
            self._timer = asyncio.get_running_loop().call_later(self._seconds, self.end)

    async def close(self) -> None:
        """Stop listening."""
        if not self.is_open:
            return
        self.is_open = False
        if self._timer:
            self._timer.cancel()
        self._closed()
        await self._runner.cleanup()

    async def release(self) -> socket.socket:
        """Stop serving, after the answers under way. New connections wait at the socket for the page that takes the socket over."""
        assert self._listening
        listening = self._listening.dup()
        self.is_open = False
        if self._timer:
            self._timer.cancel()
        await self._runner.cleanup()
        return listening

    def end(self) -> None:
        """Close in the background, after the answers under way."""
        self._closing = self._closing or asyncio.get_running_loop().create_task(self.close())

    def _application(self, routes: Iterable[web.RouteDef]) -> web.Application:
        application = web.Application(middlewares=[self._checked], client_max_size=MOST_BODY_BYTES)
        path = self._guard.path
        names = "|".join(name.replace(".", r"\.") for name in self._files if name != self._index_name)
        application.add_routes([web.get(path, self._index), web.get(path + f"{{name:{names}}}", self._file)])
        if self._seen:
            application.add_routes([web.get(path + "window", self._window)])
            application.on_shutdown.append(self._leave)
        application.add_routes(
            [web.route(route.method, path + route.path, route.handler, **route.kwargs) for route in routes]
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
        if not response.prepared:
            for name, value in HEADERS.items():
                response.headers.setdefault(name, value)
        return response

    async def _index(self, request: web.Request) -> web.Response:
        response = self._content(self._index_name)
        self._guard.admit(request, response)
        self._sent()
        return response

    async def _window(self, request: web.Request) -> web.WebSocketResponse:
        """A connection without data that lasts as long as a window shows the page."""
        assert self._seen
        window = web.WebSocketResponse(timeout=_CLOSE_SECONDS, heartbeat=_BEAT_SECONDS, max_msg_size=1)
        await window.prepare(request)
        self._windows.add(window)
        self.stay()
        self._seen(True)
        try:
            await window.receive()
        finally:
            self._windows.discard(window)
            self.stay()
            if not self._windows:
                self._seen(False)
        return window

    async def _leave(self, application: web.Application) -> None:
        await asyncio.gather(*(window.close() for window in self._windows))

    async def _file(self, request: web.Request) -> web.Response:
        return self._content(request.match_info["name"])

    def _content(self, name: str) -> web.Response:
        text = resources.files(self._files[name]).joinpath("page", name).read_text("utf-8")
        return web.Response(text=text, content_type=_KINDS[name.rpartition(".")[2]], charset="utf-8")


def as_json(content: object) -> web.Response:
    """An answer to a question of the page's script."""
    return web.Response(body=orjson.dumps(content), content_type="application/json")


async def body_of(request: web.Request) -> dict[str, object]:
    """What the page's script has sent. Raises HTTPBadRequest."""
    try:
        found = orjson.loads(await request.read())
    except orjson.JSONDecodeError:
        raise web.HTTPBadRequest(text="not understood") from None
    return found if isinstance(found, dict) else {}


def are_words(found: object) -> TypeGuard[list[str]]:
    """Whether something that a page has sent is a list of strings."""
    return isinstance(found, list) and all(isinstance(word, str) for word in found)
