"""Resolve targets (ref, selector, text) to elements, and call functions of our scripts with them.

Such a function is `exported.NAME` in engine/scripts or reading/scripts, and gets the element's node id. Performs no action.
A page may reuse an element for another data record, such as a row of a virtual list. An action on it then raises an error.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

from gstack_browse.browser.actions.locate import candidates
from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.cdp.targets import ExecutionContext
from gstack_browse.browser.command.page import PageCommand
from gstack_browse.browser.devtools.page import Frame
from gstack_browse.browser.engine import failures
from gstack_browse.browser.engine.answer_types import MatchedElement
from gstack_browse.browser.engine.messages import FrameGone, JsonValue, PageScriptError
from gstack_browse.browser.engine.refs import Resolved
from gstack_browse.errors import BrowseError, Disappeared, ManyMatches, NoMatch, RefError, StaleRef, TargetError
from gstack_browse.text.sanitise import one_line

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
        """Return the rectangle's middle as (x, y)."""
        return self.x + self.width / 2, self.y + self.height / 2


@dataclass(frozen=True)
class Element:
    """An element of a frame, identified by its node's id in the frame's isolated world."""

    target: str
    frame: Frame
    node: int
    page: PageCommand
    found_by_part: str = ""
    """Its name, if the target's words are only a part of its text; else ""."""
    needs_selector: bool = False
    """Whether the page alone resolves the target to several elements, or to none: a flow needs another selector."""

    def with_node(self, node: int) -> "Element":
        """Return another element of the same frame, by its node's id, for the same target."""
        return Element(self.target, self.frame, node, self.page)

    async def corners(self) -> list[tuple[float, float]]:
        """Return the corners (x, y) of the element's border box, clockwise; [] if it is not rendered.

        In CSS pixels, relative to the viewport of the outermost frame that shares the frame's process. Raises ProtocolError and
        FrameGone.
        """
        try:
            border = (await self.send("DOM.getBoxModel"))["model"]["border"]
        except ProtocolError as error:
            if _NO_BOX in error.message:
                return []
            raise
        return list(zip(border[::2], border[1::2], strict=True))

    async def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a command of Chromium's protocol about the element, and return the result.

        `parameters`: of the command, without those that identify the element. Raises as `World.send_for_element` does.
        """
        return await self.page.world.send_for_element(self.node, method, frame=self.frame, **parameters)

    async def call_on(self, function: str, *arguments: JsonValue) -> Any:
        """Call JavaScript in our isolated world with the element as `this`, and return the awaited result.

        `function`: its source text. Raises as `send` does.
        """
        call = {
            "arguments": [{"value": value} for value in arguments],
            "returnByValue": True,
            "awaitPromise": True,
        }
        reply = await self.send("Runtime.callFunctionOn", functionDeclaration=function, **call)
        return reply["result"].get("value")

    async def ask(self, function: str, *arguments: Any) -> Any:
        """Call a function of our page scripts with this element's node id, and return its result.

        `function`: its name in `exported` (engine/scripts). Raises `other_record_error` if the page has reused the element for
        another data record, such as another row of a list.
        """
        try:
            return await self.page.world.call(function, self.node, *arguments, frame=self.frame)
        except PageScriptError as error:
            if error.args[0] != REFUSED:
                raise
            raise await other_record_error(self.page, self.target) from None


@dataclass
class PipelinedCall:
    """A call of a function in the page that is sent along with the previous action, to save a round trip.

    `function`: its name in `exported` (engine/scripts). It is called with the node of `target`, and `arguments`. The result is
    used at most once.
    """

    target: str
    function: str
    arguments: tuple[Any, ...]
    reply: Any = None
    """The reply of `exported.findAndCall`; None until it has come, and if the call was not sent."""

    def ask_arguments(self, page: PageCommand, frame: Frame) -> list[Any] | None:
        """Return the arguments of this call for `findAndCall`; None if the target is not in `frame`."""
        target_frame, description = _describe_target(page, self.target, self.function)
        return [description, self.function, *self.arguments] if description and target_frame == frame else None

    def has_reply_to(self, target: str, function: str, arguments: tuple[Any, ...]) -> bool:
        """Return whether the reply has come, and the call was made with these arguments."""
        own = self.target, self.function, self.arguments
        return bool(self.reply) and own == (target, function, arguments)


def _describe_target(
    page: PageCommand, target: str, function: str, *, first: bool = False
) -> tuple[Frame, dict[str, JsonValue]]:
    """Return (the frame to search for a target, the target's description for the engine's `findAndCall`).

    The engine finds the element by that description: its selector or node id, and the data record that it was printed with. It
    is {} for a ref that is not known to be in the main document: the caller locates its element first.

    Args:
        target: a selector, a ref, or both: `@e1 >> selector`
        function: name of the engine's function that `findAndCall` is to call on the element; decides whether the record is needed
        first: accept the first of several matches

    Raises UnknownRef for a word that is no ref.
    """
    ref, selector = _split_target(page, target)
    identify: dict[str, JsonValue] = {}
    if page.acted_on and (wanted := page.acted_on.description_level(target)):
        identify = {"identify": wanted}
    if not ref:
        return page.frame, {"selector": target, "first": first, **identify}
    key = page.tab.refs.main_document_key(ref)
    if key and selector:
        key = {"within": key["node"], "selector": selector, "first": first}
    printed = printed_record(page, target, function)
    return page.tab.page.main_frame, key and {**key, **printed, **identify}


def _split_target(page: PageCommand, target: str) -> tuple[str, str]:
    """Split a target `@e1 >> selector` into (ref, selector); either is "" if the target lacks it.

    If the command has found the ref's element replaced, return the ref of the replacement.
    """
    ref, selector = candidates.split_target(target)
    return page.redrawn.get(ref, ref), selector


async def _resolve_ref(page: PageCommand, ref: str) -> Resolved:
    """Return the node of a ref, or of the element that had replaced the ref's before the command began.

    Once the command has found the element, a replacement raises StaleRef: the action may already have changed it.
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


