"""Expectations of events: requests, console errors, downloads, dialogs.

Events of the tab's present document count, and all those of the tab since the last action began: an action may lead to another
document.
"""

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Generic, TypeVar

from gstack_browse.browser.downloads.downloads import Download
from gstack_browse.browser.reading.expecting import ActualState, Expectation, matches
from gstack_browse.network.logs.entries import AnyEntry, ConsoleEntry, DialogEntry, NetworkEntry, Ring
from gstack_browse.text.columns import format_count
from gstack_browse.text.pattern import Glob, Pattern
from gstack_browse.text.requests import RequestGlob, StatusPattern
from gstack_browse.text.resembling import find_most_similar
from gstack_browse.text.sanitise import one_line, quote_text

if TYPE_CHECKING:
    from gstack_browse.browser.command.page import PageSession
    from gstack_browse.browser.tab.tab import Tab

MOST_NAMED = 3
_MOST_CHARACTERS = 150

Entry = TypeVar("Entry", ConsoleEntry, NetworkEntry, DialogEntry)


def is_recent(entry: AnyEntry, tab: "Tab") -> bool:
    """Return whether a log entry is of the tab's document, or of the tab since the last action began."""
    if entry.document == tab.document:
        return True
    return entry.tab == tab.id and entry.heard >= tab.effects.acted_at


class LogExpectation(Expectation, Generic[Entry]):
    """A log has a matching entry."""

    is_of_page = False

    def __init__(self, page: "PageSession") -> None:
        super().__init__(page)
        self.found: list[Entry] = []
        """The matching entries, as of the last check."""

    async def check(self) -> bool:
        """Select the entries that match among the recent ones. Return whether they are enough."""
        recent = [entry for entry in self._event_log() if is_recent(entry, self.page.tab)]
        self.found = await self.select(recent)
        return self.is_enough()

    def is_enough(self) -> bool:
        """Return whether enough entries match, or exactly as many as expected."""
        return bool(self.found)

    @abstractmethod
    def _event_log(self) -> Ring[Entry]:
        """Return the log to look for entries in."""

    @abstractmethod
    async def select(self, recent: Sequence[Entry]) -> list[Entry]:
        """Return the matching entries."""


class RequestMade(LogExpectation[NetworkEntry]):
    """A request was made; if given, with that status of the response, or that number of times."""

    def __init__(
        self, page: "PageSession", glob: RequestGlob, status: StatusPattern | None, times: int | None
    ) -> None:
        super().__init__(page)
        self._glob = glob
        self._status = status
        self._times = times
        self._recent: Sequence[NetworkEntry] = ()

    def phrase(self, *, negated: bool) -> str:
        """Return the expectation in words."""
        status = f" answered {self._status}" if self._status else ""
        times = "" if self._times is None else f", {format_count(self._times, 'time')}"
        return f"{'no ' if negated else ''}request {self._glob}{status}{times}"

    def _event_log(self) -> Ring[NetworkEntry]:
        """Return the log of the session's requests."""
        return self.page.session.logs.network

    async def select(self, recent: Sequence[NetworkEntry]) -> list[NetworkEntry]:
        """Return the requests that match method, address and status."""
        self._recent = recent
        requested = [entry for entry in recent if self._glob.matches(entry.method, entry.url)]
        status = self._status
        return (
            [entry for entry in requested if status.matches(entry.status, entry.error)] if status else requested
        )

    def is_enough(self) -> bool:
        """Return whether there are as many requests as expected."""
        return bool(self.found) if self._times is None else len(self.found) == self._times

    async def describe_actual(self, *, negated: bool) -> ActualState:
        """Describe the requests that match, else those of another status, else the most similar one."""
        hint = "Run 'network' to see what the page asked for"
        if self.found:
            return ActualState(
                f"there {_format_count_verb(len(self.found), 'request')}: {_join_entries(self.found)}", hint
            )
        others = [entry for entry in self._recent if self._glob.matches(entry.method, entry.url)]
        if others:
            return ActualState(f"there is {_join_entries(others)}", hint)
        near = find_most_similar(
            str(self._glob), (f"{entry.method} {entry.url}" for entry in reversed(self._recent))
        )
        like = next((entry for entry in self._recent if near == f"{entry.method} {entry.url}"), None)
        return ActualState(
            f"there is none; most like it is {_join_entries([like])}" if like else "there is none", hint
        )


