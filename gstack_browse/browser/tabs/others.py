"""Tabs of a person's own browser that are not ours: they are listed under numbers, and acted on only once they were taken."""

from typing import TYPE_CHECKING, NamedTuple, cast

from gstack_browse.browser.tabs.urls import shown_url
from gstack_browse.errors import Refused
from gstack_browse.text.sanitise import one_line

if TYPE_CHECKING:
    from gstack_browse.browser.launch.connect import ExternalBrowser  # aiohttp: no part of a start
    from gstack_browse.browser.launch.running import RunningBrowser
    from gstack_browse.browser.tabs.table import TabTable

_NO_TABS = ("devtools://", "chrome-extension://")
"""How addresses of pages begin that are no tabs."""
MOST_LISTED = 200


class OthersTab(NamedTuple):
    """A tab that is not ours."""

    number: int
    target_id: str
    title: str
    url: str

    @property
    def line(self) -> str:
        return f"  [{self.number}] {one_line(self.title, 100)} — {shown_url(self.url)} (not taken)"


class OthersTabs:
    """The tabs of others in the browser that a session is in. A number stays a tab's, also when it is taken and let go again."""

    def __init__(self, tabs: "TabTable") -> None:
        self._tabs = tabs
        self._numbers: dict[str, int] = {}

    async def listed(self, running: "RunningBrowser") -> list[OthersTab]:
        """The tabs as they are now; none in a browser of our own. Raises Playwright's Error."""
        if not running.is_shared:
            return []
        boundary = cast("ExternalBrowser", running).connection.boundary
        told = await running.connection.ask_browser("Target.getTargets")
        return [
            OthersTab(self._number(info["targetId"]), info["targetId"], info["title"], info["url"])
            for info in told["targetInfos"]
            if info["type"] == "page"
            and info.get("browserContextId") == boundary.shared
            and not boundary.is_own_tab(info["targetId"])
            and not info["url"].startswith(_NO_TABS)
        ][:MOST_LISTED]

    def refuse(self, number: int) -> None:
        """Raise Refused where that is the number of a tab that is not ours."""
        if number in self._numbers.values() and number not in self._tabs:
            raise Refused(
                f"Tab {number} is not gbrowse's: nobody has told it to use that",
                f"Take it first: tab {number} --take",
            )

    def remember(self, number: int, target_id: str) -> None:
        """A tab has that number already."""
        self._numbers[target_id] = number

    def _number(self, target_id: str) -> int:
        if target_id not in self._numbers:
            self._numbers[target_id] = number = self._tabs.next_id
            self._tabs.reserve(number + 1)
        return self._numbers[target_id]