async def locate(page: PageCommand, target: str) -> Element:
    """Return the only element that `target` matches now.

    Raises NoMatch or ManyMatches for a selector, StaleRef or UnknownRef for a ref, UsageError for a malformed selector.
    """
    return await record_for_flow(await _locate(page, target))


async def locate_first(page: PageCommand, target: str) -> Element:
    """Return the first element that `target` matches now, to read it, not to act.

    Raises NoMatch for a selector, StaleRef or UnknownRef for a ref, UsageError for a malformed selector.
    """
    return await record_for_flow(await _locate(page, target, first=True))


async def record_for_flow(element: Element) -> Element:
    """Record the element in the log for saving flows, if the command keeps one. Return the element."""
    if element.page.acted_on:
        await element.page.acted_on.add(element)
    return element


async def _locate(page: PageCommand, target: str, *, first: bool = False, with_hint: bool = True) -> Element:
    """Return the element that a target matches, without recording it. Raises NoMatch, ManyMatches.

    `first`: take the first of several, visible ones first. `with_hint`: add a hint to the error, which costs a search of the
    page; not for a caller that tries again.
    """
    frame, node, found = await _resolve_target(page, target)
    if node:
        return Element(target, frame, node, page)
    if len(found) > 1:
        shown = [noted for noted in found if noted["visible" if first else "usable"]]
        found = shown[:1] if shown and (first or len(shown) == 1) else found
    if not found or (len(found) > 1 and not first):
        error = _match_error(target, found)
        raise await add_hint(page, target, error) if with_hint else error
    part_of = found[0]["text"] if found[0].get("isPart") and not first else ""
    return Element(target, frame, found[0]["id"], page, part_of, "beside" in found[0])


