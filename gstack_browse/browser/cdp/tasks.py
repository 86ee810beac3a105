"""Run tasks beside commands, and adjust timeouts to the load of the machine.

The browser's answers to pings are the clock: a busy machine answers late.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

from gstack_browse.browser.cdp.connection import Connection
from gstack_browse.browser.cdp.session import ProtocolError, consume_exception

ANSWERS = 300
"""Pings of the browser that extend a limit. A page that does not answer during so many is stuck."""
ANSWER_SECONDS = 5.0
"""Time limit for one ping."""
BROWSER_SECONDS = 0.5
"""Time limit for a browser process that is asked whether it answers at all."""
_PING_SECONDS = 0.001
"""Least time for a ping. The browser answers a thousand in 0.1 s while a page's own process waits for the processor."""

Result = TypeVar("Result")


async def is_answered_within(request: Awaitable[object], seconds: float) -> bool:
    """Await a request of the protocol. Return whether it was answered in time; an error is an answer, too."""
    try:
        async with asyncio.timeout(seconds):
            await request
    except TimeoutError:
        return False
    except ProtocolError:
        pass
    return True


async def is_browser_answering(connection: Connection, seconds: float = BROWSER_SECONDS) -> bool:
    """Return whether the browser process answers within `seconds`."""
    return await is_answered_within(connection.ask_browser("Browser.getVersion"), seconds)


async def wait_until(connection: Connection, condition: Callable[[], object], answers: int) -> bool:
    """Wait until `condition` is true, for as long as the browser takes to answer `answers` pings.

    Return whether it is true. The wait also ends if the browser leaves a ping unanswered for ANSWER_SECONDS.
    """
    loop = asyncio.get_running_loop()
    began = loop.time()
    for number in range(1, answers + 1):
        if condition() or not await is_answered_within(
            connection.ask_browser("Browser.getVersion"), ANSWER_SECONDS
        ):
            break
        if (early := began + number * _PING_SECONDS - loop.time()) > 0:
            await asyncio.sleep(early)
    return bool(condition())


async def run_with_timeout(connection: Connection, work: Awaitable[Result], seconds: float) -> Result:
    """Await `work` for `seconds`, extended until the browser has answered ANSWERS pings.

    Return its result. Cancel it and raise TimeoutError after that.
    """
    task = asyncio.ensure_future(work)
    task.add_done_callback(consume_exception)
    try:
        await asyncio.wait({task}, timeout=seconds)
        if not await wait_until(connection, task.done, ANSWERS):
            raise TimeoutError
        return task.result()
    finally:
        task.cancel()


class Background:
    """Tasks that run beside commands. Keeps them alive: asyncio only has weak references to tasks."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()

    def start(self, work: Coroutine[Any, Any, Result]) -> asyncio.Task[Result]:
        """Run a coroutine in the background, and return its task.

        The event loop reports its exception if the task is never awaited.
        """
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task
