"""Serve one local page on 127.0.0.1 to one visitor, behind a guard that checks each request."""

import asyncio
import os
import secrets
import shutil
import socket
import sys
from collections.abc import Awaitable, Callable, Iterable
from hmac import compare_digest
from importlib import resources
from typing import NamedTuple, TypeGuard
from urllib.parse import urlsplit

import orjson
from aiohttp import web

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_SOCKETS = "/proc/net/tcp"
_ROOT = 0


class PageSecrets(NamedTuple):
    """The secrets of a page: its path, its token ("" once used), and the visitor's cookie."""

    path: str
    token: str
    session: str


class Guard:
    """The secrets of one page, and the checks of every request, which raise HTTPForbidden.

    `reopen_command`: the command that opens another page; `keys`: the secrets of a page that is continued.
    """

    def __init__(self, name: str, reopen_command: str, keys: PageSecrets | None = None) -> None:
        self._cookie = f"gbrowse-{name}"
        self._reopen_command = reopen_command
        self.port = 0
        self.path, self._token, self._session = keys or PageSecrets(
            f"/{secrets.token_urlsafe(12)}/", secrets.token_urlsafe(32), secrets.token_urlsafe(32)
        )

    @property
    def keys(self) -> PageSecrets:
        """Return the page's secrets, with which a successor's guard continues it. Never write them to a file."""
        return PageSecrets(self.path, self._token, self._session)

    @property
    def address(self) -> str:
        """Return the page's address with its token, which admits one visitor, once."""
        return f"{self._origin}{self.path}?token={self._token}"

    @property
    def _origin(self) -> str:
        """Return the origin of the served page: `http://127.0.0.1:PORT`."""
        return f"http://127.0.0.1:{self.port}"

    def check_request(self, request: web.Request) -> None:
        """Raise HTTPForbidden for a wrong Host or Origin, another user, or a method besides GET and POST.

        A POST request and a web socket must have an Origin.
        """
        if request.headers.getall("Host", []) != [f"127.0.0.1:{self.port}"]:
            raise web.HTTPForbidden(text="wrong host")
        if not _is_same_user(request):
            raise web.HTTPForbidden(text="another user")
        if request.method not in ("GET", "POST"):
            raise web.HTTPForbidden(text="not done here")
        is_json = request.content_type == "application/json"
        is_socket = "Upgrade" in request.headers  # browsers let every site open sockets to every other
        origins = request.headers.getall("Origin", [])
        needs_origin = bool(origins) or is_socket or request.method == "POST"
        if (needs_origin and origins != [self._origin]) or (request.method == "POST" and not is_json):
            raise web.HTTPForbidden(text="wrong origin")

    def admit_visitor(self, request: web.Request, response: web.Response) -> None:
        """Let in the page's one visitor: set the session cookie for a request with the token, and use that up.

        Raises HTTPForbidden for a request with neither token nor cookie.
        """
        token = request.query.get("token", "")
        if self._token and compare_digest(token.encode(), self._token.encode()):
            self._token = ""
            response.set_cookie(self._cookie, self._session, path=self.path, httponly=True, samesite="Strict")
            return
        self.check_session(request)

    def check_session(self, request: web.Request) -> None:
        """Raise HTTPForbidden unless the request has the session cookie of the admitted visitor."""
        if not compare_digest(request.cookies.get(self._cookie, "").encode(), self._session.encode()):
            raise web.HTTPForbidden(
                text=f"This address has been used or is wrong. Ask for a new address ('gbrowse {self._reopen_command}')."
            )


def _is_same_user(request: web.Request) -> bool:
    """Return whether our user or root has opened the request's connection, by /proc/net/tcp.

    True on systems without that file.
    """
    peer = request.transport.get_extra_info("peername") if request.transport else None
    own = request.transport.get_extra_info("sockname") if request.transport else None
    if not peer or not own:
        return False
    try:
        with open(_SOCKETS, encoding="ascii") as table:
            lines = table.read().splitlines()[1:]
    except OSError:
        return True  # this system has no such table: rely on the token
    wanted = [_to_proc_address(*peer), _to_proc_address(*own)]
    users = [int(fields[7]) for line in lines if (fields := line.split())[1:3] == wanted]
    return any(user in (os.getuid(), _ROOT) for user in users)


