"""The documents of one tab that have ids of their own, and the frames that show them.

A document here is one that the engine walks in one go, with all the frames it can reach: they share its table of ids.
Frames of another origin or process are documents by themselves, owned by the iframe that shows them.
"""

from dataclasses import dataclass

from gstack_browse.browser.cdp.targets import ExecutionContext
from gstack_browse.browser.devtools.frame import Frame
from gstack_browse.browser.devtools.page import Page
from gstack_browse.browser.engine.answers import Located
from gstack_browse.browser.engine.messages import FrameGone, call_in
from gstack_browse.browser.engine.world import World
from gstack_browse.snapshot.annotate import Box

_GONE = "The frame is gone"


@dataclass(slots=True)
class Document:
    """A document with its own node ids, and the iframe of another document that shows it."""

    context: ExecutionContext
    id: int
    owner: "Document | None" = None
    owner_node: int = 0

    @property
    def root(self) -> "Document":
        """The main frame's document that contains it, however deep."""
        return self.owner.root if self.owner else self


class Documents:
    """The documents of one page by their ids, and its frames by the nodes that show them."""

    def __init__(self, page: Page, world: World) -> None:
        self._page = page
        self._world = world
        self._known: dict[int, Document] = {}
        self._frames: dict[int, Frame] = {}

    def get(self, document: int) -> Document | None:
        """Return the document with that id, if it is known."""
        return self._known.get(document)

    def met(
        self, document: int, context: ExecutionContext, owner: Document | None, owner_node: int
    ) -> Document:
        """Note that a document was walked in that context. Return it."""
        known = self._known.setdefault(document, Document(context, document, owner, owner_node))
        known.context = context
        return known

    def keep(self, documents: set[int]) -> None:
        """Forget all documents but these."""
        self._known = {key: document for key, document in self._known.items() if key in documents}

    def forget_frame(self, frame: Frame) -> None:
        """Forget a frame that has gone."""
        self._frames = {key: known for key, known in self._frames.items() if known != frame}

    async def context_of(self, document: Document) -> ExecutionContext:
        """Return the context to ask about a document.

        For the main frame it is looked up: a page may show again a document that another one had replaced.
        """
        return document.context if document.owner else await self._world.frames.main_context()

    async def locate(self, document: Document, node: int) -> Located | None:
        """Return role, name and place of a node; None if it is gone."""
        found: Located | None = await call_in(await self.context_of(document), "locate", node)
        return found

    async def frame_of(self, document: Document, found: Located) -> Frame:
        """Return the frame of a node that `locate` has found. Raises FrameGone."""
        inner = found["frames"]
        if document.owner is None and not inner:
            return self._page.main_frame
        key = inner[-1] if inner else document.owner_node
        known = self._frames.get(key)
        if known and not known.is_detached():
            return known
        context = await self.context_of(document)
        if inner:
            frame = await self._world.frames.shown_by(context, inner[-1])
        else:
            frame = self._page.frame(context.frame_id)
        if frame is None:
            raise FrameGone(_GONE)
        self._frames[key] = frame
        return frame

    async def boxes(self, document: Document, nodes: list[int]) -> list[Box | None]:
        """Return the boxes of nodes in the tab's viewport, in CSS pixels; None for nodes that cannot be seen."""
        try:
            boxes = await call_in(await self.context_of(document), "boxes", nodes)
            while owner := document.owner:
                context = await self.context_of(owner)
                boxes = await call_in(context, "throughFrame", document.owner_node, boxes)
                document = owner
        except FrameGone:
            return [None] * len(nodes)
        return [(box[0], box[1], box[2], box[3]) if box else None for box in boxes]
