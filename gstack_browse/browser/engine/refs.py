"""The refs of one tab ("@e3"): take snapshots of all frames, and resolve a ref to its DOM node.

A ref stands for one DOM node, and is never looked up again by role, name or position. Snapshots are printed, and numbers are
assigned, in `gstack_browse.snapshot`.
"""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.cdp.targets import ExecutionContext
from gstack_browse.browser.devtools.page import Frame, Page
from gstack_browse.browser.engine.answer_types import PrintedRecord
from gstack_browse.browser.engine.messages import FrameGone, JsonValue, PageScriptError, call_in
from gstack_browse.browser.engine.tree_walker import Document, Documents, TreeWalker, WalkOptions
from gstack_browse.browser.engine.world import World
from gstack_browse.errors import StaleRef, UnknownRef
from gstack_browse.snapshot.annotate import Box
from gstack_browse.snapshot.disambiguation.records import (
    Lists,
    find_record_change,
    find_redrawn,
)
from gstack_browse.snapshot.numbers import PrintedElement, RefNumbers
from gstack_browse.snapshot.tree import Options, Tree
from gstack_browse.snapshot.walked import EncodedTree, printed_name
from gstack_browse.text.sanitise import quote_text

AGAIN = "Run 'snapshot' to get fresh refs"
_MOST_LINES = 20_000
"""A tree of more lines is built again each time, instead of being cached (0.15 kB for each line)."""


class PrintedRecords:
    """The record (table row, list item, card) around each ref of a tab, as of when the ref was printed."""

    def __init__(self, numbers: RefNumbers) -> None:
        self._numbers = numbers
        self._lists: Lists | None = None
        self._around: dict[int, PrintedRecord | None] = {}

    def begin_snapshot(self, kept: EncodedTree) -> None:
        """Drop what is cached of the snapshot before this one (`kept`), unless both are equal."""
        # The new tree is built when it is needed: it takes 20 times the memory of `kept`.
        if self._lists is None or self._lists.tree.kept != kept:
            self._lists = None
            self._around = {}

    def record_around(self, ref_number: int) -> PrintedRecord | None:
        """Return the row, item or card around a ref's element, with the texts that tell it from its siblings.

        None if there is no such text, or if the ref was printed too long ago.
        """
        if ref_number not in self._around:
            lists, line = self._find_printed(ref_number)
            self._around[ref_number] = _find_record(lists, line) if lists else None
        return self._around[ref_number]

    def changed_record_error(self, ref: str, ref_number: int, now: Tree) -> StaleRef | None:
        """Return an error if a ref's element is in another row or card than when it was printed; else None.

        Lists do so that reuse their elements for other rows. `now`: the current snapshot of the tab.
        """
        lists, line = self._find_printed(ref_number)
        now_line = now.line_of(ref_number)
        if lists is None or now_line < 0:
            return None
        other = find_record_change(lists, line, Lists(now), now_line)
        if other is None:
            return None
        was = _quote_with_title(lists.tree, line, other.was)
        where = f"; {was} is {now.ref(other.moved_to)} now" if other.moved_to >= 0 else ""
        return StaleRef(
            f"Ref {ref} ({was}) is stale — {_quote_with_title(now, now_line, other.now)} stands there now{where}",
            AGAIN,
        )

    def find_redrawn(self, ref_number: int, now: Tree, candidates: Sequence[int]) -> int:
        """Return the line of the element that has replaced a ref's element on the page; -1 for none.

        now: the current snapshot of the tab
        candidates: the lines of it to choose from
        """
        lists, line = self._find_printed(ref_number)
        return find_redrawn(lists, line, Lists(now), candidates) if lists else -1

    def _find_printed(self, ref_number: int) -> tuple[Lists | None, int]:
        """Return (the last snapshot that printed a ref, the ref's line in it); (None, -1) if it is forgotten."""
        kept = self._numbers.history.source_of(ref_number)
        if not isinstance(kept, EncodedTree):
            return None, -1
        lists = self._load_lists(kept)
        # `Tree.line_of` would index all lines for one.
        node = (self._numbers.find(ref_number) or (0, 0))[1]
        line = next(
            (lists.tree.nodes.index(one) for one in (node, -node) if one and one in lists.tree.nodes), -1
        )
        return (lists, line) if line >= 0 else (None, -1)

    def _load_lists(self, kept: EncodedTree) -> Lists:
        """Decode a printed snapshot to find the records (rows, items, cards) in it. Caches the last one."""
        if self._lists is None or self._lists.tree.kept != kept:
            lists = Lists(kept.tree())
            lists.tree.kept = kept
            self._lists = lists if len(lists.tree) <= _MOST_LINES else None
            return lists
        return self._lists


