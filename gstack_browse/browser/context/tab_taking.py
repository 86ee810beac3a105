"""Attach tabs of a person's own browser to a context, so that commands can use them."""

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, cast

from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.state.context_state import ContextState
from gstack_browse.browser.tab.tab import Tab
from gstack_browse.errors import ActionFailed, Refused, TabGone, TimedOut

if TYPE_CHECKING:
    from gstack_browse.browser.context.open_context import OpenContext
    from gstack_browse.browser.launch.connect import ExternalBrowser  # aiohttp: a start does not need it

TAKE_SECONDS = 10.0
_LATER = "Run 'tabs' to see what is open"


async def take_tab(browser: "OpenContext", number: int) -> Tab:
    """Attach tab `number` of a person's browser to the context, unless it is attached. Return it.

    Raises ActionFailed in a browser that gbrowse started itself, TabGone, Refused by the policy for hosts, and TimedOut if
    the page hangs.
    """
    if found := browser.tabs.get(number):
        return found
    running = browser.running
    if not running.is_shared:
        raise ActionFailed("All tabs here are gbrowse's own", "'connect' goes to a browser that has others")
    other = next((tab for tab in await browser.external_tabs.list_tabs(running) if tab.number == number), None)
    if other is None:
        raise TabGone(f"There is no tab {number}", _LATER)
    rules = running.params.settings.hosts
    if rules and rules.refuse_page(other.url):
        raise Refused(f"Tab {number} is on a host that BROWSE_ALLOW does not name", _LATER)
    return await attach_as_tab(browser, number, other.target_id)


async def reattach_tabs(browser: "OpenContext", state: ContextState) -> None:
    """Attach the tabs again that an earlier daemon had in this browser. Skip those closed since."""
    browser.restore_settings(state)
    await browser.open_context(None)
    browser.tabs.reserve(state.next_id)
    for item in state.tabs:
        with suppress(TabGone, TimedOut):
            tab = await attach_as_tab(
                browser, item.id, item.target, following=item.following, is_opened=not item.is_taken
            )
            tab.name = item.name
    if browser.tabs:
        browser.tabs.activate(state.active)


async def attach_as_tab(
    browser: "OpenContext",
    number: int,
    target_id: str,
    *,
    following: tuple[int, int] | None = None,
    is_opened: bool = False,
) -> Tab:
    """Attach to the page `target_id` of a person's browser, as tab `number`, and make that the active one.

    Args:
        following: numbers of the tab's next refs (@e, @c)
        is_opened: an earlier daemon of ours opened the page, so that it is ours to close

    Raises TimedOut if the page does not answer, and TabGone if it cannot be attached to.
    """
    connection = cast("ExternalBrowser", browser.running).connection
    browser.external_tabs.remember(number, target_id)
    try:
        async with asyncio.timeout(TAKE_SECONDS):
            page = await browser.pages.await_attached(connection.attach_tab(target_id), target_id)
            tab = browser.tab_factory.add_tab(number, page, following)
            tab.is_taken = not is_opened
            if is_opened:
                connection.own.opened.add(target_id)
                connection.own.attached.discard(target_id)
            await browser.prepare(tab)
            await _update_loaded_tab(tab)
    except TimeoutError:
        connection.detach_tab(target_id)
        raise TimedOut(
            f"The page of tab {number} has not answered within {TAKE_SECONDS:g} s",
            "Look at it in the browser: a dialog may be open",
        ) from None
    except ProtocolError as error:
        connection.detach_tab(target_id)
        raise TabGone(f"Tab {number} cannot be taken: {error.message.splitlines()[0][:200]}", _LATER) from None
    browser.switch_to(tab)
    return tab


async def _update_loaded_tab(tab: Tab) -> None:
    """Set the URL and load state of a tab just attached: nothing listened while its document loaded."""
    target = tab.world.frames.target
    await tab.page.read_frames()
    answer = await target.session.send("Runtime.evaluate", {"expression": "document.readyState"})
    state = answer["result"].get("value")
    if not target.arrivals:
        target.url = target.url or tab.page.main_frame.url
        target.is_ready = target.is_ready or state in ("interactive", "complete")
        target.has_loaded = target.has_loaded or state == "complete"
    tab.wake_waiters()
