"""A session of Chromium's protocol over a channel of ours, made like Playwright's CDPSession."""

import asyncio
from collections.abc import Callable
from typing import Any, Protocol

from gstack_browse.browser.cdp.playwright_names import Error
from gstack_browse.text.json_bytes import decode

Handler = Callable[[Any], object]
_NO_SESSION = -32001


class Channel(Protocol):
    """Carries the messages of sessions to Chromium. Hands answers to `Session.answered` and events to `Session.happened`."""

    def send(self, session: "Session", method: str, params: dict[str, Any]) -> int:
        """Send a request of that session, whose answer comes later. Returns its id; 0 where the channel has ended."""

    def abandon(self, request_id: int) -> None:
        """Nobody waits for the answer to that request any more."""

    def session(self, session_id: str, parent: "Session") -> "Session":
        """Begin to route the events of a session that `parent` has just opened."""

    def forget(self, session_id: str) -> None:
        """That session has ended."""


class Session:
    """A session with one target, opened by `parent`, or with the browser. `send` raises Playwright's Error."""

    def __init__(self, channel: Channel, session_id: str = "", parent: "Session | None" = None) -> None:
        self.id = session_id
        self.parent = parent
        self._channel = channel
        self._handlers: dict[str, list[Handler]] = {}
        self._answers: dict[int, tuple[str, asyncio.Future[Any]]] = {}
        self._closed_reason = ""

    def on(self, event: str, handler: Handler) -> None:
        """Call `handler` with the parameters of every such event; for `close`, with this session."""
        self._handlers.setdefault(event, []).append(handler)

    def off(self, event: str, handler: Handler) -> None:
        """Call that handler no more."""
        self._handlers[event].remove(handler)

    def send(self, method: str, params: dict[str, Any] | None = None) -> "asyncio.Future[dict[str, Any]]":
        """Chromium's answer, or the Error in its place. The request has been handed to the channel when this returns."""
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        if self._closed_reason:
            answer.set_exception(Error(f"Protocol error ({method}): {self._closed_reason}"))
            return answer
        request_id = self._channel.send(self, method, params or {})
        if request_id:
            self._answers[request_id] = method, answer
        else:
            answer.set_exception(Error(f"Protocol error ({method}): {self._closed_reason}"))
        return answer

    def notify(self, method: str, params: dict[str, Any] | None = None) -> None:
        """Send a request whose answer nobody waits for: Chromium keeps the order."""
        self.send(method, params).add_done_callback(consume_exception)

    async def detach(self) -> None:
        """End the session. Raises Playwright's Error when it has ended before."""
        if self.parent:
            await self.parent.send("Target.detachFromTarget", {"sessionId": self.id})
        self.end("Session closed")

    async def attach(self, method: str, **params: Any) -> "Session":
        """A session that this request opens (`Target.attachToTarget` or its like). Raises Playwright's Error."""
        answer = await self.send(method, params)
        return self._channel.session(answer["sessionId"], self)

    def answered(self, request_id: int, message: dict[str, Any]) -> None:
        """Chromium has answered that request."""
        method, answer = self._answers.pop(request_id, ("", None))
        if answer is None or answer.done():
            return
        problem = message.get("error")
        if problem is None:
            answer.set_result(message.get("result", {}))
        else:
            text = "Session closed" if problem.get("code") == _NO_SESSION else problem.get("message", "")
            answer.set_exception(Error(f"Protocol error ({method}): {text}"))

    def failed(self, request_id: int, why: str) -> None:
        """There is no answer to that request, or none that can be read."""
        method, answer = self._answers.pop(request_id, ("", None))
        if answer and not answer.done():
            answer.set_exception(Error(f"Protocol error ({method}): {why}"))

    def happened(self, message: bytes) -> None:
        """Take an event of this session. It is decoded only where there is a handler for it."""
        method = message[11 : message.index(b'"', 11)].decode()
        if method == "Inspector.targetCrashed":
            self._fail("Target crashed")
        if handlers := self._handlers.get(method):
            parameters = decode(message).get("params", {})
            for handler in handlers:
                handler(parameters)

    def end(self, reason: str) -> None:
        """The target is gone, or we have left it."""
        if self._closed_reason != reason:
            self._channel.forget(self.id)
            self._fail(reason)
            for handler in self._handlers.get("close", []):
                handler(self)

    def _fail(self, reason: str) -> None:
        self._closed_reason = reason
        for request_id in list(self._answers):
            self._channel.abandon(request_id)
            self.failed(request_id, reason)


def consume_exception(done: "asyncio.Future[Any]") -> None:
    """Retrieve the exception of an answer nobody waits for, so that asyncio does not log it as unhandled."""
    if not done.cancelled():
        done.exception()
