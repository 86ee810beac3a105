"""Test which events are kept from the driver, and that the installed driver does not miss them."""

import json
import re
from pathlib import Path
from typing import Any

import playwright
import pytest
import pytest_asyncio

from gstack_browse.browser.cdp import playwright_internals
from gstack_browse.browser.cdp.diet import FORWARDED_LIFECYCLE, MOMENTS, RULES, DriverEventFilter, Interest
from gstack_browse.browser.cdp.tap import TargetEvents
from tests.each import each

PAGE, ON_PAGE = "P" * 32, "1" * 32
EVENTS = [name for rule in RULES for name in rule.events]
UNUSED_EVENTS = [name for rule in RULES if rule.needs == "never" for name in rule.events]


def event(method: str, session: str = ON_PAGE, **params: Any) -> bytes:
    message = {"method": method, "params": params, **({"sessionId": session} if session else {})}
    return json.dumps(message, separators=(",", ":")).encode()


def forwards(event_filter: DriverEventFilter, message: bytes) -> bool:
    needs = event_filter.needs.get(json.loads(message)["method"].encode())
    return needs is None or needs(message)


async def make() -> DriverEventFilter:
    tap = TargetEvents(lambda session_id: None)  # type: ignore[arg-type, return-value]  # nothing is said there
    attached = event("Target.attachedToTarget", "", sessionId=ON_PAGE, targetInfo={"targetId": PAGE})
    tap.observe(b"Target.attachedToTarget", attached)
    event_filter = DriverEventFilter(tap.targets)
    event_filter.interest = lambda page: Interest.NONE
    return event_filter


@pytest_asyncio.fixture
async def event_filter() -> DriverEventFilter:
    return await make()


def test_an_event_has_one_rule() -> None:
    assert len(set(EVENTS)) == len(EVENTS)
    assert all(rule.reason and rule.evidence for rule in RULES)


@each(EVENTS)
async def test_the_driver_is_spared_it(name: str, event_filter: DriverEventFilter) -> None:
    assert not forwards(event_filter, event(name, requestId="1", name="firstPaint"))


@each(EVENTS)
async def test_an_unknown_driver_gets_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playwright_internals, "NEWEST", (1, 0))
    event_filter = await make()
    assert not event_filter.is_applied
    assert forwards(event_filter, event(name, requestId="1", name="firstPaint"))


@each(name for name in EVENTS if name not in UNUSED_EVENTS)
async def test_of_a_target_that_nobody_knows_the_driver_gets_it(
    name: str, event_filter: DriverEventFilter
) -> None:
    moment = FORWARDED_LIFECYCLE[0].decode().split('"')[3]
    assert forwards(event_filter, event(name, "9" * 32, requestId="1", name=moment))


@pytest.mark.parametrize(
    ("name", "reaches"), [("load", True), ("DOMContentLoaded", True), ("firstPaint", False)]
)
async def test_of_lifecycles_the_driver_gets_what_it_uses(
    event_filter: DriverEventFilter, name: str, reaches: bool
) -> None:
    moment = event("Page.lifecycleEvent", frameId=PAGE, loaderId="L", name=name, timestamp=1.5)
    assert forwards(event_filter, moment) is reaches
    within = event("Page.lifecycleEvent", frameId="I" * 32, loaderId="L", name=name, timestamp=1.5)
    assert not forwards(event_filter, within), "nobody waits for a frame in a page"


async def test_a_workers_message_in_its_pages_session_is_nobodys(event_filter: DriverEventFilter) -> None:
    assert forwards(event_filter, event("Log.entryAdded", entry={"source": "worker", "text": "x"}))
    assert not forwards(
        event_filter, event("Log.entryAdded", entry={"source": "network", "text": '"source":"worker"'})
    )


def request_event(request_id: str, **more: Any) -> bytes:
    about = {"requestId": request_id, "loaderId": "L", "request": {"headers": {}}, "frameId": PAGE, **more}
    return event("Network.requestWillBeSent", **about)


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"loaderId": "1", "frameId": "I"},
        {"request": {"headers": {"loaderId": "1"}}},
        {"request": {"url": 'http://a/"loaderId":"1"'}},
    ],
)
async def test_only_the_main_frames_document_is_one(
    event_filter: DriverEventFilter, more: dict[str, Any]
) -> None:
    event_filter.interest = lambda page: Interest.DOCUMENTS
    assert not forwards(event_filter, request_event("1", **more))
    assert forwards(event_filter, request_event("2", loaderId="2"))


async def test_forwarded_request_that_ended_is_forgotten(event_filter: DriverEventFilter) -> None:
    event_filter.interest = lambda page: Interest.ALL
    target = event_filter._targets.get(PAGE)
    assert forwards(event_filter, request_event("1"))
    event_filter.interest = lambda page: Interest.NONE
    assert target.forwarded_requests == {b"1"}
    assert forwards(event_filter, event("Network.loadingFailed", requestId="1"))
    assert not target.forwarded_requests


def test_playwright_is_the_one_whose_driver_we_know() -> None:
    """If this fails, look what the new driver listens to: see docs/upgrading.md."""
    assert playwright_internals.is_known()
    bundle = Path(playwright.__path__[0], "driver/package/lib/coreBundle.js").read_text(encoding="utf-8")
    assert [name for name in UNUSED_EVENTS if f'"{name}"' in bundle] == []
    handler = bundle.split("_onLifecycleEvent(event) {", 1)[1].split("\n      }\n", 1)[0]
    assert re.findall(r'event\.name === ("\w+")', handler) == [
        moment.decode().removeprefix('"name":') for moment in FORWARDED_LIFECYCLE
    ]
    assert {f'"name":"{name}"'.encode() for name in MOMENTS.values()} == set(FORWARDED_LIFECYCLE)
    assert re.findall(r"event\.(\w+)", handler) == ["frameId", "name", "frameId", "name", "frameId"]
    chromium = bundle.split("/server/chromium/crPage.ts", 1)[1].split("\n// packages/", 1)[0]
    assert handler in chromium
    assert [name for name in MOMENTS if f'"{name.decode()}"' in chromium] == []
