import asyncio
import os
import socket
from pathlib import Path

from gstack_browse.local_pages.board.answer import BoardAnswer, BoardQuestion, PictureInfo, PictureRemark
from gstack_browse.local_pages.board.board import Board, BoardState
from gstack_browse.local_pages.board.pictures import BoardPicture
from gstack_browse.local_pages.board.registry import PackedBoards, unpack_boards
from gstack_browse.local_pages.loopback.server import PageSecrets

NAME = os.fsdecode(b"na\xefve \xff.png")
"""Bytes that are no text."""


def states(listening: socket.socket) -> list[BoardState]:
    shown = [PictureInfo("A", "a.png", 4, 3, "aa"), PictureInfo("B", "b.png", 0, 0, "bb")]
    remarks = {"B": PictureRemark(3, "so\nso")}
    answer = BoardAnswer("mix", "A", mix={"layout": "B"}, remarks=remarks, comment="x")
    first = BoardQuestion(1, "One", "2026-03-01T10:00:00+00:00", shown)
    answered = BoardState("ann", first, Path("/w"), answer, file=f"/w/{NAME}.json", is_reported=True)
    second = BoardQuestion(2, "", "2026-03-01T10:01:00+00:00", shown)
    is_open = BoardState("", second, Path("/w") / NAME, was_opened=True, listening=listening)
    is_open.keys = PageSecrets("/path/", "", "session")
    is_open.pictures = (
        BoardPicture("A", Path("/w") / NAME, b"first", "image/png", 4, 3),
        BoardPicture("B", Path("/w/b.svg"), b"", "image/svg+xml", 0, 0),
    )
    return [answered, is_open]


async def test_boards_arrive_as_they_were() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        sent = states(listening)
        packed = await asyncio.to_thread(PackedBoards, sent)
        files = [os.dup(file) for file in packed.files]
        assert len(files) == 2, "only of the board that is open"
        found = unpack_boards(packed.fields, files)
        packed.close()
        arrived = found[1].listening
        assert arrived
        assert arrived.getsockname() == listening.getsockname()
        arrived.close()
        found[1].listening = listening
        assert found == sent


async def test_board_closed_after_it_was_inherited_sends_no_files() -> None:
    inherited = states(socket.create_server(("127.0.0.1", 0)))[1]
    board = Board(inherited, lambda: None)
    await board.open()
    await board.close()
    packed = PackedBoards([await board.release()])
    assert unpack_boards(packed.fields, packed.files) == [inherited]
