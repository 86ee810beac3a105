"""Wait for a condition on a page (`wait`). Each `for_…` returns the reply's text, or raises TimedOut."""

import asyncio
import math
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Literal

from gstack_browse.browser.actions.locate import covers
from gstack_browse.browser.actions.locate.find import (
    MOST_FRAMES,
    ask_about,
    count_matches,
    exists,
    suggest_targets,
)
from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.command.page import PageCommand, PollBudget
from gstack_browse.browser.engine import failures
from gstack_browse.browser.engine.answer_types import TextElsewhere
from gstack_browse.browser.engine.messages import FrameGone, PageScriptError, TooLong
from gstack_browse.browser.tab.tab import Tab
from gstack_browse.browser.tab.urls import shown_url
from gstack_browse.errors import NoMatch, StaleRef, TimedOut
from gstack_browse.network.logs import NetworkEntry
from gstack_browse.text.pattern import Glob, RequestGlob, StatusPattern
from gstack_browse.text.sanitise import one_line, quote_text
from gstack_browse.text.units import format_count, format_seconds

WAIT_SECONDS = 30.0
QUIET_SECONDS = 0.5
STABLE_LOOKS = 5
"""Least number of equal looks at a stable element: a busy machine gives a page no time to change."""
LOOK_AGAIN_SECONDS = 0.05


async def pause(page: PageCommand, milliseconds: int) -> str:
    """Sleep for some milliseconds, and return the reply."""
    await asyncio.sleep(milliseconds / 1000)
    return f"Waited {milliseconds}ms"


async def for_element(page: PageCommand, target: str, milliseconds: int | None) -> str:
    """Wait until the target is there and visible. Return the reply. Raises TimedOut.

    `milliseconds`: time limit; None for `--timeout`, else 30 s.
    """

    async def visible() -> bool:
        with suppress(NoMatch):
            _, states = await covers.fetch_states(page, target, first=True, with_hint=False)
            return bool(states and states["visible"])
        return False

    seconds = milliseconds / 1000 if milliseconds is not None else page.wait_seconds(WAIT_SECONDS)
    if await _wait_until(page, visible, seconds):
        return f"Element {target} appeared"
    raise await _make_not_visible_error(page, target, seconds)


async def for_hidden(page: PageCommand, target: str) -> str:
    """Wait until the target is hidden or gone. Return the reply. Raises TimedOut.

    A ref means one element: if a new one looks like it, the reply says so.
    """
    gone: list[StaleRef] = []

    async def hidden() -> bool:
        try:
            _, states = await covers.fetch_states(page, target, first=True, with_hint=False)
        except NoMatch:
            return True
        except StaleRef as error:
            gone.append(error)
            return True
        return not states or bool(states["hidden"])

    seconds = page.wait_seconds(WAIT_SECONDS)
    if await _wait_until(page, hidden, seconds):
        if gone and gone[0].names_new:
            return f"Element {target} is gone\n→ {gone[0].message}"
        return f"Element {target} is {'gone' if gone else 'hidden'}"
    raise TimedOut(
        f"{one_line(target)} is still visible after {format_seconds(seconds)}", failures.SEE_ELEMENTS
    )


async def for_count(page: PageCommand, target: str, number: int) -> str:
    """Wait until the target matches exactly `number` elements. Return the reply. Raises TimedOut."""
    found = -1

    async def matched() -> bool:
        nonlocal found
        found = await count_matches(page, target)
        return found == number

    seconds = page.wait_seconds(WAIT_SECONDS)
    elements = format_count(number, "element")
    if await _wait_until(page, matched, seconds):
        return f"{one_line(target)} matches {elements}"
    raise TimedOut(
        f"{one_line(target)} did not match {elements} after {format_seconds(seconds)}, but {found:,}",
        failures.SEE_ELEMENTS,
    )


async def for_stable(page: PageCommand, target: str) -> str:
    """Wait until the element has kept place, size and text for 0.5 s, and is visible. Return the reply.

    Raises TimedOut.
    """
    shape, looks = "", PollBudget(page, page.now() + QUIET_SECONDS, STABLE_LOOKS)

    async def still() -> bool:
        nonlocal shape, looks
        before, shape = shape, ""
        with suppress(NoMatch):
            shape = str((await ask_about(page, target, "hashBoxAndText", first=True, with_hint=False))[1])
        if shape != before or not shape:
            looks = PollBudget(page, page.now() + QUIET_SECONDS, STABLE_LOOKS)
        return looks.has_met_limits()

    seconds = page.wait_seconds(WAIT_SECONDS)
    if await _wait_until(page, still, seconds):
        return f"Element {target} is stable"
    if not shape:
        raise await _make_not_visible_error(page, target, seconds)
    raise TimedOut(
        f"{one_line(target)} was still changing after {format_seconds(seconds)}", failures.SEE_ELEMENTS
    )


