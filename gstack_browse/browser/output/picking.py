"""A person points at an element in their window: Chromium's own inspector watches for that, so that the page sees no pointer and no click."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from gstack_browse.browser.cdp.playwright_names import Error as PlaywrightError
from gstack_browse.browser.cdp.targets import ExecutionContext, Target
from gstack_browse.browser.engine import closed_roots
from gstack_browse.browser.engine.messages import FrameGone, PageScriptError, call_in, send
from gstack_browse.browser.output.pick_banner import PickBanner
from gstack_browse.errors import ActionFailed
from gstack_browse.text.sanitise import quote_text

if TYPE_CHECKING:
    from gstack_browse.browser.tabs.page import PageSession

T = TypeVar("T")
LOOK_SECONDS = 0.5
"""How often it is looked whether there are new frames, and whether the page has taken the banner away."""
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


class Picked(NamedTuple):
    """What the person has pointed at, and their words."""

    ref: str
    role: str
    name: str
    words: str

    @property
    def line(self) -> str:
        """As snapshots name it: `@e3 [button] "Save"`."""
        return f"{self.ref} [{self.role}]{self._named(_MOST_NAME)}"

    @property
    def for_person(self) -> str:
        """As the banner names it: `button "Save"`."""
        return f"{'this' if self.role == 'generic' else self.role}{self._named(_MOST_NAME_IN_BANNER)}"

    def _named(self, most: int) -> str:
        return f" {quote_text(self.name, most)}" if self.name.strip() else ""


class Meant(NamedTuple):
    """The element that the person means: the frame's context and the node's id there, and what is written in it."""

    context: ExecutionContext
    node: int
    text: str


async def pick(page: "PageSession", question: str) -> Picked:
    """Ask the person in the tab's window. Raises ActionFailed when they give up, and Playwright's Error when the tab is closed."""
    await page.tab.page.bring_to_front()
    while True:
        try:
            return await _pick_here(page, question)
        except (FrameGone, PageScriptError):
            await asyncio.sleep(LOOK_SECONDS)  # the page has navigated, or removed the banner


async def _pick_here(page: "PageSession", question: str) -> Picked:
    """Ask in the document of now, and leave it as it was. Raises FrameGone, PageScriptError."""
    banner = PickBanner(await page.world.frames.main_context())
    try:
        await banner.show(question)
        async with _inspector(page) as inspector:
            return await _asked(page, banner, inspector)
    finally:
        await banner.remove()


async def _asked(page: "PageSession", banner: PickBanner, inspector: "Inspector") -> Picked:
    """What the person picks in the document of now. Raises FrameGone where the banner has gone with it, or the page has removed that."""
    while True:
        target, backend_id = await _pointed_at(page, banner, inspector)
        await inspector.rest(target, backend_id)
        meant = await _meant(page, target, backend_id)
        if meant is None:
            continue  # the banner itself, or gone meanwhile
        picked = await _named(page, meant)
        act, words = await _while_there(banner, banner.words(picked.for_person))
        if act == "cancel":
            raise _gave_up()
        if act == "send":
            return picked._replace(words=words.strip())


async def _pointed_at(page: "PageSession", banner: PickBanner, inspector: "Inspector") -> tuple[Target, int]:
    """Wait for the person to click. Raises ActionFailed when they give up."""

    async def watch() -> None:
        inspector.watch(await page.world.frames.attached())

    await watch()
    given_up = asyncio.ensure_future(banner.given_up())
    pointed = asyncio.ensure_future(inspector.events.get())
    both = asyncio.wait({given_up, pointed}, return_when=asyncio.FIRST_COMPLETED)
    try:
        await _while_there(banner, both, watch)
        if given_up.done():
            given_up.result()
            raise _gave_up()
        target, backend_id = pointed.result()
        if target is None:
            raise _gave_up()
        return target, backend_id
    finally:
        given_up.cancel()
        pointed.cancel()


async def _while_there(
    banner: PickBanner, answer: Awaitable[T], watch: Callable[[], Awaitable[None]] | None = None
) -> T:
    """Wait for the person as long as the banner is there, and `watch` now and then. Raises FrameGone when the page has removed it."""
    waiting = asyncio.ensure_future(answer)
    try:
        while not (await asyncio.wait({waiting}, timeout=LOOK_SECONDS))[0]:
            if not await banner.is_there():
                raise FrameGone("The page has removed the banner")
            if watch:
                await watch()
        return waiting.result()
    finally:
        waiting.cancel()


def _gave_up() -> ActionFailed:
    return ActionFailed("The person gave up without pointing at anything", "Ask in words, or pick again")


async def _meant(page: "PageSession", target: Target, backend_id: int) -> Meant | None:
    """The element, in the world of its frame; None for what belongs to no frame of the page's."""
    for context in list(target.contexts.values()):
        await call_in(context, "tick")
        if node := await closed_roots.resolve(context, backend_id):
            answer = await send(
                context,
                "Runtime.callFunctionOn",
                objectId=node,
                functionDeclaration="function() { return __gbrowse.idOf(this); }",
                returnByValue=True,
            )
            closed_roots.release(context)
            found, text = await call_in(context, "pointedAt", answer["result"]["value"])
            return Meant(context, found, text) if found else None
    return None


