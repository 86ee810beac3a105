"""Check and uncheck checkboxes, switches, toggles and radio buttons, of HTML and of ARIA."""

import asyncio
from contextlib import suppress
from typing import NamedTuple

from gstack_browse.browser.actions.input import prepared_input, presses
from gstack_browse.browser.actions.locate.find import Element, ask_about
from gstack_browse.browser.actions.pointer import pointer
from gstack_browse.browser.actions.reach import is_rendered
from gstack_browse.browser.actions.readiness import CHECK, LOOK_AGAIN_SECONDS, wait_until_ready
from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.command.page import PageCommand, PollBudget
from gstack_browse.browser.engine.answer_types import CheckState, PointInside
from gstack_browse.browser.engine.messages import FrameGone
from gstack_browse.errors import ActionFailed, NotInteractable, RefError, TargetError

TAKING_SECONDS = 1.0
"""How long a page may take to show that something is checked."""


class CheckResult(NamedTuple):
    """Result of `check`. `was_already`: nothing was pressed, as it had the state. `remark`: "" for none."""

    was_already: bool
    remark: str


async def check(page: PageCommand, target: str, *, wanted: bool = True) -> CheckResult:
    """Check or uncheck (`wanted=False`) an element, unless it has that state already.

    Raises NotInteractable for what cannot be checked, and for a radio button that is to be unchecked; ActionFailed if the page
    does not keep the state.
    """
    known = await _read_check_state(page, target)
    if known and _has_state(known, wanted):
        # raises StaleRef for the box of another record
        await ask_about(page, target, "probeElement", "", with_hint=False)
        return CheckResult(was_already=True, remark="")
    element, report = await wait_until_ready(page, target, CHECK, *(["press"] if known else []))
    state: CheckState | None = known or await element.ask("readCheckState")
    if state is None or _has_state(state, wanted):
        return CheckResult(was_already=True, remark="")
    require_checkable(state, wanted=wanted)
    page.note_widget_rule(state["rule"])
    if report.by_key:  # seen in Fluent UI (a card that is its own checkbox) and Mantine (half stars)
        await element.ask("focusWidget", False)
        await page.keyboard.press("Space")
        remark = "with the space key: it has no place to click"
    else:
        remark = await pointer.click_ready_element(page, element, report)
    now = await _wait_for_check_state(page, element, wanted=wanted)
    if now and state["state"] == "mixed" and not _has_state(now, wanted):
        await pointer.click_ready_element(page, *await wait_until_ready(page, target, CHECK))
        now = await _wait_for_check_state(page, element, wanted=wanted)
    is_unchanged = now and not _has_state(now, wanted) and now["state"] == state["state"]
    if now and is_unchanged and await _press_marker(page, now, target):
        remark = "on what is drawn beside its words"
        now = await _wait_for_check_state(page, element, wanted=wanted)
    if now and not _has_state(now, wanted):
        raise ActionFailed(
            f"{now['text']} was clicked and did not become {'checked' if wanted else 'unchecked'}",
            "The page may refuse it: look at it with 'snapshot -i'",
        )
    if now is None and not (page.tab.is_interrupted or page.tab.gone_error()):
        is_there = await is_rendered(element)
        remark = (
            "another record is in its place since" if is_there else remark or "the page has taken it away since"
        )
    return CheckResult(was_already=False, remark=remark)


async def _press_marker(page: PageCommand, state: CheckState, target: str) -> bool:
    """Press the box that a pseudo-element draws beside an element's text. Return False if it has none.

    Some pages check only by a press on that: in Lexical's list of tasks a press on the text sets the caret.
    """
    element, report = await wait_until_ready(page, target, CHECK)
    if element.node != state["id"]:
        return False
    place: PointInside | None = await element.ask("findPseudoElementPoint")
    if place is None:
        return False
    await presses.press(page, element, report, point=place)
    return True


def require_checkable(state: CheckState, *, wanted: bool) -> None:
    """Raise NotInteractable if a click can never bring the element into the wanted state."""
    if not state["id"]:
        raise NotInteractable(
            f"{state['text']} is no checkbox, switch or radio button", "Use 'click <target>', or 'select'"
        )
    if state["radio"] and not wanted and state["state"] == "true":
        raise NotInteractable(
            f"{state['text']} is a radio button, which is unchecked by checking another",
            "Use 'check <another>'",
        )


def _has_state(state: CheckState, wanted: bool) -> bool:
    """Return whether the element can be checked and is checked (`wanted=True`) or unchecked (False)."""
    return bool(state["id"]) and state["state"] == ("true" if wanted else "false")


async def _read_check_state(page: PageCommand, target: str) -> CheckState | None:
    """Return the check state of a target's element; None if no element matches yet, or several do."""
    with suppress(TargetError, FrameGone):
        _, state = await ask_about(page, target, "readCheckState", with_hint=False)
        found: CheckState | None = state
        return found
    return None


async def _wait_for_check_state(page: PageCommand, element: Element, *, wanted: bool) -> CheckState | None:
    """Wait until the element is checked or unchecked as wanted, at most TAKING_SECONDS. Return its state.

    None if the element or the page has gone, if another record has got the element, or a dialog is open.
    """
    budget = PollBudget(page, page.give_up_time(TAKING_SECONDS))
    while True:
        try:
            state: CheckState | None = await prepared_input.await_unless_interrupted(
                page, element.ask("readCheckState")
            )
            if state and not _has_state(state, wanted) and await element.ask("isOtherRecord"):
                return None
            if not state and not page.tab.is_interrupted:
                with suppress(RefError):  # the page may have put another in its place
                    state = await _read_check_state(page, element.target)
        except (FrameGone, ProtocolError):
            return None  # the observer reports it
        if state is None or _has_state(state, wanted) or budget.is_exhausted():
            return state
        await asyncio.sleep(LOOK_AGAIN_SECONDS)
