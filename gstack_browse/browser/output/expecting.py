"""Waits until what is expected of a page holds, or says what is there instead. Acts on nothing.

What can be expected is in `expected_elements`, `expected_words` and `expected_events`.
"""

import asyncio
from abc import ABC, abstractmethod
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from gstack_browse.browser.cdp.patience import ANSWERS
from gstack_browse.browser.cdp.playwright_names import Error as PlaywrightError
from gstack_browse.browser.cdp.session import consume_exception
from gstack_browse.browser.engine import failures
from gstack_browse.browser.engine.messages import FrameGone, PageScriptError, TooLong
from gstack_browse.browser.input.find import hinted
from gstack_browse.browser.input.looks import Looks
from gstack_browse.browser.tabs.urls import shown_url
from gstack_browse.errors import ExpectationFailed, ManyMatches, TargetError, UsageError
from gstack_browse.text.columns import format_seconds
from gstack_browse.text.pattern import ANYTHING, Pattern

if TYPE_CHECKING:
    from gstack_browse.browser.tabs.page import PageSession

WAIT_SECONDS = 5.0
LOOK_AGAIN_SECONDS = 0.1
"""When to look again where nothing tells of a change: a property that a script has set, a frame, a style."""
LEAST_PAUSE = 0.01
ANSWER_SECONDS = 2.0
"""How long a page may take to answer one look, also where the time to wait is shorter."""
INSTEAD_SECONDS = 5.0
"""How long it may take to find what there is instead, once it is known that something does not hold."""
MOST_MILLISECONDS = 400
"""How long a regular expression, or the search for what there is instead, may keep a page busy."""
SEVERAL_SECONDS = 0.5
"""Several matches are an ambiguous target; only a list that is being rendered again gets a moment."""
SEVERAL_LOOKS = 3


class Instead(NamedTuple):
    """What there is in the place of what was expected, in words that follow "after 5s", and what to type to see more."""

    words: str
    hint: str = failures.SEE_ELEMENTS


class Expectation(ABC):
    """Something that can be expected of a tab."""

    target = ""
    """The element that it is about, as typed."""
    pattern = ANYTHING
    """What a text is expected to be."""
    is_of_page = True
    """Whether the page's own document tells of changes; otherwise the tab does."""

    def __init__(self, page: "PageSession") -> None:
        self.page = page

    @abstractmethod
    def phrase(self, *, negated: bool) -> str:
        """What is expected, in words that follow "Expected"."""

    @abstractmethod
    async def look(self) -> bool:
        """Whether the expectation holds now. Raises TargetError where the target does not let that be said."""

    @abstractmethod
    async def instead(self, *, negated: bool) -> Instead:
        """What the page has instead, for the message of the failure."""

    async def aside(self) -> str:
        """What else is to be known of what holds, in words that follow the phrase."""
        return ""

    async def begin(self) -> None:
        """Raise UsageError for what can never hold: a regular expression that is none."""
        if self.pattern.kind != "regex":
            return
        if problem := await self.page.world.call("patternProblem", self.pattern.engine_form):
            hint = "Between the slashes is one of JavaScript: /sav(ed|ing)/i"
            raise UsageError(f"Not a regular expression: {problem}", hint)

    async def news(self) -> None:
        """Wait until something may have changed, and not for long."""
        if not self.is_of_page:
            await self._pause()
            return
        news = asyncio.ensure_future(
            self.page.world.call("news", round(LOOK_AGAIN_SECONDS * 1000), frame=self.page.frame)
        )
        news.add_done_callback(consume_exception)
        await asyncio.wait({news}, timeout=2 * LOOK_AGAIN_SECONDS)
        is_told = news.done() and not news.exception()
        if is_told and news.result() is False:  # where scripts are forbidden nobody hears of anything
            await self._pause()

    async def _pause(self) -> None:
        looked = iter((False, True))
        await self.page.tab.until(lambda: next(looked), LOOK_AGAIN_SECONDS)


async def expect(expectation: Expectation, *, negated: bool) -> str:
    """Wait until the expectation holds, or with `negated` until it does not. Raises ExpectationFailed when the time is over.

    A stale ref fails at once: StaleRef. Several matches are a failure of the target: ManyMatches.
    """
    page = expectation.page
    begun = page.now()
    waiting = _Waiting(expectation, begun, page.wait_until(WAIT_SECONDS))
    await waiting.begin()
    while not await waiting.holds(negated=negated):
        if waiting.is_silent and await _lacks_playwright(page):
            waiting.give_up = page.wait_until(WAIT_SECONDS)
        if page.now() >= waiting.give_up:
            raise await _failure(waiting, negated=negated)
        await waiting.pause()
    took = round((page.now() - begun) * 1000)
    aside = "" if negated else await _aside(expectation)
    return f"Expected: {expectation.phrase(negated=negated)}{aside} ({took} ms)"


