"""Puts a session's pages right after an attached program has left.

Chromium ends a program's overrides with its session, and for sizes and media ends ours with them.
"""

import asyncio
from contextlib import suppress

from gstack_browse.browser.cdp.errors import ProtocolError
from gstack_browse.browser.relay.dialog_state import DialogState
from gstack_browse.browser.tabs import passkeys, questions, viewport
from gstack_browse.browser.tabs.emulation import in_time, show_media
from gstack_browse.browser.tabs.session import BrowserSession
from gstack_browse.browser.tabs.tab import Tab
from gstack_browse.errors import ActionFailed


async def restore(session: BrowserSession) -> None:
    """Answer dialogs that were left to the program, and apply our emulation again. Never raises."""
    for tab in session.tabs:
        question = tab.question
        if question and question.tab == tab.id and question.entry.answer == DialogState.OPEN.value:
            accept = session.dialogs.policy.accept or question.entry.kind == "beforeunload"
            with suppress(ActionFailed):  # it is closed
                await questions.settle(session.tabs, question, accept=accept, text=session.dialogs.policy.reply)
    tabs = [tab for tab in session.tabs if tab.is_prepared and not tab.gone()]
    await asyncio.gather(*(in_time(_emulate_again(session, tab)) for tab in tabs))
    await session.conditions.apply_again()


async def _emulate_again(session: BrowserSession, tab: Tab) -> None:
    """Apply size and media of a tab again. Raises ProtocolError if its page is gone."""
    if tab.screen and not (session.handed or tab.is_taken):
        await viewport.fit(tab, tab.screen, session.running)
    passkeys.refuse_again(session.running, tab.world.frames.target)
    with suppress(ProtocolError):
        await show_media(tab.world.frames, session.page_options)
