"""Serve one local page to one visitor. `guard` controls access; routes say what the page does."""

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
"""Files of all pages: styles of controls, and requests to the server."""
_KINDS = {"html": "text/html", "css": "text/css", "js": "text/javascript"}
_CLOSE_SECONDS = 1.0
_BEAT_SECONDS = 20.0
"""Interval of the heartbeat to a window: a tunnel may break."""

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class LoopbackPage:
    """A page on a free port of 127.0.0.1, until it is closed or `seconds` have passed without a window.

    Args:
        package: its folder `page` has the files.
        files: names of the page's files besides `index`.
        routes: its requests, with paths relative to the page.
        index: the file at the page's address.
        guard: controls access.
        seconds: how long it stays open while no window shows it.
        closed: called once when the page is closed.
        seen: called with True when a window connects, with False when the last one is gone.
        sent: called when a window receives the page; `seen` follows once its script runs.
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
            self._create_application(routes), access_log=None, shutdown_timeout=_CLOSE_SECONDS
        )
        self._listening: socket.socket | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._closing: asyncio.Task[None] | None = None
        self.is_open = False

    async def listen(self, listening: socket.socket | None = None) -> str:
        """Listen on a free port, or on the socket of a released page. Return the address to open."""
        await self._runner.setup()
        self._listening = listening or socket.create_server(("127.0.0.1", 0))
        await web.SockSite(self._runner, self._listening).start()
        self._guard.port = self._listening.getsockname()[1]
        self.is_open = True
        self.restart_timer()
        return self._guard.address

    @property
    def keys(self) -> PageSecrets:
        """The secrets of the page, for one that continues on its socket."""
        return self._guard.keys

    def restart_timer(self) -> None:
        """Restart the time until the page closes."""
        if self._timer:
            self._timer.cancel()
        if self.is_open and not self._windows:
            self._timer = asyncio.get_running_loop().call_later(self._seconds, self.close_in_background)

    async def close(self) -> None:
        """Stop listening, and call `closed`."""
        if not self.is_open:
            return
        self.is_open = False
        if self._timer:
            self._timer.cancel()
        self._closed()
        await self._runner.cleanup()

    async def release(self) -> socket.socket:
        """Stop serving after the responses under way; return the socket, at which new connections wait."""
        assert self._listening
        listening = self._listening.dup()
        self.is_open = False
        if self._timer:
            self._timer.cancel()
        await self._runner.cleanup()
        return listening

    def close_in_background(self) -> None:
        """Start closing, after the responses under way."""
        self._closing = self._closing or asyncio.get_running_loop().create_task(self.close())

    def _create_application(self, routes: Iterable[web.RouteDef]) -> web.Application:
        application = web.Application(middlewares=[self._check_request], client_max_size=MOST_BODY_BYTES)
        path = self._guard.path
        names = "|".join(name.replace(".", r"\.") for name in self._files if name != self._index_name)
        application.add_routes(
            [web.get(path, self._serve_index), web.get(path + f"{{name:{names}}}", self._serve_file)]
        )
        if self._seen:
            application.add_routes([web.get(path + "window", self._hold_window)])
            application.on_shutdown.append(self._close_windows)
        application.add_routes(
            [web.route(route.method, path + route.path, route.handler, **route.kwargs) for route in routes]
        )
        return application

    @web.middleware
    async def _check_request(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Check a request, handle it, and add the security headers to any response (a middleware)."""
        try:
            self._guard.check_request(request)
            if request.path != self._guard.path:
                self._guard.check_session(request)
            response = await handler(request)
        except web.HTTPException as error:
            response = web.Response(status=error.status, text=error.text)
        if not response.prepared:
            for name, value in HEADERS.items():
                response.headers.setdefault(name, value)
        return response

    async def _serve_index(self, request: web.Request) -> web.Response:
        response = self._file_response(self._index_name)
        self._guard.admit_visitor(request, response)
        self._sent()
        return response

    async def _hold_window(self, request: web.Request) -> web.WebSocketResponse:
        """Hold a web socket without data for as long as a window shows the page."""
        assert self._seen
        window = web.WebSocketResponse(timeout=_CLOSE_SECONDS, heartbeat=_BEAT_SECONDS, max_msg_size=1)
        await window.prepare(request)
        self._windows.add(window)
        self.restart_timer()
        self._seen(True)
        try:
            await window.receive()
        finally:
            self._windows.discard(window)
            self.restart_timer()
            if not self._windows:
                self._seen(False)
        return window

    async def _close_windows(self, application: web.Application) -> None:
        await asyncio.gather(*(window.close() for window in self._windows))

    async def _serve_file(self, request: web.Request) -> web.Response:
        return self._file_response(request.match_info["name"])

    def _file_response(self, name: str) -> web.Response:
        text = resources.files(self._files[name]).joinpath("page", name).read_text("utf-8")
        return web.Response(text=text, content_type=_KINDS[name.rpartition(".")[2]], charset="utf-8")


def json_response(content: object) -> web.Response:
    """Return a response with JSON."""
    return web.Response(body=orjson.dumps(content), content_type="application/json")


async def read_json(request: web.Request) -> dict[str, object]:
    """Return the JSON object of a request; {} for other JSON. Raises HTTPBadRequest."""
    try:
        found = orjson.loads(await request.read())
    except orjson.JSONDecodeError:
        raise web.HTTPBadRequest(text="not understood") from None
    return found if isinstance(found, dict) else {}


def is_list_of_strings(found: object) -> TypeGuard[list[str]]:
    """Return whether a value from a page is a list of strings."""
    return isinstance(found, list) and all(isinstance(word, str) for word in found)
