"""Dialogs that are left open until they are answered. A page does nothing meanwhile, so nobody may wait for it.

What acts on a page returns as soon as a question opens (`Tab.unless_asked`); whatever else runs there is cut short; and what
comes later is refused at once, with the name of the question and of the commands that answer it.
"""

import asyncio

from gstack_browse.browser.cdp.patience import ANSWERS
from gstack_browse.browser.cdp.playwright_names import Dialog
from gstack_browse.browser.cdp.playwright_names import Error as PlaywrightError
from gstack_browse.browser.tabs.question import Question
from gstack_browse.browser.tabs.tab import Tab
from gstack_browse.browser.tabs.table import TabTable
from gstack_browse.errors import ActionFailed
from gstack_browse.logs.entries import DialogEntry
from gstack_browse.text.redact import redact
from gstack_browse.text.sanitise import quote_text

GRACE_SECONDS = 0.5
"""What a command gets to return by itself where its tab asks something, before it is cut short: not before Playwright knows of the question, either."""
STILL_SECONDS = 1.0
"""A page that does not answer for so long while another one asks something is in the same process, which stands still."""


async def leave_open(tabs: TabTable, tab: Tab, dialog: Dialog, entry: DialogEntry, *, is_persons: bool) -> None:
    """Let a dialog wait for its answer, and commands not for it."""
    entry.answer = "left to the person" if is_persons else "left open"
    entry.is_left_open = True
    question = Question(tab.id, dialog, entry, is_persons=is_persons)
    running = [(other, other.lane.task) for other in tabs if other is not tab and other.lane.task]
    tab.ask(question)
    await _cut(tab, tab.lane.task)
    for other, task in running:
        if other.lane.task is task and question in open_ones(tabs) and await _stands_still(other):
            other.ask(question)
            await _cut(other, task)


async def _cut(tab: Tab, task: asyncio.Task[object] | None) -> None:
    """Cut short what runs in a tab that asks something, unless it returns by itself."""

    def has_returned() -> bool:
        return tab.lane.task is not task

    if not await tab.until(has_returned, GRACE_SECONDS):
        await tab.world.caught_up()  # what has acted and waits for nothing but that is about to return
        await tab.in_time(has_returned, 0)
        tab.cut(task)


async def _stands_still(tab: Tab) -> bool:
    """Whether a page does nothing while another one asks something."""
    return not await tab.world.answers(STILL_SECONDS) and await tab.world.stays_silent(ANSWERS)


def open_ones(tabs: TabTable) -> list[Question]:
    """The questions of all tabs, each once."""
    found = [tab.question for tab in tabs if tab.question]
    return list(dict.fromkeys(found)) if found else found


async def refuse(tabs: TabTable, tab: Tab) -> None:
    """Raise DialogOpen where a tab does nothing because of a question, its own or that of a page in the same process."""
    if tab.question:
        raise tab.question.failure(tab.id)
    asked = open_ones(tabs)
    if asked and await _stands_still(tab):
        raise asked[0].failure(tab.id)


def meant(tabs: TabTable, number: int | None) -> Question | None:
    """The question that an answer is for: the named tab's, the active tab's, else the only open one; None where there is none.

    Raises ActionFailed where others are open and it is not clear which one is meant.
    """
    tab = tabs.get(number)
    if tab and tab.question:
        return tab.question
    asked = open_ones(tabs)
    if not asked or (number is None and len(asked) == 1):
        return asked[0] if asked else None
    listed = ", ".join(f"{question.name} in tab {question.tab}" for question in asked)
    raise ActionFailed(f"Open are {listed}", f"Say which is meant: gbrowse --tab {asked[0].tab} dialog-accept")


async def settle(tabs: TabTable, question: Question, *, accept: bool, text: str | None) -> str:
    """Answer a question. Returns what was done, in words. Raises ActionFailed where it is open no more."""
    reply = question.dialog.default_value if text is None else text
    try:
        await (question.dialog.accept(reply) if accept else question.dialog.dismiss())
    except PlaywrightError:
        closed(tabs, question, "gone before it was answered")
        raise ActionFailed(f"{question.name} is open no more", "Run 'dialog' to see what was asked") from None
    closed(tabs, question, answered(question, accept, reply))
    done = f"{'Accepted' if accept else 'Dismissed'} {question.name}"
    return f"{done} with {quote_text(reply, 60)}" if accept and question.entry.kind == "prompt" else done


def answered(question: Question, is_accepted: bool, reply: str) -> str:
    """How a question was answered, for the log."""
    if not is_accepted:
        return "dismissed"
    return f'accepted "{redact(reply)}"' if question.entry.kind == "prompt" else "accepted"


def closed(tabs: TabTable, question: Question, how: str) -> None:
    """A question is open no more."""
    if question.entry.answer.startswith("left "):
        question.entry.answer = how
    for tab in tabs:
        tab.answered(question)


def close_own(tabs: TabTable, tab: Tab, how: str) -> None:
    """The dialog that a tab's own page shows is open no more, if one was."""
    if tab.question and tab.question.tab == tab.id:
        closed(tabs, tab.question, how)
