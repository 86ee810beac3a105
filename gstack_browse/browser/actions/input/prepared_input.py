"""Dispatch input at once to elements that the page has prepared for it.

Preparing (scripts/actions/prepared-input.js) checks in one call that the element is ready and does not move, and sets up a guard: a
listener that blocks input that would reach another element. So the two animation frames (32 ms) that it takes to see that an element
stands still are saved. A function whose input was blocked says so; the caller then waits until the pointer reaches the element
(`wait_until_reachable`).
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Coroutine, Sequence
from contextlib import asynccontextmanager, suppress
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from gstack_browse.browser.cdp import keys
from gstack_browse.browser.cdp.session import ProtocolError, consume_exception
from gstack_browse.browser.engine.answer_types import Chosen, FieldContent, Filled, Listing, PressAnswer
from gstack_browse.browser.engine.messages import FrameGone
from gstack_browse.browser.tab.tab import BUTTONS, PRESSURE

if TYPE_CHECKING:
    from gstack_browse.browser.actions.locate.find import Element
    from gstack_browse.browser.command.page import PageCommand

NOT_RECEIVED = ""
"""Result of a function in the page to which the input has not come in time.

It is called once more: once Chromium has answered for the input, the page has got it.
"""


_MOUSE = "Input.dispatchMouseEvent"


class PressOutcome(StrEnum):
    """The outcome of a press. The values are those of `endPressWatch` in scripts/actions/presses.js."""

    UNKNOWN = ""
    """The page navigated, or opened a dialog: the observer reports those."""
    CLICKED = "clicked"
    BLOCKED = "blocked"
    """Something else was under the pointer: the guard kept the press from the page."""
    OTHER_RECORD = "other-record"
    """The element shows another record by now: the guard kept the press from the page."""
    OTHER_RECORD_SINCE = "other-record-since"
    """The element shows another record since it was pressed: the guard kept the release and the click from the page."""
    UNDELIVERED = "undelivered"
    """Chromium kept the press from the page."""
    IN_FRAME = "in-frame"
    """The pointer was on a frame in the element, which got the press: the page heard nothing."""
    STILL_DOWN = "still-down"
    """The page got no release."""
    FORM_REFUSED = "form-refused"
    """The click would send a form, and the browser refused one of its fields."""
    CLOSED_AGAIN = "closed-again"
    """The element had opened as the pointer came over it, and the click closed it."""
    RELEASED_WITHOUT_CLICK = "released-without-click"
    DISABLED = "disabled"
    """The page disabled the element before the release: no click."""
    MOVED = "moved"
    """The element was elsewhere at the release: no click."""
    AWAY = "away"
    """The element was not shown at the release: no click."""
    RELEASED_ON_OTHER = "released-on-other"
    """The page had drawn another element in its place at the release: no click."""
    REMOVED = "removed"
    """The page has removed the element: no click."""
    REMOVED_BY_FOCUS = "removed-by-focus"
    """The element was removed as the focus changed: no click."""
    REMOVED_AFTER_ACTION = "removed-after-action"
    """The element was removed as the focus changed, after the page had acted on the press: no click."""
    ACTED = "acted"
    """The page has covered or removed the element after all events but the click: see `presses`."""


def _press_events(
    page: "PageCommand", at: Sequence[float], button: str = "left", count: int = 1
) -> list[dict[str, Any]]:
    """Return the events for press and release at a point. `count`: 2 for a double click's second ones."""
    x, y = at
    common = {"x": x, "y": y, "button": button, "clickCount": count, "modifiers": page.tab.held.modifiers}
    return [
        {"type": "mousePressed", "buttons": BUTTONS[button], "force": PRESSURE, **common},
        {"type": "mouseReleased", "buttons": 0, **common},
    ]


async def click_prepared_point(
    page: "PageCommand", at: Sequence[float], *, holds: bool = False, moves: bool = True
) -> PressOutcome:
    """Click at a point that the page has checked and guarded before (`ElementReport.prepared`).

    Return the outcome: BLOCKED if another element is there by now, which does not get the press. `at`: CSS pixels of the
    viewport. `holds`: let the page draw between press and release. `moves`: move the pointer there first.
    """
    x, y = at
    held = page.tab.held
    held.at = x, y
    events = [*([{"type": "mouseMoved", "x": x, "y": y}] if moves else []), *_press_events(page, at)]
    if holds:
        *first, release = events
        try:
            await _call_after_mouse_events(page, page.world.call("awaitPressDrawn"), *first)
        except BaseException:
            page.world.session.send(_MOUSE, release).add_done_callback(consume_exception)
            raise
        events = [release]
    answer: PressAnswer | str | None
    answer = await _call_after_mouse_events(page, page.world.call("awaitPressOutcome"), *events)
    if answer == NOT_RECEIVED:
        answer = await _call_after_mouse_events(page, page.world.call("awaitPressOutcome"))
    if not isinstance(answer, dict):
        return PressOutcome.UNKNOWN
    outcome = PressOutcome(answer["outcome"])
    if outcome == PressOutcome.CLICKED:  # else another press may follow
        page.note_messages(answer["messages"])
    return outcome


