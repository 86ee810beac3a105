"""Detect a page that moves a text out of its field and shows it beside the field.

Fields for several values do so at the separator behind each.
"""

from contextlib import suppress

from gstack_browse.browser.cdp.errors import ProtocolError
from gstack_browse.browser.engine.messages import FrameGone
from gstack_browse.browser.input import at_once
from gstack_browse.browser.input.find import Element

SEPARATORS = (",", ";", " ", "\n")
"""Separators of several values in one field."""


def ends_thing(value: str) -> bool:
    """Return whether a text ends with a separator, so that its field may be emptied at once."""
    return value.endswith(SEPARATORS) and bool(_things(value))


class ShownThings:
    """Counts how often the values in a text are shown on the page, before and after they are written."""

    def __init__(self, element: Element, value: str) -> None:
        self._element = element
        self._things = _things(value)
        self._before: list[int] | None = None

    async def count(self) -> None:
        """Count before the text is completed."""
        self._before = await self._count()

    async def are_there(self) -> bool:
        """Return whether each value is shown, and more often than at `count` if that was called."""
        after = await self._count()
        before = self._before or [0] * len(self._things)
        return bool(after) and all(now > then for now, then in zip(after, before, strict=True))

    async def _count(self) -> list[int]:
        with suppress(FrameGone, ProtocolError):
            question = self._element.ask("timesShown", self._things)
            return await at_once.unless_leaving(self._element.page, question) or []
        return []


def _things(value: str) -> list[str]:
    """Return the values in a text, each once."""
    for separator in ",;":
        value = value.replace(separator, "\n")
    return list(dict.fromkeys(" ".join(line.split()) for line in value.split("\n") if line.strip()))
