"""Our sessions inside one of Playwright's, with a carrier that the test holds."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from gstack_browse.browser.cdp.errors import ProtocolError
from gstack_browse.browser.cdp.session import Session
from gstack_browse.browser.cdp.tunnel import Tunnel

OUTER, INNER = "A" * 32, "B" * 32


class Carrier:
    """Playwright's session with the browser."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, dict[str, Any]]] = []
        self.failure: Exception | None = None
        self._handlers: dict[str, Callable[[dict[str, Any]], None]] = {}

    def on(self, method: str, handler: Callable[[dict[str, Any]], None]) -> None:
        self._handlers[method] = handler

    async def send(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self.sent.append((method, params))
        if self.failure:
            raise self.failure
        return {"sessionId": OUTER} if method == "Target.attachToTarget" else {}

    def receive(self, session: str, message: dict[str, Any]) -> None:
        packed = json.dumps(message, separators=(",", ":"))
        self._handlers["Target.receivedMessageFromTarget"]({"sessionId": session, "message": packed})

    def unwrapped(self) -> list[dict[str, Any]]:
        """The requests inside the last one, the outermost first."""
        found = []
        params = self.sent[-1][1]
        while "message" in params:
            found.append(json.loads(params["message"]) | {"to": params["sessionId"]})
            params = found[-1]["params"]
        return found


@pytest.fixture
def carrier() -> Carrier:
    return Carrier()


seen: list[tuple[str, bytes, bytes]] = []


@pytest.fixture
async def tunnel(carrier: Carrier) -> Tunnel:
    seen.clear()
    return Tunnel(carrier, lambda session, method, event: seen.append((session.id, method, event)))  # type: ignore[arg-type]


async def nested(tunnel: Tunnel) -> Session:
    outer = await tunnel.root.attach("Target.attachToTarget", targetId="T", flatten=False)
    return tunnel.session(INNER, outer)


async def test_a_request_is_wrapped_for_each_session_it_goes_through(tunnel: Tunnel, carrier: Carrier) -> None:
    session = await nested(tunnel)
    asking = asyncio.ensure_future(session.send("M", {"a": 1}))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    [around, request] = carrier.unwrapped()
    assert (around["to"], around["method"]) == (OUTER, "Target.sendMessageToTarget")
    assert (request["to"], request["method"], request["params"]) == (INNER, "M", {"a": 1})
    carrier.receive(OUTER, {"id": around["id"], "result": {}})
    answer = json.dumps({"id": request["id"], "result": {"b": 2}}, separators=(",", ":"))
    wrapped = {"sessionId": INNER, "message": answer}
    carrier.receive(OUTER, {"method": "Target.receivedMessageFromTarget", "params": wrapped})
    assert await asking == {"b": 2}


async def test_an_event_has_the_form_that_it_has_on_the_pipe(tunnel: Tunnel, carrier: Carrier) -> None:
    session = await nested(tunnel)
    heard: list[dict[str, Any]] = []
    session.on("E", heard.append)
    event = json.dumps({"method": "E", "params": {"text": "\ud83d"}})  # with blanks
    wrapped = {"sessionId": INNER, "message": event}
    carrier.receive(OUTER, {"method": "Target.receivedMessageFromTarget", "params": wrapped})
    expected = b'{"method":"E","params":{"text":"\\ud83d"},"sessionId":"%b"}' % INNER.encode()
    assert seen == [(INNER, b"E", expected)]
    assert heard == [{"text": "\ud83d"}]


async def test_a_session_that_is_gone_fails_what_it_was_asked(tunnel: Tunnel, carrier: Carrier) -> None:
    session = await nested(tunnel)
    asking = asyncio.ensure_future(session.send("M"))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    [around, _] = carrier.unwrapped()
    carrier.receive(OUTER, {"id": around["id"], "error": {"message": "No session with given id"}})
    with pytest.raises(ProtocolError, match="Session closed"):
        await asking
    carrier.failure = ProtocolError("Target page, context or browser has been closed")
    with pytest.raises(ProtocolError, match="has been closed"):
        await session.send("M")
    assert not tunnel._asked


async def test_the_end_of_a_target_ends_its_session(tunnel: Tunnel, carrier: Carrier) -> None:
    session = await nested(tunnel)
    asking = asyncio.ensure_future(session.send("M"))
    await asyncio.sleep(0)
    carrier.receive(OUTER, {"method": "Target.detachedFromTarget", "params": {"sessionId": INNER}})
    with pytest.raises(ProtocolError, match="Target closed"):
        await asking
