"""Resolve a target as typed to the one element that it means. Performs no action."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from gstack_browse.browser.actions.locate import candidates
from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.cdp.targets import ExecutionContext
from gstack_browse.browser.devtools.page import Frame
from gstack_browse.browser.engine import failures
from gstack_browse.browser.engine.answer_types import MatchedElement
from gstack_browse.browser.engine.messages import FrameGone, JsonValue, PageScriptError
from gstack_browse.browser.engine.refs import Resolved
from gstack_browse.browser.engine.world import frame_transform
from gstack_browse.errors import BrowseError, Disappeared, ManyMatches, NoMatch, RefError, StaleRef, TargetError
from gstack_browse.text.sanitise import one_line

if TYPE_CHECKING:
    from gstack_browse.browser.command.page import PageSession

FRAMES_SECONDS = 1.0
"""Time limit of the search in other frames; longer on a busy machine (`run_with_timeout`)."""
MOST_FRAMES = 20
_NO_BOX = "Could not compute box model"
"""Part of Chromium's error message for an element that is not rendered."""


class Box(NamedTuple):
    """A rectangle in the page's viewport, in CSS pixels."""

    x: float
    y: float
    width: float
    height: float

    @property
    def middle(self) -> tuple[float, float]:
        """Return its middle."""
        return self.x + self.width / 2, self.y + self.height / 2


@dataclass(frozen=True)
class Element:
    """An element of a frame, identified by its node's id in the frame's isolated world."""

    target: str
    frame: Frame
    node: int
    page: "PageSession"
    found_by_part: str = ""
    """Its name, if the target's words are only a part of its text; else ""."""
    needs_selector: bool = False
    """Whether the page alone resolves the target to several elements, or to none: a flow needs another selector."""

    async def box_in_page(self) -> Box | None:
        """Return its box in the page's viewport, in CSS pixels; None if it is not rendered.

        Raises ProtocolError and FrameGone.
        """
        corners = await self.corners()
        if not corners:
            return None
        place = await frame_transform(self.page.world.frames, self.frame)
        corners = [place.to_page_point(x, y) for x, y in corners]
        left, top = min(x for x, _ in corners), min(y for _, y in corners)
        return Box(left, top, max(x for x, _ in corners) - left, max(y for _, y in corners) - top)

    async def corners(self) -> list[tuple[float, float]]:
        """Return the corners of its box in the viewport of its frame's process.

        Returns an empty list for an element that is not rendered. Raises ProtocolError and FrameGone.
        """
        try:
            border = (await self.send("DOM.getBoxModel"))["model"]["border"]
        except ProtocolError as error:
            if _NO_BOX in error.message:
                return []
            raise
        return list(zip(border[::2], border[1::2], strict=True))

    async def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a protocol message about the element. Return the reply; raises as `World.send_for_element` does."""
        return await self.page.world.send_for_element(self.node, method, frame=self.frame, **parameters)

    async def call_on(self, function: str, *arguments: JsonValue) -> Any:
        """Call a JavaScript function with the element as `this`; return its awaited result.

        It runs in our isolated world. Raises as `send` does.
        """
        call = {
            "arguments": [{"value": value} for value in arguments],
            "returnByValue": True,
            "awaitPromise": True,
        }
        reply = await self.send("Runtime.callFunctionOn", functionDeclaration=function, **call)
        return reply["result"].get("value")

    async def ask(self, function: str, *arguments: Any) -> Any:
        """Ask the engine about this node. Raises `other_record_error` if it belongs to another record now."""
        try:
            return await self.page.world.call(function, self.node, *arguments, frame=self.frame)
        except PageScriptError as error:
            if error.args[0] != REFUSED:
                raise
            raise await other_record_error(self.page, self.target) from None


@dataclass
class LookAhead:
    """A question sent along with the action before it, to save a round trip. Asked at most once."""

    target: str
    question: str
    arguments: tuple[Any, ...]
    reply: Any = None
    """The page's answer; None until then, and if it was not asked."""

    def ask_arguments(self, page: "PageSession", frame: Frame) -> list[Any] | None:
        """Return the arguments for `exported.ask`.

        None if the question does not belong in the action's frame.
        """
        asked, which = _describe_target(page, self.target, self.question)
        return [which, self.question, *self.arguments] if which and asked == frame else None

    def answers(self, target: str, question: str, arguments: tuple[Any, ...]) -> bool:
        """Return whether there is a reply to this very question."""
        return bool(self.reply) and (target, question, arguments) == (
            self.target,
            self.question,
            self.arguments,
        )


