"""Record one command for a report or a film.

A report has what it did, how long it took, what followed, and a picture of the page. A film has when it ran, and films the tab in
which it acts.
"""

import time
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

from gstack_browse.flows.log import ACTIONS, LOOKS
from gstack_browse.flows.run_record import StepRecord
from gstack_browse.protocol import Reply

if TYPE_CHECKING:
    from gstack_browse.browser.session.filming import Film
    from gstack_browse.browser.tab.tab import Tab
    from gstack_browse.daemon.contexts.agent_context import AgentContext
    from gstack_browse.daemon.request.command_run import CommandRun

RunCommand = Callable[[Sequence[str]], Awaitable[Reply]]
MOST_STEPS = 300
"""Steps of a report: each has up to 60 kB of a picture."""


class ReportedStep:
    """A command that runs while a report is recorded. Create it before the command runs."""

    def __init__(self, run: "CommandRun", context: "AgentContext") -> None:
        self._run = run
        self._context = context
        self._began = time.monotonic()
        self._before = context.logs.console.total, context.logs.network.total

    async def add(self, reply: Reply, run_command: RunCommand) -> None:
        """Add the command, which has this reply, to the report. `run_command` takes the picture."""
        report, run = self._context.flow.report, self._run
        done = run.describe_done(reply.text)
        if (
            report is None
            or done is None
            or done.command not in ACTIONS | LOOKS
            or len(report.steps) >= MOST_STEPS
        ):
            return
        from gstack_browse.commands.flow.step_pictures import take_logs, take_picture  # only for a report
        from gstack_browse.flows import saving

        browser = self._context.browser
        secrets = saving.known_secrets_of(self._context.flow, browser.revealed.values if browser else [])
        line = saving.describe(done, secrets)
        step = StepRecord(len(report.steps) + 1, line, seconds=time.monotonic() - self._began)
        report.steps.append(step)
        lines = done.reply.split("\n")[1:]
        step.effects = [secrets.scrub(effect.removeprefix("→ ")) for effect in lines]
        step.error = secrets.scrub(reply.message) if reply.code else ""
        take_logs(step, self._context.logs, self._before, secrets.scrub)
        tab = browser.tabs.get(run.request.tab) if browser else None
        step.picture, step.no_picture = await take_picture(run_command, tab, secrets.values)


class FilmedCommand:
    """A command that runs while its context is filmed. Create it before the command runs."""

    def __init__(self, run: "CommandRun", context: "AgentContext", film: "Film") -> None:
        self._run = run
        self._context = context
        self._film = film
        self._began = film.now()
        film.begin_command(self._find_tab(), acts=run.request.cmd in ACTIONS)

    def end(self, reply: Reply) -> None:
        """Add the command, which has this reply, to the film."""
        done = self._run.describe_done(reply.text)
        if done:
            self._film.actions.add(self._began, self._film.now(), done, is_failed=bool(reply.code))
        self._film.end_command(self._find_tab(), has_acted=done is not None and done.command in ACTIONS)

    def _find_tab(self) -> "Tab | None":
        """Return the tab that the command means: another one may be there by now."""
        browser = self._context.browser
        return browser.tabs.get(self._run.request.tab) if browser and browser.film is self._film else None
