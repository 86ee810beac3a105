"""Write a text into a field in one piece, without a key, if the page has no key listeners.

A key takes a way of its own through Chromium. The listeners are asked for along with each look at a field,
right behind it, since an element may add some as it gets the focus. If the page had none so far, the text is
written in the same round trip. If the answer is that it has some now, the text is written once more, with keys.
"""

import asyncio
import itertools
from typing import TYPE_CHECKING

from gstack_browse.browser.cdp.session import consume_exception
from gstack_browse.browser.cdp.targets import ExecutionContext
from gstack_browse.browser.engine import key_listeners
from gstack_browse.browser.engine.answers import Filled
from gstack_browse.browser.input import at_once, taken_out
from gstack_browse.browser.input.writing import LONG_TEXT

if TYPE_CHECKING:
    from gstack_browse.browser.tabs.page import PageSession

_tickets = itertools.count(1)


class WholeText:
    """A text for a field, which is written in one piece if the page has no key listeners."""

    def __init__(self, page: "PageSession", target: str, value: str) -> None:
        self._page = page
        self._document = _document_of(page, target)
        is_answered = page.ahead is not None and page.ahead.reply
        """Whether the look was made ahead, and has prepared the field for keys."""
        is_short = 0 < len(value) <= LONG_TEXT and not taken_out.ends_thing(value)
        is_due = self.is_unheard and is_short and not is_answered
        self._ticket = str(next(_tickets)) if is_due else ""
        self.prepared = ("whole", self._ticket, value) if is_due else ()
        """What the look at the field is to prepare; () if keys are to be pressed."""
        self._writing: asyncio.Future[Filled | None] | None = None
        self.held: Filled | None = None
        """What the field holds once it is written; None if the page navigates, or a dialog is open."""

    @property
    def is_unheard(self) -> bool:
        """Return whether the page had no key listeners when it was last asked."""
        return self._document is not None and self._document.hears_keys is False

    def begin(self) -> None:
        """Ask for the key listeners, and have the text written.

        The look is still under way: all questions are sent together.
        """
        if self._document and (self.prepared or self._document.hears_keys is None):
            self._page.session.background.start(key_listeners.ask(self._document))
        if self.prepared:
            written = self._page.world.call("written", self._ticket, as_user=True)
            self._writing = asyncio.ensure_future(written)
            self._writing.add_done_callback(consume_exception)

    async def is_written(self) -> bool:
        """Return whether the field has taken the text, and no listener missed a key. False: press keys."""
        if self._writing is None:
            return False
        held = await at_once.unless_leaving(self._page, self._writing)
        if held is None:
            return not self._writing.done()
        if not self.is_unheard:
            return False
        self._page.turn_ended()
        self.held = held
        return True

    def cancel(self) -> None:
        """Stop waiting for the answer."""
        if self._writing:
            self._writing.cancel()


def _document_of(page: "PageSession", target: str) -> ExecutionContext | None:
    """Return the field's document; None if unknown, or if others than the page may listen (extensions)."""
    running = page.session.running
    if running.is_shared or running.params.settings.extensions:
        return None
    return page.world.frames.known(None if target.startswith("@") else page.frame)
