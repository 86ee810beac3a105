"""Build one snapshot tree of all documents of a tab, frames of other processes and origins included."""

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
    """A document that the engine walks by itself, and its iframe.

    It may contain frames of the same process and origin.
    """

    context: ExecutionContext
    id: int
    owner: "Document | None" = None
    """The document whose iframe shows this one; None for the main frame's."""
    owner_node: int = 0
    """Node id of that iframe; 0 for the main frame."""

    @property
    def root(self) -> "Document":
        """The main frame's document."""
        return self.owner.root if self.owner else self


class Documents:
    """The documents of one page by their ids, and its frames by the node ids of their iframes."""

    def __init__(self, page: Page, world: World) -> None:
        self._page = page
        self._world = world
        self._known: dict[int, Document] = {}
        self._frames: dict[int, Frame] = {}

    def get(self, document: int) -> Document | None:
        """Return the document with this id; None if it was not walked, or is forgotten."""
        return self._known.get(document)

    def record(
        self, document: int, context: ExecutionContext, owner: Document | None, owner_node: int
    ) -> Document:
        """Add a document that was walked, or update its execution context. Return it.

        document: its id
        owner, owner_node: see `Document`
        """
        known = self._known.setdefault(document, Document(context, document, owner, owner_node))
        known.context = context
        return known

    def keep_only(self, documents: set[int]) -> None:
        """Forget all documents except those with these ids."""
        self._known = {key: document for key, document in self._known.items() if key in documents}

    def forget_frame(self, frame: Frame) -> None:
        """Forget a frame that was removed from the page."""
        self._frames = {key: known for key, known in self._frames.items() if known != frame}

    async def context_of(self, document: Document) -> ExecutionContext:
        """Return the execution context of the engine in a document."""
        # The main frame's may have changed: after "back" a page may show an earlier document again.
        return document.context if document.owner else await self._world.frames.main_context()

    async def locate(self, document: Document, node: int) -> Located | None:
        """Return role, name and frame of a document's node, given by its node id; None if the node is gone."""
        found: Located | None = await call_in(await self.context_of(document), "locateNode", node)
        return found

    async def frame_of(self, document: Document, found: Located) -> Frame:
        """Return the frame that contains a node. `found`: by `locateNode`. Raises FrameGone."""
        inner = found["frames"]
        if document.owner is None and not inner:
            return self._page.main_frame
        key = inner[-1] if inner else document.owner_node
        known = self._frames.get(key)
        if known and not known.is_detached():
            return known
        context = await self.context_of(document)
        if inner:
            frame = await self._world.frames.content_frame(context, inner[-1])
        else:
            frame = self._page.frame(context.frame_id)
        if frame is None:
            raise FrameGone(_GONE)
        self._frames[key] = frame
        return frame

    async def boxes(self, document: Document, nodes: list[int]) -> list[Box | None]:
        """Return boxes of a document's nodes in the tab's viewport, in CSS pixels; None for invisible nodes.

        nodes: their node ids
        """
        try:
            boxes = await call_in(await self.context_of(document), "findVisibleBoxes", nodes)
            while owner := document.owner:
                context = await self.context_of(owner)
                boxes = await call_in(context, "convertFrameBoxes", document.owner_node, boxes)
                document = owner
        except FrameGone:
            return [None] * len(nodes)
        return [(box[0], box[1], box[2], box[3]) if box else None for box in boxes]


@dataclass(frozen=True, slots=True)
class WalkOptions:
    """Options of a walk: one pass of the engine over all elements of a document, for a snapshot.

    clickable: list all clickable elements without a role
    scope: key of the element to which the snapshot is limited, from `TreeWalker.set_scope`; 0 for none
    addresses: include the URLs of links
    depth: number of `Document`s around the one that is walked
    """

    clickable: bool = False
    scope: int = 0
    addresses: bool = False
    depth: int = 0

    def for_engine(self) -> dict[str, Any]:
        """Return these options as the argument of the engine's function `walkPage`."""
        return {"clickable": self.clickable, "scope": self.scope, "addresses": self.addresses}

    def without_clickables(self) -> "WalkOptions":
        """Return a copy with `clickable` off."""
        return replace(self, clickable=False)


