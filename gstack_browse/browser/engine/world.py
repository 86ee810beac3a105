"""The isolated world of one page, in every frame of it: loads the engine there and calls its functions.

Playwright keeps a world of its own in each frame ("utility world"), which the page cannot see, which ignores the
page's CSP and in which the page cannot replace a built-in. Our engine lives there, next to Playwright's, so that
`locator("gbrowse=17")` and our own calls share one table of nodes. What the functions mean is in `scripts/`;
what a reference means is in `refs.py`. We ask Chromium ourselves (`cdp.connection`); Playwright hears of it later.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any, TypeAlias
from weakref import WeakKeyDictionary, WeakSet

import orjson

from gstack_browse.browser.cdp.connection import Connection
from gstack_browse.browser.cdp.handlers import cache_signature
from gstack_browse.browser.cdp.playwright_names import CDPSession, Error, Frame, Page, Playwright
from gstack_browse.browser.cdp.session import Session, consume_exception, decode
from gstack_browse.browser.cdp.targets import Context, Target
from gstack_browse.browser.engine.bundle import SCRIPTS_FOLDER, engine_source
from gstack_browse.browser.engine.messages import FrameGone, PageScriptError, send

JsonValue: TypeAlias = bool | int | float | str | Sequence["JsonValue"] | Mapping[str, "JsonValue"] | None

ENGINE_NAME = "gbrowse"
"""Name of the selector engine: `locator("gbrowse=17")`."""

_TURN = "new Promise((done) => setTimeout(done, 0)).then(() => closed)"
"""Answers whether the window is about to close."""
_FRAME = """new Promise((done) => {
  requestAnimationFrame(() => setTimeout(done, 0));
  setTimeout(done, %d);
})"""
"""Over one turn after the next frame, where the page draws one within so many milliseconds."""
_DOCUMENTS_TRIED = 3
_UNATTACHED = "The page has not been attached to"
_KEPT_NAVIGATING = "The frame kept navigating away"
_CLOSING_TURNS = 3
"""A window that is about to close is gone when it is asked again; unless something holds it back."""


async def register(playwright: Playwright) -> None:
    """Make the selector engine known to Playwright. Once per Playwright, before any page is used."""
    statement = (SCRIPTS_FOLDER / "engine-selector.js").read_text(encoding="utf-8")
    script = statement.rstrip().removesuffix(";")  # Playwright takes an expression
    await playwright.selectors.register(ENGINE_NAME, script=script, content_script=True)


class World:
    """The isolated worlds of one Playwright page."""

    def __init__(self, page: Page, connection: Connection) -> None:
        self._page = page
        self._connection = connection
        self._main_frame = page.main_frame
        self._main: Target | None = None
        self._others: dict[str, Target] = {}
        self._frame_ids: WeakKeyDictionary[Frame, str] = WeakKeyDictionary()
        self._without_session: WeakSet[Frame] = WeakSet()
        self._opening = asyncio.Lock()
        page.on("framenavigated", cache_signature(lambda frame: self._without_session.discard(frame)))

    async def open(self) -> None:
        """Attach to the page. Cheap (a few ms), and done by the first call if nobody did it before."""
        async with self._opening:
            if self._main is None:
                self._main = await self._target(await self._page.context.new_cdp_session(self._page))

    def begin(self, target: Target) -> None:
        """The page is that target, which somebody has attached to."""
        self._main = target

    async def close(self) -> None:
        """Let go of the page; it does not have to be alive any more."""
        for target in self._targets():
            await _detach(target.session)
        self._main = None
        self._others.clear()

    @property
    def is_open(self) -> bool:
        """Whether the page has been attached to: `open` has run, and `close` has not."""
        return self._main is not None

    @property
    def target(self) -> Target:
        """The page; `open` must have run."""
        if self._main is None:
            raise FrameGone(_UNATTACHED)
        return self._main

    @property
    def session(self) -> Session:
        """Our session with the page; `open` must have run."""
        if self._main is None:
            raise FrameGone(_UNATTACHED)
        return self._main.session

    async def call(
        self, function: str, *args: JsonValue, frame: Frame | None = None, milliseconds: int = 0
    ) -> Any:
        """`__gbrowse.<function>(...args)` in that frame (the main frame by default), awaited, by value.

        Raises PageScriptError when it throws, FrameGone when the frame goes away under it, TooLong when it keeps the page
        busy for so many milliseconds, and Playwright's own Error when the page is closed or crashed.
        """
        for _ in range(_DOCUMENTS_TRIED):
            context = self._known(frame) or await self._context_of(frame)
            try:
                return await self.call_in(context, function, *args, milliseconds=milliseconds)
            except FrameGone:
                continue
        raise FrameGone(_KEPT_NAVIGATING)

    async def main(self) -> Context:
        """The context of the main frame's document of now."""
        await self.open()
        return await self._root_of(self.target)

    async def call_in(self, context: Context, function: str, *args: JsonValue, milliseconds: int = 0) -> Any:
        """Like `call`, in one context; FrameGone when its document is no longer there. With `milliseconds` it awaits nothing."""
        invocation = f'__gbrowse.invoke("{function}",{orjson.dumps(args).decode()})'
        expression = invocation if context.loaded else engine_source() + invocation
        limit = {"timeout": milliseconds} if milliseconds else {}
        result = await send(
            context,
            "Runtime.evaluate",
            expression=expression,
            uniqueContextId=context.id,
            returnByValue=True,
            awaitPromise=not milliseconds,
            **limit,
        )
        context.loaded = True
        packed: str = result["value"]
        return packed[1:] if packed[0] == "s" else decode(packed[1:])

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
        """Wait until the page has ended its current turn and the timers that are due. Raises like `call`.

        Playwright knows by then what else happened in it than documents and frames. Needs nothing of the engine, so it is cheap in a document that has
        just arrived.
        """
        early = asyncio.ensure_future(self._connection.effects_known(self.browser_context))
        early.add_done_callback(consume_exception)
        for _ in range(_CLOSING_TURNS):
            if not await self._is_closing():
                break
        await early
        await self._connection.effects_known(self.browser_context)

    async def _is_closing(self) -> bool:
        """Whether the window is about to close, once the page has ended its turn. Of the next document where one goes away."""
        for _ in range(_DOCUMENTS_TRIED):
            context = self._known(None) or await self.main()
            try:
                return bool((await self.evaluate(context, _TURN, by_value=True))["value"])
            except FrameGone:
                continue
        raise FrameGone(_KEPT_NAVIGATING)

    async def frame(self, seconds: float) -> None:
        """Let the page draw its next frame, in every process of it, within that time. Never raises.

        Frames of one process draw together. One of another process that is out of view draws nothing.
        """
        script = _FRAME % round(seconds * 1000)
        await asyncio.gather(*(self._draw(target, script) for target in self._targets()))

    async def _draw(self, target: Target, script: str) -> None:
        with suppress(Error, FrameGone, PageScriptError):
            await self.evaluate(await self._root_of(target), script)

    @property
    def url(self) -> str:
        """Where the page is, as whoever hears of it first knows."""
        ours = self._main.url if self._main and self._connection.hears_first else ""
        return ours or self._page.url

    def shows(self, target: Target) -> bool:
        """Whether that target is the page."""
        return self._main is target

    @property
    def has_loaded(self) -> bool:
        """Whether the page's document of now has had its load event."""
        return self._main is not None and self._main.has_loaded

    def awaits_load(self, loads: Callable[[], None]) -> None:
        """Have `loads` called once the next document has loaded, before Playwright hears of that."""
        if self._main:
            self._main.awaits_load(loads)

    @property
    def browser_context(self) -> str:
        """What Chromium calls the browser context that the page is in; "" before that is known."""
        return self._main.browser_context if self._main else ""

    async def caught_up(self) -> None:
        """Wait until Playwright has handled all that Chromium had said before this call: see `Connection.caught_up`."""
        await self._connection.caught_up(self.browser_context)

    async def effects_known(self) -> None:
        """The same without documents and frames: see `Connection.effects_known`."""
        await self._connection.effects_known(self.browser_context)

    def hold_documents(self) -> None:
        """Let Playwright hear later of the page's documents and frames: see `Connection.hold_documents`."""
        self._connection.hold_documents(self.target.id)

    async def ping(self) -> None:
        """One question to the page's main thread, see `Target.ping`. Raises Playwright's Error."""
        await self.open()
        await self.target.ping()

    @asynccontextmanager
    async def taking_input_at_once(self) -> AsyncIterator[None]:
        """Meanwhile the page takes movements of the pointer as they come, instead of one for each frame.

        A side effect of Chromium's overlay, on which nothing is drawn: its inspector wants to see movements at once, too.
        Not for longer: with `DOM` enabled a page of 1,000 rows takes half as long again to load.
        """
        self.session.notify("DOM.enable")
        self.session.notify("Overlay.enable")
        try:
            yield
        finally:
            self.session.notify("Overlay.disable")
            self.session.notify("DOM.disable")

    async def terminate(self) -> bool:
        """Stop the script that keeps the page busy (`while (1)`), in every process. Never waits for the page.

        False where a process does not even answer that: no script keeps it, see `restart_graphics`.
        """
        return all(await asyncio.gather(*(_terminate(target.session) for target in self._targets())))

    async def restart_graphics(self) -> None:
        """End Chromium's process for graphics, which it starts anew: one drawing there can keep every page waiting, for hours."""
        with suppress(Error, TimeoutError):
            async with asyncio.timeout(1):
                await self.session.send("Browser.crashGpuProcess")

    async def child(self, parent: Context, node_id: int) -> Context | None:
        """The context of the document in an iframe that its parent's scripts cannot reach, or None (not there yet)."""
        frame_id = await self._frame_id(parent, node_id)
        if frame_id is None:
            return None
        return await self._find(frame_id)

    async def context_of(self, frame: Frame) -> Context:
        """The context of a frame's document of now."""
        return await self._context_of(frame)

    async def targets(self) -> list[Target]:
        """The page, and its frames that have processes of their own; attached to. Raises Playwright's Error."""
        await self.open()
        await self._attach_all()
        return self._targets()

    # private: which frame is where

    def _targets(self) -> list[Target]:
        return [target for target in (self._main, *self._others.values()) if target]

    def _known(self, frame: Frame | None) -> Context | None:
        """The context of the main frame where it is known already, as it mostly is."""
        if self._main is None or (frame is not None and frame is not self._main_frame):
            return None
        return self._main.contexts.get(self._main.id)

    async def _root_of(self, target: Target) -> Context:
        for _ in range(3):
            if target.id in target.contexts:
                return target.contexts[target.id]
            await target.ping()
        raise FrameGone("The page has no document")

    async def _context_of(self, frame: Frame | None) -> Context:
        if frame is None or frame is self._main_frame:
            return await self.main()
        await self.open()
        known = self._frame_ids.get(frame)
        context = await self._find(known) if known else None
        if context is None:
            context = await self._identify(frame)
        return context

    async def _identify(self, frame: Frame) -> Context:
        """Which CDP frame a Playwright frame is: its own session says so, or a label that its world repeats."""
        target = await self._attach(frame)
        if target:
            self._frame_ids[frame] = target.id
            return await self._root_of(target)
        await self._label_all()
        frame_id = await frame.locator(f"{ENGINE_NAME}=who").get_attribute("id", timeout=2000)
        context = await self._find(frame_id) if frame_id else None
        if context is None:
            raise FrameGone("The frame has no document")
        self._frame_ids[frame] = context.frame_id
        return context

    async def _label_all(self) -> None:
        """Tell each frame's world its id, so that a locator can read it there."""
        for target in self._targets():
            await target.ping()
        contexts = [context for target in self._targets() for context in target.contexts.values()]
        labels = (
            self.evaluate(context, f"globalThis.__gbrowseFrame={orjson.dumps(context.frame_id).decode()}")
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
        for target in self._targets():
            await target.ping()
        return self._in_known(frame_id)

    def _in_known(self, frame_id: str) -> Context | None:
        for target in self._targets():
            if frame_id in target.contexts:
                return target.contexts[frame_id]
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

    async def _attach(self, frame: Frame) -> Target | None:
        """The target of a frame that has a process of its own, attached to once."""
        if frame in self._without_session:
            return None
        known = self._frame_ids.get(frame)
        if known in self._others:
            return self._others[known]
        try:
            target = await self._target(await self._page.context.new_cdp_session(frame))
        except Error:
            self._without_session.add(frame)
            return None
        self._frame_ids[frame] = target.id
        self._others[target.id] = target
        target.session.on("close", partial(self._left, target))
        return target

    async def _target(self, playwrights: CDPSession) -> Target:
        """The target that a session of Playwright's is with, and a session of our own in the place of that."""
        described = await playwrights.send("Target.getTargetInfo")
        attaching = self._connection.attach(described["targetInfo"]["targetId"])
        target, _ = await asyncio.gather(attaching, _detach(playwrights))
        target.browser_context = described["targetInfo"].get("browserContextId", "")
        return target

    def _left(self, target: Target, *_: object) -> None:
        if self._others.get(target.id) is target:
            del self._others[target.id]


async def _detach(session: Session | CDPSession) -> None:
    try:
        await session.detach()
    except Error:
        return  # already gone with its page


async def _terminate(session: Session) -> bool:
    """Whether the page's process has answered."""
    try:
        async with asyncio.timeout(2):
            await session.send("Runtime.terminateExecution")
    except Error:
        return True  # gone, or nothing was running
    except TimeoutError:
        return False
    return True