async def _named(page: "PageSession", meant: Meant) -> Picked:
    """Ref, role and name. A walk first: it meets the frames and the closed roots that the element may be in."""
    await page.tab.refs.take()
    [(ref, name)] = await page.tab.refs.named_in(meant.context, [meant.node])
    told = await call_in(meant.context, "rolesAndNames", [meant.node])
    if not ref or not told["said"][0]:
        raise FrameGone("The element has gone")
    return Picked(ref, told["said"][0][0], name or meant.text, "")


class Inspector:
    """Chromium's inspector in every process of a tab. `events` has what was clicked: the process and the node; or that it was ended."""

    def __init__(self) -> None:
        self.events: asyncio.Queue[tuple[Target | None, int]] = asyncio.Queue()
        self._watched: dict[str, tuple[Target, Any, Any]] = {}
        self._is_pointing: set[str] = set()

    def watch(self, targets: Sequence[Target]) -> None:
        """Have the person point, in these and no others. Cheap where they do already."""
        for target in targets:
            if target.id not in self._watched:
                self._listen(target)
            if target.id not in self._is_pointing:
                self._is_pointing.add(target.id)
                target.session.notify("Overlay.setInspectMode", _POINTING)

    async def rest(self, target: Target, backend_id: int) -> None:
        """Let go of the pointer; what was clicked stays marked."""
        for watched, *_ in self._watched.values():
            watched.session.notify("Overlay.setInspectMode", _NOT_POINTING)
        self._is_pointing.clear()
        mark = {"highlightConfig": _HIGHLIGHT, "backendNodeId": backend_id}
        target.session.notify("Overlay.highlightNode", mark)

    def end(self) -> None:
        """Leave every process as it was."""
        for target, requested, cancelled in self._watched.values():
            with suppress(PlaywrightError, KeyError, ValueError):
                target.session.off("Overlay.inspectNodeRequested", requested)
                target.session.off("Overlay.inspectModeCanceled", cancelled)
                target.session.notify("Overlay.setInspectMode", _NOT_POINTING)
                target.session.notify("Overlay.disable")
                target.session.notify("DOM.disable")
        self._watched.clear()

    def _listen(self, target: Target) -> None:
        requested, cancelled = partial(self._requested, target), self._cancelled
        self._watched[target.id] = target, requested, cancelled
        target.session.on("Overlay.inspectNodeRequested", requested)
        target.session.on("Overlay.inspectModeCanceled", cancelled)
        target.session.notify("DOM.enable")
        target.session.notify("Overlay.enable")

    def _requested(self, target: Target, event: dict[str, Any]) -> None:
        self.events.put_nowait((target, event["backendNodeId"]))

    def _cancelled(self, _: object) -> None:
        if self._is_pointing:
            self.events.put_nowait(_CANCELLED)


@asynccontextmanager
async def _inspector(page: "PageSession") -> AsyncIterator[Inspector]:
    inspector = Inspector()
    try:
        yield inspector
    finally:
        inspector.end()