async def press_button(
    page: "PageCommand",
    at: Sequence[float],
    button: str,
    *,
    is_double: bool = False,
    modifiers: Sequence[str] = (),
    seconds_down: float = 0.0,
) -> None:
    """Press and release a button, twice for a double click, and wait until the page has handled it.

    `at`: CSS pixels of the viewport. `modifiers`: keys that are down meanwhile. `seconds_down`: time between press and
    release. If a dialog opens, the second press follows its answer. If the page navigates, no second press follows.
    """
    x, y = at
    tab = page.tab
    move = {"type": "mouseMoved", "x": x, "y": y, "modifiers": tab.held.modifiers}
    tab.held.at = x, y
    document = tab.document

    async def press(count: int, *before: dict[str, Any]) -> None:
        down, up = _press_events(page, at, button, count)
        try:
            if seconds_down:
                await asyncio.gather(*_send_all(page, *before, down))
                await asyncio.sleep(seconds_down)
        except BaseException:
            _send_all(page, up)  # nothing stays pressed behind a command that is cut off
            raise
        await asyncio.gather(*_send_all(page, *(() if seconds_down else (*before, down)), up))

    async def press_all() -> None:
        await press(1, move)
        # Chromium drops a second press before the page has handled the first, if that opens a window or dialog.
        if is_double and tab.document == document and not tab.requests.is_navigating:
            await press(2)

    with suppress(ProtocolError):  # the observer reports it
        async with _holding_keys(page, modifiers):
            await await_unless_interrupted(page, tab.work.run_until_dialog(press_all()))


def _send_all(page: "PageCommand", *events: dict[str, Any]) -> list["asyncio.Future[dict[str, Any]]"]:
    """Send mouse events without waiting, and return the futures of the responses."""
    replies = [page.world.session.send(_MOUSE, event) for event in events]
    for reply in replies:
        reply.add_done_callback(consume_exception)
    return replies


async def release(page: "PageCommand", button: str) -> None:
    """Release a mouse button where the pointer is, and wait until the page has handled that."""
    _, up = _press_events(page, page.tab.held.at or (0, 0), button)
    await await_unless_interrupted(page, page.world.session.send(_MOUSE, up))


@asynccontextmanager
async def _holding_keys(page: "PageCommand", names: Sequence[str]) -> AsyncIterator[None]:
    """Hold modifier keys down within this context. Keys that `keydown` holds already stay as they are."""
    held = page.tab.held
    added = [name for name in names if keys.find_code(name) not in held.codes]
    ups: list[asyncio.Future[dict[str, Any]]] = []
    try:
        for name in added:
            down = keys.make_down(name, held.modifiers)
            held.keys.append(name)
            await await_unless_interrupted(page, page.world.session.send("Input.dispatchKeyEvent", down))
        yield
    finally:
        for name in reversed([name for name in added if name in held.keys]):
            held.keys.remove(name)
            up = keys.make_up(name, held.modifiers)
            ups.append(page.world.session.send("Input.dispatchKeyEvent", up))
            ups[-1].add_done_callback(consume_exception)  # a page that is busy hears of it later
    if ups:  # not if the block has failed: then the command may have no time left
        await await_unless_interrupted(page, asyncio.gather(*ups, return_exceptions=True))


async def move_pointer(page: "PageCommand", at: Sequence[float]) -> None:
    """Move the pointer to a point (CSS pixels), and wait until the page has handled that."""
    x, y = at
    page.tab.held.at = x, y
    moved = {"type": "mouseMoved", "x": x, "y": y, "modifiers": page.tab.held.modifiers}
    with suppress(ProtocolError):  # the observer reports it
        await await_unless_interrupted(page, page.world.session.send(_MOUSE, moved))


async def move_and_draw(page: "PageCommand", at: Sequence[float]) -> None:
    """Move the pointer to a point (CSS pixels), and wait until the page has drawn its reaction to that."""
    x, y = at
    page.tab.held.at = x, y
    await _call_after_mouse_events(
        page, page.world.call("awaitPointerDrawn"), {"type": "mouseMoved", "x": x, "y": y}
    )


