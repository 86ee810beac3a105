"""Give each browser context its own clipboard, since Chromium has one for all of them.

Pages may write text to the clipboard, which a Chromium without a window refuses by itself. To read it, they need a permission.

While only one context has pages, Chromium's clipboard is used, and nothing here costs anything. Once a second context has pages,
`copied.js` reports what is copied, and it is kept here. `text_input.paste` pastes from here, and no page may read Chromium's clipboard.
"""

import asyncio
from collections.abc import Awaitable, Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakSet

from gstack_browse.browser.cdp.session import consume_exception
from gstack_browse.browser.cdp.targets import Subscriber, Target
from gstack_browse.browser.state.emulation import READS_CLIPBOARD, grant_permissions
from gstack_browse.text.json_bytes import decode

if TYPE_CHECKING:
    from gstack_browse.browser.context.current_context import CurrentContext
    from gstack_browse.browser.launch.running import RunningBrowser

_BINDING = "__gbrowseCopied"
_MOST_CHARACTERS = 2_000_000
"""Limit for text and markup together: twice the limit of each in `copied.js`."""


class OwnClipboard:
    """The clipboard of one context, in whichever browser the context is."""

    def __init__(self, current: "CurrentContext") -> None:
        self.text: str | None = ""
        """The last copied text while `is_separate`; None for one that is too long to be kept."""
        self.markup = ""
        self._current = current
        self._watched: WeakSet[Target] = WeakSet()
        """Targets whose documents report what they copy."""
        self._subscriber: Subscriber | None = None

    @property
    def running(self) -> "RunningBrowser":
        """Return the browser that the context is in."""
        return self._current.running

    @property
    def is_separate(self) -> bool:
        """Return whether each context has its own clipboard: so once several of them have had pages."""
        return self.running.has_own_clipboards

    @property
    def is_alone(self) -> bool:
        """Return whether no other context of the browser has pages: Chromium's one clipboard is enough then."""
        others = self.running.contexts & self.running.clipboard_starters.keys()
        return others <= {self._current}

    def follow(self, subscriber: Subscriber) -> None:
        """Listen to what the context's pages copy, and store it while `is_separate`.

        `subscriber`: gets the events of those pages.
        """

        def begin_in_new(target: Target) -> None:
            if self.is_separate:
                self._watch_copies_in(target)

        subscriber.on_target.append(begin_in_new)
        subscriber.on_binding(_BINDING, self._on_copy)
        self._subscriber = subscriber
        if self.is_separate:
            self._watch_copies()

    async def enable(self, browser_context: str) -> None:
        """Let a browser context's pages copy. Give each context its own clipboard if another has pages, too.

        Called before a tab's first command. `browser_context`: its id; "" for the default one. Raises ProtocolError.
        """
        _allow_copying(self.running, browser_context)
        clipboards = self.running.clipboard_starters
        for gone in clipboards.keys() - self.running.contexts:
            del clipboards[gone]
        clipboards[self._current] = self._start_own_clipboard
        if self.is_alone or self.is_separate:
            return
        self.running.has_own_clipboards = True
        for separate in clipboards.values():
            separate()
        for context, granted in list(self.running.granted_permissions.items()):
            await grant_permissions(self.running, context, granted - {READS_CLIPBOARD})

    async def use_chromium_clipboard(self, write: Callable[[], Awaitable[object]]) -> None:
        """Use Chromium's clipboard again, and not the context's own, once `write` has replaced its content.

        Raises what `write` raises.
        """
        await write()
        if self.is_alone:  # another context may have got pages meanwhile
            self.running.has_own_clipboards = False

    def _start_own_clipboard(self) -> None:
        """Empty the context's own clipboard; store copies from now on: not all earlier ones were reported."""
        self.text, self.markup = "", ""
        self._watch_copies()

    def _watch_copies(self) -> None:
        """Make all documents of the context report what they copy; do nothing if `follow` was not called yet."""
        if self._subscriber is None:
            return
        events = self.running.connection.events
        for target in events.targets_of(self._subscriber):
            self._watch_copies_in(target)

    def _watch_copies_in(self, target: Target) -> None:
        """Make all documents of a target report what they copy, later ones included."""
        if target not in self._watched:
            self._watched.add(target)
            target.run_in_documents(_copy_script(), binding=_BINDING)

    def _on_copy(self, target: Target, payload: str, context: int) -> None:
        """Store a page's report of a copy. `payload`: JSON of [text or null, HTML]; ignore anything else."""
        match decode(payload):  # a page can change what its document's JSON functions make
            case [str() | None as text, str() as markup] if len(text or "") + len(markup) <= _MOST_CHARACTERS:
                self.text, self.markup = text, markup


def _allow_copying(running: "RunningBrowser", browser_context: str) -> None:
    """Grant `clipboard-write` to the pages of a browser context, so that their Copy buttons work.

    Not in a window, nor in a person's own browser: there Chromium decides, and grants it to every page in front. It covers text,
    HTML and pictures that Chromium makes anew. Does not wait: Chromium keeps the order. `browser_context`: its id; "": the default.
    """
    if browser_context in running.with_clipboard_write or running.window.visible or running.is_shared:
        return
    running.with_clipboard_write.add(browser_context)
    granting = running.connection.ask_browser(
        "Browser.setPermission",
        permission={"name": "clipboard-write"},
        setting="granted",
        **({"browserContextId": browser_context} if browser_context else {}),
    )
    asyncio.ensure_future(granting).add_done_callback(consume_exception)


@cache
def _copy_script() -> str:
    """Return the source of `copied.js`, which runs in pages and reports what they copy."""
    return Path(__file__).with_name("copied.js").read_text(encoding="utf-8")
