"""How long to wait for a cover to go away: one in which nothing changes is told about soon. Pure, but for the clock."""

from typing import TYPE_CHECKING

from gstack_browse.browser.engine.answers import CoverLook
from gstack_browse.browser.input.looks import Looks
from gstack_browse.errors import Covered
from gstack_browse.text.sanitise import element_name

if TYPE_CHECKING:
    from gstack_browse.browser.tabs.page import PageSession

STILL_SECONDS = 1.0
"""How long a cover may stay as it is, while nothing shows that the page is at work, before a command gives up."""


class Cover:
    """What lies over an element: see `coverLook` in scripts/actions.js."""

    def __init__(self, answer: CoverLook) -> None:
        self.text = element_name(answer["text"])
        self.key: str = answer["key"]
        """Another one as soon as the cover changes, or moves, or the element does."""
        self.is_busy = bool(answer["busy"])
        """Whether something in it moves, or says that the page is loading."""
        self.is_around = bool(answer["around"])
        """Whether the element stands in it, and lets presses through to it."""

    @property
    def stays(self) -> str | None:
        """What is the same as long as the cover is; None for one that is likely to go."""
        return None if self.is_busy else self.key

    def refusal(self, what: str) -> Covered:
        """The failure of an action on `what`, over which it lies, or which is in it and lets presses through to it."""
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
    """Says when to give up on what keeps an action from its element."""

    def __init__(self, page: "PageSession") -> None:
        self._page = page
        self._key: str | None = None
        self._looks = Looks(page, 0.0)

    def is_here_to_stay(self, key: str | None) -> bool:
        """Whether it has stayed the same, which `key` is of, for long enough (`--timeout`, where given). None for nothing, and for what passes."""
        if key is None or self._page.tab.requests.pending:
            self._key = None
            return False
        if key != self._key:
            self._key, self._looks = key, Looks(self._page, self._page.wait_until(STILL_SECONDS))
        return self._looks.are_enough()
