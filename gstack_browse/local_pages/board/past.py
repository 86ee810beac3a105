"""Boards of earlier daemons, read from a file in the workspace, whose content is untrusted."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NoReturn

import orjson

from gstack_browse.errors import ActionFailed, Refused
from gstack_browse.local_pages.board.board import COMMAND, Board, board_name
from gstack_browse.text.json_bytes import read_object
from gstack_browse.text.sanitise import one_line
from gstack_browse.workspace.directory import BOARDS_FILE, shown
from gstack_browse.workspace.state import WritableStateDir

MOST_LISTED = 50
_MOST_BYTES = 500_000
_HIGHEST_NUMBER = 1_000_000


@dataclass(frozen=True)
class PastBoard:
    """A board that can only be reported. `file` is the path of its answer, or ""."""

    number: int
    asker: str
    title: str
    file: str

    @property
    def name(self) -> str:
        """Return the board as messages name it: `Board 2 "Landing page"`."""
        return board_name(self.number, self.title)

    async def dismiss(self) -> bool:
        """Return False: there is no page to close."""
        return False

    async def wait(self, seconds: float) -> None:
        """Raise ActionFailed at once, as `report_answer` does: no answer can come."""
        self.report_answer()

    def report_answer(self) -> NoReturn:
        """Raise ActionFailed: the message names the answer's file, or says that the board had no answer.

        The answer is not read: anybody can write to the workspace, and an agent would take the file's words for the person's.
        """
        if self.file:
            raise ActionFailed(
                f"{self.name} was answered, and its daemon has ended since", f"Read the answer: cat {self.file}"
            )
        raise ActionFailed(
            f"{self.name} was closed without an answer: its daemon has ended",
            f"Ask in words, or show it again: {COMMAND} …",
        )


class PastBoards:
    """The boards of earlier daemons, kept in a file of the workspace."""

    def __init__(self, state: WritableStateDir) -> None:
        self._state = state
        fields = self._read_file()
        found = fields.get("boards")
        boards = [_parse_board(each) for each in found] if isinstance(found, list) else []
        self._boards = {board.number: board for board in boards[-MOST_LISTED:] if board}
        wanted = fields.get("next")
        least = wanted if isinstance(wanted, int) and 0 < wanted < _HIGHEST_NUMBER else 1
        self.next_number = max([least, *(number + 1 for number in self._boards)])
        """The first number for a new board: no number is used twice in a workspace."""

    def find(self, asker: str, number: int) -> PastBoard | None:
        """Return the asker's board with that number."""
        board = self._boards.get(number)
        return board if board and board.asker == asker else None

    def find_latest(self, asker: str) -> PastBoard | None:
        """Return the asker's latest board."""
        return next((board for board in reversed(self._boards.values()) if board.asker == asker), None)

    def save(self, next_number: int, boards: Iterable[Board]) -> None:
        """Write these boards to the file, with those of earlier daemons.

        A failure is ignored: on a full disk only the next daemon's knowledge of boards is lost.
        """
        own = [PastBoard(board.number, board.asker, board.title, shown(board.file)) for board in boards]
        numbers = {board.number for board in own}
        every = [*(board for board in self._boards.values() if board.number not in numbers), *own][
            -MOST_LISTED:
        ]
        fields = {"next": next_number, "boards": [vars(board) for board in every]}
        try:
            self._state.write_file(BOARDS_FILE, orjson.dumps(fields))
        except (OSError, Refused):
            return

    def _read_file(self) -> dict[str, Any]:
        """Return the content of the file; {} for a missing or unreadable one."""
        return read_object(lambda: self._state.read_file(BOARDS_FILE, _MOST_BYTES))


def _parse_board(fields: object) -> PastBoard | None:
    """Return a board from its fields in the file; None if they are malformed."""
    match fields:
        case {"number": int(number), "asker": str(asker), "title": str(title), "file": str(file)}:
            if 0 < number < _HIGHEST_NUMBER:
                return PastBoard(number, asker, one_line(title, 200), one_line(file, 1000))
    return None
