"""The expectations of `expect`: of elements, of the page's text, title and URL, and of events.

Events (requests, console errors, downloads, dialogs) of the tab's present document count, and all those of the tab since the last
action began: an action may lead to another document.
"""

import json
from abc import abstractmethod
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Generic, Literal, TypeVar

from gstack_browse.browser.actions import waiting
from gstack_browse.browser.actions.locate.find import Element, ask_about, count_matches, suggest_targets
from gstack_browse.browser.command.page import PageCommand
from gstack_browse.browser.downloads import Download
from gstack_browse.browser.engine.answer_types import Alert, Focused
from gstack_browse.browser.engine.messages import TooLong
from gstack_browse.browser.reading import read
from gstack_browse.browser.reading.expecting import MOST_MILLISECONDS, ActualState, Expectation, matches
from gstack_browse.browser.tab.tab import Tab
from gstack_browse.browser.tab.urls import shown_url
from gstack_browse.errors import NoMatch
from gstack_browse.network.logs import AnyEntry, ConsoleEntry, DialogEntry, NetworkEntry, Ring
from gstack_browse.registry.suggest import find_most_similar
from gstack_browse.text.pattern import ANYTHING, Glob, Pattern, RequestGlob, StatusPattern, fold_blanks
from gstack_browse.text.sanitise import one_line, quote_text
from gstack_browse.text.units import format_count

State = Literal["visible", "hidden", "enabled", "disabled", "checked", "focused", "editable"]
OPPOSITES: dict[State, str] = {
    "visible": "hidden",
    "hidden": "visible",
    "enabled": "disabled",
    "disabled": "enabled",
    "checked": "not checked",
    "focused": "not focused",
    "editable": "not editable",
}
_MOST_CHARACTERS = 200


class ElementState(Expectation):
    """An element is in one of the states of `is`. Any state but hidden fails without one."""

    def __init__(self, page: PageCommand, state: State, target: str) -> None:
        super().__init__(page)
        self.state = state
        self.target = target
        self._is_missing = False

    def describe_expected(self, *, negated: bool) -> str:
        """Describe the expectation (`negated`: its opposite) for messages: `#save visible`."""
        return f"{_shorten(self.target)} {'not ' if negated else ''}{self.state}"

    async def check(self) -> bool:
        """Return whether the element has the state. A missing one is hidden; any other state raises NoMatch."""
        self._is_missing = False
        try:
            return await read.fetch_state(self.page, self.state, self.target, is_recheck=True)
        except NoMatch:
            self._is_missing = True
            if self.state in ("visible", "hidden"):
                return self.state == "hidden"
            raise

    async def describe_actual(self, *, negated: bool) -> ActualState:
        """Describe the element's actual state for the error. `negated`: it has the state, and should not."""
        if self._is_missing:
            return ActualState(
                f"no element matches {_shorten(self.target)}",
                await suggest_targets(self.page, self.target),
            )
        if self.state == "focused" and not negated:
            focused: Focused = await self.page.world.call("describeFocused", frame=self.page.frame)
            return ActualState(
                f"the focus is on {focused['text']}" if focused["text"] else "nothing has the focus"
            )
        is_now = self.state if negated else OPPOSITES[self.state]
        return ActualState(
            f"it is {is_now}", "Run 'snapshot -i' to see the page, or 'screenshot' to look at it"
        )


class FieldValue(Expectation):
    """A field has a value, as `value` prints it: secrets are masked."""

    def __init__(self, page: PageCommand, target: str, pattern: Pattern) -> None:
        super().__init__(page)
        self.target = target
        self.pattern = pattern

    def describe_expected(self, *, negated: bool) -> str:
        """Describe the expectation (`negated`: its opposite) for messages: `value ann in #name`."""
        return f"value {'not ' if negated else ''}{self.pattern} in {_shorten(self.target)}"

    async def check(self) -> bool:
        """Return whether the field's value matches the pattern."""
        return await matches(
            self.page, self.pattern, await read.fetch_value(self.page, self.target, is_recheck=True)
        )

    async def describe_actual(self, *, negated: bool) -> ActualState:
        """Quote the field's actual value for the error. `negated`: it matches, and should not."""
        return ActualState(f"it holds {_quote_value(await read.fetch_value(self.page, self.target))}")


