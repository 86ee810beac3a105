"""Finds the messages that an action made the page show: alerts, status lines and other live regions.

Only those of the main frame's document, outside of shadow trees: they are read before and after the action, so each read must be cheap.
"""

import asyncio
from contextlib import suppress

from gstack_browse.browser.cdp.session import ProtocolError, consume_exception
from gstack_browse.browser.engine.messages import FrameGone, PageScriptError
from gstack_browse.browser.tab.tab import Tab
from gstack_browse.text.sanitise import quote_text

MOST_MESSAGES = 2
"""Messages that a reply shows; they are what the page says last."""
_LONGEST = 120
_SECONDS = 0.5
"""Time limit for the page to tell its messages. A busy one has none that an agent could be told."""


_LIVE_TEXTS = r"""((isBefore) => {
  const REGIONS = '[role=alert],[role=status],[aria-live=polite],[aria-live=assertive]';
  const [MOST, LONGEST] = [50, 300];
  const textContentOf = Object.getOwnPropertyDescriptor(Node.prototype, 'textContent')?.get;
  const innerTextOf = Object.getOwnPropertyDescriptor(HTMLElement.prototype, 'innerText')?.get;
  /** Whether an element has a box that a person can see. What fades in has one from the start. */
  const isShown = (element) => {
    if (!Element.prototype.checkVisibility.call(element, { visibilityProperty: true })) return false;
    const { width, height } = Element.prototype.getBoundingClientRect.call(element);
    return width > 1 && height > 1;
  };
  const found = new Map();
  // a page may give a form's field the name of any method
  for (const element of [...Document.prototype.querySelectorAll.call(document, REGIONS)].slice(0, MOST)) {
    const length = textContentOf?.call(element).trim().length ?? 0;
    if (!length || length > 10 * LONGEST || !(element instanceof HTMLElement)) continue;
    if (Element.prototype.querySelector.call(element, REGIONS) || !isShown(element)) continue;
    const text = innerTextOf?.call(element).replace(/\s+/g, ' ').trim();
    if (text && text.length <= LONGEST) found.set(element, text);
  }
  if (isBefore) {
    globalThis.__gbrowseLiveTexts = new WeakMap(found);
    return [...found.values()];
  }
  // an element with this name as its id is no own property
  const before = Object.hasOwn(globalThis, '__gbrowseLiveTexts') ? globalThis.__gbrowseLiveTexts : new WeakMap();
  return [...found].filter(([element, text]) => before.get(element) !== text).map(([, text]) => text);
})"""
"""Before an action it returns the texts of the innermost live regions that can be seen, in order.

After it those that are new, by element and text: a page may draw the same message once more. Left out is what is longer than a message (a log, a
slide show), what only screen readers are told, and `<output>`, which shows a result and no message. No part of the engine: a document that has just been
opened need not get all of that.
"""


class Announcements:
    """The messages of a tab before and after an action."""

    def __init__(self, tab: Tab) -> None:
        """Begin an action: ask the page what it shows.

        The answer is not awaited: the page gives it before the action does anything.
        """
        self._tab = tab
        self._before: asyncio.Future[list[str]] | None = None
        if not (tab.question or tab.closed_reason or tab.is_leaving):
            self._before = asyncio.ensure_future(_read_texts(tab, is_before=True))
            self._before.add_done_callback(consume_exception)
        self._behind_press: asyncio.Future[list[str]] | None = None
        """The texts that are new right behind the last press, once it was sent."""

    def read_behind_press(self) -> None:
        """Ask for new texts together with the press that was just sent, the last input of the action.

        That saves a round trip where the action leads to nothing else.
        """
        if self._before is not None:
            self._behind_press = asyncio.ensure_future(_read_texts(self._tab, is_before=False))
            self._behind_press.add_done_callback(consume_exception)

    async def find_new(self, seconds: float, *, is_other_page: bool, is_over: bool) -> list[str]:
        """Return a line for each message that is new since the action, MOST_MESSAGES at most.

        seconds: what is left of the command's time
        is_other_page: the action led to another document by a link; what the earlier one said, too, stands on every page
        is_over: the action has led to no request and no dialog: what the page showed right behind the press is all
        """
        if self._before is None or seconds <= 0 or self._tab.question or self._tab.closed_reason:
            return []
        now, before = list[str](), list[str]()
        with suppress(TimeoutError, FrameGone, PageScriptError, ProtocolError):
            async with asyncio.timeout(min(_SECONDS, seconds)):
                read = self._behind_press if is_over else None
                now = await self._tab.work.unless_asked(read or _read_texts(self._tab, is_before=False)) or []
        if now and is_other_page:
            with suppress(FrameGone, PageScriptError, ProtocolError):  # an earlier document that has gone
                before = self._before.result() if self._before.done() else []
        new = [text for text in dict.fromkeys(now) if text not in before]
        return [f"says {quote_text(text, _LONGEST)}" for text in new[-MOST_MESSAGES:]]


async def _read_texts(tab: Tab, *, is_before: bool) -> list[str]:
    """Return what `_LIVE_TEXTS` finds in the main frame's document. Raises like `World.call`."""
    asked = f"{_LIVE_TEXTS}({'true' if is_before else 'false'})"
    return list(await tab.world.evaluate_bare(asked, ends_turn=not is_before))
