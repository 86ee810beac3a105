"""A session of Chromium's protocol on our own wire, made like Playwright's CDPSession."""

import asyncio
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import orjson
from playwright.async_api import Error

if TYPE_CHECKING:
    from gstack_browse.browser.cdp.wire import Wire

Handler = Callable[[Any], object]
_NO_SESSION = -32001


class Session:
    """A session of the protocol with one target, of the same make as Playwright's CDPSession. `send` raises its Error."""

    def __init__(self, wire: "Wire", number: str) -> None:
        self._wire = wire
        self._number = number
        self._handlers: dict[str, list[Handler]] = {}
        self._answers: dict[int, tuple[str, asyncio.Future[Any]]] = {}
        self._over = ""

    def on(self, event: str, handler: Handler) -> None:
        """Have `handler` called with the parameters of every such event; of `close`, with this session."""
        self._handlers.setdefault(event, []).append(handler)

    async def send(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """Chromium's answer. The message is on its way when this first waits."""
        if self._over:
            raise Error(f"Protocol error ({method}): {self._over}")
        number = self._wire.next_id()
        answer: asyncio.Future[dict[str, Any]] = self._wire.loop.create_future()
        self._answers[number] = method, answer
        message = {"id": number, "method": method, "params": params or {}}
        if self._number:
            message["sessionId"] = self._number
        self._wire.say(number, self, encode(message))
        try:
            return await answer
        finally:
            self._answers.pop(number, None)

    async def detach(self) -> None:
        """End the session. Raises Playwright's Error when it has ended before."""
        await self._wire.let_go(self._number)
        self.end("Session closed")

    def answered(self, number: int, message: dict[str, Any]) -> None:
        """Chromium has answered the message of that number."""
        method, answer = self._answers.pop(number, ("", None))
        if answer is None or answer.done():
            return
        problem = message.get("error")
        if problem is None:
            answer.set_result(message.get("result", {}))
        else:
            text = "Session closed" if problem.get("code") == _NO_SESSION else problem.get("message", "")
            answer.set_exception(Error(f"Protocol error ({method}): {text}"))

    def failed(self, number: int, why: str) -> None:
        """There is no answer to the message of that number, or none that can be read."""
        method, answer = self._answers.pop(number, ("", None))
        if answer and not answer.done():
            answer.set_exception(Error(f"Protocol error ({method}): {why}"))

    def happened(self, packed: bytes) -> None:
        """An event of this session; read only where somebody listens for it."""
        method = packed[11 : packed.index(b'"', 11)].decode()
        if method == "Inspector.targetCrashed":
            self._fail("Target crashed")
        if handlers := self._handlers.get(method):
            parameters = decode(packed).get("params", {})
            for handler in handlers:
                handler(parameters)

    def end(self, why: str) -> None:
        """The target is gone, or we have left it."""
        if self._over != why:
            self._wire.forget(self._number)
            self._fail(why)
            for handler in self._handlers.get("close", []):
                handler(self)

    def _fail(self, why: str) -> None:
        self._over = why
        for number in list(self._answers):
            self._wire.unask(number)
            self.failed(number, why)


def encode(message: dict[str, Any]) -> bytes:
    """A message as JSON. Strings may hold halves of characters, as JavaScript's may, which strict encoders refuse."""
    try:
        return orjson.dumps(message)
    except TypeError:
        return json.dumps(message, separators=(",", ":")).encode()


def decode(packed: bytes | str) -> Any:
    """JSON of Chromium or of a page. Strings may hold halves of characters, which strict decoders refuse."""
    try:
        return orjson.loads(packed)
    except orjson.JSONDecodeError:
        return json.loads(packed)


def consume_exception(done: "asyncio.Future[Any]") -> None:
    """Take an answer that nobody waits for (any more), so that a failure is not complained of."""
    if not done.cancelled():
        done.exception()