class ElementAttribute(Expectation):
    """An element has an attribute, and with a pattern its value matches. Secrets are masked."""

    def __init__(self, page: PageCommand, target: str, name: str, pattern: Pattern = ANYTHING) -> None:
        super().__init__(page)
        self.target = target
        self._name = name
        self.pattern = pattern

    def describe_expected(self, *, negated: bool) -> str:
        """Describe the expectation (`negated`: its opposite) for messages: `attribute href /docs on #more`."""
        says = "" if self.pattern is ANYTHING else f" {self.pattern}"
        attribute = f"attribute {one_line(self._name, 60)}{says}"
        return f"{'no ' if negated else ''}{attribute} on {_shorten(self.target)}"

    async def check(self) -> bool:
        """Return whether the element has the attribute, with a value that matches the pattern."""
        value = await self._fetch_value()
        return value is not None and await matches(self.page, self.pattern, value)

    async def _fetch_value(self) -> str | None:
        """Return the attribute's value; None if the element has no such attribute. Raises NoMatch."""
        _, found = await ask_about(self.page, self.target, "readAttributes", with_hint=False)
        if found is None:
            raise NoMatch(f"{self.target} disappeared")
        value: str | None = found.get(self._name)
        return value

    async def describe_actual(self, *, negated: bool) -> ActualState:
        """Quote the attribute's actual value for the error. `negated`: it matches, and should not."""
        value = await self._fetch_value()
        hint = f"Run 'attrs {self.target}' to see its attributes"
        return ActualState("there is none" if value is None else f"it is {_quote_value(value)}", hint)


class ElementCount(Expectation):
    """A selector matches so many elements, hidden ones too."""

    def __init__(self, page: PageCommand, target: str, number: int) -> None:
        super().__init__(page)
        self.target = target
        self._number = number
        self._found = 0

    def describe_expected(self, *, negated: bool) -> str:
        """Describe the expectation (`negated`: its opposite) for messages: `3 elements matching li`."""
        return f"{'not ' if negated else ''}{format_count(self._number, 'element')} matching {_shorten(self.target)}"

    async def check(self) -> bool:
        """Count the elements that match. Return whether there are as many as expected."""
        self._found = await count_matches(self.page, self.target)
        return self._found == self._number

    async def describe_actual(self, *, negated: bool) -> ActualState:
        """Describe the actual number of elements for the error. `negated`: it should not be the given one."""
        if self._found or negated:
            return ActualState(f"there {'is' if self._found == 1 else 'are'} {self._found:,}")
        return ActualState("there are none", await suggest_targets(self.page, self.target))


def _shorten(target: str) -> str:
    """Return a target as the user typed it, as one line of _MOST_CHARACTERS at most."""
    return one_line(target, _MOST_CHARACTERS)


def _quote_value(text: str) -> str:
    """Return a value in quotes, of _MOST_CHARACTERS at most; `nothing` for ""."""
    return json.dumps(one_line(text, _MOST_CHARACTERS), ensure_ascii=False) if text else "nothing"


_MOST_PAGE_CHARACTERS = 120
_SEE_TEXT = "Run 'text' to see all that it shows"


