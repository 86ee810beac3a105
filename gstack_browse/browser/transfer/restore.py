"""Restore an earlier browser's settings, storage and tabs, under their old numbers.

Pages load in the background. A tab's lock is held until its page is there.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from gstack_browse.browser import dialogs
from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.context.open_context import OpenContext
from gstack_browse.browser.engine.messages import FrameGone, PageScriptError
from gstack_browse.browser.relay.client_channel import DialogState
from gstack_browse.browser.state.context_state import ContextState, TabState
from gstack_browse.browser.state.emulation import await_page_change, emulate_media
from gstack_browse.browser.tab import viewport
from gstack_browse.browser.tab.tab import Tab
from gstack_browse.browser.tab.urls import NO_PAGE
from gstack_browse.errors import ActionFailed
from gstack_browse.text.json_bytes import encode

LOAD_SECONDS = 15.0
FINISH_SECONDS = 2.0
"""Time limit for a page to go on loading before it counts as open: as after a `goto`."""
MOST_LOADING = 4
"""Pages that load at a time: of two hundred at once each would exceed its time limit."""


async def restore_context(browser: "OpenContext", state: ContextState) -> None:
    """Open a context with the settings, storage and tabs of `state`. The active tab loads first."""
    browser.restore_settings(state)
    pages, setting_cookies = await browser.open_context(state.storage, len(state.tabs))
    if not state.tabs:
        await setting_cookies
        await browser.tab_factory.open()
        return
    await browser.guard.prepare_opening(*(tab.url for tab in state.tabs))
    for item, page in zip(state.tabs, pages, strict=True):
        tab = browser.tab_factory.add_tab(item.id, page, item.following)
        tab.name = item.name
        await tab.lock.acquire()
    browser.tabs.reserve(state.next_id)
    browser.tabs.activate(state.active)
    await asyncio.gather(setting_cookies, *(browser.prepare(tab) for tab in browser.tabs))
    reloader = Reloader(browser)
    for item in state.active_first():
        reloader.start_loading(browser.tabs.find(item.id), item)


class Reloader:
    """Loads the pages of restored tabs in the background, MOST_LOADING at a time."""

    def __init__(self, browser: OpenContext) -> None:
        self._browser = browser
        self._loading = asyncio.Semaphore(MOST_LOADING)

    def start_loading(self, tab: Tab, state: TabState) -> asyncio.Task[None]:
        """Start to load a tab's page. Then release its lock, which the caller holds."""
        tab.restored = state
        return self._browser.background.start(self._load_tab(tab, state))

    async def _load_tab(self, tab: Tab, state: TabState) -> None:
        """Load a tab's page again, and once more if it crashes.

        Then release the tab's lock for its waiting commands.
        """
        try:
            async with self._loading:
                is_there = await load_page(tab, state)
                if tab.crashed:  # a window without a graphics card may take its first page along
                    await self._browser.tab_factory.replace_page(tab)
                    is_there = await load_page(tab, state)
            if is_there:
                await wait_until_loaded(tab)
        finally:
            tab.restored = None
            tab.lock.release()


async def load_page(tab: Tab, state: TabState) -> bool:
    """Load a tab's page again with its session storage. Return whether it was loaded: a blank one is not."""
    if state.url in NO_PAGE:
        return False
    try:
        async with _with_session_storage(tab, state):
            async with asyncio.timeout(LOAD_SECONDS):
                await _navigate(tab, state.url)
    except (ProtocolError, TimeoutError):
        return False  # the tab shows Chromium's own error page, or was closed, as in any browser
    return True


async def _navigate(tab: Tab, url: str) -> None:
    """Navigate a tab's blank page to `url`, and wait for DOMContentLoaded. Raises ProtocolError."""
    target = tab.world.frames.target
    arrivals = target.arrivals
    answer = await target.session.send("Page.navigate", {"url": url})
    if problem := answer.get("errorText"):
        raise ProtocolError(f"{problem} at {url}")
    await tab.wait_until(
        lambda: (target.arrivals != arrivals and target.is_ready) or tab.page.is_closed() or tab.crashed
    )


async def wait_until_loaded(tab: Tab) -> None:
    """Wait until a page has loaded, at most as long as after a `goto`. Never raises."""
    with suppress(TimeoutError, ProtocolError, PageScriptError, FrameGone):
        await tab.world.run_with_timeout(_load_and_end_turn(tab), FINISH_SECONDS)


async def _load_and_end_turn(tab: Tab) -> None:
    """Wait for a page's load event, and until its scripts have ended that turn of the event loop."""
    await tab.wait_until_loaded()
    await tab.world.wait_event_loop_turn()


@asynccontextmanager
async def _with_session_storage(tab: Tab, state: TabState) -> AsyncIterator[None]:
    """In an `async with` block, fill session storage of the tab's new documents before their scripts run."""
    if not state.items:
        yield
        return
    session = tab.world.frames.target.session
    added = await session.send(
        "Page.addScriptToEvaluateOnNewDocument", {"source": _write_restore_script(state)}
    )
    try:
        yield
    finally:
        session.notify("Page.removeScriptToEvaluateOnNewDocument", {"identifier": added["identifier"]})


def _write_restore_script(state: TabState) -> str:
    """Return a script that fills `sessionStorage` in documents of the saved origin."""
    origin, items = encode(state.origin).decode(), encode([*state.items.items()]).decode()
    return f"if (location.origin === {origin}) for (const [key, value] of {items}) sessionStorage.setItem(key, value);"


async def restore_after_client(browser: OpenContext) -> None:
    """Undo what an attached program may have left: answer its dialogs, apply the emulation again."""
    for tab in browser.tabs:
        question = tab.open_dialog
        if question and question.tab == tab.id and question.entry.answer == DialogState.OPEN.value:
            accept = browser.dialogs.policy.accept or question.entry.kind == "beforeunload"
            with suppress(ActionFailed):  # it is closed
                await dialogs.answer_open_dialog(
                    browser.tabs, question, accept=accept, text=browser.dialogs.policy.reply
                )
    tabs = [tab for tab in browser.tabs if tab.is_prepared and not tab.gone_error()]
    await asyncio.gather(*(await_page_change(_emulate_again(browser, tab)) for tab in tabs))
    await browser.conditions.reapply()


async def _emulate_again(browser: OpenContext, tab: Tab) -> None:
    """Apply a tab's emulated size and media, and the refusal of passkeys, again. Raises ProtocolError."""
    if tab.screen and not (browser.handoff or tab.is_taken):
        await viewport.resize_page(tab, tab.screen, browser.running)
    dialogs.refuse_passkeys_again(browser.running, tab.world.frames.target)
    with suppress(ProtocolError):
        await emulate_media(tab.world.frames, browser.appearance.all_options())
