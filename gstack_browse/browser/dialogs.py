"""Answer JavaScript dialogs, and Chromium's own prompts for files, permissions and passkeys.

Dialogs are answered at once, so that no page hangs, or left open (`OpenDialog`) for a command. Permissions and passkeys are refused at once. The file
choosers that pages open are intercepted, and a reply names the `upload` command for each: no window appears, and the page hears that
nothing was chosen. In a visible window, and in a person's own browser, Chromium shows its own chooser. `actions.upload` gives files to
a chooser that its own click opens.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from gstack_browse.browser.cdp.session import ProtocolError, Session
from gstack_browse.browser.cdp.targets import Subscriber, Target
from gstack_browse.browser.cdp.tasks import Background
from gstack_browse.browser.devtools.page import Dialog
from gstack_browse.browser.engine.messages import FrameGone, PageScriptError, call_in
from gstack_browse.browser.launch.running import RunningBrowser
from gstack_browse.browser.relay.client_channel import DialogState
from gstack_browse.browser.tab.effects import FileChooser, OpenDialog
from gstack_browse.browser.tab.tab import Tab
from gstack_browse.browser.tab.table import TabTable
from gstack_browse.errors import ActionFailed
from gstack_browse.network.logs import MAX_DIALOG_MESSAGE, DialogEntry, Ring
from gstack_browse.text.redact import redact
from gstack_browse.text.sanitise import quote_text

GRACE_SECONDS = 0.5
"""Time for a command to return by itself after a dialog has opened. It is cancelled then."""
STILL_SECONDS = 1.0
"""A page that is silent this long while another shows a dialog is in the same blocked process."""


async def leave_open(tabs: TabTable, tab: Tab, dialog: Dialog, entry: DialogEntry, *, is_persons: bool) -> None:
    """Leave a dialog open for a later answer, and cancel the commands that it blocks, in all tabs.

    `entry`: the dialog's log entry, which is updated. `is_persons`: a person has to answer it.
    """
    entry.answer = "left to the person" if is_persons else "left open"
    entry.is_left_open = True
    open_dialog = OpenDialog(tab.id, dialog, entry, is_persons=is_persons)
    running = [(other, other.lock.task) for other in tabs if other is not tab and other.lock.task]
    tab.note_dialog(open_dialog)
    await _cancel_command(tab, tab.lock.task)
    for other, task in running:
        if other.lock.task is task and open_dialog in list_open_dialogs(tabs) and await _is_blocked(other):
            other.note_dialog(open_dialog)
            await _cancel_command(other, task)


async def _cancel_command(tab: Tab, task: asyncio.Task[object] | None) -> None:
    """Cancel the command (`task`) in a tab with an open dialog, unless it returns within GRACE_SECONDS."""

    def has_returned() -> bool:
        return tab.lock.task is not task

    if not await tab.wait_until(has_returned, GRACE_SECONDS):
        await tab.wait_load_adjusted(has_returned, 0)
        if tab.open_dialog:
            why = tab.open_dialog.failure(tab.id, f"{tab.lock.command} did not finish")
            tab.lock.cancel_command(task, why)


async def _is_blocked(tab: Tab) -> bool:
    """Return whether a page's main thread is blocked, as by a dialog of another page in the same process."""
    return not await tab.world.answers_ping(STILL_SECONDS) and await tab.world.is_main_thread_blocked()


def list_open_dialogs(tabs: TabTable) -> list[OpenDialog]:
    """Return the open dialogs of all tabs, each once."""
    found = [tab.open_dialog for tab in tabs if tab.open_dialog]
    return list(dict.fromkeys(found)) if found else found


async def check_not_blocked(tabs: TabTable, tab: Tab) -> None:
    """Raise DialogOpen if the tab is blocked by its own open dialog, or one of a page in the same process."""
    if tab.open_dialog:
        raise tab.open_dialog.failure(tab.id)
    blocking = list_open_dialogs(tabs)
    if blocking and await _is_blocked(tab):
        raise blocking[0].failure(tab.id)


def find_open_dialog(tabs: TabTable, number: int | None) -> OpenDialog | None:
    """Return the open dialog that a command's answer is meant for; None if none is open.

    That is the dialog of the tab with that number, for None of the active tab, else the only open one. Raises ActionFailed if
    dialogs are open in other tabs, and it is not clear which is meant.
    """
    tab = tabs.get(number)
    if tab and tab.open_dialog:
        return tab.open_dialog
    open_dialogs = list_open_dialogs(tabs)
    if not open_dialogs or (number is None and len(open_dialogs) == 1):
        return open_dialogs[0] if open_dialogs else None
    listed = ", ".join(f"{open_dialog.name} in tab {open_dialog.tab}" for open_dialog in open_dialogs)
    raise ActionFailed(
        f"Open are {listed}", f"Say which is meant: gbrowse --tab {open_dialogs[0].tab} dialog-accept"
    )


