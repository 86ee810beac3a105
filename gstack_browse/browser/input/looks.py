"""How often something is looked at that may yet come true. Pure, but for the clock."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gstack_browse.browser.tabs.page import PageSession

LEAST_LOOKS = 10
"""How often a page is looked at, however long that takes: on a busy machine the time may be over before its first answer."""


class Looks:
    """Looks at a page until a time of ours is over; so many at least."""

    def __init__(self, page: "PageSession", give_up: float, least: int = LEAST_LOOKS) -> None:
        self._page = page
        self._give_up = give_up
        self._missing = least

    def are_enough(self) -> bool:
        """Count a look. Whether there were enough in enough time."""
        self._missing -= 1
        return self._missing <= 0 and self._page.now() >= self._give_up

    def are_over(self) -> bool:
        """Count a look. Whether it was the last: there were enough, or the command has no more time."""
        return self.are_enough() or not self._page.remaining()
