"""Let Playwright act on an element.

It waits until the element stands still, and checks where a press would arrive.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from gstack_browse.browser.cdp import keys
from gstack_browse.browser.cdp.errors import ProtocolError
from gstack_browse.browser.cdp.session import consume_exception
from gstack_browse.browser.engine import failures
from gstack_browse.browser.engine.messages import FrameGone, PageScriptError
from gstack_browse.browser.input.around_frames import may_pass
from gstack_browse.browser.input.covers import STILL_SECONDS
from gstack_browse.browser.input.find import Element
from gstack_browse.browser.input.looks import Looks
from gstack_browse.browser.input.readiness import LOOK_AGAIN_SECONDS, WAIT_SECONDS, Probe
from gstack_browse.errors import (
    BrowseError,
    Covered,
    Disappeared,
    KeepsMoving,
    NotInteractable,
    StaleRef,
    TimedOut,
)

if TYPE_CHECKING:
    from gstack_browse.browser.tabs.page import PageSession

LEAST_SECONDS = 0.5
"""Least time that Playwright gets for an action on an element that is ready."""
BACK_SECONDS = 0.2
"""Seconds for an element to be out of its document: pages that sort remove it and put it back."""
AGAIN_SECONDS = 3.0
"""Seconds of another try if it has neither begun nor given a reason: a busy machine draws frames late."""


async def perform(
    page: "PageSession",
    probe: Probe,
    act: Callable[..., Awaitable[Any]],
    *values: Any,
    seconds: float = WAIT_SECONDS,
    pressed: Element | None = None,
    shown: Element | None = None,
    filled: Element | None = None,
    is_tried_briefly: bool = True,
    **options: Any,
) -> None:
    """Let Playwright act on an element that is ready. Raises the reason if it could not.

    `pressed`: the element that the pointer must reach. It fails early if a page around its frame keeps it
    covered and shows no activity, or if a script keeps moving it. `shown`: the element that `act` belongs to,
    if it is another one. `filled`: the field that a text is put into. Playwright does not report when it begins
    with that. `is_tried_briefly`: False for an action that cannot be begun twice, such as a double click, which
    Playwright would stop in its middle: it gets the whole time at once. A click that starts a navigation may
    not return before that has ended, however long it takes.
    """
    await page.tab.until_adopted()  # not part of the wait for the element
    if pressed:
        options["position"] = await _position(shown or pressed, options.get("position"))
    longest = max(page.patience(seconds), LEAST_SECONDS)
    is_inner = pressed is not None and pressed.frame != page.tab.page.main_frame
    first = [max(page.patience(STILL_SECONDS), LEAST_SECONDS)] if pressed and is_tried_briefly else []
    for patience in (*first, longest, AGAIN_SECONDS):
        try:
            await _act(page, act(*values, timeout=page.budget(patience), **options), options)
        except ProtocolError as error:
            if failures.was_done(error):
                return
            if failures.was_begun(error):
                raise TimedOut(
                    f"{probe.text} was being acted on when the time was over",
                    "See what came of it: snapshot -i",
                ) from None
            found = failures.translate(error, probe.text)
            if isinstance(found, Disappeared) and await _comes_back(pressed or filled):
                continue
            if pressed and isinstance(found, Covered | TimedOut) and not await is_there(pressed):
                raise failures.disappeared(probe.text) from None
            is_told_soon = is_inner or isinstance(found, KeepsMoving)
            if pressed and patience < longest and not (is_told_soon and not await _may_pass(pressed, found)):
                continue
            if not isinstance(found, TimedOut):
                raise found from None
        else:
            return
    if filled:
        raise TimedOut(
            f"{probe.text} did not take the text in time, and may hold a part of it", failures.SEE_ELEMENTS
        )
    raise NotInteractable(f"{probe.text} could not be acted on in time", failures.SEE_ELEMENTS)


async def _position(element: Element, position: Any) -> Any:
    """Return the position to give to Playwright; unchanged if frame or element has gone.

    Playwright reports that itself.
    """
    with suppress(FrameGone, PageScriptError, ProtocolError):
        return await element.playwrights_position(position)
    return position


async def _act(page: "PageSession", act: Awaitable[Any], how: Mapping[str, Any]) -> None:
    """Let Playwright act as `how` says.

    If Playwright gives up in the middle, the keys and the button that it left down are released, even after a
    cancellation.
    """
    await _tell_held_modifiers(page)
    doing = asyncio.ensure_future(act)
    doing.add_done_callback(partial(_let_go, page, how))
    await page.tab.act(doing)


async def _tell_held_modifiers(page: "PageSession") -> None:
    """Press in Playwright the modifiers that are already down, so that its mouse events carry them.

    Playwright's mouse knows only keys that its own keyboard has pressed. The page hears each modifier's keydown a second time.
    """
    held = page.tab.held
    for key in held.keys:
        if keys.find_modifier(key) and key not in held.known_to_playwright:
            held.known_to_playwright.add(key)
            await page.tab.act(page.tab.page.keyboard.down(key))


def _let_go(page: "PageSession", how: Mapping[str, Any], done: "asyncio.Future[Any]") -> None:
    if done.cancelled() or not (error := done.exception()) or not failures.was_at_hand(error):
        return
    tab = page.tab
    ends = [tab.page.keyboard.up(key) for key in how.get("modifiers") or () if key not in tab.held.keys]
    if how.get("delay"):  # without it, Playwright sends the release along with the press
        ends.append(tab.page.mouse.up(button=how.get("button", "left")))
    for end in ends:  # not awaited: the page may be busy for long
        asyncio.ensure_future(end).add_done_callback(consume_exception)


async def _may_pass(pressed: Element, found: BrowseError) -> bool:
    """Return whether the obstacle between the pointer and an element may go away by itself."""
    if isinstance(found, KeepsMoving):
        return await comes_to_rest(pressed)
    return isinstance(found, Covered) and await may_pass(pressed)


async def is_restless(element: Element, probe: Probe) -> bool:
    """Return whether an element still moves once its finite animations have ended."""
    if probe.motion != "ends":
        return probe.motion == "endless"
    with suppress(FrameGone, ProtocolError):
        patience = element.page.patience(WAIT_SECONDS)
        return bool(await element.ask("motionOnceEnded", round(patience * 1000)) == "endless")
    return False


async def is_misplaced(element: Element) -> bool:
    """Return whether Playwright misplaces the element's frame, and so cannot see what a press hits."""
    with suppress(FrameGone, PageScriptError, ProtocolError):
        return await element.is_misplaced()
    return False


