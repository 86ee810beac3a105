"""Wait until an element is ready for an action (visible, enabled, not covered …), or raise the reason.

Scrolls to the element, and moves the pointer away from it if a cover stays. Performs no other action. At the end: messages on lists.
"""

import asyncio
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from gstack_browse.browser.actions.locate import candidates, covers
from gstack_browse.browser.actions.locate.candidates import BY_WORDS
from gstack_browse.browser.actions.locate.covers import Cover, ObstacleMonitor
from gstack_browse.browser.actions.locate.find import (
    Element,
    add_hint,
    ask_about,
    ask_elements,
    locate_all,
    record_for_flow,
)
from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.command.page import PageCommand, PollBudget
from gstack_browse.browser.engine import failures
from gstack_browse.browser.engine.answer_types import ElementProbe, FieldKind, FoundOption, Option, ShownOption
from gstack_browse.browser.engine.messages import FrameGone, PageScriptError
from gstack_browse.errors import (
    ActionFailed,
    Covered,
    Hidden,
    ManyMatches,
    NoMatch,
    NotInteractable,
    OutOfView,
    TargetError,
)
from gstack_browse.text.sanitise import element_name, one_line, quote_text, quote_unless_short

WAIT_SECONDS = 5.0
LOOK_AGAIN_SECONDS = 0.05
SEVERAL_SECONDS = 0.5
"""Several matches mean an ambiguous target, not an unready page; a list being re-rendered gets this time."""
SEVERAL_LOOKS = 5
CLOSE_THAT = "Close that first"
INERT = "The page keeps everybody from it: close what is open beside it, or wait"
SKIP_LINK = "A link for the keyboard: 'focus <target>', then 'press Enter'"


_NOTHING = ElementProbe(
    tag="", type="", text="", visible=False, disabled=False, readonly=False, fill="", collectsKeys=False, opens=False, cell=False,
    inView=False, cover=None, point=[-1, -1], aside=None, link="", label=None, byKey=False, selectId=0, listId=0, motion="",
    controlId=0, blocker="", beside=False, held=False, slider=False, popup=False, prepared=None,
)  # fmt: skip
"""The report on a removed element."""


class ElementReport:
    """The page's report on an element: see `probeElement` in scripts/actions/actionability.js."""

    def __init__(self, probe: ElementProbe | None) -> None:
        self.gone = probe is None
        answer = probe or _NOTHING
        self.tag = answer["tag"]
        self.type = answer["type"]
        self.name = element_name(answer["text"])
        """Its name in messages; "" for a field that was prepared: see `load_name`."""
        self.visible = answer["visible"]
        self.disabled = answer["disabled"]
        self.readonly = answer["readonly"]
        self.fill = answer["fill"]
        self.collects_keys = answer["collectsKeys"]
        """Whether the page may listen for every key of a text."""
        self.opens = answer["opens"]
        """Whether it opens a list of options that a page has built itself."""
        self.is_in_cell = answer["cell"]
        """Whether it is a grid cell, or in one."""
        self.in_view = answer["inView"]
        self.cover = Cover(answer["cover"]) if answer["cover"] else None
        self.blocker = element_name(answer["blocker"]) if answer["blocker"] else ""
        """The modal or inert element that keeps even the keyboard from it; "" for none."""
        self.label = answer["label"]
        """For a checkable element out of the mouse's reach: its label or drawing (id), and where to click that."""
        self.by_key = answer["byKey"]
        """For an invisible checkable element without a place to press: whether Space may be pressed on it."""
        self.aside = answer["aside"]
        """Point in the element to press if its middle is covered."""
        self.select_node = answer["selectId"]
        """For an option of a closed list: the list."""
        self.list_node = answer["listId"]
        """For an option that is visible in its list: the list."""
        self.motion = answer["motion"]
        """Its animation: "" for none that moves it, "ends" for one that will soon end, else "endless"."""
        self.link = answer["link"]
        """For a link: "download" or "page"; else ""."""
        self.control_node = answer["controlId"]
        """For a label: the field it belongs to."""
        self.is_pointer_beside = answer["beside"]
        """Whether the pointer rests on another element of the same small widget."""
        self.is_held = answer["held"]
        """Whether to hold the press on it until the page has drawn its reaction."""
        self.is_slider = answer["slider"]
        """Whether a press moves it to the pressed point."""
        self.is_in_popup = answer["popup"]
        """Whether it is in a popup over the page, and the focus in a field outside of that."""
        self.prepared = answer["prepared"]
        """What the page has prepared for the action in the same turn; None if the action has to wait."""
        self.native_node = 0
        """For a widget that stands for a hidden native list: that list."""

    def find_obstacle(self, required: frozenset[str]) -> TargetError | None:
        """Return the error that says why an action cannot work on the element now; None if it can.

        `required`: the properties that the action needs, such as "enabled" or "uncovered" (see POINTER).
        """
        if self.gone:
            return NoMatch("The element disappeared", failures.SEE_ELEMENTS)
        through = ("clickable" in required and self.label) or ("checkable" in required and self.by_key)
        if not self.visible and not through and self.fill != "choice":
            return Hidden(f"{self.name} is hidden", failures.SEE_ELEMENTS)
        if self.disabled and "enabled" in required:
            return NotInteractable(f"{self.name} is disabled", "Fill in what it depends on, or wait for it")
        if "editable" in required and not self.fill:
            return NotInteractable(f"{self.name} cannot be filled: it is no text field", _suggest_command(self))
        if "editable" in required and self.readonly:
            return NotInteractable(f"{self.name} is read-only", _suggest_command(self))
        if through:
            return None
        if "unblocked" in required and self.blocker:
            return Covered(f"{self.name} is blocked by {self.blocker}", CLOSE_THAT, key=self.blocker)
        if "uncovered" in required and self.blocker and self.cover:
            why = f"{self.name} is inert, by {self.blocker}: it takes no presses"
            return Covered(why, INERT, key=self.cover.permanence_key)
        if "uncovered" in required and self.cover and not ("pointed" in required and self.cover.is_around):
            return self.cover.make_error(self.name)
        if "uncovered" in required and not self.in_view:
            return OutOfView(
                f"{self.name} is outside of the visible page and cannot be scrolled to",
                SKIP_LINK if self.link else failures.SEE_ELEMENTS,
            )
        return None


