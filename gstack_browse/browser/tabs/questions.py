"""Dialogs that are left open until they are answered. A page does nothing meanwhile, so nobody may wait for it.

What acts on a page returns as soon as a question opens (`Tab.unless_asked`); whatever else runs there is cut short; and what
comes later is refused at once, with the name of the question and of the commands that answer it.
"""

import asyncio
from typing import TYPE_CHECKING

from playwright.async_api import Dialog
from playwright.async_api import Error as PlaywrightError

from gstack_browse.errors import ActionFailed, DialogOpen
from gstack_browse.text.redact import redact
from gstack_browse.text.sanitise import one_line

if TYPE_CHECKING:
    from gstack_browse.browser.tabs.session import BrowserSession
    from gstack_browse.browser.tabs.tab import Tab
    from gstack_browse.logs.entries import DialogEntry

GRACE_SECONDS = 0.5
"""What a command gets to return by itself where its tab asks something, before it is cut short."""
ANSWER_SECONDS = 0.3
"""A page that does not answer for so long while another one asks something is in the same process, which stands still."""


class Question:
    """A dialog that is open. `tab` is the number of the tab that shows it; `is_persons` where a person sees it in a window."""

    def __init__(self, tab: "Tab", dialog: Dialog, entry: "DialogEntry", *, is_persons: bool) -> None:
        self.tab = tab.id
        self.dialog = dialog
        self.entry = entry
        self.is_persons = is_persons

    @property
    def name(self) -> str:
        """`confirm "Delete?"`."""
        return f'{self.entry.kind} "{one_line(self.entry.message, 120)}"'

    def line(self, tab: int) -> str:
        """What the reply of a command in that tab says of it."""
        suggestion = self.dialog.default_value if self.entry.kind == "prompt" else ""
        suggests = f' (suggests "{one_line(suggestion, 60)}")' if suggestion else ""
        where = "" if tab == self.tab else f" in tab {self.tab}"
        return f"{self.name}{suggests} is open{where}: {self._ways(tab)}"

    def failure(self, tab: int, happened: str = "") -> DialogOpen:
        """Why nothing can be done in that tab, or why what was done there did not finish."""
        message = f"{self.name} is open in tab {self.tab}"
        if happened:
            return DialogOpen(
                f"{happened}: {message}", f"Answer it: {self._ways(tab)}; then look what was done"
            )
        still = "" if tab == self.tab else f", and tab {tab} does not answer meanwhile"
        return DialogOpen(message + still, f"Answer it: {self._ways(tab)}")

    def _ways(self, tab: int) -> str:
        accept = "dialog-accept [TEXT]" if self.entry.kind == "prompt" else "dialog-accept"
        there = "" if tab == self.tab else f" (gbrowse --tab {self.tab} …)"
        persons = ", unless the person does" if self.is_persons else ""
        return f"{accept} or dialog-dismiss{there}{persons}"


async def leave_open(session: "BrowserSession", tab: "Tab", dialog: Dialog, entry: "DialogEntry") -> None:
    """Let a dialog wait for its answer, and commands not for it."""
    is_persons = session.handed is not None
    entry.answer = "left to the person" if is_persons else "left open"
    question = Question(tab, dialog, entry, is_persons=is_persons)
    running = [(other, other.task) for other in session.tabs.values() if other is not tab and other.task]
    tab.ask(question)
    await _cut(tab, tab.task)
    for other, task in running:
        if other.task is task and question in open_ones(session) and not await _answers(other):
            other.ask(question)
            await _cut(other, task)


async def _cut(tab: "Tab", task: "asyncio.Task[object] | None") -> None:
    """Cut short what runs in a tab that asks something, unless it returns by itself."""
    await tab.until(lambda: tab.task is not task, GRACE_SECONDS)
    tab.cut(task)


def open_ones(session: "BrowserSession") -> list[Question]:
    """The questions of all tabs, each once."""
    return list({tab.question: None for tab in session.tabs.values() if tab.question})


async def refuse(session: "BrowserSession", tab: "Tab") -> None:
    """Raise DialogOpen where a tab does nothing because of a question, its own or that of a page in the same process."""
    if tab.question:
        raise tab.question.failure(tab.id)
    asked = open_ones(session)
    if asked and not await _answers(tab):
        raise asked[0].failure(tab.id)


async def _answers(tab: "Tab") -> bool:
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            await tab.world.ping()
    except TimeoutError:
        return False
    except PlaywrightError:
        return True  # an answer, if only that it is gone
    return True


def meant(session: "BrowserSession", number: int | None) -> Question | None:
    """The question that an answer is for: that of the tab, of the active one, else the only one there is; None where none is.

    Raises ActionFailed where others are open and it is not clear which one is meant.
    """
    tab = session.tabs.get(session.active if number is None else number)
    if tab and tab.question:
        return tab.question
    asked = open_ones(session)
    if not asked or (number is None and len(asked) == 1):
        return asked[0] if asked else None
    listed = ", ".join(f"{question.name} in tab {question.tab}" for question in asked)
    raise ActionFailed(f"Open are {listed}", f"Say which is meant: gbrowse --tab {asked[0].tab} dialog-accept")


async def settle(session: "BrowserSession", question: Question, *, accept: bool, text: str | None) -> str:
    """Answer a question. Returns what was done, in words. Raises ActionFailed where it is open no more."""
    reply = question.dialog.default_value if text is None else text
    try:
        await (question.dialog.accept(reply) if accept else question.dialog.dismiss())
    except PlaywrightError:
        closed(session, question, "gone before it was answered")
        raise ActionFailed(f"{question.name} is open no more", "Run 'dialog' to see what was asked") from None
    closed(session, question, answered(question, accept, reply))
    done = f"{'Accepted' if accept else 'Dismissed'} {question.name}"
    return f'{done} with "{one_line(reply, 60)}"' if accept and question.entry.kind == "prompt" else done


def answered(question: Question, is_accepted: bool, reply: str) -> str:
    """How a question was answered, for the log."""
    if not is_accepted:
        return "dismissed"
    return f'accepted "{redact(reply)}"' if question.entry.kind == "prompt" else "accepted"


def closed(session: "BrowserSession", question: Question, how: str) -> None:
    """A question is open no more."""
    if question.entry.answer.startswith("left "):
        question.entry.answer = how
    for tab in session.tabs.values():
        tab.answered(question)