class VisibleText(Expectation):
    """The page, or an element, shows a text, in a field or elsewhere.

    An exact pattern matches a line of the page, or all text of the element.
    """

    def __init__(self, page: PageCommand, pattern: Pattern, target: str = "") -> None:
        super().__init__(page)
        self.target = target
        self.pattern = pattern
        self._only_field = 0
        """The only field that has the text; 0 otherwise. Text that was just typed proves nothing about the page."""

    def describe_expected(self, *, negated: bool) -> str:
        """Describe the expectation (`negated`: its opposite) for messages: `text Saved in #status`."""
        where = f" in {one_line(self.target, 200)}" if self.target else ""
        return f"{'no ' if negated else ''}text {self.pattern}{where}"

    async def check(self) -> bool:
        """Return whether the page or the element shows the text."""
        milliseconds = MOST_MILLISECONDS if self.pattern.kind == "regex" else 0
        found = await self._call_on_element(
            "findMatchingText", self.pattern.engine_form, milliseconds=milliseconds
        )
        if found is None:
            raise NoMatch(f"No element matches {self.target}")
        self._only_field = max(found, 0)
        return bool(found)

    async def describe_detail(self) -> str:
        """Return the remark `, only in the field @e3` if only a field's value has the text; "" otherwise."""
        if not self._only_field:
            return ""
        frame = (await self._find_element()).frame if self.target else self.page.frame
        (ref,) = await self.page.tab.refs.refs_of(frame, [self._only_field])
        return f", only in the field {ref}".rstrip()

    async def describe_actual(self, *, negated: bool) -> ActualState:
        """Quote the most similar text on the page, and its alerts, for the error that the text is missing.

        `negated`: quote the text itself, which is there and should not be.
        """
        wanted = fold_blanks(self.pattern.search_words)
        lines: list[str] = await self._call_on_element("listDisplayedLines")
        who = "it says" if self.target else "the page shows"
        if negated:
            line = next((line for line in lines if wanted and wanted in line), "")
            return ActualState(f"{who} {await self._quote_with_ref(line)}" if line else f"{who} it", _SEE_TEXT)
        near = find_most_similar(wanted, lines)
        shown = near or " ".join(lines)
        words = (
            f"{who} {await self._quote_with_ref(shown) if near else _quote_text(shown)}"
            if shown
            else f"{who} nothing"
        )
        elsewhere = (
            "" if self.target else await waiting.describe_frame_with_text(self.page, self.pattern.search_words)
        )
        return ActualState(words + await self._describe_alerts(shown), elsewhere or _SEE_TEXT)

    async def _quote_with_ref(self, line: str) -> str:
        """Quote a line of the page, with the ref of the element that shows it, if that is found."""
        node = await self._call_on_page("findElementWithText", line)
        refs = await self._find_refs([node]) if node else []
        return " ".join(filter(None, [_quote_text(line), f"({refs[0]})" if refs and refs[0] else ""]))

    async def _describe_alerts(self, shown: str) -> str:
        """Describe the page's alerts, which may say why the text is missing, except those in `shown`."""
        alerts: list[Alert] = await self._call_on_page("listAlerts") or []
        others = [alert for alert in alerts if fold_blanks(alert["text"]) not in shown]
        if not others:
            return ""
        refs = await self._find_refs([alert["id"] for alert in others])
        descriptions = (
            f"{ref} {_quote_text(alert['text'])}".strip() for ref, alert in zip(refs, others, strict=True)
        )
        return f" (near: {', '.join(descriptions)})"

    async def _call_on_page(self, function: str, *arguments: str) -> Any:
        """Call the engine's function named `function` on the page; None if that takes MOST_MILLISECONDS."""
        with suppress(TooLong):
            return await self.page.world.call(
                function, *arguments, frame=self.page.frame, milliseconds=MOST_MILLISECONDS
            )
        return None

    async def _find_refs(self, nodes: list[int]) -> list[str]:
        """Return the refs of nodes of the frame, given by node id, in their order; "" for one without a ref."""
        return await self.page.tab.refs.refs_of(self.page.frame, nodes)

    async def _call_on_element(self, function: str, *arguments: Any, milliseconds: int = 0) -> Any:
        """Call a function of the injected engine on the target's element, or on the page without a target.

        `function`: its name. It gets the element's node id, 0 for the page, then `arguments`. `milliseconds`: time limit for it; 0
        for none.
        """
        if self.target and not milliseconds:
            return (await ask_about(self.page, self.target, function, *arguments, with_hint=False))[1]
        element = await self._find_element() if self.target else None
        frame, node = (element.frame, element.node) if element else (self.page.frame, 0)
        return await self.page.world.call(function, node, *arguments, frame=frame, milliseconds=milliseconds)

    async def _find_element(self) -> Element:
        """Return the target's element, whose text is expected."""
        return (await ask_about(self.page, self.target, "readElementStates", with_hint=False))[0]


