"""What can be expected of the words of a page: what it says, its title, its address."""

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from gstack_browse.browser.engine.answers import Alert
from gstack_browse.browser.engine.messages import TooLong
from gstack_browse.browser.input import waiting
from gstack_browse.browser.input.find import Element, ask
from gstack_browse.browser.output import read
from gstack_browse.browser.output.expecting import (
    MOST_MILLISECONDS,
    Expectation,
    Instead,
    matches,
)
from gstack_browse.browser.tabs.urls import shown_url
from gstack_browse.errors import NoMatch
from gstack_browse.text.pattern import Pattern, fold_blanks
from gstack_browse.text.resembling import find_similar
from gstack_browse.text.sanitise import one_line, quote_text

if TYPE_CHECKING:
    from gstack_browse.browser.tabs.page import PageSession

_SHOWN = 120
_SEE_TEXT = "Run 'text' to see all that it shows"


class Says(Expectation):
    """That the page, or one element of it, says something where a person can see it, in a field or elsewhere.

    What is exact is a line of the page, or all that the element says.
    """

    def __init__(self, page: "PageSession", pattern: Pattern, target: str = "") -> None:
        super().__init__(page)
        self.target = target
        self.pattern = pattern
        self._field = 0
        """The field that alone says it: what was just typed proves nothing of what the page made of it."""

    def phrase(self, *, negated: bool) -> str:
        where = f" in {one_line(self.target, 200)}" if self.target else ""
        return f"{'no ' if negated else ''}text {self.pattern}{where}"

    async def look(self) -> bool:
        milliseconds = MOST_MILLISECONDS if self.pattern.kind == "regex" else 0
        found = await self._ask("says", self.pattern.engine_form, milliseconds=milliseconds)
        if found is None:
            raise NoMatch(f"No element matches {self.target}")
        self._field = max(found, 0)
        return bool(found)

    async def aside(self) -> str:
        if not self._field:
            return ""
        frame = (await self._element()).frame if self.target else self.page.frame
        (ref,) = await self.page.tab.refs.refs_of(frame, [self._field])
        return f", only in the field {ref}".rstrip()

    async def instead(self, *, negated: bool) -> Instead:
        wanted = fold_blanks(self.pattern.search_words)
        lines: list[str] = await self._ask("linesShown")
        who = "it says" if self.target else "the page shows"
        if negated:
            line = next((line for line in lines if wanted and wanted in line), "")
            return Instead(f"{who} {await self._cited(line)}" if line else f"{who} it", _SEE_TEXT)
        near = find_similar(wanted, lines)
        shown = near[0] if near else " ".join(lines)
        words = f"{who} {await self._cited(shown) if near else _quoted(shown)}" if shown else f"{who} nothing"
        elsewhere = "" if self.target else await waiting.where_shown(self.page, self.pattern.search_words)
        return Instead(words + await self._announced(shown), elsewhere or _SEE_TEXT)

    async def _cited(self, line: str) -> str:
        """A line of the page in quotation marks, with a ref of the element that says it where that is known."""
        node = await self._look_up("whoSays", line)
        refs = await self._refs([node]) if node else []
        return " ".join(filter(None, [_quoted(line), f"({refs[0]})" if refs and refs[0] else ""]))

    async def _announced(self, shown: str) -> str:
        """What the page has to announce besides: an alert says why nothing came."""
        alerts: list[Alert] = await self._look_up("alerts") or []
        others = [alert for alert in alerts if fold_blanks(alert["text"]) not in shown]
        if not others:
            return ""
        refs = await self._refs([alert["id"] for alert in others])
        said = (f"{ref} {_quoted(alert['text'])}".strip() for ref, alert in zip(refs, others, strict=True))
        return f" (near: {', '.join(said)})"

    async def _look_up(self, question: str, *arguments: str) -> Any:
        """What the engine finds about the page; nothing where that keeps the page busy for long."""
        with suppress(TooLong):
            return await self.page.world.call(
                question, *arguments, frame=self.page.frame, milliseconds=MOST_MILLISECONDS
            )
        return None

    async def _refs(self, nodes: list[int]) -> list[str]:
        return await self.page.tab.refs.refs_of(self.page.frame, nodes)

    async def _ask(self, question: str, *arguments: Any, milliseconds: int = 0) -> Any:
        """What the engine says of the element, or of the page."""
        if self.target and not milliseconds:
            return (await ask(self.page, self.target, question, *arguments, again=True))[1]
        element = await self._element() if self.target else None
        frame, node = (element.frame, element.node) if element else (self.page.frame, 0)
        return await self.page.world.call(question, node, *arguments, frame=frame, milliseconds=milliseconds)

    async def _element(self) -> Element:
        return (await ask(self.page, self.target, "states", again=True))[0]


class PageTitle(Expectation):
    """What the page's title is."""

    def __init__(self, page: "PageSession", pattern: Pattern) -> None:
        super().__init__(page)
        self.pattern = pattern

    def phrase(self, *, negated: bool) -> str:
        return f"title {'not ' if negated else ''}{self.pattern}"

    async def look(self) -> bool:
        return await matches(self.page, self.pattern, await read.title(self.page))

    async def instead(self, *, negated: bool) -> Instead:
        title = await read.title(self.page)
        return Instead(
            f"it is {_quoted(title)}" if title else "there is none", "Run 'url' to see where the tab is"
        )


class TabAddress(Expectation):
    """What the tab's address is, also the one of a document that is on its way to it."""

    is_of_page = False

    def __init__(self, page: "PageSession", pattern: Pattern) -> None:
        super().__init__(page)
        self.pattern = pattern

    def phrase(self, *, negated: bool) -> str:
        verb = "is" if self.pattern.kind == "exact" else "matches"
        pattern = one_line(self.pattern.text, _SHOWN) if self.pattern.kind == "exact" else str(self.pattern)
        return (
            f"url {verb} {pattern}"
            if not negated
            else f"url not {'matching' if verb == 'matches' else ''} {pattern}"
        )

    async def look(self) -> bool:
        return await matches(self.page, self.pattern, self.page.tab.url)

    async def instead(self, *, negated: bool) -> Instead:
        return Instead(f"it is {shown_url(self.page.tab.url)}", "Run 'snapshot -i' to see what the page says")


def _quoted(text: str) -> str:
    return quote_text(text, _SHOWN)