async def answer_open_dialog(tabs: TabTable, open_dialog: OpenDialog, *, accept: bool, text: str | None) -> str:
    """Accept or dismiss an open dialog, and return what was done, for the reply.

    `text`: for a prompt; None: its default value. Raises ActionFailed if the dialog is not open any more.
    """
    reply = open_dialog.dialog.default_value if text is None else text
    try:
        await (open_dialog.dialog.accept(reply) if accept else open_dialog.dialog.dismiss())
    except ProtocolError:
        mark_dialog_closed(tabs, open_dialog, "gone before it was answered")
        raise ActionFailed(
            f"{open_dialog.name} is open no more", "Run 'dialog' to see what was asked"
        ) from None
    mark_dialog_closed(tabs, open_dialog, describe_answer(open_dialog, accept, reply))
    done = f"{'Accepted' if accept else 'Dismissed'} {open_dialog.name}"
    return f"{done} with {quote_text(reply, 60)}" if accept and open_dialog.entry.kind == "prompt" else done


def describe_answer(open_dialog: OpenDialog, is_accepted: bool, reply: str) -> str:
    """Describe for the log how a dialog was answered. `reply`: the text given to a prompt."""
    if not is_accepted:
        return "dismissed"
    return f'accepted "{redact(reply)}"' if open_dialog.entry.kind == "prompt" else "accepted"


def mark_dialog_closed(tabs: TabTable, open_dialog: OpenDialog, ending: str) -> None:
    """Remove a dialog that has closed from all tabs, and log how it ended. `ending`: such as "dismissed"."""
    if open_dialog.entry.answer.startswith("left "):
        open_dialog.entry.answer = ending
    for tab in tabs:
        tab.remove_dialog(open_dialog)


def mark_own_dialog_closed(tabs: TabTable, tab: Tab, ending: str) -> None:
    """Mark the open dialog of a tab's own page, if any, as closed. `ending`: how it ended, for the log."""
    if tab.open_dialog and tab.open_dialog.tab == tab.id:
        mark_dialog_closed(tabs, tab.open_dialog, ending)


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
    """Whether dialogs are accepted, and the reply to prompts (None: the page's default value).

    `hold` leaves them open instead. `is_chosen`: a command has set the policy.
    """

    accept: bool = True
    reply: str | None = None
    hold: bool = False
    is_chosen: bool = False

    def leaves_open(self, kind: str, command: str) -> bool:
        """Return whether to leave open a dialog that appears while `command` runs. `kind`: alert, confirm …"""
        return self.hold and not (kind == "beforeunload" and command in LEAVING)

    def answer(self, kind: str, suggestion: str) -> Answer:
        """Return the answer to a dialog. `kind`: alert, confirm …; `suggestion`: a prompt's default value.

        The dialog on leaving a page (beforeunload) is always accepted: the command that leaves it was asked to.
        """
        if not self.accept and kind != "beforeunload":
            return Answer(False, "", "dismissed")
        if kind != "prompt":
            return Answer(True, "", "accepted")
        reply = suggestion if self.reply is None else self.reply
        return Answer(True, reply, f"accepted {quote_text(reply)}")

    @property
    def description(self) -> str:
        """Describe for `status` how later dialogs are answered."""
        if self.hold:
            return "left open"
        reply = "" if self.reply is None else f", prompts with {quote_text(self.reply, 60)}"
        return f"accepted{reply}" if self.accept else "dismissed"

    def accepts_by_default(self, kind: str) -> bool:
        """Return whether a confirm or prompt is accepted only because no command has set the policy."""
        return not self.is_chosen and kind in ("confirm", "prompt")