class PageTitle(Expectation):
    """The page's title matches."""

    def __init__(self, page: PageCommand, pattern: Pattern) -> None:
        super().__init__(page)
        self.pattern = pattern

    def describe_expected(self, *, negated: bool) -> str:
        """Describe the expectation (`negated`: its opposite) for messages: `title Inbox`."""
        return f"title {'not ' if negated else ''}{self.pattern}"

    async def check(self) -> bool:
        """Return whether the title matches the pattern."""
        return await matches(self.page, self.pattern, await read.fetch_title(self.page))

    async def describe_actual(self, *, negated: bool) -> ActualState:
        """Quote the page's actual title for the error. `negated`: it matches, and should not."""
        title = await read.fetch_title(self.page)
        return ActualState(
            f"it is {_quote_text(title)}" if title else "there is none", "Run 'url' to see where the tab is"
        )


class TabAddress(Expectation):
    """The tab's address matches, or that of a document on its way."""

    is_of_page = False

    def __init__(self, page: PageCommand, pattern: Pattern) -> None:
        super().__init__(page)
        self.pattern = pattern

    def describe_expected(self, *, negated: bool) -> str:
        """Describe the expectation (`negated`: its opposite) for messages: `url is https://example.com/`."""
        if self.pattern.kind == "exact":
            verb, pattern = "not" if negated else "is", one_line(self.pattern.text, _MOST_PAGE_CHARACTERS)
        else:
            verb, pattern = "not matching" if negated else "matches", str(self.pattern)
        return f"url {verb} {pattern}"

    async def check(self) -> bool:
        """Return whether the tab's address matches the pattern."""
        return await matches(self.page, self.pattern, self.page.tab.url)

    async def describe_actual(self, *, negated: bool) -> ActualState:
        """Quote the tab's actual URL for the error. `negated`: it matches, and should not."""
        return ActualState(
            f"it is {shown_url(self.page.tab.url)}", "Run 'snapshot -i' to see what the page says"
        )


def _quote_text(text: str) -> str:
    """Return a text of the page in quotes, of _MOST_PAGE_CHARACTERS at most."""
    return quote_text(text, _MOST_PAGE_CHARACTERS)


MOST_NAMED = 3
_MOST_EVENT_CHARACTERS = 150

Entry = TypeVar("Entry", ConsoleEntry, NetworkEntry, DialogEntry)


def is_recent(entry: AnyEntry, tab: Tab) -> bool:
    """Return whether a log entry belongs to the tab's present document, or to the tab's last action.

    An entry belongs to the action if it came from the tab after the action began.
    """
    if entry.document == tab.document:
        return True
    return entry.tab == tab.id and entry.received_at >= tab.effects.acted_at


class LogExpectation(Expectation, Generic[Entry]):
    """A log has a matching entry."""

    is_of_page = False

    def __init__(self, page: PageCommand) -> None:
        super().__init__(page)
        self.found: list[Entry] = []
        """The matching entries, as of the last check."""

    async def check(self) -> bool:
        """Put the recent log entries that match into `found`. Return whether there are enough of them."""
        recent = [entry for entry in self._event_log() if is_recent(entry, self.page.tab)]
        self.found = await self.select_matching(recent)
        return self.has_enough()

    def has_enough(self) -> bool:
        """Return whether `found` has enough entries: one, unless a subclass expects a certain number."""
        return bool(self.found)

    @abstractmethod
    def _event_log(self) -> Ring[Entry]:
        """Return the log in which matching entries are looked for."""

    @abstractmethod
    async def select_matching(self, recent: Sequence[Entry]) -> list[Entry]:
        """Return the entries of `recent` that match. `recent`: entries that `is_recent` accepts."""


