"""Test the pipe and the daemon's own connection over it.

The test holds the far ends: it is the driver and Chromium at once.
"""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
import pytest_asyncio

from gstack_browse.browser.cdp import pipe as pipe_module
from gstack_browse.browser.cdp.connection import RELIED_ON, PipeConnection
from gstack_browse.browser.cdp.diet import Interest
from gstack_browse.browser.cdp.errors import ProtocolError
from gstack_browse.browser.cdp.pipe import FIRST_ID, Pipe
from gstack_browse.browser.cdp.session import Session
from gstack_browse.browser.cdp.shared_workers import FROM_THE_BEGINNING

Message = dict[str, Any]
SECONDS = 5


class PipeEnds:
    """A connection over a pipe, and what the driver and Chromium hold of that."""

    def __init__(self) -> None:
        from_driver, self.driver_writes = os.pipe()
        self.driver_reads, to_driver = os.pipe()
        self.browser_reads, to_browser = os.pipe()
        from_browser, self.browser_writes = os.pipe()
        self.open = {self.driver_writes, self.driver_reads, self.browser_reads, self.browser_writes}
        self.pipe = Pipe(to_browser, from_browser)
        self.pipe.connect_driver(from_driver, to_driver)
        self.connection = PipeConnection(self.pipe)

    def close(self, descriptor: int) -> None:
        self.open.discard(descriptor)
        os.close(descriptor)

    async def read_as_browser(self) -> list[Message]:
        """The next messages that reach Chromium."""
        return messages(await read(self.browser_reads))

    async def attached(self) -> Session:
        """A session of ours with a target T, of which the driver has heard."""
        driver = {"sessionId": "D" * 32, "targetInfo": {"targetId": "T"}}
        self.say({"method": "Target.attachedToTarget", "params": driver})
        await read(self.driver_reads)
        attaching = asyncio.ensure_future(self.connection.attach("T"))
        [asked] = await self.read_as_browser()
        self.answer(asked, sessionId="B" * 32)
        watching, asked = await self.read_as_browser()
        assert watching["method"] == "Target.setAutoAttach"
        self.answer(asked, sessionId="A" * 32)
        session = (await attaching).session
        enabled = await self.read_as_browser()
        assert [(asked["method"], asked["sessionId"]) for asked in enabled] == [
            *((f"{domain}.enable", "D" * 32) for domain in RELIED_ON if domain != FROM_THE_BEGINNING),
            ("Page.setLifecycleEventsEnabled", "D" * 32),
            ("Runtime.enable", "A" * 32),
            ("Runtime.disable", "A" * 32),
        ]
        return session

    def answer(self, asked: Message, **result: Any) -> None:
        end = {"sessionId": asked["sessionId"]} if asked.get("sessionId") else {}
        self.say({"id": asked["id"], "result": result, **end})

    def say(self, *said: Message) -> None:
        """Chromium says that, all at once."""
        os.write(self.browser_writes, b"".join(packed(message) for message in said))


@pytest_asyncio.fixture
async def pipe_ends() -> AsyncIterator[PipeEnds]:
    pipe_ends = PipeEnds()
    giving_up = asyncio.get_running_loop().call_later(
        SECONDS, pipe_ends.pipe.close
    )  # what is waited for fails then
    yield pipe_ends
    giving_up.cancel()
    pipe_ends.pipe.close()
    for descriptor in list(pipe_ends.open):
        pipe_ends.close(descriptor)


def packed(message: Message) -> bytes:
    return json.dumps(message, separators=(",", ":")).encode() + b"\0"


def messages(data: bytes) -> list[Message]:
    return [json.loads(part) for part in data.split(b"\0") if part]


async def read(descriptor: int, size: int = 1 << 16) -> bytes:
    """Wait until the descriptor is readable, then read it."""
    loop = asyncio.get_running_loop()
    ready = loop.create_future()
    loop.add_reader(descriptor, lambda: ready.done() or ready.set_result(None))
    async with asyncio.timeout(SECONDS):
        await ready
    loop.remove_reader(descriptor)
    return os.read(descriptor, size)