async def _lacks_playwright(page: "PageSession") -> bool:
    """Whether a look had no answer because Playwright did not have the page yet, of which that is no fault. Has it when this returns."""
    if not page.tab.is_early or await page.world.stays_silent(ANSWERS):
        return False
    await page.tab.until_adopted()
    return True


async def _aside(expectation: Expectation) -> str:
    """What else is to be known of what holds; nothing where the page does not answer in time or has changed meanwhile."""
    with suppress(TimeoutError, FrameGone, PageScriptError, PlaywrightError, TargetError):
        async with asyncio.timeout(min(ANSWER_SECONDS, max(expectation.page.remaining(), 0.05))):
            return await expectation.aside()
    return ""


class _Waiting:
    """One expectation that is being waited for, and why the last look could not say whether it holds."""

    def __init__(self, expectation: Expectation, begun: float, give_up: float) -> None:
        self.expectation = expectation
        self.give_up = give_up
        self.problem: TargetError | None = None
        self.is_silent = False
        """Whether the page did not answer the last look."""
        self._page = expectation.page
        self._took = 0.0
        self._several = Looks(expectation.page, begun + SEVERAL_SECONDS, SEVERAL_LOOKS)

    async def begin(self) -> None:
        """Raise what makes waiting senseless."""
        with suppress(TimeoutError, FrameGone, PageScriptError):
            async with asyncio.timeout(self._answer_seconds()):
                await self.expectation.begin()

    async def holds(self, *, negated: bool) -> bool:
        """Look once. Never true where the look could not say."""
        before = self._page.now()
        self.problem, self.is_silent = None, False
        self._raise_if_gone()
        try:
            async with asyncio.timeout(self._answer_seconds()):
                return await self.expectation.look() is not negated
        except TimeoutError:
            self.is_silent = True
        except TargetError as error:
            self.problem = error
            if isinstance(error, ManyMatches) and self._several.are_enough():
                self.give_up = before
        except (PageScriptError, FrameGone):
            pass  # the document was replaced while we looked; the next look sees the new one
        except TooLong:
            raise UsageError(
                f"{self.expectation.phrase(negated=negated)}: the expression takes too long on this page",
                "Leave out what repeats a repetition, such as (a+)+",
            ) from None
        finally:
            self._took = self._page.now() - before
        return False

    async def pause(self) -> None:
        """Wait for news; at least as long as the last look took, so that the page keeps half of its time."""
        least = asyncio.ensure_future(asyncio.sleep(max(LEAST_PAUSE, min(self._took, 1.0))))
        try:
            with suppress(FrameGone, PageScriptError):
                await self.expectation.news()
            await least
        finally:
            least.cancel()

    def _answer_seconds(self) -> float:
        return min(max(self.give_up - self._page.now(), ANSWER_SECONDS), max(self._page.remaining(), 0.05))

    def _raise_if_gone(self) -> None:
        if gone := self._page.tab.gone():
            raise gone


async def _failure(waiting: _Waiting, *, negated: bool) -> Exception:
    """What to raise for an expectation that was waited for in vain."""
    expectation, problem = waiting.expectation, waiting.problem
    page = expectation.page
    if isinstance(problem, ManyMatches):
        return await hinted(page, expectation.target, problem)
    try:
        async with asyncio.timeout(min(INSTEAD_SECONDS, page.remaining())):
            instead = await _instead(waiting, negated=negated)
    except (TimeoutError, FrameGone, PageScriptError, PlaywrightError):
        instead = Instead("it did not come true")
    seconds = format_seconds(page.patience(WAIT_SECONDS))
    return ExpectationFailed(
        f"Expected {expectation.phrase(negated=negated)}; after {seconds} {instead.words}", instead.hint
    )


async def _instead(waiting: _Waiting, *, negated: bool) -> Instead:
    expectation = waiting.expectation
    page = expectation.page
    if awaited := page.tab.requests.awaited:
        return Instead(
            f"the page still waits for {shown_url(awaited.url)}", "Run 'network' to see what it asked for"
        )
    if waiting.is_silent:
        return Instead(
            "the page does not answer: a script keeps it busy, or it is enormous",
            "Give it longer: --timeout; or leave it: 'goto <url>'",
        )
    if waiting.problem:
        missing = await hinted(page, expectation.target, waiting.problem)
        return Instead(f"{missing.message[:1].lower()}{missing.message[1:]}", missing.hint)
    return await expectation.instead(negated=negated)


async def matches(page: "PageSession", pattern: Pattern, text: str) -> bool:
    """Whether the text matches the pattern. A regular expression runs in the page, where a slow one can be stopped."""
    if pattern.kind != "regex":
        return pattern.matches(text)
    found: bool = await page.world.call(
        "matchesPattern", pattern.engine_form, text, milliseconds=MOST_MILLISECONDS
    )
    return found
