"""Describe the elements that a command acts on, for the log that flows are saved from.

A description comes with the answer to the first question about an element (`find.ask_about`). So an action costs the page a
description, and mostly no round trip. On large pages, facts that need a look at all other elements are asked for once no
command runs. The rest must be there before input is sent: Chromium hands input to a page before the questions that were sent
earlier, and a click may take its element away.
"""

from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.devtools.page import Frame
from gstack_browse.browser.engine.messages import FrameGone, PageScriptError
from gstack_browse.browser.engine.world import World
from gstack_browse.flows.log import ActedOn, selects_by_position

if TYPE_CHECKING:
    from gstack_browse.browser.actions.locate.find import Element
    from gstack_browse.browser.command.page import PageSession

MOST_TARGETS = 500
_FRAMES = ("iframe", "frame")
_GONE = (FrameGone, PageScriptError, ProtocolError)


class ActedOnElements:
    """The elements that one command has found, each described when it was found first."""

    def __init__(self) -> None:
        self._found: dict[str, ActedOn] = {}
        self._incomplete: list[tuple[dict[str, Any], Frame]] = []
        self.focused: ActedOn | None = None
        """What had the focus before the command, if that was asked."""

    @property
    def elements(self) -> list[ActedOn]:
        """Return the elements in the order in which they were found."""
        return list(self._found.values())

    def wanted_detail(self, target: str) -> int:
        """Return the detail that `exported.ask` gives of a target: 0, 1 or 2.

        0: nothing. 1: a description. 2: a description with the best selector.
        """
        if target in self._found or len(self._found) >= MOST_TARGETS:
            return 0
        return 2 if target.startswith("@") or selects_by_position(target) else 1

    def note(self, target: str, description: dict[str, Any], frame: Frame, around: str) -> None:
        """Keep the description of a target, which is in that frame.

        around: the text around an element that only its place tells; "" for others
        """
        description["around"] = around
        self._found.setdefault(target, ActedOn(target, description))
        if not description.get("complete"):
            self._incomplete.append((description, frame))

    @property
    def is_complete(self) -> bool:
        """Return whether nothing is left to find out behind the action."""
        return not self._incomplete

    async def complete(self, world: World) -> None:
        """Add to incomplete descriptions what they lack, if their elements still exist under the same name."""
        for description, frame in self._incomplete:
            with suppress(*_GONE):
                after = await world.call("completeIdentity", description["node"], frame=frame)
                if after and (after["role"], after["name"]) == (description["role"], description["name"]):
                    description["order"] = after["order"]
                    if "selector" in description:
                        description["selector"] = after["selector"]
                        description["around"] = await _text_around(world, description, frame)

    async def add(self, element: "Element") -> None:
        """Ask for the description of an element, unless its target has one."""
        if not self.wanted_detail(element.target):
            return
        page, target = element.page, element.target
        is_ref = target.startswith("@")
        with_selector = is_ref or element.needs_selector
        description = None
        with suppress(*_GONE):
            description = await page.world.call("identity", element.node, with_selector, frame=element.frame)
            if description:
                description["around"] = await _text_around(page.world, description, element.frame)
        frames: tuple[str, ...] = ()
        if is_ref and element.frame != page.frame:
            frames = await page.world.selectors_of_frames(element.frame)
        self._found[target] = ActedOn(target, description, frames, element.needs_selector)
        if description and not description.get("complete"):
            self._incomplete.append((description, element.frame))

    async def add_focused(self, page: "PageSession") -> None:
        """Ask for the description of what has the focus."""
        self.focused = await _describe_focused(page)


async def _text_around(world: World, description: Mapping[str, Any], frame: Frame) -> str:
    """Return the text around an element that only its place tells; "" for others."""
    if not selects_by_position(description.get("selector") or ""):
        return ""
    texts: list[str] = await world.call("textsAround", [description["node"]], frame=frame)
    return texts[0]


async def _describe_focused(page: "PageSession") -> ActedOn:
    """Describe the focused element, in whatever frame; without a description if the page does not answer."""
    with suppress(*_GONE):
        found: Mapping[str, Any] | None = await page.world.call("focusedIdentity", frame=page.frame)
        if found is None or found["tag"] not in _FRAMES:
            return ActedOn("", found)
        for frame in page.tab.page.frames:
            inner: Mapping[str, Any] | None = await page.world.call("focusedIdentity", frame=frame)
            if inner and inner["tag"] not in (*_FRAMES, "body"):
                return ActedOn("", inner)
    return ActedOn("", None)