class TreeWalker:
    """Builds the snapshot tree of a tab, and records its documents in `documents` and `numbers`."""

    def __init__(self, world: World, documents: Documents, numbers: RefNumbers) -> None:
        self.last: EncodedTree | None = None
        """The last snapshot, whose unchanged parts the next one shares."""
        self.shown = 0
        """Id of the main frame's document when it was last walked; 0 for never."""
        self._world = world
        self._documents = documents
        self._numbers = numbers
        self._listeners = ClickListeners()
        self._scopes = itertools.count(1)

    def expect_change(self) -> None:
        """Note that a command acted on the page: the next walk then requests click listeners in advance."""
        self._listeners.expects_change = True

    async def walk_all(self, walk_options: WalkOptions) -> Walked:
        """Take a snapshot of the tab: walk all its documents, and join their trees into one."""
        walked = await self._walk(await self._world.frames.main_context(), None, 0, walk_options)
        walked.tree.kept = walked.kept
        self.shown = walked.document
        self._numbers.record_shown_documents(walked.last)
        self._documents.keep_only(walked.last.keys() | self._numbers.documents)
        self._listeners.expects_change = False
        await self._forget_collected(walked.last)
        return walked

    async def _walk(
        self, context: ExecutionContext, owner: Document | None, owner_node: int, walk_options: WalkOptions
    ) -> Walked:
        """Walk a document, and its frames in other processes or origins. Return their trees as one.

        owner, owner_node: see `Document`
        """
        walked = await self._walk_document(context, walk_options)
        document = self._documents.record(walked.document, context, owner, owner_node)
        child_options = replace(walk_options, depth=walk_options.depth + 1)
        for index in range(len(walked.tree.remotes)):
            child = await self._walk_child(document, walked.tree.remotes[index].node_id, child_options)
            if child:
                walked.graft(index, child)
        return walked

    async def _walk_document(self, context: ExecutionContext, walk_options: WalkOptions) -> Walked:
        """Walk one document, and again once the engine knows what it cannot see itself. Return the last walk.

        That is closed shadow roots, ElementInternals and click listeners.
        """
        if not walk_options.clickable:
            # runs after the walk was sent, but before the connection writes, so both are written together
            asyncio.get_running_loop().call_soon(self._listeners.send_request_ahead, context)
        walked = await self._walk_once(context, walk_options.without_clickables())
        if walked.suspects and await closed_roots.open_closed_roots(context):
            walked = await self._walk_again(context, walk_options)
        if walked.customs and await internals.send_internals(context):
            walked = await self._walk_again(context, walk_options)
        if walk_options.clickable:
            omitted = await closed_roots.mark_listeners(context)
            await click_listeners.mark_delegated_elements(
                context,
                walk_options.without_clickables().for_engine(),
                has_trees_inside=bool(walked.trees),
                milliseconds=click_listeners.EXHAUSTIVE_TIME_LIMIT_MS,
            )
            walked = await self._walk_once(context, walk_options)
            walked.record_unexamined_listeners(omitted)
        else:
            walked = await self._walk_with_listeners(context, walked, walk_options)
        return walked

    async def _walk_with_listeners(
        self, context: ExecutionContext, walked: Walked, walk_options: WalkOptions
    ) -> Walked:
        """Walk a document again if it has click listeners unknown to the engine. Return the last walk.

        walked: the walk so far
        """
        try:
            return await self._listeners.add_clickable_elements(
                context, walked, walk_options.for_engine(), self._decode_walk
            )
        except (ProtocolError, PageScriptError):
            return await self._walk_once(context, walk_options)  # raises if the document is gone

    async def _walk_again(self, context: ExecutionContext, walk_options: WalkOptions) -> Walked:
        """Walk a document again after the engine was told of closed shadow roots or ElementInternals in it.

        Discards the request for its listeners, which was sent before.
        """
        self._listeners.discard_request(context)
        return await self._walk_once(context, walk_options.without_clickables())

    async def _walk_once(self, context: ExecutionContext, walk_options: WalkOptions) -> Walked:
        """Have the engine walk a document, with what it knows of it so far. Return the decoded walk."""
        return self._decode_walk(await call_in(context, "walkPage", walk_options.for_engine()))

    def _decode_walk(self, text: str) -> Walked:
        """Decode the result of the engine's `walkPage`. A tree equal to the last one gets its printed text."""
        walked = decode(text, self._numbers)
        if self.last and self.last.encoded == walked.kept.encoded:
            walked.tree.printed = walked.kept.printed = self.last.printed
        return walked

    async def _walk_child(self, document: Document, node: int, walk_options: WalkOptions) -> Walked | None:
        """Walk the document of an iframe in another process or origin; None while it loads.

        document: the one that contains the iframe
        node: node id of the iframe
        """
        if walk_options.depth > _MAX_FRAME_DEPTH:
            return None
        try:
            context = await self._world.frames.child_context(document.context, node)
            if context is None:
                return None
            return await self._walk(context, document, node, walk_options)
        except FrameGone:
            return None

    async def _forget_collected(self, documents: Iterable[int]) -> None:
        """Forget the ref numbers of nodes that Chromium has garbage-collected, in documents with many numbers.

        A page that is always redrawn must not fill memory.

        documents: ids of the documents that the page shows
        """
        for key in documents:
            candidates, document = self._numbers.find_stale_candidates(key), self._documents.get(key)
            if candidates and document:
                gone = await call_in(document.context, "filterCollectedIds", candidates)
                self._numbers.forget(key, gone)

    async def set_scope(self, frame: Frame, node: int) -> int:
        """Have the engine remember an element (`node`: its node id), to limit the next walk to it.

        Return the key for `WalkOptions.scope`.
        """
        key = next(self._scopes)
        await self._world.call("rememberScope", node, key, frame=frame)
        return key
