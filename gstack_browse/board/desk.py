"""The boards of a daemon, by number: which is meant, which are open."""

from collections.abc import Sequence

from gstack_browse.board.board import COMMAND, Board
from gstack_browse.board.gallery import Gallery
from gstack_browse.board.pictures import BoardPicture
from gstack_browse.errors import ActionFailed, UsageError

MOST_OPEN = 10
MOST_KEPT = 50
"""Boards whose answers can still be asked for."""


class Boards:
    """All boards of a daemon, the oldest first."""

    def __init__(self) -> None:
        self._boards: dict[int, Board] = {}
        self._next = 1
        self._gallery: Gallery | None = None

    @property
    def is_open(self) -> bool:
        """Whether a person may still look at one, or at the gallery."""
        has_gallery = self._gallery is not None and self._gallery.page.is_open
        return has_gallery or any(board.is_open for board in self._boards.values())

    async def open(self, title: str, pictures: Sequence[BoardPicture]) -> Board:
        """A new board, whose page is served. Raises ActionFailed where too many are open."""
        if sum(board.is_open for board in self._boards.values()) >= MOST_OPEN:
            raise ActionFailed(
                f"{MOST_OPEN} boards are open", f"Have one answered first: {self._named(self._waiting())}"
            )
        board = Board(self._next, title, pictures)
        self._next += 1
        await board.open()
        self._boards[board.number] = board
        self._forget()
        return board

    async def show(self, gallery: Gallery) -> str:
        """Serve a gallery, in the place of the one before. Returns the address."""
        if self._gallery:
            await self._gallery.page.close()
        self._gallery = gallery
        return await gallery.page.listen()

    def meant(self, number: int | None) -> Board:
        """The board of that number; without one, the only board whose answer nobody has read, else the last. Raises UsageError."""
        if number is not None:
            if board := self._boards.get(number):
                return board
            raise UsageError(f"There is no board {number}", self._known())
        waiting = self._waiting()
        if len(waiting) > 1:
            raise UsageError("Several boards wait for an answer", f"Say which: {self._named(waiting)}")
        if waiting:
            return waiting[0]
        if not self._boards:
            raise UsageError("There is no board", self._known())
        return list(self._boards.values())[-1]

    def words(self) -> str:
        """What is left to do, for `status`; "" for nothing."""
        waiting = self._waiting()
        return f"{len(waiting)} to be answered or told: {self._named(waiting)}" if waiting else ""

    async def close(self) -> None:
        """Close every page."""
        for board in self._boards.values():
            await board.close()
        if self._gallery:
            await self._gallery.page.close()

    def _waiting(self) -> list[Board]:
        return [
            board for board in self._boards.values() if not board.is_told and (board.is_open or board.answer)
        ]

    def _forget(self) -> None:
        for board in [board for board in self._boards.values() if not board.is_open][:-MOST_KEPT]:
            del self._boards[board.number]

    def _known(self) -> str:
        if self._boards:
            return f"There are {self._named(list(self._boards.values()))}"
        return f"Open one: {COMMAND} a.png b.png. Answers to earlier ones lie beside the pictures: board-*.json"

    @staticmethod
    def _named(boards: Sequence[Board]) -> str:
        return ", ".join(f"board-answer {board.number}{_title(board)}" for board in boards[-10:])


def _title(board: Board) -> str:
    return f' ("{board.title[:40]}")' if board.title else ""
