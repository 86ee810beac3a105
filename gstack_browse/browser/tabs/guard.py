"""Judges what pages ask for, by the rules of `policy`, and remembers for whom a request was refused.

Judging costs every request of a browser some time. So files are judged only from the first one that a command opens, or that a
person could: a page of the web cannot reach any (Chromium does not let it).
"""

from contextlib import suppress
from typing import Any

from gstack_browse.browser.cdp.interception import DOCUMENT, FILES
from gstack_browse.browser.cdp.playwright_names import Error as PlaywrightError
from gstack_browse.browser.cdp.session import consume_exception
from gstack_browse.browser.cdp.targets import Target
from gstack_browse.browser.launch.launch import Running
from gstack_browse.browser.tabs.requests import RefusedRequest
from gstack_browse.browser.tabs.tab import Tab
from gstack_browse.browser.tabs.table import TabTable
from gstack_browse.browser.tabs.traffic import Traffic
from gstack_browse.policy import files, metadata
from gstack_browse.policy.refusal import Refusal

MOST_REMEMBERED = 100
"""Refused requests whose failure has not been heard of."""
STAYED = "The tab stays where it was"
_NO_FILES = Refusal("is a file, and there is no workspace")


class RequestGuard:
    """Of one session, whichever browser it is in."""

    def __init__(self, traffic: Traffic, tabs: TabTable) -> None:
        self._traffic = traffic
        self._tabs = tabs
        self._running: Running
        self._has_files = False
        self._refused: dict[str, RefusedRequest] = {}
        """By the number of the request, until its failure says of which page it is."""
        traffic.refused = lambda number: self._refused.pop(number, None)
        traffic.unresolved = self._unresolved
        traffic.answers = self._answered

    async def attach(self, running: Running) -> None:
        """Judge the requests of this browser from now on. Raises Playwright's Error."""
        self._running = running
        running.interception.judge = self._judge
        if self._has_files or running.look.visible or running.is_single:
            await running.interception.arm(FILES)

    async def opening(self, *urls: str) -> None:
        """A command is about to open these. Raises Playwright's Error."""
        if not self._has_files and any(url.startswith("file:") for url in urls):
            self._has_files = True
            await self._running.interception.arm(FILES)

    def _judge(self, event: dict[str, Any]) -> bool:
        url, is_document = event["request"]["url"], event.get("resourceType") == DOCUMENT
        refusal = self._refusal(url, is_document=is_document)
        if refusal is None:
            return True
        tab = self._traffic.tab_of(event.get("frameId", ""))  # a frame that is no main frame has no tab
        if tab is None and is_document:
            tab = self._opener()
        refused = RefusedRequest(url, refusal, is_page=is_document and tab is not None, after=STAYED)
        if tab:
            tab.refuse(refused)
        self._remember(event.get("networkId", ""), refused)
        return False

    def _opener(self) -> Tab | None:
        """The tab whose page has asked for a window that has no tab yet. Chromium closes one whose first document is refused."""
        opener = next((tab for tab in self._tabs if tab.effects.opening), None)
        if opener:
            opener.effects.has_opened()
        return opener

    def _refusal(self, url: str, *, is_document: bool) -> Refusal | None:
        if not url.startswith("file:"):
            return None
        workspace = self._running.origin.workspace
        return files.refused_url(url, workspace, is_document=is_document) if workspace else _NO_FILES

    def _unresolved(self, url: str) -> Refusal | None:
        return None if self._running.origin.settings.allows_metadata else metadata.refused_host(url)

    def _answered(self, target: Target, address: str) -> Refusal | None:
        """Where the metadata service of a cloud has answered, the page goes before anybody can read more of it."""
        if not metadata.is_service(address) or self._running.origin.settings.allows_metadata:
            return None
        with suppress(PlaywrightError):  # the page is gone
            page = self._running.connection.targets.get(target.page)
            for method, params in (("Page.stopLoading", {}), ("Page.navigate", {"url": "about:blank"})):
                page.observed.send(method, params).add_done_callback(consume_exception)
        return metadata.refusal(f"was answered by {address},")

    def _remember(self, number: str, refused: RefusedRequest) -> None:
        self._refused[number] = refused
        if len(self._refused) > MOST_REMEMBERED:
            del self._refused[next(iter(self._refused))]
