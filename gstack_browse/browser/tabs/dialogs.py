"""Answers alerts, confirmations and prompts at once, so that no page hangs on a dialog.

`questions` keeps the dialogs that are left open for `dialog-hold` or for a person.
"""

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from gstack_browse.browser.cdp.errors import ProtocolError
from gstack_browse.browser.cdp.patience import ANSWERS
from gstack_browse.browser.devtools.page import Dialog
from gstack_browse.browser.relay.dialog_state import DialogState
from gstack_browse.browser.tabs import questions
from gstack_browse.browser.tabs.background import Background
from gstack_browse.browser.tabs.tab import Tab
from gstack_browse.browser.tabs.table import TabTable
from gstack_browse.logs.entries import MAX_DIALOG_MESSAGE, DialogEntry
from gstack_browse.logs.ring import Ring
from gstack_browse.text.redact import redact
from gstack_browse.text.sanitise import quote_text

MOST_DIALOGS = 25
"""Dialogs in a row after which the page counts as looping."""
LEAVING = frozenset({"goto", "back", "forward", "reload"})
"""Commands that leave a page on request, so `beforeunload` is accepted."""


@dataclass(frozen=True)
class Answer:
    """An answer to one dialog. `words` describe it in the log and in replies."""

    accept: bool
    reply: str
    words: str


@dataclass(frozen=True)
class DialogPolicy:
    """Whether dialogs are accepted, and the reply to prompts; None keeps the page's own suggestion.

    `hold` leaves them open instead. `is_chosen`: a command has set the policy.
    """

    accept: bool = True
    reply: str | None = None
    hold: bool = False
    is_chosen: bool = False

    def leaves_open(self, kind: str, command: str) -> bool:
        """Return whether a dialog of this kind is left open while `command` runs in its tab."""
        return self.hold and not (kind == "beforeunload" and command in LEAVING)

    def answer(self, kind: str, suggestion: str) -> Answer:
        """Return the answer to a dialog of this kind (`alert`, `confirm`, `prompt`, `beforeunload`).

        Leaving a page is always accepted: the command that leaves it was asked to.
        """
        if not self.accept and kind != "beforeunload":
            return Answer(False, "", "dismissed")
        if kind != "prompt":
            return Answer(True, "", "accepted")
        reply = suggestion if self.reply is None else self.reply
        return Answer(True, reply, f"accepted {quote_text(reply)}")

    @property
    def words(self) -> str:
        """Describe for `status` how later dialogs are answered."""
        if self.hold:
            return "left open"
        reply = "" if self.reply is None else f", prompts with {quote_text(self.reply, 60)}"
        return f"accepted{reply}" if self.accept else "dismissed"

    def is_unasked(self, kind: str) -> bool:
        """Return whether a dialog of this kind is accepted by default although it could be refused."""
        return not self.is_chosen and kind in ("confirm", "prompt")


class DialogAnswerer:
    """Answers the dialogs of a session's pages by its `policy`, and writes them down.

    `close` closes the tab of a page that is in a loop of dialogs, with the reason.
    """

    def __init__(
        self,
        tabs: TabTable,
        log: Ring[DialogEntry],
        background: Background,
        close: Callable[[Tab, str], Awaitable[None]],
    ) -> None:
        self.policy = DialogPolicy()
        self.is_with_person = False
        """Whether a person has the pages in a window, and answers dialogs."""
        self.take_client_dialog: Callable[[str], Awaitable[DialogState | None]] | None = None
        """Returns the state of a page's dialog if an attached program has to answer it, else None: see `relay`."""
        self._tabs = tabs
        self._log = log
        self._background = background
        self._close = close

    def asked(self, dialog: Dialog) -> None:
        """Answer a dialog that a page shows, in the background."""
        self._background.start(self.answer(dialog))

    async def answer(self, dialog: Dialog) -> None:
        """Answer a dialog, leave it open, or close its tab."""
        tab = self._tabs.of_page(dialog.page)
        reply = self.policy.answer(dialog.type, dialog.default_value)
        entry = self._write_down(dialog, tab, reply)
        if tab and (self.is_with_person or self.policy.leaves_open(dialog.type, tab.lane.command)):
            await questions.leave_open(self._tabs, tab, dialog, entry, is_persons=self.is_with_person)
        elif tab and (state := await self._take_client_dialog(tab)):
            questions.leave_to_client(tab, dialog, entry, state)
        elif tab and tab.count_dialog(time.monotonic()) > MOST_DIALOGS:
            entry.answer = "its tab was closed"
            await self._close_loop(tab)
        else:
            await _answer(dialog, reply, entry)
            if tab:
                tab.touch()

    async def _take_client_dialog(self, tab: Tab) -> DialogState | None:
        if self.take_client_dialog is None or not tab.is_prepared:
            return None
        return await self.take_client_dialog(tab.world.frames.target.id)

    async def _close_loop(self, tab: Tab) -> None:
        """Close the tab of a page that shows dialogs without end, and stop its script in related windows.

        The dialog stays unanswered: an answer would let the script show the next one, and Chromium does not stop a script between two
        dialogs. The script outlives its page if windows that it can reach share its process; those hang then.
        """
        first = tab.world.first_opener
        related = [other for other in self._tabs if other is not tab and other.world.first_opener == first]
        await self._close(tab, f"showed {MOST_DIALOGS} dialogs in a row and was closed")
        for other in related:
            if await other.world.stays_silent(ANSWERS):
                await other.world.terminate()

    def _write_down(self, dialog: Dialog, tab: Tab | None, reply: Answer) -> DialogEntry:
        message = redact(dialog.message[:MAX_DIALOG_MESSAGE])
        entry = DialogEntry(time.time(), tab.id if tab else 0, dialog.type, message, reply.words)
        entry.is_unasked = self.policy.is_unasked(dialog.type)
        entry.document = tab.document if tab else 0
        self._log.add(entry)
        return entry


async def _answer(dialog: Dialog, reply: Answer, entry: DialogEntry) -> None:
    try:
        await (dialog.accept(reply.reply) if reply.accept else dialog.dismiss())
    except ProtocolError:
        entry.answer = "gone before it was answered"
