"""Playwright's own way of acting on an element: it waits until that stands still, and sees where a press would arrive."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from gstack_browse.browser.cdp.playwright_names import Error as PlaywrightError
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
"""What Playwright gets for an action on an element that is ready, however short the wait may be."""
BACK_SECONDS = 0.2
"""How long an element may be out of its document: pages that sort what they show take it out and put it back."""
AGAIN_SECONDS = 3.0
"""What it gets once more where it has neither begun nor can say why: the page draws the frames that it waits for, but a busy machine draws them late."""


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
    """Let Playwright act on an element that is ready, within so many seconds. Raises the reason when it could not.

    `pressed`: what the pointer has to get at, and soon where a page around its frame has covered that and does nothing, or a script keeps moving it. `shown`: the element
    that `act` is of, if that is another one.
    `is_tried_briefly`: False for what cannot be begun twice, as a double click: Playwright, which stops it in its middle, gets the whole time at once.
    `filled`: what a text is put into. Playwright does not say when it begins with that.
    A click that starts a navigation may not return before that has ended, however long it takes.
    """
    await page.tab.until_adopted()  # whose wait is not that for the element
    if pressed:
        options["position"] = await _position(shown or pressed, options.get("position"))
    longest = max(page.patience(seconds), LEAST_SECONDS)
    is_inner = pressed is not None and pressed.frame != page.tab.page.main_frame
    first = [max(page.patience(STILL_SECONDS), LEAST_SECONDS)] if pressed and is_tried_briefly else []
    for patience in (*first, longest, AGAIN_SECONDS):
        try:
            await _act(page, act(*values, timeout=page.budget(patience), **options), options)
        except PlaywrightError as error:
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
    """The position that Playwright has to be told; as it is where the frame or the element is gone, which Playwright finds out, too."""
    with suppress(FrameGone, PageScriptError, PlaywrightError):
        return await element.playwrights_position(position)
    return position


async def _act(page: "PageSession", act: Awaitable[Any], how: Mapping[str, Any]) -> None:
    """Let Playwright act as `how` says. What it leaves down where it gives up in the middle of that comes up then, also if nobody waits any more."""
    doing = asyncio.ensure_future(act)
    doing.add_done_callback(partial(_let_go, page, how))
    await page.tab.act(doing)


def _let_go(page: "PageSession", how: Mapping[str, Any], done: "asyncio.Future[Any]") -> None:
    if done.cancelled() or not (error := done.exception()) or not failures.was_at_hand(error):
        return
    tab = page.tab
    ends = [tab.page.keyboard.up(key) for key in how.get("modifiers") or () if key not in tab.held.keys]
    if how.get("delay"):  # else it sends the release along with the press
        ends.append(tab.page.mouse.up(button=how.get("button", "left")))
    for end in ends:  # nobody waits: the page may be busy for long
        asyncio.ensure_future(end).add_done_callback(consume_exception)


async def _may_pass(pressed: Element, found: BrowseError) -> bool:
    """Whether what keeps the pointer from an element may pass by itself."""
    if isinstance(found, KeepsMoving):
        return await comes_to_rest(pressed)
    return isinstance(found, Covered) and await may_pass(pressed)


async def is_restless(element: Element, probe: Probe) -> bool:
    """Whether an element goes on moving once the animations that will soon end have ended."""
    if probe.motion != "ends":
        return probe.motion == "endless"
    with suppress(FrameGone, PlaywrightError):
        patience = element.page.patience(WAIT_SECONDS)
        return bool(await element.ask("motionOnceEnded", round(patience * 1000)) == "endless")
    return False


async def is_misplaced(element: Element) -> bool:
    """Whether Playwright cannot see what a press on an element hits: the element is in a frame that Playwright takes to be elsewhere."""
    with suppress(FrameGone, PageScriptError, PlaywrightError):
        return await element.is_misplaced()
    return False


async def scroll_to(page: "PageSession", element: Element, probe: Probe, position: Any = None) -> None:
    """Have Playwright scroll every page around an element until the element is in view, and see nothing of what lies over it."""
    hover = element.locator.hover
    await perform(page, probe, hover, pressed=element, trial=True, force=True, position=position)


async def comes_to_rest(element: Element) -> bool:
    """Whether an animation that moves an element will soon end."""
    with suppress(FrameGone, PlaywrightError):
        return bool(await element.ask("motion") == "ends")
    return True


async def _comes_back(element: Element | None) -> bool:
    """Whether an element that the page has taken away is there again a moment later."""
    if element is None:
        return False
    looks = Looks(element.page, element.page.wait_until(BACK_SECONDS))
    while not await is_there(element):
        if looks.are_over():
            return False
        await asyncio.sleep(LOOK_AGAIN_SECONDS)
    return True


async def is_there(element: Element) -> bool:
    """Whether it is in its document and has a box."""
    with suppress(StaleRef, FrameGone, PlaywrightError):
        return bool(await element.ask("isThere"))
    return False


async def reached(element: Element, text: str, *, seconds: float, position: Any = None) -> bool:
    """Let Playwright click what a list shows, within so many seconds. False when it could not; what came of a press that was begun is looked at.

    `text`: how to call what the list belongs to.
    """
    page, click = element.page, element.locator.click
    at = await _position(element, position)
    for patience in (seconds, AGAIN_SECONDS):
        try:
            await _act(page, click(timeout=page.budget(patience), position=at), {})
        except PlaywrightError as error:
            if failures.was_begun(error):
                return True
            if not isinstance(failures.translate(error, text), TimedOut):
                return False
        else:
            return True
    return False
