"""The isolated world of one page, in every frame of it: loads the engine there and calls its functions.

Playwright keeps a world of its own in each frame ("utility world"), which the page cannot see, which ignores the
page's CSP and in which the page cannot replace a built-in. Our engine lives there, next to Playwright's, so that
`locator("gbrowse=17")` and our own calls share one table of nodes. What the functions mean is in `scripts/`;
what a reference means is in `refs.py`. We ask Chromium ourselves, over `wire`; Playwright hears of it later.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeAlias
from weakref import WeakKeyDictionary, WeakSet

import orjson
from playwright.async_api import CDPSession, Error, Frame, Page, Playwright

from gstack_browse.browser.wire import Session, Wire

JsonValue: TypeAlias = bool | int | float | str | Sequence["JsonValue"] | Mapping[str, "JsonValue"] | None

ENGINE_NAME = "gbrowse"
"""Name of the selector engine: `locator("gbrowse=17")`."""

SCRIPTS = (
    "engine-dom.js",
    "engine-table.js",
    "engine-roles.js",
    "engine-hidden.js",
    "engine-names.js",
    "engine-states.js",
    "engine-kinds.js",
    "engine-clickable.js",
    "engine-scrolling.js",
    "engine-walk.js",
    "engine-places.js",
    "actions.js",
    "reading.js",
    "at-once.js",
    "forms.js",
    "storage.js",
    "engine-invoke.js",
)
"""The engine, in the order in which its files are put together inside one function."""

_FOLDER = Path(__file__).with_name("scripts")
_CONSOLE_KEPT = 100
"""Console messages whose objects Chromium may keep for one of our sessions."""
_TURN = "new Promise((done) => setTimeout(done, 0)).then(() => 0)"
_WORLD_PREFIX = "__playwright_utility_world"
_GONE = (
    "uniqueContextId not found",
    "Cannot find context",
    "Execution context was destroyed",
    "No frame for given id",
)
_CLOSED = (
    "Target closed",
    "Session closed",
    "has been closed",
    "session detached",
    "Connection closed",
    "Target crashed",
)


class PageScriptError(Exception):
    """A function of the engine threw. `args[0]` is its message, without the stack."""


class FrameGone(Exception):
    """The frame that was asked has navigated away, or is gone: what was known of its nodes is void."""


async def register(playwright: Playwright) -> None:
    """Make the selector engine known to Playwright. Once per Playwright, before any page is used."""
    script = (_FOLDER / "engine-selector.js").read_text(encoding="utf-8")
    await playwright.selectors.register(ENGINE_NAME, script=script, content_script=True)


@cache
def engine_source() -> str:
    """All of the engine as one expression, which does nothing in a window that has it already.

    A frame that its parent's engine has walked knows that one; `home` tells that it is not its own.
    """
    files = "\n".join((_FOLDER / name).read_text(encoding="utf-8") for name in SCRIPTS)
    return f'globalThis.__gbrowse?.home === globalThis || (() => {{ "use strict";\n{files}\n}})();\n'


@dataclass(slots=True, eq=False)
class Context:
    """The isolated world of one document of one frame. `id` ends with the document."""

    process: "Process"
    frame_id: str
    id: str
    number: int
    loaded: bool = False


@dataclass(eq=False)
class Process:
    """A session of the protocol: a local root (the page, or a frame in another process) and the frames that share it.

    The Runtime domain stays enabled. Disabling it would also end something for Playwright's own session: Chromium's
    headless shell would no longer make the page's own world in frames without scripts, and whoever asks for that waits.
    Only while a page floods us with messages, each of which would come to this session, too, is it disabled.
    """

    session: Session
    root: str
    contexts: dict[str, Context] = field(default_factory=dict)
    pages: dict[str, str] = field(default_factory=dict)
    """Frame → unique id of the page's own context there."""
    is_silent: bool = False
    _said: int = 0

    async def listen(self) -> None:
        """Learn of all contexts, from now on as they come and go."""
        on = self.session.on
        on("Runtime.executionContextCreated", self._created)
        on("Runtime.executionContextDestroyed", self._destroyed)
        on("Runtime.executionContextsCleared", self._cleared)
        on("Runtime.consoleAPICalled", self._heard)
        await self.session.send("Runtime.enable")

    async def catch_up(self) -> None:
        """When this returns, all contexts that there were when it was called are known."""
        if self.is_silent:
            await asyncio.gather(self.session.send("Runtime.enable"), self.session.send("Runtime.disable"))
        else:
            await self.ping()

    async def ping(self) -> None:
        """One question to the main thread that no script can answer wrongly. Raises Playwright's Error."""
        await self.session.send("Runtime.evaluate", {"expression": "0"})

    async def silence(self, silent: bool) -> None:
        """Hear nothing of what the page says, or again. Its contexts are then learnt when they are asked for."""
        if silent != self.is_silent:
            self.is_silent = silent
            await self.session.send("Runtime.disable" if silent else "Runtime.enable")

    def forget(self, context: Context) -> None:
        """Its document is no longer there; whoever asks for the frame looks for the next one."""
        if self.contexts.get(context.frame_id) is context:
            del self.contexts[context.frame_id]

    def _created(self, event: dict[str, Any]) -> None:
        described = event["context"]
        about = described["auxData"]
        if described["name"].startswith(_WORLD_PREFIX):
            frame_id = about["frameId"]
            known = self.contexts.get(frame_id)
            if not (known and known.id == described["uniqueId"]):
                self.contexts[frame_id] = Context(self, frame_id, described["uniqueId"], described["id"])
        elif about.get("isDefault"):
            self.pages[about["frameId"]] = described["uniqueId"]

    def _destroyed(self, event: dict[str, Any]) -> None:
        gone = event["executionContextUniqueId"]
        for frame_id, context in self.contexts.items():
            if context.id == gone:
                del self.contexts[frame_id]
                return
        for frame_id, number in self.pages.items():
            if number == gone:
                del self.pages[frame_id]
                return

    def _cleared(self, _: dict[str, Any]) -> None:
        self.contexts.clear()
        self.pages.clear()

    def _heard(self, _: dict[str, Any]) -> None:
        """Have Chromium let go of the objects in console messages: it keeps them for each session that hears of them."""
        self._said += 1
        if self._said % _CONSOLE_KEPT == 0:
            asyncio.ensure_future(self._release()).add_done_callback(hear)

    async def _release(self) -> None:
        await self.session.send("Runtime.releaseObjectGroup", {"objectGroup": "console"})


