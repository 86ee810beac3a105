"""Test the pipe, and the daemon's connection over it. The test holds the far ends: it is Chromium."""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
import pytest_asyncio

from gstack_browse.browser.cdp.connection import Connection
from gstack_browse.browser.cdp.pipe import Pipe
from gstack_browse.browser.cdp.session import ProtocolError, Session
from gstack_browse.browser.devtools.browser import Browser

Message = dict[str, Any]
SECONDS = 5
ON_PAGE = "A" * 32
ATTACHED: Message = {
    "method": "Target.attachedToTarget",
    "params": {"sessionId": ON_PAGE, "targetInfo": {"targetId": "T", "type": "page"}},
}


class PipeEnds:
    """A connection over a pipe, and what Chromium holds of that."""

    def __init__(self) -> None:
        self.logged: list[str] = []
        asyncio.get_running_loop().set_exception_handler(
            lambda loop, context: self.logged.append(str(context.get("exception")))
        )
        self.browser_reads, to_browser = os.pipe()
        from_browser, self.browser_writes = os.pipe()
        self.open = {self.browser_reads, self.browser_writes}
        self.pipe = Pipe(to_browser, from_browser)
        self.connection = Connection(self.pipe)

    def close(self, descriptor: int) -> None:
        self.open.discard(descriptor)
        os.close(descriptor)

    async def read_as_browser(self) -> list[Message]:
        """The next messages that reach Chromium."""
        return messages(await read(self.browser_reads))

    async def attached(self) -> Session:
        """Our session with a target T."""
        coming: asyncio.Future[Session] = asyncio.get_running_loop().create_future()
        self.connection.events.on_ready_target = lambda target: coming.set_result(target.session)
        self.say(ATTACHED)
        return await coming

    async def ask(self, session: Session, method: str) -> tuple[asyncio.Future[Message], Message]:
        """Ask as we do. Returns what waits for the answer, and the question as Chromium reads it."""
        asking = asyncio.ensure_future(session.send(method))
        [asked] = await self.read_as_browser()
        return asking, asked

    def answer(self, asked: Message, **result: Any) -> None:
        end = {"sessionId": asked["sessionId"]} if asked.get("sessionId") else {}
        self.say({"id": asked["id"], "result": result, **end})

    def say(self, *said: Message | bytes) -> None:
        """Chromium says that, all at once."""
        parts = (one if isinstance(one, bytes) else packed(one) for one in said)
        os.write(self.browser_writes, b"".join(parts))


@pytest_asyncio.fixture
async def pipe_ends() -> AsyncIterator[PipeEnds]:
    pipe_ends = PipeEnds()
    # What is waited for fails then.
    giving_up = asyncio.get_running_loop().call_later(SECONDS, pipe_ends.pipe.close)
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


async def test_requests_of_one_turn_are_written_together_in_their_order(pipe_ends: PipeEnds) -> None:
    session = await pipe_ends.attached()
    session.notify("A", {"x": 1})
    pipe_ends.connection.root.notify("B")
    first, second = await pipe_ends.read_as_browser()
    assert (first["method"], first["params"], first["sessionId"]) == ("A", {"x": 1}, ON_PAGE)
    assert (second["method"], second["params"], "sessionId" in second) == ("B", {}, False)
    assert second["id"] > first["id"]


async def test_a_message_in_parts_is_read_once_it_is_whole(pipe_ends: PipeEnds) -> None:
    asking, asked = await pipe_ends.ask(pipe_ends.connection.root, "M")
    answer = packed({"id": asked["id"], "result": {"text": "é" * 100}})
    behind = asyncio.ensure_future(pipe_ends.connection.root.send("N"))
    [second] = await pipe_ends.read_as_browser()
    for at in range(0, len(answer), 50):
        os.write(pipe_ends.browser_writes, answer[at : at + 50])
        await asyncio.sleep(0)
    pipe_ends.answer(second)
    await behind
    assert asking.result() == {"text": "é" * 100}


