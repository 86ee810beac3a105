"""Requests as Chromium tells of them, in the log and in the tab they concern."""

from typing import Any

import pytest
import pytest_asyncio

from gstack_browse.browser.network.exchanges import EVENT_STREAM
from gstack_browse.browser.network.traffic import MOST_EARLY, Pages, Traffic
from gstack_browse.browser.tab.tab import Tab
from gstack_browse.network.logs import NetworkEntry, Ring
from tests.unit.browser.cdp.channel import attach, make_events, tell

PAGE, INNER, WORKER = "P", "I", "S"
SESSIONS = {PAGE: "1" * 32, INNER: "2" * 32, WORKER: "3" * 32}
"""The targets, and the ids of our sessions with them."""


class Network:
    """Traffic with its log, and short words for the protocol's events."""

    def __init__(self) -> None:
        self.log: Ring[NetworkEntry] = Ring()
        self.pages = Pages()
        self.traffic = Traffic(self.log, self.pages)
        self.events = make_events()
        for target, kind, above in (
            (PAGE, "page", ""),
            (INNER, "iframe", SESSIONS[PAGE]),
            (WORKER, "service_worker", ""),
        ):
            attach(self.events, target, SESSIONS[target], above, kind)
        self.traffic.follow(self.events.subscribe())
        self.clock = 100.0

    def ask(self, number: str, target: str = PAGE, *, url: str = "http://a/x", **more: Any) -> None:
        asked = {"url": url, "method": "GET", "headers": {}}
        event = {"requestId": number, "loaderId": "L", "frameId": "P", "type": "Fetch", "request": asked}
        self._send_event("requestWillBeSent", target, {**event, **more})

    def answer(self, number: str, status: int = 200, target: str = PAGE, **headers: str) -> None:
        response = {"status": status, "headers": headers, "encodedDataLength": 150}
        self._send_event("responseReceived", target, {"requestId": number, "response": response})

    def finish(self, number: str, size: int = 150, target: str = PAGE) -> None:
        self._send_event("loadingFinished", target, {"requestId": number, "encodedDataLength": size})

    def fail(self, number: str, error: str) -> None:
        self._send_event("loadingFailed", PAGE, {"requestId": number, "errorText": error})

    def leave(self, frame: str, loader: str) -> None:
        """A frame of the page goes to another document."""
        document = {"id": frame, "loaderId": loader, "url": "http://a/"}
        tell(self.events, "Page.frameNavigated", SESSIONS[PAGE], frame=document)

    def _send_event(self, name: str, target: str, event: dict[str, Any]) -> None:
        self.clock += 0.25
        tell(self.events, f"Network.{name}", SESSIONS[target], **event, timestamp=self.clock)

    def lines(self) -> list[str]:
        return [entry.render() for entry in self.log.entries_since(0)]


@pytest_asyncio.fixture
async def network() -> Network:
    return Network()


@pytest.fixture
def tab(network: Network) -> Tab:
    tab = Tab(3, None, None, None)  # type: ignore[arg-type]
    network.traffic.assign_page("P", tab)
    return tab


@pytest.mark.parametrize(
    ("status", "error", "arrives", "due"),
    [
        (200, "net::ERR_ABORTED", False, 1),
        (200, "net::ERR_ABORTED", True, 0),
        (200, "net::ERR_CONNECTION_RESET", False, 0),
        (204, "net::ERR_ABORTED", False, 0),
        (302, "net::ERR_ABORTED", False, 0),
    ],
    ids=["a file", "a document that is there", "a server that broke off", "nothing", "elsewhere"],
)
async def test_the_answer_that_is_a_file(
    network: Network, tab: Tab, status: int, error: str, arrives: bool, due: int
) -> None:
    """Count an aborted document answer that is shown nowhere as a download."""
    network.ask("1", loaderId="1", frameId="F", type="Document")
    network.answer("1")
    network.fail("1", "net::ERR_ABORTED")
    assert not tab.effects.due_downloads, "no action led to it"
    tab.effects.begin_action()
    network.ask("2", loaderId="2", frameId="F", type="Document")
    network.answer("2", status)
    if arrives:
        network.leave("F", "2")
    network.fail("2", error)
    assert tab.effects.due_downloads == due
    tab.effects.stop_expecting()
    assert not tab.effects.due_downloads


async def test_failures_say_why_and_an_answer_without_a_body_is_whole(network: Network, tab: Tab) -> None:
    """Count answers without a body as whole.

    Chromium breaks off what no reader takes, also where the body is empty.
    """
    network.ask("0", url="http://a/0")
    network.fail("0", "net::ERR_CONNECTION_REFUSED")
    length = "Content-Length"
    network.traffic.shaped = lambda number, url: ("route 1", 0) if number == "5" else ("", -1)
    answers = (201, {length: "0"}), (200, {length: "0"}), (200, {length: "5"}), (204, {}), (200, {})
    for number, (status, headers) in enumerate(answers, 1):
        network.ask(str(number), url=f"http://a/{number}")
        network.answer(str(number), status, **headers)
        network.fail(str(number), "net::ERR_ABORTED")
    assert network.lines() == [
        "GET http://a/0 → failed: ERR_CONNECTION_REFUSED",
        "GET http://a/1 → 201 (500ms, 0B)",
        "GET http://a/2 → 200 (500ms, 0B)",
        "GET http://a/3 → failed: ERR_ABORTED",
        "GET http://a/4 → 204 (500ms)",
        "GET http://a/5 → 200 (500ms, 0B) by route 1",
    ]