class DialogAnswerer:
    """Answers the dialogs of a context's pages by its `policy`, and logs them.

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

    def follow(self, subscriber: Subscriber, tab_of: Callable[[str], Tab | None]) -> None:
        """From now on, mark open dialogs as closed when a person, or the end of their page, closes them.

        `tab_of`: returns the tab of a page by its target id.
        """

        def close_question(target: Target, event: dict[str, Any]) -> None:
            tab = tab_of(target.page)
            if tab and tab.open_dialog:
                ending = describe_answer(tab.open_dialog, event["result"], event["userInput"])
                mark_own_dialog_closed(self._tabs, tab, ending)

        subscriber.on("Page.javascriptDialogClosed", close_question)

    def on_dialog(self, dialog: Dialog) -> None:
        """Handle a dialog that a page shows: `answer` it in the background."""
        self._background.start(self.answer(dialog))

    async def answer(self, dialog: Dialog) -> None:
        """Answer a dialog by the policy, leave it open, or close the tab of a page that shows too many."""
        tab = self._tabs.find_by_page(dialog.page)
        reply = self.policy.answer(dialog.type, dialog.default_value)
        entry = self._log_dialog(dialog, tab, reply)
        is_left = tab and (self.is_with_person or self.policy.leaves_open(dialog.type, tab.lock.command))
        take = self.take_client_dialog
        state = await take(tab.page.target.id) if tab and take else None
        if tab and is_left and state in (None, DialogState.OPEN):
            await leave_open(self._tabs, tab, dialog, entry, is_persons=self.is_with_person)
        elif tab and state:  # the dialog is left to the attached program whose action has opened it
            entry.answer, entry.is_left_open = state.value, True
            if state is DialogState.OPEN:
                tab.note_dialog(OpenDialog(tab.id, dialog, entry, is_persons=False))
        elif tab and tab.dialogs.count(time.monotonic()) > MOST_DIALOGS:
            entry.answer = "its tab was closed"
            await self._close_looping_tab(tab)
        else:
            await _send_answer(dialog, reply, entry)
            if tab:
                tab.wake_waiters()

    async def _close_looping_tab(self, tab: Tab) -> None:
        """Close a tab whose page shows endless dialogs, and stop its script in windows of the same process.

        The dialog stays unanswered: an answer would let the script show the next one, and Chromium does not stop a script between
        two dialogs. The script outlives its page if windows that it can reach share its process; those hang then.
        """
        first = tab.world.first_opener
        related = [other for other in self._tabs if other is not tab and other.world.first_opener == first]
        await self._close(tab, f"showed {MOST_DIALOGS} dialogs in a row and was closed")
        for other in related:
            if await other.world.is_main_thread_blocked():
                await other.world.terminate()

    def _log_dialog(self, dialog: Dialog, tab: Tab | None, reply: Answer) -> DialogEntry:
        """Add a dialog to the log, with the answer that it gets. Return the log entry."""
        message = redact(dialog.message[:MAX_DIALOG_MESSAGE])
        entry = DialogEntry(time.time(), tab.id if tab else 0, dialog.type, message, reply.words)
        entry.is_unasked = self.policy.accepts_by_default(dialog.type)
        entry.document = tab.document if tab else 0
        self._log.add(entry)
        return entry


async def _send_answer(dialog: Dialog, reply: Answer, entry: DialogEntry) -> None:
    """Accept or dismiss a dialog. If it has gone already, say so in its log entry."""
    try:
        await (dialog.accept(reply.reply) if reply.accept else dialog.dismiss())
    except ProtocolError:
        entry.answer = "gone before it was answered"


_BINDING = "__gbrowseAsks"


def watch_permission_requests(
    running: RunningBrowser, subscriber: Subscriber, tab_of: Callable[[str], Tab | None]
) -> None:
    """Note in each tab of a browser context which permissions its page requests, from now on.

    Leaves a person's own browser alone. `tab_of`: returns the tab of a page by its target id.
    """
    if running.is_shared:
        return

    def note(target: Target, name: str, context: int) -> None:
        if tab := tab_of(target.page):
            granted = running.granted_permissions.get(target.browser_context, frozenset())
            tab.effects.asked_permissions.note(name, tab.document, granted)

    def begin(target: Target) -> None:
        target.run_in_documents(_permissions_script(), binding=_BINDING)

    subscriber.on_binding(_BINDING, note)
    running.connection.events.call_for_targets(subscriber, begin)


@cache
def _permissions_script() -> str:
    """Return the script that reports which permissions a page requests."""
    return Path(__file__).with_name("asked-permissions.js").read_text(encoding="utf-8")


_AUTHENTICATOR = {
    "protocol": "ctap2",
    "transport": "usb",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": False,
    "automaticPresenceSimulation": True,
}
"""A security key without passkeys that verifies no user: the page gets a NotAllowedError for every request."""


def refuse_passkeys(running: RunningBrowser, target: Target) -> None:
    """Refuse a page's passkey requests (by a virtual authenticator), unless a person may answer."""
    if not running.may_have_person:
        target.session.notify("WebAuthn.enable")
        target.session.notify("WebAuthn.addVirtualAuthenticator", {"options": _AUTHENTICATOR})


def refuse_passkeys_again(running: RunningBrowser, target: Target) -> None:
    """Refuse passkeys anew, since the end of another protocol session with the page may have undone it."""
    if not running.may_have_person:
        target.session.notify("WebAuthn.disable")
    refuse_passkeys(running, target)


