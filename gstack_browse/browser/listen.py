"""The three logs, and what fills them: requests here, messages in `console`, dialogs in `dialogs`. Decides nothing."""

import asyncio
import time
from contextlib import suppress

from playwright.async_api import BrowserContext, Page, Request, Response, WebSocket
from playwright.async_api import Error as PlaywrightError

from gstack_browse.browser.console import Console
from gstack_browse.browser.handlers import often
from gstack_browse.browser.tab import Tab
from gstack_browse.logs.entries import LOST, ConsoleEntry, DialogEntry, NetworkEntry, safe_url
from gstack_browse.logs.ring import Ring
from gstack_browse.text.redact import redact
from gstack_browse.text.sanitise import one_line


class Logs:
    """The three rings. They outlive browser contexts."""

    def __init__(self) -> None:
        self.console: Ring[ConsoleEntry] = Ring()
        self.network: Ring[NetworkEntry] = Ring()
        self.dialog: Ring[DialogEntry] = Ring()


class Listener:
    """Writes what one browser context reports into the logs, and into the tab it concerns."""

    def __init__(self, logs: Logs, tabs: dict[Page, Tab]) -> None:
        self._logs = logs
        self._tabs = tabs
        self._measuring: set[asyncio.Task[None]] = set()

    def attach(self, context: BrowserContext) -> None:
        self._console = Console(context, self._logs.console, self._tabs)
        context.on("request", self._request)
        context.on("response", self._response)
        context.on("requestfinished", self._finished)
        context.on("requestfailed", self._failed)

    def lost(self, tab: int, words: str) -> None:
        """Some of what a tab's page says was not kept."""
        self._logs.console.add(ConsoleEntry(time.time(), tab, LOST, words))

    @often
    def _request(self, request: Request) -> None:
        tab = self._tab_of(request)
        entry = NetworkEntry(
            time.time(),
            tab.id if tab else 0,
            request.method,
            redact(safe_url(request.url)),
            request.resource_type,
        )
        self._logs.network.add(entry)
        if tab:
            tab.began(request, entry)

    def _tab_of(self, request: Request) -> Tab | None:
        try:
            return self._tabs.get(request.frame.page)
        except PlaywrightError:  # a service worker's, or a navigation whose page is not there yet
            return next((tab for tab in self._tabs.values() if request in tab.inflight), None)

    @often
    def _response(self, response: Response) -> None:
        entry = self._entry(response.request)
        if entry:
            entry.status = response.status
            length = response.headers.get("content-length", "")
            entry.size = int(length) if length.isascii() and length.isdigit() else -1

    def _entry(self, request: Request) -> NetworkEntry | None:
        tab = self._tab_of(request)
        return tab.inflight.get(request) if tab else None

    @often
    def _finished(self, request: Request) -> None:
        self._end(request, "")

    def websocket(self, tab: Tab, socket: WebSocket) -> None:
        """A connection a page opened. It is no request that somebody would wait for."""
        entry = NetworkEntry(time.time(), tab.id, "GET", redact(safe_url(socket.url)), "websocket")
        self._logs.network.add(entry)

        def failed(error: str) -> None:
            entry.error = entry.error or one_line(error, 200)

        def closed(_: WebSocket) -> None:
            entry.status = entry.status or 101
            entry.milliseconds = round((time.time() - entry.at) * 1000)

        socket.on("socketerror", failed)
        socket.on("close", closed)

    @often
    def _failed(self, request: Request) -> None:
        self._end(request, (request.failure or "failed").removeprefix("net::"))

    def _end(self, request: Request, error: str) -> None:
        tab = self._tab_of(request)
        entry = tab.ended(request) if tab else None
        if entry:
            entry.error = error
            took = request.timing.get("responseEnd", -1)
            entry.milliseconds = round(took) if took >= 0 else round((time.time() - entry.at) * 1000)
            if not error and entry.size < 0 and entry.has_body:
                task = asyncio.get_running_loop().create_task(_measure(request, entry))
                self._measuring.add(task)
                task.add_done_callback(self._measuring.discard)


async def _measure(request: Request, entry: NetworkEntry) -> None:
    """Ask how long a body was whose length the server had not announced."""
    with suppress(PlaywrightError):  # the page has gone since
        entry.size = (await request.sizes())["responseBodySize"]
