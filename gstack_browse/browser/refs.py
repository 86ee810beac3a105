"""The references of one tab: takes snapshots of all of its frames, and finds the node that a reference names.

A reference is the identity of one DOM node. It is never looked up again by role, name or position. What a
snapshot looks like when printed is in `gstack_browse.snapshot`.
"""

import asyncio
import bisect
import itertools
import re
from collections import deque
from dataclasses import dataclass, replace
from typing import Any

from playwright.async_api import Error, Frame, Locator, Page

from gstack_browse.browser import reveal
from gstack_browse.browser.targets import Context
from gstack_browse.browser.world import ENGINE_NAME, FrameGone, World
from gstack_browse.errors import StaleRef, UnknownRef
from gstack_browse.snapshot.annotate import Box
from gstack_browse.snapshot.tree import Kept, Tree, Walked, decode

REF = re.compile(r"@([ec])([1-9][0-9]{0,8})")
AGAIN = "Run 'snapshot' to get fresh refs"
_REMEMBERED_LINES = 200_000
_REMEMBERED_DOCUMENTS = 1000
_MAX_FRAME_DEPTH = 60


@dataclass(frozen=True, slots=True)
class Resolved:
    """The living node of a reference. `locator` finds that very node and no other."""

    ref: str
    frame: Frame
    node_id: int
    role: str
    name: str

    @property
    def locator(self) -> Locator:
        return self.frame.locator(f"{ENGINE_NAME}={self.node_id}")


@dataclass(frozen=True, slots=True)
class Compared:
    """A snapshot that the next one is compared with."""

    kept: Kept
    document: str
    """The main frame's: another one has other elements throughout."""
    clickable: bool
    """True when it has what can be clicked without having a role."""


@dataclass(slots=True)
class _Place:
    """A document that has numbers of its own, and the iframe (in another one) that shows it."""

    context: Context
    token: str
    owner: "_Place | None" = None
    owner_id: int = 0


@dataclass(frozen=True, slots=True)
class _Walking:
    """What a walk is to find besides the tree, and how many frames above it were walked one by one."""

    clickable: bool
    scope: int
    addresses: bool = False
    depth: int = 0

    def plain(self) -> "_Walking":
        return replace(self, clickable=False)

    def deeper(self) -> "_Walking":
        return replace(self, depth=self.depth + 1)