async def test_requests_of_a_document_that_was_left_are_aborted(network: Network, tab: Tab) -> None:
    network.ask("1", url="http://a/old")
    network.ask("2", url="http://a/frame", frameId="F")
    network.ask("3", url="http://a/next", loaderId="3", type="Document")
    network.leave("F", "L9")
    assert list(tab.requests.inflight) == ["1", "3"]
    network.ask("4", url="http://a/new", loaderId="3")
    network.leave("P", "3")
    assert list(tab.requests.inflight) == ["3", "4"]
    assert network.lines()[0] == "GET http://a/old → failed: ERR_ABORTED"
    network.finish("1")
    assert network.lines()[0] == "GET http://a/old → failed: ERR_ABORTED", "whatever Chromium says later"


async def test_requests_that_are_not_of_the_network_are_not_logged(network: Network, tab: Tab) -> None:
    network.ask("1", url="data:text/plain,x")
    network.ask("2", type="Preflight")
    network.ask("3", type="Other", initiator={"type": "preflight"})
    network.ask("4", type="Other", initiator={"type": "other"}, url="http://a/favicon.ico?x")
    script = {"type": "script", "stack": {"callFrames": [{"url": "chrome-extension://x/content.js"}]}}
    network.ask("5", initiator=script)
    network.ask("6", url="chrome-extension://x/icon.png", type="Image")
    network.answer("7")
    network.finish("7")
    network.fail("7", "net::ERR_FAILED")
    assert (network.lines(), tab.requests.inflight) == ([], {})


async def test_a_page_that_gets_its_tab_later(network: Network) -> None:
    for number in range(MOST_EARLY + 5):
        network.ask(str(number), loaderId="0", type="Document" if number == 0 else "Image")
    network.ask("s", WORKER)
    network.finish("1")
    assert [entry.tab for entry in network.log.entries_since(0)] == [0], "a service worker's is nobody's"
    tab = Tab(8, None, None, None)  # type: ignore[arg-type]
    network.traffic.assign_page("P", tab)
    assert (tab.requests.documents, tab.requests.is_navigating) == (1, True)
    assert len(tab.requests.inflight) == MOST_EARLY + 4
    assert [entry.tab for entry in network.log.entries_since(0)] == [0] + [8] * MOST_EARLY
    network.ask("last")
    network.pages.forget("P")
    network.finish("last")
    assert network.lines()[-1] == "GET http://a/x → pending", "its tab has said so itself"


@pytest.mark.parametrize(("told", "line"), [("all", "200 (500ms, 9B)"), ("a head", "200 ("), ("nothing", "failed: ERR_FAILED")])  # fmt: skip
async def test_the_script_of_a_shared_worker_ends_with_the_worker_whatever_is_told(
    network: Network, tab: Tab, told: str, line: str
) -> None:
    network.ask(WORKER, url="http://a/shared.js")
    if told == "all":
        network.traffic.exchanges.forget({1})
        network.answer(WORKER, 200, WORKER, **{"Content-Length": "9"})
        network.finish(WORKER, target=WORKER)
        assert not tab.requests.inflight, "though nothing is kept of it any more"
    elif told == "a head":
        head = {"requestId": WORKER, "statusCode": 200, "headers": {}}
        network._send_event("responseReceivedExtraInfo", PAGE, head)
    network.ask("7", url="http://a/other")
    tell(network.events, "Target.detachedFromTarget", sessionId=SESSIONS[WORKER])
    assert network.lines()[0].startswith(f"GET http://a/shared.js → {line}")
    assert list(tab.requests.inflight) == ["7"]


async def test_responses_of_a_page_that_has_closed_are_read_no_further(network: Network, tab: Tab) -> None:
    """`Network.dataReceived` is Chromium's most frequent event."""
    network.ask("1")
    network.answer("1", **{"Content-Length": "1000"})
    network.ask("2")
    response = {"status": 200, "headers": {}, "encodedDataLength": 1, "mimeType": EVENT_STREAM}
    network._send_event("responseReceived", PAGE, {"requestId": "2", "type": "Fetch", "response": response})
    subscriber = network.events.subscriber_of(network.events.targets.get(PAGE))
    name = "Network.dataReceived"
    assert (name in subscriber.handlers, name in subscriber.readers) == (True, True)
    tell(network.events, "Target.detachedFromTarget", sessionId=SESSIONS[PAGE])
    assert (name in subscriber.handlers, name in subscriber.readers) == (False, False)
