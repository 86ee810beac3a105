"""The boards of a daemon by number: finds the one that a command means, knows which are open."""

from collections.abc import Iterable, Sequence

from gstack_browse.board.board import COMMAND, Board
from gstack_browse.board.gallery import Gallery
from gstack_browse.board.past import PastBoard, PastBoards
from gstack_browse.board.pictures import BoardPicture
from gstack_browse.board.state import BoardState
from gstack_browse.errors import ActionFailed, Busy, UsageError

MOST_OPEN = 10
MOST_KEPT = 50
"""Boards whose answers can still be asked for."""


class Boards:
    """All boards of a daemon, the oldest first, and what is left of those of earlier ones."""

    def __init__(self, past: PastBoards) -> None:
        self._boards: dict[int, Board] = {}
        self._past = past
        self._next = past.next_number
        self._is_released = False
        self._galleries: dict[str, Gallery] = {}

    @property
    def is_open(self) -> bool:
        """Whether a person may still look at one, or at a gallery."""
        return self.has_gallery or any(board.is_open for board in self._boards.values())

    @property
    def has_gallery(self) -> bool:
        """Whether a person may still look at a gallery."""
        return any(gallery.page.is_open for gallery in self._galleries.values())

    async def open(self, asker: str, title: str, pictures: Sequence[BoardPicture]) -> Board:
        """A new board, whose page is served. Raises ActionFailed where too many are open.

        `asker`: the browser context in which it is asked; other contexts are not told of the board.
        """
        if self._is_released:
            raise Busy("The daemon is just handing over to another one", "Try again in a moment")
        if sum(board.is_open for board in self._boards.values()) >= MOST_OPEN:
            raise ActionFailed(
                f"{MOST_OPEN} boards are open",
                f"Have one answered first, or close one with --close: {self._named(self._waiting(asker))}",
            )
        board = Board.of(self._next, asker, title, pictures, self._write_down)
        self._next += 1
        await board.open()
        self._boards[board.number] = board
        self._forget()
        self._write_down()
        return board

    async def release(self) -> list[BoardState]:
        """Stop serving all of them, for a daemon that goes on with them. Commands that wait for an answer end and say so."""
        self._is_released = True
        await self._close_galleries()
        return [await board.release() for board in self._boards.values()]

    async def take(self, states: Iterable[BoardState]) -> None:
        """Go on with boards that a daemon has released."""
        for state in states:
            board = Board(state, self._write_down)
            if state.listening:
                await board.open()
            self._boards[board.number] = board
        self._next = max([self._next, *(number + 1 for number in self._boards)])
        self._write_down()

    async def show(self, asker: str, gallery: Gallery) -> str:
        """Serve a gallery, in the place of the asker's one before. Returns the address."""
        if earlier := self._galleries.pop(asker, None):
            await earlier.page.close()
        self._galleries[asker] = gallery
        return await gallery.page.listen()

    def meant(self, asker: str, number: int | None) -> Board | PastBoard:
        """The asker's board of that number; without one, the only one whose answer nobody has read, else the last. Raises ActionFailed where there is none, and UsageError."""
        own = self._of(asker)
        if number is not None:
            if board := next((board for board in own if board.number == number), None):
                return board
            if past := self._past.of(asker, number):
                return past
            raise ActionFailed(f"There is no board {number}", self._known(own))
        waiting = self._waiting(asker)
        if len(waiting) > 1:
            raise UsageError("Several boards wait for an answer", f"Say which: {self._named(waiting)}")
        if waiting:
            return waiting[0]
        if not own and (past := self._past.last(asker)):
            return past
        if not own:
            raise ActionFailed("There is no board", self._known(own))
        return own[-1]

    def unanswered(self) -> list[int]:
        """Numbers of the boards, whoever asked, that a person may still answer."""
        return [board.number for board in self._boards.values() if board.is_open and not board.answer]

    def words(self, asker: str) -> str:
        """What is left to do for the asker's boards, for `status`; "" for nothing."""
        waiting = self._waiting(asker)
        return f"{len(waiting)} to be answered or told: {self._named(waiting)}" if waiting else ""

    async def close(self) -> None:
        """Close every page."""
        for board in self._boards.values():
            await board.close()
        await self._close_galleries()

    async def _close_galleries(self) -> None:
        for gallery in self._galleries.values():
            await gallery.page.close()

    def _write_down(self) -> None:
        """Write the boards to the file for the next daemon, in case this one ends without handing them over."""
        self._past.write(self._next, self._boards.values())

    def _of(self, asker: str) -> list[Board]:
        return [board for board in self._boards.values() if board.asker == asker]

    def _waiting(self, asker: str) -> list[Board]:
        return [board for board in self._of(asker) if not board.is_told and (board.is_open or board.answer)]

    def _forget(self) -> None:
        for board in [board for board in self._boards.values() if not board.is_open][:-MOST_KEPT]:
            del self._boards[board.number]

    def _known(self, own: Sequence[Board]) -> str:
        if own:
            return f"There are {self._named(own)}"
        return f"Open one: {COMMAND} a.png b.png. Answers to earlier ones lie beside the pictures: board-*.json"

    @staticmethod
    def _named(boards: Sequence[Board]) -> str:
        return ", ".join(f"board-answer {board.number}{_title(board)}" for board in boards[-10:])


def _title(board: Board) -> str:
    return f' ("{board.title[:40]}")' if board.title else ""