async def test_the_driver_and_chromium_hear_each_other_unchanged(pipe_ends: PipeEnds) -> None:
    os.write(pipe_ends.driver_writes, b'{"id":1,"method":"M"}\0{"id":2}\0')
    assert await read(pipe_ends.browser_reads) == b'{"id":1,"method":"M"}\0{"id":2}\0'
    os.write(pipe_ends.browser_writes, b'{"id":1,"result":{}}\0{"method":"E","params":{}}\0')
    assert await read(pipe_ends.driver_reads) == b'{"id":1,"result":{}}\0{"method":"E","params":{}}\0'


async def test_a_message_of_ours_waits_for_the_end_of_one_that_is_passing(pipe_ends: PipeEnds) -> None:
    session = await pipe_ends.attached()
    os.write(pipe_ends.driver_writes, b'{"id":1}\0{"id":2,"me')
    assert await read(pipe_ends.browser_reads) == b'{"id":1}\0'
    asking = asyncio.ensure_future(session.send("Runtime.evaluate", {"expression": "1"}))
    [asked] = await pipe_ends.read_as_browser()
    assert (asked["id"] > FIRST_ID, asked["method"], asked["sessionId"]) == (
        True,
        "Runtime.evaluate",
        "A" * 32,
    )
    os.write(pipe_ends.driver_writes, b'thod":"M"}\0')
    assert await read(pipe_ends.browser_reads) == b'{"id":2,"method":"M"}\0'
    pipe_ends.answer(asked, value=1)
    assert await asking == {"value": 1}


@pytest.mark.parametrize(
    ("said", "name"), [("Page.domContentEventFired", "DOMContentLoaded"), ("Page.loadEventFired", "load")]
)
async def test_the_driver_hears_of_moments_as_lifecycle_events_once_these_were_ended(
    pipe_ends: PipeEnds, said: str, name: str
) -> None:
    moment: Message = {"method": said, "params": {"timestamp": 1.5}, "sessionId": "D" * 32}
    pipe_ends.say(
        {
            "method": "Target.attachedToTarget",
            "params": {"sessionId": "D" * 32, "targetInfo": {"targetId": "T"}},
        }
    )
    await read(pipe_ends.driver_reads)
    pipe_ends.say(moment)
    assert messages(await read(pipe_ends.driver_reads)) == [moment]
    await pipe_ends.attached()
    before: Message = {"method": "Page.windowOpen", "params": {}}
    behind: Message = {"method": "E", "params": {}}
    pipe_ends.say(before, moment, behind)
    lifecycle = {"frameId": "T", "loaderId": "", "name": name, "timestamp": 1.5}
    told = {"method": "Page.lifecycleEvent", "params": lifecycle, "sessionId": "D" * 32}
    assert messages(await read(pipe_ends.driver_reads)) == [before, told, behind]


async def test_answers_and_events_go_to_whom_they_concern(pipe_ends: PipeEnds) -> None:
    session = await pipe_ends.attached()
    heard: list[Message] = []
    session.on("Page.windowOpen", heard.append)
    asking = asyncio.ensure_future(session.send("M"))
    [asked] = await pipe_ends.read_as_browser()
    theirs = [
        {"id": 7, "result": {}, "sessionId": "D" * 32},
        {"method": "Page.windowOpen", "params": {"url": "theirs"}, "sessionId": "D" * 32},
        {"method": "Target.targetCreated", "params": {}},
    ]
    ours = [
        {"method": "Page.windowOpen", "params": {"url": "ours"}, "sessionId": "A" * 32},
        {"id": asked["id"], "result": {"a": 1}, "sessionId": "A" * 32},
    ]
    before = pipe_ends.connection.forwarded
    pipe_ends.say(theirs[0], ours[0], theirs[1], ours[1], theirs[2])
    assert await asking == {"a": 1}
    assert heard == [{"url": "ours"}]
    assert messages(await read(pipe_ends.driver_reads)) == theirs
    assert pipe_ends.connection.forwarded - before == 2, "events; answers come to whoever waits for them"


