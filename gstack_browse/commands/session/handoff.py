"""Handoff: let a person see the pages and act on them."""

import asyncio

from gstack_browse.browser.command.page import PageCommand
from gstack_browse.browser.context.open_context import OpenContext
from gstack_browse.browser.tab.urls import shown_url
from gstack_browse.browser.transfer import context_transfer as handing
from gstack_browse.commands.daemon_interface import Daemon
from gstack_browse.errors import ActionFailed, TimedOut
from gstack_browse.registry import META, command
from gstack_browse.registry.arguments import DisplayName, Rest
from gstack_browse.text.sanitise import one_line, quote_text
from gstack_browse.text.units import format_count, format_seconds

PICK_SECONDS = 300.0


@command(META, examples=["handoff 'Please solve the captcha'", "handoff --display :99"], timeout=60)
async def handoff(browser: OpenContext, reason: Rest | None = None, *, display: DisplayName = "") -> str:
    """Show the pages to a person, in a visible Chromium with the same tabs, cookies and storage.

    Commands go on working in it. 'resume' goes back to a browser without a window, with what the person did.
    Pages are loaded anew. Dialogs are the person's to answer meanwhile.

    display: where the window appears, for example :99; by default where the daemon was started
    """
    carried = await handing.hand_over(browser, reason or "", display)
    active = browser.tabs.get()
    lines = [f"Handed over: a window shows {shown_url(active.url) if active else 'the pages'}"]
    lines += [f"→ {carried.summary()}"]
    lines += [f"→ reason: {one_line(reason, 300)}"] if reason else []
    return "\n".join([*lines, "Run 'resume' when the person is done"])


@command(META, examples=["resume"], timeout=60, page_text=True)
async def resume(daemon: Daemon) -> str:
    """Go back to a browser without a window, with the tabs, cookies and storage the person left.

    Ends with a fresh 'snapshot -i'. When the person has closed the window, its last tabs are opened again.
    """
    browser = daemon.browser
    if browser is None:
        raise ActionFailed("The browser was not handed to anybody", "'handoff' shows it to a person")
    recorder = browser.handoff.recorder if browser.handoff else None
    carried, was_closed = await handing.take_back(browser)
    did = await recorder.finish() if recorder else []
    for done in did:
        daemon.flow.add(done)
    how = "in a window of its own" if browser.running.window.visible else "without a window"
    lines = [f"Resumed {how}", f"→ {carried.summary()}"]
    lines += [f"→ the person did {format_count(len(did), 'step')}, which 'flow-save' keeps"] if did else []
    lines += ["→ the person had closed the window: these are its last tabs"] if was_closed else []
    if news := browser.tabs.describe_departure():
        lines.append(f"→ {news}")
        browser.tabs.closed_tabs.mark_reported()
    snapshot = await daemon.run(["snapshot", "-i"])
    return "\n".join([*lines, "", snapshot.text or f"Error: {snapshot.message}"])


@command(META, examples=["pick 'Which button?'"], waits=True, timeout=PICK_SECONDS + 10, page_text=True)
async def pick(page: PageCommand, question: Rest) -> str:
    """Have the person point at an element, in the window that 'handoff' has opened.

    Prints its ref, role and name, and their words. The question appears in the tab's page; the person clicks on
    what they mean and may write something about it. The page sees neither. Of a control its parts mean the
    control. Escape gives up. Waits 300 s, or --timeout.
    """
    if not page.context.has_window:
        raise ActionFailed(
            "Nobody has the window in which to point",
            "Open one: handoff 'Please point at …', or without a display: handoff --display :99 (see 'help handoff')\n"
            "Without any window: 'snapshot -i -a' saves a picture with refs to show, and the person says which",
        )
    from gstack_browse.browser.reading import picking  # few ever ask

    shown_question = one_line(question, 500)
    seconds = page.wait_seconds(PICK_SECONDS)
    try:
        async with asyncio.timeout_at(page.give_up_time(PICK_SECONDS)):
            picked = await picking.pick(page, shown_question)
    except TimeoutError:
        raise TimedOut(
            f"Nobody has pointed at anything in {format_seconds(seconds)}", "Ask again, or ask in words"
        ) from None
    words = [f"→ words: {quote_text(picked.remark, 1000)}"] if picked.remark else []
    return "\n".join([f"Picked: {picked.line}", *words])
