"""Call functions of the engine in the isolated worlds of a page, and check whether it responds.

The page cannot see an isolated world, its CSP does not hold there, and it cannot replace a built-in there. Refs are in `refs.py`,
messages to one document in `messages.py`.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from math import hypot
from typing import Any, TypeVar

from gstack_browse.browser.cdp import WORLD, tasks
from gstack_browse.browser.cdp.connection import Connection
from gstack_browse.browser.cdp.session import ProtocolError, Session, consume_exception
from gstack_browse.browser.cdp.targets import ExecutionContext, Target
from gstack_browse.browser.cdp.tasks import ANSWERS, is_answered_within
from gstack_browse.browser.devtools.page import Frame, Page
from gstack_browse.browser.engine import closed_roots, internals
from gstack_browse.browser.engine.bundle import ENGINE_NAME, IS_OWN, storage_reader_source
from gstack_browse.browser.engine.messages import (
    FrameGone,
    InternalsNeeded,
    JsonValue,
    NoDocument,
    PageScriptError,
    call_in,
    evaluate,
    send,
)
from gstack_browse.text.json_bytes import decode

_MEASURED_SECONDS = 0.3
_ANSWER_SECONDS = 1.0
_GRAPHICS = "GPU"


async def is_gpu_process_busy(connection: Connection) -> bool:
    """Return whether Chromium's GPU process uses more processor time than its other processes together.

    Measured over 0.3 s. True if Chromium refuses to tell: nothing else explains then why pages do not respond.
    """
    try:
        before = await _processor_seconds(connection)
        await asyncio.sleep(_MEASURED_SECONDS)
        spent = await _processor_seconds(connection) - before
    except TimeoutError:
        return False
    except ProtocolError:
        return True
    return spent[_GRAPHICS] > spent.total() / 2


async def _processor_seconds(connection: Connection) -> Counter[str]:
    """Return the processor time of Chromium's processes: seconds by type of process ("GPU", "renderer").

    Raises TimeoutError, and ProtocolError if Chromium refuses to tell.
    """
    async with asyncio.timeout(_ANSWER_SECONDS):
        answer = await connection.ask_browser("SystemInfo.getProcessInfo")
    seconds: Counter[str] = Counter()
    for process in answer["processInfo"]:
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
_REPEATABLE_READS = frozenset({
    "readText", "readMarkup", "listLinks", "locateText", "findMatchingText", "listDisplayedLines", "hashBoxAndText", "computePageFingerprint",
})  # fmt: skip
"""Functions that look into closed shadow roots, and may be called twice: they change nothing."""
_GROUP = "gbrowse elements"
"""Object group of elements that we refer to by `objectId`. Chromium keeps them alive until the group is released."""
_SHADOWS_IN_SHADOWS = 5
"""How many levels of nested closed shadow roots are searched."""
_CLOSING_TURNS = 3
"""Questions to a window that is about to close: it is gone by then, unless something holds it back."""
Result = TypeVar("Result")


class World:
    """The isolated worlds of one page and its frames, in which the engine runs."""

    def __init__(self, page: Page, connection: Connection) -> None:
        self._connection = connection
        self.frames = FrameTargets(page, connection)
        """The targets and contexts of the page's frames."""

    @property
    def session(self) -> Session:
        """The protocol session of the page's target."""
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
        """Call a function of the engine (`__gbrowse.<function>`) in a frame, await it, and return its value.

        Args:
            frame: the main frame by default
            milliseconds: time limit of the call; a promise is not awaited then
            as_user: with user activation (`userGesture` of `Runtime.evaluate`)
            only: call in that document of the frame, and in no later one

        Raises PageScriptError when it throws, and TooLong when it exceeds `milliseconds`. Raises FrameGone when the frame, or `only`,
        goes away. Raises ProtocolError when the page is closed or crashed.
        """
        for _ in range(_DOCUMENTS_TRIED):
            context = self.frames.known_context(frame) or await self.frames.context_of(frame)
            if only and context is not only:
                break
            try:
                answer = await self._call_with_internals(
                    context, function, *args, milliseconds=milliseconds, as_user=as_user
                )
                if context.has_suspects and _is_repeatable_read(function, args):
                    return await self._repeat_with_closed_roots(
                        context, answer, function, *args, milliseconds=milliseconds
                    )
                return answer
            except FrameGone:
                continue
        raise FrameGone(_KEPT_NAVIGATING)

    async def send_for_element(
        self, node: int, method: str, *, frame: Frame, **parameters: Any
    ) -> dict[str, Any]:
        """Send a protocol message that takes an element's object id, such as `DOM.getBoxModel`.

        Return the reply.

        node: node id of the element in `frame`

        Raises FrameGone; ProtocolError, also if the element is not in the document any more.
        """
        context = self.frames.known_context(frame) or await self.frames.context_of(frame)
        element = await evaluate(context, f"__gbrowse.nodeFor({node})", group=_GROUP)
        if "objectId" not in element:
            raise ProtocolError("gbrowse: the element has gone")
        reply = await send(context, method, objectId=element["objectId"], **parameters)
        context.target.session.notify("Runtime.releaseObjectGroup", {"objectGroup": _GROUP})
        return reply

    async def _call_with_internals(
        self, context: ExecutionContext, function: str, *args: JsonValue, milliseconds: int, as_user: bool
    ) -> Any:
        """Call a function of the engine in a document; send it custom elements' ElementInternals when needed.

        Parameters and return value are those of `call_in`.
        """
        while True:
            try:
                return await call_in(context, function, *args, milliseconds=milliseconds, as_user=as_user)
            except InternalsNeeded:
                await internals.send_internals(context)

    async def _repeat_with_closed_roots(
        self, context: ExecutionContext, answer: Any, function: str, *args: JsonValue, milliseconds: int
    ) -> Any:
        """Pass the engine the closed shadow roots that a call met, and repeat it until it meets no new one.

        Return the last answer. `answer`: that of the first call.
        """
        for _ in range(_SHADOWS_IN_SHADOWS):
            opened = await closed_roots.open_closed_roots(context)
            if opened:
                answer = await call_in(context, function, *args, milliseconds=milliseconds)
            if not opened or not context.has_suspects:
                break
        return answer

    async def load_engine(self) -> None:
        """Load the engine into the main frame's current document ahead of the next call. Never raises.

        Also requests the object id of `document`, so that the first snapshot can request listeners together with its tree walk.
        """
        with suppress(ProtocolError, FrameGone, PageScriptError):
            context = self.frames.known_context(None) or await self.frames.main_context()
            context.document = closed_roots.request_document_object(context)
            await self.call("completeRoundTrip")

    async def wait_event_loop_turn(self) -> None:
        """Wait until the page has finished its current task and the timers that are due.

        Waits some turns more for a window that is about to close. Does not load the engine, so it is cheap in a new document.
        Raises FrameGone if the page keeps navigating, PageScriptError if a script fails, ProtocolError if the page is closed.
        """
        for _ in range(_CLOSING_TURNS):
            if not await self._is_closing():
                break

    async def _is_closing(self) -> bool:
        """Wait for the end of the page's current task. Return whether its window is about to close."""
        context, state = await self._evaluate_in_main_document(_TURN)
        context.has_changed_fields = state["changed"]
        return bool(state["closing"])

    async def read_storage(self, *, everything: bool = False) -> Any:
        """Return the session storage of the main frame's document: {"origin": …, "items": {key: value}}.

        everything: also its local storage and the number of its databases, see `read-storage.js`

        Does not load the engine. Raises FrameGone if the page keeps navigating, PageScriptError if the script throws, ProtocolError
        if the page is closed.
        """
        call = f"{storage_reader_source()}({'true' if everything else 'false'})"
        return decode((await self._evaluate_in_main_document(call))[1])

    async def _evaluate_in_main_document(self, expression: str) -> tuple[ExecutionContext, Any]:
        """Evaluate and await JavaScript in the main frame's document, or in one that replaces it meanwhile.

        Return (the document's execution context, the value).
        """
        for _ in range(_DOCUMENTS_TRIED):
            context = self.frames.known_context(None) or await self.frames.main_context()
            try:
                return context, (await evaluate(context, expression, by_value=True))["value"]
            except FrameGone:
                continue
        raise FrameGone(_KEPT_NAVIGATING)

    async def wait_next_frame(self, seconds: float) -> None:
        """Wait until the page has drawn its next animation frame, in each of its processes. Never raises.

        Waits `seconds` at most for a hidden page, or an iframe of another process that is out of view: these may draw nothing.
        """
        script = _FRAME % (round(max(seconds, _VISIBLE_SECONDS) * 1000), round(seconds * 1000))
        await asyncio.gather(*(self._evaluate_quietly(target, script) for target in self.frames.all()))

    async def _evaluate_quietly(self, target: Target, script: str) -> None:
        """Evaluate and await a script in a target's main document. Never raises."""
        with suppress(ProtocolError, FrameGone, PageScriptError):
            await evaluate(await self.frames.target_context(target), script)

    @property
    def first_opener(self) -> str:
        """The target id of the page that began the `window.open` chain to this one; its own without an opener."""
        return self._connection.targets.first_opener(self.frames.target.id)

    @property
    def has_changed_fields(self) -> bool:
        """Whether the page has changed text fields after they lost focus, as of the engine's last answer.

        The engine's `takeFieldsChangedAfterBlur` returns these fields.
        """
        context = self.frames.known_context(None)
        return context is not None and context.has_changed_fields

    async def owner_of(self, frame_id: str, parent: Frame | None = None) -> int:
        """Return the node id of the `<iframe>` that shows a frame; 0 if it is not in the document of `parent`.

        frame_id: that of Chromium's protocol
        parent: the main frame by default

        Raises FrameGone if the document of `parent` is gone, PageScriptError if the engine fails, ProtocolError for other failures.
        """
        context = self.frames.known_context(parent) or await self.frames.context_of(parent)
        owner = await send(context, "DOM.getFrameOwner", frameId=frame_id)
        if (element := await closed_roots.resolve_node(context, owner["backendNodeId"])) is None:
            return 0
        function = "function() { return __gbrowse.idOf(this); }"
        reply = await send(
            context,
            "Runtime.callFunctionOn",
            objectId=element,
            functionDeclaration=function,
            returnByValue=True,
        )
        closed_roots.release_objects(context)
        return int(reply["result"]["value"])

    async def selectors_of_frames(self, frame: Frame) -> tuple[str, ...]:
        """Return selectors of the `<iframe>`s around a frame, outermost first; "" for one without a selector."""
        found: list[str] = []
        while parent := frame.parent_frame:
            selector = ""
            with suppress(FrameGone, PageScriptError, ProtocolError):
                if owner := await self.owner_of(frame.id, parent):
                    selector = str(await self.call("makeFrameSelector", owner, frame=parent))
            found.insert(0, selector)
            frame = parent
        return tuple(found)

    @asynccontextmanager
    async def unthrottled_pointer_moves(self) -> AsyncIterator[None]:
        """Have Chromium dispatch each pointer move to the page at once, instead of one per animation frame.

        Only for a short time: with `DOM` enabled a page of 1,000 rows takes half as long again to load.
        """
        # A side effect of the overlay, on which nothing is drawn: Chromium's inspector needs moves at once, too.
        self.session.notify("DOM.enable")
        self.session.notify("Overlay.enable")
        try:
            yield
        finally:
            self.session.notify("Overlay.disable")
            self.session.notify("DOM.disable")

    async def terminate(self) -> bool:
        """Terminate the scripts that run in the page now, such as `while (1)`, in each of its processes.

        Return True if all processes have responded. Never waits for the page itself. A process does not respond while it waits
        for a synchronous request or the GPU process (see `restart_busy_gpu_process`), or if a signal has stopped it.
        """
        requests = (target.session.send("Runtime.terminateExecution") for target in self.frames.all())
        answers = asyncio.gather(*requests, return_exceptions=True)  # an Error: gone, or nothing was running
        await asyncio.wait({answers}, timeout=_TERMINATE_SECONDS)
        return await self.wait_until(answers.done, ANSWERS)

    async def answers_ping(self, seconds: float) -> bool:
        """Return whether the page answers a ping within `seconds`: its main thread is not stuck in a script."""
        return await is_answered_within(self.frames.target.ping(), seconds)

    async def is_main_thread_blocked(self) -> bool:
        """Return whether the page's main thread is blocked: no pong while the browser answers ANSWERS pings.

        A fixed time would not do: on a slow machine an idle page is slow, too.
        """
        ping = asyncio.ensure_future(self.frames.target.ping())
        ping.add_done_callback(consume_exception)
        try:
            return not await self.wait_until(ping.done, ANSWERS)
        finally:
            ping.cancel()

    async def wait_until(self, condition: Callable[[], object], while_answered: int) -> bool:
        """Wait until `condition` is true, but no longer than the browser takes for `while_answered` pings.

        Return whether it did. A busy machine gets more time this way.
        """
        return await tasks.wait_until(self._connection, condition, while_answered)

    async def run_with_timeout(self, work: Awaitable[Result], seconds: float) -> Result:
        """Await `work` for `seconds`, longer on a busy machine; then raise TimeoutError."""
        return await tasks.run_with_timeout(self._connection, work, seconds)

    async def restart_busy_gpu_process(self) -> bool:
        """Crash Chromium's GPU process if it is busy: Chromium starts a new one. Return whether it was.

        A single drawing there can block all pages for hours.
        """
        if not await is_gpu_process_busy(self._connection):
            return False
        with suppress(ProtocolError, TimeoutError):
            async with asyncio.timeout(1):
                await self.session.send("Browser.crashGpuProcess")
        return True


