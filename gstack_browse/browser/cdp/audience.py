"""Subscribers to a browser context's events: the sessions with pages there, each for its own pages.

`target_events` reads the events, and asks here for the subscribers. A context without its own belongs to the default session.
"""

from collections.abc import Callable, Sequence
from typing import Any

from gstack_browse.browser.cdp.targets import Target

Handler = Callable[[Target, dict[str, Any]], object]
Reader = Callable[[Target, bytes], object]


class Subscriber:
    """The event handlers of one session, for the pages of its browser context."""

    def __init__(self, serve: Callable[[str], None]) -> None:
        """Make a subscriber without handlers. `serve` is called with the name of each event that gets one."""
        self.on_messages_lost: Callable[[str, str], None] = lambda page, words: None
        """Called with a page's id and a line for the console log when messages are dropped."""
        self.on_target: list[Callable[[Target], None]] = []
        """Each is called with every target that is new, before it may run."""
        self.on_page_gone: list[Callable[[str], object]] = []
        """Each is called with the id of a page that has closed."""
        self.on_frame_left: Callable[[Target, str, str], None] = lambda target, frame, loader: None
        """Called with target, frame id and the next document's loader id when a frame leaves its document; "" for a removed frame."""
        self.on_navigated: Handler = lambda target, event: None
        """Called with each `Page.frameNavigated`."""
        self.on_moved: Callable[[Target], None] = lambda page: None
        """Called with a page whose main frame has another URL, by a new document or within the same one."""
        self.on_said: Callable[[Target, str, dict[str, Any]], None] = lambda target, method, event: None
        """Called with target, event name and parameters of console messages, exceptions and revoked exceptions."""
        self.on_download_begin: Callable[[dict[str, Any]], object] = lambda event: None
        """Called with each `Browser.downloadWillBegin`."""
        self.on_download_progress: Callable[[dict[str, Any]], object] = lambda event: None
        """Called with each `Browser.downloadProgress`."""
        self.handlers: dict[str, Handler] = {}
        """Event name → handler of target and parameters."""
        self.readers: dict[str, Reader] = {}
        """Event name → handler of target and undecoded message."""
        self._serve = serve
        self._bindings: dict[str, Callable[[Target, str], None]] = {}

    def on_binding(self, name: str, handler: Callable[[Target, str], None]) -> None:
        """Call `handler` with the target and the text of each call of that function of ours in pages."""
        self._bindings[name] = handler
        self.on("Runtime.bindingCalled", self._binding_called)

    def _binding_called(self, target: Target, event: dict[str, Any]) -> None:
        if handler := self._bindings.get(event["name"]):
            handler(target, event["payload"])

    def on(self, method: str, handler: Handler) -> None:
        """Call `handler` with target and parameters of each such event."""
        self.handlers[method] = handler
        self._serve(method)

    def on_message(self, method: str, reader: Reader) -> None:
        """Call `reader` with target and undecoded message of each such event."""
        self.readers[method] = reader
        self._serve(method)


class Audience:
    """The subscribers of one browser context. Events of a claimed page go to its claimant only."""

    def __init__(self) -> None:
        self.subscribers: tuple[Subscriber, ...] = ()
        self._claims: dict[str, tuple[Subscriber]] = {}

    @property
    def is_shared(self) -> bool:
        """Return whether there are several subscribers."""
        return len(self.subscribers) > 1

    def of(self, page_id: str, opener: str = "") -> Sequence[Subscriber]:
        """Return the subscribers to a page's events: those of its opener for an unclaimed window."""
        return self._claims.get(page_id) or self._claims.get(opener) or self.subscribers

    def claim(self, page_id: str, subscriber: Subscriber) -> None:
        """Send the page's events to this subscriber only."""
        if self.is_shared:
            self._claims[page_id] = (subscriber,)

    def forget(self, page_id: str) -> None:
        """Drop the claim to a closed page."""
        self._claims.pop(page_id, None)

    def join(self, subscriber: Subscriber) -> None:
        """Add a subscriber."""
        self.subscribers = (*self.subscribers, subscriber)

    def replace(self, subscriber: Subscriber) -> None:
        """Replace all subscribers by this one."""
        self.subscribers, self._claims = (subscriber,), {}

    def leave(self, subscriber: Subscriber) -> None:
        """Remove a subscriber and its claims."""
        self.subscribers = tuple(other for other in self.subscribers if other is not subscriber)
        self._claims = {page: claim for page, claim in self._claims.items() if claim[0] is not subscriber}
