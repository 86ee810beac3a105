"""What an action caused: navigation, new tabs, dialogs, downloads, failed requests. Short lines for the reply.

Replaces a second call after every action, so it must never become a page dump.
"""

from typing import TYPE_CHECKING

from playwright.async_api import Error as PlaywrightError

from gstack_browse.logs.entries import safe_url
from gstack_browse.text.redact import redact
from gstack_browse.text.sanitise import one_line

if TYPE_CHECKING:
    from gstack_browse.browser.session import BrowserSession
    from gstack_browse.browser.tab import Tab

LOAD_SECONDS = 2.0
"""How long a page that has its document may go on loading before the command returns and says so."""
QUIET_SECONDS = 1.0
"""How long requests that an action started may take before the command returns and says so."""
MOST_LINES = 5
_REPORTED = frozenset({"document", "fetch", "xhr"})


class Aftermath:
    """Looks at a tab before an action and says afterwards what followed."""

    def __init__(self, session: "BrowserSession", tab: "Tab") -> None:
        self._session = session
        self._tab = tab
        self._url = tab.url
        self._tabs = set(session.tabs)
        self._dialogs = session.logs.dialog.total
        self._requests = session.logs.network.total
        self._downloads = tab.download_count

    async def settle(self, seconds: float) -> None:
        """Wait for the navigation or the requests the action started, at most `seconds`."""
        try:
            await self._tab.world.call("tick")
        except Exception:  # noqa: BLE001 - the page went away under us: that is the navigation to wait for
            if self._tab.crashed:
                return
        if self._tab.is_navigating:
            await self._tab.until(lambda: not self._tab.is_navigating, seconds)
        await self._loaded(min(LOAD_SECONDS, seconds))
        if self._session.logs.network.total != self._requests:
            await self._tab.until(lambda: not self._own_requests(), min(QUIET_SECONDS, seconds))

    async def _loaded(self, seconds: float) -> None:
        try:
            await self._tab.page.wait_for_load_state("load", timeout=max(seconds, 0.05) * 1000)
        except PlaywrightError:
            return  # still loading, crashed or closed: `lines` tells which

    def _own_requests(self) -> list[str]:
        """Requests begun by the action that are still under way."""
        begun = {id(entry) for entry in self._session.logs.network.since(self._requests)}
        return [entry.url for entry in self._tab.pending if id(entry) in begun]

    def lines(self, *, url: bool, tabs: bool) -> list[str]:
        """What followed, most important first. `url`, `tabs`: whether to tell a new URL, and new tabs."""
        found = self._navigation(url) + (self._new_tabs() if tabs else [])
        found += self._dialog_lines() + self._download_lines() + self._failures(url) + self._still_loading()
        if len(found) > MOST_LINES:
            found = [
                *found[:MOST_LINES],
                f"→ and {len(found) - MOST_LINES} more: see 'network --failed', 'dialog', 'tabs'",
            ]
        return found

    def _navigation(self, told: bool) -> list[str]:
        if self._tab.crashed:
            return ["→ the page crashed"]
        if self._tab.page.is_closed():
            return ["→ the tab closed itself"]
        url = self._tab.url
        return [f"→ now at {shown_url(url)}"] if url != self._url and told else []

    def _new_tabs(self) -> list[str]:
        fresh = [tab for number, tab in self._session.tabs.items() if number not in self._tabs]
        return [f"→ opened tab {tab.id}: {shown_url(tab.url)}" for tab in fresh]

    def _dialog_lines(self) -> list[str]:
        entries = self._session.logs.dialog.since(self._dialogs)
        own = [entry for entry in entries if entry.tab == self._tab.id]
        return [
            f'→ {entry.kind} "{one_line(entry.message, 120)}": {one_line(entry.answer, 60)}' for entry in own
        ]

    def _download_lines(self) -> list[str]:
        count = self._tab.download_count - self._downloads
        names = list(self._tab.downloads)[-count:] if count else []
        return [f"→ download started: {one_line(name, 120)}" for name in names]

    def _failures(self, documents: bool) -> list[str]:
        entries = self._session.logs.network.since(self._requests)
        bad = [
            entry
            for entry in entries
            if entry.tab == self._tab.id and entry.is_failed and entry.kind in _REPORTED
        ]
        return [
            f"→ failed: {entry.method} {one_line(entry.url, 150)} → {entry.error or entry.status}"
            for entry in bad
            if entry.error != "ERR_ABORTED" and (documents or entry.kind != "document")
        ]

    def _still_loading(self) -> list[str]:
        waiting = len(self._own_requests())
        if not waiting or self._tab.page.is_closed():
            return []
        return [f"→ still loading: {waiting} request{'s' if waiting > 1 else ''}"]


def shown_url(url: str) -> str:
    """A URL fit for a reply: one line, no password, not a page long."""
    return one_line(redact(safe_url(url) if url.startswith(("data:", "blob:")) else url), 500)
