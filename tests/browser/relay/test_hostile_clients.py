"""Clients that send nonsense, flood, hang or vanish harm themselves only."""

import asyncio
import json
from contextlib import suppress
from typing import Any

import aiohttp
import pytest

from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.relay import client as relay_client
from gstack_browse.browser.relay import server
from gstack_browse.browser.relay.client import ClientContext
from gstack_browse.errors import BrowseError
from tests.browser.relay.conftest import Ours
from tests.browser.relay.raw_client import SECONDS

BIG = "'x'.repeat(1 << 18)"
NONSENSE = ["", "{", "[]", "null", '"x"', '{"id":1}', '{"method":"Browser.getVersion"}', "[" * 5000]


async def test_malformed_message_ends_the_connection_with_a_close_code(ours: Ours) -> None:
    codes = {}
    for text in NONSENSE:
        client = await ours.connect()
        await client.socket.send_str(text)
        codes[text] = await client.close_code()
    assert codes == dict.fromkeys(NONSENSE, aiohttp.WSCloseCode.INVALID_TEXT)
    client = await ours.connect()
    await client.socket.send_bytes(b'{"id":1,"method":"Browser.getVersion"}')
    assert await client.close_code() == aiohttp.WSCloseCode.UNSUPPORTED_DATA


async def test_message_above_the_limit_ends_the_connection(ours: Ours, monkeypatch: pytest.MonkeyPatch) -> None:
    assert server.MAX_MESSAGE_BYTES == 100 << 20
    monkeypatch.setattr(server, "MAX_MESSAGE_BYTES", 1 << 20)
    client = await ours.connect()
    with suppress(aiohttp.ClientError, ConnectionError):  # it is closed while we still send
        await client.socket.send_str("x" * (2 << 20))
    assert await client.close_code() == aiohttp.WSCloseCode.MESSAGE_TOO_BIG
    reader = await ours.connect(reads=False)
    await reader.socket.send_str("x" * ((1 << 20) + 1))
    closing = await reader.socket.receive()
    assert (closing.data, closing.extra) == (1009, "a message has more than 1 MB")


async def test_a_client_that_does_not_read_is_closed(ours: Ours, monkeypatch: pytest.MonkeyPatch) -> None:
    assert server.MOST_UNSENT_BYTES == 16 << 20
    monkeypatch.setattr(server, "MOST_UNSENT_BYTES", 2 << 20)
    hanging, reading = await ours.connect(reads=False), await ours.connect()
    session = await reading.attach(ours.target)
    attach = {"method": "Target.attachToTarget", "params": {"targetId": ours.target, "flatten": True}}
    await hanging.socket.send_str(json.dumps({"id": 1, **attach}))
    told: dict[str, Any] = {}
    while "id" not in told:
        told = json.loads((await hanging.socket.receive()).data)
    evaluate = {"method": "Runtime.evaluate", "params": {"expression": BIG, "returnByValue": True}}
    for number in range(2, 42):
        await hanging.socket.send_str(
            json.dumps({"id": number, "sessionId": told["result"]["sessionId"], **evaluate})
        )
    async with asyncio.timeout(SECONDS):
        assert (await ours.left.get()).violation == "more than 2 MB wait to be read"
    told = await reading.ask("Runtime.evaluate", session, expression=BIG, returnByValue=True)
    assert len(told["result"]["value"]) == 1 << 18


async def test_client_that_floods_is_read_no_further(ours: Ours, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relay_client, "MOST_PENDING", 30_000)
    flooding, other = await ours.connect(), await ours.connect()
    session, others = await flooding.attach(ours.target), await other.attach(ours.target)
    asked = [flooding.ask("Runtime.evaluate", session, expression=f"{number}") for number in range(900)]
    gathered = asyncio.gather(*asked)
    told = await other.ask("Runtime.evaluate", others, expression="7")
    assert told["result"]["value"] == 7
    assert [each["result"]["value"] for each in await gathered] == list(range(900))
    assert all(each.client and each.client.pending_bytes == 0 for each in ours.server.connections)


async def test_client_has_a_limited_number_of_requests_without_an_answer(
    ours: Ours, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "ROOM_SECONDS", 0.5)
    client = await ours.connect()
    session = await client.attach(ours.target)
    message = {"method": "Runtime.evaluate", "sessionId": session}
    params = {"expression": "new Promise(() => {})", "awaitPromise": True}
    for number in range(100, 700):
        await client.socket.send_str(json.dumps({"id": number, "params": params, **message}))
    assert await client.close_code() == aiohttp.WSCloseCode.POLICY_VIOLATION


async def test_web_pages_and_unknown_addresses_are_turned_away(ours: Ours) -> None:
    async with aiohttp.ClientSession(connector=aiohttp.UnixConnector(ours.path)) as http:
        with pytest.raises(aiohttp.WSServerHandshakeError) as unknown:
            await http.ws_connect("http://gbrowse/ann")
        assert unknown.value.status == 404
        with pytest.raises(aiohttp.WSServerHandshakeError) as page:
            await http.ws_connect("http://gbrowse/default", headers={"Origin": "https://example.com"})
        assert page.value.status == 403
        async with http.get("http://gbrowse/default") as told:
            assert told.status == 400


async def test_an_address_over_tcp_needs_its_token_and_a_host_of_this_machine(ours: Ours) -> None:
    (default,) = ours.server.addresses
    port = await ours.server.listen_tcp()
    address = ours.server.open_address("", "default", default.admit_client, is_tcp=True, is_once=False)
    base = f"http://127.0.0.1:{port}"
    async with aiohttp.ClientSession() as http:
        for path, headers, status in (
            ("default", {}, 404),
            ("", {}, 404),
            (address.path, {"Host": "evil.example"}, 403),
            (address.path, {"Origin": "null"}, 403),
        ):
            with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
                await http.ws_connect(f"{base}/{path}", headers=headers)
            assert refused.value.status == status
        async with http.get(f"{base}/{address.path}/json/version/") as told:
            assert (await told.json())["webSocketDebuggerUrl"] == f"ws://127.0.0.1:{port}/{address.path}"
        socket = await http.ws_connect(f"{base}/{address.path}")
        await socket.close()


async def test_an_address_for_one_client_takes_one_and_no_other_request(ours: Ours) -> None:
    (default,) = ours.server.addresses
    hurdles = [BrowseError("the browser starts"), ProtocolError("it has died")]

    async def admit_client() -> ClientContext:
        if hurdles:
            raise hurdles.pop()
        return await default.admit_client()

    address = ours.server.open_address("", "default", admit_client, is_tcp=False, is_once=True)
    async with (
        aiohttp.ClientSession(connector=aiohttp.UnixConnector(ours.path)) as http,
        http.get(f"http://gbrowse/{address.path}") as told,
    ):
        assert told.status == 400
    for _ in list(hurdles):  # a client that was not admitted has not used the address up
        with pytest.raises(aiohttp.WSServerHandshakeError, match="403"):
            await ours.connect(address.path)
    client = await ours.connect(address.path)
    with pytest.raises(aiohttp.WSServerHandshakeError):
        await ours.connect(address.path)
    await client.leave()
    await ours.left.get()
    assert ours.server.addresses == [default]
