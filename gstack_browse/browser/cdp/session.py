"""A session of Chromium's protocol over a channel of ours, made like Playwright's CDPSession."""

import asyncio
from collections.abc import Callable
from typing import Any, Protocol

from gstack_browse.browser.cdp.errors import ProtocolError
from gstack_browse.text.json_bytes import decode

EventHandler = Callable[[Any], object]
_NO_SESSION = -32001


class Channel(Protocol):
    """Carries messages of sessions to Chromium.

    Passes answers to `Session.on_answer`, events to `Session.on_event`.
    """

    def send(self, session: "Session", method: str, params: dict[str, Any]) -> int:
        """Send a request of a session. Return its id; 0 if the channel has ended."""

    def abandon(self, request_id: int) -> None:
        """Forget a request, whose answer is no longer needed."""

    def session(self, session_id: str, parent: "Session") -> "Session":
        """Begin to route the events of a session that `parent` has just opened."""

    def forget(self, session_id: str) -> None:
        """Forget a session that has ended."""


class Session:
    """A session with one target, opened by `parent`, or with the browser.

    `send` raises ProtocolError.
    """

    def __init__(self, channel: Channel, session_id: str = "", parent: "Session | None" = None) -> None:
        self.id = session_id
        self.parent = parent
        self._channel = channel
        self._handlers: dict[str, list[EventHandler]] = {}
        self._answers: dict[int, tuple[str, asyncio.Future[Any]]] = {}
        self._closed_reason = ""

    def on(self, event: str, handler: EventHandler) -> None:
        """Call `handler` with the parameters of every such event; for `close`, with this session."""
        self._handlers.setdefault(event, []).append(handler)

    def off(self, event: str, handler: EventHandler) -> None:
        """Remove a handler."""
        self._handlers[event].remove(handler)

    def send(self, method: str, params: dict[str, Any] | None = None) -> "asyncio.Future[dict[str, Any]]":
        """Send a request at once. Return a future of Chromium's answer, which raises ProtocolError."""
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        if self._closed_reason:
            answer.set_exception(ProtocolError(f"Protocol error ({method}): {self._closed_reason}"))
            return answer
        request_id = self._channel.send(self, method, params or {})
        if request_id:
            self._answers[request_id] = method, answer
        else:
            answer.set_exception(ProtocolError(f"Protocol error ({method}): {self._closed_reason}"))
        return answer

    def notify(self, method: str, params: dict[str, Any] | None = None) -> None:
        """Send a request, and ignore its answer. Chromium keeps the order of requests."""
        self.send(method, params).add_done_callback(consume_exception)

    async def detach(self) -> None:
        """End the session. Raises ProtocolError when it has ended before."""
        if self.parent:
            await self.parent.send("Target.detachFromTarget", {"sessionId": self.id})
        self.end("Session closed")

    async def attach(self, method: str, **params: Any) -> "Session":
        """Open a session by this request (`Target.attachToTarget` or its like). Raises ProtocolError."""
        answer = await self.send(method, params)
        return self._channel.session(answer["sessionId"], self)

    def on_answer(self, request_id: int, message: dict[str, Any]) -> None:
        """Set the result of a request to Chromium's answer."""
        method, answer = self._answers.pop(request_id, ("", None))
        if answer is None or answer.done():
            return
        problem = message.get("error")
        if problem is None:
            answer.set_result(message.get("result", {}))
        else:
            text = "Session closed" if problem.get("code") == _NO_SESSION else problem.get("message", "")
            answer.set_exception(ProtocolError(f"Protocol error ({method}): {text}"))

    def fail_request(self, request_id: int, why: str) -> None:
        """Let a request fail: it has no answer, or none that can be read."""
        method, answer = self._answers.pop(request_id, ("", None))
        if answer and not answer.done():
            answer.set_exception(ProtocolError(f"Protocol error ({method}): {why}"))

    def on_event(self, message: bytes) -> None:
        """Call the handlers of an event of this session. It is decoded only if there are any."""
        method = message[11 : message.index(b'"', 11)].decode()
        if method == "Inspector.targetCrashed":
            self._fail("Target crashed")
        if handlers := self._handlers.get(method):
            parameters = decode(message).get("params", {})
            for handler in handlers:
                handler(parameters)

    def end(self, reason: str) -> None:
        """End the session: its target has closed, or we have left it. Pending requests fail with `reason`."""
        if self._closed_reason != reason:
            self._channel.forget(self.id)
            self._fail(reason)
            for handler in self._handlers.get("close", []):
                handler(self)

    def _fail(self, reason: str) -> None:
        self._closed_reason = reason
        for request_id in list(self._answers):
            self._channel.abandon(request_id)
            self.fail_request(request_id, reason)


def consume_exception(done: "asyncio.Future[Any]") -> None:
    """Retrieve the exception of an ignored answer, so that asyncio does not log it as unhandled."""
    if not done.cancelled():
        done.exception()