@pytest.mark.parametrize(
    "text", ['","sessionId":"' + "A" * 32 + '"}', '{"id":2000000000,"result":{}}', "\\", "A" * 32]
)
async def test_text_of_a_page_cannot_pass_for_a_message_of_our_session(pipe_ends: PipeEnds, text: str) -> None:
    session = await pipe_ends.attached()
    heard: list[Message] = []
    session.on("Runtime.consoleAPICalled", heard.append)
    event = {"method": "Runtime.consoleAPICalled", "params": {"value": text}}
    pipe_ends.say(event, {"method": "Runtime.consoleAPICalled", "params": {}, "sessionId": text})
    assert messages(await read(pipe_ends.driver_reads))[0] == event
    assert heard == ([{}] if text == "A" * 32 else []), "only a session's id decides"


async def test_a_refusal_is_playwrights_error(pipe_ends: PipeEnds) -> None:
    session = await pipe_ends.attached()
    asking = asyncio.ensure_future(session.send("Runtime.evaluate"))
    [asked] = await pipe_ends.read_as_browser()
    pipe_ends.say({"id": asked["id"], "error": {"code": -32000, "message": "Cannot find context"}})
    with pytest.raises(ProtocolError, match=r"Runtime.evaluate.*Cannot find context"):
        await asking


@pytest.mark.parametrize(
    ("event", "why"),
    [
        (
            {
                "method": "Target.detachedFromTarget",
                "params": {"sessionId": "A" * 32},
                "sessionId": "B" * 32,
            },
            "Target closed",
        ),
        ({"method": "Inspector.targetCrashed", "params": {}, "sessionId": "A" * 32}, "Target crashed"),
    ],
)
async def test_a_target_that_is_gone_answers_nobody_any_more(
    pipe_ends: PipeEnds, event: Message, why: str
) -> None:
    session = await pipe_ends.attached()
    asking = asyncio.ensure_future(session.send("M"))
    await pipe_ends.read_as_browser()
    pipe_ends.say(event)
    with pytest.raises(ProtocolError, match=why):
        await asking
    with pytest.raises(ProtocolError, match=why):
        await session.send("M")


@pytest.mark.parametrize("side", ["driver_writes", "browser_writes"])
async def test_either_side_that_ends_ends_the_other(pipe_ends: PipeEnds, side: str) -> None:
    session = await pipe_ends.attached()
    asking = asyncio.ensure_future(session.send("M"))
    await pipe_ends.read_as_browser()
    pipe_ends.close(getattr(pipe_ends, side))
    assert await read(pipe_ends.driver_reads) == b""
    assert await read(pipe_ends.browser_reads) == b""
    with pytest.raises(ProtocolError, match="Connection closed"):
        await asking
    with pytest.raises(ProtocolError, match="Connection closed"):
        await session.send("M")


def in_frame(name: str, session: str = "D") -> Message:
    return {"method": "Page.frameAttached", "params": {"frameId": name}, "sessionId": session * 32}


OTHER = {"method": "Page.javascriptDialogOpening", "params": {}, "sessionId": "D" * 32}


async def test_held_messages_are_sent_before_an_urgent_one(pipe_ends: PipeEnds) -> None:
    await pipe_ends.attached()
    pipe_ends.connection.hold_documents("T")
    pipe_ends.say(in_frame("1"), in_frame("2"))
    pipe_ends.say(in_frame("3"), OTHER, in_frame("4"))
    assert messages(await read(pipe_ends.driver_reads)) == [in_frame("1"), in_frame("2"), in_frame("3"), OTHER]
    pipe_ends.say({"id": 7, "result": {}})
    assert messages(await read(pipe_ends.driver_reads)) == [in_frame("4"), {"id": 7, "result": {}}]


async def test_of_other_pages_nothing_is_held(pipe_ends: PipeEnds) -> None:
    await pipe_ends.attached()
    pipe_ends.connection.hold_documents("T")
    pipe_ends.say(in_frame("1"), in_frame("2", "E"))
    assert messages(await read(pipe_ends.driver_reads)) == [in_frame("1"), in_frame("2", "E")]


async def test_held_messages_are_sent_when_everyone_is_to_catch_up(pipe_ends: PipeEnds) -> None:
    await pipe_ends.attached()
    pipe_ends.connection.hold_documents("T")
    assert pipe_ends.connection.is_behind
    pipe_ends.pipe.release()
    pipe_ends.say(in_frame("1"), {"method": "Page.frameResized", "params": {}, "sessionId": "D" * 32})
    await asyncio.sleep(0)
    await pipe_ends.connection.wait_for_playwright()
    assert messages(await read(pipe_ends.driver_reads)) == [in_frame("1")]
    pipe_ends.say(in_frame("2"))
    assert messages(await read(pipe_ends.driver_reads)) == [in_frame("2")], "nothing is held any more"


