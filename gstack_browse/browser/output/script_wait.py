"""Waits until the user's JavaScript says that something is so."""

import asyncio
from typing import TYPE_CHECKING

from gstack_browse.browser.output import evaluate
from gstack_browse.errors import ScriptFailed, TimedOut
from gstack_browse.text.columns import shown_seconds

if TYPE_CHECKING:
    from gstack_browse.browser.tabs.page import PageSession

WAIT_SECONDS = 30.0
LOOK_AGAIN_SECONDS = 0.1


async def for_script(page: "PageSession", code: str, *, any_origin: bool) -> str:
    """Wait until the code has a value that JavaScript takes for true. Raises UsageError for code that cannot be parsed."""
    give_up = page.wait_until(WAIT_SECONDS)
    while True:
        problem = ""
        try:
            if await evaluate.is_true(page, code, any_origin=any_origin):
                return "The expression is true"
        except ScriptFailed as error:
            problem = error.message
        if page.now() >= give_up:
            raise TimedOut(
                f"The expression was not true after {shown_seconds(page.patience(WAIT_SECONDS))}",
                f"It threw {problem}" if problem else "Run 'js <expression>' to see its value",
            )
        await asyncio.sleep(LOOK_AGAIN_SECONDS)
