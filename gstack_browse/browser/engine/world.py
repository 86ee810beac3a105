"""The isolated world of one page, in each of its frames: loads the engine and calls its functions.

The page cannot see that world, its CSP does not hold there, and it cannot replace a built-in there. The functions are described in
`scripts/`, references in `refs.py`, the places of frames in `frame_targets.py`, questions to one document in `messages.py`.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, TypeVar

from gstack_browse.browser.cdp import timeouts
from gstack_browse.browser.cdp.connection import Connection
from gstack_browse.browser.cdp.session import ProtocolError, Session, consume_exception
from gstack_browse.browser.cdp.targets import ExecutionContext, Target
from gstack_browse.browser.cdp.timeouts import ANSWERS, answers_in_time
from gstack_browse.browser.devtools.frame import Frame
from gstack_browse.browser.devtools.page import Page
from gstack_browse.browser.engine import closed_roots, internals
from gstack_browse.browser.engine.bundle import IS_OWN, kept_state_source
from gstack_browse.browser.engine.frame_targets import FrameTargets
from gstack_browse.browser.engine.messages import (
    FrameGone,
    InternalsNeeded,
    JsonValue,
    PageScriptError,
    call_in,
    evaluate,
    send,
)
from gstack_browse.text.json_bytes import decode

_LOOK_SECONDS = 0.3
_ANSWER_SECONDS = 1.0
_GRAPHICS = "GPU"


async def are_busy(connection: Connection) -> bool:
    """Return whether graphics use more processor time than all other processes of Chromium together.

    True if Chromium answers, but does not tell: nothing else explains then why pages do not answer.
    """
    try:
        before = await _processor_seconds(connection)
        await asyncio.sleep(_LOOK_SECONDS)
        spent = await _processor_seconds(connection) - before
    except TimeoutError:
        return False
    except ProtocolError:
        return True
    return spent[_GRAPHICS] > spent.total() / 2


async def _processor_seconds(connection: Connection) -> Counter[str]:
    """Return processor seconds by kind of process.

    Raises TimeoutError, and ProtocolError if Chromium does not tell.
    """
    async with asyncio.timeout(_ANSWER_SECONDS):
        told = await connection.ask_browser("SystemInfo.getProcessInfo")
    seconds: Counter[str] = Counter()
    for process in told["processInfo"]:
        seconds[process["type"]] += process["cpuTime"]
    return seconds


_FORBIDDEN = """(Object.hasOwn(globalThis, '__gbrowseForbidden') ? globalThis.__gbrowseForbidden
  : (globalThis.__gbrowseForbidden = matchMedia('(scripting: none)').matches))"""
"""Whether scripts may not run in the document: no timer ends there, and no frame is reported. See scripts/dom/turns.js.

