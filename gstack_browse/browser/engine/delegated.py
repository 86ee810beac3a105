"""Elements whose handlers are called by a listener of something around them, and lie in properties that only the page's own world has."""

from functools import cache
from pathlib import Path
from typing import Any

from gstack_browse.browser.cdp.playwright_names import Error
from gstack_browse.browser.cdp.targets import ExecutionContext
from gstack_browse.browser.engine.messages import FrameGone, PageScriptError, TooLong, call_in, send

_MILLISECONDS = 300
"""How long it may take to look, which a page can draw out."""
ASKED_MILLISECONDS = 2_000
"""The same where all that is clickable was asked for."""


async def mark(
    context: ExecutionContext,
    options: dict[str, Any],
    *,
    has_trees_inside: bool,
    milliseconds: int = _MILLISECONDS,
) -> str | None:
    """Tell the engine of them, also of those in open shadow trees and frames of the same site where there are any. What a walk with `options` answers then; "" where the last one has told it all; None where they cannot be found.

    Raises like `call_in`.
    """
    found = await _find(context, has_trees_inside, milliseconds)
    if found is None:
        return None
    told: str = await call_in(context, "hearAt", options, found, has_trees_inside)
    return told[1:]


async def _find(context: ExecutionContext, has_trees_inside: bool, milliseconds: int) -> dict[str, Any] | None:
    """Where the elements are in the document, as `delegated.js` says; None where too many are, or the page is in the way.

    What runs in the page's world may only compute: a function of the page that does more ends it before it has done so.
    """
    page = context.target.page_contexts.get(context.frame_id)
    if page is None:
        return None
    try:
        asked = await send(
            context,
            "Runtime.evaluate",
            expression=f"{_script()}({str(has_trees_inside).lower()})",
            uniqueContextId=page,
            returnByValue=True,
            throwOnSideEffect=True,
            timeout=milliseconds,
        )
    except (PageScriptError, TooLong, FrameGone, Error):
        return None
    found = asked.get("value")
    return found if is_as_told(found) else None


def is_as_told(found: Any) -> bool:
    """Whether an answer is of the shape that it should have: it comes from the page's world."""
    if not isinstance(found, dict) or found.keys() != {"elements", "places", "tags"}:
        return False
    elements, places, tags = found["elements"], found["places"], found["tags"]
    return (
        type(elements) is int
        and isinstance(places, list)
        and isinstance(tags, list)
        and len(places) == len(tags)
        and all(type(place) is int and 0 <= place < elements for place in places)
        and all(isinstance(tag, str) for tag in tags)
    )


@cache
def _script() -> str:
    """`delegated.js` as an expression, which is a function."""
    return Path(__file__).with_name("delegated.js").read_text(encoding="utf-8").rstrip().removesuffix(";")
