"""Lists tabs of a person's own browser that are not ours. A command may use one only after taking it."""

from typing import TYPE_CHECKING, NamedTuple, cast

from gstack_browse.browser.tabs.urls import shown_url
from gstack_browse.errors import Refused
from gstack_browse.text.sanitise import one_line

if TYPE_CHECKING:
    from gstack_browse.browser.launch.connect import ExternalBrowser  # aiohttp: a start does not need it
    from gstack_browse.browser.launch.running import RunningBrowser
    from gstack_browse.browser.tabs.table import TabTable

_NO_TABS = ("devtools://", "chrome-extension://")
"""Prefixes of addresses of pages that are not tabs."""
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
    """Numbers of the tabs that are not ours. A tab keeps its number when it is taken or released."""

    def __init__(self, tabs: "TabTable") -> None:
        self._tabs = tabs
        self._numbers: dict[str, int] = {}

    async def listed(self, running: "RunningBrowser") -> list[OthersTab]:
        """Return the other tabs as they are now, [] in our own browser. Raises ProtocolError."""
        if not running.is_shared:
            return []
        own = cast("ExternalBrowser", running).connection.own
        told = await running.connection.ask_browser("Target.getTargets")
        return [
            OthersTab(self._number(info["targetId"]), info["targetId"], info["title"], info["url"])
            for info in told["targetInfos"]
            if info["type"] == "page"
            and info.get("browserContextId") == own.shared
            and not own.is_own_tab(info["targetId"])
            and not info["url"].startswith(_NO_TABS)
        ][:MOST_LISTED]

    def refuse(self, number: int) -> None:
        """Raise Refused if the tab of that number is not ours."""
        if number in self._numbers.values() and number not in self._tabs:
            raise Refused(
                f"Tab {number} is not gbrowse's: nobody has told it to use that",
                f"Take it first: tab {number} --take",
            )

    def remember(self, number: int, target_id: str) -> None:
        """Remember that a tab has this number already."""
        self._numbers[target_id] = number

    def _number(self, target_id: str) -> int:
        if target_id not in self._numbers:
            self._numbers[target_id] = number = self._tabs.next_id
            self._tabs.reserve(number + 1)
        return self._numbers[target_id]
