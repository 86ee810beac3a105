"""A daemon that hands over to a successor, in one process."""

import asyncio
import socket
from pathlib import Path
from typing import cast

import pytest

from gstack_browse.daemon.socket.server import Server
from gstack_browse.daemon.succession import upgrader
from gstack_browse.daemon.succession.handover import Handover
from gstack_browse.daemon.succession.successor import Inheritance, PendingNotice, Successor
from gstack_browse.daemon.succession.upgrader import Upgrader
from gstack_browse.protocol import Reply, Request
from tests.commands.conftest import Run, Shell
from tests.commands.web import Web

pytestmark = [pytest.mark.fresh_session, pytest.mark.own_browser]


class Failing:
    """A successor that cannot take over, for an unforeseen reason."""

    async def take_over(self, left: Inheritance) -> None:
        raise TypeError(left.notice.text)


async def test_daemon_goes_on_if_handing_over_fails(run: Run, shell: Shell, web: Web, tmp_path: Path) -> None:
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
    server.stop_accepting()
    listening.close()


async def test_command_does_not_wait_twice_for_code_that_is_being_written(
    run: Run, shell: Shell, web: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await run(f"goto {web.url}/plain.html")
    package = tmp_path / "package"
    package.mkdir()
    package.joinpath("__init__.py").write_text("1")
    monkeypatch.setattr(upgrader, "SETTLE_SECONDS", 0.0)
    shell.dispatch._upgrader = watched = Upgrader(
        shell.service, Handover(shell.service, Server(), -1, -1), package
    )
    await watched.start()
    package.joinpath("__init__.py").unlink()
    await run("url")
    assert shell.replies[-1].notes == [
        "gbrowse was updated: the version before goes on until the end of the writing of its files"
    ]
    await run("url")
    assert shell.replies[-1].notes == [], "that was said"
    watched.close()