def _to_proc_address(address: str, port: int) -> str:
    """Format an IPv4 address and port as /proc/net/tcp does: the bytes in reverse, in hexadecimal."""
    octets = [int(part) for part in address.split(".")]
    return "".join(f"{octet:02X}" for octet in reversed(octets)) + f":{port:04X}"


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
        on_close: called once when the page is closed.
        on_window_change: called with True when a window connects, with False when the last one is gone.
        on_page_sent: called when a window receives the page; `on_window_change` follows once its script runs.
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
        on_close: Callable[[], None],
        on_window_change: Callable[[bool], None] | None = None,
        on_page_sent: Callable[[], None] = lambda: None,
    ) -> None:
        self._guard = guard
        self._index_name = index
        self._seconds = seconds
        self._on_close = on_close
        self._on_window_change = on_window_change
        self._on_page_sent = on_page_sent
        self._windows: set[web.WebSocketResponse] = set()
        shared = dict.fromkeys(_SHARED, "gstack_browse.local_pages.loopback")
        self._files = shared | dict.fromkeys((index, *files), package)
        self._runner = web.AppRunner(
            self._create_application(routes), access_log=None, shutdown_timeout=_CLOSE_SECONDS
        )
        self._listening: socket.socket | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._closing: asyncio.Task[None] | None = None
        self.is_open = False

    async def listen(self, listening: socket.socket | None = None) -> str:
        """Start to serve the page, and return the address to open.

        `listening`: the socket that `release` of a former page returned; None to bind a free port.
        """
        await self._runner.setup()
        self._listening = listening or socket.create_server(("127.0.0.1", 0))
        await web.SockSite(self._runner, self._listening).start()
        self._guard.port = self._listening.getsockname()[1]
        self.is_open = True
        self.restart_timer()
        return self._guard.address

    @property
    def keys(self) -> PageSecrets:
        """Return the page's secrets, for a page of another daemon that continues on its socket."""
        return self._guard.keys

    def restart_timer(self) -> None:
        """Restart the timer that closes the page, or stop it while a window shows the page."""
        if self._timer:
            self._timer.cancel()
        if self.is_open and not self._windows:
            self._timer = asyncio.get_running_loop().call_later(self._seconds, self.close_in_background)

    async def close(self) -> None:
        """Stop serving the page for good, and call `on_close`; do nothing if it is closed."""
        if not self.is_open:
            return
        self.is_open = False
        if self._timer:
            self._timer.cancel()
        self._on_close()
        await self._runner.cleanup()

    async def release(self) -> socket.socket:
        """Stop serving, and return the socket, at which new connections wait until another daemon serves them."""
        assert self._listening
        listening = self._listening.dup()
        self.is_open = False
        if self._timer:
            self._timer.cancel()
        await self._runner.cleanup()
        return listening

    def close_in_background(self) -> None:
        """Start a task that closes the page, so that a response under way is still sent."""
        self._closing = self._closing or asyncio.get_running_loop().create_task(self.close())

    def _create_application(self, routes: Iterable[web.RouteDef]) -> web.Application:
        """Return the web application that serves the page's files and `routes` below the secret path.

        An open window is noticed by the web socket that it holds.
        """
        application = web.Application(middlewares=[self._check_request], client_max_size=MOST_BODY_BYTES)
        path = self._guard.path
        names = "|".join(name.replace(".", r"\.") for name in self._files if name != self._index_name)
        application.add_routes(
            [web.get(path, self._serve_index), web.get(path + f"{{name:{names}}}", self._serve_file)]
        )
        if self._on_window_change:
            application.add_routes([web.get(path + "window", self._hold_window)])
            application.on_shutdown.append(self._close_windows)
        application.add_routes(
            [web.route(route.method, path + route.path, route.handler, **route.kwargs) for route in routes]
        )
        return application

    @web.middleware
    async def _check_request(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Check a request's access, have it handled, and add security headers to its response (a middleware)."""
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
        """Reply with the page's HTML file, and admit its visitor."""
        response = self._file_response(self._index_name)
        self._guard.admit_visitor(request, response)
        self._on_page_sent()
        return response

    async def _hold_window(self, request: web.Request) -> web.WebSocketResponse:
        """Accept a window's web socket, which has no data: it is open as long as the window shows the page."""
        assert self._on_window_change
        window = web.WebSocketResponse(timeout=_CLOSE_SECONDS, heartbeat=_BEAT_SECONDS, max_msg_size=1)
        await window.prepare(request)
        self._windows.add(window)
        self.restart_timer()
        self._on_window_change(True)
        try:
            await window.receive()
        finally:
            self._windows.discard(window)
            self.restart_timer()
            if not self._windows:
                self._on_window_change(False)
        return window

    async def _close_windows(self, application: web.Application) -> None:
        """Close the web sockets of all open windows (a shutdown handler)."""
        await asyncio.gather(*(window.close() for window in self._windows))

    async def _serve_file(self, request: web.Request) -> web.Response:
        """Reply with one of the page's own scripts or style sheets, named in the request's path."""
        return self._file_response(request.match_info["name"])

    def _file_response(self, name: str) -> web.Response:
        """Return a response with a file of the page, or one that all pages share."""
        text = resources.files(self._files[name]).joinpath("page", name).read_text("utf-8")
        return web.Response(text=text, content_type=_KINDS[name.rpartition(".")[2]], charset="utf-8")


def json_response(content: object) -> web.Response:
    """Return an HTTP response with `content` as JSON."""
    return web.Response(body=orjson.dumps(content), content_type="application/json")


async def read_json(request: web.Request) -> dict[str, object]:
    """Return the JSON object in a request's body; {} for JSON of another type. Raises HTTPBadRequest."""
    try:
        found = orjson.loads(await request.read())
    except orjson.JSONDecodeError:
        raise web.HTTPBadRequest(text="not understood") from None
    return found if isinstance(found, dict) else {}


def is_list_of_strings(found: object) -> TypeGuard[list[str]]:
    """Return whether a value of JSON is a list of strings."""
    return isinstance(found, list) and all(isinstance(word, str) for word in found)


_openers: set[asyncio.Task[int]] = set()


async def open_in_desktop_browser(address: str) -> bool:
    """Ask the desktop to open an address in the person's browser. Return whether there is a desktop.

    Other users may see the address in the list of processes for a moment; `Guard` does not let them in.
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


def describe_tunnel(address: str) -> str:
    """Return the hint how a browser on another machine reaches a local page: through an SSH tunnel.

    The tunnel must have the same port there.
    """
    port = urlsplit(address).port
    return f"from another machine: ssh -L {port}:127.0.0.1:{port} <this machine>, then the same address there"
