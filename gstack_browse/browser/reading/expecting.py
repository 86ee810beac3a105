"""Wait until an expectation holds, or describe the actual state. Does not act on the page.

The expectations are in `expectations`.
"""

import asyncio
from abc import ABC, abstractmethod
from contextlib import suppress
from typing import NamedTuple

from gstack_browse.browser.actions.locate.find import add_hint
from gstack_browse.browser.cdp.session import ProtocolError, consume_exception
from gstack_browse.browser.cdp.tasks import is_browser_answering
from gstack_browse.browser.command.page import PageCommand, PollBudget
from gstack_browse.browser.engine import failures
from gstack_browse.browser.engine.messages import FrameGone, PageScriptError, TooLong
from gstack_browse.browser.tab.urls import shown_url
from gstack_browse.errors import BrowseError, ExpectationFailed, ManyMatches, TargetError, UsageError
from gstack_browse.text.pattern import ANYTHING, Pattern
from gstack_browse.text.units import format_seconds

WAIT_SECONDS = 5.0
POLL_SECONDS = 0.1
"""Interval of checks for changes without an event: a property that a script sets, a frame, a style."""
LEAST_PAUSE = 0.01
ANSWER_SECONDS = 2.0
"""How long a page may take to answer one check, even if the time to wait is shorter."""
DESCRIBE_SECONDS = 5.0
"""How long it may take to describe the actual state after a failure."""
MOST_MILLISECONDS = 400
"""How long a regular expression, or the description of the actual state, may keep a page busy."""
AMBIGUOUS_SECONDS = 0.5
"""Several matches are an ambiguous target; only a list that is being rendered again gets a moment."""
AMBIGUOUS_POLLS = 3


class ActualState(NamedTuple):
    """The actual state, in words that follow "after 5s", and a command that shows more."""

    words: str
    hint: str = failures.SEE_ELEMENTS


class Expectation(ABC):
    """A condition that a tab is expected to meet."""

    target = ""
    """The element, as typed."""
    pattern = ANYTHING
    """The expected text."""
    is_of_page = True
    """Whether the page's document reports changes; otherwise the tab does."""

    def __init__(self, page: PageCommand) -> None:
        self.page = page

    @abstractmethod
    def describe_expected(self, *, negated: bool) -> str:
        """Describe the expectation, or with `negated` its opposite, in words that follow "Expected"."""

    @abstractmethod
    async def check(self) -> bool:
        """Return whether the condition holds now. Raises TargetError if the target is missing or ambiguous."""

    @abstractmethod
    async def describe_actual(self, *, negated: bool) -> ActualState:
        """Describe the actual state for the error message. `negated`: the condition holds, and should not."""

    async def describe_detail(self) -> str:
        """Return a remark on an expectation that was met, in words that follow its description; "" for none."""
        return ""

    async def validate(self) -> None:
        """Raise UsageError if the expected pattern is an invalid regular expression."""
        if self.pattern.kind != "regex":
            return
        if problem := await self.page.world.call("findPatternProblem", self.pattern.engine_form):
            hint = "Between the slashes is one of JavaScript: /sav(ed|ing)/i"
            raise UsageError(f"Not a regular expression: {problem}", hint)

    async def wait_for_change(self) -> None:
        """Wait until the page or tab may have changed, for about POLL_SECONDS at most."""
        if not self.is_of_page:
            await self._wait_for_change()
            return
        change = asyncio.ensure_future(
            self.page.world.call("waitForChange", round(POLL_SECONDS * 1000), frame=self.page.frame)
        )
        change.add_done_callback(consume_exception)
        await asyncio.wait({change}, timeout=2 * POLL_SECONDS)
        has_answer = change.done() and not change.exception()
        if has_answer and change.result() is False:  # without scripts the page reports no changes
            await self._wait_for_change()

    async def _wait_for_change(self) -> None:
        """Wait until the tab changes, POLL_SECONDS at most."""
        looked = iter((False, True))
        await self.page.tab.wait_until(lambda: next(looked), POLL_SECONDS)


async def expect(expectation: Expectation, *, negated: bool) -> str:
    """Wait until an expectation holds, or with `negated` until it does not hold. Return the reply.

    Raises:
        ExpectationFailed: The time is over.
        TimeoutError: The time is over, and the browser does not answer.
        StaleRef: The target is a stale ref. Fails at once.
        ManyMatches: The target matches several elements.
    """
    page = expectation.page
    started = page.now()
    waiting = _Wait(expectation, started, page.give_up_time(WAIT_SECONDS))
    await waiting.validate()
    while not await waiting.check_once(negated=negated):
        if page.now() >= waiting.give_up:
            raise await _expectation_error(waiting, negated=negated)
        await waiting.wait_for_change()
    took = round((page.now() - started) * 1000)
    aside = "" if negated else await _describe_detail(expectation)
    return f"Expected: {expectation.describe_expected(negated=negated)}{aside} ({took} ms)"


async def _describe_detail(expectation: Expectation) -> str:
    """Return the remark on an expectation that was met; "" if the page does not answer in time."""
    with suppress(TimeoutError, FrameGone, PageScriptError, ProtocolError, TargetError):
        async with asyncio.timeout(min(ANSWER_SECONDS, max(expectation.page.remaining(), 0.05))):
            return await expectation.describe_detail()
    return ""


