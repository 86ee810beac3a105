"""Limit how often and how long a condition is polled. Give up soon on a cover that does not change."""

from gstack_browse.browser.command.page import PageSession, PollBudget
from gstack_browse.browser.engine.answer_types import CoverDescription
from gstack_browse.errors import Covered
from gstack_browse.text.sanitise import element_name

STILL_SECONDS = 1.0
"""Seconds for an unchanged cover, on a page that shows no activity, before a command gives up."""


class Cover:
    """An element that lies over another: see `coverLook` in scripts/actions/actionability.js."""

    def __init__(self, answer: CoverDescription) -> None:
        self.text = element_name(answer["text"])
        self.key: str = answer["key"]
        """Differs as soon as the cover changes, or one of both moves."""
        self.is_busy = bool(answer["busy"])
        """Whether a part of it moves, or shows that the page is loading."""
        self.is_around = bool(answer["around"])
        """Whether the element is inside of it, and lets presses through to it."""

    @property
    def permanence_key(self) -> str | None:
        """Return a key that is equal as long as the cover stays the same; None for one that is likely to go."""
        return None if self.is_busy else self.key

    def refusal(self, what: str) -> Covered:
        """Return the error of an action on `what`, which this cover covers, or contains and takes presses for."""
        if self.is_around:
            return Covered(
                f"{what} is covered by {self.text}, which it is in: it takes no presses (pointer-events: none)",
                "The page has it disabled, or something else to press in its place: see 'snapshot -i'",
            )
        return Covered(
            f"{what} is covered by {self.text}",
            "Close or scroll away what lies on top; --timeout 10000 waits for it to go",
        )


class StillWatch:
    """Decides when to give up on an obstacle between an action and its element."""

    def __init__(self, page: PageSession) -> None:
        self._page = page
        self._key: str | None = None
        self._looks = PollBudget(page, 0.0)

    def is_here_to_stay(self, key: str | None) -> bool:
        """Return whether the obstacle with this key has not changed for STILL_SECONDS (or `--timeout`).

        None as key: there is no obstacle, or one that will pass. False while the page has requests pending.
        """
        if key is None or self._page.tab.requests.pending:
            self._key = None
            return False
        if key != self._key:
            self._key, self._looks = key, PollBudget(self._page, self._page.give_up_time(STILL_SECONDS))
        return self._looks.has_met_limits()
