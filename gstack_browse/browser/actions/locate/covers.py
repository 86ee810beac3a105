"""Find what covers, hides or blocks an element, also in the pages around its frame.

A frame itself does not know whether a page around it covers it, hides it or makes it inert. `ObstacleMonitor` decides when it is no use
to wait for a cover to go.
"""

from contextlib import suppress

from gstack_browse.browser.actions.locate.find import Element, ask_about
from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.command.page import PageCommand, PollBudget
from gstack_browse.browser.devtools.page import Frame
from gstack_browse.browser.engine.answer_types import CoverDescription, FrameState
from gstack_browse.browser.engine.messages import FrameGone, PageScriptError
from gstack_browse.errors import Covered
from gstack_browse.text.sanitise import element_name

STILL_SECONDS = 1.0
"""Seconds for an unchanged cover, on a page that shows no activity, before a command gives up."""


class Cover:
    """An element that lies over another: see `describeCover` in scripts/actions/actionability.js."""

    def __init__(self, answer: CoverDescription) -> None:
        self.name = element_name(answer["text"])
        self.key: str = answer["key"]
        """Differs as soon as the cover changes, or one of both moves."""
        self.is_busy = bool(answer["busy"])
        """Whether a part of it moves, or shows that the page is loading."""
        self.is_around = bool(answer["around"])
        """Whether the element is inside of it, and lets presses through to it."""

    @property
    def permanence_key(self) -> str | None:
        """Return a key that changes with the cover; None for a cover that may go away: a part of it moves."""
        return None if self.is_busy else self.key

    def make_error(self, covered_name: str) -> Covered:
        """Return the error for an action on the element `covered_name`, which this element covers."""
        why, hint = "", "Close or scroll away what lies on top; --timeout 10000 waits for it to go"
        if self.is_around:
            why = ", which it is in: it takes no presses (pointer-events: none)"
            hint = "The page has it disabled, or something else to press in its place: see 'snapshot -i'"
        return Covered(f"{covered_name} is covered by {self.name}{why}", hint, key=self.permanence_key)


class ObstacleMonitor:
    """Decides when to give up waiting for an obstacle to an action, such as a cover, to go away."""

    def __init__(self, page: PageCommand) -> None:
        self._page = page
        self._key: str | None = None
        self._half = 0.0
        """When half of the time is over that the obstacle of this key is given."""
        self._looks = PollBudget(page, 0.0)

    def is_permanent(self, key: str | None) -> bool:
        """Return whether an obstacle has not changed for STILL_SECONDS (or `--timeout`): waiting is useless.

        `key`: identifies the obstacle (`Cover.permanence_key`), and is compared with that of the earlier calls. None: there is no
        obstacle, or it will go away. Returns False while the page has requests pending.
        """
        if key is None or self._page.tab.requests.pending:
            self._key = None
            return False
        if key != self._key:
            limit = self._page.give_up_time(STILL_SECONDS)
            self._key, self._half = key, (self._page.now() + limit) / 2
            self._looks = PollBudget(self._page, limit)
        return self._looks.has_met_limits()

    @property
    def is_half_over(self) -> bool:
        """Return whether the obstacle has not changed for half of the time after which it is called permanent."""
        return self._key is not None and self._page.now() >= self._half


async def read_frame_state(element: Element) -> FrameState:
    """Return whether an element's frame is hidden, and what in the pages around it blocks input to it.

    `blocker`: description of a modal or inert element; "" for none.
    """
    seen = FrameState(hidden=False, blocker="")
    frame = element.frame
    with suppress(FrameGone, PageScriptError, ProtocolError, ValueError):  # a frame is being replaced
        while (around := frame.parent_frame) and not seen["hidden"]:
            state: FrameState = await element.page.world.call(
                "readFrameState", *sibling_position(frame), frame=around
            )
            seen = FrameState(hidden=state["hidden"], blocker=state["blocker"] or seen["blocker"])
            frame = around
    return seen


async def fetch_states(
    page: PageCommand, target: str, *, first: bool = False, with_hint: bool = True
) -> tuple[Element, dict[str, bool] | None]:
    """Return the element that `target` matches, and its states: {"visible": True, …}; None if it has gone.

    An element in a hidden frame is hidden. `first`: take the first of several matches. `with_hint`: add hints to errors. Raises
    what `find.ask_about` raises.
    """
    element, answer = await ask_about(page, target, "readElementStates", first=first, with_hint=with_hint)
    if answer and answer["visible"] and (await read_frame_state(element))["hidden"]:
        answer = {**answer, "visible": False, "hidden": True}
    return element, answer


def sibling_position(frame: Frame) -> tuple[int, int]:
    """Return (index of a frame among the child frames of its parent, number of these).

    Raises ValueError for a frame that was removed.
    """
    siblings = frame.parent_frame.child_frames if frame.parent_frame else []
    return siblings.index(frame), len(siblings)
