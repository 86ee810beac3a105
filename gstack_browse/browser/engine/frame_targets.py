"""Finds the processes of a page's frames, and the isolated world of each frame's current document.

Questions to a document are in `messages.py`.
"""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from weakref import WeakKeyDictionary, WeakSet

import orjson

from gstack_browse.browser.cdp import contexts
from gstack_browse.browser.cdp.connection import Connection
from gstack_browse.browser.cdp.driver_types import CDPSession, Frame, Page
from gstack_browse.browser.cdp.errors import ProtocolError
from gstack_browse.browser.cdp.handlers import cache_signature
from gstack_browse.browser.cdp.playwright_internals import OWN_WORLD, name_of
from gstack_browse.browser.cdp.session import Session, consume_exception
from gstack_browse.browser.cdp.targets import ExecutionContext, Target
from gstack_browse.browser.engine.bundle import ENGINE_NAME
from gstack_browse.browser.engine.messages import FrameGone, NoDocument, evaluate, send

_UNATTACHED = "The page has not been attached to"
_SET_MEDIA = "Emulation.setEmulatedMedia"
_WHO = f"{ENGINE_NAME}=who"
_LONGEST = 60_000.0
"""Milliseconds after which Playwright gives up an abandoned search for a label."""
_PARENTS_ANSWERS = 100
"""Answers of a frame's parent after which the frame counts as silent: a fifth of a second on a quiet machine."""


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
        """Attach to the page, unless that is done. Cheap (a few ms); the first call does it."""
        async with self._opening:
            if self.main is None:
                self.main = await self._page_target()

    def begin(self, target: Target, until_adopted: Callable[[], Awaitable[None]]) -> None:
        """Use a target that is attached to already. Playwright has the page once `until_adopted` returns."""
        self.main = target
        self._until_adopted = until_adopted

    def adopt(self, page: Page) -> None:
        """Use Playwright's page."""
        self._page = page
        self._main_frame = page.main_frame
        self._follow(page)

    async def until_adopted(self) -> None:
        """Wait until Playwright has the page.

        Playwright then knows the page's frames, and which of them have processes of their own.
        """
        if self._until_adopted:
            await self._until_adopted()

    async def close(self) -> None:
        """Detach from the page, which may be dead already."""
        for target in self.all():
            await _detach(target.session)
        self.main = None
        self._others.clear()

    def set_media(self, media: str) -> None:
        """Set a CSS media type for the page and its frames in other processes; "" for none."""
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
        """The page's id; "" while it is not known."""
        known = self.main or self._connection.find_page(name_of(self._page))
        return known.id if known else ""

    def all(self) -> list[Target]:
        """Return the targets that are attached to."""
        return [target for target in (self.main, *self._others.values()) if target]

    async def attached(self) -> list[Target]:
        """Attach to the page, and to its frames that have processes of their own. Return their targets.

        Raises ProtocolError.
        """
        await self.open()
        await self._attach_all()
        return self.all()

    def known(self, frame: Frame | None) -> ExecutionContext | None:
        """Return the context of the main frame if it is known already, as it mostly is."""
        if self.main is None or (frame is not None and frame != self._main_frame):
            return None
        return self.main.contexts.get(self.main.id)

    async def main_context(self) -> ExecutionContext:
        """Return the context of the main frame's current document."""
        await self.open()
        return await self.root_of(self.target)

    async def context_of(self, frame: Frame | None) -> ExecutionContext:
        """Return the context of a frame's current document. Raises FrameGone."""
        if frame is None or frame == self._main_frame:
            return await self.main_context()
        await self.open()
        known = self._frame_ids.get(frame)
        context = await self._find(known) if known else None
        if context is None:
            context = await self._identify(frame)
        return context

    async def root_of(self, target: Target) -> ExecutionContext:
        """Return the context of a target's own current document. Raises FrameGone."""
        for _ in range(3):
            if target.id in target.contexts:
                return target.contexts[target.id]
            if target is self.main and self._until_adopted:
                await self._make_world(target)
            else:
                await target.ping()
        raise NoDocument

    async def _make_world(self, target: Target) -> None:
        """Make our isolated world in a document that has none: the blank one of a page that we made ourselves."""
        await target.session.send(
            "Page.createIsolatedWorld",
            {"frameId": target.id, "worldName": OWN_WORLD, "grantUniveralAccess": True},
        )

    async def child(self, parent: ExecutionContext, node_id: int) -> ExecutionContext | None:
        """Return the context of the document in an iframe that its parent's scripts cannot reach.

        None if it is not there yet.
        """
        frame_id = await self._frame_id(parent, node_id)
        if frame_id is None:
            return None
        return await self._find(frame_id)

    async def _identify(self, frame: Frame) -> ExecutionContext:
        """Return the context of a Playwright frame: by its own session, or by a label that its world repeats."""
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
        """Return the id that a frame's world was told; None if the frame does not answer.

        A frame without a document does not. Its parent, in the same process, is asked meanwhile: a slow machine is slow for both.
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
        """Return the CDP id of the frame that an iframe element shows."""
        owner = await evaluate(parent, f"__gbrowse.nodeFor({node_id})", group=ENGINE_NAME)
        if "objectId" not in owner:
            return None
        described = await send(parent, "DOM.describeNode", objectId=owner["objectId"])
        await send(parent, "Runtime.releaseObjectGroup", objectGroup=ENGINE_NAME)
        frame_id: str | None = described["node"].get("frameId")
        return frame_id

    async def _find(self, frame_id: str) -> ExecutionContext | None:
        """Find the context of a frame: in a process that we know, else in one that we attach to."""
        known = self._in_known(frame_id)
        if known:
            return known
        await self._attach_all()
        if frame_id in self._others:
            return await self.root_of(self._others[frame_id])
        await self._know_contexts(frame_id)
        return self._in_known(frame_id)

    async def _know_contexts(self, only: str = "") -> None:
        """Learn the contexts of all frames, or of one if it is not known."""
        for target in self.all():
            await target.ping()
        if not (only and self._in_known(only)):
            await asyncio.gather(*(contexts.make_contexts(target, only) for target in self.all()))

    async def open_to_playwright(self) -> None:
        """Make script contexts in each frame's document: Playwright waits for these. Raises ProtocolError."""
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
        """Return the target of a frame that has a process of its own, attached to once; None for other frames."""
        if frame in self._without_session:
            return None
        known = self._frame_ids.get(frame)
        if known in self._others:
            return self._others[known]
        try:
            target = await self._target(await self._page.context.new_cdp_session(frame))
        except ProtocolError:
            self._without_session.add(frame)
            return None
        self._frame_ids[frame] = target.id
        self._others[target.id] = target
        if self._media:  # Chromium forgets the media type of a frame with each session that ends
            target.session.notify(_SET_MEDIA, {"media": self._media})
        target.session.on("close", partial(self._left, target))
        return target

    async def _page_target(self) -> Target:
        """Return the page's target, with a session of our own."""
        if named := self._connection.find_page(name_of(self._page)):
            return await self._connection.attach(named.id)
        return await self._target(await self._page.context.new_cdp_session(self._page))

    async def _target(self, playwrights: CDPSession) -> Target:
        """Return the target of a session of Playwright's, and replace that session by one of our own."""
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
    except ProtocolError:
        return  # already gone with its page