async def _resolve_target(page: PageCommand, target: str) -> tuple[Frame, int, list[MatchedElement]]:
    """Return (frame, node id, []) for a ref, or (frame, 0, matching elements) for a selector.

    A selector behind a ref (`@e1 >> …`) is matched inside of the ref's element.
    """
    ref, selector = _split_target(page, target)
    if not ref:
        found = await _find_matches(page, page.frame, selector) or await candidates.find_fields_beside_text(
            page, selector
        )
        return page.frame, 0, found
    resolved = await _resolve_ref(page, ref)
    if not selector:
        return resolved.frame, resolved.node_id, []
    return resolved.frame, 0, await _find_matches(page, resolved.frame, selector, resolved.node_id)


async def locate_all(page: PageCommand, target: str) -> list[Element]:
    """Return all elements that a selector matches, at most 50; [] for none, and for a ref alone."""
    frame, _, found = await _resolve_target(page, target)
    return [Element(target, frame, noted["id"], page) for noted in found]


async def ask_about(
    page: PageCommand,
    target: str,
    function: str,
    *arguments: Any,
    first: bool = False,
    with_hint: bool = True,
) -> tuple[Element, Any]:
    """Locate `target` and call a function of our page scripts with its node id. Return (element, result).

    Takes one round trip, except for refs in other documents.

    Args:
        function: its name in `exported` (engine/scripts)
        arguments: what it gets after the node id
        first: take the first of several matches
        with_hint: False: raise without hints, for a caller that tries again and calls `add_hint` in the end

    Raises what `locate` raises: NoMatch, ManyMatches (not with `first`), StaleRef, UnknownRef or UsageError. Raises StaleRef, too,
    if an action's ref now shows another data record than when it was printed.
    """
    frame, description = _describe_target(page, target, function, first=first)
    pipelined, page.pipelined_call, reply = page.pipelined_call, None, None
    if description and pipelined and pipelined.has_reply_to(target, function, arguments):
        reply = pipelined.reply
    elif description:
        only = page.document if frame == page.frame else None
        reply = await _ask_engine(page, frame, "findAndCall", description, function, *arguments, only=only)
    if reply and "matches" in reply and not reply["matches"] and candidates.parse_label(target):
        reply = None  # words beside a field may be its label
    if reply and "matches" in reply:
        error = _match_error(target, reply["matches"])
        raise await add_hint(page, target, error) if with_hint else error
    if reply:
        element = Element(target, frame, reply["id"], page, reply.get("part", ""))
        page.found_refs.add(_split_target(page, target)[0])
        if page.acted_on and reply.get("identity"):
            page.acted_on.note(target, reply["identity"], frame, reply.get("around") or "")
    else:
        element = await record_for_flow(await _locate(page, target, first=first, with_hint=with_hint))
        reply = await _ask_located(element, printed_record(page, target, function), function, *arguments)
    if "changed" in reply:
        if refused := await page.tab.refs.changed_record_error(_printed_ref(page, target)):
            raise refused
        await record_for_flow(element)
        # the page remembers what was compared, and refuses the action if that has changed until then
        reply = await _ask_located(element, {"judged": True}, function, *arguments)
    return element, reply["answer"]


async def _ask_located(
    element: Element, printed: Mapping[str, JsonValue], function: str, *arguments: Any
) -> Any:
    """Call a function of our page scripts for a located element. Return {"answer": its result}.

    `function`: its name in `exported` (engine/scripts). `printed`: from `printed_record`. If the element shows another data record
    by now, the function is not called, and the returned dict has "changed" instead.
    """
    page, description = element.page, {"node": element.node, **printed}
    reply = await page.world.call("findAndCall", description, function, *arguments, frame=element.frame)
    return reply or {"answer": await element.ask(function, *arguments)}