async def load_name(element: Element, report: ElementReport) -> str:
    """Return an element's name for messages, which may still have to be read from the page into `report`."""
    report.name = report.name or await read_name(element)
    return report.name


async def read_name(element: Element) -> str:
    """Read an element's name for messages from the page; the target as typed if it has none."""
    return element_name(await element.ask("describeElement")) or element.target


def _suggest_command(report: ElementReport) -> str:
    """Return a hint with the command for an element that `fill` does not take: "Use 'check <target>'"."""
    if report.tag == "select" or report.opens:
        return "Use 'select <target> <value>'"
    if report.type in ("checkbox", "radio"):
        return "Use 'check <target>', or 'uncheck'" if report.type == "checkbox" else "Use 'check <target>'"
    if report.type == "file":
        return "Use 'upload <target> <file>'"
    if report.readonly:
        return "Click it: it may open what it is chosen from; then 'snapshot -i'"
    if report.is_in_cell:
        return (
            "Double-click it ('dblclick <target>'): a grid opens a field to fill; then 'snapshot -i', or 'type'"
        )
    return failures.SEE_ELEMENTS


POINTER = frozenset({"enabled", "uncovered", "clickable"})
HOVER = frozenset({"uncovered", "clickable", "pointed"})
EDIT = frozenset({"enabled", "editable", "unblocked", "field"})
CHECK = POINTER | {"checkable"}
CHOOSE = frozenset({"enabled", "unblocked", "field"})


