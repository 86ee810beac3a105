"""Judges what pages ask for, by the rules of `policy`, and remembers for whom a request was refused.

Judging costs every request of a browser some time. So files are judged only from the first one that a command opens, or that a
person could: a page of the web cannot reach any (Chromium does not let it).
"""

from typing import Any

from gstack_browse.browser.cdp.interception import DOCUMENT, FILES
from gstack_browse.browser.launch.launch import Running
from gstack_browse.browser.tabs.requests import RefusedRequest
from gstack_browse.browser.tabs.tab import Tab
from gstack_browse.browser.tabs.table import TabTable
from gstack_browse.browser.tabs.traffic import Traffic
from gstack_browse.policy import files
from gstack_browse.policy.refusal import Refusal

MOST_UNCLAIMED = 100
"""Refused requests that are remembered until it is known whose they are."""
_NO_FILES = Refusal("is a file, and there is no workspace")


class RequestGuard:
    """Of one session, whichever browser it is in."""

    def __init__(self, traffic: Traffic, tabs: TabTable) -> None:
        self._traffic = traffic
        self._tabs = tabs
        self._running: Running
        self._has_files = False
        self._refused: dict[str, tuple[RefusedRequest, bool]] = {}
        """By the number of a request that was refused, and whether its tab knows."""
        traffic.refused = self._claim

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
        number = event.get("networkId", "")
        tab = self._traffic.tab_of(event.get("frameId", ""))  # a frame that is no main frame has no tab
        if tab is None and is_document:
            tab = self._opener()
        self._refuse(number, RefusedRequest(url, refusal, is_page=is_document and tab is not None), tab)
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

    def _refuse(self, number: str, refused: RefusedRequest, tab: Tab | None) -> None:
        if tab:
            tab.refuse(refused)
        self._refused[number] = refused, tab is not None
        if len(self._refused) > MOST_UNCLAIMED:
            del self._refused[next(iter(self._refused))]

    def _claim(self, number: str, tab: Tab | None) -> str:
        """A request has failed: why, if it was refused. The tab that it is of hears of it, if it has not yet."""
        if not self._refused or (found := self._refused.pop(number, None)) is None:
            return ""
        refused, is_known = found
        if tab and not is_known:
            tab.refuse(refused)
        return refused.refusal.why
