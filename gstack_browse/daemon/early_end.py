"""A command that is ended before its time: by `stop`, a signal, a successor, `context-close`, or because the browser has died."""

import asyncio
from collections.abc import Awaitable

from gstack_browse.browser.launch.running import CHROMIUM
from gstack_browse.daemon.agent_context import AgentContext
from gstack_browse.daemon.busy import stopping
from gstack_browse.daemon.ends import End
from gstack_browse.daemon.service import Service
from gstack_browse.errors import BrowseError, Busy, StateLost
from gstack_browse.registry import READ, Bound, Requires

_NEWS_SECONDS = 0.3


class EarlyEnd:
    """Ends one command early, and says what its reply is then. To be made in the command's task.

    `bound` is set when the command's words are bound, `ends_daemon` when the command ends the daemon by itself.
    """

    def __init__(self, service: Service, context: AgentContext, name: str, *, is_step: bool) -> None:
        self.bound: Bound | None = None
        self.ends_daemon = False
        self.is_following = False
        """Whether the command goes on until its client goes away."""
        self._service = service
        self._context = context
        self._name = name
        self._is_step = is_step
        self._task = asyncio.current_task()
        self._why: End | None = None
        self._requests_before = -1
        """How many requests pages had made when the handler was called; -1 until then."""
        self._cancelling: asyncio.TimerHandle | None = None

    def handler_called(self) -> None:
        """From here on something of the command may have happened."""
        self._requests_before = self._context.logs.network.total

    def interrupt(self, why: End) -> None:
        """Cancel the command. Not the one that ends the daemon, which has an answer of its own.

        What only reads something in the daemon is answered sooner than it could be interrupted.
        """
        if self._only_reads and why in (End.STOPPED, End.REPLACED):
            return
        if self._task and (not self.ends_daemon or why is End.DIED):
            self._why = why
            last_news = _NEWS_SECONDS if why is End.DIED and self._may_begin_anew() else 0.0
            self._cancelling = asyncio.get_running_loop().call_later(last_news, self._task.cancel)

    def done(self) -> None:
        """The command has its reply: do not cancel any more."""
        if self._cancelling:
            self._cancelling.cancel()

    async def after(self, text: Awaitable[str]) -> str:
        """What the command says. A failure comes out once it is known whether it was only the first sign of the browser's end."""
        try:
            return await text
        except Exception:
            if browser := self._context.browser:
                await browser.running.connection.settled()
            raise

    def caught(self) -> BrowseError | None:
        """The failure in place of a CancelledError that `interrupt` has caused; None for a client's that has gone."""
        if self._why is None:
            return None
        while self._task and self._task.cancelling():
            self._task.uncancel()
        return self._failure(self._why)

    def reason(self) -> BrowseError | None:
        """What to say instead of a failure that is only a sign of the end; None when the failure is one of its own."""
        needs_browser = self.bound is not None and self.bound.command.needs_browser
        if self._service.dead and needs_browser:
            return self._failure(End.DIED)
        return self._failure(self._why) if self._why else None

    def _failure(self, why: End) -> BrowseError:
        """Why it was ended early. Busy, so that the client asks again, if nothing of it has happened yet."""
        if why is End.DIED:
            return self._repeated() if self._may_begin_anew() else self._service.lost(self._context)
        has_begun = self._requests_before >= 0 or self._is_step
        if not has_begun and why not in (End.STOPPED, End.CONTEXT_CLOSED):
            return not_now()
        return StateLost(
            f"{self._name} was interrupted: {why.value}",
            "It may have been half done. Run 'status' to see where things stand",
        )

    @property
    def _only_reads(self) -> bool:
        bound = self.bound
        return not self.is_following and bool(
            bound and bound.kind is READ and bound.command.requires is Requires.DAEMON
        )

    def _repeated(self) -> BrowseError:
        """Busy, so that the client asks again; unless the browser before this one has ended like this one."""
        return self._service.crashes.failure() or not_now()

    def _may_begin_anew(self) -> bool:
        """Whether the browser died before a command that makes sense without its state had reached anybody.

        Chromium's last words still come through the driver, before its end does: that no request is among them
        is sure when the command fails by itself. A dead driver passes on nothing.
        """
        if self._is_step or self.bound is None or not self.bound.command.fresh:
            return False
        if self._requests_before < 0:
            return True
        return self._service.dead == CHROMIUM and self._requests_before == self._context.logs.network.total


def not_now() -> Busy:
    """Nothing of the request has happened: the client asks again, and the next daemon answers."""
    return stopping()