class RequestMade(LogExpectation[NetworkEntry]):
    """A request was made; if given, with that status of the response, or that number of times."""

    def __init__(
        self, page: PageCommand, glob: RequestGlob, status: StatusPattern | None, times: int | None
    ) -> None:
        super().__init__(page)
        self._glob = glob
        self._status = status
        self._times = times
        self._recent: Sequence[NetworkEntry] = ()

    def describe_expected(self, *, negated: bool) -> str:
        """Describe the expectation (`negated`: its opposite) for messages: `request POST /cart, 1 time`."""
        status = f" answered {self._status}" if self._status else ""
        times = "" if self._times is None else f", {format_count(self._times, 'time')}"
        return f"{'no ' if negated else ''}request {self._glob}{status}{times}"

    def _event_log(self) -> Ring[NetworkEntry]:
        """Return the log of the context's requests."""
        return self.page.context.logs.network

    async def select_matching(self, recent: Sequence[NetworkEntry]) -> list[NetworkEntry]:
        """Return the requests of `recent` that match method, URL and status."""
        self._recent = recent
        requested = [entry for entry in recent if self._glob.matches(entry.method, entry.url)]
        status = self._status
        return (
            [entry for entry in requested if status.matches(entry.status, entry.error)] if status else requested
        )

    def has_enough(self) -> bool:
        """Return whether `found` has as many requests as expected: the given number, or any."""
        return bool(self.found) if self._times is None else len(self.found) == self._times

    async def describe_actual(self, *, negated: bool) -> ActualState:
        """List matching requests for the error; if none match, those of another status, or the most similar."""
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

    def describe_expected(self, *, negated: bool) -> str:
        """Describe the expectation (`negated`: its opposite) for messages: `console errors`."""
        return f"{'no ' if negated else ''}console errors"

    def _event_log(self) -> Ring[ConsoleEntry]:
        """Return the log of the context's console messages."""
        return self.page.context.logs.console

    async def select_matching(self, recent: Sequence[ConsoleEntry]) -> list[ConsoleEntry]:
        """Return the console messages of `recent` that are errors."""
        return [entry for entry in recent if entry.is_at_least("error")]

    async def describe_actual(self, *, negated: bool) -> ActualState:
        """Quote the errors that the page has logged, for the error message; or say that there are none."""
        hint = "Run 'console' to see what the page said"
        if not self.found:
            return ActualState("there are none", hint)
        first = "; ".join(quote_text(entry.text, _MOST_EVENT_CHARACTERS) for entry in self.found[:MOST_NAMED])
        return ActualState(
            f"there {_format_count_verb(len(self.found), 'error')}: {first}",
            "Run 'console --errors' to see all of them",
        )


class RequestFailed(LogExpectation[NetworkEntry]):
    """A request failed, or the response was 4xx or 5xx: `network --failed`."""

    def describe_expected(self, *, negated: bool) -> str:
        """Describe the expectation (`negated`: its opposite) for messages: `failed requests`."""
        return f"{'no ' if negated else ''}failed requests"

    def _event_log(self) -> Ring[NetworkEntry]:
        """Return the log of the context's requests."""
        return self.page.context.logs.network

    async def select_matching(self, recent: Sequence[NetworkEntry]) -> list[NetworkEntry]:
        """Return the requests of `recent` that have failed."""
        return [entry for entry in recent if entry.is_failed]

    async def describe_actual(self, *, negated: bool) -> ActualState:
        """List the requests that have failed, for the error message; or say that there are none."""
        hint = "Run 'network --failed' to see all of them"
        if not self.found:
            return ActualState("there are none", "Run 'network' to see what the page asked for")
        return ActualState(
            f"there {_format_count_verb(len(self.found), 'request')}: {_join_entries(self.found)}", hint
        )


