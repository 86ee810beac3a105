"""Reads the state of a browser that may end at any moment, in one or two requests for each tab.

Opens no page.
"""

from typing import TYPE_CHECKING, Any

from gstack_browse.browser.tabs import capture
from gstack_browse.browser.tabs.last_seen import LastSeen
from gstack_browse.browser.tabs.session_state import TabState
from gstack_browse.browser.tabs.tab import Tab

if TYPE_CHECKING:
    from gstack_browse.browser.tabs.session import BrowserSession

STORAGE_SECONDS = 1.0


async def look(session: "BrowserSession", seen: LastSeen) -> None:
    """Bring `seen` up to date. Raises ProtocolError if the browser is gone."""
    seen.saw_cookies(await session.current.jar.cookies())
    local: dict[str, dict[str, str]] = {}
    tabs = [await _read_state(tab, local) for tab in session.tabs]
    if all(tab.id in session.tabs for tab in tabs):
        seen.saw(tabs, local, active=session.tabs.active, next_id=session.tabs.next_id)


async def _read_state(tab: Tab, local: dict[str, dict[str, str]]) -> TabState:
    """Return a tab's current state. Put the local storage of its origin into `local`."""
    if tab.restored:
        return tab.restored
    seen = tab.state()
    if not tab.question and (told := await capture.in_time(_storage(tab), STORAGE_SECONDS)):
        found, areas = told
        seen.origin, seen.items = found["origin"], found["items"]
        if areas and found["origin"]:
            local[found["origin"]] = areas["localStorage"]
    return seen


async def _storage(tab: Tab) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """Return the session storage of a page with its origin, and all of its storage."""
    return await tab.world.kept(), await tab.world.call("storage")
