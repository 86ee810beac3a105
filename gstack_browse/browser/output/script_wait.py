"""Wait until the user's JavaScript is true."""

import asyncio
from typing import TYPE_CHECKING

from gstack_browse.browser.output import evaluate
from gstack_browse.errors import ScriptFailed, TimedOut
from gstack_browse.text.columns import format_seconds

if TYPE_CHECKING:
    from gstack_browse.browser.tabs.page import PageSession

WAIT_SECONDS = 30.0
POLL_SECONDS = 0.1
LEAST_EVALUATION_SECONDS = 0.5
"""Least time for one evaluation."""
ANSWER_SECONDS = 0.3
"""Time to answer for a page whose code has no value in time."""


async def wait_for_script(page: "PageSession", code: str, *, any_origin: bool) -> str:
    """Wait until the code's value is true for JavaScript.

    Raises UsageError for code that cannot be parsed.
    """
    give_up = page.wait_until(WAIT_SECONDS)
    while True:
        problem = ""
        try:
            async with asyncio.timeout_at(max(give_up, page.now() + LEAST_EVALUATION_SECONDS)):
                if await evaluate.is_true(page, code, any_origin=any_origin):
                    return "The expression is true"
        except TimeoutError:
            problem = "Its value did not come: it is a promise, or the page is busy"
            if not await page.world.answers(ANSWER_SECONDS):
                page.waited = page.patience(WAIT_SECONDS)
                raise  # the caller finds out what keeps the page busy
        except ScriptFailed as error:
            problem = f"It threw {error.message}"
        if page.now() >= give_up:
            raise TimedOut(
                f"The expression was not true after {format_seconds(page.patience(WAIT_SECONDS))}",
                problem or "Run 'js <expression>' to see its value",
            )
        await asyncio.sleep(POLL_SECONDS)
