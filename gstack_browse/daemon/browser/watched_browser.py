"""Open and close the page on which a person watches this daemon's browser (`local_pages/watch`)."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from gstack_browse.daemon.contexts.agent_context import ShutdownReason
from gstack_browse.daemon.contexts.contexts import Contexts
from gstack_browse.flows.feed import CommandFeed

if TYPE_CHECKING:
    from gstack_browse.local_pages.watch.server import WatchPage


class WatchedBrowser:
    """The daemon's watch page, at most one: a local web page on which a person watches the tabs live.

    `hide` masks secrets in a text.
    """

    def __init__(self, contexts: Contexts, feed: CommandFeed, hide: Callable[[str], str]) -> None:
        self._contexts = contexts
        self._feed = feed
        self._hide = hide
        self._page: WatchPage | None = None

    async def open(self, context: str, *, control: bool) -> str:
        """Serve a watch page (the live browser for a person) in place of an earlier one. Return its URL.

        The URL admits one visitor. `context`: the browser context that it shows first. `control`: whether the person may act.
        """
        # aiohttp is not to be imported at every start of the daemon
        from gstack_browse.local_pages.watch.server import WatchPage

        await self.close("gbrowse watch was typed again. The address that it printed goes on.")
        page = self._page = WatchPage(
            self._contexts.open_contexts,
            self._feed,
            self._hide,
            notify=self._leave_note,
            context=context,
            may_control=control,
            on_close=self._forget_page,
        )
        return await page.open()

    async def close(self, reason: str) -> bool:
        """Close the watch page, which then shows the reason. Return whether there was one."""
        page, self._page = self._page, None
        if page:
            await page.close(reason)
        return page is not None

    @property
    def is_seen(self) -> bool:
        """Return whether a person has the watch page open; the daemon then does not end for being idle."""
        return self._page is not None and self._page.is_seen

    def describe(self) -> str:
        """Describe for `status` if a person watches on the watch page or has taken over; "" without a page."""
        if self._page is None:
            return ""
        seen = "a person watches" if self.is_seen else "its address was printed, nobody watches"
        acts = ", and has taken over" if self._page.has_control else ""
        return f"{seen}{acts} ('watch --off' ends it)"

    def _leave_note(self, context: str, note: str) -> None:
        """Set a note for the next reply in the browser context `context`; do nothing if that is closed."""
        if found := self._contexts.get(context):
            found.notice = note

    def _forget_page(self) -> None:
        """Drop the reference to the watch page, which has closed."""
        self._page = None


def end_message(why: ShutdownReason | None) -> str:
    """Return the text with which the watch page tells a person why it ended, and how to go on.

    `why`: None if the daemon only changes the browser.
    """
    if why is ShutdownReason.REPLACED:
        return (
            "gbrowse was restarted or updated, and its tabs are open again. gbrowse watch prints a new address."
        )
    if why is None:
        return "gbrowse has gone to another browser. gbrowse watch prints a new address."
    return f"gbrowse has ended: {why.value}. gbrowse watch starts it again."
