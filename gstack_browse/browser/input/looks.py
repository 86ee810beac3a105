"""Limit repeated looks at a condition that may yet come true: by time, and by a least number."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gstack_browse.browser.tabs.page import PageSession

LEAST_LOOKS = 10
"""Least number of looks: on a busy machine the time may be over before the page's first answer."""


class Looks:
    """A limit of looks at a page: until `give_up`, and at least `least` times."""

    def __init__(self, page: "PageSession", give_up: float, least: int = LEAST_LOOKS) -> None:
        self._page = page
        self._give_up = give_up
        self._missing = least

    def are_enough(self) -> bool:
        """Count a look. Returns whether both the time and the least number are reached."""
        self._missing -= 1
        return self._missing <= 0 and self._page.now() >= self._give_up

    def are_over(self) -> bool:
        """Count a look. Returns whether it was the last: limits are reached, or the command is out of time."""
        return self.are_enough() or not self._page.remaining()
