from typing import Any

from gstack_browse.browser.network.traffic import Pages, Traffic, WebSockets
from gstack_browse.browser.tab.tab import Tab
from gstack_browse.network.logs import NetworkEntry, Ring
from gstack_browse.security.policy.hosts import Refusal
from tests.unit.browser.cdp.channel import attach, make_events, tell

SESSION = "1" * 32


async def test_a_web_socket_is_open_until_it_is_closed_or_tells_its_first_error_or_what_forbids_it() -> None:
    log: Ring[NetworkEntry] = Ring()
    pages, events = Pages(), make_events()
    traffic = Traffic(log, pages)
    WebSockets(traffic, pages).follow(events.subscribe())
    attach(events, "P", SESSION)
    tab = Tab(3, None, None, None)  # type: ignore[arg-type]
    traffic.assign_page("P", tab)

    def say(event: str, **params: Any) -> None:
        tell(events, f"Network.webSocket{event}", SESSION, requestId="7", **params)

    def answer(status: int, words: str) -> None:
        response = {"status": status, "statusText": words, "headers": {}}
        say("HandshakeResponseReceived", response=response)

    def refuse(words: str) -> None:
        answer(403, words)
        say("FrameError", errorMessage="Error during WebSocket handshake")
        say("Closed")

    refuse("of an unknown one")
    assert not list(log)
    say("Created", url="ws://host/?token=abcdef123")
    answer(101, "Switching Protocols")
    [entry] = log
    assert (entry.tab, entry.render()) == (3, "GET ws://host/?token=[redacted] → open")
    say("Closed")
    assert entry.render().startswith("GET ws://host/?token=[redacted] → 101 (")
    assert not tab.requests.pending
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