class Refs:
    """The references of one tab. A number is given once: also the next page's elements get others."""

    def __init__(self, page: Page, world: World, before: "Refs | None" = None) -> None:
        """`before`: those of the tab's last page, when another page has taken its place. Their numbers go on."""
        self._page = page
        self._world = world
        self._lock = asyncio.Lock()
        self._trees: deque[Kept] = deque()
        self._was: deque[Kept] = (before._trees or before._was) if before else deque()
        self._compared: Compared | None = None
        self._scopes = itertools.count(1)
        self._token = ""
        self._next: dict[str, int] = {**before._next} if before else {"e": 1, "c": 1}
        self._places: dict[str, _Place] = {}
        self._starts: dict[str, list[int]] = {"e": [], "c": []}
        self._owners: dict[str, list[_Place]] = {"e": [], "c": []}
        self._frames: dict[tuple[str, int], Frame] = {}

    def forget_frame(self, frame: Frame) -> None:
        """A frame is gone: the references in it go stale by themselves, what is kept about it is dropped."""
        self._frames = {key: known for key, known in self._frames.items() if known != frame}

    @property
    def compared(self) -> "Compared | None":
        """The snapshot that the next one is compared with."""
        return self._compared

    @property
    def document(self) -> str:
        """Names the document that the main frame showed in the last snapshot."""
        return self._token

    def compare_next_with(self, *, clickable: bool) -> None:
        """Keep the snapshot just taken for the next one to be compared with."""
        self._compared = Compared(self._trees[-1], self._token, clickable)

    async def take(
        self, *, clickable: bool = False, addresses: bool = False, scope: Locator | str | None = None
    ) -> Tree:
        """All frames of the tab as one tree, every element in it numbered.

        `clickable` adds what can be clicked without having a role (@c), `addresses` where links lead. `scope`, a locator or a reference,
        fills `Tree.scope` with the lines of that element. Raises StaleRef, UnknownRef, or Playwright's Error.
        """
        async with self._lock:
            for _ in range(3):
                try:
                    return await self._take(clickable, addresses, scope)
                except FrameGone:
                    continue
        raise StaleRef("The page kept navigating while the snapshot was taken", "Wait for it: wait --load")

    async def resolve(self, ref: str) -> Resolved:
        """The node of "@e3" or "@c2", with the frame it is in. One round trip in the main frame.

        Raises UnknownRef for a number that was never given on this page, StaleRef when the node is gone.
        """
        kind, number = _parse(ref)
        place = self._place_of(kind, number)
        if place is None:
            raise self._unknown(ref)
        try:
            found = await self._world.call_in(place.context, "locate", f"c{number}" if kind == "c" else number)
            if not found or found["token"] != place.token:
                raise self._stale(ref, place)
            frame = await self._frame_of(place, found)
        except (FrameGone, Error):
            if self._page.is_closed():
                raise
            raise self._stale(ref, place) from None
        return Resolved(ref, frame, found["id"], found["role"], found["name"])

    def key_of(self, ref: str) -> dict[str, str | int | bool]:
        """What the engine knows a ref of the main document by, to ask about it in one round trip; {} for any other.

        Raises UnknownRef for a word that is no ref.
        """
        kind, number = _parse(ref)
        place = self._place_of(kind, number)
        if place is None or place.owner is not None:
            return {}
        return {"key": f"c{number}" if kind == "c" else number, "token": place.token}

    async def boxes(self, numbers: list[int]) -> dict[int, Box]:
        """Where nodes are from the viewport's corner, in CSS pixels: x, y, width, height.

        What cannot be seen is left out. Of what lies outside of the viewport it is only known that nothing cuts it off.
        """
        grouped: dict[str, list[int]] = {}
        for number in numbers:
            place = self._place_of("c" if number < 0 else "e", abs(number))
            if place:
                grouped.setdefault(place.token, []).append(number)
        found: dict[int, Box] = {}
        for token, group in grouped.items():
            found.update(await self._boxes_in(self._places[token], group))
        return found

    # private: taking

    async def _take(self, clickable: bool, addresses: bool, scope: Locator | str | None) -> Tree:
        main = await self._world.main()
        key = await self._point_at(scope) if scope is not None else 0
        walked = await self._walk(main, None, 0, _Walking(clickable, key, addresses))
        self._remember(walked.kept)
        return walked.tree

    async def _walk(self, context: Context, owner: _Place | None, owner_id: int, how: "_Walking") -> Walked:
        """The tree of one document that can be reached directly, with the trees of the frames that can't grafted in."""
        walked = await self._walk_once(context, how.plain())
        if walked.suspects and await reveal.open_closed_roots(self._world, context):
            walked = await self._walk_once(context, how.plain())
        if how.clickable:
            unseen = await reveal.mark_listeners(self._world, context)
            walked = await self._walk_once(context, how)
            walked.found_unseen(unseen)
        if owner is None and walked.token != self._token:
            self._arrive(walked.token)
        place = self._places.setdefault(walked.token, _Place(context, walked.token, owner, owner_id))
        place.context = context
        self._count(place, walked)
        for index in range(len(walked.tree.remotes)):
            child = await self._child(place, walked.tree.remotes[index].node_id, how.deeper())
            if child:
                walked.graft(index, child)
        return walked

    def _arrive(self, token: str) -> None:
        """The main frame shows another document now. The last one may come back from Chromium's memory with its nodes."""
        if self._trees:
            self._was, self._trees = self._trees, deque()
        self._token = token
        self._frames = {}
        for kind, starts in self._starts.items():
            if len(starts) > _REMEMBERED_DOCUMENTS:
                del starts[:-_REMEMBERED_DOCUMENTS], self._owners[kind][:-_REMEMBERED_DOCUMENTS]
        known = {place.token for owners in self._owners.values() for place in owners}
        self._places = {token: place for token, place in self._places.items() if token in known}

    async def _walk_once(self, context: Context, how: "_Walking") -> Walked:
        options: dict[str, Any] = {
            "cursor": how.clickable,
            "scope": how.scope,
            "addresses": how.addresses,
            "next": self._next,
        }
        return decode(await self._world.call_in(context, "take", options))

    async def _child(self, place: _Place, node_id: int, how: "_Walking") -> Walked | None:
        """The tree of a frame in another process or of another origin; None while it is on its way."""
        if how.depth > _MAX_FRAME_DEPTH:
            return None
        try:
            context = await self._world.child(place.context, node_id)
            if context is None:
                return None
            return await self._walk(context, place, node_id, how)
        except FrameGone:
            return None

    def _count(self, place: _Place, walked: Walked) -> None:
        """Numbers from here on up to the next are of this document."""
        for kind, after in (("e", walked.next_e), ("c", walked.next_c)):
            if after > self._next[kind] and (not self._owners[kind] or self._owners[kind][-1] is not place):
                self._starts[kind].append(self._next[kind])
                self._owners[kind].append(place)
            self._next[kind] = max(self._next[kind], after)

    def _remember(self, kept: Kept) -> None:
        """Keep the last few trees, to say what a stale reference was."""
        self._trees.append(kept)
        while len(self._trees) > 1 and sum(tree.size for tree in self._trees) > _REMEMBERED_LINES:
            self._trees.popleft()
        while len(self._trees) > 8:
            self._trees.popleft()

    async def _point_at(self, scope: Locator | str) -> int:
        """Tell the engine which element the snapshot is to be of, under a key of its own."""
        locator = (await self.resolve(scope)).locator if isinstance(scope, str) else scope
        key = next(self._scopes)
        await locator.locator(f"{ENGINE_NAME}=here:{key}").get_attribute("id", timeout=5000)
        return key

    # private: finding

    def _place_of(self, kind: str, number: int) -> _Place | None:
        if number >= self._next[kind] or not self._starts[kind]:
            return None
        index = bisect.bisect_right(self._starts[kind], number) - 1
        return self._owners[kind][index] if index >= 0 else None

    async def _frame_of(self, place: _Place, found: dict[str, Any]) -> Frame:
        """The Playwright frame of a node that `locate` found in `place`."""
        main = self._page.main_frame
        if place.owner is None and not found["frames"]:
            return main
        key = (place.token, found["frames"][-1] if found["frames"] else 0)
        known = self._frames.get(key)
        if known and not known.is_detached():
            return known
        frame = await self._guessed_frame(place, found) or await self._followed_frame(place, found["frames"])
        self._frames[key] = frame
        return frame

    async def _guessed_frame(self, place: _Place, found: dict[str, Any]) -> Frame | None:
        """By the places of the iframes in their windows; None when the node is not there after all.

        Playwright would have to load its scripts into every frame on the way to be sure (40 ms each).
        """
        frame = self._page.main_frame
        for index in [*await self._path_to(place), *found["places"]]:
            children = frame.child_frames
            if not 0 <= index < len(children):
                return None
            frame = children[index]
        is_there = await frame.locator(f"{ENGINE_NAME}={found['id']}").count() == 1
        return frame if is_there else None

    async def _path_to(self, place: _Place) -> list[int]:
        if place.owner is None:
            return []
        owner = await self._world.call_in(place.owner.context, "locate", place.owner_id)
        if not owner:
            raise FrameGone("The frame is gone")
        return [*await self._path_to(place.owner), *owner["places"], owner["place"]]

    async def _followed_frame(self, place: _Place, inner: list[int]) -> Frame:
        """Through the iframes of other processes, then of this one, each by its element."""
        frame = self._page.main_frame
        if place.owner is not None:
            found = await self._world.call_in(place.owner.context, "locate", place.owner_id)
            if not found:
                raise FrameGone("The frame is gone")
            outer = await self._followed_frame(place.owner, found["frames"])
            frame = await self._content_frame(outer, place.owner_id)
        for owner_id in inner:
            frame = await self._content_frame(frame, owner_id)
        return frame

    async def _content_frame(self, frame: Frame, owner_id: int) -> Frame:
        handle = await frame.locator(f"{ENGINE_NAME}={owner_id}").element_handle(timeout=2000)
        content = await handle.content_frame()
        await handle.dispose()
        if content is None:
            raise FrameGone("The frame is gone")
        return content

    async def _boxes_in(self, place: _Place, numbers: list[int]) -> dict[int, Box]:
        keys = [f"c{-number}" if number < 0 else number for number in numbers]
        try:
            boxes = await self._world.call_in(place.context, "boxes", keys)
            while place.owner:
                boxes = await self._world.call_in(place.owner.context, "throughFrame", place.owner_id, boxes)
                place = place.owner
        except FrameGone:
            return {}
        return {
            number: (box[0], box[1], box[2], box[3]) for number, box in zip(numbers, boxes, strict=True) if box
        }

    # private: saying

    def _stale(self, ref: str, place: _Place | None = None) -> StaleRef:
        what = self._description(ref, [*self._was, *self._trees])
        while place and place.owner:
            place = place.owner
        if place is None or place.token != self._token:
            return StaleRef(f"Ref {ref}{what} is stale — the page has navigated since", AGAIN)
        return StaleRef(f"Ref {ref}{what} is stale — the element no longer exists", AGAIN)

    def _unknown(self, ref: str) -> UnknownRef | StaleRef:
        kind, number = _parse(ref)
        if number < self._next[kind]:
            return self._stale(ref)
        if not self._trees:
            return UnknownRef(f"Ref {ref} is unknown — no snapshot of this page has been taken", AGAIN)
        return UnknownRef(f"Ref {ref} is unknown — it was never given out on this page", AGAIN)

    def _description(self, ref: str, trees: list[Kept]) -> str:
        kind, number = _parse(ref)
        wanted = number if kind == "e" else -number
        for kept in reversed(trees):
            tree = kept.tree()
            line = tree.lines_of.get(wanted)
            if line is not None:
                name = f' "{_short(tree.names[line])}"' if tree.names[line] else ""
                return f" ([{tree.roles[line]}]{name})"
        return ""


def _parse(ref: str) -> tuple[str, int]:
    match = REF.fullmatch(ref)
    if not match:
        raise UnknownRef(
            f'"{_short(ref)}" is not a ref', "Refs look like @e3 or @c1; run 'snapshot -i' to see them"
        )
    return match[1], int(match[2])


def _short(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:79]}…"
