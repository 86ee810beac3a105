"""Let a person click an element in Chromium's inspect mode: the page gets neither pointer nor click."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import orjson

from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.cdp.targets import ExecutionContext, Target
from gstack_browse.browser.engine import closed_roots
from gstack_browse.browser.engine.messages import FrameGone, PageScriptError, call_in, evaluate, send
from gstack_browse.errors import ActionFailed
from gstack_browse.text.sanitise import quote_text

if TYPE_CHECKING:
    from gstack_browse.browser.command.page import PageCommand

_BANNER = "globalThis.__gbrowseBanner"


class PickBanner:
    """The banner in one document of a tab. Its methods raise FrameGone if that document has gone."""

    def __init__(self, context: ExecutionContext) -> None:
        self._context = context

    async def show(self, question: str) -> None:
        """Show the banner with a question for the person, in place of an earlier banner."""
        source = _banner_script().rstrip().removesuffix(";")
        argument = orjson.dumps(question).decode()
        await self._evaluate(f"{_BANNER}?.remove(); {_BANNER} = ({source})({argument}); 0")

    async def wait_until_cancelled(self) -> None:
        """Ask the person to click an element. Return when they have pressed Escape in the banner."""
        await self._evaluate(f"{_BANNER}.point()")

    async def ask_for_remark(self, name: str) -> tuple[str, str]:
        """Ask for a remark on the clicked element. Return "send", "again" or "cancel", and the remark."""
        answer = await self._evaluate(f"{_BANNER}.ask({orjson.dumps(name).decode()})")
        return str(answer["act"]), str(answer["words"])

    async def is_there(self) -> bool:
        """Return whether the banner is still in the page."""
        return bool(await self._evaluate(f"{_BANNER}.isThere()"))

    def remove(self) -> None:
        """Remove the banner, without waiting for the page."""
        script = f"{_BANNER}?.remove(); delete {_BANNER}; 0"
        params = {"expression": script, "uniqueContextId": self._context.id}
        self._context.target.session.notify("Runtime.evaluate", params)

    async def _evaluate(self, expression: str) -> Any:
        """Return the value of a JavaScript expression in the banner's document."""
        answer = await evaluate(self._context, expression, by_value=True)
        return answer.get("value")


@cache
def _banner_script() -> str:
    """Return the JavaScript source of the banner."""
    return Path(__file__).with_name("pick-banner.js").read_text(encoding="utf-8")


T = TypeVar("T")
POLL_SECONDS = 0.5
"""Interval (s) of checks for new frames, and for a removed banner."""
_MOST_NAME = 200
_MOST_NAME_IN_BANNER = 60
_HIGHLIGHT = {
    "showInfo": True,
    "showAccessibilityInfo": False,
    "contentColor": {"r": 11, "g": 87, "b": 208, "a": 0.25},
    "borderColor": {"r": 11, "g": 87, "b": 208, "a": 0.8},
}
_POINTING = {"mode": "searchForNode", "highlightConfig": _HIGHLIGHT}
_NOT_POINTING = {"mode": "none", "highlightConfig": {}}
_CANCELLED = (None, 0)


class PickedElement(NamedTuple):
    """The element that the person clicked, and their remark."""

    ref: str
    role: str
    name: str
    remark: str

    @property
    def line(self) -> str:
        """Return the element as snapshots name it: `@e3 [button] "Save"`."""
        return f"{self.ref} [{self.role}]{self._quote_name(_MOST_NAME)}"

    @property
    def banner_name(self) -> str:
        """Return the element as the banner names it: `button "Save"`."""
        return f"{'this' if self.role == 'generic' else self.role}{self._quote_name(_MOST_NAME_IN_BANNER)}"

    def _quote_name(self, most: int) -> str:
        """Return a space and the quoted name, of `most` characters at most; "" without a name."""
        return f" {quote_text(self.name, most)}" if self.name.strip() else ""


class PointedNode(NamedTuple):
    """A node that the person pointed at: context of its frame, id there, and its text."""

    context: ExecutionContext
    node: int
    text: str


