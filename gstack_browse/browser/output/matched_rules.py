"""Fetch the style rules that apply to an element, like an inspector. `text/cascade.py` evaluates them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from gstack_browse.browser.cdp.errors import ProtocolError
from gstack_browse.browser.cdp.session import Session
from gstack_browse.browser.cdp.targets import Target
from gstack_browse.browser.engine import failures
from gstack_browse.browser.engine.bundle import ENGINE_NAME
from gstack_browse.browser.engine.messages import evaluate, send
from gstack_browse.browser.input.find import Element, locate_first
from gstack_browse.browser.output import page_scripts
from gstack_browse.browser.tabs import passkeys
from gstack_browse.errors import StaleRef
from gstack_browse.text import longhands

if TYPE_CHECKING:
    from gstack_browse.browser.tabs.page import PageSession

_GROUP = f"{ENGINE_NAME}-rules"


_MOST_ANCESTORS = 1_000


class MatchedRules(NamedTuple):
    """The protocol's answer, style sheets by id, and names of the element's ancestors."""

    answer: dict[str, Any]
    sheets: dict[str, dict[str, Any]]
    ancestors: list[str]


async def find_matched_rules(page: "PageSession", target: str) -> MatchedRules:
    """Return the rules that apply to the target's first element. Raises like `find.locate_first`."""
    element = await locate_first(page, target)
    try:
        backend_node = await _backend_node(page, element)
        context = await page.world.frames.context_of(element.frame)
        ancestors = await page_scripts.run(
            context, "ancestors", {"node": element.node, "most": _MOST_ANCESTORS}
        )
        async with _style_session(page, context.target) as (session, sheets):
            found = await session.send(
                "DOM.pushNodesByBackendIdsToFrontend", {"backendNodeIds": [backend_node]}
            )
            answer = await session.send("CSS.getMatchedStylesForNode", {"nodeId": found["nodeIds"][0]})
            unclear = list(longhands.find_unexpanded(answer))
            if names := sorted({item["name"] for item in unclear}):
                known = await page_scripts.run(context, "longhands", names)
                longhands.add_longhands(unclear, known)
            return MatchedRules(answer, sheets, ancestors)
    except ProtocolError as error:
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
async def _style_session(
    page: "PageSession", target: Target
) -> AsyncIterator[tuple[Session, dict[str, dict[str, Any]]]]:
    """Open a session that reports styles, with a dict of style sheets by id; close it at the end.

    It costs the page much time.
    """
    session = await passkeys.open_session(page.session.running, target)
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
        with suppress(ProtocolError):
            await session.detach()
