"""The daemon's boards, as far as any was opened. What serves them (aiohttp) is loaded for the first one."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gstack_browse.state import WritableStateDir

if TYPE_CHECKING:
    from gstack_browse.board.desk import BoardRegistry
    from gstack_browse.board.state import BoardState


class OpenBoards:
    """Of one daemon. A successor goes on with them: `release` there, `take` here."""

    def __init__(self, state: WritableStateDir) -> None:
        self._state = state
        self._boards: BoardRegistry | None = None

    @property
    def opened(self) -> "BoardRegistry | None":
        """The boards; None where none was opened."""
        return self._boards

    def desk(self) -> "BoardRegistry":
        """The boards, to open or to answer one."""
        from gstack_browse.board.desk import BoardRegistry
        from gstack_browse.board.past import PastBoards

        if self._boards is None:
            self._boards = BoardRegistry(PastBoards(self._state))
        return self._boards

    def words(self, context: str) -> str:
        """What is open in a browser context, for `status`; "" for nothing."""
        return self._boards.status_text(context) if self._boards else ""

    @property
    def is_open(self) -> bool:
        """Whether a board or a gallery is shown to a person."""
        return self._boards is not None and self._boards.is_open

    @property
    def has_gallery(self) -> bool:
        """Whether a gallery is shown to a person."""
        return self._boards is not None and self._boards.has_gallery

    async def release(self) -> "list[BoardState]":
        """The boards, for a successor: their pages are not served any more, and who waits for an answer is told so."""
        boards, self._boards = self._boards, None
        return await boards.release() if boards else []

    async def take(self, boards: "Sequence[BoardState]") -> None:
        """Go on with the boards of a predecessor, or with our own after all."""
        if boards:
            await self.desk().adopt(boards)

    async def close(self) -> None:
        """Close them all: the browser ends."""
        if self._boards:
            await self._boards.close()