async def ask_about_each(page: PageCommand, targets: Sequence[str], function: str) -> list[PipelinedCall]:
    """Call a function of our page scripts for each target, in one round trip a frame. Return the calls.

    `function`: its name in `exported` (engine/scripts). A call that needs more than one round trip has no `reply`; `ask_about`
    makes it then.
    """
    calls = [PipelinedCall(target, function, ()) for target in targets]
    questions: list[tuple[Frame, Any]] = []
    for target in targets:
        frame, description = page.frame, dict[str, JsonValue]()
        with suppress(TargetError, RefError):  # `ask_about` raises it
            frame, description = _describe_target(page, target, function)
        questions.append((frame, [description, function] if description else None))
    for call, reply in zip(calls, await _ask_in_frames(page, questions), strict=True):
        call.reply = reply
    return calls


async def ask_elements(elements: Sequence[Element], function: str) -> list[Any]:
    """Call a function of our page scripts for each element, a round trip a frame. Return the results.

    `function`: its name in `exported` (engine/scripts). None stands for a function's None, and for a call that failed.
    """
    if not elements:
        return []
    questions = [(element.frame, [{"node": element.node}, function]) for element in elements]
    return [reply and reply["answer"] for reply in await _ask_in_frames(elements[0].page, questions)]


async def _ask_in_frames(page: PageCommand, questions: Sequence[tuple[Frame, Any]]) -> list[Any]:
    """Call `findAndCall` for each (frame, arguments), in one round trip a frame. Return the replies.

    The reply is None if the arguments are None, or the call failed.
    """
    replies: list[Any] = [None] * len(questions)
    for frame in {frame for frame, arguments in questions if arguments}:
        indices = [at for at, (other, arguments) in enumerate(questions) if arguments and other == frame]
        with suppress(FrameGone, PageScriptError, ProtocolError):  # `ask_about` raises it for a single call
            answers = await page.world.call(
                "findAndCallEach", [questions[at][1] for at in indices], frame=frame
            )
            for at, reply in zip(indices, answers, strict=True):
                replies[at] = reply
    return replies


async def add_hint(page: PageCommand, target: str, error: TargetError) -> TargetError:
    """Add a hint to an error that has none, and return the error.

    For NoMatch the hint names similar elements or matches in other frames, for ManyMatches the matches.
    """
    if error.hint:
        return error
    with suppress(FrameGone, PageScriptError):  # the page is being replaced
        if isinstance(error, ManyMatches):
            frame, _, found = await _resolve_target(page, target)
            error.hint = await candidates.list_matches(page, frame, found)
        elif isinstance(error, NoMatch):
            error.hint = await suggest_targets(page, target)
    error.hint = error.hint or failures.SEE_ELEMENTS
    return error


async def suggest_targets(page: PageCommand, target: str) -> str:
    """Return a hint for a target that matches nothing: its matches in other frames, or similar elements."""
    return await _find_in_other_frames(page, target) or await candidates.suggest_similar(page, target)


async def _find_in_other_frames(page: PageCommand, target: str) -> str:
    """Return a hint that names the matches of a selector in other frames than the current; "" for none.

    A frame that does not answer within FRAMES_SECONDS ends the search.
    """
    if candidates.split_target(target)[0]:
        return ""
    lines: list[str] = []
    frames = [frame for frame in page.tab.page.frames if frame != page.frame][:MOST_FRAMES]
    in_frames = 0

    async def search_frames() -> None:
        nonlocal in_frames
        for frame in frames:
            with suppress(FrameGone, PageScriptError, ProtocolError, TargetError):
                if found := await _find_matches(page, frame, target):
                    in_frames += 1
                    if named := found[: candidates.MOST - len(lines)]:
                        lines.extend(await candidates.list_elements(page, named, frame))

    with suppress(TimeoutError):
        await page.world.run_with_timeout(search_frames(), FRAMES_SECONDS)
    if len(lines) == 1:
        return f"In another frame: {lines[0].strip()}"
    where = "In another frame" if in_frames == 1 else f"In {in_frames} other frames"
    return "\n".join([f"{where}:", *lines]) if lines else ""