async def test_requests_wait_for_a_browser_that_does_not_read(pipe_ends: PipeEnds) -> None:
    session = await pipe_ends.attached()
    text = "y" * 100_000
    for number in range(100):
        session.notify("M", {"number": number, "text": text})
        await asyncio.sleep(0)
    received = b""
    while received.count(b"\0") < 100:
        received += await read(pipe_ends.browser_reads, 1 << 20)
    found = [(one["params"]["number"], one["params"]["text"] == text) for one in messages(received)]
    assert found == [(number, True) for number in range(100)]


@pytest.mark.parametrize(
    "text", ['","sessionId":"' + ON_PAGE + '"}', '{"id":2000000000,"result":{}}', "\\", ON_PAGE]
)
async def test_text_of_a_page_cannot_pass_for_a_message_of_our_session(pipe_ends: PipeEnds, text: str) -> None:
    session = await pipe_ends.attached()
    heard: list[Message] = []
    session.on("Runtime.consoleAPICalled", heard.append)
    asking, asked = await pipe_ends.ask(session, "M")
    event = {"method": "Runtime.consoleAPICalled", "params": {"value": text}}
    pipe_ends.say(event, {"method": "Runtime.consoleAPICalled", "params": {}, "sessionId": text})
    pipe_ends.answer(asked)
    await asking
    assert heard == ([{}] if text == ON_PAGE else []), "only a session's id decides"


@pytest.mark.parametrize(("method", "why"), [("Target.detachedFromTarget", "Target closed"), ("Inspector.targetCrashed", "Target crashed")])  # fmt: skip
async def test_a_target_that_is_gone_answers_nobody(pipe_ends: PipeEnds, method: str, why: str) -> None:
    session = await pipe_ends.attached()
    asking, _ = await pipe_ends.ask(session, "M")
    is_crash = method.startswith("Inspector")
    pipe_ends.say(
        {"method": method, "params": {}, "sessionId": ON_PAGE}
        if is_crash
        else {"method": method, "params": {"sessionId": ON_PAGE}}
    )
    with pytest.raises(ProtocolError, match=why):
        await asking
    with pytest.raises(ProtocolError, match=why):
        await session.send("M")


@pytest.mark.parametrize("side", ["browser's", "ours"])
async def test_either_side_that_ends_ends_the_other(pipe_ends: PipeEnds, side: str) -> None:
    ended: list[str] = []
    pipe_ends.connection.on_end = lambda: ended.append("ended")
    session = await pipe_ends.attached()
    asking, _ = await pipe_ends.ask(session, "M")
    if side == "ours":
        pipe_ends.connection.close()
    else:
        pipe_ends.close(pipe_ends.browser_writes)
    assert await read(pipe_ends.browser_reads) == b""
    with pytest.raises(ProtocolError, match="Connection closed"):
        await asking
    with pytest.raises(ProtocolError, match="Connection closed"):
        await session.send("M")
    assert ended == ([] if side == "ours" else ["ended"])


FORMS: list[Callable[[Message], str]] = [
    lambda message: json.dumps(message, separators=(",", ":")),
    json.dumps,
    lambda message: json.dumps(message, indent=1),
    lambda message: json.dumps({key: message[key] for key in sorted(message, reverse=True)}),
]


@pytest.mark.parametrize("form", FORMS, ids=["usual", "with blanks", "with lines", "in another order"])
async def test_answers_and_events_go_to_whom_they_concern_in_whatever_form_chromium_writes_them(
    pipe_ends: PipeEnds, form: Callable[[Message], str]
) -> None:
    session = await pipe_ends.attached()
    heard: list[Message] = []
    heard_by_root: list[Message] = []
    seen: list[Message] = []
    session.on("Page.windowOpen", heard.append)
    pipe_ends.connection.root.on("Target.targetCreated", heard_by_root.append)
    pipe_ends.connection.events.on("Network.loadingFinished", lambda target, event: seen.append(event))
    asking, asked = await pipe_ends.ask(session, "M")
    said: list[Message] = [
        {"id": 700, "result": {}, "sessionId": "D" * 32},
        {"method": "Page.windowOpen", "params": {"url": "ours"}, "sessionId": ON_PAGE},
        {"method": "Network.loadingFinished", "params": {"requestId": "1"}, "sessionId": ON_PAGE},
        {"method": "Page.windowOpen", "params": {"url": "of another"}, "sessionId": "D" * 32},
        {"method": "Target.targetCreated", "params": {"a": 1}},
        {"id": asked["id"], "result": {"a": 1}, "sessionId": ON_PAGE},
    ]
    pipe_ends.say(*(form(message).encode() + b"\0" for message in said))
    assert await asking == {"a": 1}
    assert (heard, heard_by_root, seen) == ([{"url": "ours"}], [{"a": 1}], [{"requestId": "1"}])


