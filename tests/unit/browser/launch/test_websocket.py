"""Test the connection whose far end is a WebSocket.

What services make of Chromium's messages.
"""

from collections.abc import Callable

import orjson

from gstack_browse.browser.launch.shared_connection import SocketPipe

SESSION = "A" * 32


class Link:
    """A socket without a network."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []

    def begin(self, take: Callable[[bytes], None], ended: Callable[[], None]) -> None:
        self.take, self.ended = take, ended

    def send(self, messages: bytes) -> None:
        self.sent.append(messages)

    def close(self) -> None:
        pass


async def test_an_event_is_read_in_whatever_order_it_was_written() -> None:
    link = Link()
    pipe = SocketPipe(link)  # type: ignore[arg-type]
    heard: list[bytes] = []
    pipe.handlers = {b"Page.x": heard.append, b"Target.y": heard.append}
    session = pipe.add_session(SESSION, pipe.root)
    told: list[object] = []
    session.on("Page.x", told.append)
    usual = b'{"method":"Page.x","params":{"a":{"sessionId":"no"}},"sessionId":"%s"}' % SESSION.encode()
    moved = orjson.dumps({"method": "Page.x", "sessionId": SESSION, "params": {"a": {"sessionId": "no"}}})
    link.take(b"\0".join([usual, moved, b'{"method":"Target.y","params":{}}', b""]))
    assert heard == [usual, usual, b'{"method":"Target.y","params":{}}']
    assert told == [{"a": {"sessionId": "no"}}] * 2