def _find_record(lists: Lists, line: int) -> PrintedRecord | None:
    """Return the innermost row, item or card around a snapshot's line, with the texts that distinguish it.

    None if no text distinguishes it.
    """
    node, texts = 0, list[tuple[int, str]]()
    for record in lists.records(line):
        identifying = record.identifying_texts()
        if not texts:
            node, texts = record.node, identifying
        else:  # a text without an element is looked for in the innermost record
            texts += [(speaker, text) for speaker, text in identifying if speaker]
    return PrintedRecord(node=node, texts=texts) if texts else None


def _quote_with_title(tree: Tree, line: int, title: str) -> str:
    """Format a line's element for messages, with its row's or card's title: `[button] "Edit" ("Ann Lee")`."""
    quoted = quote_element(tree.roles[line], tree.names[line])
    return f"{quoted} ({quote_text(title, 40)})" if title else quoted


def quote_element(role: str, name: str) -> str:
    """Format an element for messages: `[button] "Save"`. A name is cut after 80 characters."""
    return f"[{role}] {quote_text(name, 80)}" if name else f"[{role}]"


REF = re.compile(r"@([ec])([1-9][0-9]{0,8})")
_LOOK_SECONDS = 2.0
"""Time limit for an error message to look for a replacement of an element that is gone."""
_MOST_NAMED = 3
_MOST_COMPARED = 200
"""With more new elements, no replacement of the one that is gone is searched."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """The node of a ref, which is still in the page."""

    ref: str
    frame: Frame
    node_id: int
    role: str
    name: str


@dataclass(frozen=True, slots=True)
class Compared:
    """A snapshot that the next one is compared with."""

    kept: EncodedTree
    clickable: bool
    """Whether it includes clickable elements without a role."""


class Refs:
    """The refs of one tab, while it shows this page. `numbers` belong to the tab."""

    def __init__(self, page: Page, world: World, numbers: RefNumbers | None = None) -> None:
        """Continue with `numbers` if this page replaces another one in the tab."""
        self.numbers = numbers or RefNumbers()
        self._page = page
        self._world = world
        self._lock = asyncio.Lock()
        self._documents = Documents(page, world)
        self._walker = TreeWalker(world, self._documents, self.numbers)
        self._compared: Compared | None = None
        self._records = PrintedRecords(self.numbers)

    def expect_change(self) -> None:
        """Note that a command acted on the page: the next snapshot then requests click listeners in advance."""
        self._walker.expect_change()

    def forget_frame(self, frame: Frame) -> None:
        """Forget a frame that was removed from the page. Refs in it become stale."""
        self._documents.forget_frame(frame)

    @property
    def compared_snapshot(self) -> Compared | None:
        """Return the snapshot that the next one is compared with (`snapshot --diff`); None for none."""
        return self._compared

    def compare_next_with(self, *, clickable: bool) -> None:
        """Keep the last snapshot, to compare the next one with (`compared_snapshot`).

        clickable: it includes clickable elements without a role
        """
        assert self._walker.last
        self._compared = Compared(self._walker.last, clickable)

    async def take_snapshot(
        self, *, clickable: bool = False, addresses: bool = False, scope: tuple[Frame, int] | str | None = None
    ) -> Tree:
        """Take a snapshot of all frames of the tab.

        Return it as one tree, whose refs get their numbers when it is printed.

        clickable: list all clickable elements without a role (@c), too
        addresses: include the URLs of links
        scope: fill `Tree.scope` with the lines of this element: (frame, node id), or a ref

        Raises StaleRef, UnknownRef, or ProtocolError.
        """
        if isinstance(scope, str):
            resolved = await self.resolve(scope)
            scope = resolved.frame, resolved.node_id
        async with self._lock:
            for _ in range(3):
                try:
                    return await self._take_once(WalkOptions(clickable, addresses=addresses), scope)
                except FrameGone:
                    continue
        raise StaleRef("The page kept navigating while the snapshot was taken", "Wait for it: wait --load")

    async def read_tree(self) -> Tree | None:
        """Read the tab's current elements for an error message: a snapshot not remembered as the last one.

        None if the page does not answer in time.
        """
        try:
            return await self._world.run_with_timeout(self._read_tree(), _LOOK_SECONDS)
        except (TimeoutError, FrameGone, PageScriptError, ProtocolError):
            return None

    async def resolve(self, ref: str) -> Resolved:
        """Find the DOM node of a ref such as "@e3", and its frame. One round trip in the main frame.

        Raises UnknownRef if the ref was never printed in this tab, StaleRef if its node is gone.
        """
        ref_number = parse_ref(ref)
        document, node = self._find_node(ref_number)
        if document is None:
            raise await self._unknown_ref_error(ref, ref_number)
        try:
            if found := await self._documents.locate(document, node):
                frame = await self._documents.frame_of(document, found)
                return Resolved(ref, frame, node, found["role"], found["name"])
        except (FrameGone, ProtocolError):
            if self._page.is_closed():
                raise
        raise await self._stale_error(ref, ref_number)

    def is_printed_ref(self, word: str) -> bool:
        """Return whether a word is a ref, such as "@e3", that was printed in this tab."""
        return REF.fullmatch(word) is not None and self.numbers.is_assigned(parse_ref(word))

    def main_document_key(self, ref: str) -> dict[str, JsonValue]:
        """Return {"node": node id} for a ref of the main document, {} for any other ref.

        Part of a request to the engine, which finds the element by it: lookup and action are one round trip. Raises UnknownRef for
        a word that is no ref.
        """
        document, node = self._find_node(parse_ref(ref))
        return {"node": node} if document and document.owner is None else {}

    def printed_record(self, ref: str) -> PrintedRecord | None:
        """Return the row, item or card around a ref as it was printed; None if others have the same texts."""
        return self._records.record_around(parse_ref(ref))

    async def changed_record_error(self, ref: str) -> StaleRef | None:
        """Return an error if a ref's element is in another row or card than when it was printed; else None."""
        now = await self.read_tree()
        return self._records.changed_record_error(ref, parse_ref(ref), now) if now else None

    async def refs_of(self, frame: Frame, nodes: Sequence[int]) -> list[str]:
        """Return the refs of a frame's nodes ("@e3"), and assign new ones; "" for nodes that are gone.

        Raises FrameGone, or ProtocolError.

        nodes: their node ids
        """
        context = await self._world.frames.context_of(frame)
        return [
            ref for ref, _ in await self.refs_and_names(context, nodes, is_main=frame == self._page.main_frame)
        ]

    async def refs_and_names(
        self, context: ExecutionContext, nodes: Sequence[int], *, is_main: bool = False
    ) -> list[tuple[str, str]]:
        """Return (ref, accessible name) of a document's nodes, for printing; ("", "") for nodes that are gone.

        Raises FrameGone, or ProtocolError.

        nodes: their node ids
        is_main: the document is known to be that of the main frame
        """
        answer = await call_in(context, "readRolesAndNames", list(nodes))
        document: int = answer["document"]
        if is_main:
            self._documents.record(document, context, None, 0)
        elif self._documents.get(document) is None:
            await self.take_snapshot()
        if self._documents.get(document) is None:
            return [("", "")] * len(nodes)
        self.numbers.record_last_id(document, answer["last"])
        named = [(one[0], printed_name(one[1])) if one else None for one in answer["nodes"]]
        return [
            (self.numbers.ref(document, self.numbers.printed_id(document, node), *one), one[1])
            if one
            else ("", "")
            for node, one in zip(nodes, named, strict=True)
        ]

    async def boxes(self, tree: Tree, lines: Sequence[int]) -> dict[int, Box]:
        """Return where the elements of a snapshot's lines are: line → (x, y, width, height) in the viewport.

        Invisible elements are left out. One outside of the viewport counts as visible if no ancestor clips it.
        """
        grouped: dict[int, list[int]] = {}
        for line in lines:
            grouped.setdefault(tree.documents[line], []).append(line)
        found: dict[int, Box] = {}
        for key, group in grouped.items():
            if document := self._documents.get(key):
                boxes = await self._documents.boxes(document, [abs(tree.nodes[line]) for line in group])
                found.update((line, box) for line, box in zip(group, boxes, strict=True) if box)
        return found

    async def boxes_of(self, refs: Sequence[str]) -> dict[str, Box]:
        """Return where the elements of printed refs are: "@e7" → (x, y, width, height) in the tab's viewport.

        Invisible elements are left out, as by `boxes`. One round trip for each document.
        """
        grouped: dict[int, dict[str, int]] = {}
        for ref in refs:
            document, node = self._find_node(parse_ref(ref))
            if document:
                grouped.setdefault(document.id, {})[ref] = node
        found: dict[str, Box] = {}
        for key, nodes in grouped.items():
            if document := self._documents.get(key):
                boxes = await self._documents.boxes(document, list(nodes.values()))
                found.update((ref, box) for ref, box in zip(nodes, boxes, strict=True) if box)
        return {ref: found[ref] for ref in refs if ref in found}

    # private: taking

    async def _take_once(self, options: WalkOptions, scope: tuple[Frame, int] | None) -> Tree:
        """Take a snapshot, and remember it as the last one. Raises FrameGone if the page navigates meanwhile.

        scope: (frame, node id) of an element, whose lines are put in `Tree.scope`
        """
        if scope is not None:
            options = replace(options, scope=await self._walker.set_scope(*scope))
        walked = await self._walker.walk_all(options)
        self._walker.last = walked.kept
        self._records.begin_snapshot(walked.kept)
        return walked.tree

    # private: finding nodes and explaining failures

    def _find_node(self, ref_number: int) -> tuple[Document | None, int]:
        """Return (the document, the node id) of a ref; (None, 0) if the number was never assigned."""
        found = self.numbers.find(ref_number)
        if found is None:
            return None, 0
        return self._documents.get(found[0]), abs(found[1])

    async def _unknown_ref_error(self, ref: str, ref_number: int) -> UnknownRef | StaleRef:
        """Return the exception for a ref of an unknown document: stale, of another tab, or never printed."""
        if self.numbers.is_assigned(ref_number):
            return await self._stale_error(ref, ref_number)
        if owner := self.numbers.describe_owner(ref_number):
            return UnknownRef(f"Ref {ref} is unknown here — it was given out in {owner}", AGAIN)
        if not self._walker.shown:
            return UnknownRef(f"Ref {ref} is unknown — no snapshot of this page has been taken", AGAIN)
        return UnknownRef(f"Ref {ref} is unknown — it was never given out on this page", AGAIN)

    async def _stale_error(self, ref: str, ref_number: int) -> StaleRef:
        """Return the exception for a ref whose node is gone.

        It names the element, the reason, and new elements with its role and name.
        """
        printed, document = self.numbers.history.printed_as(ref_number), self._find_node(ref_number)[0]
        tree = await self.read_tree()
        is_here = document is not None and document.root.id == self._walker.shown
        why = "the element no longer exists" if is_here else "the page has navigated since"
        if self.numbers.is_from_before_crash(ref_number):
            why = "it is from before the browser's state was lost"
        what = f" ({quote_element(printed.role, printed.name)})" if printed else ""
        found = _find_newer_namesakes(tree, printed) if tree and printed and printed.name else []
        new = _describe_new_namesakes(tree, printed, found) if tree and printed else ""
        stale = StaleRef(f"Ref {ref}{what} is stale — {why}{new}", AGAIN)
        stale.names_new = bool(new)
        if tree and printed and is_here:
            stale.redrawn = await self._find_replacement(ref_number, printed, tree, found)
        return stale

    async def _find_replacement(
        self, ref_number: int, printed: PrintedElement, tree: Tree, candidates: Sequence[int]
    ) -> str:
        """Return the ref of the element that replaced a ref's element when the page was redrawn; "" for none.

        tree: the current snapshot
        candidates: lines of `tree` with the role and name of the element

        Only elements count that were created after the ref was printed, in a document that existed then.
        """
        key = (self.numbers.find(ref_number) or (0, 0))[0]
        document, last = self._documents.get(key), printed.last.get(key, 0)
        here = [line for line in candidates if tree.documents[line] == key]
        if document is None or not 0 < len(here) <= _MOST_COMPARED:
            return ""
        try:
            met: list[list[int]] = await call_in(
                document.context, "firstSeenIds", [abs(tree.nodes[line]) for line in here]
            )
        except (FrameGone, ProtocolError):
            return ""
        made_since = [line for line, (first, begun) in zip(here, met, strict=True) if 0 < begun <= last < first]
        line = self._records.find_redrawn(ref_number, tree, made_since) if made_since else -1
        return tree.ref(line) if line >= 0 else ""

    async def _read_tree(self) -> Tree:
        """Take a snapshot with default options, without making it the last one, to which the next is compared."""
        async with self._lock:
            return (await self._walker.walk_all(WalkOptions())).tree