ODD = [
    b'{"id":7}', b'{"id":"seven","result":{}}', b"{}", b"[]", b"null", b"no JSON", b'{"method":"', b'{"method":7,"params":{}}',
    b'{"method":"Target.attachedToTarget","params":{}}', b'{"params":{},"method":"Target.attachedToTarget"}',
    b'{"method":"Target.detachedFromTarget"}', b'{"id":700,"sessionId":8}', b'{"method":"Target.attachedToTarget","params":{"sessionId":7}}',
    b'{"method":"Runtime.executionContextCreated","sessionId":"' + ON_PAGE.encode() + b'"}', b"\xff\xfe",
]  # fmt: skip


@pytest.mark.parametrize("odd", ODD)
async def test_a_message_that_nobody_expects_costs_no_other(pipe_ends: PipeEnds, odd: bytes) -> None:
    session = await pipe_ends.attached()
    heard: list[Message] = []
    session.on("E", heard.append)
    asking, asked = await pipe_ends.ask(session, "M")
    before, after = ({"method": "E", "params": {"n": n}, "sessionId": ON_PAGE} for n in (1, 2))
    pipe_ends.say(before, odd + b"\0", odd + b"\0", after)
    pipe_ends.answer(asked, a=1)
    assert await asking == {"a": 1}
    assert heard == [{"n": 1}, {"n": 2}]
    assert len(pipe_ends.logged) <= 1, "said once, however often it comes"


async def test_a_handler_that_fails_costs_no_message(pipe_ends: PipeEnds) -> None:
    session = await pipe_ends.attached()
    session.on("E", lambda event: int("no"))
    asking, asked = await pipe_ends.ask(session, "M")
    event = {"method": "E", "params": {}, "sessionId": ON_PAGE}
    pipe_ends.say(event, event)
    pipe_ends.answer(asked)
    assert await asking == {}
    assert pipe_ends.logged == ["invalid literal for int() with base 10: 'no'"]


async def test_a_refusal_or_an_answer_that_cannot_be_read_fails_the_question(pipe_ends: PipeEnds) -> None:
    session = await pipe_ends.attached()
    asking, asked = await pipe_ends.ask(session, "Runtime.evaluate")
    pipe_ends.say({"id": asked["id"], "error": {"code": -32000, "message": "Cannot find context"}})
    with pytest.raises(ProtocolError, match=r"Runtime.evaluate.*Cannot find context"):
        await asking
    asking, asked = await pipe_ends.ask(session, "M")
    pipe_ends.say(b'{"id":%d,"result":{\0' % asked["id"])
    with pytest.raises(ProtocolError, match="cannot be read"):
        await asking


@pytest.mark.parametrize("kind", ["page", "iframe", "worker", "service_worker", "shared_worker"])
async def test_a_target_runs_once_its_network_was_enabled(pipe_ends: PipeEnds, kind: str) -> None:
    """Enable it once only: a second time would cost the bodies."""
    page = await pipe_ends.attached()
    Browser(pipe_ends.connection)
    about = {"sessionId": "D" * 32, "targetInfo": {"targetId": "U", "type": kind}}
    pipe_ends.say({"method": "Target.attachedToTarget", "params": about, "sessionId": page.id})
    asked = [message["method"] for message in await pipe_ends.read_as_browser()]
    assert asked.count("Network.enable") == 1
    assert asked[-1] == "Runtime.runIfWaitingForDebugger"
