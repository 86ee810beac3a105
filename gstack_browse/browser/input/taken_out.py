"""Tells whether a page has taken a text out of its field and shows it beside, as fields for several things do at the separator behind each."""

from contextlib import suppress

from gstack_browse.browser.cdp.playwright_names import Error as PlaywrightError
from gstack_browse.browser.engine.messages import FrameGone
from gstack_browse.browser.input import at_once
from gstack_browse.browser.input.find import Element

SEPARATORS = (",", ";", " ", "\n")
"""What ends one of several things that are written into one field."""


def ends_thing(value: str) -> bool:
    """Whether a text ends like one of several things, so that its field may be emptied at once."""
    return value.endswith(SEPARATORS) and bool(_things(value))


class ShownThings:
    """How often the things in a text are shown on its page, before and after they are written."""

    def __init__(self, element: Element, value: str) -> None:
        self._element = element
        self._things = _things(value)
        self._before: list[int] | None = None

    async def count(self) -> None:
        """Count before the text is ended."""
        self._before = await self._count()

    async def are_there(self) -> bool:
        """Whether each thing is shown: more often than when they were counted, if they were."""
        after = await self._count()
        before = self._before or [0] * len(self._things)
        return bool(after) and all(now > then for now, then in zip(after, before, strict=True))

    async def _count(self) -> list[int]:
        with suppress(FrameGone, PlaywrightError):
            question = self._element.ask("timesShown", self._things)
            return await at_once.unless_leaving(self._element.page, question) or []
        return []


def _things(value: str) -> list[str]:
    """The things in a text, each once."""
    for separator in ",;":
        value = value.replace(separator, "\n")
    return list(dict.fromkeys(" ".join(line.split()) for line in value.split("\n") if line.strip()))
