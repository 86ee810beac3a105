"""Whether something comes in time: within a limit of ours, and while the browser answers trivial questions besides.

A limit alone is over before the first answer where the machine takes its processors away. As many answers of the browser take as
long as they must on a machine as busy as this one, and a tenth of a second on a quiet one.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from gstack_browse.browser.cdp.connection import Connection
from gstack_browse.browser.cdp.playwright_names import Error
from gstack_browse.browser.cdp.session import consume_exception

ANSWERS = 300
"""Of the browser, while which something that would come at once on a quiet machine is waited for. A page that gives none meanwhile is stuck."""
ANSWER_SECONDS = 5.0
"""How long the browser may take for one of them."""

Result = TypeVar("Result")


async def is_answered(question: Awaitable[object], seconds: float) -> bool:
    """Whether something comes of a question in time, and be it that nobody is there any more."""
    try:
        async with asyncio.timeout(seconds):
            await question
    except TimeoutError:
        return False
    except Error:
        pass
    return True


async def comes_true(connection: Connection, condition: Callable[[], object], answers: int) -> bool:
    """Whether something comes true while the browser answers so many trivial questions."""
    for _ in range(answers):
        if condition() or not await is_answered(connection.ask_browser("Browser.getVersion"), ANSWER_SECONDS):
            break
    return bool(condition())


async def within(connection: Connection, work: Awaitable[Result], seconds: float) -> Result:
    """What comes of work. Raises TimeoutError where it takes more than `seconds`, and than ANSWERS of the browser; the work is cancelled then."""
    task = asyncio.ensure_future(work)
    task.add_done_callback(consume_exception)
    try:
        await asyncio.wait({task}, timeout=seconds)
        if not await comes_true(connection, task.done, ANSWERS):
            raise TimeoutError
        return task.result()
    finally:
        task.cancel()
