"""Local and session storage, and navigation timing, of the frame that commands mean."""

from typing import TYPE_CHECKING, Any

from gstack_browse.errors import ActionFailed

if TYPE_CHECKING:
    from gstack_browse.browser.tabs.page import PageSession

PHASES = ("dns", "tcp", "ssl", "ttfb", "download", "domParse", "domReady", "load")


async def items(page: "PageSession") -> dict[str, dict[str, str]]:
    """Items of `localStorage` and of `sessionStorage`. Raises ActionFailed where the page may not have any."""
    found: dict[str, dict[str, str]] | None = await page.world.call("storage", frame=page.frame)
    if found is None:
        raise ActionFailed("This page may not have any storage", "Run 'goto <url>' first")
    return found


async def set_item(page: "PageSession", key: str, value: str, *, session: bool = False) -> None:
    """Set an item of the local storage, or of the session's, and check that it is there. Raises ActionFailed with the reason."""
    problem: str = await page.world.call("setItem", session, key, value, frame=page.frame)
    if problem:
        raise ActionFailed(f"The {_area(session=session)} storage did not take the item: {problem}")


async def remove_items(page: "PageSession", key: str | None, *, session: bool = False) -> int:
    """Remove an item, or all of them with None. Returns how many there were. Raises ActionFailed with the reason."""
    found: dict[str, Any] = await page.world.call("removeItems", session, key, frame=page.frame)
    if problem := found["problem"]:
        raise ActionFailed(
            f"The {_area(session=session)} storage cannot be changed: {problem}", "Run 'goto <url>' first"
        )
    return int(found["count"])


def _area(*, session: bool) -> str:
    return "session" if session else "local"


async def timing(page: "PageSession") -> dict[str, int | None]:
    """Milliseconds of each of PHASES; None for what has not happened yet. Raises ActionFailed without a navigation."""
    found: dict[str, int | None] | None = await page.world.call("navigationTiming", frame=page.frame)
    if found is None:
        raise ActionFailed("This page was not navigated to, so there is nothing to time", "Run 'goto <url>'")
    return found
