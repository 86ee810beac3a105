"""The three logs, and what fills them: requests by `traffic`, messages by `console`, dialogs by `dialogs`. Decides nothing."""

import time

from playwright.async_api import BrowserContext, Page, WebSocket

from gstack_browse.browser.console import Console
from gstack_browse.browser.tab import Tab
from gstack_browse.browser.targets import Targets
from gstack_browse.browser.traffic import Traffic
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
        self.traffic = Traffic(logs.network)

    def attach(self, context: BrowserContext, targets: Targets) -> None:
        self._console = Console(context, self._logs.console, self._tabs)
        self.traffic.follow(targets)

    def lost(self, page_id: str, words: str) -> None:
        """Some of what a page says was not kept."""
        tab = self.traffic.tab_of(page_id)
        self._logs.console.add(ConsoleEntry(time.time(), tab.id if tab else 0, LOST, words))

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