class World:
    """The isolated worlds of one Playwright page."""

    def __init__(self, page: Page, wire: Wire) -> None:
        self._page = page
        self._wire = wire
        self._main: Process | None = None
        self._others: dict[str, Process] = {}
        self._frame_ids: WeakKeyDictionary[Frame, str] = WeakKeyDictionary()
        self._without_session: WeakSet[Frame] = WeakSet()
        self._opening = asyncio.Lock()
        self._takes_input_at_once = False
        page.on("framenavigated", self._without_session.discard)

    async def open(self) -> None:
        """Attach to the page. Cheap (a few ms), and done by the first call if nobody did it before."""
        async with self._opening:
            if self._main is None:
                self._main = await self._process(await self._page.context.new_cdp_session(self._page))

    async def close(self) -> None:
        """Let go of the page; it does not have to be alive any more."""
        for process in self._processes():
            await _detach(process.session)
        self._main = None
        self._others.clear()

    @property
    def session(self) -> Session:
        """The session of the page's main process; `open` must have run."""
        if self._main is None:
            raise FrameGone("The page has not been attached to")
        return self._main.session

    async def call(self, function: str, *args: JsonValue, frame: Frame | None = None) -> Any:
        """`__gbrowse.<function>(...args)` in that frame (the main frame by default), awaited, by value.

        Raises PageScriptError when it throws, FrameGone when the frame goes away under it, and Playwright's
        own Error when the page is closed or crashed.
        """
        return await self._in_document(frame, lambda context: self.call_in(context, function, *args))

    async def _in_document(self, frame: Frame | None, ask: Callable[[Context], Awaitable[Any]]) -> Any:
        """The answer of a frame's document of now; where that goes away meanwhile, of the next one."""
        for _ in range(3):
            context = await self._context_of(frame)
            try:
                return await ask(context)
            except FrameGone:
                continue
        raise FrameGone("The frame kept navigating away")

    async def main(self) -> Context:
        """The context of the main frame's document of now."""
        await self.open()
        assert self._main is not None
        return await self._root_of(self._main)

    async def call_in(self, context: Context, function: str, *args: JsonValue) -> Any:
        """Like `call`, in one context; FrameGone when its document is no longer there."""
        invocation = f"__gbrowse.invoke({json.dumps(function)},{orjson.dumps(args).decode()})"
        expression = invocation if context.loaded else engine_source() + invocation
        result = await self.evaluate(context, expression, by_value=True)
        context.loaded = True
        packed: str = result["value"]
        return packed[1:] if packed[0] == "s" else orjson.loads(packed[1:])

    async def evaluate(
        self, context: Context, expression: str, *, by_value: bool = False, group: str = ""
    ) -> dict[str, Any]:
        """The protocol's remote object for `expression`, evaluated in `context`."""
        return await send(
            context,
            "Runtime.evaluate",
            expression=expression,
            uniqueContextId=context.id,
            returnByValue=by_value,
            awaitPromise=True,
            objectGroup=group,
        )

    async def load(self) -> None:
        """Put the engine into the main frame's document of now, so that the next call finds it there. Never raises."""
        with suppress(Error, FrameGone, PageScriptError):
            await self.call("tick")

    async def turn(self) -> None:
        """Let the page end the turn it is in, with the timers that are due, and report what it did. Raises like `call`.

        Playwright knows by then what happened in it. Needs nothing of the engine, so it is cheap in a document that has
        just arrived.
        """
        early = asyncio.ensure_future(self.caught_up())
        early.add_done_callback(hear)
        await self._in_document(None, lambda context: self.evaluate(context, _TURN, by_value=True))
        await early
        await self.caught_up()

    async def caught_up(self) -> None:
        """When this returns, Playwright knows all that Chromium had told when it was called: see `Wire.caught_up`."""
        await self._wire.caught_up()

    async def ping(self) -> None:
        """One question to the page's main thread, see `Process.ping`. Raises Playwright's Error."""
        await self.open()
        assert self._main is not None
        await self._main.ping()

    async def take_input_at_once(self) -> None:
        """Have the page take movements of the pointer as they come, from now on, instead of one for each frame. Never raises.

        A side effect of Chromium's overlay, on which nothing is drawn: its inspector wants to see movements at once, too.
        """
        if not self._takes_input_at_once:
            self._takes_input_at_once = True
            with suppress(Error):
                await asyncio.gather(self.session.send("DOM.enable"), self.session.send("Overlay.enable"))

    async def silence(self, silent: bool) -> None:
        """Whether to hear nothing of what the page says to its console. Never raises."""
        with suppress(Error):
            await asyncio.gather(*(process.silence(silent) for process in self._processes()))

    async def terminate(self) -> None:
        """Stop the script that keeps the page busy (`while (1)`), in every process. Never waits for the page."""
        await asyncio.gather(*(_terminate(process.session) for process in self._processes()))

    async def child(self, parent: Context, node_id: int) -> Context | None:
        """The context of the document in an iframe that its parent's scripts cannot reach, or None (not there yet)."""
        frame_id = await self._frame_id(parent, node_id)
        if frame_id is None:
            return None
        return await self._find(frame_id)

    async def context_of(self, frame: Frame) -> Context:
        """The context of a frame's document of now."""
        return await self._context_of(frame)

    def processes(self) -> list[Process]:
        """All sessions: the page's own first."""
        return self._processes()

    # private: which frame is where

    def _processes(self) -> list[Process]:
        return [process for process in (self._main, *self._others.values()) if process]

    async def _root_of(self, process: Process) -> Context:
        for _ in range(3):
            if process.root in process.contexts:
                return process.contexts[process.root]
            await process.catch_up()
        raise FrameGone("The page has no document")

    async def _context_of(self, frame: Frame | None) -> Context:
        if frame is None or frame == self._page.main_frame:
            return await self.main()
        await self.open()
        known = self._frame_ids.get(frame)
        context = await self._find(known) if known else None
        if context is None:
            context = await self._identify(frame)
        return context

    async def _identify(self, frame: Frame) -> Context:
        """Which CDP frame a Playwright frame is: its own session says so, or a label that its world repeats."""
        process = await self._attach(frame)
        if process:
            self._frame_ids[frame] = process.root
            return await self._root_of(process)
        await self._label_all()
        frame_id = await frame.locator(f"{ENGINE_NAME}=who").get_attribute("id", timeout=2000)
        context = await self._find(frame_id) if frame_id else None
        if context is None:
            raise FrameGone("The frame has no document")
        self._frame_ids[frame] = context.frame_id
        return context

    async def _label_all(self) -> None:
        """Tell each frame's world its id, so that a locator can read it there."""
        for process in self._processes():
            await process.catch_up()
        contexts = [context for process in self._processes() for context in process.contexts.values()]
        labels = (
            self.evaluate(context, f"globalThis.__gbrowseFrame={json.dumps(context.frame_id)}")
            for context in contexts
        )
        await asyncio.gather(*labels, return_exceptions=True)

    async def _frame_id(self, parent: Context, node_id: int) -> str | None:
        """The CDP id of the frame that an iframe element shows."""
        owner = await self.evaluate(parent, f"__gbrowse.nodeFor({node_id})", group=ENGINE_NAME)
        if "objectId" not in owner:
            return None
        described = await send(parent, "DOM.describeNode", objectId=owner["objectId"])
        await send(parent, "Runtime.releaseObjectGroup", objectGroup=ENGINE_NAME)
        frame_id: str | None = described["node"].get("frameId")
        return frame_id

    async def _find(self, frame_id: str) -> Context | None:
        """The context of a frame: in a process that we know, else in one that we have not attached to yet."""
        known = self._in_known(frame_id)
        if known:
            return known
        await self._attach_all()
        if frame_id in self._others:
            return await self._root_of(self._others[frame_id])
        for process in self._processes():
            await process.catch_up()
        return self._in_known(frame_id)

    def _in_known(self, frame_id: str) -> Context | None:
        for process in self._processes():
            if frame_id in process.contexts:
                return process.contexts[frame_id]
        return None

    async def _attach_all(self) -> None:
        await self.caught_up()
        attached = {frame for frame, frame_id in self._frame_ids.items() if frame_id in self._others}
        unknown = [
            frame
            for frame in self._page.frames
            if frame != self._page.main_frame and frame not in self._without_session and frame not in attached
        ]
        await asyncio.gather(*(self._attach(frame) for frame in unknown))

    async def _attach(self, frame: Frame) -> Process | None:
        """The process of a frame that has one of its own, attached to once."""
        if frame in self._without_session:
            return None
        known = self._frame_ids.get(frame)
        if known in self._others:
            return self._others[known]
        try:
            process = await self._process(await self._page.context.new_cdp_session(frame))
        except Error:
            self._without_session.add(frame)
            return None
        self._frame_ids[frame] = process.root
        self._others[process.root] = process
        process.session.on("close", partial(self._left, process))
        return process

    async def _process(self, playwrights: CDPSession) -> Process:
        """A session of our own with what one of Playwright's is with, in the place of that."""
        described = await playwrights.send("Target.getTargetInfo")
        root = described["targetInfo"]["targetId"]
        session, _ = await asyncio.gather(self._wire.attach(root), _detach(playwrights))
        process = Process(session, root)
        await process.listen()
        return process

    def _left(self, process: Process, *_: object) -> None:
        if self._others.get(process.root) is process:
            del self._others[process.root]