async def _call_after_mouse_events(
    page: "PageCommand", call: Coroutine[Any, Any, Any], *events: dict[str, Any]
) -> Any:
    """Dispatch mouse events, await `call` (a call of a function in the page), and return its result.

    None if a navigation or a dialog keeps the page from answering, or the page has gone.
    """
    with suppress(FrameGone, ProtocolError):  # the observer reports it
        return await _call_after_input(page, call, _MOUSE, events)
    return None


async def _call_after_input(
    page: "PageCommand",
    call: Coroutine[Any, Any, Any],
    method: str = "",
    events: Sequence[dict[str, Any]] = (),
) -> Any:
    """Dispatch input events, await `call` (a call of a function in the page), and return its result.

    None if a navigation or a dialog keeps the page from answering. `method`: the protocol's, with an item of `events` as its
    parameters. Does not await Chromium's responses, which come later than the page's; only if the result is NOT_RECEIVED.
    """
    reply = asyncio.ensure_future(call)  # is sent behind the events, together with them
    send = page.world.session.send
    inputs = [send(method, event) for event in events]
    for message in inputs:
        message.add_done_callback(consume_exception)
    answer = await await_unless_interrupted(page, reply)
    if answer == NOT_RECEIVED:
        await await_unless_interrupted(page, asyncio.gather(*inputs))
    elif answer is not None:
        page.note_turn_ended()
    return answer


async def await_unless_interrupted(page: "PageCommand", calls: Awaitable[Any]) -> Any:
    """Await calls of the page and return the result; None once a navigation begins or a dialog opens."""
    tab = page.tab
    task = asyncio.ensure_future(calls)
    task.add_done_callback(consume_exception)
    task.add_done_callback(lambda _: tab.wake_waiters())
    await tab.wait_until(lambda: task.done() or tab.is_interrupted)
    return task.result() if task.done() else None


async def ask_after_action(page: "PageCommand", call: Awaitable[Any]) -> Any:
    """Await a call of the page after an action; None if the page navigates, has gone, or a dialog opens.

    The observer reports what has happened then.
    """
    with suppress(FrameGone, ProtocolError):
        return await await_unless_interrupted(page, call)
    return None


async def hover(element: "Element", at: Sequence[float]) -> bool:
    """Move the pointer to a point of the viewport (CSS pixels).

    Return False if the page says that it is not over the element.
    """
    x, y = at
    element.page.tab.held.at = x, y
    is_there = await _call_after_mouse_events(
        element.page, element.ask("isPointedAt", x, y), {"type": "mouseMoved", "x": x, "y": y}
    )
    return is_there is not False


async def press_keys(element: "Element", events: Sequence[keys.Event], value: str = "") -> Filled | None:
    """Press keys in a field that the page has prepared. Return its content then; None on a navigation.

    A guard of scripts/actions/prepared-input.js blocks keys that would reach another element. `value`: what the field should
    contain then; if it is given, the call `page.pipelined_call` is sent in the same round trip.
    """
    page, ahead = element.page, element.page.pipelined_call
    words = ahead.ask_arguments(page, element.frame) if ahead and value else None
    call = element.ask("awaitFieldContent", value, words) if words else element.ask("awaitFieldContent")
    answer = await _call_after_input(page, call, "Input.dispatchKeyEvent", events)
    if answer == NOT_RECEIVED:
        answer = await _call_after_input(page, element.ask("awaitFieldContent"))
    found: Filled | None = answer
    if words and found:
        ahead.reply = found["next"]
    return found


async def select_options(element: "Element", indices: Sequence[int]) -> Listing | None:
    """Select options of a `<select>` by index. Return its options then; None if the page replaced it."""
    after: Listing | None = await _call_after_input(element.page, element.ask("chooseOptions", indices))
    return after


def choose_prepared_option(page: "PageCommand", target: str, request_id: str) -> "asyncio.Task[Chosen | None]":
    """Have the page select the options that a call of `probeElement` is to find. Return the task of that.

    Finding and selecting then take one round trip: the call is sent behind the engine's `probeElement` of the same `target` and
    `request_id`, without waiting for its answer. The task's result has the list's options after the choice. It is None, and nothing
    is selected, if the probe has not found one option for each wanted label: then the caller selects them.
    """
    frame = page.tab.page.main_frame if target.startswith("@") else page.frame
    chosen = asyncio.ensure_future(page.world.call("choosePreparedOption", request_id, frame=frame))
    chosen.add_done_callback(consume_exception)
    return chosen


async def read_content(element: "Element") -> FieldContent | None:
    """Return the content of a field; None for a removed one.

    Begins the wait for the end of the page's event-loop turn as well, so that the command need not send that later.
    """
    reply = asyncio.ensure_future(element.ask("readFieldContent"))
    element.page.request_turn_end()
    holds: FieldContent | None = await reply
    return holds
