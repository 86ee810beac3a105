"""Connects the three logs with the modules that fill them.

Requests come from `traffic`, web sockets from `sockets`, messages from `console`, dialogs from `dialogs`.
"""

import time
from functools import partial

from gstack_browse.browser.cdp.subscriber import Subscriber
from gstack_browse.browser.launch.running import RunningBrowser
from gstack_browse.browser.tabs import chooser_interception
from gstack_browse.browser.tabs.console import Console
from gstack_browse.browser.tabs.pages import Pages
from gstack_browse.browser.tabs.sockets import WebSockets
from gstack_browse.browser.tabs.traffic import Traffic
from gstack_browse.logs.entries import LOST_LEVEL, ConsoleEntry, DialogEntry, NetworkEntry
from gstack_browse.logs.ring import Ring


class Logs:
    """The three rings. They outlive browser contexts."""

    def __init__(self) -> None:
        self.console: Ring[ConsoleEntry] = Ring(characters=ConsoleEntry.count_characters)
        self.network: Ring[NetworkEntry] = Ring(characters=NetworkEntry.count_characters)
        self.dialog: Ring[DialogEntry] = Ring(characters=DialogEntry.count_characters)


class Listener:
    """Writes what a browser reports into the logs, and into the tab it concerns."""

    def __init__(self, logs: Logs) -> None:
        self._logs = logs
        self._pages = Pages()
        self.traffic = Traffic(logs.network, self._pages)
        self._sockets = WebSockets(self.traffic, self._pages)
        self._console = Console(logs.console, self._pages)

    def attach(self, running: RunningBrowser, heard: Subscriber) -> None:
        """Log what the targets of a browser context report, from now on."""
        self._console.follow(heard)
        self.traffic.follow(heard)
        self._sockets.follow(heard)
        chooser_interception.follow(running, heard, self.traffic.tab_of)
        heard.on_messages_lost = self._lost

    def _lost(self, page_id: str, words: str) -> None:
        """Log that some messages of a page were not kept."""
        entry = ConsoleEntry(time.time(), 0, LOST_LEVEL, words)
        if page := self._pages.get(page_id):
            self._pages.keep(page, entry, partial(self._logs.console.add, entry))
