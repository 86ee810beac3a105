"""Inspect the visible design of a page or element: frames of all sites, shadow trees, closed ones too."""

from collections.abc import Iterable
from typing import Any

from gstack_browse.browser.actions.locate.find import locate_first
from gstack_browse.browser.cdp.targets import ExecutionContext
from gstack_browse.browser.command.page import PageCommand
from gstack_browse.browser.engine.messages import FrameGone, PageScriptError
from gstack_browse.browser.reading import page_scripts
from gstack_browse.design.facts import DesignFacts
from gstack_browse.errors import StaleRef

MOST_DOCUMENTS = 40
_DEEPEST = 10
_SECONDS_OF_A_DOCUMENT = 4.0
"""Limit for one document (see the script), with a margin."""


async def inspect_design(page: PageCommand, target: str | None) -> DesignFacts:
    """Return facts about the design of a page, or of the element `target`.

    Of several elements, the first is examined. Raises NoMatch, StaleRef or UnknownRef if there is none.
    """
    facts = DesignFacts()
    await page.tab.refs.take_snapshot()  # so that the engine knows closed shadow roots
    element = await locate_first(page, target) if target else None
    context = await page.world.frames.context_of(element.frame if element else page.frame)
    answer = await _read_document_design(context, element.node if element else 0)
    if answer is None:
        raise StaleRef(f"{target} disappeared", "Run 'snapshot -i' to see what is there")
    await _add_document(page, facts, context, answer, _DEEPEST)
    return facts


async def _add_document(
    page: PageCommand, facts: DesignFacts, context: ExecutionContext, answer: dict[str, Any], depth: int
) -> None:
    """Add design.js's `answer` for a document to the facts, then those for its frames of other sites.

    `context`: where the document's scripts run. `depth`: how many levels of frames may follow.
    """
    facts.add(answer)
    frames: Iterable[int] = answer["frames"]
    for node in frames:
        if facts.documents >= MOST_DOCUMENTS or not depth or page.remaining() < _SECONDS_OF_A_DOCUMENT:
            facts.is_cut = True
            return
        try:
            inner = await page.world.frames.child_context(context, node)
            inner_answer = await _read_document_design(inner) if inner else None
        except (FrameGone, PageScriptError):
            continue  # the frame has gone
        if inner and inner_answer:
            await _add_document(page, facts, inner, inner_answer, depth - 1)


async def _read_document_design(context: ExecutionContext, node: int = 0) -> dict[str, Any] | None:
    """Run design.js in a document, which returns counts of its colours, fonts, components …

    `node`: the id of an element to look at; 0 for the whole document. Returns None if the element is gone.
    """
    answer: dict[str, Any] | None = await page_scripts.call_script(context, "collectDesign", {"node": node})
    return answer
