"""Named events of an object, as in Playwright: `on`, `off`, `emit`."""

from collections.abc import Callable
from typing import Any

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
