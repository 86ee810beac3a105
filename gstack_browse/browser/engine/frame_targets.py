"""Which frame is where: the processes that a page's frames live in, and the isolated world of each frame's document of now.

What is asked there is in `messages.py`.
"""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from weakref import WeakKeyDictionary, WeakSet

import orjson

from gstack_browse.browser.cdp import contexts
from gstack_browse.browser.cdp.connection import Connection
from gstack_browse.browser.cdp.handlers import cache_signature
from gstack_browse.browser.cdp.playwright_internals import OWN_WORLD, name_of
from gstack_browse.browser.cdp.playwright_names import CDPSession, Error, Frame, Page
from gstack_browse.browser.cdp.session import Session, consume_exception
from gstack_browse.browser.cdp.targets import ExecutionContext, Target
from gstack_browse.browser.engine.bundle import ENGINE_NAME
from gstack_browse.browser.engine.messages import FrameGone, NoDocument, evaluate, send

_UNATTACHED = "The page has not been attached to"
_SET_MEDIA = "Emulation.setEmulatedMedia"
_WHO = f"{ENGINE_NAME}=who"
_LONGEST = 60_000.0
"""Milliseconds after which Playwright stops to look for a label that nobody waits for any more."""
_PARENTS_ANSWERS = 100
"""How often a frame's parent has to answer before no answer of the frame is expected any more: a fifth of a second, if nothing is slow."""