async def wait_until_ready(
    page: PageCommand, target: str, required: frozenset[str], *prepare: str
) -> tuple[Element, ElementReport]:
    """Wait until the target is one element, ready for an action. Return it with the page's report on it.

    Args:
        required: the properties that the action needs, such as POINTER
        prepare: a step that the page takes at once if the element is ready (`ElementReport.prepared`): the name of a function in
            scripts/actions/prepared-input.js, and its arguments

    Raises the reason after 5 s, or `--timeout`: no such element, several, hidden, disabled, read-only, covered. Raises it after a
    second if a cover does not change, and for a read-only field of a page at rest. Raises it at once for a visible element that
    is no field, if one is required, and for a stale ref, since waiting brings no element back. Raises PageReplaced once
    `page.document` was replaced.
    """
    begun = page.now()
    give_up = page.give_up_time(WAIT_SECONDS)
    obstacle: TargetError | None
    still, several = ObstacleMonitor(page), PollBudget(page, begun + SEVERAL_SECONDS, SEVERAL_LOOKS)
    spent: set[str] = set()
    while True:
        try:
            if page.document and await page.world.frames.context_of(page.frame) is not page.document:
                raise failures.page_replaced_error()
            element, report = await _find_element(page, target, required, prepare)
            obstacle = report.find_obstacle(required)
            if obstacle is None and required and element.frame != page.tab.page.main_frame:
                obstacle, report = await _check_around_frame(element, report, required, prepare)
            if obstacle is None:
                page.lacks = None
                if element.found_by_part:
                    page.note_once(f"{one_line(target, 80)} is a part of {element_name(element.found_by_part)}")
                return element, report
            if page.now() < give_up and await _remove_obstacle(element, report, required, obstacle, spent):
                continue
            hopeless = "editable" in required and report.visible and not report.fill
            hopeless = hopeless or still.is_permanent(_obstacle_key(page, report, required, obstacle))
            is_cover = isinstance(obstacle, Covered) and report.cover
            if is_cover and still.is_half_over and await _move_pointer_away(page):
                still = ObstacleMonitor(page)
                continue
        except ManyMatches as error:
            obstacle, hopeless = error, several.has_met_limits()
        except TargetError as error:
            obstacle, hopeless = error, False
        except FrameGone:
            obstacle, hopeless = NoMatch("The page was replaced meanwhile", failures.SEE_ELEMENTS), False
        page.lacks = obstacle
        if hopeless or page.now() >= give_up:
            failure = await _add_hint_on_obstacle(page, target, obstacle)
            page.lacks = None
            raise failure
        await asyncio.sleep(LOOK_AGAIN_SECONDS)


async def _remove_obstacle(
    element: Element, report: ElementReport, required: frozenset[str], obstacle: TargetError, spent: set[str]
) -> bool:
    """Have the page do what may remove an obstacle. Return whether it did anything.

    `spent`: the names of the functions that have nothing left to do; one is added when that is found.
    """
    if isinstance(obstacle, OutOfView):
        function = "scrollFixedIntoView"
    elif report.disabled and "enabled" in required:
        function = "blurOtherField"
    else:
        return False
    if function in spent or await element.ask(function):
        return function not in spent
    spent.add(function)
    return False


async def _add_hint_on_obstacle(page: PageCommand, target: str, obstacle: TargetError) -> TargetError:
    """Add a hint to the error that says why an action cannot work, and return the error."""
    with suppress(TargetError, FrameGone, PageScriptError, ProtocolError):
        if isinstance(obstacle, Hidden):
            await _explain_hidden(page, target, obstacle)
        elif isinstance(obstacle, Covered):
            await _name_controls_of_cover(page, target, obstacle)
    return await add_hint(page, target, obstacle)


async def _explain_hidden(page: PageCommand, target: str, obstacle: Hidden) -> None:
    """Add to the message how a target is hidden, and to the hint over which element it may appear."""
    element, hidden = await ask_about(page, target, "explainHidden", with_hint=False)
    if not hidden:
        return
    obstacle.message += f": {one_line(hidden['reason'], 150)}"
    shows = hidden["hover"]
    named = await candidates.list_elements(page, [shows], element.frame) if shows else []
    may_show = [f"It may appear under the pointer: hover {line.strip()}" for line in named]
    obstacle.hint = ". ".join([*may_show, obstacle.hint])


async def _name_controls_of_cover(page: PageCommand, target: str, obstacle: Covered) -> None:
    """Name in the hint the control that closes a target's cover, and the link or button that is the cover."""
    for question, words in (("findCloseButton", "It has"), ("findControlOver", "A press there is one on")):
        element, control = await ask_about(page, target, question, with_hint=False)
        named = await candidates.list_elements(page, [control], element.frame) if control else []
        obstacle.hint = ". ".join([obstacle.hint, *(f"{words} {line.strip()}" for line in named)])


