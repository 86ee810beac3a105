"""Test how the driver adopts a page that was there before it.

The test holds the far ends of the pipe: it is the driver and Chromium at once.
"""

import asyncio
import os
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from gstack_browse.browser.cdp.adoption import Adoption, FirstPage
from gstack_browse.browser.cdp.connection import PipeConnection
from gstack_browse.browser.cdp.pipe import Pipe
from gstack_browse.browser.cdp.playwright_internals import OWN_WORLD
from tests.unit.browser.cdp.test_pipe import Message, messages, packed, read

SESSION, POPUP, WORKER = "A" * 32, "B" * 32, "C" * 32


class Start:
    """A page in the context X, target T, and what driver and Chromium hold of the pipe."""

    def __init__(self) -> None:
        from_driver, self.driver_writes = os.pipe()
        self.driver_reads, to_driver = os.pipe()
        self.browser_reads, to_browser = os.pipe()
        from_browser, self.browser_writes = os.pipe()
        self.pipe = Pipe(to_browser, from_browser)
        self.connection = PipeConnection(self.pipe)
        told = packed(attached(SESSION, "T", "page", browserContextId="X"))
        self.adoption = self.connection.begin_adoption(FirstPage("X", "T", SESSION), told)
        self._ends = from_driver, to_driver

    def join(self) -> None:
        self.pipe.connect_driver(*self._ends)

    def ask(self, *asked: Message) -> None:
        """The driver says that."""
        os.write(self.driver_writes, b"".join(packed(message) for message in asked))

    async def say(self, *said: Message) -> None:
        """Chromium says that; when this returns it was read."""
        os.write(self.browser_writes, b"".join(packed(message) for message in said))
        for _ in range(5):
            await asyncio.sleep(0)

    async def read_as_driver(self) -> list[Message]:
        """The next that the driver hears."""
        return messages(await read(self.driver_reads))

    async def create_context_and_page(self) -> None:
        """The driver has got context and page."""
        self.join()
        self.ask(request_message(1, "Target.createBrowserContext"))
        await self.read_as_driver()
        self.ask(request_message(2, "Target.createTarget"))
        await self.read_as_driver()

    def close(self) -> None:
        self.pipe.close()
        for end in (self.driver_writes, self.driver_reads, self.browser_reads, self.browser_writes):
            os.close(end)


@pytest_asyncio.fixture
async def start() -> AsyncIterator[Start]:
    start = Start()
    yield start
    start.close()


def request_message(number: int, method: str, session: str = "") -> Message:
    return {"id": number, "method": method, **({"sessionId": session} if session else {})}


def attached(session: str, target: str, kind: str, parent: str = "", **info: Any) -> Message:
    described = {"targetId": target, "type": kind, **info}
    params = {"sessionId": session, "targetInfo": described, "waitingForDebugger": True}
    return event("Target.attachedToTarget", parent, **params)


def event(method: str, session: str = SESSION, **params: Any) -> Message:
    return {"method": method, "params": params, **({"sessionId": session} if session else {})}


def context(number: int, name: str = "", session: str = SESSION) -> Message:
    described = {
        "id": number,
        "uniqueId": str(number),
        "name": name,
        "auxData": {"isDefault": not name, "frameId": "T"},
    }
    return event("Runtime.executionContextCreated", session, context=described)


async def test_its_first_context_and_page_are_ours(start: Start) -> None:
    start.join()
    await start.say(event("Page.frameNavigated", frame={"id": "T", "url": "u"}))
    start.ask(request_message(1, "Browser.getVersion"), request_message(2, "Target.createBrowserContext"))
    assert await start.read_as_driver() == [{"id": 2, "result": {"browserContextId": "X"}}]
    assert messages(await read(start.browser_reads)) == [request_message(1, "Browser.getVersion")]
    start.ask(request_message(3, "Target.createTarget"))
    assert await start.read_as_driver() == [
        attached(SESSION, "T", "page", browserContextId="X"),
        {"id": 3, "result": {"targetId": "T"}},
    ]
    removed = messages(await read(start.browser_reads))
    assert [message["method"] for message in removed] == ["Page.removeScriptToEvaluateOnNewDocument"]
    start.ask(request_message(4, "Target.createBrowserContext"), request_message(5, "Target.createTarget"))
    assert [message["id"] for message in messages(await read(start.browser_reads))] == [4, 5], (
        "the next ones are Chromium's"
    )


async def test_runtime_enable_announces_existing_contexts_before_its_answer(start: Start) -> None:
    await start.say(
        context(1),
        context(2, OWN_WORLD),
        context(3),
        event("Runtime.executionContextsCleared"),
        context(4),
        context(5),
    )
    await start.say(
        event("Runtime.executionContextDestroyed", executionContextUniqueId="4", executionContextId=4)
    )
    await start.create_context_and_page()
    start.ask(request_message(7, "Runtime.enable", SESSION))
    await read(start.browser_reads)
    answer = {"id": 7, "result": {}, "sessionId": SESSION}
    await start.say(context(6), answer, context(8))
    assert await start.read_as_driver() == [context(5), context(6), answer, context(8)]


