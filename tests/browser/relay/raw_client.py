"""A client of the DevTools protocol that knows nothing but JSON and WebSockets, as a program that attaches may be."""

import asyncio
import itertools
import json
from contextlib import suppress
from typing import Any

import aiohttp

SECONDS = 60
"""For all answers to a test that asks 900 questions at once, on a busy machine."""


class Failed(Exception):
    """The protocol's error."""


class RawClient:
    """An open WebSocket. `events` are all that have come, oldest first."""

    def __init__(self, http: aiohttp.ClientSession, socket: "aiohttp.ClientWebSocketResponse[bool]") -> None:
        self.events: list[dict[str, Any]] = []
        self.socket = socket
        self._http = http
        self._numbers = itertools.count(1)
        self._answers: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._changed = asyncio.Event()
        self._reading = asyncio.ensure_future(self._read())

    @classmethod
    async def connect(cls, path: str, name: str = "default", *, reads: bool = True) -> "RawClient":
        http = aiohttp.ClientSession(connector=aiohttp.UnixConnector(path))
        try:
            socket = await http.ws_connect(f"http://gbrowse/{name}", max_msg_size=0)
        except BaseException:
            await http.close()
            raise
        client = cls(http, socket)
        if not reads:
            client._reading.cancel()
        return client

    async def ask(self, method: str, session: str = "", **params: Any) -> dict[str, Any]:
        number = next(self._numbers)
        answer = self._answers[number] = asyncio.get_running_loop().create_future()
        message = {"id": number, "method": method, "params": params}
        await self.socket.send_str(json.dumps(message | ({"sessionId": session} if session else {})))
        async with asyncio.timeout(SECONDS):
            told = await answer
        assert told.get("sessionId", "") == session
        if "error" in told:
            raise Failed(told["error"]["message"])
        result: dict[str, Any] = told["result"]
        return result

    async def event(self, method: str, **params: Any) -> dict[str, Any]:
        """Wait for an event with those parameters, or return one that has come."""
        async with asyncio.timeout(SECONDS):
            while True:
                for event in self.events:
                    if event["method"] == method and params.items() <= event["params"].items():
                        return event
                self._changed.clear()
                await self._changed.wait()

    def heard(self, method: str) -> list[dict[str, Any]]:
        return [event["params"] for event in self.events if event["method"] == method]

    async def attach(self, target: str) -> str:
        """Attach to a target, and return the session's id."""
        told = await self.ask("Target.attachToTarget", targetId=target, flatten=True)
        session: str = told["sessionId"]
        return session

    async def pages(self) -> list[str]:
        told = await self.ask("Target.getTargets")
        return [info["targetId"] for info in told["targetInfos"] if info["type"] == "page"]

    async def close_code(self) -> int | None:
        """Wait for the server to close the connection."""
        async with asyncio.timeout(SECONDS):
            await self._reading
        return self.socket.close_code

    async def leave(self) -> None:
        self._reading.cancel()
        with suppress(asyncio.CancelledError):
            await self._reading
        await self.socket.close()
        await self._http.close()

    async def _read(self) -> None:
        async for message in self.socket:
            told = json.loads(message.data)
            if "id" in told and (answer := self._answers.pop(told["id"], None)):
                answer.set_result(told)
            elif "id" not in told:
                self.events.append(told)
                self._changed.set()