class ConsoleErrorLogged(LogExpectation[ConsoleEntry]):
    """The page has logged an error: `console --errors`."""

    def phrase(self, *, negated: bool) -> str:
        """Return `console errors`."""
        return f"{'no ' if negated else ''}console errors"

    def _event_log(self) -> Ring[ConsoleEntry]:
        """Return the log of the session's console messages."""
        return self.page.session.logs.console

    async def select(self, recent: Sequence[ConsoleEntry]) -> list[ConsoleEntry]:
        """Return the entries that are errors."""
        return [entry for entry in recent if entry.is_at_least("error")]

    async def describe_actual(self, *, negated: bool) -> ActualState:
        """Quote the errors that the page logged."""
        hint = "Run 'console' to see what the page said"
        if not self.found:
            return ActualState("there are none", hint)
        first = "; ".join(quote_text(entry.text, _MOST_CHARACTERS) for entry in self.found[:MOST_NAMED])
        return ActualState(
            f"there {_format_count_verb(len(self.found), 'error')}: {first}",
            "Run 'console --errors' to see all of them",
        )


class RequestFailed(LogExpectation[NetworkEntry]):
    """A request failed, or the response was 4xx or 5xx: `network --failed`."""

    def phrase(self, *, negated: bool) -> str:
        """Return `failed requests`."""
        return f"{'no ' if negated else ''}failed requests"

    def _event_log(self) -> Ring[NetworkEntry]:
        """Return the log of the session's requests."""
        return self.page.session.logs.network

    async def select(self, recent: Sequence[NetworkEntry]) -> list[NetworkEntry]:
        """Return the requests that have failed."""
        return [entry for entry in recent if entry.is_failed]

    async def describe_actual(self, *, negated: bool) -> ActualState:
        """List the requests that failed."""
        hint = "Run 'network --failed' to see all of them"
        if not self.found:
            return ActualState("there are none", "Run 'network' to see what the page asked for")
        return ActualState(
            f"there {_format_count_verb(len(self.found), 'request')}: {_join_entries(self.found)}", hint
        )


class DialogShown(LogExpectation[DialogEntry]):
    """The page has shown a dialog with a matching message."""

    def __init__(self, page: "PageSession", pattern: Pattern) -> None:
        super().__init__(page)
        self.pattern = pattern
        self._recent: Sequence[DialogEntry] = ()

    def phrase(self, *, negated: bool) -> str:
        """Return `dialog Delete?`."""
        return f"{'no ' if negated else ''}dialog {self.pattern}"

    def _event_log(self) -> Ring[DialogEntry]:
        """Return the log of the session's dialogs."""
        return self.page.session.logs.dialog

    async def select(self, recent: Sequence[DialogEntry]) -> list[DialogEntry]:
        """Return the dialogs with a message that matches the pattern."""
        self._recent = recent
        return [entry for entry in recent if await matches(self.page, self.pattern, entry.message)]

    async def describe_actual(self, *, negated: bool) -> ActualState:
        """List the dialogs that were shown."""
        shown = self.found or self._recent
        lines = ", ".join(
            f"{entry.kind} {quote_text(entry.message, _MOST_CHARACTERS)}" for entry in shown[-MOST_NAMED:]
        )
        return ActualState(
            f"there was {lines}" if lines else "there was none", "Run 'dialog' to see all there were"
        )


class DownloadFinished(Expectation):
    """A file with a matching name was downloaded completely."""

    is_of_page = False

    def __init__(self, page: "PageSession", glob: str) -> None:
        super().__init__(page)
        self._shown = one_line(glob, _MOST_CHARACTERS)
        self._glob = Glob(glob, whole=True)

    def phrase(self, *, negated: bool) -> str:
        """Return `download report.csv`."""
        return f"{'no ' if negated else ''}download {self._shown}"

    async def check(self) -> bool:
        """Return whether a recent download with a matching name is complete."""
        return any(item.state == "done" and self._is_named(item) for item in self._recent_downloads())

    def _is_named(self, item: Download) -> bool:
        return self._glob.matches(item.name) or self._glob.matches(item.suggested)

    def _recent_downloads(self) -> list[Download]:
        """Return the downloads of the tab's document, or of the tab since the last action began."""
        tab = self.page.tab
        return [
            item
            for item in self.page.session.downloads
            if item.document == tab.document
            or (item.tab == tab.id and (item.is_wanted or item.number > tab.effects.downloads_before))
        ]

    async def describe_actual(self, *, negated: bool) -> ActualState:
        """List the recent downloads, those of the expected name if there are any."""
        recent = self._recent_downloads()
        named = [item for item in recent if self._is_named(item)] or recent
        lines = "; ".join(one_line(item.line(self.page.cwd), _MOST_CHARACTERS) for item in named[-MOST_NAMED:])
        return ActualState(
            f"there is: {lines}" if lines else "there is none", "Run 'downloads' to see all there were"
        )


def _format_count_verb(count: int, one: str) -> str:
    """Return `is 1 dialog` or `are 2 dialogs`."""
    return f"{'is' if count == 1 else 'are'} {format_count(count, one)}"


def _join_entries(entries: Sequence[NetworkEntry]) -> str:
    """Return the last MOST_NAMED requests in one line."""
    return "; ".join(one_line(entry.render(), _MOST_CHARACTERS) for entry in entries[-MOST_NAMED:])
