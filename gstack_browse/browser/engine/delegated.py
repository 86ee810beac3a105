"""Finds elements whose handlers are called by an ancestor's listener.

Frameworks keep such handlers in properties that only the page's own world can read.
"""

from functools import cache
from pathlib import Path
from typing import Any

from gstack_browse.browser.cdp.errors import ProtocolError
from gstack_browse.browser.cdp.targets import ExecutionContext
from gstack_browse.browser.engine.messages import FrameGone, PageScriptError, TooLong, call_in, send

_MILLISECONDS = 300
"""Time limit for the search, which a page can prolong."""
ASKED_MILLISECONDS = 2_000
"""Time limit for the search when all clickable elements were asked for."""


async def mark(
    context: ExecutionContext,
    options: dict[str, Any],
    *,
    has_trees_inside: bool,
    milliseconds: int = _MILLISECONDS,
) -> str | None:
    """Tell the engine of these elements. Return a new walk with `options`; "" if it would say nothing new.

    None if the elements cannot be found. Raises like `call_in`.

    has_trees_inside: search open shadow trees and frames of the same site, too
    """
    found = await _find(context, has_trees_inside, milliseconds)
    if found is None:
        return None
    told: str = await call_in(context, "hearAt", options, found, has_trees_inside)
    return told[1:]


async def _find(context: ExecutionContext, has_trees_inside: bool, milliseconds: int) -> dict[str, Any] | None:
    """Return the places of the elements in the document, as `delegated.js` finds them.

    None if there are too many, or the page prevents the search. The search may only compute: if a function of the page has a
    side effect, Chromium ends the search before it.
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
    except (PageScriptError, TooLong, FrameGone, ProtocolError):
        return None
    found = asked.get("value")
    return found if is_as_told(found) else None


def is_as_told(found: Any) -> bool:
    """Return whether an answer has the expected shape: it comes from the page's world."""
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
    """Return `delegated.js` as an expression, which is a function."""
    return Path(__file__).with_name("delegated.js").read_text(encoding="utf-8").rstrip().removesuffix(";")