async def _move_pointer_away(page: PageCommand) -> bool:
    """Move the pointer out of the page, so that a tooltip under it no longer covers the next element.

    Returns False, and does nothing, if the pointer is not in the page, or is dragging.
    """
    held = page.tab.held
    if held.at is None or held.button:
        return False
    held.at = None
    with suppress(ProtocolError):  # the observer reports a navigation
        await page.world.session.send(
            "Input.dispatchMouseEvent", {"type": "mouseMoved", "x": -1, "y": -1, "modifiers": held.modifiers}
        )
    return True


def _obstacle_key(
    page: PageCommand, report: ElementReport, required: frozenset[str], obstacle: TargetError
) -> str | None:
    """Return a key for what prevents an action, equal while it stays the same; None if it may go away.

    These have one: a cover of which no part moves or shows that the page loads, a modal or inert element that blocks, and a
    read-only field once the document has loaded. `required`: the action's conditions, as "editable".
    `ObstacleMonitor.is_permanent` compares the keys.
    """
    if isinstance(obstacle, Covered):
        return obstacle.key
    is_to_read = "editable" in required and report.visible and report.readonly and not report.disabled
    return report.name if is_to_read and page.tab.page.target.has_loaded else None


async def _find_element(
    page: PageCommand, target: str, required: frozenset[str], prepare: Sequence[str]
) -> tuple[Element, ElementReport]:
    """Return the element to act on for a target, and the page's report on it. Raises NoMatch, ManyMatches.

    Of several matches it is the only field if one is required, and for a press the only one that does something. A hidden control
    is replaced by the element that the page shows for it, such as a styled list for its `select`.
    """
    how = _kind_of_action(required)
    try:
        element, answer = await ask_about(page, target, "probeElement", how, *prepare, with_hint=False)
    except ManyMatches:
        only = None
        if "editable" in required:
            only = await _only_field(page, target)
        elif required == POINTER:
            only = await _only_pressable(page, target)
        if only is None:
            raise
        element = await record_for_flow(replace(only, needs_selector=True))
        answer = await element.ask("probeElement", how, *prepare)
    report = ElementReport(answer)
    if other := await _find_substitute(element, report, required):
        native = element.node if report.tag == "select" else 0
        element = element.with_node(other)
        report = ElementReport(await element.ask("probeElement", how, *prepare))
        report.native_node = native
    return element, report


async def _only_field(page: PageCommand, target: str) -> Element | None:
    """Return the only text field that a selector such as `label=` matches; None for none or several."""
    if not target.startswith(BY_WORDS):
        return None
    elements = await locate_all(page, target)
    kinds: list[FieldKind | None] = await ask_elements(elements, "findFieldToFill")
    fields = [
        element
        for element, kind in zip(elements, kinds, strict=True)
        if kind and kind["kind"] == "text" and kind["id"] == element.node
    ]
    return fields[0] if len(fields) == 1 else None


async def _only_pressable(page: PageCommand, target: str) -> Element | None:
    """Return the match of a `text=` selector that reacts to a press; None if there is not just one.

    Adds a note to the reply that names it. Other matches may be headings, say, without a listener.
    """
    if not target.startswith("text="):
        return None
    elements = await locate_all(page, target)
    acts = await ask_elements(elements, "pressMayHaveEffect")
    found = [element for element, does in zip(elements, acts, strict=True) if does]
    if len(found) != 1 or None in acts:
        return None
    name = element_name(str(await found[0].ask("describeElement")))
    page.note_once(f"{one_line(target, 80)} matches {len(elements)} elements; {name} alone can be clicked")
    return found[0]


def _kind_of_action(required: frozenset[str]) -> str:
    """Return the kind of action that needs these properties, as the engine's `probeElement` takes it.

    It is "press", "edit", "focus", "choose", or "" for reading.
    """
    if "uncovered" in required:
        return "press"
    if "editable" in required:
        return "edit"
    if "focus" in required:
        return "focus"
    return "choose" if required else ""


