"""Local and session storage, and navigation timing, of the selected frame."""

from typing import TYPE_CHECKING, Any

from gstack_browse.errors import ActionFailed

if TYPE_CHECKING:
    from gstack_browse.browser.tabs.page import PageSession

PHASES = ("dns", "tcp", "ssl", "ttfb", "download", "domParse", "domReady", "load")


async def list_items(page: "PageSession") -> dict[str, dict[str, str]]:
    """Return the items of `localStorage` and `sessionStorage`. Raises ActionFailed without storage."""
    found: dict[str, dict[str, str]] | None = await page.world.call("storage", frame=page.frame)
    if found is None:
        raise ActionFailed("This page may not have any storage", "Run 'goto <url>' first")
    return found


async def set_item(page: "PageSession", key: str, value: str, *, session: bool = False) -> None:
    """Set an item of the local or session storage, and verify it. Raises ActionFailed with the reason."""
    problem: str = await page.world.call("setItem", session, key, value, frame=page.frame)
    if problem:
        raise ActionFailed(f"The {_storage_name(session=session)} storage did not take the item: {problem}")


async def remove_items(page: "PageSession", key: str | None, *, session: bool = False) -> int:
    """Remove an item, or all for None. Return how many there were. Raises ActionFailed with the reason."""
    found: dict[str, Any] = await page.world.call("removeItems", session, key, frame=page.frame)
    if problem := found["problem"]:
        raise ActionFailed(
            f"The {_storage_name(session=session)} storage cannot be changed: {problem}",
            "Run 'goto <url>' first",
        )
    return int(found["count"])


def _storage_name(*, session: bool) -> str:
    return "session" if session else "local"


async def navigation_timing(page: "PageSession") -> dict[str, int | None]:
    """Return milliseconds of each of PHASES; None for those to come.

    Raises ActionFailed without a navigation.
    """
    found: dict[str, int | None] | None = await page.world.call("navigationTiming", frame=page.frame)
    if found is None:
        raise ActionFailed("This page was not navigated to, so there is nothing to time", "Run 'goto <url>'")
    return found