async def test_more_than_memory_should_hold_is_not_held(
    pipe_ends: PipeEnds, monkeypatch: pytest.MonkeyPatch
) -> None:
    await pipe_ends.attached()
    monkeypatch.setattr(pipe_module, "MOST_HELD", 250)
    pipe_ends.connection.hold_documents("T")
    several = [in_frame(str(number)) for number in range(4)]
    pipe_ends.say(*several)
    assert messages(await read(pipe_ends.driver_reads)) == several[:3]


async def test_an_unknown_driver_is_kept_waiting_for_nothing(pipe_ends: PipeEnds) -> None:
    await pipe_ends.attached()
    pipe_ends.connection.event_filter.is_applied = False
    pipe_ends.connection.hold_documents("T")
    pipe_ends.say(in_frame("1"))
    assert messages(await read(pipe_ends.driver_reads)) == [in_frame("1")]


async def test_a_side_that_does_not_read_is_not_read_to_the_end_of_memory(
    pipe_ends: PipeEnds, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipe_module, "MOST_WAITING", 1 << 20)
    message = packed({"method": "E", "params": {"x": "y" * 100_000}})
    os.set_blocking(pipe_ends.browser_writes, False)
    written = 0
    rest = b""
    for _ in range(1_000):  # as much as anybody takes
        rest = rest or message
        try:
            count = os.write(pipe_ends.browser_writes, rest)
        except BlockingIOError:
            count = 0
        written += count
        rest = rest[count:]
        await asyncio.sleep(0)
    assert written < 8 << 20, "what two pipes hold, what may wait, and not a thousand messages"
    received = b""
    while len(received) < written:
        received += await read(pipe_ends.driver_reads, 1 << 20)
        if rest:
            try:
                count = os.write(pipe_ends.browser_writes, rest)
            except BlockingIOError:
                continue
            written += count
            rest = rest[count:]
    assert received == message * (written // len(message))


def in_usual_form(message: Message) -> str:
    return json.dumps(message, separators=(",", ":"))


def with_blanks(message: Message) -> str:
    return json.dumps(message)


def with_lines(message: Message) -> str:
    return json.dumps(message, indent=1)


def in_another_order(message: Message) -> str:
    return json.dumps({key: message[key] for key in sorted(message, reverse=True)})


@pytest.mark.parametrize("form", [in_usual_form, with_blanks, with_lines, in_another_order])
async def test_messages_are_told_apart_in_whatever_form_chromium_writes_them(
    pipe_ends: PipeEnds, form: Callable[[Message], str]
) -> None:
    session = await pipe_ends.attached()
    heard: list[Message] = []
    seen: list[Message] = []
    session.on("Page.windowOpen", heard.append)
    pipe_ends.connection.tap.on("Network.loadingFinished", lambda target, event: seen.append(event))
    pipe_ends.connection.withhold_requests(lambda page: Interest.NONE)
    asking = asyncio.ensure_future(session.send("M"))
    [asked] = await pipe_ends.read_as_browser()
    theirs = [
        {"id": 7, "result": {}, "sessionId": "D" * 32},
        {"method": "Page.windowOpen", "params": {"url": "theirs"}, "sessionId": "D" * 32},
    ]
    ours = [
        {"method": "Page.windowOpen", "params": {"url": "ours"}, "sessionId": "A" * 32},
        {"method": "Network.loadingFinished", "params": {"requestId": "1"}, "sessionId": "D" * 32},
        {"id": asked["id"], "result": {"a": 1}, "sessionId": "A" * 32},
    ]
    said = [theirs[0], ours[0], ours[1], theirs[1], ours[2]]
    os.write(pipe_ends.browser_writes, b"".join(form(message).encode() + b"\0" for message in said))
    assert await asking == {"a": 1}
    assert heard == [{"url": "ours"}]
    assert seen == [{"requestId": "1"}]
    assert messages(await read(pipe_ends.driver_reads)) == theirs, "byte for byte as Chromium wrote them"


@pytest.mark.parametrize(
    "odd",
    [
        b'{"id":7}',
        b'{"id":"seven","result":{}}',
        b"{}",
        b"[]",
        b"null",
        b"no JSON",
        b'{"method":"',
        b'{"method":7,"params":{}}',
        b'{"method":"Target.attachedToTarget","params":{}}',
        b'{"params":{},"method":"Target.attachedToTarget"}',
        b'{"method":"Target.detachedFromTarget"}',
        b'{"id":1,"sessionId":8}',
        b'{"method":"Runtime.executionContextCreated","sessionId":"' + b"D" * 32 + b'"}',
        b'{"method":"Target.attachedToTarget","params":{"sessionId":7}}',
        b"\xff\xfe",
    ],
)
async def test_a_message_that_nobody_expects_costs_no_other(pipe_ends: PipeEnds, odd: bytes) -> None:
    session = await pipe_ends.attached()
    logged: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: logged.append(context))
    asking = asyncio.ensure_future(session.send("M"))
    [asked] = await pipe_ends.read_as_browser()
    before, after = {"id": 1, "result": {}}, {"method": "E", "params": {}}
    os.write(pipe_ends.browser_writes, packed(before) + odd + b"\0" + odd + b"\0" + packed(after))
    pipe_ends.answer(asked, a=1)
    assert await asking == {"a": 1}
    passed = (await read(pipe_ends.driver_reads)).split(b"\0")
    assert passed == [packed(before)[:-1], odd, odd, packed(after)[:-1], b""]
    assert len(logged) <= 1, "said once, however often it comes"


