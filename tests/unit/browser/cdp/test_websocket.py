"""Test the connection whose far end is a WebSocket.

What services make of Chromium's messages, and which side waits when the other lags.
"""

from collections.abc import Callable

import orjson

from gstack_browse.browser.cdp.pipe import MOST_WAITING
from gstack_browse.browser.cdp.websocket import SocketPipe

SESSION = "A" * 32


class Link:
    """A socket without a network."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []
        self.is_held = False

    def begin(self, take: Callable[[bytes], None], ended: Callable[[], None]) -> None:
        self.take, self.ended = take, ended

    def set_lag_handler(self, lags: Callable[[bool], None]) -> None:
        self.lags = lags

    def send(self, messages: bytes) -> None:
        self.sent.append(messages)

    def hold(self) -> None:
        self.is_held = True

    def free(self) -> None:
        self.is_held = False

    def close(self) -> None:
        pass


async def test_an_event_is_read_in_whatever_order_it_was_written() -> None:
    link = Link()
    pipe = SocketPipe(link)  # type: ignore[arg-type]
    heard: list[bytes] = []
    pipe.filter_event = lambda message: heard.append(message) or b""  # type: ignore[func-returns-value]
    usual = b'{"method":"Page.x","params":{"a":{"sessionId":"no"}},"sessionId":"%s"}' % SESSION.encode()
    moved = orjson.dumps({"method": "Page.x", "sessionId": SESSION, "params": {"a": {"sessionId": "no"}}})
    link.take(b"\0".join([usual, moved, b'{"method":"Target.y","params":{}}', b""]))
    assert heard == [usual, usual, b'{"method":"Target.y","params":{}}']


async def test_the_socket_is_not_read_while_the_driver_lags() -> None:
    link = Link()
    pipe = SocketPipe(link)  # type: ignore[arg-type]
    pump = pipe._to_driver
    pump._waiting.append(b"x")
    pump._target = 0
    pump.write(b"y" * (MOST_WAITING + 1))
    assert link.is_held


async def test_its_end_is_the_end_of_the_wire() -> None:
    link = Link()
    pipe = SocketPipe(link)  # type: ignore[arg-type]
    told: list[bool] = []
    pipe.on_end = told.append
    link.ended()
    assert (told, pipe.is_open) == ([True], False)
