"""Test that every request to a daemon that leaves is answered, however far its connection had come.

Where the daemon has a fault, its connection is closed: nobody waits for a reply that never comes.
"""

import asyncio
import gc
import socket
import tempfile
from pathlib import Path

from gstack_browse.daemon.socket.server import Say, Server
from gstack_browse.protocol import Reply, Request
from tests.each import each


async def answer(_request: Request, _say: Say) -> Reply:
    return Reply("done")


@each(range(8))
async def test_everybody_is_answered_or_turned_away(turns: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "s")
        listening = socket.socket(socket.AF_UNIX)
        listening.bind(path)
        listening.listen(64)
        server = Server()
        await server.listen(listening, answer)
        clients = [socket.socket(socket.AF_UNIX) for _ in range(10)]
        for client in clients:
            client.connect(path)
            client.sendall(b'{"cmd":"url"}\n')
        for _ in range(turns):
            await asyncio.sleep(0)
        await server.finish_running(1)
        server.refuse_queued_connections()
        await asyncio.sleep(0)
        for client in clients:
            client.settimeout(5)
            assert await asyncio.to_thread(client.recv, 1000)
            client.close()
        listening.close()


async def test_connection_is_closed_if_answering_fails() -> None:
    async def fail(_request: Request, _say: Say) -> Reply:
        raise RuntimeError("a fault")

    told: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: told.append(context.get("exception")))
    with tempfile.TemporaryDirectory() as folder:
        listening = socket.socket(socket.AF_UNIX)
        listening.bind(str(Path(folder) / "s"))
        server = Server()
        await server.listen(listening, fail)
        reader, writer = await asyncio.open_unix_connection(str(Path(folder) / "s"))
        writer.write(b'{"cmd":"url"}\n')
        async with asyncio.timeout(60):
            assert await reader.read() == b""
        writer.close()
        server.stop_accepting()
        listening.close()
    gc.collect()
    assert [str(one) for one in told] == ["a fault"], "the daemon's log tells it"
