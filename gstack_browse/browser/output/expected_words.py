"""Expectations of the page's text, title and address."""

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from gstack_browse.browser.engine.answers import Alert
from gstack_browse.browser.engine.messages import TooLong
from gstack_browse.browser.input import waiting
from gstack_browse.browser.input.find import Element, ask
from gstack_browse.browser.output import read
from gstack_browse.browser.output.expecting import (
    MOST_MILLISECONDS,
    ActualState,
    Expectation,
    matches,
)
from gstack_browse.browser.tabs.urls import shown_url
from gstack_browse.errors import NoMatch
from gstack_browse.text.pattern import Pattern, fold_blanks
from gstack_browse.text.resembling import find_similar
from gstack_browse.text.sanitise import one_line, quote_text

if TYPE_CHECKING:
    from gstack_browse.browser.tabs.page import PageSession

_MOST_CHARACTERS = 120
_SEE_TEXT = "Run 'text' to see all that it shows"


class VisibleText(Expectation):
    """The page, or an element, shows a text, in a field or elsewhere.

    An exact pattern matches a line of the page, or all text of the element.
    """

    def __init__(self, page: "PageSession", pattern: Pattern, target: str = "") -> None:
        super().__init__(page)
        self.target = target
        self.pattern = pattern
        self._only_field = 0
        """The only field that has the text; 0 otherwise. Text that was just typed proves nothing about the page."""

    def phrase(self, *, negated: bool) -> str:
        where = f" in {one_line(self.target, 200)}" if self.target else ""
        return f"{'no ' if negated else ''}text {self.pattern}{where}"

    async def check(self) -> bool:
        milliseconds = MOST_MILLISECONDS if self.pattern.kind == "regex" else 0
        found = await self._ask("says", self.pattern.engine_form, milliseconds=milliseconds)
        if found is None:
            raise NoMatch(f"No element matches {self.target}")
        self._only_field = max(found, 0)
        return bool(found)

    async def describe_detail(self) -> str:
        if not self._only_field:
            return ""
        frame = (await self._element()).frame if self.target else self.page.frame
        (ref,) = await self.page.tab.refs.refs_of(frame, [self._only_field])
        return f", only in the field {ref}".rstrip()

    async def describe_actual(self, *, negated: bool) -> ActualState:
        wanted = fold_blanks(self.pattern.search_words)
        lines: list[str] = await self._ask("linesShown")
        who = "it says" if self.target else "the page shows"
        if negated:
            line = next((line for line in lines if wanted and wanted in line), "")
            return ActualState(f"{who} {await self._quote_with_ref(line)}" if line else f"{who} it", _SEE_TEXT)
        near = find_similar(wanted, lines)
        shown = near[0] if near else " ".join(lines)
        words = (
            f"{who} {await self._quote_with_ref(shown) if near else _quoted(shown)}"
            if shown
            else f"{who} nothing"
        )
        elsewhere = "" if self.target else await waiting.where_shown(self.page, self.pattern.search_words)
        return ActualState(words + await self._describe_alerts(shown), elsewhere or _SEE_TEXT)

    async def _quote_with_ref(self, line: str) -> str:
        """Quote a line of the page, with the ref of the element that shows it if known."""
        node = await self._ask_briefly("whoSays", line)
        refs = await self._find_refs([node]) if node else []
        return " ".join(filter(None, [_quoted(line), f"({refs[0]})" if refs and refs[0] else ""]))

    async def _describe_alerts(self, shown: str) -> str:
        """Describe the page's alerts that `shown` lacks: they may say why the text is missing."""
        alerts: list[Alert] = await self._ask_briefly("alerts") or []
        others = [alert for alert in alerts if fold_blanks(alert["text"]) not in shown]
        if not others:
            return ""
        refs = await self._find_refs([alert["id"] for alert in others])
        descriptions = (
            f"{ref} {_quoted(alert['text'])}".strip() for ref, alert in zip(refs, others, strict=True)
        )
        return f" (near: {', '.join(descriptions)})"

    async def _ask_briefly(self, question: str, *arguments: str) -> Any:
        """Ask the engine about the page; None if that would keep the page busy for long."""
        with suppress(TooLong):
            return await self.page.world.call(
                question, *arguments, frame=self.page.frame, milliseconds=MOST_MILLISECONDS
            )
        return None

    async def _find_refs(self, nodes: list[int]) -> list[str]:
        return await self.page.tab.refs.refs_of(self.page.frame, nodes)

    async def _ask(self, question: str, *arguments: Any, milliseconds: int = 0) -> Any:
        """Ask the engine about the element, or about the page."""
        if self.target and not milliseconds:
            return (await ask(self.page, self.target, question, *arguments, again=True))[1]
        element = await self._element() if self.target else None
        frame, node = (element.frame, element.node) if element else (self.page.frame, 0)
        return await self.page.world.call(question, node, *arguments, frame=frame, milliseconds=milliseconds)

    async def _element(self) -> Element:
        return (await ask(self.page, self.target, "states", again=True))[0]


class PageTitle(Expectation):
    """The page's title matches."""

    def __init__(self, page: "PageSession", pattern: Pattern) -> None:
        super().__init__(page)
        self.pattern = pattern

    def phrase(self, *, negated: bool) -> str:
        return f"title {'not ' if negated else ''}{self.pattern}"

    async def check(self) -> bool:
        return await matches(self.page, self.pattern, await read.title(self.page))

    async def describe_actual(self, *, negated: bool) -> ActualState:
        title = await read.title(self.page)
        return ActualState(
            f"it is {_quoted(title)}" if title else "there is none", "Run 'url' to see where the tab is"
        )


class TabAddress(Expectation):
    """The tab's address matches, or that of a document on its way."""

    is_of_page = False

    def __init__(self, page: "PageSession", pattern: Pattern) -> None:
        super().__init__(page)
        self.pattern = pattern

    def phrase(self, *, negated: bool) -> str:
        verb = "is" if self.pattern.kind == "exact" else "matches"
        pattern = (
            one_line(self.pattern.text, _MOST_CHARACTERS) if self.pattern.kind == "exact" else str(self.pattern)
        )
        return (
            f"url {verb} {pattern}"
            if not negated
            else f"url not {'matching' if verb == 'matches' else ''} {pattern}"
        )

    async def check(self) -> bool:
        return await matches(self.page, self.pattern, self.page.tab.url)

    async def describe_actual(self, *, negated: bool) -> ActualState:
        return ActualState(
            f"it is {shown_url(self.page.tab.url)}", "Run 'snapshot -i' to see what the page says"
        )


def _quoted(text: str) -> str:
    return quote_text(text, _MOST_CHARACTERS)
