"""The daemon's boards, if any was opened. Their server (aiohttp) is loaded for the first one."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gstack_browse.state import WritableStateDir

if TYPE_CHECKING:
    from gstack_browse.board.desk import BoardRegistry
    from gstack_browse.board.state import BoardState


class OpenBoards:
    """Holds the boards of a daemon. For a successor: `release` here, `adopt` there."""

    def __init__(self, state: WritableStateDir) -> None:
        self._state = state
        self._boards: BoardRegistry | None = None

    @property
    def registry(self) -> "BoardRegistry | None":
        """The boards; None before the first one."""
        return self._boards

    def ensure_registry(self) -> "BoardRegistry":
        """Return the boards, to open or to answer one."""
        from gstack_browse.board.desk import BoardRegistry
        from gstack_browse.board.past import PastBoards

        if self._boards is None:
            self._boards = BoardRegistry(PastBoards(self._state))
        return self._boards

    def describe(self, context: str) -> str:
        """Describe the open boards of a browser context for `status`; "" for none."""
        return self._boards.status_text(context) if self._boards else ""

    @property
    def is_open(self) -> bool:
        """Return whether a person is shown a board or a gallery."""
        return self._boards is not None and self._boards.is_open

    @property
    def has_gallery(self) -> bool:
        """Return whether a person is shown a gallery."""
        return self._boards is not None and self._boards.has_gallery

    async def release(self) -> "list[BoardState]":
        """Stop serving the boards, and return them for a successor. Commands that wait for an answer fail."""
        boards, self._boards = self._boards, None
        return await boards.release() if boards else []

    async def adopt(self, boards: "Sequence[BoardState]") -> None:
        """Serve the boards of a predecessor, or our own again."""
        if boards:
            await self.ensure_registry().adopt(boards)

    async def close(self) -> None:
        """Close all boards: the browser ends."""
        if self._boards:
            await self._boards.close()
