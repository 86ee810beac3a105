"""A page as these tests use it: go to an address, and run scripts of the test in it."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from gstack_browse.browser.cdp.session import ProtocolError, Session
from gstack_browse.browser.command.page import Keyboard
from gstack_browse.browser.devtools.page import Frame, Page
from gstack_browse.browser.engine.messages import PageScriptError, evaluate, send
from gstack_browse.browser.engine.refs import Resolved
from gstack_browse.browser.engine.world import World
from gstack_browse.browser.tab.tab import HeldInput


class DrivenPage:
    """A page of Chromium that a test drives, with its world."""

    def __init__(self, inner: Page, world: World) -> None:
        self.inner = inner
        self.world = world
        self.keyboard = Keyboard(world, HeldInput())

    @property
    def url(self) -> str:
        return self.inner.url

    @property
    def main_frame(self) -> Frame:
        return self.inner.main_frame

    @property
    def frames(self) -> list[Frame]:
        return self.inner.frames

    async def goto(self, address: str) -> None:
        """Go to an address, and wait until it has loaded."""
        await self._load("Page.navigate", url=address)

    async def reload(self) -> None:
        await self._load("Page.reload")

    async def reload_by_script(self) -> None:
        async with self._until_loaded():
            await self.evaluate("location.reload()")

    async def go_back(self) -> None:
        history = await self._session.send("Page.getNavigationHistory")
        entry = history["entries"][history["currentIndex"] - 1]
        await self._load("Page.navigateToHistoryEntry", entryId=entry["id"])

    async def evaluate(self, script: str, frame: Frame | None = None) -> Any:
        """Run a script in the page's own world; in a `frame`, in one that shares only the document. Return its awaited value."""
        options = {"expression": script, "awaitPromise": True, "returnByValue": True, "userGesture": True}
        if frame is None or frame is self.main_frame:
            return _value_of(await self._session.send("Runtime.evaluate", options))
        made = await frame.target.session.send("Page.createIsolatedWorld", {"frameId": frame.id})
        options["contextId"] = made["executionContextId"]
        return _value_of(await frame.target.session.send("Runtime.evaluate", options))

    async def call(self, function: str, *args: Any) -> Any:
        """Call a JavaScript function in the page's own world. Return its awaited value."""
        return await self.evaluate(f"({function})({', '.join(map(json.dumps, args))})")

    async def call_on(self, resolved: Resolved, function: str, *args: Any) -> Any:
        """Call a JavaScript function in the page's own world with the node of a reference as `this`."""
        context = await self.world.frames.context_of(resolved.frame)
        node = await evaluate(context, f"__gbrowse.nodeFor({resolved.node_id})")
        described = await send(context, "DOM.describeNode", objectId=node["objectId"])
        session = context.target.session
        found = await session.send("DOM.resolveNode", {"backendNodeId": described["node"]["backendNodeId"]})
        return _value_of(
            await session.send(
                "Runtime.callFunctionOn",
                {
                    "objectId": found["object"]["objectId"],
                    "functionDeclaration": function,
                    "arguments": [{"value": value} for value in args],
                    "awaitPromise": True,
                    "returnByValue": True,
                },
            )
        )

    async def close(self) -> None:
        await self.inner.close()

    @property
    def _session(self) -> Session:
        return self.inner.target.session

    async def _load(self, method: str, **params: Any) -> None:
        async with self._until_loaded():
            answer = await self._session.send(method, params)
            if problem := answer.get("errorText"):
                raise ProtocolError(f"{method}: {problem}")

    @asynccontextmanager
    async def _until_loaded(self) -> AsyncIterator[None]:
        """Wait at the end for the next load. No other one may be under way."""
        loaded = asyncio.get_running_loop().create_future()
        self.inner.target.call_on_load(lambda: loaded.done() or loaded.set_result(None))
        yield
        async with asyncio.timeout(60):
            await loaded


def _value_of(answer: dict[str, Any]) -> Any:
    if "exceptionDetails" in answer:
        details = answer["exceptionDetails"]
        raise PageScriptError(details.get("exception", {}).get("description") or details["text"])
    return answer["result"].get("value")
