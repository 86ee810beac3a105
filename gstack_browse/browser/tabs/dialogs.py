"""How alerts, confirmations and prompts are answered, so that no page waits for somebody who is not there.

Those that are left open, for `dialog-hold` or for a person, are `questions`.
"""

import asyncio
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from playwright.async_api import Dialog
from playwright.async_api import Error as PlaywrightError

from gstack_browse.browser.tabs import questions
from gstack_browse.logs.entries import DialogEntry
from gstack_browse.text.redact import redact
from gstack_browse.text.sanitise import one_line

if TYPE_CHECKING:
    from gstack_browse.browser.tabs.session import BrowserSession
    from gstack_browse.browser.tabs.tab import Tab

MOST_DIALOGS = 25
"""Dialogs in a row before the page is taken to be in a loop."""
MAX_MESSAGE = 2_000
LEAVING = frozenset({"goto", "back", "forward", "reload"})
"""Commands that leave a page because they were asked to: whether it may be left is no question."""


@dataclass(frozen=True)
class Answer:
    """What to do with one dialog. `words` say it in the log and in replies."""

    accept: bool
    reply: str
    words: str


@dataclass(frozen=True)
class DialogPolicy:
    """Whether dialogs are accepted, and what a prompt is told; None keeps the page's own suggestion.

    `hold` leaves them open instead. `is_chosen` tells whether somebody has asked for it.
    """

    accept: bool = True
    reply: str | None = None
    hold: bool = False
    is_chosen: bool = False

    def leaves_open(self, kind: str, command: str) -> bool:
        """Whether a dialog of that kind waits for an answer, with that command under way in its tab."""
        return self.hold and not (kind == "beforeunload" and command in LEAVING)

    def answer(self, kind: str, suggestion: str) -> Answer:
        """The answer to a dialog of that kind (`alert`, `confirm`, `prompt`, `beforeunload`).

        Leaving a page is always accepted: the command that leaves it was asked to.
        """
        if not self.accept and kind != "beforeunload":
            return Answer(False, "", "dismissed")
        if kind != "prompt":
            return Answer(True, "", "accepted")
        reply = suggestion if self.reply is None else self.reply
        return Answer(True, reply, f'accepted "{reply}"')

    @property
    def words(self) -> str:
        """What becomes of later dialogs, for `status`."""
        if self.hold:
            return "left open"
        reply = "" if self.reply is None else f', prompts with "{one_line(self.reply, 60)}"'
        return f"accepted{reply}" if self.accept else "dismissed"

    def is_unasked(self, kind: str) -> bool:
        """Whether a dialog of that kind is accepted although nobody has said so, and could have been refused."""
        return not self.is_chosen and kind in ("confirm", "prompt")


async def answer(session: "BrowserSession", dialog: Dialog, tab: "Tab | None") -> None:
    """Answer a dialog as the session's policy says, and write it down. A page that is in a loop loses its tab."""
    policy = session.dialogs
    reply = policy.answer(dialog.type, dialog.default_value)
    message = redact(dialog.message[:MAX_MESSAGE])
    entry = DialogEntry(time.time(), tab.id if tab else 0, dialog.type, message, reply.words)
    entry.is_unasked = policy.is_unasked(dialog.type)
    session.logs.dialog.add(entry)
    if tab and (session.handed or policy.leaves_open(dialog.type, tab.running)):
        await questions.leave_open(session, tab, dialog, entry)
        return
    if tab and tab.count_dialog(entry.at) > MOST_DIALOGS:
        entry.answer = "its tab was closed"
        await _end_loop(tab, dialog)
        await session.close_tab(tab, f"showed {MOST_DIALOGS} dialogs in a row and was closed")
        return
    try:
        await (dialog.accept(reply.reply) if reply.accept else dialog.dismiss())
    except PlaywrightError:
        entry.answer = "gone before it was answered"
    finally:
        if tab:
            tab.touch()


async def _end_loop(tab: "Tab", dialog: Dialog) -> None:
    """Stop the script that shows dialogs, which goes on after its page was closed: other pages may share its process."""
    stopping = asyncio.ensure_future(tab.world.terminate())
    await asyncio.sleep(0)  # the order to stop comes first, so that the script ends as soon as it is answered
    try:
        await dialog.dismiss()
    except PlaywrightError:
        return  # it was gone already
    finally:
        await stopping