class FrameTargets:
    """The target of one Playwright page, and those of its frames that have processes of their own."""

    def __init__(self, page: Page, connection: Connection) -> None:
        self.main: Target | None = None
        """The page, once it has been attached to."""
        self._page = page
        self._connection = connection
        self._main_frame = page.main_frame
        self._others: dict[str, Target] = {}
        self._frame_ids: WeakKeyDictionary[Frame, str] = WeakKeyDictionary()
        self._without_session: WeakSet[Frame] = WeakSet()
        self._opening = asyncio.Lock()
        self._until_adopted: Callable[[], Awaitable[None]] | None = None
        self._media = ""
        self._follow(page)

    def _follow(self, page: Page) -> None:
        page.on("framenavigated", cache_signature(lambda frame: self._without_session.discard(frame)))

    async def open(self) -> None:
        """Attach to the page. Cheap (a few ms), and done by the first call if nobody did it before."""
        async with self._opening:
            if self.main is None:
                self.main = await self._page_target()

    def begin(self, target: Target, until_adopted: Callable[[], Awaitable[None]]) -> None:
        """The page is that target, which somebody has attached to, and is Playwright's once `until_adopted` returns."""
        self.main = target
        self._until_adopted = until_adopted

    def adopt(self, page: Page) -> None:
        """Playwright has the page."""
        self._page = page
        self._main_frame = page.main_frame
        self._follow(page)

    async def until_adopted(self) -> None:
        """Wait until Playwright has the page, which tells what frames there are, and which of them have processes of their own."""
        if self._until_adopted:
            await self._until_adopted()

    async def close(self) -> None:
        """Let go of the page; it does not have to be alive any more."""
        for target in self.all():
            await _detach(target.session)
        self.main = None
        self._others.clear()

    def set_media(self, media: str) -> None:
        """Have the page and its frames in other processes follow a CSS media type; "" for none."""
        self._media = media
        for target in self.all():
            target.session.notify(_SET_MEDIA, {"media": media})  # a page that hangs is told, too

    @property
    def is_open(self) -> bool:
        """Whether the page has been attached to: `open` has run, and `close` has not."""
        return self.main is not None

    @property
    def target(self) -> Target:
        """The page; `open` must have run."""
        if self.main is None:
            raise FrameGone(_UNATTACHED)
        return self.main

    @property
    def id(self) -> str:
        """The page's id; "" where that has not been heard yet."""
        known = self.main or self._connection.find_page(name_of(self._page))
        return known.id if known else ""

    def all(self) -> list[Target]:
        """Those that are attached to."""
        return [target for target in (self.main, *self._others.values()) if target]

    async def attached(self) -> list[Target]:
        """The page, and its frames that have processes of their own; attached to. Raises Playwright's Error."""
        await self.open()
        await self._attach_all()
        return self.all()

    def known(self, frame: Frame | None) -> ExecutionContext | None:
        """The context of the main frame where it is known already, as it mostly is."""
        if self.main is None or (frame is not None and frame != self._main_frame):
            return None
        return self.main.contexts.get(self.main.id)

    async def main_context(self) -> ExecutionContext:
        """The context of the main frame's document of now."""
        await self.open()
        return await self.root_of(self.target)

    async def context_of(self, frame: Frame | None) -> ExecutionContext:
        """The context of a frame's document of now. Raises FrameGone."""
        if frame is None or frame == self._main_frame:
            return await self.main_context()
        await self.open()
        known = self._frame_ids.get(frame)
        context = await self._find(known) if known else None
        if context is None:
            context = await self._identify(frame)
        return context

    async def root_of(self, target: Target) -> ExecutionContext:
        """The context of a target's own document of now. Raises FrameGone."""
        for _ in range(3):
            if target.id in target.contexts:
                return target.contexts[target.id]
            if target is self.main and self._until_adopted:
                await self._make_world(target)
            else:
                await target.ping()
        raise NoDocument

    async def _make_world(self, target: Target) -> None:
        """Have our isolated world in a document that came before anybody had asked for one: the blank one of a page that we made ourselves."""
        await target.session.send(
            "Page.createIsolatedWorld",
            {"frameId": target.id, "worldName": OWN_WORLD, "grantUniveralAccess": True},
        )

    async def child(self, parent: ExecutionContext, node_id: int) -> ExecutionContext | None:
        """The context of the document in an iframe that its parent's scripts cannot reach, or None (not there yet)."""
        frame_id = await self._frame_id(parent, node_id)
        if frame_id is None:
            return None
        return await self._find(frame_id)

    async def _identify(self, frame: Frame) -> ExecutionContext:
        """Which CDP frame a Playwright frame is: its own session says so, or a label that its world repeats."""
        target = await self._attach(frame)
        if target:
            self._frame_ids[frame] = target.id
            return await self.root_of(target)
        await self._label_all()
        frame_id = await self._label(frame)
        context = await self._find(frame_id) if frame_id else None
        if context is None:
            raise NoDocument
        self._frame_ids[frame] = context.frame_id
        return context

    async def _label(self, frame: Frame) -> str | None:
        """The id that a frame's world was told; None where the frame has no document, and so does not answer.

        That is so where its parent, which is in the same process, answers again and again meanwhile. A slow machine is slow for both.
        """
        asked = asyncio.ensure_future(frame.locator(_WHO).get_attribute("id", timeout=_LONGEST))
        asked.add_done_callback(consume_exception)
        try:
            for _ in range(_PARENTS_ANSWERS):
                parent = frame.parent_frame or self._page.main_frame
                answer = asyncio.ensure_future(parent.locator(_WHO).get_attribute("id", timeout=_LONGEST))
                answer.add_done_callback(consume_exception)
                await asyncio.wait([asked, answer], return_when=asyncio.FIRST_COMPLETED)
                if asked.done():
                    return asked.result()
        finally:
            asked.cancel()
        return None

    async def _label_all(self) -> None:
        """Tell each frame's world its id, so that a locator can read it there."""
        await self._know_contexts()
        known = [context for target in self.all() for context in target.contexts.values()]
        labels = (
            evaluate(context, f"globalThis.__gbrowseFrame={orjson.dumps(context.frame_id).decode()}")
            for context in known
        )
        await asyncio.gather(*labels, return_exceptions=True)

    async def _frame_id(self, parent: ExecutionContext, node_id: int) -> str | None:
        """The CDP id of the frame that an iframe element shows."""
        owner = await evaluate(parent, f"__gbrowse.nodeFor({node_id})", group=ENGINE_NAME)
        if "objectId" not in owner:
            return None
        described = await send(parent, "DOM.describeNode", objectId=owner["objectId"])
        await send(parent, "Runtime.releaseObjectGroup", objectGroup=ENGINE_NAME)
        frame_id: str | None = described["node"].get("frameId")
        return frame_id

    async def _find(self, frame_id: str) -> ExecutionContext | None:
        """The context of a frame: in a process that we know, else in one that we have not attached to yet."""
        known = self._in_known(frame_id)
        if known:
            return known
        await self._attach_all()
        if frame_id in self._others:
            return await self.root_of(self._others[frame_id])
        await self._know_contexts(frame_id)
        return self._in_known(frame_id)

    async def _know_contexts(self, only: str = "") -> None:
        """Know of the contexts of all frames, or of one that is not known."""
        for target in self.all():
            await target.ping()
        if not (only and self._in_known(only)):
            await asyncio.gather(*(contexts.make_contexts(target, only) for target in self.all()))

    async def open_to_playwright(self) -> None:
        """Let each frame's document have contexts of scripts: Playwright waits for these wherever it goes in. Raises its Error."""
        if self.main and not self.main.has_all_contexts and self._connection.targets.lacks_contexts(self.main):
            await contexts.make_contexts(self.main)

    def _in_known(self, frame_id: str) -> ExecutionContext | None:
        for target in self.all():
            if frame_id in target.contexts:
                return target.contexts[frame_id]
        return None

    async def _attach_all(self) -> None:
        await self.until_adopted()
        await self._connection.wait_for_playwright(self.main.browser_context if self.main else "")
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
        if self._media:  # Chromium forgets the media type of a frame with each session that ends
            target.session.notify(_SET_MEDIA, {"media": self._media})
        target.session.on("close", partial(self._left, target))
        return target

    async def _page_target(self) -> Target:
        """The page's target, with a session of our own."""
        if named := self._connection.find_page(name_of(self._page)):
            return await self._connection.attach(named.id)
        return await self._target(await self._page.context.new_cdp_session(self._page))

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