async def for_request(page: PageCommand, glob: RequestGlob, status: StatusPattern | None) -> str:
    """Wait for the response to a request of the tab matching `glob`. Return the reply. Raises TimedOut.

    `status`: the response must have it; None for any. Requests count that were made since the last action began, or are made from
    now on.
    """
    tab = page.tab

    def list_requests() -> list[NetworkEntry]:
        recent = (entry for entry in page.context.logs.network if _is_since_last_action(entry, tab))
        return [entry for entry in recent if glob.matches(entry.method, entry.url)]

    def answered() -> NetworkEntry | None:
        done = (entry for entry in list_requests() if entry.is_done)
        return next(
            (entry for entry in done if status is None or status.matches(entry.status, entry.error)), None
        )

    seconds = page.wait_seconds(WAIT_SECONDS)
    with page.context.logs.network.watch(tab.wake_waiters):  # requests of shared workers are reported to no tab
        await _wait_while_open(page, lambda: answered() is not None, seconds)
    if found := answered():
        return f"Request: {one_line(found.render(), 300)}"
    wanted = f"{glob}{f' answered {status}' if status else ''}"
    there = "\n".join(f"  {one_line(entry.render(), 200)}" for entry in list_requests()[-3:])
    raise TimedOut(
        f"There was no request {one_line(wanted, 150)} after {format_seconds(seconds)}",
        f"There is:\n{there}" if there else "Run 'network' to see what the page asked for",
    )


def _is_since_last_action(entry: NetworkEntry, tab: Tab) -> bool:
    """Return whether a logged request of the tab was made since the last action began.

    Before any action: whether it belongs to the tab's document.
    """
    if tab.effects.acted_at == math.inf:
        return entry.document == tab.document
    return entry.tab == tab.id and entry.received_at >= tab.effects.acted_at


async def for_text(page: PageCommand, text: str) -> str:
    """Wait until the page shows the text. Return the reply. Raises TimedOut.

    The reply says if only a field has it: what was just typed proves nothing about the page.
    """
    place = ""

    async def shown() -> bool:
        nonlocal place
        place = await page.world.call("locateText", text, frame=page.frame)
        return bool(place)

    seconds = page.wait_seconds(WAIT_SECONDS)
    if await _wait_until(page, shown, seconds):
        return f"Text {quote_text(text, 100)} appeared{', only in a field' if place == 'field' else ''}"
    raise TimedOut(
        f"The page did not show {quote_text(text, 100)} after {format_seconds(seconds)}",
        await describe_missing(page, text),
    )


async def for_url(page: PageCommand, glob: str) -> str:
    """Wait until the tab's URL matches the pattern. Return the reply. Raises TimedOut."""
    tab, pattern = page.tab, Glob(glob)
    seconds = page.wait_seconds(WAIT_SECONDS)
    await _wait_while_open(page, lambda: pattern.matches(tab.url), seconds)
    if pattern.matches(tab.url):
        return f"URL is {shown_url(tab.url)}"
    raise TimedOut(
        f"The URL did not match {one_line(glob, 100)} after {format_seconds(seconds)}",
        f"It is {shown_url(tab.url)}",
    )


async def for_quiet_network(page: PageCommand) -> str:
    """Wait until the tab has had no request under way for 0.5 s. Return the reply. Raises TimedOut."""
    seconds = page.wait_seconds(WAIT_SECONDS)
    give_up = page.give_up_time(WAIT_SECONDS)
    tab = page.tab
    while (left := give_up - page.now()) > 0:
        if not await tab.wait_until(lambda: not tab.requests.pending, left):
            break
        if not await tab.wait_until(lambda: bool(tab.requests.pending), QUIET_SECONDS):
            return "Network idle"
    busy = "\n".join(f"  {one_line(entry.url, 120)}" for entry in tab.requests.pending[:3])
    raise TimedOut(
        f"The network was not idle after {format_seconds(seconds)}", f"Still under way:\n{busy}" if busy else ""
    )


