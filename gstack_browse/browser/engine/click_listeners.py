"""Find elements with listeners for clicks, delegated ones included, and pages with listeners for keys.

Scripts cannot list event listeners; the protocol can.
"""

import asyncio
import re
from collections.abc import Callable, Sequence
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

from gstack_browse.browser.cdp.session import ProtocolError, consume_exception
from gstack_browse.browser.cdp.targets import ExecutionContext
from gstack_browse.browser.engine import closed_roots
from gstack_browse.browser.engine.messages import FrameGone, PageScriptError, TooLong, call_in, send
from gstack_browse.snapshot.walked import Walked

_TIME_LIMIT_MS = 300
"""Time limit for the search, which a page can prolong."""
EXHAUSTIVE_TIME_LIMIT_MS = 2_000
"""Time limit for the search when all clickable elements were asked for."""


async def mark_delegated_elements(
    context: ExecutionContext,
    options: dict[str, Any],
    *,
    has_trees_inside: bool,
    milliseconds: int = _TIME_LIMIT_MS,
) -> str | None:
    """Mark in the engine the elements whose click handlers a listener of an ancestor calls, as in React.

    Return a new snapshot of the document, encoded as by the engine's `walkPage`; "" if it would equal the last one; None if the
    search failed. Raises FrameGone or ProtocolError if the document goes away after the search, PageScriptError if the engine
    fails.

    options: argument of `walkPage` for that snapshot
    has_trees_inside: search open shadow trees and frames of the same site, too
    milliseconds: time limit of the search
    """
    found = await _find_delegated(context, has_trees_inside, milliseconds)
    if found is None:
        return None
    answer: str = await call_in(context, "reportListenersByIndex", options, found, has_trees_inside)
    return answer


async def _find_delegated(
    context: ExecutionContext, has_trees_inside: bool, milliseconds: int
) -> dict[str, Any] | None:
    """Find the elements whose click handlers a listener of an ancestor calls, by `delegated.js`.

    Return {"elements": number of all elements, "places": indices of the found ones among all, "tags": their tag names}; None if
    there are too many, the page prevents the search, or it exceeds `milliseconds`.
    """
    page = context.target.page_contexts.get(context.frame_id)
    if page is None:
        return None
    try:
        reply = await send(
            context,
            "Runtime.evaluate",
            expression=f"{_delegated_script()}({str(has_trees_inside).lower()})",
            uniqueContextId=page,
            returnByValue=True,
            throwOnSideEffect=True,  # functions of the page that it calls may only compute
            timeout=milliseconds,
        )
    except (PageScriptError, TooLong, FrameGone, ProtocolError):
        return None
    found = reply.get("value")
    return found if _has_expected_shape(found) else None


def _has_expected_shape(result: Any) -> bool:
    """Return whether a result of `delegated.js` has the expected keys and types: the page could forge it."""
    if not isinstance(result, dict) or result.keys() != {"elements", "places", "tags"}:
        return False
    elements, places, tags = result["elements"], result["places"], result["tags"]
    return (
        type(elements) is int
        and isinstance(places, list)
        and isinstance(tags, list)
        and len(places) == len(tags)
        and all(type(place) is int and 0 <= place < elements for place in places)
        and all(isinstance(tag, str) for tag in tags)
    )


@cache
def _delegated_script() -> str:
    """Return the source of `delegated.js`: an expression whose value is a function."""
    return Path(__file__).with_name("delegated.js").read_text(encoding="utf-8").rstrip().removesuffix(";")


MAX_LINES = 1_500
"""Documents with more lines are not searched for listeners."""
_MOST_LISTENING = 1_500
"""Elements with listeners in a document: to tell the engine of a new one takes about 0.3 ms."""
_EXAMINED_COUNTS = re.compile(rb'"suspects":\d+,"customs":\d+')
"""Numbers of elements that the engine wants examined: 0 in the next snapshot, even if the tree is unchanged."""
_MOST_DOCUMENTS = 50
_MAX_SEARCHES = 2
"""Searches for one snapshot, if the page changes meanwhile."""


