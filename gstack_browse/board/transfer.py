"""Pack boards for a successor: JSON, and open files for sockets and pictures. Writes nothing to disk."""

import os
import socket
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gstack_browse.board.state import BoardState


class PackedBoards:
    """Boards as JSON (`fields`) and open files (`files`). Blocks.

    An open board has two files: the socket of its page, and its pictures.
    """

    def __init__(self, states: Iterable[BoardState]) -> None:
        self.files: list[int] = []
        self.fields = [self._pack(state) for state in states]

    def close(self) -> None:
        """Close our copies of the files. The sockets belong to the boards."""
        for file in self.files[1::2]:
            os.close(file)
        self.files.clear()

    def _pack(self, state: BoardState) -> dict[str, Any]:
        if state.listening:
            self.files += [
                state.listening.fileno(),
                _create_memory_file(picture.content for picture in state.pictures),
            ]
        return state.as_dict()


def unpack_boards(fields: Sequence[Mapping[str, Any]], files: Sequence[int]) -> list[BoardState]:
    """Restore the boards from JSON and files. Blocks."""
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


def _create_memory_file(contents: Iterable[bytes]) -> int:
    """Write `contents` to a file without a name, in memory where memfd exists. Return its descriptor."""
    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("boards")
    else:
        with tempfile.TemporaryFile() as file:
            descriptor = os.dup(file.fileno())
    with os.fdopen(descriptor, "wb", closefd=False) as file:
        for content in contents:
            file.write(content)
    return descriptor
