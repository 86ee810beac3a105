"""Work in a page beside the product: evaluate in any of its frames, await events, use mouse and keyboard."""

import asyncio
from contextlib import suppress
from typing import Any

from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.devtools.page import Emitter, Frame, Page


async def evaluate(where: Page | Frame, expression: str) -> Any:
    """Return the value of an expression in a frame's own world, awaited. Raises ProtocolError, also with what a script throws."""
    frame = where.main_frame if isinstance(where, Page) else where
    await frame.target.ping()  # all contexts that exist now are known then
    context = frame.target.page_contexts.get(frame.id)
    if context is None:
        raise ProtocolError("The frame has no document")
    answer = await frame.target.session.send(
        "Runtime.evaluate",
        {"expression": expression, "uniqueContextId": context, "awaitPromise": True, "returnByValue": True},
    )
    if problem := answer.get("exceptionDetails"):
        raise ProtocolError(problem.get("exception", {}).get("description", problem["text"]))
    return answer["result"].get("value")


async def next_event(emitter: Emitter, event: str) -> Any:
    coming: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

    def take(told: Any) -> None:
        if not coming.done():
            coming.set_result(told)

    emitter.on(event, take)
    try:
        async with asyncio.timeout(60):
            return await coming
    finally:
        emitter.off(event, take)


async def crash(page: Page) -> None:
    """Have the process of a page end."""
    gone = asyncio.ensure_future(next_event(page, "crash"))
    with suppress(ProtocolError):
        await page.target.session.send("Page.crash")
    await gone


class Mouse:
    """A mouse over a page, with its left button."""

    def __init__(self, page: Page) -> None:
        self._session = page.target.session
        self._at = {"x": 0.0, "y": 0.0}
        self._held = 0

    async def move(self, x: float, y: float) -> None:
        """Move the pointer."""
        self._at = {"x": x, "y": y}
        await self._send("mouseMoved", button="left" if self._held else "none")

    async def down(self) -> None:
        """Press the button."""
        self._held = 1
        await self._send("mousePressed", button="left", clickCount=1)

    async def up(self) -> None:
        """Release the button."""
        self._held = 0
        await self._send("mouseReleased", button="left", clickCount=1)

    async def click(self, x: float, y: float) -> None:
        await self.move(x, y)
        await self.down()
        await self.up()

    async def _send(self, kind: str, **more: Any) -> None:
        event = {"type": kind, "buttons": self._held, **self._at, **more}
        await self._session.send("Input.dispatchMouseEvent", event)