def _describe_target(
    page: "PageSession", target: str, question: str, *, first: bool = False
) -> tuple[Frame, dict[str, JsonValue]]:
    """Return the frame to search, and the engine's description of the target.

    The description is empty for a ref that is not known to be in the main document.
    """
    ref, selector = _within_ref(page, target)
    identify: dict[str, JsonValue] = {}
    if page.acted_on and (wanted := page.acted_on.wanted_detail(target)):
        identify = {"identify": wanted}
    if not ref:
        return page.frame, {"selector": target, "first": first, **identify}
    key = page.tab.refs.main_document_key(ref)
    if key and selector:
        key = {"within": key["node"], "selector": selector, "first": first}
    printed = printed_texts(page, target, question)
    return page.tab.page.main_frame, key and {**key, **printed, **identify}


def _within_ref(page: "PageSession", target: str) -> tuple[str, str]:
    """Return the ref of a target, or its replacement in this command, and the selector behind it."""
    ref, selector = candidates.within_ref(target)
    return page.redrawn.get(ref, ref), selector


async def _resolve_ref(page: "PageSession", ref: str) -> Resolved:
    """Return the node of a ref, or of the element that replaced it before the command began.

    The page drew that one anew at the same spot. Once the command has found the element nothing replaces it:
    nobody knows what has happened to it by then.
    """
    try:
        resolved = await page.tab.refs.resolve(ref)
    except StaleRef as stale:
        if not (stale.redrawn and page.follows_redrawn) or ref in page.found_refs:
            raise
        resolved = await page.tab.refs.resolve(stale.redrawn)
        page.redrawn[ref] = stale.redrawn
    page.found_refs.add(resolved.ref)
    return resolved


async def locate(page: "PageSession", target: str) -> Element:
    """Return the element that `target` means now.

    Raises NoMatch or ManyMatches for selectors, StaleRef or UnknownRef for refs, UsageError for a word that is
    no selector.
    """
    return await record_for_flow(await _locate(page, target))


async def locate_first(page: "PageSession", target: str) -> Element:
    """Return the element that `target` means now, or the first of several: for reading, not for acting."""
    return await record_for_flow(await _locate(page, target, first=True))


async def record_for_flow(element: Element) -> Element:
    """Describe an element for a recorded flow before an action changes it. Return the element."""
    if element.page.acted_on:
        await element.page.acted_on.add(element)
    return element


async def _locate(page: "PageSession", target: str, *, first: bool = False, again: bool = False) -> Element:
    """Return the element that matches a target. Raises NoMatch, ManyMatches.

    `first`: take the first of several, visible ones first. `again`: the caller tries again, so the error gets
    no hint, which costs a search of the page.
    """
    frame, node, found = await _resolve_target(page, target)
    if node:
        return Element(target, frame, node, page)
    if len(found) > 1:
        shown = [noted for noted in found if noted["visible" if first else "usable"]]
        found = shown[:1] if shown and (first or len(shown) == 1) else found
    if not found or (len(found) > 1 and not first):
        error = _match_error(target, found)
        raise error if again else await add_hint(page, target, error)
    part_of = found[0]["text"] if found[0].get("isPart") and not first else ""
    return Element(target, frame, found[0]["id"], page, part_of, "beside" in found[0])


async def _resolve_target(page: "PageSession", target: str) -> tuple[Frame, int, list[MatchedElement]]:
    """Return the frame of a target, and the node of a ref, or 0 and the matches of its selector.

    A selector behind a ref (`@e1 >> …`) is matched inside of the ref's element.
    """
    ref, selector = _within_ref(page, target)
    if not ref:
        found = await _matches(page, page.frame, selector) or await candidates.find_fields_beside_text(
            page, selector
        )
        return page.frame, 0, found
    resolved = await _resolve_ref(page, ref)
    if not selector:
        return resolved.frame, resolved.node_id, []
    return resolved.frame, 0, await _matches(page, resolved.frame, selector, resolved.node_id)


async def locate_all(page: "PageSession", target: str) -> list[Element]:
    """Return all elements that a selector means."""
    frame, _, found = await _resolve_target(page, target)
    return [Element(target, frame, noted["id"], page) for noted in found]


