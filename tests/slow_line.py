"""Make a slow line to a server on this machine.

A proxy for TCP with latency and bandwidth, that counts what is sent.
"""

import asyncio
import threading
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, TypeVar

CHUNK = 4096
LEAST_GAP = 1e-6
"""Seconds between two pieces: what is due at one time may be called in any order."""

Result = TypeVar("Result")


class SlowLine:
    """Listens at `port` and connects each client to `server_port`.

    `seconds` of latency are added to each way. `sent` and `received` count bytes, as the client sees them.
    """

    def __init__(self, server_port: int, *, seconds: float = 0.0) -> None:
        self.sent = self.received = 0
        self._server_port = server_port
        self._seconds = seconds
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._server = self._run(asyncio.start_server(self._connect, "127.0.0.1", 0))
        self.port: int = self._server.sockets[0].getsockname()[1]

    def close(self) -> None:
        """Close the line and all connections over it."""
        self._run(self._end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _run(self, work: Coroutine[Any, Any, Result]) -> Result:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    async def _end(self) -> None:
        self._server.close()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._server_port)
        await asyncio.gather(
            self._carry(reader, far_writer, is_sent=True), self._carry(far_reader, writer, is_sent=False)
        )

    async def _carry(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, is_sent: bool
    ) -> None:
        """Deliver each piece when the line, which carries one after the other, has brought it to its end."""
        arrives_at = 0.0
        with suppress(OSError):
            while piece := await reader.read(CHUNK):
                if is_sent:
                    self.sent += len(piece)
                else:
                    self.received += len(piece)
                arrives_at = max(self._loop.time() + self._seconds, arrives_at + LEAST_GAP)
                self._loop.call_at(arrives_at, writer.write, piece)
        self._loop.call_at(arrives_at + LEAST_GAP, writer.close)
