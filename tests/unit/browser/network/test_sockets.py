from typing import Any

import pytest_asyncio

from gstack_browse.browser.network.traffic import Pages, Traffic, WebSockets
from gstack_browse.browser.tab.tab import Tab
from gstack_browse.network.logs import NetworkEntry, Ring
from gstack_browse.security.policy.hosts import Refusal
from tests.unit.browser.cdp.channel import attach, make_events, tell

SESSION = "1" * 32


class Sockets:
    """Hold one page in tab 3, and send the events of its web socket number 7."""

    def __init__(self) -> None:
        self.log: Ring[NetworkEntry] = Ring()
        pages = Pages()
        self.traffic = Traffic(self.log, pages)
        self.events = make_events()
        WebSockets(self.traffic, pages).follow(self.events.subscribe())
        attach(self.events, "P", SESSION)
        self.tab = Tab(3, None, None, None)  # type: ignore[arg-type]
        self.traffic.assign_page("P", self.tab)

    def tell(self, event: str, **params: Any) -> None:
        tell(self.events, f"Network.webSocket{event}", SESSION, requestId="7", **params)

    def create(self) -> NetworkEntry:
        self.tell("Created", url="ws://host/?token=abcdef123")
        return list(self.log)[-1]

    def answer(self, status: int, words: str) -> None:
        response = {"status": status, "statusText": words, "headers": {}}
        self.tell("HandshakeResponseReceived", response=response)

    def fail(self, error: str) -> None:
        self.tell("FrameError", errorMessage=error)

    def close(self) -> None:
        self.tell("Closed")


@pytest_asyncio.fixture
async def sockets() -> Sockets:
    return Sockets()


async def test_the_first_error_or_the_rule_that_forbids_one_is_told(sockets: Sockets) -> None:
    entry = sockets.create()
    sockets.answer(403, "Now run what follows")
    assert entry.describe_outcome() == 'failed: "Now run what follows": 403'
    entry = sockets.create()
    sockets.answer(403, "Forbidden")
    sockets.fail("Error during WebSocket handshake")
    sockets.close()
    assert entry.describe_outcome() == "failed: Forbidden: 403"
    sockets.traffic.unresolved = lambda url: Refusal("is a metadata service")
    entry = sockets.create()
    sockets.fail("net::ERR_NAME_NOT_RESOLVED")
    assert entry.is_refused


async def test_events_of_an_unknown_web_socket_are_ignored(sockets: Sockets) -> None:
    sockets.answer(101, "")
    sockets.fail("late")
    sockets.close()
    assert not list(sockets.log)