class Failing:
    """Somebody between driver and Chromium who cannot read anything."""

    def from_driver(self, message: bytes) -> bool:
        raise ValueError("from the driver")

    def from_browser(self, message: bytes) -> list[bytes]:
        raise ValueError("from Chromium")


async def test_whoever_stands_between_costs_no_message_by_failing(pipe_ends: PipeEnds) -> None:
    logged: list[str] = []
    asyncio.get_running_loop().set_exception_handler(
        lambda loop, context: logged.append(str(context["exception"]))
    )
    pipe_ends.pipe.interceptor = Failing()
    os.write(pipe_ends.driver_writes, b'{"id":1}\0{"id":2}\0')
    assert await read(pipe_ends.browser_reads) == b'{"id":1}\0{"id":2}\0'
    os.write(pipe_ends.browser_writes, b'{"id":1,"result":{}}\0{"id":2,"result":{}}\0')
    assert await read(pipe_ends.driver_reads) == b'{"id":1,"result":{}}\0{"id":2,"result":{}}\0'
    assert logged == ["from the driver", "from Chromium"]


async def test_an_answer_to_us_that_cannot_be_read_fails_the_question(pipe_ends: PipeEnds) -> None:
    session = await pipe_ends.attached()
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: None)
    asking = asyncio.ensure_future(session.send("M"))
    [asked] = await pipe_ends.read_as_browser()
    os.write(pipe_ends.browser_writes, b'{"id":%d,"result":{\0' % asked["id"])
    with pytest.raises(ProtocolError, match="cannot be read"):
        await asking


async def test_a_listener_of_ours_that_fails_costs_no_message(pipe_ends: PipeEnds) -> None:
    session = await pipe_ends.attached()
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: None)

    def fail(event: Message) -> None:
        raise RuntimeError("a fault")

    session.on("Page.windowOpen", fail)
    theirs = {"method": "E", "params": {}}
    pipe_ends.say({"method": "Page.windowOpen", "params": {}, "sessionId": "A" * 32}, theirs)
    assert messages(await read(pipe_ends.driver_reads)) == [theirs]


@pytest.mark.parametrize("kind", ["page", "iframe", "worker", "service_worker"])
async def test_requests_are_heard_from_the_first_one_on(pipe_ends: PipeEnds, kind: str) -> None:
    """Enable the network before the driver hears of the target, and never again.

    A second time would cost the bodies.
    """
    pipe_ends.connection.watch_targets()
    pipe_ends.say(
        {
            "method": "Target.attachedToTarget",
            "params": {"sessionId": "D" * 32, "targetInfo": {"targetId": "T", "type": kind}},
        }
    )
    assert [(asked["method"], asked["sessionId"]) for asked in await pipe_ends.read_as_browser()] == [
        ("Network.enable", "D" * 32)
    ]