class DialogShown(LogExpectation[DialogEntry]):
    """The page has shown a dialog with a matching message."""

    def __init__(self, page: PageCommand, pattern: Pattern) -> None:
        super().__init__(page)
        self.pattern = pattern
        self._recent: Sequence[DialogEntry] = ()

    def describe_expected(self, *, negated: bool) -> str:
        """Describe the expectation (`negated`: its opposite) for messages: `dialog Delete?`."""
        return f"{'no ' if negated else ''}dialog {self.pattern}"

    def _event_log(self) -> Ring[DialogEntry]:
        """Return the log of the context's dialogs."""
        return self.page.context.logs.dialog

    async def select_matching(self, recent: Sequence[DialogEntry]) -> list[DialogEntry]:
        """Return the dialogs of `recent` with a message that matches the pattern."""
        self._recent = recent
        return [entry for entry in recent if await matches(self.page, self.pattern, entry.message)]

    async def describe_actual(self, *, negated: bool) -> ActualState:
        """List the dialogs that the page has shown, the matching ones if there are any, for the error message."""
        shown = self.found or self._recent
        lines = ", ".join(
            f"{entry.kind} {quote_text(entry.message, _MOST_EVENT_CHARACTERS)}" for entry in shown[-MOST_NAMED:]
        )
        return ActualState(
            f"there was {lines}" if lines else "there was none", "Run 'dialog' to see all there were"
        )


class DownloadFinished(Expectation):
    """A file with a matching name was downloaded completely."""

    is_of_page = False

    def __init__(self, page: PageCommand, glob: str) -> None:
        super().__init__(page)
        self._shown = one_line(glob, _MOST_EVENT_CHARACTERS)
        self._glob = Glob(glob, whole=True)

    def describe_expected(self, *, negated: bool) -> str:
        """Describe the expectation (`negated`: its opposite) for messages: `download report.csv`."""
        return f"{'no ' if negated else ''}download {self._shown}"

    async def check(self) -> bool:
        """Return whether a recent download with a matching name is complete."""
        return any(item.state == "done" and self._is_named(item) for item in self._recent_downloads())

    def _is_named(self, item: Download) -> bool:
        """Return whether the name of a download, as saved or as suggested, matches."""
        return self._glob.matches(item.name) or self._glob.matches(item.suggested)

    def _recent_downloads(self) -> list[Download]:
        """Return downloads of the tab's present document, and those of the tab since its last action began."""
        tab = self.page.tab
        return [
            item
            for item in self.page.context.downloads
            if item.document == tab.document
            or (item.tab == tab.id and (item.is_wanted or item.number > tab.effects.downloads_before))
        ]

    async def describe_actual(self, *, negated: bool) -> ActualState:
        """List the recent downloads, the matching ones if there are any, for the error message."""
        recent = self._recent_downloads()
        named = [item for item in recent if self._is_named(item)] or recent
        lines = "; ".join(
            one_line(item.describe(self.page.cwd), _MOST_EVENT_CHARACTERS) for item in named[-MOST_NAMED:]
        )
        return ActualState(
            f"there is: {lines}" if lines else "there is none", "Run 'downloads' to see all there were"
        )


def _format_count_verb(count: int, one: str) -> str:
    """Return verb, count and noun: `is 1 dialog`, `are 2 dialogs`. `one`: the noun's singular."""
    return f"{'is' if count == 1 else 'are'} {format_count(count, one)}"


def _join_entries(entries: Sequence[NetworkEntry]) -> str:
    """Render the last MOST_NAMED requests in one line."""
    return "; ".join(one_line(entry.render(), _MOST_EVENT_CHARACTERS) for entry in entries[-MOST_NAMED:])
