"""Who hears what happens in a browser context: the sessions that have pages there, each of its own pages.

`tap` reads the events, and asks here whom to tell. A context that nobody has named is the default session's.
"""

from collections.abc import Callable, Sequence
from typing import Any

from gstack_browse.browser.cdp.targets import Target

Handler = Callable[[Target, dict[str, Any]], object]
Reader = Callable[[Target, bytes], object]


class Subscriber:
    """What one session wants to hear of the pages in its browser context."""

    def __init__(self, serve: Callable[[str], None]) -> None:
        """`serve` is called with the name of each event that is wanted."""
        self.lost: Callable[[str, str], None] = lambda page, words: None
        """Called with the id of a page and words for the console's log, where some of what it says is not kept."""
        self.begins: list[Callable[[Target], None]] = []
        """Each is called with every target that is new, before it may run."""
        self.gone: Callable[[str], object] = lambda page: None
        """Called with the id of a page that is no more."""
        self.left: Callable[[Target, str, str], None] = lambda target, frame, loader: None
        """Called with a frame that left its document and the loader of the next one, "" for a frame that is gone."""
        self.arrives: Handler = lambda target, event: None
        """Called with each `Page.frameNavigated`."""
        self.has_scripts: Callable[[], bool] = lambda: False
        """Whether scripts of the session's own are to run in every document."""
        self.moved: Callable[[Target], None] = lambda page: None
        """Called with a page whose main frame is somewhere else, in another document or at another place of its own."""
        self.says: Callable[[Target, str, dict[str, Any]], None] = lambda target, method, event: None
        """Called with what is said in a target: messages, errors, and errors that were none after all."""
        self.download_begins: Callable[[dict[str, Any]], object] = lambda event: None
        """Called with each `Browser.downloadWillBegin`."""
        self.download_goes_on: Callable[[dict[str, Any]], object] = lambda event: None
        """Called with each `Browser.downloadProgress`."""
        self.handlers: dict[str, Handler] = {}
        """Event → what is called with the target and the parameters."""
        self.readers: dict[str, Reader] = {}
        """Event → what is called with the target and the whole message."""
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
        """Call `handler` with the target and the parameters of each such event."""
        self.handlers[method] = handler
        self._serve(method)

    def on_message(self, method: str, reader: Reader) -> None:
        """Call `reader` with the target and the message of each such event, as it came."""
        self.readers[method] = reader
        self._serve(method)


class Audience:
    """The subscribers of one browser context. Of a page that one has claimed the others hear nothing."""

    def __init__(self) -> None:
        self.subscribers: tuple[Subscriber, ...] = ()
        self._claims: dict[str, tuple[Subscriber]] = {}

    @property
    def is_shared(self) -> bool:
        """Whether there are several."""
        return len(self.subscribers) > 1

    def of(self, page_id: str, opener: str = "") -> Sequence[Subscriber]:
        """Whom to tell what happens in a page, which may be a window that another page has opened."""
        return self._claims.get(page_id) or self._claims.get(opener) or self.subscribers

    def claim(self, page_id: str, subscriber: Subscriber) -> None:
        """That page is that subscriber's."""
        if self.is_shared:
            self._claims[page_id] = (subscriber,)

    def forget(self, page_id: str) -> None:
        """That page is no more."""
        self._claims.pop(page_id, None)

    def join(self, subscriber: Subscriber) -> None:
        """Tell this one, too."""
        self.subscribers = (*self.subscribers, subscriber)

    def replace(self, subscriber: Subscriber) -> None:
        """Tell this one in the place of all others."""
        self.subscribers, self._claims = (subscriber,), {}

    def leave(self, subscriber: Subscriber) -> None:
        """Tell this one no more."""
        self.subscribers = tuple(other for other in self.subscribers if other is not subscriber)
        self._claims = {page: claim for page, claim in self._claims.items() if claim[0] is not subscriber}
