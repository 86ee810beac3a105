"""Looks at the design of a page, or of an element: what can be seen, in frames of every site and in shadow trees, closed ones too."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from gstack_browse.browser.cdp.playwright_names import Error as PlaywrightError
from gstack_browse.browser.cdp.targets import ExecutionContext
from gstack_browse.browser.engine import failures
from gstack_browse.browser.engine.messages import FrameGone, PageScriptError
from gstack_browse.browser.input.find import locate_first
from gstack_browse.browser.output import page_scripts
from gstack_browse.design.facts import DesignFacts
from gstack_browse.errors import StaleRef

if TYPE_CHECKING:
    from gstack_browse.browser.tabs.page import PageSession

MOST_DOCUMENTS = 40
_DEEPEST = 10
_SECONDS_OF_A_DOCUMENT = 4.0
"""What one may take (see the script), and a bit."""


async def look(page: "PageSession", target: str | None) -> DesignFacts:
    """What the page shows, or one element. Raises what `find.locate_first` raises."""
    facts = DesignFacts()
    try:
        await page.tab.refs.take()  # by which the engine hears of closed shadow roots
        element = await locate_first(page, target) if target else None
        context = await page.world.frames.context_of(element.frame if element else page.frame)
        told = await _told(page, context, element.node if element else 0)
        if told is None:
            raise StaleRef(f"{target} disappeared", "Run 'snapshot -i' to see what is there")
        await _add(page, facts, context, told, _DEEPEST)
    except PlaywrightError as error:
        raise failures.translate(error) from None
    return facts


async def _add(
    page: "PageSession", facts: DesignFacts, context: ExecutionContext, told: dict[str, Any], depth: int
) -> None:
    """Add what a document has told, and the frames of other sites that it shows."""
    facts.add(told)
    frames: Iterable[int] = told["frames"]
    for node in frames:
        if facts.documents >= MOST_DOCUMENTS or not depth or page.remaining() < _SECONDS_OF_A_DOCUMENT:
            facts.is_cut = True
            return
        try:
            inner = await page.world.frames.child(context, node)
            inner_told = await _told(page, inner) if inner else None
        except (FrameGone, PageScriptError):
            continue  # it went away meanwhile
        if inner and inner_told:
            await _add(page, facts, inner, inner_told, depth - 1)


async def _told(page: "PageSession", context: ExecutionContext, node: int = 0) -> dict[str, Any] | None:
    """What a document says of itself, or of one of its elements; None where that is gone."""
    told: dict[str, Any] | None = await page_scripts.run(context, "design-of", {"node": node})
    return told
