"""Test boards in the daemon's life. What a person does on them is in tests/e2e/test_board.py."""

import pytest
from aiohttp import ClientSession, CookieJar

from gstack_browse.errors import ActionFailed, TimedOut
from gstack_browse.local_pages.board import board
from tests.commands.conftest import Fails, Run, Shell, Show

pytestmark = pytest.mark.same_session

LONG_AGO = -1e9


async def test_a_board_keeps_the_daemon_and_status_names_it(
    run: Run, fails: Fails, show: Show, shell: Shell
) -> None:
    await show("<h1>A</h1>")
    await run("screenshot a.png")
    said = await run("board-compare a.png --title Which? --no-wait")
    number = said.split()[1]
    upgrader = shell.upgrader
    shell.service.lifecycle.last_used = LONG_AGO
    assert not shell.service.is_idle()
    assert not upgrader.find_obstacle(), "a successor goes on with it"
    assert f'board-answer {number} ("Which?")' in await run("status")
    reply = first = await fails(f"board-answer {number} --timeout 50", TimedOut)
    assert "has no answer after 0.05s; nobody has opened it: http://127.0.0.1" in reply.message
    reply = await fails(f"board-answer {number}", TimedOut, timeout=600)
    assert reply.message.startswith(f'Board {number} "Which?" has no answer after')
    reply = await fails("chain", TimedOut, f'[["board-answer", "{number}", "--no-wait"]]')
    assert "has no answer yet" in reply.message
    boards = shell.service.boards
    await boards.adopt(await boards.release())  # as where a successor does not start
    again = await fails(f"board-answer {number} --no-wait", TimedOut)
    assert again.message.rpartition("http")[2] == first.message.rpartition("http")[2], "its address holds"
    await fails(f"board-answer {number}", ActionFailed, as_="bob")
    assert "Boards" not in await run("status", as_="bob"), "each context is told of its own"
    spare = (await run("board-compare a.png --no-wait")).split()[1].rstrip(":")
    assert await run(f"board-answer {spare} --close") == f"Board {spare} is closed without an answer"
    closed = await fails(f"board-answer {spare} --close", ActionFailed)
    assert "was closed without an answer" in closed.message
    await run("board-gallery .")
    assert upgrader.find_obstacle(), "nobody goes on with a gallery"
    await boards.close()
    shell.service.lifecycle.last_used = LONG_AGO
    assert shell.service.is_idle()
    assert not upgrader.find_obstacle()
    assert "Boards" not in await run("status")
    await fails("board-answer 999", ActionFailed)


async def test_a_window_is_expected_once_it_has_the_page(
    run: Run, fails: Fails, show: Show, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wait for one that is loaded anew; one that is closed at once was opened all the same."""
    await show("<h1>A</h1>")
    await run("screenshot a.png")
    monkeypatch.setattr(board, "RELOAD_SECONDS", 0.0)
    number, address = (await run("board-compare a.png --no-wait")).split()[1:3]
    number = number.rstrip(":")
    page, origin = address.partition("?")[0], "/".join(address.split("/")[:3])
    closed = "was closed by the person without an answer"
    async with ClientSession(cookie_jar=CookieJar(unsafe=True), raise_for_status=True) as person:
        await person.get(address)
        window = await person.ws_connect(f"{page}window", origin=origin)
        await person.get(page)
        await window.close()
        reply = await fails(f"board-answer {number} --timeout 100", TimedOut)
        assert reply.message == f"Board {number} has no answer after 0.1s"
        window = await person.ws_connect(f"{page}window", origin=origin)
        await window.close()
        assert closed in (await fails(f"board-answer {number}", ActionFailed)).message
        monkeypatch.setattr(board, "WINDOW_START_SECONDS", 0.0)
        number, address = (await run("board-compare a.png --no-wait")).split()[1:3]
        await person.get(address)
        assert closed in (await fails(f"board-answer {number.rstrip(':')}", ActionFailed)).message