async def pick(page: "PageCommand", question: str) -> PickedElement:
    """Ask the person at the tab's window to click an element. Return it with the person's remark.

    Raises ActionFailed if the person gives up, and ProtocolError if the tab is closed.
    """
    page.tab.page.bring_to_front()
    while True:
        try:
            return await _pick_here(page, question)
        except (FrameGone, PageScriptError):
            await asyncio.sleep(POLL_SECONDS)  # the page has navigated, or removed the banner


async def _pick_here(page: "PageCommand", question: str) -> PickedElement:
    """Ask the person in the tab's present document, with a banner that is removed afterwards.

    Raises FrameGone or PageScriptError if the document or the banner has gone.
    """
    banner = PickBanner(await page.world.frames.main_context())
    try:
        await banner.show(question)
        async with _inspector() as inspector:
            return await _pick_in_document(page, banner, inspector)
    finally:
        banner.remove()


async def _pick_in_document(page: "PageCommand", banner: PickBanner, inspector: "Inspector") -> PickedElement:
    """Wait until the person has clicked and confirmed an element. Raises FrameGone, PageScriptError."""
    while True:
        target, backend_id = await _wait_for_click(page, banner, inspector)
        await inspector.stop_pointing_and_highlight(target, backend_id)
        pointed_node = await _find_node(target, backend_id)
        if pointed_node is None:
            continue  # the banner itself, or a node that has gone
        picked = await _name_element(page, pointed_node)
        act, remark = await _wait_while_banner_stays(banner, banner.ask_for_remark(picked.banner_name))
        if act == "cancel":
            raise _cancelled_error()
        if act == "send":
            return picked._replace(remark=remark.strip())


async def _wait_for_click(
    page: "PageCommand", banner: PickBanner, inspector: "Inspector"
) -> tuple[Target, int]:
    """Wait until the person clicks an element. Return the clicked node, as its target and `backendNodeId`.

    Raises ActionFailed if the person gives up.
    """

    async def watch() -> None:
        inspector.start_pointing(page.world.frames.all())

    await watch()
    cancelled = asyncio.ensure_future(banner.wait_until_cancelled())
    pointed = asyncio.ensure_future(inspector.events.get())
    both = asyncio.wait({cancelled, pointed}, return_when=asyncio.FIRST_COMPLETED)
    try:
        await _wait_while_banner_stays(banner, both, watch)
        if cancelled.done():
            cancelled.result()
            raise _cancelled_error()
        target, backend_id = pointed.result()
        if target is None:
            raise _cancelled_error()
        return target, backend_id
    finally:
        cancelled.cancel()
        pointed.cancel()


async def _wait_while_banner_stays(
    banner: PickBanner, answer: Awaitable[T], watch: Callable[[], Awaitable[None]] | None = None
) -> T:
    """Await `answer`; call `watch` every POLL_SECONDS. Raises FrameGone if the page removed the banner."""
    waiting = asyncio.ensure_future(answer)
    try:
        while not (await asyncio.wait({waiting}, timeout=POLL_SECONDS))[0]:
            if not await banner.is_there():
                raise FrameGone("The page has removed the banner")
            if watch:
                await watch()
        return waiting.result()
    finally:
        waiting.cancel()


def _cancelled_error() -> ActionFailed:
    """Return the error for a person who gave up without choosing an element."""
    return ActionFailed("The person gave up without pointing at anything", "Ask in words, or pick again")


async def _find_node(target: Target, backend_id: int) -> PointedNode | None:
    """Return a clicked node with our isolated world of its frame; None if it is in no frame of `target`.

    `backend_id`: the node's `backendNodeId` in `target`.
    """
    for context in list(target.contexts.values()):
        await call_in(context, "completeRoundTrip")
        if node := await closed_roots.resolve_node(context, backend_id):
            answer = await send(
                context,
                "Runtime.callFunctionOn",
                objectId=node,
                functionDeclaration="function() { return __gbrowse.idOf(this); }",
                returnByValue=True,
            )
            closed_roots.release_objects(context)
            found, text = await call_in(context, "findPointedElement", answer["result"]["value"])
            return PointedNode(context, found, text) if found else None
    return None


