"""Manages dialogs that are left open until they are answered. Their page is blocked meanwhile.

What acts on a page returns as soon as a question opens (`Tab.unless_asked`). Other work in the page is cut short.
Later commands are refused at once, with the question and the commands that answer it.
"""

import asyncio

from gstack_browse.browser.cdp.errors import ProtocolError
from gstack_browse.browser.cdp.patience import ANSWERS
from gstack_browse.browser.devtools.page import Dialog
from gstack_browse.browser.relay.dialog_state import DialogState
from gstack_browse.browser.tabs.question import Question
from gstack_browse.browser.tabs.tab import Tab
from gstack_browse.browser.tabs.table import TabTable
from gstack_browse.errors import ActionFailed
from gstack_browse.logs.entries import DialogEntry
from gstack_browse.text.redact import redact
from gstack_browse.text.sanitise import quote_text

GRACE_SECONDS = 0.5
"""Time for a command to return by itself after a dialog has opened. It is cancelled then."""
STILL_SECONDS = 1.0
"""A page that is silent this long while another shows a dialog is in the same blocked process."""


async def leave_open(tabs: TabTable, tab: Tab, dialog: Dialog, entry: DialogEntry, *, is_persons: bool) -> None:
    """Leave a dialog open, and end the commands that it blocks."""
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


def leave_to_client(tab: Tab, dialog: Dialog, entry: DialogEntry, state: DialogState) -> None:
    """Leave a dialog to an attached program, which has opened it while no command ran."""
    entry.answer, entry.is_left_open = state.value, True
    if state is DialogState.OPEN:
        tab.ask(Question(tab.id, dialog, entry, is_persons=False))


async def _cut(tab: Tab, task: asyncio.Task[object] | None) -> None:
    """Cancel the command in a tab with a question, unless it returns by itself."""

    def has_returned() -> bool:
        return tab.lane.task is not task

    if not await tab.until(has_returned, GRACE_SECONDS):
        await tab.in_time(has_returned, 0)
        tab.cut(task)


async def _stands_still(tab: Tab) -> bool:
    """Return whether a page is blocked while another one shows a dialog."""
    return not await tab.world.answers(STILL_SECONDS) and await tab.world.stays_silent(ANSWERS)


def open_ones(tabs: TabTable) -> list[Question]:
    """Return the questions of all tabs, each once."""
    found = [tab.question for tab in tabs if tab.question]
    return list(dict.fromkeys(found)) if found else found


async def refuse(tabs: TabTable, tab: Tab) -> None:
    """Raise DialogOpen if a tab is blocked by its own question, or by one of a page in the same process."""
    if tab.question:
        raise tab.question.failure(tab.id)
    asked = open_ones(tabs)
    if asked and await _stands_still(tab):
        raise asked[0].failure(tab.id)


def meant(tabs: TabTable, number: int | None) -> Question | None:
    """Return the question that an answer is for; None if none is open.

    Takes the named tab's question, the active tab's, or the only open one. Raises ActionFailed if it is not clear which of several is meant.
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
    """Answer a question, and describe the answer. Raises ActionFailed if it is not open any more."""
    reply = question.dialog.default_value if text is None else text
    try:
        await (question.dialog.accept(reply) if accept else question.dialog.dismiss())
    except ProtocolError:
        closed(tabs, question, "gone before it was answered")
        raise ActionFailed(f"{question.name} is open no more", "Run 'dialog' to see what was asked") from None
    closed(tabs, question, answered(question, accept, reply))
    done = f"{'Accepted' if accept else 'Dismissed'} {question.name}"
    return f"{done} with {quote_text(reply, 60)}" if accept and question.entry.kind == "prompt" else done


def answered(question: Question, is_accepted: bool, reply: str) -> str:
    """Describe for the log how a question was answered."""
    if not is_accepted:
        return "dismissed"
    return f'accepted "{redact(reply)}"' if question.entry.kind == "prompt" else "accepted"


def closed(tabs: TabTable, question: Question, how: str) -> None:
    """Mark a question as closed in the log and in all tabs."""
    if question.entry.answer.startswith("left "):
        question.entry.answer = how
    for tab in tabs:
        tab.answered(question)


def close_own(tabs: TabTable, tab: Tab, how: str) -> None:
    """Mark the question of a tab's own page as closed, if there is one."""
    if tab.question and tab.question.tab == tab.id:
        closed(tabs, tab.question, how)