async def _check_around_frame(
    element: Element, report: ElementReport, required: frozenset[str], prepare: Sequence[str]
) -> tuple[TargetError | None, ElementReport]:
    """Check what pages around an element's frame do to it. Return (error or None, the element's report).

    The error says that the frame is hidden or blocked. Without one the report includes what the page has prepared for the action:
    see `wait_until_ready`.
    """
    seen = await covers.read_frame_state(element)
    if seen["hidden"]:
        why = f"{report.name} is hidden: its frame is not shown"
        return NotInteractable(why, failures.SEE_ELEMENTS), report
    if seen["blocker"]:
        return Covered(f"{report.name} is blocked by {element_name(seen['blocker'])}", CLOSE_THAT), report
    if not prepare:
        return None, report
    report = ElementReport(await element.ask("probeElementInFrame", _kind_of_action(required), *prepare))
    return report.find_obstacle(required), report


async def _find_substitute(element: Element, report: ElementReport, required: frozenset[str]) -> int:
    """Return the id of the node to act on instead of an element, as people do; 0 for the element itself.

    For a label it is the field, for a control that a widget hides the visible part of the widget.
    """
    if "checkable" in required:
        state = await element.ask("readCheckState")
        return state["id"] if state and state["id"] != element.node else 0
    if "field" not in required:
        return 0
    if report.control_node or report.gone or report.fill or report.prepared is not None:
        return report.control_node
    node: int = await element.ask("findReplacementWidget", "fill" if "editable" in required else "select")
    return node


_SIGNS = re.compile(r"^[\s×✕✖✗✘⨯✓✔☑]+|[\s×✕✖✗✘⨯✓✔☑]+$")
"""Crosses and ticks beside a label that are no part of it."""
MOST_NAMED = 5
"""Most options that a reply names beside the chosen ones."""


def option_label(option: FoundOption, wanted_label: str) -> str:
    """Return an option's name for replies: the label that equals `wanted_label`, else its shortest label."""
    folded = " ".join(wanted_label.split()).casefold()
    labels = option["labels"]
    fitting = [label for label in labels if label.casefold() == folded]
    return one_line((fitting or sorted(labels, key=len) or [wanted_label])[0], 80)


def list_available(options: Sequence[ShownOption | Option], total: int) -> str:
    """Return a hint that lists the options that are not disabled: `Available: Red, Blue and 3 more`.

    `total`: the number of options, of which `options` are the first.
    """
    shown = [
        quote_unless_short(option["label"], 40)
        if option["label"].strip()
        else f"value {quote_text(option['value'], 40)}"
        for option in options
        if not option["disabled"]
    ]
    more = f" and {total - len(options)} more" if total > len(options) else ""
    return f"Available: {', '.join(shown)}{more}" if shown else "It has no options to select"


def describe_other_selected(list_name: str, labels: Sequence[str], chosen: Sequence[str]) -> list[str]:
    """Return a note on the options that stay selected beside the `chosen` ones (labels); [] for none.

    `labels`: of all options that the list marks. If none of the chosen ones is among them, the marks mean something else, such as
    the option that has the keyboard's focus: [] then.
    """
    taken = {_normalise_label(label) for label in chosen}
    others = [quote_text(label, 40) for label in labels if _normalise_label(label) not in taken]
    if not others or len(others) == len(labels):
        return []
    more = f" and {len(others) - MOST_NAMED} more" if len(others) > MOST_NAMED else ""
    stay = "stays" if len(others) == 1 else "stay"
    return [f"{list_name} takes several: {', '.join(others[:MOST_NAMED])}{more} {stay} selected"]


def _normalise_label(label: str) -> str:
    """Return a label without crosses and ticks, in one line and lower case, for comparison."""
    return _SIGNS.sub("", one_line(label, 80)).casefold()


def unconfirmed_choice_error(list_name: str, chosen: Sequence[str], buttons: Sequence[str]) -> ActionFailed:
    """Return the error for a choice that a list drops unless one of its `buttons` confirms it."""
    labels = ", ".join(quote_text(label, 40) for label in chosen)
    names = ", ".join(quote_text(button, 40) for button in buttons[:MOST_NAMED])
    return ActionFailed(
        f"{list_name} did not keep {labels}: its list has buttons, and one of them takes the choice ({names})",
        "Open it with 'click', click the options and that button: 'snapshot -i' shows them",
    )


def not_kept_error(list_name: str, labels: Sequence[str]) -> ActionFailed:
    """Return the error for options (labels) that a list deselected again after it had accepted them."""
    names = ", ".join(quote_text(label, 40) for label in labels)
    return ActionFailed(
        f"{list_name} did not keep {names}", "Select each label by itself, and see what it shows"
    )