async def _name_element(page: "PageCommand", pointed_node: PointedNode) -> PickedElement:
    """Return ref, role and name of a clicked node, with an empty remark. Raises FrameGone if it has gone.

    Takes a snapshot first, which finds the frames and closed shadow roots that it may be in.
    """
    await page.tab.refs.take_snapshot()
    [(ref, name)] = await page.tab.refs.refs_and_names(pointed_node.context, [pointed_node.node])
    roles = await call_in(pointed_node.context, "readRolesAndNames", [pointed_node.node])
    if not ref or not roles["nodes"][0]:
        raise FrameGone("The element has gone")
    return PickedElement(ref, roles["nodes"][0][0], name or pointed_node.text, "")


class Inspector:
    """Chromium's inspect mode in every process of a tab.

    `events` has each clicked node with its process; (None, 0) if the inspection was cancelled.
    """

    def __init__(self) -> None:
        self.events: asyncio.Queue[tuple[Target | None, int]] = asyncio.Queue()
        self._watched: dict[str, tuple[Target, Any, Any]] = {}
        self._is_pointing: set[str] = set()

    def start_pointing(self, targets: Sequence[Target]) -> None:
        """Turn on Chromium's inspect mode, in which a click chooses an element, where it is not on already."""
        for target in targets:
            if target.id not in self._watched:
                self._listen(target)
            if target.id not in self._is_pointing:
                self._is_pointing.add(target.id)
                target.session.notify("Overlay.setInspectMode", _POINTING)

    async def stop_pointing_and_highlight(self, target: Target, backend_id: int) -> None:
        """Turn off the inspect mode in all targets, and highlight the clicked node.

        `backend_id`: the node's `backendNodeId` in `target`.
        """
        for watched, *_ in self._watched.values():
            watched.session.notify("Overlay.setInspectMode", _NOT_POINTING)
        self._is_pointing.clear()
        mark = {"highlightConfig": _HIGHLIGHT, "backendNodeId": backend_id}
        target.session.notify("Overlay.highlightNode", mark)

    def close(self) -> None:
        """Turn off the inspect mode in all targets, and the protocol's domains that it needs."""
        for target, requested, cancelled in self._watched.values():
            with suppress(ProtocolError, KeyError, ValueError):
                target.session.off("Overlay.inspectNodeRequested", requested)
                target.session.off("Overlay.inspectModeCanceled", cancelled)
                target.session.notify("Overlay.setInspectMode", _NOT_POINTING)
                target.session.notify("Overlay.disable")
                target.session.notify("DOM.disable")
        self._watched.clear()

    def _listen(self, target: Target) -> None:
        """Subscribe to the clicks and cancellations of Chromium's inspect mode in a target."""
        requested, cancelled = partial(self._on_element_picked, target), self._on_cancelled
        self._watched[target.id] = target, requested, cancelled
        target.session.on("Overlay.inspectNodeRequested", requested)
        target.session.on("Overlay.inspectModeCanceled", cancelled)
        target.session.notify("DOM.enable")
        target.session.notify("Overlay.enable")

    def _on_element_picked(self, target: Target, event: dict[str, Any]) -> None:
        """Handle `Overlay.inspectNodeRequested`: a person has clicked an element."""
        self.events.put_nowait((target, event["backendNodeId"]))

    def _on_cancelled(self, _: object) -> None:
        """Handle `Overlay.inspectModeCanceled`: the person pressed Escape."""
        if self._is_pointing:
            self.events.put_nowait(_CANCELLED)


@asynccontextmanager
async def _inspector() -> AsyncIterator[Inspector]:
    """Yield an `Inspector` for the block, and close it afterwards."""
    inspector = Inspector()
    try:
        yield inspector
    finally:
        inspector.close()
