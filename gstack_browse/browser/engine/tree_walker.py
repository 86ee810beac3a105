"""Walk a tab's documents as one tree: the main frame's, and those of frames it cannot reach itself."""

import asyncio
import itertools
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.cdp.targets import ExecutionContext
from gstack_browse.browser.devtools.page import Frame, Page
from gstack_browse.browser.engine import click_listeners, closed_roots, internals
from gstack_browse.browser.engine.answer_types import Located
from gstack_browse.browser.engine.click_listeners import ClickListeners
from gstack_browse.browser.engine.messages import FrameGone, PageScriptError, call_in
from gstack_browse.browser.engine.world import World
from gstack_browse.snapshot.annotate import Box
from gstack_browse.snapshot.numbers import RefNumbers
from gstack_browse.snapshot.walked import EncodedTree, Walked, decode

_MAX_FRAME_DEPTH = 60
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

    def note_walked(
        self, document: int, context: ExecutionContext, owner: Document | None, owner_node: int
    ) -> Document:
        """Note that a document was walked in that context. Return it."""
        known = self._known.setdefault(document, Document(context, document, owner, owner_node))
        known.context = context
        return known

    def keep_only(self, documents: set[int]) -> None:
        """Forget all documents but these."""
        self._known = {key: document for key, document in self._known.items() if key in documents}

    def forget_frame(self, frame: Frame) -> None:
        """Forget a frame that has gone."""
        self._frames = {key: known for key, known in self._frames.items() if known != frame}

    async def context_of(self, document: Document) -> ExecutionContext:
        """Return the execution context of the engine in a document.

        That of the main frame is looked up anew: after "back" a page may show an earlier document again.
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
                boxes = await call_in(context, "boxesOutOfFrame", document.owner_node, boxes)
                document = owner
        except FrameGone:
            return [None] * len(nodes)
        return [(box[0], box[1], box[2], box[3]) if box else None for box in boxes]


@dataclass(frozen=True, slots=True)
class WalkOptions:
    """Options of a walk, and how many frames above it were walked one by one."""

    clickable: bool = False
    scope: int = 0
    addresses: bool = False
    depth: int = 0

    def options(self) -> dict[str, Any]:
        """Return the options of the engine's `walkPage`."""
        return {"clickable": self.clickable, "scope": self.scope, "addresses": self.addresses}

    def without_clickables(self) -> "WalkOptions":
        """Return the options without clickable elements."""
        return replace(self, clickable=False)

    def one_deeper(self) -> "WalkOptions":
        """Return the options for a document inside of this one."""
        return replace(self, depth=self.depth + 1)


class TreeWalker:
    """Walks what a tab shows. `documents` and `numbers` learn of each document."""

    def __init__(self, world: World, documents: Documents, numbers: RefNumbers) -> None:
        self.last: EncodedTree | None = None
        """The last snapshot, whose unchanged parts the next one has in common."""
        self.shown = 0
        """Id of the main frame's document when it was last walked; 0 for never."""
        self._world = world
        self._documents = documents
        self._numbers = numbers
        self._heard = ClickListeners()
        self._scopes = itertools.count(1)

    def expect_change(self) -> None:
        """Note that something was done in the tab: the next walk is likely to find another tree."""
        self._heard.expects_change = True

    async def walk_all(self, walk_options: WalkOptions) -> Walked:
        """Return the tree of everything that the tab shows."""
        walked = await self._walk(await self._world.frames.main_context(), None, 0, walk_options)
        walked.tree.kept = walked.kept
        self.shown = walked.document
        self._numbers.record_shown_documents(walked.last)
        self._documents.keep_only(walked.last.keys() | self._numbers.documents)
        self._heard.expects_change = False
        await self._release_collected(walked.last)
        return walked

    async def _walk(
        self, context: ExecutionContext, owner: Document | None, owner_node: int, walk_options: WalkOptions
    ) -> Walked:
        """Walk a document that can be reached directly, and graft in the trees of frames that cannot."""
        walked = await self._walk_document(context, walk_options)
        document = self._documents.note_walked(walked.document, context, owner, owner_node)
        for index in range(len(walked.tree.remotes)):
            child = await self._walk_child(
                document, walked.tree.remotes[index].node_id, walk_options.one_deeper()
            )
            if child:
                walked.graft(index, child)
        return walked

    async def _walk_document(self, context: ExecutionContext, walk_options: WalkOptions) -> Walked:
        """Return the tree of one document, with the parts that only the protocol can see."""
        if (
            not walk_options.clickable
        ):  # behind the walk, which is sent before this is called, and in the same writing
            asyncio.get_running_loop().call_soon(self._heard.send_with_walk, context)
        walked = await self._walk_once(context, walk_options.without_clickables())
        if walked.suspects and await closed_roots.open_closed_roots(context):
            walked = await self._walk_again(context, walk_options)
        if walked.customs and await internals.send_internals(context):
            walked = await self._walk_again(context, walk_options)
        if walk_options.clickable:
            unseen = await closed_roots.mark_listeners(context)
            await click_listeners.mark_delegated(
                context,
                walk_options.without_clickables().options(),
                has_trees_inside=bool(walked.trees),
                milliseconds=click_listeners.ASKED_MILLISECONDS,
            )
            walked = await self._walk_once(context, walk_options)
            walked.record_unexamined_listeners(unseen)
        else:
            walked = await self._walk_with_listeners(context, walked, walk_options)
        return walked

    async def _walk_with_listeners(
        self, context: ExecutionContext, walked: Walked, walk_options: WalkOptions
    ) -> Walked:
        """Walk again if elements listen for clicks that the engine did not know. Return the last walk."""
        try:
            return await self._heard.complete(context, walked, walk_options.options(), self._read)
        except (ProtocolError, PageScriptError):
            return await self._walk_once(context, walk_options)  # says what has become of the document

    async def _walk_again(self, context: ExecutionContext, walk_options: WalkOptions) -> Walked:
        """Walk again, without the request that was sent with the last walk."""
        self._heard.discard_request(context)
        return await self._walk_once(context, walk_options.without_clickables())

    async def _walk_once(self, context: ExecutionContext, walk_options: WalkOptions) -> Walked:
        """Walk the tree of one document in its context; no second try."""
        return self._read(await call_in(context, "walkPage", walk_options.options()))

    def _read(self, told: str) -> Walked:
        """Decode the answer of a walk."""
        walked = decode(told, self._numbers)
        walked.reuse_last_print(self.last)
        return walked

    async def _walk_child(self, document: Document, node: int, walk_options: WalkOptions) -> Walked | None:
        """Return the tree of a frame in another process or of another origin; None while it loads."""
        if walk_options.depth > _MAX_FRAME_DEPTH:
            return None
        try:
            context = await self._world.frames.child_context(document.context, node)
            if context is None:
                return None
            return await self._walk(context, document, node, walk_options)
        except FrameGone:
            return None

    async def _release_collected(self, documents: Iterable[int]) -> None:
        """Release garbage-collected nodes now and then: a list that is always redrawn must not fill memory."""
        for key in documents:
            suspects, document = self._numbers.find_stale_candidates(key), self._documents.get(key)
            if suspects and document:
                gone = await call_in(document.context, "collectedIds", suspects)
                self._numbers.forget(key, gone)

    async def point_at(self, frame: Frame, node: int) -> int:
        """Point the engine at the element to take a snapshot of. Return the key it is kept under."""
        key = next(self._scopes)
        await self._world.call("rememberScope", node, key, frame=frame)
        return key
