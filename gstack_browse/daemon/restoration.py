"""What this daemon begins with: what its predecessor carried over, or what an earlier daemon kept (BROWSE_PERSIST=1)."""

from typing import TYPE_CHECKING

from gstack_browse.browser.cdp.playwright_names import Error as PlaywrightError
from gstack_browse.browser.tabs.session import BrowserSession
from gstack_browse.browser.tabs.session_state import SessionState
from gstack_browse.browser.tabs.table import TabNumbers
from gstack_browse.daemon.contexts import Contexts
from gstack_browse.daemon.record import Record
from gstack_browse.errors import SetupFailed
from gstack_browse.settings import Settings
from gstack_browse.text.sanitise import one_line

if TYPE_CHECKING:
    from gstack_browse.daemon.keeper import Keeper


class Restoration:
    """Of one daemon. What was kept and makes Chromium fail is set aside: the next command begins without it."""

    def __init__(self, contexts: Contexts, numbers: TabNumbers, record: Record) -> None:
        self._contexts = contexts
        self._numbers = numbers
        self._record = record
        self._keeper: "Keeper | None" = None
        self._kept = ""
        """What is restored of an earlier daemon, in words; "" for nothing."""

    def take(self, state: SessionState | None) -> None:
        """Begin with what an earlier browser had, in all of its contexts."""
        self._contexts.take(state)
        for context in self._contexts:
            if context.carried:
                self._numbers.reserve(context.carried.next_id)
                context.downloads.restore(context.carried.downloads)

    def take_kept(self, keeper: "Keeper", settings: Settings) -> None:
        """Begin with what an earlier daemon kept, unless a predecessor has carried something over."""
        from gstack_browse.daemon.keeper import restorable, told  # no part of a start without it

        self._keeper = keeper
        default = self._contexts.default
        if default.carried:
            return
        if kept := keeper.read():
            restored = restorable(kept, settings, self._record.refs)
            self.take(restored)
            self._kept = told(restored, kept.at)
            for context in self._contexts.others:
                context.news = told(restored.contexts[context.name], kept.at)
            self._record.all_told()
        elif keeper.problem:
            default.news = f"Nothing was restored: {keeper.problem}"

    async def open(self, browser: BrowserSession, *, has_tab: bool = True) -> None:
        """Open the default context's session with what there is for it, or with a first tab if it `has_tab`. Raises SetupFailed where what was kept makes Chromium fail."""
        default = self._contexts.default
        if not default.carried:
            await (browser.open() if has_tab else browser.open_context(None))
            return
        from gstack_browse.browser.tabs import restore, taking  # no part of most starts

        if browser.running.is_shared:
            await taking.take_back(browser, default.carried)
            default.carried = None
            return
        try:
            await restore.open_session(browser, default.carried)
        except PlaywrightError as error:
            if self._kept and self._keeper:
                raise self._failed(self._keeper, error) from None
            raise
        default.carried = None
        default.news, self._kept = default.news or self._kept, ""

    def _failed(self, keeper: "Keeper", error: PlaywrightError) -> SetupFailed:
        self._contexts.default.carried, self._kept = None, ""
        return SetupFailed(
            f"What an earlier daemon kept could not be restored: {one_line(error.message, 200)}",
            f"Run the command again: it begins with nothing. The file is now {keeper.reject()}",
        )
