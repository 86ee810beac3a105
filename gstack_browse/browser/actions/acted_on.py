"""Describe the elements that a command acts on, for the log that flows are saved from.

The description comes with the reply of the first call for an element (`find.ask_about`), so it costs mostly no round trip. On large
pages, facts that need a look at all other elements are read once no command runs. The rest must be read before input is sent:
Chromium hands input to a page before calls that were sent earlier, and a click may remove its element.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.command.page import PageCommand
from gstack_browse.browser.devtools.page import Frame
from gstack_browse.browser.engine.messages import FrameGone, PageScriptError
from gstack_browse.browser.engine.world import World
from gstack_browse.flows.log import ActedOn, selects_by_position

if TYPE_CHECKING:
    from gstack_browse.browser.actions.locate.find import Element

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

    def description_level(self, target: str) -> int:
        """Return how much of a target's element `findAndCall` has to describe (its argument `identify`).

        0: nothing. 1: role and name. 2: the best selector, too.
        """
        if self._is_described(target) or len(self._found) >= MOST_TARGETS:
            return 0
        return 2 if target.startswith("@") or selects_by_position(target) else 1

    def _is_described(self, target: str) -> bool:
        """Return whether the element of a target was described while it was visible, as an action waits for."""
        found = self._found.get(target)
        return found is not None and not (found.description or {}).get("hidden")

    def note(self, target: str, description: dict[str, Any], frame: Frame, around: str) -> None:
        """Keep the description of a target's element, unless it was described while it was visible.

        `frame`: the element's. `description`: the engine's, by `identifyElement`. `around`: the text around an element whose selector is by
        position (`nth`); "" for others.
        """
        description["around"] = around
        if self._is_described(target):
            return
        self._found[target] = ActedOn(target, description)
        if not description.get("complete"):
            self._incomplete.append((description, frame))

    @property
    def is_complete(self) -> bool:
        """Return whether all descriptions are complete, so that `complete` has nothing to read."""
        return not self._incomplete

    async def complete(self, world: World) -> None:
        """Read what the incomplete descriptions lack, of elements that still have the same role and name."""
        for description, frame in self._incomplete:
            with suppress(*_GONE):
                before = {name: description.get(name) for name in ("role", "name", "selector", "hidden")}
                after = await world.call("completeIdentity", description["node"], before, frame=frame)
                if after and (after["role"], after["name"]) == (description["role"], description["name"]):
                    description["order"] = after["order"]
                    if "selector" in description:
                        description["selector"] = after["selector"]
                        around = await _text_around(world, description, frame)
                        # Only a selector by position has a text around. Keep that from before the action, which may have
                        # changed it: a form shows a hint for what was chosen.
                        description["around"] = around and (description.get("around") or around)

    async def add(self, element: "Element") -> None:
        """Read an element's description from its page, unless the element of that target has one."""
        if not self.description_level(element.target):
            return
        page, target = element.page, element.target
        is_ref = target.startswith("@")
        with_selector = is_ref or element.needs_selector
        description = None
        with suppress(*_GONE):
            description = await page.world.call(
                "identifyElement", element.node, with_selector, frame=element.frame
            )
            if description:
                description["around"] = await _text_around(page.world, description, element.frame)
        frames: tuple[str, ...] = ()
        if is_ref and element.frame != page.frame:
            frames = await page.world.selectors_of_frames(element.frame)
        self._found[target] = ActedOn(target, description, frames, element.needs_selector)
        if description and not description.get("complete"):
            self._incomplete.append((description, element.frame))

    async def add_focused(self, page: PageCommand) -> None:
        """Read the description of the focused element from its page, and keep it as `focused`."""
        found = await describe_focused(page.world, page.frame, page.tab.page.frames)
        self.focused = ActedOn("", found)


async def _text_around(world: World, description: Mapping[str, Any], frame: Frame) -> str:
    """Return the text around an element whose selector is by position; "" for other selectors.

    `description`: of the element.
    """
    if not selects_by_position(description.get("selector") or ""):
        return ""
    texts: list[str] = await world.call("findTextsAround", [description["node"]], frame=frame)
    return texts[0]


async def describe_focused(
    world: World, frame: Frame | None, frames: Iterable[Frame]
) -> Mapping[str, Any] | None:
    """Describe the focused element of `frame`; if it is a frame itself, that of one of `frames`.

    None if no page answers.
    """
    with suppress(*_GONE):
        found: Mapping[str, Any] | None = await world.call("identifyFocused", frame=frame)
        if found is None or found["tag"] not in _FRAMES:
            return found
        for each in frames:
            inner: Mapping[str, Any] | None = await world.call("identifyFocused", frame=each)
            if inner and inner["tag"] not in (*_FRAMES, "body"):
                return inner
    return None
