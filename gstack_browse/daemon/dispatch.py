"""From a request to its reply: what a command prints is made safe, and every failure becomes words, whatever it is.

Nothing else does either. How a command is found, bound and run is `command_run`'s.
"""

import asyncio

from gstack_browse.browser.engine import failures
from gstack_browse.daemon import error_log, progress, replies
from gstack_browse.daemon.agent_context import AgentContext
from gstack_browse.daemon.command_run import CommandRun
from gstack_browse.daemon.confirmation import Confirmations
from gstack_browse.daemon.connection import Say
from gstack_browse.daemon.early_end import not_now
from gstack_browse.daemon.handover import Handover
from gstack_browse.daemon.progress import ProgressLine
from gstack_browse.daemon.service import Service
from gstack_browse.errors import (
    BrowseError,
    ExpectationFailed,
    FileFailed,
    PicturesDiffer,
    ProblemsFound,
    ScriptFailed,
    ServiceFailed,
    SetupFailed,
    StateLost,
    TabGone,
    TokensDiffer,
)
from gstack_browse.protocol import Reply, Request, failure
from gstack_browse.text import colour
from gstack_browse.text.redact import redact
from gstack_browse.text.sanitise import one_line, sanitise
from gstack_browse.workspace import DAEMON_LOG

_FAILURES_BEFORE_HANDOFF = 3


class Dispatch:
    """Runs requests against a service."""

    def __init__(self, service: Service, handover: Handover) -> None:
        self.service = service
        self.handover = handover
        self.confirmations = Confirmations(service.settings.confirm)

    async def answer(self, request: Request, say: Say) -> Reply:
        """The reply to one request. Never raises, except when the client has gone."""
        if self.service.closing:
            return failure(not_now())
        context = self.service.contexts.of(request.as_)
        context.begin()
        try:
            return self._counted(context, await self.run(request, say, context))
        finally:
            context.end(request.cmd)
            self.service.contexts.settle(context)

    async def run(
        self, request: Request, say: Say, context: AgentContext, outer: CommandRun | None = None
    ) -> Reply:
        """The same for a command that `outer` runs, such as a step of a chain."""
        service = self.service
        line = ProgressLine(say) if progress.is_wanted(request) else None
        run = CommandRun(self, request, line.say if line else say, context, outer)
        service.runs.add(run)
        if line:
            line.begin(run.progress)
        try:
            return await self._reply(run)
        finally:
            if line:
                line.end()
            run.ended()
            service.runs.discard(run)
            service.followers.discard(run)
            service.note_command()
            service.last_used = service.now()
            service.respite.answered()

    async def _reply(self, run: CommandRun) -> Reply:
        """What becomes of a run, in words: never an exception, but for a client that has gone."""
        early_end = run.early_end
        try:
            text = await early_end.after(run.text())
            reply = Reply(self._finished(run, text))
        except BrowseError as error:
            is_told = bool(run.done) and isinstance(error, StateLost)  # by a step of a chain
            reply = self._failed(run, error if is_told else early_end.reason() or error)
        except asyncio.CancelledError:
            if (interruption := early_end.caught()) is None:
                raise
            reply = self._failed(run, interruption)
        except Exception as error:  # noqa: BLE001 - the one place: whatever went wrong becomes words, and the daemon goes on
            reply = self._failed(run, early_end.reason() or failures.explain(error) or self._fault(run, error))
        early_end.done()
        if reply.error == TabGone.kind and run.is_about_a_departure and not run.outer:
            run.settle_departure()
        reply.notes = [one_line(self.service.hide(note), 500) for note in run.notes]
        if run.bound:
            self.service.recent.append((run.bound, reply.code, _prefix(run.context)))
        return reply

    def _finished(self, run: CommandRun, text: str) -> str:
        assert run.bound is not None
        text = self._printed(run, text)
        is_coloured = run.request.colour and run.request.reply == "text" and run.bound.command.is_tree
        return colour.colour_snapshot(text) if is_coloured else text

    def _printed(self, run: CommandRun, text: str) -> str:
        """Prepare what a command printed for the reply, in the same way whatever the command ended in."""
        if not text:
            return ""
        text = sanitise(text)
        if run.bound and run.bound.command.page_text and not run.bound.wants_help:
            text = replies.bounded(text, run.bound)
            run.sources = run.sources or [""]
        return self.service.hide(redact(self._fenced(run, text)))

    def _fenced(self, run: CommandRun, text: str) -> str:
        """`text` in a fence if there is text of pages in it. What a command runs for another is fenced with that one's."""
        if run.outer:
            run.outer.sources += run.sources
            return text
        return replies.fenced(text, run.sources) if self._is_fence_wanted(run) else text

    def _fault(self, run: CommandRun, error: Exception) -> BrowseError:
        """A fault of the system's, or of our own: the details go to the daemon's log, one line to the user."""
        error_log.report(error, [*(run.bound.secrets if run.bound else []), *self.service.revealed_values])
        return replies.fault(error, self.service.state.shown(DAEMON_LOG))

    def _failed(self, run: CommandRun, error: BrowseError) -> Reply:
        browser = run.context.browser
        is_elsewhere = run.request.tab is not None and not (browser and browser.tabs.active == run.request.tab)
        hide = self.service.hide
        reply = replies.failed(error, run.bound, run.context.name, run.request.tab if is_elsewhere else None)
        reply.message, reply.hint = hide(reply.message), hide(reply.hint)
        printed = [*run.done, error.output]
        if isinstance(error, ScriptFailed) and self._is_fence_wanted(
            run
        ):  # the message is the page's own, as a whole
            printed.append(error.message)
            reply.message = "The script failed; what it has thrown stands in the fence"
        reply.text = self._printed(run, "\n".join(filter(None, printed)))
        return reply

    def _is_fence_wanted(self, run: CommandRun) -> bool:
        return run.request.fence or self.service.settings.fence

    def _counted(self, context: AgentContext, reply: Reply) -> Reply:
        """After three failures in a row, mention that a person could take over."""
        if reply.code in (0, 2) or reply.error in (
            SetupFailed.kind,
            ExpectationFailed.kind,
            FileFailed.kind,
            PicturesDiffer.kind,
            ProblemsFound.kind,
            TokensDiffer.kind,
            ServiceFailed.kind,
        ):
            context.failures_in_a_row = 0 if reply.code == 0 else context.failures_in_a_row
            return reply
        context.failures_in_a_row += 1
        browser = context.holder
        if context.failures_in_a_row >= _FAILURES_BEFORE_HANDOFF and browser and not browser.handed:
            stuck = replies.aimed("Stuck? 'handoff' shows the page to a person", context.name)
            reply.hint += ("\n" if reply.hint else "") + stuck
        return reply


def _prefix(context: AgentContext) -> str:
    """What a line about a context begins with that has a name."""
    return f"{context.name}: " if context.name else ""
