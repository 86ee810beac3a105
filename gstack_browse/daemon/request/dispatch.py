"""Make a reply of a request: clean a command's output, and turn every failure into a message.

This is the only place for both. `command_run` finds, binds and runs the command. `ReportedStep` adds it to a report
that is recorded, `FilmedCommand` to a film.
"""

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING

from gstack_browse.browser.command.page import PageOpener
from gstack_browse.browser.engine import failures
from gstack_browse.daemon.base import log_files
from gstack_browse.daemon.contexts.agent_context import AgentContext
from gstack_browse.daemon.request import progress
from gstack_browse.daemon.request.command_run import CommandRun
from gstack_browse.daemon.request.policy import Confirmations
from gstack_browse.daemon.request.progress import ProgressLine
from gstack_browse.daemon.service import Service
from gstack_browse.daemon.socket.connection_limiter import stopping_error
from gstack_browse.daemon.socket.server import Say
from gstack_browse.daemon.succession.handover import Handover
from gstack_browse.daemon.succession.upgrader import Upgrader
from gstack_browse.errors import (
    BrowseError,
    ExpectationFailed,
    FileFailed,
    NoService,
    PicturesDiffer,
    ProblemsFound,
    ScriptFailed,
    ServiceFailed,
    SetupFailed,
    StateLost,
    TabGone,
    TargetError,
    TimedOut,
    TokensDiffer,
    UnknownCommand,
    UsageError,
)
from gstack_browse.flows.log import ACTIONS, LOOKS, StepRecord
from gstack_browse.protocol import Reply, Request, failure
from gstack_browse.registry import REGISTRY, BoundCall, Command, Requires, with_usage
from gstack_browse.registry.truncation import truncate_page_text
from gstack_browse.text.redact import redact
from gstack_browse.text.sanitise import fence, one_line, sanitise
from gstack_browse.workspace import shortage
from gstack_browse.workspace.directory import DAEMON_LOG

if TYPE_CHECKING:
    from gstack_browse.browser.context.filming import Film
    from gstack_browse.browser.tab.tab import Tab

RunCommand = Callable[[Sequence[str]], Awaitable[Reply]]
MOST_STEPS = 300
"""Steps of a report: each has up to 60 kB of a picture."""
_FAILURES_BEFORE_HANDOFF = 3
_HELPED_BY_A_PERSON = (BrowseError.code, TimedOut.code, TargetError.code)
"""Of a page that resists. Policies, stale refs, lost state and the like stay as they are in a window, too."""
_MESSAGE_CHARACTERS = 1000
_HINT_CHARACTERS = 4000
_REF = re.compile(r"^(\s*(?:[+-] )?)(@[ec][0-9]+)", re.MULTILINE)
_ROLE = re.compile(r"(\[[a-z][^\[\]\n]{0,60}\])")
_CYAN, _DIM, _PLAIN = "\x1b[36m", "\x1b[2m", "\x1b[0m"


class ReportedStep:
    """Adds one command to the report that is recorded in its context. Create it before the command runs."""

    def __init__(self, run: CommandRun, context: AgentContext) -> None:
        self._run = run
        self._context = context
        self._began = time.monotonic()
        self._before = context.logs.console.total, context.logs.network.total

    async def add(self, reply: Reply, run_command: RunCommand) -> None:
        """Add the finished command to the report that its context records, with effects, logs and a picture.

        `run_command`: runs the command that takes the picture.
        """
        report, run = self._context.flow.report, self._run
        done = run.make_flow_entry(reply.text)
        if (
            report is None
            or done is None
            or done.command not in ACTIONS | LOOKS
            or len(report.steps) >= MOST_STEPS
        ):
            return
        from gstack_browse.commands.flow.steps import record_logs, take_picture  # only for a report
        from gstack_browse.flows import saving

        browser = self._context.browser
        secrets = saving.collect_secrets(self._context.flow, browser.revealed.values if browser else [])
        line = saving.describe(done, secrets)
        step = StepRecord(len(report.steps) + 1, line, seconds=time.monotonic() - self._began)
        report.steps.append(step)
        lines = done.reply.split("\n")[1:]
        step.effects = [secrets.scrub(effect.removeprefix("→ ")) for effect in lines]
        step.error = secrets.scrub(reply.message) if reply.code else ""
        record_logs(step, self._context.logs, self._before, secrets.scrub)
        tab = browser.tabs.get(run.request.tab) if browser else None
        step.picture, step.no_picture = await take_picture(run_command, tab, secrets.values)