async def send(context: Context, method: str, **parameters: Any) -> dict[str, Any]:
    """One message of the protocol about a context. FrameGone, PageScriptError or Playwright's Error."""
    try:
        reply = await context.process.session.send(method, parameters)
    except Error as error:
        if _says(error, _GONE) or (_says(error, _CLOSED) and context.process.root == context.frame_id):
            context.process.forget(context)
            raise FrameGone(error.message) from None
        raise
    if "exceptionDetails" in reply:
        raise PageScriptError(_exception_text(reply["exceptionDetails"]))
    result: dict[str, Any] = reply.get("result", reply) if method == "Runtime.evaluate" else reply
    return result


def _says(error: Error, phrases: Iterable[str]) -> bool:
    return any(phrase in error.message for phrase in phrases)


def _exception_text(details: dict[str, Any]) -> str:
    described = details.get("exception", {}).get("description") or details.get("text", "unknown")
    first: str = described.partition("\n")[0]
    return first.removeprefix("Uncaught ").removeprefix("Error: ")


def hear(done: "asyncio.Future[Any]") -> None:
    """Take an answer that nobody waits for (any more), so that a failure is not complained of."""
    if not done.cancelled():
        done.exception()


async def _detach(session: Session | CDPSession) -> None:
    try:
        await session.detach()
    except Error:
        return  # already gone with its page


async def _terminate(session: Session) -> None:
    try:
        async with asyncio.timeout(2):
            await session.send("Runtime.terminateExecution")
    except (Error, TimeoutError):
        return  # gone, or nothing was running