class _Wait:
    """The wait for one expectation, and why the last check had no result.

    `started`, `give_up`: when it began, and when it ends at the latest, on the clock of `page.now()`.
    """

    def __init__(self, expectation: Expectation, started: float, give_up: float) -> None:
        self.expectation = expectation
        self.give_up = give_up
        self.problem: TargetError | None = None
        self.is_unresponsive = False
        """Whether the page did not answer the last check."""
        self._page = expectation.page
        self._took = 0.0
        self._ambiguity_polls = PollBudget(expectation.page, started + AMBIGUOUS_SECONDS, AMBIGUOUS_POLLS)

    async def validate(self) -> None:
        """Raise UsageError if the expectation itself is invalid, such as by its regular expression."""
        with suppress(TimeoutError, FrameGone, PageScriptError):
            async with asyncio.timeout(self._compute_answer_seconds()):
                await self.expectation.validate()

    async def check_once(self, *, negated: bool) -> bool:
        """Check the expectation (with `negated` its opposite) once. Return whether it is met.

        If the page gives no result, note why and return False.
        """
        before = self._page.now()
        self.problem, self.is_unresponsive = None, False
        if gone := self._page.tab.gone_error():
            raise gone
        try:
            async with asyncio.timeout(self._compute_answer_seconds()):
                return await self.expectation.check() is not negated
        except TimeoutError:
            self.is_unresponsive = True
        except TargetError as error:
            self.problem = error
            if isinstance(error, ManyMatches) and self._ambiguity_polls.has_met_limits():
                self.give_up = before
        except (PageScriptError, FrameGone):
            pass  # the document was replaced meanwhile; the next check is in the new one
        except TooLong:
            raise UsageError(
                f"{self.expectation.describe_expected(negated=negated)}: the expression takes too long on this page",
                "Leave out what repeats a repetition, such as (a+)+",
            ) from None
        finally:
            self._took = self._page.now() - before
        return False

    async def wait_for_change(self) -> None:
        """Wait for a change, at least as long as the last check took, so that checks leave the page time."""
        least = asyncio.ensure_future(asyncio.sleep(max(LEAST_PAUSE, min(self._took, 1.0))))
        try:
            with suppress(FrameGone, PageScriptError):
                await self.expectation.wait_for_change()
            await least
        finally:
            least.cancel()

    def _compute_answer_seconds(self) -> float:
        """Return the time limit for one check: what is left of the wait, but at least ANSWER_SECONDS."""
        return min(max(self.give_up - self._page.now(), ANSWER_SECONDS), max(self._page.remaining(), 0.05))


async def _expectation_error(waiting: _Wait, *, negated: bool) -> BrowseError:
    """Return the error for an expectation that was not met in time. `negated`: see `expect`.

    Raises TimeoutError if the browser does not answer.
    """
    expectation, problem = waiting.expectation, waiting.problem
    page = expectation.page
    if isinstance(problem, ManyMatches):
        return await add_hint(page, expectation.target, problem)
    if waiting.is_unresponsive and not await is_browser_answering(page.context.running.connection):
        page.waited = page.wait_seconds(WAIT_SECONDS)
        raise TimeoutError  # nobody knows whether it holds; the caller says what does not answer
    try:
        async with asyncio.timeout(min(DESCRIBE_SECONDS, page.remaining())):
            actual = await _describe_actual(waiting, negated=negated)
    except (TimeoutError, FrameGone, PageScriptError, ProtocolError):
        actual = ActualState("it did not come true")
    seconds = format_seconds(page.wait_seconds(WAIT_SECONDS))
    return ExpectationFailed(
        f"Expected {expectation.describe_expected(negated=negated)}; after {seconds} {actual.words}",
        actual.hint,
    )


async def _describe_actual(waiting: _Wait, *, negated: bool) -> ActualState:
    """Describe why an expectation is not met: a loading or busy page, no such element, another state."""
    expectation = waiting.expectation
    page = expectation.page
    if awaited := page.tab.requests.awaited:
        return ActualState(
            f"the page still waits for {shown_url(awaited.url)}", "Run 'network' to see what it asked for"
        )
    if waiting.is_unresponsive:
        return ActualState(
            "the page does not answer: a script keeps it busy, or it is enormous",
            "Give it longer: --timeout; or leave it: 'goto <url>'",
        )
    if waiting.problem:
        missing = await add_hint(page, expectation.target, waiting.problem)
        return ActualState(f"{missing.message[:1].lower()}{missing.message[1:]}", missing.hint)
    return await expectation.describe_actual(negated=negated)


async def matches(page: PageCommand, pattern: Pattern, text: str) -> bool:
    """Return whether a text matches a pattern.

    A regular expression runs in the page, where a slow one can be stopped.
    """
    if pattern.kind != "regex":
        return pattern.matches(text)
    found: bool = await page.world.call(
        "matchesPattern", pattern.engine_form, text, milliseconds=MOST_MILLISECONDS
    )
    return found
