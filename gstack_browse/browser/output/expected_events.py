"""What can be expected to have happened: requests, errors in the console, downloads, dialogs.

What counts is what the document that the tab shows has done, and all that the tab has done since the last action began: an action
may lead to another document.
"""

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Generic, TypeVar

from gstack_browse.browser.output.expecting import Expectation, Instead, matches
from gstack_browse.browser.tabs.download import Download
from gstack_browse.logs.entries import AnyEntry, ConsoleEntry, DialogEntry, NetworkEntry
from gstack_browse.logs.ring import Ring
from gstack_browse.text.columns import format_count
from gstack_browse.text.glob import Glob
from gstack_browse.text.pattern import Pattern
from gstack_browse.text.requests import RequestGlob, StatusPattern
from gstack_browse.text.resembling import find_similar
from gstack_browse.text.sanitise import one_line, quote_text

if TYPE_CHECKING:
    from gstack_browse.browser.tabs.page import PageSession
    from gstack_browse.browser.tabs.tab import Tab

MOST_NAMED = 3
_SHOWN = 150

Entry = TypeVar("Entry", ConsoleEntry, NetworkEntry, DialogEntry)


def is_recent(entry: AnyEntry, tab: "Tab") -> bool:
    """Whether a log entry is of the document that the tab shows, or came about in the tab since the last action began."""
    if entry.document == tab.document:
        return True
    return entry.tab == tab.id and entry.heard >= tab.effects.acted_at


class Logged(Expectation, Generic[Entry]):
    """That one of the logs has an entry of some kind."""

    is_of_page = False

    def __init__(self, page: "PageSession") -> None:
        super().__init__(page)
        self.found: list[Entry] = []
        """The recent entries that are meant, as of the last look."""

    async def look(self) -> bool:
        recent = [entry for entry in self._log() if is_recent(entry, self.page.tab)]
        self.found = await self.meant(recent)
        return self.suffices()

    def suffices(self) -> bool:
        """Whether the entries found are enough, or as many as was said."""
        return bool(self.found)

    @abstractmethod
    def _log(self) -> Ring[Entry]: ...

    @abstractmethod
    async def meant(self, recent: Sequence[Entry]) -> list[Entry]:
        """Those entries that are meant."""


class Requested(Logged[NetworkEntry]):
    """That such a request was made; with a status that it was answered so, with a number that it was made so often."""

    def __init__(
        self, page: "PageSession", glob: RequestGlob, status: StatusPattern | None, times: int | None
    ) -> None:
        super().__init__(page)
        self._glob = glob
        self._status = status
        self._times = times
        self._recent: Sequence[NetworkEntry] = ()

    def phrase(self, *, negated: bool) -> str:
        status = f" answered {self._status}" if self._status else ""
        times = "" if self._times is None else f", {format_count(self._times, 'time')}"
        return f"{'no ' if negated else ''}request {self._glob}{status}{times}"

    def _log(self) -> Ring[NetworkEntry]:
        return self.page.session.logs.network

    async def meant(self, recent: Sequence[NetworkEntry]) -> list[NetworkEntry]:
        self._recent = recent
        asked = [entry for entry in recent if self._glob.matches(entry.method, entry.url)]
        status = self._status
        return [entry for entry in asked if status.matches(entry.status, entry.error)] if status else asked

    def suffices(self) -> bool:
        return bool(self.found) if self._times is None else len(self.found) == self._times

    async def instead(self, *, negated: bool) -> Instead:
        hint = "Run 'network' to see what the page asked for"
        if self.found:
            return Instead(f"there {_are(len(self.found), 'request')}: {_named(self.found)}", hint)
        others = [entry for entry in self._recent if self._glob.matches(entry.method, entry.url)]
        if others:
            return Instead(f"there is {_named(others)}", hint)
        near = find_similar(
            str(self._glob), (f"{entry.method} {entry.url}" for entry in reversed(self._recent))
        )
        like = next(
            (entry for entry in self._recent if near and near[0] == f"{entry.method} {entry.url}"), None
        )
        return Instead(f"there is none; most like it is {_named([like])}" if like else "there is none", hint)


