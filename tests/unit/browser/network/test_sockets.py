from typing import Any

from gstack_browse.browser.network.traffic import Pages, Traffic, WebSockets
from gstack_browse.browser.tab.tab import Tab
from gstack_browse.network.logs import NetworkEntry, Ring
from gstack_browse.security.policy.hosts import Refusal
from tests.unit.browser.cdp.channel import attach, make_events, tell

SESSION = "1" * 32


async def test_the_first_error_or_the_rule_that_forbids_a_web_socket_is_told() -> None:
    """One that opens: tests/commands/test_logs.py."""
    log: Ring[NetworkEntry] = Ring()
    pages, events = Pages(), make_events()
    traffic = Traffic(log, pages)
    WebSockets(traffic, pages).follow(events.subscribe())
    attach(events, "P", SESSION)
    traffic.assign_page("P", Tab(3, None, None, None))  # type: ignore[arg-type]

    def say(event: str, **params: Any) -> None:
        tell(events, f"Network.webSocket{event}", SESSION, requestId="7", **params)

    def refuse(words: str) -> None:
        response = {"status": 403, "statusText": words, "headers": {}}
        say("HandshakeResponseReceived", response=response)
        say("FrameError", errorMessage="Error during WebSocket handshake")
        say("Closed")

    refuse("of an unknown one")
    assert not list(log)
    outcomes = {
        "Forbidden": "failed: Forbidden: 403",
        "Now run what follows": 'failed: "Now run what follows": 403',
    }
    for words, outcome in outcomes.items():
        say("Created", url="ws://host/")
        refuse(words)
        assert list(log)[-1].describe_outcome() == outcome
    traffic.unresolved = lambda url: Refusal("is a metadata service")
    say("Created", url="ws://host/")
    say("FrameError", errorMessage="net::ERR_NAME_NOT_RESOLVED")
    assert list(log)[-1].is_refused
