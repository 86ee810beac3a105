"""Find what listens for clicks and keys, which scripts cannot see: also listeners of ancestors."""

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

_MILLISECONDS = 300
"""Time limit for the search, which a page can prolong."""
ASKED_MILLISECONDS = 2_000
"""Time limit for the search when all clickable elements were asked for."""


async def mark_delegated(
    context: ExecutionContext,
    options: dict[str, Any],
    *,
    has_trees_inside: bool,
    milliseconds: int = _MILLISECONDS,
) -> str | None:
    """Tell the engine which elements have a handler that a listener of an ancestor calls, as in React.

    Return a new walk with `options`; "" if it would equal the last one; None if the search failed. Raises like `call_in`.

    has_trees_inside: search open shadow trees and frames of the same site, too
    milliseconds: time limit of the search
    """
    found = await _find_delegated(context, has_trees_inside, milliseconds)
    if found is None:
        return None
    answer: str = await call_in(context, "reportListenersByIndex", options, found, has_trees_inside)
    return answer[1:]


async def _find_delegated(
    context: ExecutionContext, has_trees_inside: bool, milliseconds: int
) -> dict[str, Any] | None:
    """Return what `delegated.js` finds: { elements (number of all), places (indices), tags }.

    None if there are too many, or the page prevents the search. The search may only compute: if a function of the page has a
    side effect, Chromium ends the search before it.
    """
    page = context.target.page_contexts.get(context.frame_id)
    if page is None:
        return None
    try:
        asked = await send(
            context,
            "Runtime.evaluate",
            expression=f"{_delegated_script()}({str(has_trees_inside).lower()})",
            uniqueContextId=page,
            returnByValue=True,
            throwOnSideEffect=True,
            timeout=milliseconds,
        )
    except (PageScriptError, TooLong, FrameGone, ProtocolError):
        return None
    found = asked.get("value")
    return found if has_expected_shape(found) else None


def has_expected_shape(found: Any) -> bool:
    """Return whether an answer of `delegated.js` has the right shape: the page could forge one."""
    if not isinstance(found, dict) or found.keys() != {"elements", "places", "tags"}:
        return False
    elements, places, tags = found["elements"], found["places"], found["tags"]
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


SMALL = 1_500
"""Lines of the largest document that is asked."""
_MOST_NEW = 300
"""Elements that are told to the engine at once, about 0.3 ms each."""
_MOST_LISTENING = 1_500
_ASKED_ONCE = re.compile(rb'"suspects":\d+,"customs":\d+')
"""Counts of elements that a walk wants examined: no part of the tree, and 0 in the next walk."""
_MOST_DOCUMENTS = 50
_TIMES_ASKED = 2
"""By one snapshot, if the page changes meanwhile."""