class ConsoleErrors(Logged[ConsoleEntry]):
    """That the page said of an error: `console --errors`."""

    def phrase(self, *, negated: bool) -> str:
        return f"{'no ' if negated else ''}console errors"

    def _log(self) -> Ring[ConsoleEntry]:
        return self.page.session.logs.console

    async def meant(self, recent: Sequence[ConsoleEntry]) -> list[ConsoleEntry]:
        return [entry for entry in recent if entry.is_at_least("error")]

    async def instead(self, *, negated: bool) -> Instead:
        hint = "Run 'console' to see what the page said"
        if not self.found:
            return Instead("there are none", hint)
        first = "; ".join(quote_text(entry.text, _SHOWN) for entry in self.found[:MOST_NAMED])
        return Instead(
            f"there {_are(len(self.found), 'error')}: {first}", "Run 'console --errors' to see all of them"
        )


class RequestsFailed(Logged[NetworkEntry]):
    """That a request failed or was answered with 4xx or 5xx: `network --failed`."""

    def phrase(self, *, negated: bool) -> str:
        return f"{'no ' if negated else ''}failed requests"

    def _log(self) -> Ring[NetworkEntry]:
        return self.page.session.logs.network

    async def meant(self, recent: Sequence[NetworkEntry]) -> list[NetworkEntry]:
        return [entry for entry in recent if entry.is_failed]

    async def instead(self, *, negated: bool) -> Instead:
        hint = "Run 'network --failed' to see all of them"
        if not self.found:
            return Instead("there are none", "Run 'network' to see what the page asked for")
        return Instead(f"there {_are(len(self.found), 'request')}: {_named(self.found)}", hint)


class DialogShown(Logged[DialogEntry]):
    """That the page has shown a dialog with such a message."""

    def __init__(self, page: "PageSession", pattern: Pattern) -> None:
        super().__init__(page)
        self.pattern = pattern
        self._recent: Sequence[DialogEntry] = ()

    def phrase(self, *, negated: bool) -> str:
        return f"{'no ' if negated else ''}dialog {self.pattern}"

    def _log(self) -> Ring[DialogEntry]:
        return self.page.session.logs.dialog

    async def meant(self, recent: Sequence[DialogEntry]) -> list[DialogEntry]:
        self._recent = recent
        return [entry for entry in recent if await matches(self.page, self.pattern, entry.message)]

    async def instead(self, *, negated: bool) -> Instead:
        shown = self.found or self._recent
        lines = ", ".join(f"{entry.kind} {quote_text(entry.message, _SHOWN)}" for entry in shown[-MOST_NAMED:])
        return Instead(
            f"there was {lines}" if lines else "there was none", "Run 'dialog' to see all there were"
        )


class Downloaded(Expectation):
    """That a file of such a name is there, whole."""

    is_of_page = False

    def __init__(self, page: "PageSession", glob: str) -> None:
        super().__init__(page)
        self._shown = one_line(glob, _SHOWN)
        self._glob = Glob(glob, whole=True)

    def phrase(self, *, negated: bool) -> str:
        return f"{'no ' if negated else ''}download {self._shown}"

    async def look(self) -> bool:
        return any(item.state == "done" and self._glob.matches(item.name) for item in self._recent())

    def _recent(self) -> list[Download]:
        tab = self.page.tab
        return [
            item
            for item in self.page.session.downloads
            if item.document == tab.document
            or (item.tab == tab.id and (item.is_wanted or item.number > tab.effects.downloads_before))
        ]

    async def instead(self, *, negated: bool) -> Instead:
        recent = self._recent()
        named = [item for item in recent if self._glob.matches(item.name)] or recent
        lines = "; ".join(one_line(item.line(self.page.cwd), _SHOWN) for item in named[-MOST_NAMED:])
        return Instead(
            f"there is: {lines}" if lines else "there is none", "Run 'downloads' to see all there were"
        )


def _are(count: int, one: str, many: str = "") -> str:
    return f"{'is' if count == 1 else 'are'} {format_count(count, one, many)}"


def _named(entries: Sequence[NetworkEntry]) -> str:
    return "; ".join(one_line(entry.render(), _SHOWN) for entry in entries[-MOST_NAMED:])