async def scroll_to(page: "PageSession", element: Element, probe: Probe, position: Any = None) -> None:
    """Have Playwright scroll every page around an element until it is in view, whatever covers it."""
    hover = element.locator.hover
    await perform(page, probe, hover, pressed=element, trial=True, force=True, position=position)


async def comes_to_rest(element: Element) -> bool:
    """Return whether the animation that moves an element will soon end; True if unknown."""
    with suppress(FrameGone, ProtocolError):
        return bool(await element.ask("motion") == "ends")
    return True


async def _comes_back(element: Element | None) -> bool:
    """Return whether an element that the page has removed is back within BACK_SECONDS."""
    if element is None:
        return False
    looks = Looks(element.page, element.page.wait_until(BACK_SECONDS))
    while not await is_there(element):
        if looks.are_over():
            return False
        await asyncio.sleep(LOOK_AGAIN_SECONDS)
    return True


async def is_there(element: Element) -> bool:
    """Return whether an element is in its document and has a box."""
    with suppress(StaleRef, FrameGone, ProtocolError):
        return bool(await element.ask("isThere"))
    return False


async def reached(element: Element, text: str, *, seconds: float, position: Any = None) -> bool:
    """Let Playwright click an element of a list. Returns False if it could not within so many seconds.

    True also for a press that was begun: the caller looks at its result. `text`: name of the widget that has
    the list.
    """
    page, click = element.page, element.locator.click
    at = await _position(element, position)
    for patience in (seconds, AGAIN_SECONDS):
        try:
            await _act(page, click(timeout=page.budget(patience), position=at), {})
        except ProtocolError as error:
            if failures.was_begun(error):
                return True
            if not isinstance(failures.translate(error, text), TimedOut):
                return False
        else:
            return True
    return False
