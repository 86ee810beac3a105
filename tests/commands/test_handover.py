"""A daemon that hands over to a successor, in one process."""

import asyncio
import socket
from pathlib import Path
from typing import cast

import pytest

from gstack_browse.daemon.socket.server import Server
from gstack_browse.daemon.succession.handover import Handover
from gstack_browse.daemon.succession.successor import Inheritance, PendingNotice, Successor
from gstack_browse.protocol import Reply, Request
from tests.commands.conftest import Run, Shell
from tests.commands.web import Web

pytestmark = [pytest.mark.fresh_session, pytest.mark.own_browser]


class Failing:
    """A successor that cannot take over, for an unforeseen reason."""

    async def take_over(self, left: Inheritance) -> None:
        raise TypeError(left.notice.text)


async def test_whatever_fails_in_handing_over_the_daemon_goes_on(
    run: Run, shell: Shell, web: Web, tmp_path: Path
) -> None:
    await run(f"goto {web.url}/plain.html")
    server, listening = Server(), socket.socket(socket.AF_UNIX)
    listening.bind(str(tmp_path / "socket"))

    async def answer(request: Request, *_: object) -> Reply:
        return Reply(text="served")

    await server.listen(listening, answer)
    handover = Handover(shell.service, server, -1, -1)
    with pytest.raises(TypeError, match="no reason"):
        await handover._hand_over(
            cast("Successor", Failing()), await shell.service.capture(), PendingNotice("no reason")
        )
    assert await run("url") == f"{web.url}/plain.html"
    reader, writer = await asyncio.open_unix_connection(str(tmp_path / "socket"))
    writer.write(b'{"cmd":"url"}\n')
    assert b"served" in await reader.readline()
    writer.close()
    server.pause()
    listening.close()
