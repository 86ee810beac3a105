"""The event handlers of one session. `target_events` calls them for the session's browser context."""

from collections.abc import Callable
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