@pytest.mark.parametrize("driver_is", ["first", "second", "last"])
async def test_a_shared_worker_waits_until_it_is_heard_in_a_session_of_ours(
    pipe_ends: PipeEnds, driver_is: str
) -> None:
    """Keep shared workers from the driver, and end its session for it.

    The driver would end that session at once, and so let the worker go on.
    """
    await pipe_ends.attached()
    info = {"targetId": "S", "type": "shared_worker", "title": '"type":"page"'}
    ours, drivers = (
        {"method": "Target.attachedToTarget", "params": {"sessionId": letter * 32, "targetInfo": info}}
        for letter in "EF"
    )
    ours["sessionId"] = "B" * 32
    orders = {"first": [drivers, ours], "second": [ours, drivers], "last": [ours]}
    pipe_ends.say(*orders[driver_is])
    [listens] = await pipe_ends.read_as_browser()
    assert (listens["method"], listens["sessionId"]) == ("Network.enable", "E" * 32)
    pipe_ends.say({"id": listens["id"], "result": {}, "sessionId": "E" * 32})
    runs, *ended = await pipe_ends.read_as_browser()
    assert (runs["method"], runs["sessionId"]) == ("Runtime.runIfWaitingForDebugger", "E" * 32)
    if driver_is == "last":
        pipe_ends.say(drivers)
        ended = await pipe_ends.read_as_browser()
    assert [(one["method"], one["params"], "sessionId" in one) for one in ended] == [
        ("Target.detachFromTarget", {"sessionId": "F" * 32}, False)
    ]
    assert pipe_ends.connection.targets.get("S").kind == "shared_worker"
    theirs = {"method": "E", "params": {}}
    pipe_ends.say(theirs)
    assert messages(await read(pipe_ends.driver_reads)) == [theirs], "the driver has heard of no worker"

    gone = {"method": "Target.detachedFromTarget", "params": {"sessionId": "E" * 32, "targetId": "S"}}
    pipe_ends.say({**gone, "sessionId": "B" * 32})
    pipe_ends.say({"method": "E", "params": {}})
    await read(pipe_ends.driver_reads)
    assert not pipe_ends.connection._shared_workers._heard, "nothing is kept of one that is gone"


def world(page: str, session: str) -> Message:
    """The driver names the world of a page in a session."""
    named = {"source": "", "worldName": f"__playwright_utility_world_{page}"}
    method = "Page.addScriptToEvaluateOnNewDocument"
    return {"id": 7, "method": method, "params": named, "sessionId": session}


async def test_driver_s_name_of_a_page_is_read_from_its_messages(pipe_ends: PipeEnds) -> None:
    """Among other messages, of several pages; a frame in another process has its page's name."""
    sessions = {"T": "D" * 32, "U": "E" * 32}
    for target, session in sessions.items():
        pipe_ends.say(
            {
                "method": "Target.attachedToTarget",
                "params": {"sessionId": session, "targetInfo": {"targetId": target}},
            }
        )
    part = {"sessionId": "F" * 32, "targetInfo": {"targetId": "I", "type": "iframe"}}
    pipe_ends.say({"method": "Target.attachedToTarget", "params": part, "sessionId": "D" * 32})
    while not pipe_ends.connection.targets.knows("I"):
        await read(pipe_ends.driver_reads)
    named = [world("page@1", "D" * 32), world("page@1", "F" * 32), world("page@2", "E" * 32)]
    evil = {
        "id": 8,
        "method": "Page.navigate",
        "params": {"url": '"worldName":"__playwright_utility_world_page@3"'},
    }
    asked = [*named, {**evil, "sessionId": "D" * 32}, {**world("page@9", "0"), "sessionId": "?"}]
    os.write(pipe_ends.driver_writes, b"".join(packed(message) for message in asked))
    assert await pipe_ends.read_as_browser() == asked
    found = {name: pipe_ends.connection.find_page(f"page@{name}") for name in "1239"}
    assert {name: target and target.id for name, target in found.items()} == {
        "1": "T",
        "2": "U",
        "3": None,
        "9": None,
    }