def _is_repeatable_read(function: str, arguments: Sequence[JsonValue]) -> bool:
    """Return whether a call of the engine's `function` changes nothing in the page, so it may be repeated."""
    # The call `ask(selector, question)` has the question second.
    return function in _REPEATABLE_READS or (function == "findAndCall" and arguments[1] in _REPEATABLE_READS)


class FrameTargets:
    """The targets and execution contexts of one page, those of its out-of-process iframes included."""

    def __init__(self, page: Page, connection: Connection) -> None:
        self._page = page
        self._connection = connection

    @property
    def target(self) -> Target:
        """The target of the page itself."""
        return self._page.target

    def all(self) -> list[Target]:
        """Return the protocol targets that show the page: its own, and those of its out-of-process iframes."""
        return [
            target
            for target in self._connection.targets
            if target.page == self.target.id and target.has_documents
        ]

    def known_context(self, frame: Frame | None) -> ExecutionContext | None:
        """Return the engine's execution context in a frame (None: the main frame); None if not known yet."""
        if frame is None:
            return self.target.contexts.get(self.target.id)
        return frame.target.contexts.get(frame.id)

    async def main_context(self) -> ExecutionContext:
        """Return the engine's execution context in the main frame's current document. Raises FrameGone."""
        return await self.context_of(self._page.main_frame)

    async def target_context(self, target: Target) -> ExecutionContext:
        """Return the engine's execution context in the main document of a protocol target. Raises FrameGone."""
        return await self._context_in(target, target.id)

    async def context_of(self, frame: Frame | None) -> ExecutionContext:
        """Return the engine's execution context in a frame's current document. Raises FrameGone.

        frame: None for the main frame
        """
        frame = frame or self._page.main_frame
        if frame.is_detached():
            raise FrameGone("The frame has gone")
        return await self._context_in(frame.target, frame.id)

    async def child_context(self, parent: ExecutionContext, node_id: int) -> ExecutionContext | None:
        """Return the engine's execution context in the document of an iframe in another process or origin.

        None if the iframe has no document yet.

        node_id: id of the iframe in the document of `parent`
        """
        frame = await self.content_frame(parent, node_id)
        if frame is None:
            return None
        try:
            return await self.context_of(frame)
        except FrameGone:
            return None

    async def content_frame(self, parent: ExecutionContext, node_id: int) -> Frame | None:
        """Return the frame that an `<iframe>` shows; None if the node is gone or is no iframe.

        node_id: id of the iframe in the document of `parent`

        Raises FrameGone, or ProtocolError.
        """
        owner = await evaluate(parent, f"__gbrowse.nodeFor({node_id})", group=ENGINE_NAME)
        if "objectId" not in owner:
            return None
        described = await send(parent, "DOM.describeNode", objectId=owner["objectId"])
        parent.target.session.notify("Runtime.releaseObjectGroup", {"objectGroup": ENGINE_NAME})
        return self._page.frame(described["node"].get("frameId", ""))

    async def _context_in(self, target: Target, frame_id: str) -> ExecutionContext:
        """Return the engine's execution context in a target's frame. Creates its isolated world if missing.

        Raises NoDocument if that fails.
        """
        # Chromium creates the world in each new document, but not in the blank one that a page or a frame begins with.
        if (known := target.contexts.get(frame_id)) is None:
            await target.ping()  # Chromium may have told of it by then
            known = target.contexts.get(frame_id)
        if known is None:
            await self._create_isolated_world(target, frame_id)
            known = target.contexts.get(frame_id)
        if known is None:
            raise NoDocument
        return known

    async def _create_isolated_world(self, target: Target, frame_id: str) -> None:
        """Create the engine's isolated world in a frame. Raises FrameGone if the frame has been removed."""
        wanted = {"frameId": frame_id, "worldName": WORLD, "grantUniveralAccess": True}
        try:
            await target.session.send("Page.createIsolatedWorld", wanted)
        except ProtocolError as error:
            if "No frame" in error.message:
                raise FrameGone(error.message) from None
            raise