class ClickListeners:
    """The elements that listen in the documents of a tab.

    One message is sent if the tree differs from that of the last question. More follow only if an element listens that did not
    before, or if a shadow tree or a frame of the same site is new or has grown. If a change is expected, the message is sent
    with the walk and costs no wait. Documents with hundreds of listeners are left to `snapshot -C`.
    """

    def __init__(self) -> None:
        self._objects: dict[str, str] = {}
        """The page's own object for the document of a context; "" where too many listen."""
        self._sizes: dict[str, dict[int, int]] = {}
        """How many elements each tree inside the document had when it was asked."""
        self._known: dict[str, set[int]] = {}
        self._seen: dict[str, int] = {}
        self._large: set[str] = set()
        """Contexts whose documents are not asked, by their last walk."""
        self._delegating: set[str] = set()
        """Contexts in whose documents something may listen for what is in it."""
        self._asked: dict[str, asyncio.Future[dict[str, Any]]] = {}
        """The requests sent with the walk: for the document's object if that is not known, else for the listeners."""
        self.expects_change = False
        """Whether something was done in the tab since the last snapshot."""

    def send_with_walk(self, context: ExecutionContext) -> None:
        """Send the request whose answer the walk just sent is likely to need, so that both share a round trip.

        It is sent after the walk: its answer is about the tree that was walked, or a later one.
        """
        self._asked.pop(context.id, None)
        if context.id in self._large:
            return
        if context.id not in self._objects and (known := closed_roots.received_document(context)):
            self._note_document(context, known)
        if context.id not in self._objects:
            asked = closed_roots.request_document(context)
        elif self._objects[context.id] and (self.expects_change or context.id not in self._seen):
            asked = closed_roots.request_listeners(context, self._objects[context.id])
        else:
            return
        if asked:
            asked.add_done_callback(consume_exception)
            self._asked[context.id] = asked

    def discard_request(self, context: ExecutionContext) -> None:
        """Discard the request that was sent with the last walk."""
        if context.id in self._objects:
            self._asked.pop(context.id, None)

    async def complete(
        self, context: ExecutionContext, walked: Walked, options: dict[str, Any], read: Callable[[str], Walked]
    ) -> Walked:
        """Find new click listeners; walk again, with `options`, if there are any. Return the last walk.

        read: decodes the text of a walk

        A tree counts as searched only if it did not change meanwhile. Raises like `_report_listeners`.
        """
        for _ in range(_TIMES_ASKED):
            is_new = self._is_new(context, walked)
            if not (is_new or self._has_answer(context)) or self._note_size(context, walked):
                return walked
            unmarked = await self._find_unmarked(context, walked.trees)
            if unmarked is None or not (is_new or unmarked):
                return walked
            has_changed, answer = (
                await self._report_listeners(context, unmarked, options) if unmarked else (False, "")
            )
            if answer:
                walked = read(answer)
            inside = bool(walked.trees)
            if not has_changed and (answer := await self._mark_delegated(context, options, inside)):
                walked = read(answer)
            if not has_changed:
                self._seen[context.id] = _tree_hash(walked)
                return walked
            if not answer:
                walked = read(await call_in(context, "walkPage", options))
        return walked

    def _is_new(self, context: ExecutionContext, walked: Walked) -> bool:
        """Return whether this tree differs from the last one that was searched for listeners."""
        return self._seen.get(context.id) != _tree_hash(walked)

    def _has_answer(self, context: ExecutionContext) -> bool:
        """Return whether a request was sent with the walk. Its answer is used even if the tree is unchanged."""
        return context.id in self._seen and context.id in self._asked

    def _note_size(self, context: ExecutionContext, walked: Walked) -> bool:
        """Return whether a document has more than SMALL lines; remember those that have."""
        if len(walked.tree) <= SMALL:
            self._large.discard(context.id)
            return False
        if len(self._large) >= _MOST_DOCUMENTS:
            self._large.clear()
        self._large.add(context.id)
        return True

    async def _find_unmarked(
        self, context: ExecutionContext, trees: Sequence[tuple[int, int]]
    ) -> list[int] | None:
        """Return the backend ids of elements with click listeners that the engine does not know yet.

        None if the document has gone, [] if too many listen. `trees`: ids of the trees inside the document, each with the number of its elements.
        """
        try:
            on_document = await self._on_document(context)
            if on_document is None:
                return []
            found = {*on_document, *await self._find_inside(context, trees)}
        except (ProtocolError, FrameGone, PageScriptError):
            return None  # the document has gone since
        news = found - self._known.get(context.id, set())
        if len(news) > _MOST_NEW or len(found) > _MOST_LISTENING:
            self._objects[context.id] = ""
            return []
        return list(news)

    async def _report_listeners(
        self, context: ExecutionContext, backend_ids: list[int], options: dict[str, Any]
    ) -> tuple[bool, str]:
        """Tell the engine which elements listen. Return (whether the page changed meanwhile, a new walk).

        The walk, with `options`, is "" if it would equal the last one. Raises ProtocolError or FrameGone if the document
        is gone.
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
        """Call `mark_delegated` if an element of the document may listen for its descendants. Return a new walk, or "".

        Raises like `_report_listeners`.
        """
        if context.id not in self._delegating:
            return ""
        answer = await mark_delegated(context, options, has_trees_inside=has_trees_inside)
        if answer is None:
            self._delegating.discard(context.id)
        return answer or ""

    async def _on_document(self, context: ExecutionContext) -> list[int] | None:
        """Return the backend ids of listening elements in the document itself; None if there are too many."""
        if context.id not in self._objects:
            await self._add_document(context)
        if not self._objects[context.id]:
            return None
        asked = self._asked.pop(context.id, None)
        return await closed_roots.click_listener_ids(
            asked or closed_roots.request_listeners(context, self._objects[context.id])
        )

    async def _find_inside(self, context: ExecutionContext, trees: Sequence[tuple[int, int]]) -> list[int]:
        """Return the backend ids of listening elements in shadow trees and frames that are new or changed.

        trees: (id of the tree, number of its elements)
        """
        sizes = self._sizes.setdefault(context.id, {})
        news = [tree for tree, size in trees if sizes.get(tree) != size]
        if not news:
            return []
        self._sizes[context.id] = dict(trees)
        living = f"{news}.map((id) => __gbrowse.nodeFor(id)).filter(Boolean)"
        roots = await closed_roots.resolve_objects(context, living)
        found = await asyncio.gather(*(closed_roots.find_listening_in(context, root) for root in roots))
        closed_roots.release(context)
        return list(chain.from_iterable(found))

    async def _add_document(self, context: ExecutionContext) -> None:
        """Ask for the id of a context's own `document` object, and store it: its listeners are found by it."""
        asked = self._asked.pop(context.id, None) or closed_roots.request_document(context)
        self._note_document(context, await closed_roots.own_document(context, asked))

    def _note_document(self, context: ExecutionContext, document: str) -> None:
        """Store the id of a context's own `document` object. Forget all earlier ones once there are many."""
        if len(self._objects) >= _MOST_DOCUMENTS:
            for known in (self._objects, self._sizes, self._known, self._seen, self._asked):
                known.clear()
            self._delegating.clear()
        self._objects[context.id] = document


def _tree_hash(walked: Walked) -> int:
    """Return a hash that is the same for all walks of the same tree."""
    return hash(_ASKED_ONCE.sub(b"", walked.kept.told, count=1))


async def ask_for_key_listeners(context: ExecutionContext) -> None:
    """Set `context.hears_keys` to whether the page listens for keys. Never raises.

    It is True while the page has not answered, and if the search fails: `fill` then presses keys instead of writing the text.
    """
    context.hears_keys = True
    page = context.target.page_contexts.get(context.frame_id)
    if page is None:
        return
    try:
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
    """Return `key-listeners.js` without comments and indentation: many calls of `fill` send it."""
    lines = Path(__file__).with_name("key-listeners.js").read_text(encoding="utf-8").splitlines()
    return "\n".join(line.strip() for line in lines if not line.startswith("//"))
