"""Takes what a person would miss from one browser to the next: cookies, storage, tabs and their numbers.

Everything stays in memory. Pages are loaded anew, so what was typed into them and their history is not carried.
"""

import asyncio
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from playwright.async_api import Error as PlaywrightError

from gstack_browse.browser.world import FrameGone, PageScriptError

if TYPE_CHECKING:
    from gstack_browse.browser.session import BrowserSession
    from gstack_browse.browser.tab import Tab

CAPTURE_SECONDS = 3.0
LOAD_SECONDS = 15.0
_READ_SESSION_STORAGE = "sessionItems"


@dataclass
class CarriedTab:
    """A tab: its number, address, and the session storage of its origin."""

    id: int
    url: str
    origin: str = ""
    items: dict[str, str] = field(default_factory=dict)


@dataclass
class Carried:
    """A browser's state. `storage` is Playwright's storage state: cookies, local storage, IndexedDB."""

    storage: dict[str, Any]
    tabs: list[CarriedTab]
    active: int
    next_id: int
    viewport: tuple[int, int]
    scale: float
    user_agent: str = ""
    dialogs: tuple[bool, str | None] = (True, None)
    imported: list[str] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> "Carried":
        return cls(
            **{
                **fields,
                "tabs": [CarriedTab(**tab) for tab in fields["tabs"]],
                "viewport": tuple(fields["viewport"]),
                "dialogs": tuple(fields["dialogs"]),
            }
        )

    def summary(self) -> str:
        """`3 tabs and 12 cookies`."""
        tabs, cookies = len(self.tabs), len(self.storage.get("cookies", []))
        return f"{tabs} tab{'s' if tabs != 1 else ''} and {cookies} cookie{'s' if cookies != 1 else ''} carried over"


async def capture(session: "BrowserSession") -> Carried:
    """The state of a browser. A page that hangs costs its session storage only.

    Of a window that a person has closed it is what was last seen of it.
    """
    if session.handed and session.handed.is_over:
        return session.handed.left()
    try:
        async with asyncio.timeout(CAPTURE_SECONDS):
            storage: Any = await session.context.storage_state(indexed_db=True)
    except (TimeoutError, PlaywrightError):
        storage = {"cookies": await session.context.cookies(), "origins": []}
    tabs = await asyncio.gather(*(_capture_tab(tab) for tab in session.tabs.values()))
    return Carried(
        storage,
        list(tabs),
        session.active,
        session.next_id,
        (session.viewport.width, session.viewport.height),
        session.scale,
        session.user_agent,
        (session.dialogs.accept, session.dialogs.reply),
        sorted(session.imported),
    )


async def _capture_tab(tab: "Tab") -> CarriedTab:
    carried = CarriedTab(tab.id, tab.url)
    try:
        async with asyncio.timeout(CAPTURE_SECONDS):
            found = await tab.world.call(_READ_SESSION_STORAGE)
    except (TimeoutError, PlaywrightError, PageScriptError, FrameGone):
        return carried
    carried.origin, carried.items = found["origin"], found["items"]
    return carried


async def load(session: "BrowserSession", tab: "Tab", carried: CarriedTab) -> None:
    """Open a carried tab's page again, its session storage first. A page that fails stays as it is."""
    if carried.url in ("", "about:blank"):
        return
    script = ""
    if carried.items:
        added = await tab.world.session.send(
            "Page.addScriptToEvaluateOnNewDocument", {"source": _restore_script(carried)}
        )
        script = added["identifier"]
    try:
        await tab.page.goto(carried.url, wait_until="domcontentloaded", timeout=LOAD_SECONDS * 1000)
    except PlaywrightError:
        return  # the tab shows Chromium's own error page, as it would in any browser
    finally:
        if script:
            await tab.world.session.send("Page.removeScriptToEvaluateOnNewDocument", {"identifier": script})


def _restore_script(carried: CarriedTab) -> str:
    import orjson

    origin, items = orjson.dumps(carried.origin).decode(), orjson.dumps(carried.items).decode()
    return f"if (location.origin === {origin}) for (const [key, value] of Object.entries({items})) sessionStorage.setItem(key, value);"