async def ask_about(
    page: "PageSession", target: str, question: str, *arguments: Any, first: bool = False, again: bool = False
) -> tuple[Element, Any]:
    """Return the element that `target` means, and the answer of an in-page function about it.

    `question`: a function whose first argument is a node id. Takes one round trip, but for refs in other
    documents. `first`: take the first of several matches. `again`: raise without hints, since the
    caller repeats the question and calls `add_hint` in the end. Raises what `locate` raises (with `first`,
    `locate_first`), and StaleRef if an action would hit another record.
    """
    frame, which = _describe_target(page, target, question, first=first)
    ahead, page.ahead, reply = page.ahead, None, None
    if which and ahead and ahead.answers(target, question, arguments):
        reply = ahead.reply
    elif which:
        only = page.document if frame == page.frame else None
        reply = await _ask_engine(page, frame, "ask", which, question, *arguments, only=only)
    if reply and "matches" in reply and not reply["matches"] and candidates.parse_label(target):
        reply = None  # words beside a field may be its label
    if reply and "matches" in reply:
        error = _match_error(target, reply["matches"])
        raise error if again else await add_hint(page, target, error)
    if reply:
        element = Element(target, frame, reply["id"], page, reply.get("part", ""))
        page.found_refs.add(_within_ref(page, target)[0])
        if page.acted_on and reply.get("identity"):
            page.acted_on.note(target, reply["identity"], frame, reply.get("around") or "")
    else:
        element = await record_for_flow(await _locate(page, target, first=first, again=again))
        reply = await _ask_located(element, printed_texts(page, target, question), question, *arguments)
    if "changed" in reply:
        await require_same(page, target)
        await record_for_flow(element)
        reply = await _ask_located(element, {}, question, *arguments)
    return element, reply["answer"]


async def _ask_located(
    element: Element, printed: Mapping[str, JsonValue], question: str, *arguments: Any
) -> Any:
    """Return the answer of `exported.ask` about a located element."""
    page, which = element.page, {"node": element.node, **printed}
    reply = await page.world.call("ask", which, question, *arguments, frame=element.frame)
    return reply or {"answer": await element.ask(question, *arguments)}


async def ask_about_each(page: "PageSession", targets: Sequence[str], question: str) -> list[LookAhead]:
    """Ask the same question about several targets, in one round trip for each frame.

    A target that needs more than that has no reply: `ask_about` answers it.
    """
    looks = [LookAhead(target, question, ()) for target in targets]
    asked: list[tuple[Frame, Any]] = []
    for target in targets:
        frame, which = page.frame, dict[str, JsonValue]()
        with suppress(TargetError, RefError):  # `ask_about` raises it
            frame, which = _describe_target(page, target, question)
        asked.append((frame, [which, question] if which else None))
    for look, reply in zip(looks, await _ask_in_frames(page, asked), strict=True):
        look.reply = reply
    return looks


async def ask_elements(elements: Sequence[Element], question: str) -> list[Any]:
    """Return the in-page function's answer for each element, in one round trip for each frame.

    None also for an element that cannot be asked together with the others of its frame.
    """
    if not elements:
        return []
    asked = [(element.frame, [{"node": element.node}, question]) for element in elements]
    return [reply and reply["answer"] for reply in await _ask_in_frames(elements[0].page, asked)]


async def _ask_in_frames(page: "PageSession", asked: Sequence[tuple[Frame, Any]]) -> list[Any]:
    """Ask the engine about several targets, frame by frame. Return its reply to each list of arguments.

    None for an empty list of arguments, and for a failed call.
    """
    replies: list[Any] = [None] * len(asked)
    for frame in {frame for frame, words in asked if words}:
        places = [at for at, (other, words) in enumerate(asked) if words and other == frame]
        with suppress(FrameGone, PageScriptError, ProtocolError):  # `ask_about` raises it for a single question
            told = await page.world.call("askEach", [asked[at][1] for at in places], frame=frame)
            for at, reply in zip(places, told, strict=True):
                replies[at] = reply
    return replies


async def add_hint(page: "PageSession", target: str, error: TargetError) -> TargetError:
    """Add a hint to the error: similar elements for no match, the matches for several, by refs."""
    if error.hint:
        return error
    with suppress(FrameGone, PageScriptError):  # the page is being replaced
        if isinstance(error, ManyMatches):
            frame, _, found = await _resolve_target(page, target)
            error.hint = await candidates.list_matches(page, frame, found)
        elif isinstance(error, NoMatch):
            error.hint = await _find_in_other_frames(page, target) or await candidates.suggest_similar(
                page, target
            )
    error.hint = error.hint or failures.SEE_ELEMENTS
    return error


