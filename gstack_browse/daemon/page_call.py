"""Run a page command in its tab's queue: prepare the tab before, collect notes after."""

import asyncio
from collections.abc import Awaitable, Callable

from gstack_browse.browser.engine import failures
from gstack_browse.browser.engine.messages import FrameGone
from gstack_browse.browser.tabs import drawing, questions
from gstack_browse.browser.tabs.page import PageSession
from gstack_browse.browser.tabs.requests import refused_lines
from gstack_browse.errors import PageReplaced
from gstack_browse.registry import READ, WRITE, Bound, Command

_PAUSES = (0.0, 0.05, 0.1, 0.2, *[0.25] * 8)
"""Seconds between the attempts of a reading command on a page that is replaced each time: 2.4 s in all.

What acts is not repeated: nobody knows how much of it has happened.
"""
_PREVIOUS_ACTION_SECONDS = 5.0
"""How long an action waits for the end of one that was cut off."""


async def run_page_command(
    bound: Bound, page: PageSession, call: Callable[[], Awaitable[str]], notes: list[str]
) -> str:
    """Return what the handler, called by `call`, prints. The caller holds the tab's queue (`lane`).

    Adds remarks for standard error to `notes`, also if the handler fails.

    Raises:
        TabGone, StateLost: The page no longer exists.
        DialogOpen: A dialog blocks it.
        BrowseError: Whatever the handler raises.
    """
    tab, command, is_write = page.tab, bound.command, bound.kind is WRITE
    if (gone := tab.gone()) and not command.fresh:
        raise gone
    await questions.refuse(page.session.tabs, tab)
    held_before = tab.held.lines()
    try:
        with tab.running(command.name):
            if gone is None:
                await page.session.prepare(tab)
            if not is_write:
                await _wait_for_last_action(command, page)
            elif not command.fresh:
                await tab.held.until_ended(_PREVIOUS_ACTION_SECONDS)
            if is_write and page.is_step and gone is None:
                drawing.watch_changes(tab)
            page.said = await (_read_again_if_replaced(page, call) if bound.kind is READ else call())
            return await page.with_late_news(page.said)
    finally:
        if is_write:
            tab.has_acted(asyncio.get_running_loop().time())
        elif command.waits:
            tab.has_waited()
        notes.extend(page.notes)
        if tab.effects.refused:
            notes.extend(refused_lines(tab.effects.take_refused()))
        if held_before:
            notes.extend(line for line in tab.held.lines() if line in held_before)


async def _wait_for_last_action(command: Command, page: PageSession) -> None:
    """Wait until the page has drawn what the last action changed; in a chain, until it stops changing."""
    has_just_acted = page.tab.acted > 0
    await drawing.drawn(page.tab)
    if (
        page.is_step
        and has_just_acted
        and not command.waits
        and not await drawing.wait_until_unchanged(page.tab)
    ):
        page.notes.append("The page is still changing")


async def _read_again_if_replaced(page: PageSession, call: Callable[[], Awaitable[str]]) -> str:
    """Run a reading handler; run it again if another document replaced the one that it was reading.

    Raises FrameGone if that removed the frame that the user had selected.
    """
    frame = page.tab.frame
    for pause in _PAUSES:
        try:
            return await call()
        except (FrameGone, PageReplaced):
            if page.tab.gone():
                raise
        if page.tab.frame is not frame:
            raise failures.frame_gone()
        page.notes.clear()
        await asyncio.sleep(pause)
    return await call()