def _match_error(target: str, found: list[MatchedElement]) -> NoMatch | ManyMatches:
    """Return the error for a target that matches no element (NoMatch), or several (ManyMatches).

    `found`: the matches.
    """
    if not found:
        return NoMatch(f"No element matches {one_line(target, 200)}")
    count = "50 or more" if len(found) >= 50 else len(found)  # the search stops at 50
    return ManyMatches(f"{one_line(target, 200)} matches {count} elements")


async def exists(page: PageCommand, target: str) -> bool:
    """Return whether a target matches an element now. Raises StaleRef for a ref whose element has gone."""
    try:
        await _locate(page, target, first=True, with_hint=False)
    except NoMatch:
        return False
    return True


async def count_matches(page: PageCommand, target: str) -> int:
    """Return how many elements a target matches in the current frame; 1 for a ref."""
    ref, selector = _split_target(page, target)
    frame, node = page.frame, 0
    if ref:
        resolved = await _resolve_ref(page, ref)
        if not selector:
            return 1
        frame, node = resolved.frame, resolved.node_id
    count = int(await _ask_engine(page, frame, "countMatches", selector, node))
    return count if count or ref else len(await candidates.find_fields_beside_text(page, selector))


async def _find_matches(
    page: PageCommand, frame: Frame, selector: str, within: int = 0
) -> list[MatchedElement]:
    """Return node id and description of each element that a selector matches in a frame, at most 50.

    `within`: id of the node to search in; 0 for the whole document.
    """
    found: list[MatchedElement] = await _ask_engine(page, frame, "describeBestMatches", selector, within)
    return found


async def _ask_engine(
    page: PageCommand, frame: Frame, function: str, *arguments: Any, only: ExecutionContext | None = None
) -> Any:
    """Call a function of our page scripts that takes a selector, in `frame`. Return its result.

    `only`: fail if the frame shows another document than this. Raises UsageError for a malformed selector, and what `World.call`
    raises.
    """
    try:
        return await page.world.call(function, *arguments, frame=frame, only=only)
    except PageScriptError as error:
        raise candidates.parse_refusal(str(error.args[0])) or error from None


REFUSED = "gbrowse: another record"
"""Error of a function that would act on another record than was found: scripts/selectors/records.js."""
_ACTIONS = frozenset({"probeElement", "findFieldToFill"})
"""Functions that an action follows. A command that only reads gets the present record."""


def printed_record(page: PageCommand, target: str, function: str) -> "dict[str, JsonValue]":
    """Return {"printed": data record}: `findAndCall` compares a ref's element with that record.

    The record is the row, item or card that the element was in when its ref was printed. {} for a selector, for an element in no
    record, and for a `function` that no action follows.
    """
    ref = _printed_ref(page, target)
    record: Any = page.tab.refs.printed_record(ref) if function in _ACTIONS and ref else None
    return {"printed": record} if record else {}


def _printed_ref(page: PageCommand, target: str) -> str:
    """Return the ref of a target, or of its replacement; "" without one, or if it was never printed.

    `target`: also `@e1 >> selector`.
    """
    ref = _split_target(page, target)[0]
    return ref if page.tab.refs.is_printed_ref(ref) else ""


async def other_record_error(page: PageCommand, target: str) -> BrowseError:
    """Return the error for an element that the page reuses for another data record, such as another row.

    StaleRef for a ref. Disappeared for a selector, and for a ref whose record has only changed: the caller then locates the
    target again.
    """
    ref = _printed_ref(page, target)
    refused = await page.tab.refs.changed_record_error(ref) if ref else None
    return refused or Disappeared(
        f"{one_line(target, 200)} became another record as it was acted on", failures.SEE_ELEMENTS
    )