async def for_state(page: PageCommand, state: Literal["load", "domcontentloaded"]) -> str:
    """Wait for the event `load` or `DOMContentLoaded`, after a navigation under way. Return the reply.

    Raises TimedOut.
    """
    seconds = page.wait_seconds(WAIT_SECONDS)
    give_up = page.give_up_time(WAIT_SECONDS)
    await page.tab.wait_until(lambda: not page.tab.requests.is_navigating, give_up - page.now())
    tab, target = page.tab, page.world.frames.target

    def is_over() -> bool:
        has_come = target.has_loaded if state == "load" else target.is_ready
        is_blank = not target.arrivals  # a new tab's page loads nothing
        return bool(tab.closed_reason) or has_come or is_blank

    if not await tab.wait_until(is_over, page.budget(give_up - page.now())):
        raise TimedOut(
            f"The page was still loading after {format_seconds(seconds)}",
            "Run 'network' to see what it waits for",
        )
    if gone := tab.gone_error():
        raise gone
    return "Page loaded" if state == "load" else "DOM content loaded"


async def _make_not_visible_error(page: PageCommand, target: str, seconds: float) -> TimedOut:
    """Return the error for an element that is hidden or missing after a wait of `seconds`."""
    there = await exists(page, target)
    return TimedOut(
        f"{one_line(target)} {'is there but hidden' if there else 'did not appear'} after {format_seconds(seconds)}",
        await suggest_targets(page, target) if not there else failures.SEE_ELEMENTS,
    )


async def _wait_while_open(page: PageCommand, condition: Callable[[], bool], seconds: float) -> None:
    """Wait until a condition of the tab holds, checked whenever the tab changes, but at most `seconds`.

    Raises TabGone as soon as the tab has closed.
    """
    tab = page.tab
    await tab.wait_until(lambda: bool(tab.closed_reason) or condition(), min(seconds, page.remaining()))
    if gone := tab.gone_error():
        raise gone


async def _wait_until(page: PageCommand, condition: Callable[[], Awaitable[bool]], seconds: float) -> bool:
    """Poll a condition of the page until it holds. Return whether it did within `seconds`.

    Ends with the command's deadline at the latest. Raises TabGone as soon as the tab has closed.
    """
    give_up = page.now() + min(seconds, page.remaining())
    while True:
        try:
            if await condition():
                return True
        except (PageScriptError, FrameGone):
            pass  # the document was replaced while we looked; the next look sees the new one
        if gone := page.tab.gone_error():
            raise gone
        if page.now() >= give_up:
            return False
        await asyncio.sleep(LOOK_AGAIN_SECONDS)


_MOST_MILLISECONDS = 1000
_MOST_CHARACTERS = 120


async def describe_frame_with_text(page: PageCommand, text: str) -> str:
    """Return a hint that names another frame that shows a text; "" for none."""
    for frame in page.tab.page.frames[:MOST_FRAMES]:
        with suppress(FrameGone, PageScriptError, ProtocolError):
            if frame != page.frame and await page.world.call("locateText", text, frame=frame):
                return f"A frame shows it ({one_line(shown_url(frame.url), 150)}): 'frame <selector>' goes into one"
    return ""


async def describe_missing(page: PageCommand, text: str) -> str:
    """Return a hint for a text that the page does not show: where it is instead, and what the page shows."""
    if framed := await describe_frame_with_text(page, text):
        return framed
    found: TextElsewhere | None = None
    with suppress(TooLong, FrameGone, PageScriptError, ProtocolError):
        found = await page.world.call(
            "explainMissingText", text, frame=page.frame, milliseconds=_MOST_MILLISECONDS
        )
    where = await _describe_place(page, found) if found and found["kind"] else "Nothing in the page has it"
    title = found["heading"] if found else ""
    heading = quote_text(title, _MOST_CHARACTERS) if title else "a page without a heading"
    here = f"It shows {heading} at {one_line(shown_url(page.tab.url), 150)}"
    return f"{where}. {here}; 'text' prints all"


async def _describe_place(page: PageCommand, found: TextElsewhere) -> str:
    """Describe where a text is, and why it counts as missing: hidden, out of view, other letter case."""
    ref = ""
    with suppress(FrameGone, PageScriptError, ProtocolError):
        (ref,) = await page.tab.refs.refs_of(page.frame, [found["id"]]) if found["id"] else [""]
    if found["kind"] == "case":
        return f"In other letters it is there: {quote_text(found['text'], _MOST_CHARACTERS)} {ref}".rstrip()
    why = (
        "is hidden"
        if found["kind"] == "hidden"
        else "cannot be seen: it is out of view, cut off or transparent"
    )
    return f"{ref or 'An element'} has it and {why}"
