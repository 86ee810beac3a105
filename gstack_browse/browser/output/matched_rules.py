"""Asks Chromium which rules of style apply to an element, as its inspector does. What they come to is in `text/cascade.py`."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from gstack_browse.browser.cdp.playwright_names import Error as PlaywrightError
from gstack_browse.browser.cdp.session import Session
from gstack_browse.browser.engine import failures
from gstack_browse.browser.engine.bundle import ENGINE_NAME
from gstack_browse.browser.engine.messages import evaluate, send
from gstack_browse.browser.input.find import Element, locate_first
from gstack_browse.browser.output import page_scripts
from gstack_browse.errors import StaleRef
from gstack_browse.text import longhands

if TYPE_CHECKING:
    from gstack_browse.browser.tabs.page import PageSession

_GROUP = f"{ENGINE_NAME}-rules"


_MOST_ANCESTORS = 1_000


class Matched(NamedTuple):
    """What Chromium says of an element: the protocol's answer, the style sheets by their ids, names of the elements around it."""

    told: dict[str, Any]
    sheets: dict[str, dict[str, Any]]
    around: list[str]


async def matched(page: "PageSession", target: str) -> Matched:
    """The rules that apply to the first element that a target means. Raises what `find.locate_first` raises."""
    element = await locate_first(page, target)
    try:
        backend_node = await _backend_node(page, element)
        context = await page.world.frames.context_of(element.frame)
        around = await page_scripts.run(context, "ancestors", {"node": element.node, "most": _MOST_ANCESTORS})
        async with _styles(page, context.target.id) as (session, sheets):
            found = await session.send(
                "DOM.pushNodesByBackendIdsToFrontend", {"backendNodeIds": [backend_node]}
            )
            told = await session.send("CSS.getMatchedStylesForNode", {"nodeId": found["nodeIds"][0]})
            unclear = list(longhands.find_unexpanded(told))
            if names := sorted({item["name"] for item in unclear}):
                known = await page_scripts.run(context, "longhands", names)
                longhands.add_longhands(unclear, known)
            return Matched(told, sheets, around)
    except PlaywrightError as error:
        raise failures.translate(error) from None


async def _backend_node(page: "PageSession", element: Element) -> int:
    context = await page.world.frames.context_of(element.frame)
    node = await evaluate(context, f"__gbrowse.nodeFor({element.node})", group=_GROUP)
    if "objectId" not in node:
        raise StaleRef(f"{element.target} disappeared", "Run 'snapshot -i' to see what is there")
    described = await send(context, "DOM.describeNode", objectId=node["objectId"])
    await send(context, "Runtime.releaseObjectGroup", objectGroup=_GROUP)
    return int(described["node"]["backendNodeId"])


@asynccontextmanager
async def _styles(
    page: "PageSession", target_id: str
) -> AsyncIterator[tuple[Session, dict[str, dict[str, Any]]]]:
    """A session of its own in which Chromium tells of styles, and the sheets it has told of. It costs a page much, and ends with the block."""
    session = await page.session.running.connection.session(target_id)
    sheets: dict[str, dict[str, Any]] = {}

    def add(event: dict[str, Any]) -> None:
        sheets[event["header"]["styleSheetId"]] = event["header"]

    try:
        session.on("CSS.styleSheetAdded", add)
        await session.send("DOM.enable")
        await session.send("DOM.getDocument", {"depth": 0})
        await session.send("CSS.enable")
        yield session, sheets
    finally:
        with suppress(PlaywrightError):
            await session.detach()