async def open_further_session(running: RunningBrowser, target: Target) -> Session:
    """Open a further CDP session with a page. When it ends, refuse passkeys again. Raises ProtocolError."""
    session = await running.connection.open_session(target.id)
    session.on("close", lambda _: refuse_passkeys_again(running, target))
    return session


_INTERCEPT = "Page.setInterceptFileChooserDialog"
_DESCRIBE_SECONDS = 1.0
"""Time limit for a page to name the field that opened the chooser."""


def intercept_choosers(
    running: RunningBrowser, subscriber: Subscriber, tab_of: Callable[[str], Tab | None]
) -> None:
    """Cancel file choosers of a browser context's pages from now on, and note each in the page's tab.

    In a window, and in a person's own browser, they are not cancelled. `tab_of`: returns the tab of a page by its target id.
    """

    def opened(target: Target, event: dict[str, Any]) -> None:
        if tab := tab_of(target.page):
            node, mode = event.get("backendNodeId", 0), event.get("mode", "")
            choosers = tab.effects.file_choosers
            frame, is_multiple = event["frameId"], mode == "selectMultiple"
            choosers.add(FileChooser(target, frame, node, is_multiple, tab.document, choosers.last_target))
            tab.wake_waiters()

    subscriber.on("Page.fileChooserOpened", opened)
    if not _shows_file_choosers(running):
        running.connection.events.call_for_targets(subscriber, _cancel_choosers)


def _shows_file_choosers(running: RunningBrowser) -> bool:
    """Return whether a person sees file choosers: in a visible window, or in the person's own browser."""
    return running.window.visible or running.is_shared


def _cancel_choosers(target: Target) -> None:
    """Have Chromium cancel and report each file chooser that a target's documents open, from now on."""
    if target.has_documents:
        target.session.notify(_INTERCEPT, {"enabled": True, "cancel": True})


@contextmanager
def leave_chooser_open(
    running: RunningBrowser, tab: Tab, answer: Callable[[FileChooser], None]
) -> Iterator[None]:
    """Leave file choosers of a tab open within this context, and pass each to `answer`, which gives files."""
    page = tab.world.frames.target.id
    targets = [target for target in running.connection.targets if target.page == page and target.has_documents]
    for target in targets:
        target.session.notify(_INTERCEPT, {"enabled": True})
    tab.effects.file_choosers.answer = answer
    try:
        yield
    finally:
        tab.effects.file_choosers.answer = None
        for target in targets:
            if _shows_file_choosers(running):
                target.session.notify(_INTERCEPT, {"enabled": False})
            else:
                _cancel_choosers(target)


async def take_chooser_line(tab: Tab, since: float) -> str:
    """Return the reply line about the last file chooser that the tab's page opened, or "". Forget it.

    `since`: when the command began to act (`time.monotonic()`); an older chooser is marked "earlier".
    """
    chooser, tab.effects.file_choosers.last = tab.effects.file_choosers.last, None
    if chooser is None or chooser.document != tab.document:
        return ""
    return f"{'earlier: ' if chooser.at < since else ''}{await _describe_chooser(tab, chooser)}"


async def _describe_chooser(tab: Tab, chooser: FileChooser) -> str:
    """Describe what a file chooser asks for, and the command for it: `asks for a file: upload @e3 <file>`."""
    import shlex  # imported late: a start does not need it

    target = shlex.quote(chooser.last_target) if chooser.last_target else "<target>"
    if not chooser.node:
        return f"asks for a file or a folder, or where to save one: upload {target} <path>"
    ref, is_folder = "", False
    with suppress(ProtocolError, FrameGone, PageScriptError, TimeoutError):
        if not tab.is_interrupted:
            ref, is_folder = await tab.world.run_with_timeout(_find_field(tab, chooser), _DESCRIBE_SECONDS)
    if is_folder:
        return f"asks for a folder: upload {ref or target} <folder>"
    if chooser.is_multiple:
        return f"asks for files: upload {ref or target} <file>…"
    return f"asks for a file: upload {ref or target} <file>"


async def _find_field(tab: Tab, chooser: FileChooser) -> tuple[str, bool]:
    """Return (ref of the field that opened a chooser, "" if removed; whether the field takes a folder)."""
    context = chooser.target.contexts.get(chooser.frame_id)
    if context:
        await call_in(context, "completeRoundTrip")  # loads the engine
    function = "function() { return [__gbrowse.idOf(this), this.webkitdirectory, this.isConnected]; }"
    node, is_folder, is_connected = await chooser.call_on_field(function)
    if context is None or not is_connected:
        return "", is_folder
    is_main = chooser.frame_id == tab.page.target.id
    return (await tab.refs.refs_and_names(context, [node], is_main=is_main))[0][0], is_folder
