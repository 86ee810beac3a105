"""A session of the DevTools protocol: send requests, and call handlers of events.

`pipe` carries the messages, or a WebSocket (`launch/shared_connection.py`). The layout of an event is known here.
"""

import asyncio
import base64
from collections.abc import AsyncIterator, Callable
from typing import Any, Protocol

from gstack_browse.text.json_bytes import decode


class ProtocolError(Exception):
    """The browser has refused a request, or cannot answer it any more."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


EventHandler = Callable[[Any], object]
EVENT_PREFIX = b'{"method":"'
"""The first bytes of an event. `pipe` rewrites events with another order of fields into this one."""
METHOD_START = len(EVENT_PREFIX)
SESSION_FIELD = b'"sessionId":"'
"""Stands before the session id, at the end of an event of a session."""
SESSION_ID = slice(-34, -2)
"""Place of the session id in such an event: 32 characters before the closing `"}`."""
_NO_SESSION = -32001
"""The protocol's error code for an unknown session."""


class Channel(Protocol):
    """Carries the messages of sessions to Chromium and back.

    Passes responses to `Session.on_response`, events to `Session.on_event`.
    """

    def send(self, session: "Session", method: str, params: dict[str, Any]) -> int:
        """Send a request of a session. Return its id; 0 if the channel is closed."""

    def abandon(self, request_id: int) -> None:
        """Drop the response to a request when it comes."""

    def add_session(self, session_id: str, parent: "Session") -> "Session":
        """Return a `Session` for an id that Chromium has just given. Its events are delivered from now on."""

    def remove_session(self, session_id: str) -> None:
        """Forget a session that has ended."""


class Session:
    """A session with a target, opened in the session `parent`; or the root session, with the browser."""

    def __init__(self, channel: Channel, session_id: str = "", parent: "Session | None" = None) -> None:
        self.id = session_id
        self.parent = parent
        self._channel = channel
        self._handlers: dict[str, list[EventHandler]] = {}
        self._pending: dict[int, tuple[str, asyncio.Future[Any]]] = {}
        """Request without a response → its method, and the future of its result."""
        self._closed_reason = ""
        self.on_send: Callable[[str, dict[str, Any]], None] | None = None
        """Called with method and parameters of each request before it is sent."""

    def on(self, event: str, handler: EventHandler) -> None:
        """Call `handler` with the parameters of each event of this name; for "close", with this session."""
        self._handlers.setdefault(event, []).append(handler)

    def off(self, event: str, handler: EventHandler) -> None:
        """Remove a handler that `on` has added."""
        self._handlers[event].remove(handler)

    def send(self, method: str, params: dict[str, Any] | None = None) -> "asyncio.Future[dict[str, Any]]":
        """Send a request. Return the future of its result, which raises ProtocolError if it fails."""
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        if self._closed_reason:
            answer.set_exception(ProtocolError(f"Protocol error ({method}): {self._closed_reason}"))
            return answer
        if self.on_send:
            self.on_send(method, params or {})
        request_id = self._channel.send(self, method, params or {})
        if request_id:
            self._pending[request_id] = method, answer
        else:
            answer.set_exception(ProtocolError(f"Protocol error ({method}): {self._closed_reason}"))
        return answer

    def notify(self, method: str, params: dict[str, Any] | None = None) -> None:
        """Send a request and ignore its result. Chromium handles requests in the order they are sent."""
        self.send(method, params).add_done_callback(consume_exception)

    def leave(self) -> None:
        """End the session, and leave its target open; do not wait for a browser that may hang."""
        if self.parent:
            self.parent.notify("Target.detachFromTarget", {"sessionId": self.id})
        self.end("Session closed")

    async def attach(self, method: str, **params: Any) -> "Session":
        """Open and return a session by a request such as `Target.attachToTarget`. Raises ProtocolError.

        If the caller is cancelled meanwhile, leave the session.
        """
        opening = self.send(method, params)
        try:
            result = await asyncio.shield(opening)
        except asyncio.CancelledError:
            opening.add_done_callback(self._leave_opened)
            raise
        return self._channel.add_session(result["sessionId"], self)

    def _leave_opened(self, opening: "asyncio.Future[dict[str, Any]]") -> None:
        """Leave a session whose caller was cancelled while it was opened."""
        if not opening.cancelled() and not opening.exception():
            self._channel.add_session(opening.result()["sessionId"], self).leave()

    def on_response(self, request_id: int, message: dict[str, Any]) -> None:
        """Complete a request with Chromium's response: its result or its error."""
        method, answer = self._pending.pop(request_id, ("", None))
        if answer is None or answer.done():
            return
        problem = message.get("error")
        if problem is None:
            answer.set_result(message.get("result", {}))
        else:
            text = "Session closed" if problem.get("code") == _NO_SESSION else problem.get("message", "")
            answer.set_exception(ProtocolError(f"Protocol error ({method}): {text}"))

    def fail_request(self, request_id: int, why: str) -> None:
        """Fail a request that gets no response, or an undecodable one, with a ProtocolError that says `why`."""
        method, answer = self._pending.pop(request_id, ("", None))
        if answer and not answer.done():
            answer.set_exception(ProtocolError(f"Protocol error ({method}): {why}"))

    def on_event(self, message: bytes) -> None:
        """Call this session's handlers of an undecoded event. It is decoded only if there are any."""
        method = message[METHOD_START : message.index(b'"', METHOD_START)].decode()
        if method == "Inspector.targetCrashed":
            self._close("Target crashed")
        if handlers := self._handlers.get(method):
            parameters = decode(message).get("params", {})
            for handler in handlers:
                handler(parameters)

    def end(self, reason: str) -> None:
        """Mark the session as ended; call its "close" handlers. Pending and later requests fail with `reason`."""
        if self._closed_reason != reason:
            self._channel.remove_session(self.id)
            self._close(reason)
            for handler in self._handlers.get("close", []):
                handler(self)

    def _close(self, reason: str) -> None:
        """Mark the session as closed and fail its pending requests. `reason`: their error's text."""
        self._closed_reason = reason
        for request_id in list(self._pending):
            self._channel.abandon(request_id)
            self.fail_request(request_id, reason)


def consume_exception(done: "asyncio.Future[Any]") -> None:
    """Retrieve a completed future's exception, which nothing awaits, so that asyncio does not log it."""
    if not done.cancelled():
        done.exception()


PIECE = 1 << 20
"""Most bytes for one `IO.read`."""


async def read_stream(session: Session, handle: str) -> AsyncIterator[bytes]:
    """Yield a stream's content in pieces by `IO.read`, and close it at its end. Raises ProtocolError.

    `handle`: the stream's id, from the response that offered it.
    """
    while True:
        piece = await session.send("IO.read", {"handle": handle, "size": PIECE})
        data: str = piece["data"]
        yield base64.b64decode(data) if piece.get("base64Encoded") else data.encode("utf-8", "replace")
        if piece["eof"]:
            session.notify("IO.close", {"handle": handle})
            return
