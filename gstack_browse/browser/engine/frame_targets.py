"""Finds the isolated world of each frame's current document.

Questions to a document are in `messages.py`.
"""

from gstack_browse.browser.cdp.connection import Connection
from gstack_browse.browser.cdp.errors import ProtocolError
from gstack_browse.browser.cdp.targets import ExecutionContext, Target
from gstack_browse.browser.cdp.world_name import WORLD
from gstack_browse.browser.devtools.frame import Frame
from gstack_browse.browser.devtools.page import Page
from gstack_browse.browser.engine.bundle import ENGINE_NAME
from gstack_browse.browser.engine.messages import FrameGone, NoDocument, evaluate, send


class FrameTargets:
    """The target of one page, and those of its frames that have processes of their own."""

    def __init__(self, page: Page, connection: Connection) -> None:
        self._page = page
        self._connection = connection

    @property
    def target(self) -> Target:
        """The page."""
        return self._page.target

    def all(self) -> list[Target]:
        """Return the page, and its frames that have processes of their own."""
        return [
            target
            for target in self._connection.targets
            if target.page == self.target.id and target.has_documents
        ]

    def known(self, frame: Frame | None) -> ExecutionContext | None:
        """Return the context of a frame if it is known already, as it mostly is."""
        if frame is None:
            return self.target.contexts.get(self.target.id)
        return frame.target.contexts.get(frame.id)

    async def main_context(self) -> ExecutionContext:
        """Return the context of the main frame's current document."""
        return await self.context_of(self._page.main_frame)

    async def root_of(self, target: Target) -> ExecutionContext:
        """Return the context of a target's own current document. Raises FrameGone."""
        return await self._context_in(target, target.id)

    async def context_of(self, frame: Frame | None) -> ExecutionContext:
        """Return the context of a frame's current document. Raises FrameGone."""
        frame = frame or self._page.main_frame
        if frame.is_detached():
            raise FrameGone("The frame has gone")
        return await self._context_in(frame.target, frame.id)

    async def child(self, parent: ExecutionContext, node_id: int) -> ExecutionContext | None:
        """Return the context of the document in an iframe that its parent's scripts cannot reach.

        None if it is not there yet.
        """
        frame = await self.shown_by(parent, node_id)
        if frame is None:
            return None
        try:
            return await self.context_of(frame)
        except FrameGone:
            return None

    async def shown_by(self, parent: ExecutionContext, node_id: int) -> Frame | None:
        """Return the frame that an element shows; None if it shows none.

        Raises FrameGone if there is no such element, or ProtocolError.
        """
        owner = await evaluate(parent, f"__gbrowse.nodeFor({node_id})", group=ENGINE_NAME)
        if "objectId" not in owner:
            return None
        described = await send(parent, "DOM.describeNode", objectId=owner["objectId"])
        parent.target.session.notify("Runtime.releaseObjectGroup", {"objectGroup": ENGINE_NAME})
        return self._page.frame(described["node"].get("frameId", ""))

    async def _context_in(self, target: Target, frame_id: str) -> ExecutionContext:
        """Return the context of a frame's document, and make our world there if it has none.

        Chromium makes it in each new document, but not in the blank one that a page or a frame begins with.
        """
        if (known := target.contexts.get(frame_id)) is None:
            await target.ping()  # Chromium may have told of it by then
            known = target.contexts.get(frame_id)
        if known is None:
            await self._make_world(target, frame_id)
            known = target.contexts.get(frame_id)
        if known is None:
            raise NoDocument
        return known

    async def _make_world(self, target: Target, frame_id: str) -> None:
        wanted = {"frameId": frame_id, "worldName": WORLD, "grantUniveralAccess": True}
        try:
            await target.session.send("Page.createIsolatedWorld", wanted)
        except ProtocolError as error:
            if "No frame" in error.message:
                raise FrameGone(error.message) from None
            raise