class ClickListeners:
    """Tracks the elements with click listeners in the documents of a tab, from snapshot to snapshot.

    Listeners are requested if the tree differs from the one that was searched last. More messages follow only if an element has a
    new listener, or if a shadow tree or a frame of the same site is new or has grown. If a change is expected, the request is sent
    with the walk and costs no wait. Documents in which more than `_MOST_LISTENING` elements listen are left to `snapshot -C`.

    All dictionaries are by `ExecutionContext.id`.
    """

    def __init__(self) -> None:
        self._objects: dict[str, str] = {}
        """Object id of `document` in the page's main world; "" for a document with too many listeners."""
        self._sizes: dict[str, dict[int, int]] = {}
        """How many elements each tree inside the document had when its listeners were requested."""
        self._known: dict[str, set[int]] = {}
        """Backend ids of the elements that were reported to the engine."""
        self._seen: dict[str, int] = {}
        """`_tree_hash` of the tree that was searched last."""
        self._large: set[str] = set()
        """Contexts whose documents are not searched, by their last walk."""
        self._delegating: set[str] = set()
        """Contexts in whose documents an element may listen on behalf of its descendants."""
        self._replies: dict[str, asyncio.Future[dict[str, Any]]] = {}
        """Replies to requests sent with the walk: for the document's object if that is not known, else for the listeners."""
        self.expects_change = False
        """Whether something was done in the tab since the last snapshot."""

    def send_request_ahead(self, context: ExecutionContext) -> None:
        """Request a document's click listeners at the same time as its snapshot, to save a round trip.

        Call it right after the snapshot was requested. Requests them only if `add_clickable_elements` is likely to need them; if
        the object id of the document is unknown, requests that instead.
        """
        self._replies.pop(context.id, None)
        if context.id in self._large:
            return
        if context.id not in self._objects and (known := closed_roots.received_document_id(context)):
            self._store_document_id(context, known)
        if context.id not in self._objects:
            reply = closed_roots.request_document_object(context)
        elif self._objects[context.id] and (self.expects_change or context.id not in self._seen):
            reply = closed_roots.request_listeners(context, self._objects[context.id])
        else:
            return
        if reply:
            reply.add_done_callback(consume_exception)
            self._replies[context.id] = reply

    def discard_request(self, context: ExecutionContext) -> None:
        """Discard the request of `send_request_ahead`: another snapshot follows and gets a newer answer."""
        if context.id in self._objects:
            self._replies.pop(context.id, None)

    async def add_clickable_elements(
        self,
        context: ExecutionContext,
        walked: Walked,
        options: dict[str, Any],
        decode: Callable[[str], Walked],
    ) -> Walked:
        """Add the elements that have a click listener, which only the protocol knows, to a snapshot.

        Asks Chromium for the listeners, marks the elements in the engine, and has it take the snapshot again. Return that; `walked`
        itself if it lacks none, or the document is gone or too large to be searched.

        context: of the document
        walked: the snapshot of the document that was just taken
        options: argument of the engine's `walkPage` for the new snapshot
        decode: decodes a snapshot that the engine has sent

        Raises FrameGone or ProtocolError if the document goes away after the search, PageScriptError if the engine fails.
        """
        for _ in range(_MAX_SEARCHES):
            is_new = self._seen.get(context.id) != _tree_hash(walked)
            if not (is_new or self._has_requested_listeners(context)) or self._is_too_large(context, walked):
                return walked
            unmarked = await self._find_unmarked_elements(context, walked.trees)
            if unmarked is None or not (is_new or unmarked):
                return walked
            has_changed, answer = (
                await self._report_listeners(context, unmarked, options) if unmarked else (False, "")
            )
            if answer:
                walked = decode(answer)
            inside = bool(walked.trees)
            if not has_changed and (answer := await self._mark_delegated(context, options, inside)):
                walked = decode(answer)
            if not has_changed:  # else the tree that was searched is not that of the walk
                self._seen[context.id] = _tree_hash(walked)
                return walked
            if not answer:
                walked = decode(await call_in(context, "walkPage", options))
        return walked

    def _has_requested_listeners(self, context: ExecutionContext) -> bool:
        """Return whether `send_request_ahead` has requested listeners of a document searched before.

        `add_clickable_elements` then uses the response even if the tree is unchanged.
        """
        return context.id in self._seen and context.id in self._replies

    def _is_too_large(self, context: ExecutionContext, walked: Walked) -> bool:
        """Return whether a document's snapshot (`walked`) has more than MAX_LINES lines.

        Such a document is not searched, and `send_request_ahead` requests nothing for it next time.
        """
        if len(walked.tree) <= MAX_LINES:
            self._large.discard(context.id)
            return False
        if len(self._large) >= _MOST_DOCUMENTS:
            self._large.clear()
        self._large.add(context.id)
        return True

    async def _find_unmarked_elements(
        self, context: ExecutionContext, trees: Sequence[tuple[int, int]]
    ) -> list[int] | None:
        """Return the backend ids of elements with click listeners that were not reported to the engine yet.

        None if the document is gone, [] if there are too many.

        trees: shadow trees and frames in the document: (node id of the root, number of elements)
        """
        try:
            on_document = await self._find_elements_in_document(context)
            if on_document is None:
                return []
            found = {*on_document, *await self._find_elements_in_new_trees(context, trees)}
        except (ProtocolError, FrameGone, PageScriptError):
            return None  # the document has gone since
        news = found - self._known.get(context.id, set())
        if len(found) > _MOST_LISTENING:
            self._objects[context.id] = ""
            return []
        return list(news)

    async def _report_listeners(
        self, context: ExecutionContext, backend_ids: list[int], options: dict[str, Any]
    ) -> tuple[bool, str]:
        """Mark the elements with these backend ids in the engine as having click listeners.

        Return (whether the page changed meanwhile, a new snapshot as the engine encodes it, or "" if it would equal the last one).
        Raises ProtocolError or FrameGone if the document is gone.

        options: argument of the engine's `walkPage` for that snapshot
        """
        self._known.setdefault(context.id, set()).update(backend_ids)
        nodes = await asyncio.gather(*(closed_roots.resolve_node(context, one) for one in backend_ids))
        living = [node for node in nodes if node]
        if not living:
            return True, ""
        report = await closed_roots.report_listeners(context, living, options)
        if report.may_delegate:
            self._delegating.add(context.id)
        return report.has_page_changed or len(living) < len(nodes), report.walk

    async def _mark_delegated(
        self, context: ExecutionContext, options: dict[str, Any], has_trees_inside: bool
    ) -> str:
        """Mark in the engine elements whose click handlers an ancestor calls, if the document may have any.

        Return a new snapshot, as the engine encodes it; "" if it would equal the last one, or if the search failed. Raises
        FrameGone, ProtocolError and PageScriptError as `mark_delegated_elements` does.

        options: argument of the engine's `walkPage` for that snapshot
        has_trees_inside: search open shadow trees and frames of the same site, too
        """
        if context.id not in self._delegating:
            return ""
        answer = await mark_delegated_elements(context, options, has_trees_inside=has_trees_inside)
        if answer is None:
            self._delegating.discard(context.id)
        return answer or ""

    async def _find_elements_in_document(self, context: ExecutionContext) -> list[int] | None:
        """Return the backend ids of elements with click listeners outside of shadow trees and frames.

        None if the document has too many.
        """
        if context.id not in self._objects:
            await self._fetch_document_id(context)
        if not self._objects[context.id]:
            return None
        reply = self._replies.pop(context.id, None)
        return await closed_roots.click_listener_ids(
            reply or closed_roots.request_listeners(context, self._objects[context.id])
        )

    async def _find_elements_in_new_trees(
        self, context: ExecutionContext, trees: Sequence[tuple[int, int]]
    ) -> list[int]:
        """Return the elements with click listeners in shadow trees and frames that are new or changed in size.

        As backend ids; [] if there is no such tree. Compared with the last call for `context`, so calling it again with the same
        trees returns [].

        trees: all shadow trees and frames now: (node id of the root, number of elements)
        """
        sizes = self._sizes.setdefault(context.id, {})
        news = [tree for tree, size in trees if sizes.get(tree) != size]
        if not news:
            return []
        self._sizes[context.id] = dict(trees)
        living = f"{news}.map((id) => __gbrowse.nodeFor(id)).filter(Boolean)"
        roots = await closed_roots.resolve_objects(context, living)
        found = await asyncio.gather(*(closed_roots.find_click_listeners(context, root) for root in roots))
        closed_roots.release_objects(context)
        return list(chain.from_iterable(found))

    async def _fetch_document_id(self, context: ExecutionContext) -> None:
        """Get and store the object id of `document` in the page's main world: listeners are requested by it."""
        reply = self._replies.pop(context.id, None) or closed_roots.request_document_object(context)
        self._store_document_id(context, await closed_roots.main_world_document_id(context, reply))

    def _store_document_id(self, context: ExecutionContext, object_id: str) -> None:
        """Store the object id of a context's `document`. Forget all earlier documents once there are many."""
        if len(self._objects) >= _MOST_DOCUMENTS:
            for known in (self._objects, self._sizes, self._known, self._seen, self._replies):
                known.clear()
            self._delegating.clear()
        self._objects[context.id] = object_id


