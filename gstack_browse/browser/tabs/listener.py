"""The three logs, and what fills them: requests by `traffic`, messages by `console`, dialogs by `dialogs`. Decides nothing."""

import time
from functools import partial

from gstack_browse.browser.cdp.connection import Connection
from gstack_browse.browser.cdp.playwright_names import WebSocket
from gstack_browse.browser.tabs.console import Console
from gstack_browse.browser.tabs.pages import Pages
from gstack_browse.browser.tabs.requests import RefusedRequest
from gstack_browse.browser.tabs.tab import Tab
from gstack_browse.browser.tabs.traffic import Traffic
from gstack_browse.logs.entries import LOST, REFUSED, ConsoleEntry, DialogEntry, NetworkEntry, safe_url
from gstack_browse.logs.ring import Ring
from gstack_browse.text.redact import redact
from gstack_browse.text.sanitise import one_line


class Logs:
    """The three rings. They outlive browser contexts."""

    def __init__(self) -> None:
        self.console: Ring[ConsoleEntry] = Ring(characters=ConsoleEntry.characters)
        self.network: Ring[NetworkEntry] = Ring(characters=NetworkEntry.characters)
        self.dialog: Ring[DialogEntry] = Ring(characters=DialogEntry.characters)


class Listener:
    """Writes what a browser reports into the logs, and into the tab it concerns."""

    def __init__(self, logs: Logs) -> None:
        self._logs = logs
        self._pages = Pages()
        self.traffic = Traffic(logs.network, self._pages)
        self._console = Console(logs.console, self._pages)

    def attach(self, connection: Connection) -> None:
        """Write down what its targets report, from now on."""
        tap = connection.tap
        self._console.follow(tap)
        self.traffic.follow(tap)
        connection.spare_requests(self.traffic.interest)
        tap.lost = self._lost
        tap.gone = self._pages.gone

    def _lost(self, page_id: str, words: str) -> None:
        """Some of what a page says was not kept."""
        entry = ConsoleEntry(time.time(), 0, LOST, words)
        if page := self._pages.get(page_id):
            self._pages.keep(page, entry, partial(self._logs.console.add, entry))

    def websocket(self, tab: Tab, socket: WebSocket) -> None:
        """A connection a page opened. It is no request that somebody would wait for."""
        url = redact(safe_url(socket.url))
        entry = NetworkEntry(time.time(), tab.id, "GET", url, "websocket", document=tab.document)
        opened = time.monotonic()
        self._logs.network.add(entry)

        def failed(error: str) -> None:
            entry.error = entry.error or one_line(error, 200)
            if refusal := self.traffic.unresolved(socket.url):
                entry.error = REFUSED + refusal.why
                tab.refuse(RefusedRequest(url, refusal, is_page=False))

        def closed(_: WebSocket) -> None:
            entry.status = entry.status or 101
            entry.milliseconds = round((time.monotonic() - opened) * 1000)

        socket.on("socketerror", failed)
        socket.on("close", closed)