async def test_the_world_that_we_have_made_in_a_document_is_its_own(start: Start) -> None:
    await start.say(context(1), context(2, OWN_WORLD))
    await start.create_context_and_page()
    start.ask(request_message(7, "Runtime.enable", SESSION))
    await read(start.browser_reads)
    answer = {"id": 7, "result": {}, "sessionId": SESSION}
    await start.say(answer)
    naming = request_message(8, "Page.addScriptToEvaluateOnNewDocument", SESSION)
    start.ask({**naming, "params": {"source": "", "worldName": "theirs"}})
    assert await start.read_as_driver() == [context(1), context(2, "theirs"), answer], (
        "the name comes behind the question"
    )
    await read(start.browser_reads)
    making = {"params": {"frameId": "T", "worldName": "theirs"}}
    start.ask({**request_message(9, "Page.createIsolatedWorld", SESSION), **making})
    assert await start.read_as_driver() == [
        {"id": 9, "result": {"executionContextId": 2}, "sessionId": SESSION}
    ]
    await start.say(event("Runtime.executionContextsCleared"))
    start.ask({**request_message(10, "Page.createIsolatedWorld", SESSION), **making})
    asking = messages(await read(start.browser_reads))
    assert [message["id"] for message in asking] == [10], "in the next document there is none"


async def test_auto_attach_announces_existing_workers_before_its_answer(start: Start) -> None:
    worker = attached(WORKER, "W", "worker", SESSION)
    await start.say(worker, context(1, session=WORKER))
    listening = messages(await read(start.browser_reads))
    assert [message["method"] for message in listening if message["sessionId"] == WORKER][
        -1
    ] == "Runtime.runIfWaitingForDebugger"
    await start.create_context_and_page()
    start.ask(request_message(7, "Target.setAutoAttach", SESSION))
    await read(start.browser_reads)
    answer = {"id": 7, "result": {}, "sessionId": SESSION}
    await start.say(answer)
    assert await start.read_as_driver() == [worker, answer]
    start.ask(request_message(8, "Runtime.enable", WORKER))
    await read(start.browser_reads)
    answer = {"id": 8, "result": {}, "sessionId": WORKER}
    await start.say(answer)
    assert await start.read_as_driver() == [context(1, session=WORKER), answer]


async def test_windows_wait_until_somebody_listens(start: Start) -> None:
    popup = attached(POPUP, "P", "page", browserContextId="X")
    opened = event("Page.windowOpen", url="u", windowFeatures=[])
    gone = attached("D" * 32, "Q", "page", browserContextId="X")
    await start.say(opened, popup, gone, event("Target.detachedFromTarget", "", sessionId="D" * 32))
    await start.create_context_and_page()
    start.adoption.finish()
    assert await start.read_as_driver() == [opened, popup]


async def test_a_dialog_before_the_end_is_ours(start: Start) -> None:
    shown: list[Message] = []
    start.adoption.listeners["Page.javascriptDialogOpening"] = shown.append
    dialog = event("Page.javascriptDialogOpening", message="?")
    await start.say(dialog)
    await start.create_context_and_page()
    await start.say(dialog, event("Page.loadEventFired"))
    assert [message["method"] for message in await start.read_as_driver()] == ["Page.loadEventFired"]
    start.adoption.finish()
    await start.say(dialog)
    assert await start.read_as_driver() == [dialog]
    assert len(shown) == 2


@pytest.mark.parametrize(
    "end", [event("Target.detachedFromTarget", "", sessionId=SESSION), event("Inspector.targetCrashed")]
)
async def test_for_a_page_that_is_gone_it_gets_one_of_its_own(start: Start, end: Message) -> None:
    await start.say(end)
    start.join()
    start.ask(request_message(1, "Target.createBrowserContext"))
    await start.read_as_driver()
    start.ask(request_message(2, "Target.createTarget"))
    assert messages(await read(start.browser_reads))[-1] == request_message(2, "Target.createTarget")
    other = attached("E" * 32, "O", "page", browserContextId="X")
    await start.say(other)
    assert await start.read_as_driver() == [other]


async def test_font_families_set_before_are_answered_without_asking_chromium(start: Start) -> None:
    await start.create_context_and_page()
    start.ask(request_message(7, "Page.setFontFamilies", SESSION))
    assert await start.read_as_driver() == [{"id": 7, "result": {}, "sessionId": SESSION}]


async def test_network_enable_is_sent_to_chromium_only_for_new_sessions(start: Start) -> None:
    await start.create_context_and_page()
    await start.say(attached(WORKER, "W", "worker", SESSION))
    for session in (SESSION, WORKER):
        start.ask(request_message(7, "Network.enable", session))
        assert {"id": 7, "result": {}, "sessionId": session} in await start.read_as_driver()
    start.ask(request_message(8, "Network.enable", POPUP))
    assert request_message(8, "Network.enable", POPUP) in messages(await read(start.browser_reads))


async def test_in_the_end_nobody_stands_between(start: Start) -> None:
    await start.create_context_and_page()
    for number, method in enumerate(("Runtime.enable", "Target.setAutoAttach"), 7):
        start.ask(request_message(number, method, SESSION))
        await read(start.browser_reads)
        await start.say({"id": number, "result": {}, "sessionId": SESSION})
    assert isinstance(start.pipe.interceptor, Adoption)
    start.adoption.finish()
    assert start.pipe.interceptor is None