class FilmedCommand:
    """Adds one command to the film that is recorded in its context. Create it before the command runs."""

    def __init__(self, run: CommandRun, context: AgentContext, film: "Film") -> None:
        self._run = run
        self._context = context
        self._film = film
        self._began = film.now()
        film.begin_command(self._find_tab(), acts=run.request.cmd in ACTIONS)

    def end(self, reply: Reply) -> None:
        """Note in the film when the command ended, and what it did. `reply`: what it printed."""
        done = self._run.make_flow_entry(reply.text)
        if done:
            self._film.actions.add(self._began, self._film.now(), done, is_failed=bool(reply.code))
        self._film.end_command(self._find_tab(), has_acted=done is not None and done.command in ACTIONS)

    def _find_tab(self) -> "Tab | None":
        """Return the tab that the command acts on; None without one, or if the film has ended."""
        browser = self._context.browser
        return browser.tabs.get(self._run.request.tab) if browser and browser.film is self._film else None


class Dispatch:
    """Answers requests: runs their commands, and makes replies of outputs and errors."""

    def __init__(self, service: Service, handover: Handover, upgrader: Upgrader) -> None:
        self.service = service
        self.handover = handover
        self._upgrader = upgrader
        self.confirmations = Confirmations(service.settings.confirm)

    async def answer(self, request: Request, say: Say) -> Reply:
        """Run a client's request, and return the reply. Raises only if the client has gone.

        `say`: sends a remark to the client meanwhile.
        """
        note = await self._upgrader.before_command(request) if self._upgrader.is_due else ""
        if self.service.lifecycle.closing:
            return failure(stopping_error())
        context = self.service.contexts.get_or_make(request.as_)
        context.begin_command()
        try:
            reply = self._suggest_handoff(context, await self.run(request, say, context))
            if note:
                reply.notes.insert(0, note)
            return reply
        finally:
            context.end_command(request.cmd)
            self.service.context_opener.clean_up_after_command(context)

    async def run(
        self, request: Request, say: Say, context: AgentContext, parent: CommandRun | None = None
    ) -> Reply:
        """Run a request, with its progress line, and as a part of a report or film. Return the reply.

        `say`: sends a remark to the client meanwhile. `parent`: the command of which it is a step; None for a request of a client.
        """
        service = self.service
        line = ProgressLine(say) if progress.wants_progress(request) else None
        run = CommandRun(self, request, line.send_note if line else say, context, parent)
        service.lifecycle.running_commands.add(run)
        if line:
            line.start(run.describe_progress)
        reply = None
        try:
            step = ReportedStep(run, context) if context.flow.report else None
            film = context.browser.film if context.browser else None
            filmed = FilmedCommand(run, context, film) if film and not film.problem else None
            reply = await self._run_to_reply(run)
            if filmed:
                filmed.end(reply)
            if step:
                await step.add(reply, self._make_step_runner(run, say, context))
            return reply
        finally:
            if line:
                line.stop()
            run.finish(reply)
            service.lifecycle.running_commands.discard(run)
            service.lifecycle.followers.discard(run)
            service.on_command_done()
            service.lifecycle.last_used = service.lifecycle.now()
            service.lifecycle.commands_done += 1

    def _make_step_runner(self, run: CommandRun, say: Say, context: AgentContext) -> RunCommand:
        """Return a function that runs other commands (lists of words) as steps of the command `run`."""

        async def run_words(words: Sequence[str]) -> Reply:
            request = run.request
            step = Request(words[0], words[1:], cwd=request.cwd, tab=request.tab, as_=request.as_)
            return await self.run(step, say, context, run)

        return run_words

    async def _run_to_reply(self, run: CommandRun) -> Reply:
        """Run a command. Return a reply with its output or its error. Raises only if the client has gone."""
        cancellation = run.cancellation
        try:
            text = await run.execute()
            reply = Reply(self._format_text(run, text))
        except BrowseError as error:
            is_reported = bool(run.done) and isinstance(error, StateLost)  # by a step of a chain
            reply = self._failure_reply(run, error if is_reported else cancellation.find_error() or error)
        except asyncio.CancelledError:
            if (interruption := cancellation.take_error()) is None:
                raise
            reply = self._failure_reply(run, interruption)
        except Exception as error:  # noqa: BLE001 - the one place: whatever went wrong becomes words, and the daemon goes on
            reply = self._failure_reply(
                run,
                cancellation.find_error()
                or failures.to_browse_error(error)
                or self._log_internal_error(run, error),
            )
        cancellation.disarm()
        if reply.error == TabGone.kind and run.reports_closed_tab and not run.parent:
            run.mark_closed_tab_reported()
        reply.notes = [one_line(self.service.hide_secrets(note), 500) for note in run.notes]
        if run.bound:
            prefix = f"{run.context.name}: " if run.context.name else ""
            self.service.recent_commands.append((run.bound, reply.code, prefix))
        return reply

    def _format_text(self, run: CommandRun, text: str) -> str:
        """Return a command's output as it is sent: cleaned, and with colours if the client asks for them."""
        assert run.bound is not None
        text = self._clean_output(run, text)
        is_coloured = run.request.colour and run.request.reply == "text" and run.bound.command.is_tree
        return colour_snapshot(text) if is_coloured else text

    def _clean_output(self, run: CommandRun, text: str) -> str:
        """Return a command's output without control characters and secrets; truncate and mark page text."""
        if not text:
            return ""
        text = sanitise(text)
        if run.bound and run.bound.command.page_text and not run.bound.wants_help:
            text = truncate_page_text(text, run.bound)
            run.has_page_text = True
        return self.service.hide_secrets(redact(self._fence_output(run, text)))

    def _fence_output(self, run: CommandRun, text: str) -> str:
        """Put marks around output with untrusted page text, if the request or settings ask for it.

        A step's output is returned as it is, since its parent command puts the marks.
        """
        if run.parent:
            run.parent.has_page_text |= run.has_page_text
            return text
        return fence(text) if run.has_page_text and run.wants_fence else text

    def _log_internal_error(self, run: CommandRun, error: Exception) -> BrowseError:
        """Log an unexpected exception, and return an error of one line for the reply."""
        log_files.log_exception(
            error, [*(run.bound.secrets if run.bound else []), *self.service.revealed_values]
        )
        log = self.service.state.printable_path(DAEMON_LOG)
        return internal_error(error, log, is_outdated=self._upgrader.is_due)

    def _failure_reply(self, run: CommandRun, error: BrowseError) -> Reply:
        """Return the reply for an error, with the output that the command had before."""
        browser = run.context.browser
        is_elsewhere = run.request.tab is not None and not (browser and browser.tabs.active == run.request.tab)
        hide = self.service.hide_secrets
        reply = error_reply(error, run.bound, run.context.name, run.request.tab if is_elsewhere else None)
        reply.message, reply.hint = hide(reply.message), hide(reply.hint)
        printed = [*run.done, error.output]
        if isinstance(error, ScriptFailed) and run.wants_fence:  # the message is the page's own, as a whole
            printed.append(error.message)
            reply.message = "The script failed; what it has thrown stands in the fence"
        reply.text = self._clean_output(run, "\n".join(filter(None, printed)))
        return reply

    def _suggest_handoff(self, context: AgentContext, reply: Reply) -> Reply:
        """Suggest `handoff` (a person gets the page) in the hint of a reply, if a person could help.

        That is so from the third failure of that kind in a row in a context. Return the reply.
        """
        if reply.code not in _HELPED_BY_A_PERSON or reply.error in (
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
        browser = context.browser
        is_alone = browser and not (browser.handoff or browser.is_in_use_by_person)
        if context.failures_in_a_row >= _FAILURES_BEFORE_HANDOFF and is_alone:
            stuck = add_target_options("Stuck? 'handoff' shows the page to a person", context.name)
            reply.hint += ("\n" if reply.hint else "") + stuck
        return reply


def colour_snapshot(text: str) -> str:
    """Add terminal colours to a snapshot: refs (@e3) in cyan, text in brackets dim."""
    return _REF.sub(rf"\1{_CYAN}\2{_PLAIN}", _ROLE.sub(rf"{_DIM}\1{_PLAIN}", text))


def error_reply(error: BrowseError, bound: BoundCall | None, context: str, tab: int | None) -> Reply:
    """Return the reply that reports `error`, with the secrets among the command's words masked.

    Commands in its hint get `--as` and `--tab` of the request. `tab`: None if that tab is active.
    """
    if bound and isinstance(error, UsageError) and not isinstance(error, UnknownCommand | NoService):
        error = with_usage(error, bound.command)
    hidden = bound.secrets if bound else []
    hint = add_target_options(error.hint, context, tab)
    reply = failure(error)
    reply.message = redact(one_line(error.message, _MESSAGE_CHARACTERS), hidden)
    reply.hint = redact(sanitise(hint)[:_HINT_CHARACTERS], hidden)
    return reply


def internal_error(error: Exception, log: str, *, is_outdated: bool = False) -> BrowseError:
    """Return the error that reports an unexpected exception: lack of system resources, or a bug.

    Args:
        log: path of the log with the details
        is_outdated: the code on disk has changed since the daemon started; what it loads only when needed is new then
    """
    if is_outdated:
        hint = (
            "gbrowse was updated, and the daemon is of the version before: 'restart' goes on with the new one"
        )
    else:
        hint = f"This is a bug in gbrowse; {log} has the details"
    return shortage.explain_shortage(error) or BrowseError(
        f"Internal error: {type(error).__name__}: {one_line(str(error), 200)}", hint
    )


def add_target_options(hint: str, context: str = "", tab: int | None = None) -> str:
    """Add `--as` and `--tab` to the commands in a hint: without them, they would act on another tab.

    `context`, `tab`: of the request; "" and None add nothing.
    """
    if tab is not None:
        hint = _command_pattern(_tab_commands()).sub(f"'--tab {tab} ", hint)
    return _command_pattern(_context_commands()).sub(rf"'--as {context} \1", hint) if context else hint


def _command_pattern(names: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern for the opening quote of a hint such as `'goto <url>'`, if one of `names` follows.

    It captures a `--tab 2` between quote and name. A setting (`'attach = true'`) is no command.
    """
    return _compile_pattern("|".join(map(re.escape, names)))


@cache
def _compile_pattern(names: str) -> re.Pattern[str]:
    """Return a pattern for the quote before a command in a hint; it captures a `--tab N` after the quote.

    `names`: the commands, as a regular expression `a|b|c`. Cached.
    """
    return re.compile(rf"'((?:--tab \d+ )?)(?=(?:{names})\b(?! =))")


@cache
def _tab_commands() -> tuple[str, ...]:
    """Return the names of all commands that act on a tab."""
    return _list_names(lambda item: item.requires is Requires.PAGE or item.need is PageOpener)


@cache
def _context_commands() -> tuple[str, ...]:
    """Return the names of all commands that act in a browser context."""
    own = (Requires.PAGE, Requires.BROWSER, Requires.DAEMON)
    return _list_names(lambda item: item.requires in own and not item.ends_daemon)


def _list_names(predicate: Callable[[Command], bool]) -> tuple[str, ...]:
    """Return the names of all commands that satisfy `predicate`."""
    return tuple(name for item in REGISTRY.commands.values() if predicate(item) for name in item.names)
