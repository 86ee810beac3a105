"""Puts away what a test has left in a session, where that costs less than another session.

What cannot be put away stays, and is found by comparing (`whole_state`): then another session begins.
"""

from gstack_browse.browser.context.open_context import OpenContext
from gstack_browse.browser.dialogs import DialogPolicy
from gstack_browse.browser.downloads import Downloads
from gstack_browse.browser.state.context_state import ClosedTabs
from gstack_browse.browser.tab.table import TabNumbers

FIRST = 1
"""The number of a session's first tab."""


async def tidy(browser: OpenContext, downloads: Downloads, numbers: TabNumbers) -> None:
    """Close all tabs but the first, if that is still there.

    Then forget the others' numbers, finished downloads, dialogs and answers to them, which fields were written in, pages that no
    server has sent, and the numbers of rules and scripts that were removed.
    """
    if FIRST not in browser.tabs or any(downloads.list_running()):
        return
    for tab in browser.tabs:
        if tab.id != FIRST:
            await browser.tab_factory.close(tab)
    if browser.tabs.numbers() != [FIRST]:
        return
    browser.tabs.activate(FIRST)
    browser.tabs.closed_tabs = ClosedTabs()
    numbers.following = FIRST + 1
    browser.dialogs.policy = DialogPolicy()
    first = browser.tab(FIRST)
    first.dialogs.reported, first.dialogs.choice_reported_at, first.dialogs._in_row = 0, -1, 0
    first.written_in.clear()
    browser.loaded_html._texts.clear()
    browser.loaded_html._last = 0
    browser.pdfs._kept.clear()
    if not browser.shaping.rules._rules:
        browser.shaping.rules.next_number = 1
    if not browser.init_scripts.scripts:
        browser.init_scripts.next_number = 1
    browser._listener._console._recent.clear()
    downloads._listed.clear()
    downloads.refused.clear()
    downloads.total = 0