def _tree_hash(walked: Walked) -> int:
    """Return a hash of a document's snapshot: equal as long as the tree of elements is unchanged."""
    return hash(_EXAMINED_COUNTS.sub(b"", walked.kept.encoded, count=1))


async def detect_key_listeners(context: ExecutionContext) -> None:
    """Set `context.hears_keys` to whether the page has listeners for keyboard events. Never raises.

    It is True until Chromium answers, and if that fails: the command `fill` then presses keys instead of inserting the text.
    """
    context.hears_keys = True
    page = context.target.page_contexts.get(context.frame_id)
    if page is None:
        return
    try:
        if context.runs_scripts is None:
            context.runs_scripts = bool(await call_in(context, "runsScripts"))
        if not context.runs_scripts:
            # It has no listeners, and our script would log in its console that a script was blocked.
            context.hears_keys = False
            return
        answer = await send(
            context,
            "Runtime.evaluate",
            expression=_key_script(),
            uniqueContextId=page,
            includeCommandLineAPI=True,
            returnByValue=True,
            throwOnSideEffect=True,
        )
    except (PageScriptError, FrameGone, ProtocolError):
        return
    context.hears_keys = answer.get("value") is not False


@cache
def _key_script() -> str:
    """Return the JavaScript of `key-listeners.js`, without comments and indentation: it is sent often."""
    lines = Path(__file__).with_name("key-listeners.js").read_text(encoding="utf-8").splitlines()
    return "\n".join(line.strip() for line in lines if not line.startswith("//"))
