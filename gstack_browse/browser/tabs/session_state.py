"""Takes what a person would miss from one browser to the next: cookies, storage, tabs and their numbers.

Everything stays in memory. Pages are loaded anew, so what was typed into them and their history is not carried.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from dataclasses import asdict, astuple, dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from playwright.async_api import Error as PlaywrightError

from gstack_browse.browser.engine.world import FrameGone, PageScriptError
from gstack_browse.browser.tabs import observer
from gstack_browse.browser.tabs.departures import Departure
from gstack_browse.text.columns import counted

if TYPE_CHECKING:
    from gstack_browse.browser.tabs.session import BrowserSession
    from gstack_browse.browser.tabs.tab import Tab

T = TypeVar("T")

ANSWER_SECONDS = 1.5
STORAGE_SECONDS = 10.0
"""Playwright opens a page for every origin that no tab shows."""
LOAD_SECONDS = 15.0
_READ_SESSION_STORAGE = "sessionItems"


@dataclass
class TabState:
    """A tab: its number, address, the session storage of its origin, and the references that follow in it (@e, @c)."""

    id: int
    url: str
    origin: str = ""
    items: dict[str, str] = field(default_factory=dict)
    following: tuple[int, int] = (1, 1)

    @classmethod
    def of(cls, tab: "Tab") -> "TabState":
        """What is known of a tab without asking its page."""
        return cls(tab.id, tab.url, following=tab.refs.numbers.following)

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> "TabState":
        return cls(**{**fields, "following": tuple(fields.get("following", (1, 1)))})


@dataclass
class SessionState:
    """A browser's state. `storage` is Playwright's storage state: cookies, local storage, IndexedDB."""

    storage: dict[str, Any]
    tabs: list[TabState]
    active: int
    next_id: int
    viewport: tuple[int, int]
    scale: float
    user_agent: str = ""
    dialogs: tuple[Any, ...] = ()
    """The fields of DialogPolicy, as far as they are known."""
    imported: list[str] = field(default_factory=list)
    departed: Departure | None = None
    """How the tab went that had been active, where that has not been said yet."""
    missing: str = ""
    """What of all this the browser did not tell, in words."""

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> "SessionState":
        return cls(
            **{
                **fields,
                "tabs": [TabState.from_dict(tab) for tab in fields["tabs"]],
                "viewport": tuple(fields["viewport"]),
                "dialogs": tuple(fields["dialogs"]),
                "departed": Departure(**departed) if (departed := fields.get("departed")) else None,
            }
        )

    def active_first(self) -> list[TabState]:
        """The tabs in the order in which they should load."""
        return sorted(self.tabs, key=lambda tab: tab.id != self.active)

    def summary(self) -> str:
        """`3 tabs and 12 cookies carried over`, and what was not."""
        tabs, cookies = len(self.tabs), len(self.storage.get("cookies", []))
        done = f"{counted(tabs, 'tab')} and {counted(cookies, 'cookie')} carried over"
        return f"{done}; lost, as the browser did not tell: {self.missing}" if self.missing else done


async def capture(session: "BrowserSession") -> SessionState:
    """The state of a browser. A page that hangs has its script stopped, and an open dialog is dismissed.

    A browser that does not answer at all costs what it does not tell, but no more than some seconds. Of a window that a person has closed it is what was last seen of it.
    """
    if session.handed and session.handed.is_over:
        return session.handed.left()
    storage, tabs, missing = await _ask(session)
    return SessionState(
        storage,
        tabs,
        session.active,
        session.next_id,
        (session.viewport.width, session.viewport.height),
        session.scale,
        session.user_agent,
        astuple(session.dialogs),
        sorted(session.imported),
        session.departures.untold,
        missing,
    )


async def _ask(session: "BrowserSession") -> tuple[dict[str, Any], list[TabState], str]:
    """The storage state, the tabs, and what is missing. The cookies come first: a browser that hangs has none."""
    context, tabs = session.context, list(session.tabs.values())
    cookies: Any = await _in_time(context.cookies(), ANSWER_SECONDS)
    if cookies is None:
        unasked = [tab.restored or TabState.of(tab) for tab in tabs]
        return {"cookies": [], "origins": []}, unasked, "cookies and storage"
    asked = await asyncio.gather(*(_capture_tab(tab) for tab in tabs))
    whole: Any = await _in_time(context.storage_state(indexed_db=True), STORAGE_SECONDS)
    if whole is None:
        return {"cookies": cookies, "origins": []}, asked, "local storage"
    return whole, asked, ""


async def _in_time(work: Awaitable[T], seconds: float) -> T | None:
    """What comes of asking the browser or a page; None when it fails or takes too long."""
    try:
        async with asyncio.timeout(seconds):
            return await work
    except (TimeoutError, PlaywrightError, PageScriptError, FrameGone):
        return None


async def _capture_tab(tab: "Tab") -> TabState:
    if tab.restored:
        return tab.restored
    carried = TabState.of(tab)
    found = None if tab.question else await _session_storage(tab)
    if found is None:
        await _free(tab)
        found = await _session_storage(tab)
    if found:
        carried.origin, carried.items = found["origin"], found["items"]
    return carried


async def _session_storage(tab: "Tab") -> dict[str, Any] | None:
    """What `sessionItems` in scripts/reading.js says; None when the page does not answer."""
    return await _in_time(tab.world.call(_READ_SESSION_STORAGE), ANSWER_SECONDS)


async def _free(tab: "Tab") -> None:
    """End what keeps a page from answering: a dialog, or a script that never returns."""
    if tab.page.is_closed():
        return
    if await _in_time(_dismiss(tab), ANSWER_SECONDS) is None:
        await _in_time(tab.world.terminate(), ANSWER_SECONDS)  # no dialog is open


async def _dismiss(tab: "Tab") -> dict[str, Any]:
    await tab.world.open()
    return await tab.world.target.drivers.send("Page.handleJavaScriptDialog", {"accept": False})


async def load(session: "BrowserSession", tab: "Tab", carried: TabState) -> bool:
    """Open a carried tab's page again, its session storage first. A page that fails stays as it is: False."""
    if carried.url in ("", "about:blank"):
        return False
    try:
        async with _restoring(tab, carried):
            await tab.page.goto(carried.url, wait_until="domcontentloaded", timeout=LOAD_SECONDS * 1000)
    except PlaywrightError:
        return False  # the tab shows Chromium's own error page, or was closed, as in any browser
    return True


async def finish(tab: "Tab") -> None:
    """Wait until a page that is there has loaded and has ended its turn, no longer than after a `goto`."""
    await _in_time(_finished(tab), observer.LOAD_SECONDS)


async def _finished(tab: "Tab") -> None:
    await tab.until_loaded()
    await tab.world.turn()


@asynccontextmanager
async def _restoring(tab: "Tab", carried: TabState) -> AsyncIterator[None]:
    """Documents of the carried origin get its session storage, before any script of theirs runs."""
    if not carried.items:
        yield
        return
    send = tab.world.target.drivers.send
    added = await send("Page.addScriptToEvaluateOnNewDocument", {"source": _restore_script(carried)})
    try:
        yield
    finally:
        await send("Page.removeScriptToEvaluateOnNewDocument", {"identifier": added["identifier"]})


def _restore_script(carried: TabState) -> str:
    import orjson

    origin, items = orjson.dumps(carried.origin).decode(), orjson.dumps(carried.items).decode()
    return f"if (location.origin === {origin}) for (const [key, value] of Object.entries({items})) sessionStorage.setItem(key, value);"
