"""Notes which permissions pages ask for that are not granted.

Chromium refuses those, or waits for a person who is not there. The protocol has no event for that.
Persistent storage and wake locks are left out: a full Chromium grants them by itself.
"""

from collections.abc import Callable
from functools import cache
from pathlib import Path

from gstack_browse.browser.cdp.subscriber import Subscriber
from gstack_browse.browser.cdp.targets import Target
from gstack_browse.browser.launch.running import RunningBrowser
from gstack_browse.browser.tabs.tab import Tab

_BINDING = "__gbrowseAsks"


def follow(running: RunningBrowser, heard: Subscriber, tab_of: Callable[[str], Tab | None]) -> None:
    """Note in each tab of a browser context what its page asks for, from now on.

    Leaves a person's own browser alone.
    """
    if running.is_shared:
        return

    def note(target: Target, name: str) -> None:
        if tab := tab_of(target.page):
            granted = running.granted_permissions.get(target.browser_context, frozenset())
            tab.effects.asked.note(name, tab.document, granted)

    def begin(target: Target) -> None:
        target.run_in_documents(_script(), binding=_BINDING)

    heard.on_binding(_BINDING, note)
    running.connection.events.call_for_targets(heard, begin)


@cache
def _script() -> str:
    return Path(__file__).with_name("asked-permissions.js").read_text(encoding="utf-8")
