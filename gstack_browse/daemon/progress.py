"""How far a command is, on the caller's terminal: one line, after a second, that is wiped away before the reply."""

import asyncio
from collections.abc import Callable, Sequence

from gstack_browse.browser.tabs.download import Download
from gstack_browse.browser.tabs.tab import Tab
from gstack_browse.browser.tabs.urls import shown_url
from gstack_browse.daemon.connection import Say
from gstack_browse.protocol import FOLLOW, PROGRESS, Request
from gstack_browse.text.columns import format_count, format_duration
from gstack_browse.text.sanitise import one_line

EVERY_SECONDS = 1.0
WIDEST = 78
"""Characters: a longer line would wrap on a narrow terminal, and stay there."""
_TO_THE_END = "\x1b[K"
"""Erases the rest of the line (ECMA-48, EL)."""


def is_wanted(request: Request) -> bool:
    """Whether the caller is shown a line: one at a terminal who waits for a text. Who follows a log reads what comes."""
    return request.progress and request.reply == "text" and FOLLOW not in request.args


class ProgressLine:
    """The line of one request. `say` is how the request's other remarks reach the caller, too: they push the line away."""

    def __init__(self, say: Say) -> None:
        self._say = say
        self._is_shown = False
        self._timer: asyncio.TimerHandle | None = None

    def begin(self, words: Callable[[], str]) -> None:
        """Show from now on what `words` says."""
        self._timer = asyncio.get_running_loop().call_later(EVERY_SECONDS, self._show, words)

    def say(self, note: str) -> None:
        """Say something that stays."""
        self._wipe()
        self._say(note)

    def end(self) -> None:
        """The reply comes next."""
        if self._timer:
            self._timer.cancel()
        self._wipe()

    def _show(self, words: Callable[[], str]) -> None:
        self._say(PROGRESS + one_line(words(), WIDEST) + _TO_THE_END)
        self._is_shown = True
        self.begin(words)

    def _wipe(self) -> None:
        if self._is_shown:
            self._say(PROGRESS + _TO_THE_END)
            self._is_shown = False


def words(command: str, seconds: float, tab: Tab | None, running: Sequence[Download], *, has_turn: bool) -> str:
    """What a command has waited for so long, as far as that is known: `wait: 12s, r.iso (3 of 400 MB)`."""
    begun = f"{command}: {format_duration(seconds)}"
    detail = _detail(tab, running, has_turn=has_turn) if tab else ""
    return f"{begun}, {detail}" if detail else begun


def _detail(tab: Tab, running: Sequence[Download], *, has_turn: bool) -> str:
    if not has_turn:
        return f"waits for its turn on tab {tab.id}"
    if running:
        more = f" and {len(running) - 1} more" if len(running) > 1 else ""
        return f"{one_line(running[0].name, 40)} ({running[0].amount}){more}"
    if awaited := tab.requests.awaited:
        return f"waits for {shown_url(awaited.url)}"
    if pending := len(tab.requests.pending):
        return f"{format_count(pending, 'request')} under way"
    return ""
