"""Describe the elements that a command acts on, for the log that flows are saved from.

The question is sent as soon as an element is found and before anything is done to it, but not waited for: the page answers in
the order of what it is sent. So an action costs the page a description, and no round trip.
"""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from gstack_browse.browser.cdp.session import ProtocolError, consume_exception
from gstack_browse.browser.engine.messages import FrameGone, PageScriptError
from gstack_browse.flows.log import ActedOn

if TYPE_CHECKING:
    from gstack_browse.browser.actions.locate.find import Element
    from gstack_browse.browser.command.page import PageSession

ANSWER_SECONDS = 0.5
"""Time limit for a description once the action is over. A page that answers later has another document by now."""
MOST_TARGETS = 500
_FRAMES = ("iframe", "frame")
_GONE = (FrameGone, PageScriptError, ProtocolError)


class ActedOnElements:
    """The elements that one command has found, each described when it was found first."""

    def __init__(self) -> None:
        self._asked: dict[str, asyncio.Task[ActedOn]] = {}
        self._focused: asyncio.Task[ActedOn] | None = None

    async def add(self, element: "Element") -> None:
        """Ask for the description of an element. Returns once the question is sent."""
        if element.target not in self._asked and len(self._asked) < MOST_TARGETS:
            self._asked[element.target] = task = asyncio.ensure_future(_describe(element))
            task.add_done_callback(consume_exception)
            await asyncio.sleep(0)  # the task sends the question in its first turn

    async def add_focused(self, page: "PageSession") -> None:
        """Ask for the description of what has the focus. Returns once the question is sent."""
        self._focused = task = asyncio.ensure_future(_describe_focused(page))
        task.add_done_callback(consume_exception)
        await asyncio.sleep(0)

    async def collect(self) -> tuple[list[ActedOn], ActedOn | None]:
        """Return the elements in the order in which they were found, and what had the focus."""
        tasks = [*self._asked.values(), *([self._focused] if self._focused else [])]
        if tasks:
            await asyncio.wait(tasks, timeout=ANSWER_SECONDS)
        elements = [
            task.result() if _is_answered(task) else ActedOn(target, None)
            for target, task in self._asked.items()
        ]
        focused = None
        if self._focused:
            focused = self._focused.result() if _is_answered(self._focused) else ActedOn("", None)
        for task in tasks:
            task.cancel()
        return elements, focused


def _is_answered(task: "asyncio.Task[Any]") -> bool:
    return task.done() and not task.cancelled() and task.exception() is None


async def _describe(element: "Element") -> ActedOn:
    """Return the description of an element; without one if the page is gone before it answers."""
    page, target = element.page, element.target
    is_ref = target.startswith("@")
    told = None
    with suppress(*_GONE):
        told = await page.world.call("identity", element.node, is_ref, frame=element.frame)
    frame = ""
    if is_ref and element.frame != page.frame:
        with suppress(*_GONE):
            if owner := await page.world.owner_of(element.frame.id):
                frame = str(await page.world.call("frameSelector", owner))
    return ActedOn(target, told, frame)


async def _describe_focused(page: "PageSession") -> ActedOn:
    """Return what has the focus, also in a frame; without a description if that cannot be said."""
    with suppress(*_GONE):
        found: Mapping[str, Any] | None = await page.world.call("focusedIdentity", frame=page.frame)
        if found is None or found["tag"] not in _FRAMES:
            return ActedOn("", found)
        for frame in page.tab.page.frames:
            inner: Mapping[str, Any] | None = await page.world.call("focusedIdentity", frame=frame)
            if inner and inner["tag"] not in (*_FRAMES, "body"):
                return ActedOn("", inner)
    return ActedOn("", None)