@dataclass(frozen=True)
class Iframe:
    """An out-of-process iframe: size of its viewport, and its box in the viewport around, in CSS pixels."""

    content: tuple[float, ...]
    """The corners of its content box in the viewport around, clockwise from the top left one: x, y, x, y …"""
    width: float
    height: float

    def to_parent_point(self, x: float, y: float) -> tuple[float, float]:
        """Convert a point from the iframe's viewport to the viewport of its parent frame, in CSS pixels."""
        left, top, right, right_top, _, _, bottom_left, bottom = self.content
        across, down = x / self.width, y / self.height
        return (
            left + across * (right - left) + down * (bottom_left - left),
            top + across * (right_top - top) + down * (bottom - top),
        )


@dataclass(frozen=True)
class FrameTransform:
    """Converts points of a frame to points of its page.

    `iframes`: the out-of-process ones around it, innermost first.
    """

    iframes: tuple[Iframe, ...] = ()

    def to_page_point(self, x: float, y: float) -> tuple[float, float]:
        """Convert a point from the viewport of the frame's process to the page's viewport, in CSS pixels."""
        for iframe in self.iframes:
            x, y = iframe.to_parent_point(x, y)
        return x, y


async def frame_transform(frames: "FrameTargets", frame: Frame) -> FrameTransform:
    """Measure the out-of-process iframes around a frame, to convert its points to points of the page.

    Raises FrameGone, and ProtocolError for an iframe that is not rendered.
    """
    iframes = []
    while around := frame.parent_frame:
        inner, frame = await frames.context_of(frame), around
        if inner.target is frames.target:
            break
        if inner.frame_id == inner.target.id:
            outer = await frames.context_of(around)
            owner = await send(outer, "DOM.getFrameOwner", frameId=inner.frame_id)
            box = (await send(outer, "DOM.getBoxModel", backendNodeId=owner["backendNodeId"]))["model"]
            iframes.append(_parse_box_model(box))
    return FrameTransform(tuple(iframes))


def _parse_box_model(box: dict[str, Any]) -> Iframe:
    """Build an Iframe from the `DOM.BoxModel` of its element.

    The corners in it are transformed (CSS `transform`), its width and height are not.
    """
    border, content = box["border"], box["content"]
    across = box["width"] / (_length(border[0:4]) or 1)
    down = box["height"] / (_length(border[2:6]) or 1)
    width, height = _length(content[0:4]) * across or 1, _length(content[2:6]) * down or 1
    return Iframe(tuple(content), width, height)


def _length(edge: Sequence[float]) -> float:
    """Return the length of a line from (x1, y1) to (x2, y2), given as [x1, y1, x2, y2]."""
    return hypot(edge[2] - edge[0], edge[3] - edge[1])