An element with this name as its id is no own property of the world's global object.
"""
_STATE = f"({{ closing: closed, changed: {IS_OWN} && __gbrowse.hasChangedFields() }})"
_TURN = f"{_FORBIDDEN} ? {_STATE} : new Promise((done) => setTimeout(done, 0)).then(() => {_STATE})"
"""Tells whether the window is about to close, and whether the page has changed a field since that was left."""
_FRAME = (
    f"{_FORBIDDEN} ||"
    + """ new Promise((done) => {
  requestAnimationFrame(() => setTimeout(done, 0));
  setTimeout(done, self === top && document.visibilityState === "visible" ? %d : %d);
})"""
)
"""Ends one turn after the next frame, or after so many milliseconds if the page draws none."""
_VISIBLE_SECONDS = 1.0
"""Time limit for the next frame of a visible page. It does draw one: if that is late, the machine is slow."""
_TERMINATE_SECONDS = 0.3
"""Time limit for a process to stop a script; longer on a busy machine (`wait_until`)."""
_DOCUMENTS_TRIED = 3
_KEPT_NAVIGATING = "The frame kept navigating away"
_READINGS = frozenset(
    {
        "readText",
        "text",
        "markup",
        "links",
        "showsText",
        "matchesText",
        "displayedLines",
        "boxAndText",
        "pageFingerprint",
    }
)
"""Functions that look into closed shadow roots, and may be called twice: they change nothing."""
_GROUP = "gbrowse elements"
"""Object group of elements that we refer to by `objectId`. Chromium keeps them alive until the group is released."""
_SHADOWS_IN_SHADOWS = 5
"""How many levels of nested closed shadow roots are searched."""
_CLOSING_TURNS = 3
"""Questions to a window that is about to close: it is gone by then, unless something holds it back."""
Result = TypeVar("Result")


class World:
    """The isolated worlds of one page."""

    def __init__(self, page: Page, connection: Connection) -> None:
        self._connection = connection
        self.frames = FrameTargets(page, connection)
        """The targets and contexts of the page's frames."""

    @property
    def session(self) -> Session:
        """Our session with the page."""
        return self.frames.target.session

    async def call(
        self,
        function: str,
        *args: JsonValue,
        frame: Frame | None = None,
        milliseconds: int = 0,
        as_user: bool = False,
        only: ExecutionContext | None = None,
    ) -> Any:
        """Call `__gbrowse.<function>(...args)` in a frame, await it, and return its value.

        Args:
            frame: the main frame by default
            milliseconds: time limit of the call; a promise is not awaited then
            as_user: the page may do what is allowed after a press of the user's
            only: call in that document of the frame, and in no later one

        Raises PageScriptError when it throws, and TooLong when it exceeds `milliseconds`. Raises FrameGone when the frame, or `only`,
        goes away. Raises ProtocolError when the page is closed or crashed.
        """
        for _ in range(_DOCUMENTS_TRIED):
            context = self.frames.known_context(frame) or await self.frames.context_of(frame)
            if only and context is not only:
                break
            try:
                answer = await self._answer(
                    context, function, *args, milliseconds=milliseconds, as_user=as_user
                )
                if context.has_suspects and _is_repeatable_read(function, args):
                    return await self._with_closed_roots(
                        context, answer, function, *args, milliseconds=milliseconds
                    )
                return answer
            except FrameGone:
                continue
        raise FrameGone(_KEPT_NAVIGATING)

    async def send_about(self, node: int, method: str, *, frame: Frame, **parameters: Any) -> dict[str, Any]:
        """Send a protocol message about an element, such as `DOM.getBoxModel`. Return the reply.

        `node`: the id of the element in `frame`. Raises FrameGone; ProtocolError, also if the element is not in the document any more.
        """
        context = self.frames.known_context(frame) or await self.frames.context_of(frame)
        element = await evaluate(context, f"__gbrowse.nodeFor({node})", group=_GROUP)
        if "objectId" not in element:
            raise ProtocolError("gbrowse: the element has gone")
        reply = await send(context, method, objectId=element["objectId"], **parameters)
        context.target.session.notify("Runtime.releaseObjectGroup", {"objectGroup": _GROUP})
        return reply

    async def _answer(
        self, context: ExecutionContext, function: str, *args: JsonValue, milliseconds: int, as_user: bool
    ) -> Any:
        """Call the engine. Whenever it needs internals of custom elements, send them and call again."""
        while True:
            try:
                return await call_in(context, function, *args, milliseconds=milliseconds, as_user=as_user)
            except InternalsNeeded:
                await internals.send_internals(context)

    async def _with_closed_roots(
        self, context: ExecutionContext, answer: Any, function: str, *args: JsonValue, milliseconds: int
    ) -> Any:
        """Open closed shadow roots and ask again, while there are any. Return the last answer."""
        for _ in range(_SHADOWS_IN_SHADOWS):
            opened = await closed_roots.open_closed_roots(context)
            if opened:
                answer = await call_in(context, function, *args, milliseconds=milliseconds)
            if not opened or not context.has_suspects:
                break
        return answer

    async def load(self) -> None:
        """Put the engine into the main frame's current document, so that the next call finds it. Never raises.

        Also requests the document's object, so that the first snapshot can ask for listeners together with its walk.
        """
        with suppress(ProtocolError, FrameGone, PageScriptError):
            context = self.frames.known_context(None) or await self.frames.main_context()
            context.document = closed_roots.request_document(context)
            await self.call("tick")

    async def wait_event_loop_turn(self) -> None:
        """Wait until the page has ended its current turn and the timers that are due. Raises like `call`.

        Needs no engine, so it is cheap in a new document.
        """
        for _ in range(_CLOSING_TURNS):
            if not await self._is_closing():
                break

    async def _is_closing(self) -> bool:
        """Return whether the window is about to close, once the page has ended its turn."""
        context, state = await self._ask(_TURN)
        context.has_changed_fields = state["changed"]
        return bool(state["closing"])

    async def read_kept_state(self, *, everything: bool = False) -> Any:
        """Return what kept.js says of the main frame's document. Raises like `call`; needs no engine."""
        _, said = await self._ask(f"{kept_state_source()}({'true' if everything else 'false'})")
        return decode(said)

    async def evaluate_bare(self, expression: str, *, ends_turn: bool) -> Any:
        """Return the value of an expression in the main frame's document. Raises like `call`; needs no engine.

        ends_turn: evaluate it once the page has ended its current turn
        """
        late = f"new Promise((done) => setTimeout(done, 0)).then(() => {expression})"
        return (await self._ask(f"{_FORBIDDEN} ? {expression} : {late}" if ends_turn else expression))[1]

    async def _ask(self, expression: str) -> tuple[ExecutionContext, Any]:
        """Return the main frame's document, and the value of an awaited expression in it.

        A document that takes its place is asked again.
        """
        for _ in range(_DOCUMENTS_TRIED):
            context = self.frames.known_context(None) or await self.frames.main_context()
            try:
                return context, (await evaluate(context, expression, by_value=True))["value"]
            except FrameGone:
                continue
        raise FrameGone(_KEPT_NAVIGATING)

    async def frame(self, seconds: float) -> None:
        """Let the page draw its next frame, in each of its processes. Never raises.

        Waits `seconds` at most for a hidden page, or a frame of another process that is out of view: these may draw nothing. Frames of
        one process draw together.
        """
        script = _FRAME % (round(max(seconds, _VISIBLE_SECONDS) * 1000), round(seconds * 1000))
        await asyncio.gather(*(self._draw(target, script) for target in self.frames.all()))

    async def _draw(self, target: Target, script: str) -> None:
        """Run a script that draws marks on a page, in a target's main document. Never raises."""
        with suppress(ProtocolError, FrameGone, PageScriptError):
            await evaluate(await self.frames.root_of(target), script)

    @property
    def first_opener(self) -> str:
        """The id of the first page in the chain of openers: see `Targets.first_opener`."""
        return self._connection.targets.first_opener(self.frames.target.id)

    @property
    def has_changed_fields(self) -> bool:
        """Return whether the main frame's document had fields that changed after they lost the focus.

        That is what its last answer said: see `takeFieldsChangedAfterBlur`.
        """
        context = self.frames.known_context(None)
        return context is not None and context.has_changed_fields

    async def owner_of(self, frame_id: str, parent: Frame | None = None) -> int:
        """Return the node in the main document that shows a frame; 0 if the frame is in another document.

        parent: look in the document of this frame instead. Raises like `call`.
        """
        context = self.frames.known_context(parent) or await self.frames.context_of(parent)
        owner = await send(context, "DOM.getFrameOwner", frameId=frame_id)
        if (element := await closed_roots.resolve_node(context, owner["backendNodeId"])) is None:
            return 0
        function = "function() { return __gbrowse.idOf(this); }"
        told = await send(
            context,
            "Runtime.callFunctionOn",
            objectId=element,
            functionDeclaration=function,
            returnByValue=True,
        )
        closed_roots.release(context)
        return int(told["result"]["value"])

    async def selectors_of_frames(self, frame: Frame) -> tuple[str, ...]:
        """Return selectors that lead to a frame, the outermost first; "" for a frame without a selector."""
        found: list[str] = []
        while parent := frame.parent_frame:
            selector = ""
            with suppress(FrameGone, PageScriptError, ProtocolError):
                if owner := await self.owner_of(frame.id, parent):
                    selector = str(await self.call("frameSelector", owner, frame=parent))
            found.insert(0, selector)
            frame = parent
        return tuple(found)

    @asynccontextmanager
    async def taking_input_at_once(self) -> AsyncIterator[None]:
        """Have the page get pointer moves as they come, instead of one for each frame.

        A side effect of Chromium's overlay, on which nothing is drawn: its inspector wants to see movements at once, too.
        Only for a short time: with `DOM` enabled a page of 1,000 rows takes half as long again to load.
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

        Return False if a process does not even answer that: it waits for a synchronous request or for graphics (see
        `restart_graphics`), or was stopped by a signal.
        """
        orders = (target.session.send("Runtime.terminateExecution") for target in self.frames.all())
        answers = asyncio.gather(*orders, return_exceptions=True)  # an Error: gone, or nothing was running
        await asyncio.wait({answers}, timeout=_TERMINATE_SECONDS)
        return await self.wait_until(answers.done, ANSWERS)

    async def answers_ping(self, seconds: float) -> bool:
        """Return whether the page answers a ping in time: its main thread is not stuck in a script."""
        return await answers_in_time(self.frames.target.ping(), seconds)

    async def stays_silent(self) -> bool:
        """Return whether the page's main thread is blocked.

        It is if the browser answers ANSWERS pings before the page answers one: a slow machine is slow for both.
        """
        asked = asyncio.ensure_future(self.frames.target.ping())
        asked.add_done_callback(consume_exception)
        try:
            return not await self.wait_until(asked.done, ANSWERS)
        finally:
            asked.cancel()

    async def wait_until(self, condition: Callable[[], object], while_answered: int) -> bool:
        """Wait until `condition` is true, for `while_answered` pings of the browser at most.

        Return whether it is. A busy machine gets more time this way.
        """
        return await timeouts.wait_until(self._connection, condition, while_answered)

    async def run_with_timeout(self, work: Awaitable[Result], seconds: float) -> Result:
        """Await work on the page. Raises TimeoutError: see `timeouts.run_with_timeout`."""
        return await timeouts.run_with_timeout(self._connection, work, seconds)

    async def restart_graphics(self) -> bool:
        """Crash Chromium's graphics process if it is busy. Return whether it was.

        Chromium starts a new one. One drawing there can keep every page waiting, for hours. On a machine that others keep busy
        every process is late, and this one is left alone.
        """
        if not await are_busy(self._connection):
            return False
        with suppress(ProtocolError, TimeoutError):
            async with asyncio.timeout(1):
                await self.session.send("Browser.crashGpuProcess")
        return True


def _is_repeatable_read(function: str, arguments: Sequence[JsonValue]) -> bool:
    """Return whether a call of the engine is one of `_READINGS`, directly or through `ask`.

    `arguments`: of the call; `ask(selector, question)` has the question second.
    """
    return function in _READINGS or (function == "ask" and arguments[1] in _READINGS)
