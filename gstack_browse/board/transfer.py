"""Packs boards for a successor: JSON, and open files for sockets and pictures. Nothing is written to a disk."""

import os
import socket
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gstack_browse.board.state import BoardState


class PackedBoards:
    """Boards as `fields` (for JSON) and `files`: for each open board its socket, and a file with the contents of its pictures. Blocks."""

    def __init__(self, states: Iterable[BoardState]) -> None:
        self.files: list[int] = []
        self.fields = [self._packed(state) for state in states]

    def close(self) -> None:
        """Close our copies of the files. The sockets are the boards' own."""
        for file in self.files[1::2]:
            os.close(file)
        self.files.clear()

    def _packed(self, state: BoardState) -> dict[str, Any]:
        if state.listening:
            self.files += [state.listening.fileno(), _file_of(picture.content for picture in state.pictures)]
        return state.as_dict()


def unpacked(fields: Sequence[Mapping[str, Any]], files: Sequence[int]) -> list[BoardState]:
    """Unpack the boards. Blocks."""
    left = iter(files)
    states = []
    for board in fields:
        listening, contents = None, b""
        if board["keys"]:
            listening = socket.socket(fileno=next(left))
            with os.fdopen(next(left), "rb") as file:
                file.seek(0)
                contents = file.read()
        states.append(BoardState.from_dict(board, listening, contents))
    return states


def _file_of(contents: Iterable[bytes]) -> int:
    """A file without a name, in memory where the system offers that (memfd)."""
    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("boards")
    else:
        with tempfile.TemporaryFile() as file:
            descriptor = os.dup(file.fileno())
    with os.fdopen(descriptor, "wb", closefd=False) as file:
        for content in contents:
            file.write(content)
    return descriptor