async def _find_in_other_frames(page: "PageSession", target: str) -> str:
    """Return a hint that names the selector's matches in other frames; "" for none.

    A frame that does not answer within FRAMES_SECONDS ends the search.
    """
    if candidates.within_ref(target)[0]:
        return ""
    lines: list[str] = []
    frames = [frame for frame in page.tab.page.frames if frame != page.frame][:MOST_FRAMES]
    in_frames = 0

    async def search_frames() -> None:
        nonlocal in_frames
        for frame in frames:
            with suppress(FrameGone, PageScriptError, ProtocolError, TargetError):
                if found := await _matches(page, frame, target):
                    in_frames += 1
                    if named := found[: candidates.MOST - len(lines)]:
                        lines.extend(await candidates.lines_of(page, named, frame))

    with suppress(TimeoutError):
        await page.world.run_with_timeout(search_frames(), FRAMES_SECONDS)
    if len(lines) == 1:
        return f"In another frame: {lines[0].strip()}"
    where = "In another frame" if in_frames == 1 else f"In {in_frames} other frames"
    return "\n".join([f"{where}:", *lines]) if lines else ""


def _match_error(target: str, found: list[MatchedElement]) -> NoMatch | ManyMatches:
    """Return the error for a target that matches no element, or several."""
    if not found:
        return NoMatch(f"No element matches {_shorten(target)}")
    return ManyMatches(f"{_shorten(target)} matches {_format_count(len(found))} elements")


async def exists(page: "PageSession", target: str) -> bool:
    """Return whether the target means at least one element now."""
    try:
        await _locate(page, target, first=True, again=True)
    except NoMatch:
        return False
    return True


async def count_matches(page: "PageSession", target: str) -> int:
    """Return how many elements a selector matches inside of a ref, or in the current frame.

    A ref alone counts as 1.
    """
    ref, selector = _within_ref(page, target)
    frame, node = page.frame, 0
    if ref:
        resolved = await _resolve_ref(page, ref)
        if not selector:
            return 1
        frame, node = resolved.frame, resolved.node_id
    count = int(await _ask_engine(page, frame, "matchCount", selector, node))
    return count if count or ref else len(await candidates.find_fields_beside_text(page, selector))


async def _matches(page: "PageSession", frame: Frame, selector: str, within: int = 0) -> list[MatchedElement]:
    """Return node id and description of each element that a selector matches, at most 50.

    within: the node to search in; 0 for the whole document
    """
    found: list[MatchedElement] = await _ask_engine(page, frame, "describeBestMatches", selector, within)
    return found


async def _ask_engine(
    page: "PageSession", frame: Frame, function: str, *arguments: Any, only: ExecutionContext | None = None
) -> Any:
    """Call a function of the engine that takes a selector.

    Raises UsageError for a malformed selector, and like `World.call`.
    """
    try:
        return await page.world.call(function, *arguments, frame=frame, only=only)
    except PageScriptError as error:
        raise candidates.parse_refusal(str(error.args[0])) or error from None


def _format_count(number: int) -> str:
    """Return the number of matches in words. The engine stops at 50."""
    return "50 or more" if number >= 50 else str(number)


def _shorten(target: str) -> str:
    """Return a target in one line of at most 200 characters."""
    return one_line(target, 200)


REFUSED = "gbrowse: another record"
"""Error of an engine function that would act on another record than was found: scripts/selectors/records.js."""
_ACTIONS = frozenset({"probe", "fieldKind"})
"""Looks that an action follows. A command that only reads gets the present record."""


def printed_texts(page: "PageSession", target: str, question: str) -> "dict[str, JsonValue]":
    """Return the argument of `exported.ask` with the printed record of a ref; {} for reads and selectors."""
    refs, target = page.tab.refs, page.redrawn.get(target, target)
    record: Any = refs.printed_record(target) if question in _ACTIONS and refs.is_printed_ref(target) else None
    return {"printed": record} if record else {}


async def other_record_error(page: "PageSession", target: str) -> BrowseError:
    """Return the error for an element that has become another record since a command found it.

    It is Disappeared for a selector, and for a ref whose record has only changed: the caller locates the target
    again then.
    """
    refs, target = page.tab.refs, page.redrawn.get(target, target)
    refused = await refs.changed_record_error(target) if refs.is_printed_ref(target) else None
    return refused or Disappeared(
        f"{one_line(target, 200)} became another record as it was acted on", failures.SEE_ELEMENTS
    )


async def require_same(page: "PageSession", target: str) -> None:
    """Raise StaleRef if the place where a ref was printed holds another record now."""
    if refused := await page.tab.refs.changed_record_error(page.redrawn.get(target, target)):
        raise refused