def _find_newer_namesakes(tree: Tree, printed: PrintedElement) -> list[int]:
    """Return the lines of a snapshot whose nodes have a printed element's role and name, but are newer."""
    return [
        line
        for line, (role, name) in enumerate(zip(tree.roles, tree.names, strict=True))
        if printed.is_named(role, name) and printed.is_older_than_node(tree.documents[line], tree.nodes[line])
    ]


def _describe_new_namesakes(tree: Tree, printed: PrintedElement, lines: Sequence[int]) -> str:
    """Return the part of a stale ref's error about newer elements with its role and name; "" for none.

    lines: those of the newer elements in `tree`
    """
    if not lines:
        return ""
    if len(lines) == 1:
        return f"; a new {quote_element(printed.role, printed.name)} is {tree.ref(lines[0])}"
    if len(lines) <= _MOST_NAMED:
        # no part of a start
        from gstack_browse.snapshot.disambiguation.labels import Labels
        from gstack_browse.snapshot.filters import select

        view = select(tree, Options(interactive=True, max_chars=None))
        labels = Labels(tree, view).labels_for(view)
        named = [f"{ref}{labels.get(line, '')}" for ref, line in zip(tree.refs(lines), lines, strict=True)]
        return f"; new ones like it are {', '.join(named)}"
    return f"; there are {len(lines):,} new ones like it"


def parse_ref(ref: str) -> int:
    """Return the number of a ref: 3 for "@e3", -3 for "@c3". Raises UnknownRef for a word that is no ref."""
    match = REF.fullmatch(ref)
    if not match:
        raise UnknownRef(
            f"{quote_text(ref, 80)} is not a ref", "Refs look like @e3 or @c1; run 'snapshot -i' to see them"
        )
    return int(match[2]) if match[1] == "e" else -int(match[2])
