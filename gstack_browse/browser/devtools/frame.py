"""A frame of a page. `page` updates the tree."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gstack_browse.browser.cdp.targets import Target


class Frame:
    """A frame of a page: the main frame, or an iframe at any depth.

    The object stays the same when the frame navigates or moves to another process.
    """

    def __init__(self, frame_id: str, parent: "Frame | None", target: "Target") -> None:
        self.id = frame_id
        self.parent_frame = parent
        self.target = target
        """The target in whose process the frame is."""
        self.name = ""
        self.url = ""
        self.loader = ""
        """Chromium's id of the document; "" before the first navigation."""
        self.media_type = ""
        """The document's media type: `text/html`; "" before the first navigation."""
        self.child_frames: list[Frame] = []
        self._is_detached = False

    def show(self, info: dict[str, Any]) -> None:
        """Note the frame's document. `info`: the protocol's `Page.Frame`."""
        self.name, self.loader = info.get("name", ""), info["loaderId"]
        self.media_type = info.get("mimeType", "")
        self.url = info["url"] + info.get("urlFragment", "")

    def is_detached(self) -> bool:
        """Return whether the frame was removed from the page."""
        return self._is_detached

    def detach(self) -> None:
        """Note that the frame was removed from the page."""
        self._is_detached = True
        if self.parent_frame and self in self.parent_frame.child_frames:
            self.parent_frame.child_frames.remove(self)


Handler = Callable[[Any], object]


class Emitter:
    """Calls the handlers of an event, in the order in which they were added."""

    def __init__(self) -> None:
        self._handlers: dict[str, list[Handler]] = {}

    def on(self, event: str, handler: Handler) -> None:
        """Call `handler` with the value of every event of that name."""
        self._handlers.setdefault(event, []).append(handler)

    def off(self, event: str, handler: Handler) -> None:
        """Remove a handler, if it is there."""
        if handler in self._handlers.get(event, ()):
            self._handlers[event].remove(handler)

    def emit(self, event: str, value: object) -> bool:
        """Call the handlers of an event. Return whether there are any."""
        handlers = list(self._handlers.get(event, ()))
        for handler in handlers:
            handler(value)
        return bool(handlers)
