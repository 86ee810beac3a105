"""Boards of daemons that have ended, read from a file in the workspace, whose content is hostile."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NoReturn

import orjson

from gstack_browse.board.board import COMMAND, Board, named
from gstack_browse.errors import ActionFailed, Refused
from gstack_browse.state import WritableStateDir
from gstack_browse.state_fields import fields_in
from gstack_browse.text.sanitise import one_line
from gstack_browse.workspace import BOARDS_FILE, shown

MOST_TOLD = 50
_MOST_BYTES = 500_000
_HIGHEST_NUMBER = 1_000_000


@dataclass(frozen=True)
class PastBoard:
    """A board that nobody can answer any more. `file` has its answer, "" where there is none."""

    number: int
    asker: str
    title: str
    file: str

    @property
    def name(self) -> str:
        """`Board 2 "Landing page"`."""
        return named(self.number, self.title)

    async def dismiss(self) -> bool:
        """There is no page to close."""
        return False

    async def wait(self, seconds: float) -> None:
        """Raise ActionFailed, which says what became of the board."""
        self.told()

    def told(self) -> NoReturn:
        """Raise the same. The answer is not read from the workspace: an agent would take the file's words for the person's."""
        if self.file:
            raise ActionFailed(
                f"{self.name} was answered, and its daemon has ended since", f"Read the answer: cat {self.file}"
            )
        raise ActionFailed(
            f"{self.name} was closed without an answer: its daemon has ended",
            f"Ask in words, or show it again: {COMMAND} …",
        )


class PastBoards:
    """The boards of earlier daemons, read from the file; and this daemon's boards, written there for the next."""

    def __init__(self, state: WritableStateDir) -> None:
        self._state = state
        fields = self._left()
        found = fields.get("boards")
        boards = [_past(each) for each in found] if isinstance(found, list) else []
        self._boards = {board.number: board for board in boards[-MOST_TOLD:] if board}
        wanted = fields.get("next")
        least = wanted if isinstance(wanted, int) and 0 < wanted < _HIGHEST_NUMBER else 1
        self.next_number = max([least, *(number + 1 for number in self._boards)])
        """The first number of a new board: no number is given twice in a workspace."""

    def of(self, asker: str, number: int) -> PastBoard | None:
        """The asker's board of that number."""
        board = self._boards.get(number)
        return board if board and board.asker == asker else None

    def last(self, asker: str) -> PastBoard | None:
        """The asker's latest board."""
        return next((board for board in reversed(self._boards.values()) if board.asker == asker), None)

    def write(self, next_number: int, boards: Iterable[Board]) -> None:
        """Write down these boards with those of earlier daemons. A failure is ignored: on a full disk the next daemon knows less."""
        own = [PastBoard(board.number, board.asker, board.title, shown(board.file)) for board in boards]
        numbers = {board.number for board in own}
        every = [*(board for board in self._boards.values() if board.number not in numbers), *own][-MOST_TOLD:]
        fields = {"next": next_number, "boards": [vars(board) for board in every]}
        try:
            self._state.write_file(BOARDS_FILE, orjson.dumps(fields))
        except (OSError, Refused):
            return

    def _left(self) -> dict[str, Any]:
        return fields_in(lambda: self._state.read_file(BOARDS_FILE, _MOST_BYTES))


def _past(fields: object) -> PastBoard | None:
    """A board, as it is written; None for what is none."""
    match fields:
        case {"number": int(number), "asker": str(asker), "title": str(title), "file": str(file)}:
            if 0 < number < _HIGHEST_NUMBER:
                return PastBoard(number, asker, one_line(title, 200), one_line(file, 1000))
    return None
