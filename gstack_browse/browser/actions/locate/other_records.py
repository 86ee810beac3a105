"""Explain that a page has reused an element for another record. Performs no action."""

from typing import TYPE_CHECKING, Any

from gstack_browse.browser.engine import failures
from gstack_browse.errors import BrowseError, Disappeared
from gstack_browse.text.sanitise import one_line

if TYPE_CHECKING:
    from gstack_browse.browser.command.page import PageSession
    from gstack_browse.browser.engine.messages import JsonValue

REFUSED = "gbrowse: another record"
"""Error of an engine function that would act on another record than was found: scripts/selectors/records.js."""
_ACTIONS = frozenset({"probe", "fieldLook"})
"""Looks that an action follows. A command that only reads gets the present record."""


def printed_texts(page: "PageSession", target: str, question: str) -> "dict[str, JsonValue]":
    """Return the argument of `exported.ask` with the printed record of a ref; {} for reads and selectors."""
    refs, target = page.tab.refs, page.redrawn.get(target, target)
    record: Any = refs.record_of(target) if question in _ACTIONS and refs.has_given(target) else None
    return {"printed": record} if record else {}


async def other_record_error(page: "PageSession", target: str) -> BrowseError:
    """Return the error for an element that has become another record since a command found it.

    It is Disappeared for a selector, and for a ref whose record has only changed: the caller locates the target
    again then.
    """
    refs, target = page.tab.refs, page.redrawn.get(target, target)
    refused = await refs.explain_other_record(target) if refs.has_given(target) else None
    return refused or Disappeared(
        f"{one_line(target, 200)} became another record as it was acted on", failures.SEE_ELEMENTS
    )


async def require_same(page: "PageSession", target: str) -> None:
    """Raise StaleRef if the place where a ref was printed holds another record now."""
    if refused := await page.tab.refs.explain_other_record(page.redrawn.get(target, target)):
        raise refused
