"""Show a command's progress on the caller's terminal: one line, erased before the reply."""

import asyncio
from collections.abc import Callable, Sequence

from gstack_browse.browser.downloads import Download
from gstack_browse.browser.tab.tab import Tab
from gstack_browse.browser.tab.urls import shown_url
from gstack_browse.daemon.socket.server import Say
from gstack_browse.protocol import FOLLOW, PROGRESS, Request
from gstack_browse.text.sanitise import one_line
from gstack_browse.text.units import format_count, format_duration

EVERY_SECONDS = 1.0
WIDEST = 78
"""Characters: a longer line would wrap on a narrow terminal, and stay there."""
_TO_THE_END = "\x1b[K"
"""Erases the rest of the line (ECMA-48, EL)."""


def wants_progress(request: Request) -> bool:
    """Return whether to show progress to a person: standard error is a terminal, the reply is text.

    Not with `--follow`, whose reply comes in parts.
    """
    return request.progress and request.reply == "text" and FOLLOW not in request.args


class ProgressLine:
    """The progress line of one request.

    `say` sends to the caller. Remarks go through `send_note`, which erases the line first.
    """

    def __init__(self, say: Say) -> None:
        self._say = say
        self._is_shown = False
        self._timer: asyncio.TimerHandle | None = None

    def start(self, describe_wait: Callable[[], str]) -> None:
        """Begin to show the progress line, updated every second until `stop`.

        `describe_wait`: returns its text.
        """
        self._timer = asyncio.get_running_loop().call_later(EVERY_SECONDS, self._show, describe_wait)

    def send_note(self, note: str) -> None:
        """Replace the progress line by a remark, which stays on the terminal."""
        self._wipe()
        self._say(note)

    def stop(self) -> None:
        """Erase the progress line and end its updates, since the reply comes next."""
        if self._timer:
            self._timer.cancel()
        self._wipe()

    def _show(self, describe_wait: Callable[[], str]) -> None:
        """Print the progress line and schedule its next update. `describe_wait`: returns its text."""
        self._say(PROGRESS + one_line(describe_wait(), WIDEST) + _TO_THE_END)
        self._is_shown = True
        self.start(describe_wait)

    def _wipe(self) -> None:
        """Erase the progress line from the terminal."""
        if self._is_shown:
            self._say(PROGRESS + _TO_THE_END)
            self._is_shown = False


def describe_wait(
    command: str, seconds: float, tab: Tab | None, running: Sequence[Download], *, has_turn: bool
) -> str:
    """Describe how long a command has run, and what it waits for: `wait: 12s, r.iso (3 of 400 MB)`.

    `running`: unfinished downloads. `has_turn`: it holds the tab's lock; else it waits for another command there.
    """
    prefix = f"{command}: {format_duration(seconds)}"
    detail = _describe_cause(tab, running, has_turn=has_turn) if tab else ""
    return f"{prefix}, {detail}" if detail else prefix


def _describe_cause(tab: Tab, running: Sequence[Download], *, has_turn: bool) -> str:
    """Describe what a command awaits: its turn in the tab, its work, a download or request; "" if unknown."""
    if not has_turn:
        return f"waits for its turn on tab {tab.id}"
    if tab.stage:
        return tab.stage()
    if running:
        more = f" and {len(running) - 1} more" if len(running) > 1 else ""
        return f"{one_line(running[0].name, 40)} ({running[0].amount}){more}"
    if awaited := tab.requests.awaited:
        return f"waits for {shown_url(awaited.url)}"
    if pending := len(tab.requests.pending):
        return f"{format_count(pending, 'request')} under way"
    return ""
