"""The boards and galleries that are open in a daemon, and what is known of those of earlier daemons."""

import os
import re
import shlex
import socket
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from gstack_browse.errors import ActionFailed, Busy, Refused, UsageError
from gstack_browse.local_pages.board.board import COMMAND, Board, BoardState, board_name
from gstack_browse.local_pages.board.gallery import Gallery
from gstack_browse.local_pages.board.pictures import BoardPicture
from gstack_browse.text.json_bytes import read_object
from gstack_browse.text.sanitise import one_line
from gstack_browse.workspace.directory import BOARDS_FILE, printable_path
from gstack_browse.workspace.state import WritableStateDir

MOST_LISTED = 50
_MOST_BYTES = 500_000
_HIGHEST_NUMBER = 1_000_000
_ANSWER_FILE = re.compile(r"/(?:.*/)?board-[0-9-]+\.json")
"""The path of an answer. An agent is told to read it, so no other name in a planted list is believed."""
MOST_OPEN = 10
MOST_CLOSED = 50
"""How many closed boards stay in memory, so that their answers can be asked for."""


@dataclass(frozen=True)
class PastBoard:
    """A board that can only be reported. `file` is the path of its answer, or ""."""

    number: int
    asker: str
    title: str
    file: str

    @property
    def name(self) -> str:
        """Return the board's name for messages: `Board 2 "Landing page"`."""
        return board_name(self.number, self.title)

    def make_error(self) -> ActionFailed:
        """Return the error that names the answer's file, or says that the board had no answer.

        The answer is not read: anybody can write to the workspace, and an agent would take the file's words for the
        person's.
        """
        if self.file:
            return ActionFailed(
                f"{self.name} was answered, and its daemon has ended since",
                f"Read the answer: cat {shlex.quote(self.file)}",
            )
        return ActionFailed(
            f"{self.name} was closed without an answer: its daemon has ended",
            f"Ask in words, or show it again: {COMMAND} …",
        )


class PastBoards:
    """The boards of earlier daemons, kept in a file of the workspace."""

    def __init__(self, state: WritableStateDir) -> None:
        self._state = state
        fields = read_object(lambda: state.read_file(BOARDS_FILE, _MOST_BYTES))
        found = fields.get("boards")
        boards = [_parse_board(each) for each in found] if isinstance(found, list) else []
        self._boards = {board.number: board for board in boards[-MOST_LISTED:] if board}
        wanted = fields.get("next")
        least = wanted if isinstance(wanted, int) and 0 < wanted < _HIGHEST_NUMBER else 1
        self.next_number = max([least, *(number + 1 for number in self._boards)])
        """The first number for a new board: no number is used twice in a workspace."""

    def find(self, asker: str, number: int) -> PastBoard | None:
        """Return the past board `number` if a browser context (`asker`) has opened it; else None."""
        board = self._boards.get(number)
        return board if board and board.asker == asker else None

    def find_latest(self, asker: str) -> PastBoard | None:
        """Return the last board that a browser context (`asker`) has opened; None for none."""
        return next((board for board in reversed(self._boards.values()) if board.asker == asker), None)

    def save(self, next_number: int, boards: Iterable[Board]) -> None:
        """Write this daemon's boards to the file, with those of earlier daemons.

        `next_number`: for the next new board. A failure is ignored: on a full disk only the next daemon's knowledge of
        boards is lost.
        """
        own = [
            PastBoard(board.number, board.asker, board.title, printable_path(board.file)) for board in boards
        ]
        numbers = {board.number for board in own}
        every = [*(board for board in self._boards.values() if board.number not in numbers), *own][
            -MOST_LISTED:
        ]
        fields = {"next": next_number, "boards": [vars(board) for board in every]}
        try:
            self._state.write_file(BOARDS_FILE, orjson.dumps(fields))
        except (OSError, Refused):
            return


def _parse_board(fields: object) -> PastBoard | None:
    """Convert the JSON of a past board; None if it is malformed."""
    match fields:
        case {"number": int(number), "asker": str(asker), "title": str(title), "file": str(file)}:
            if 0 < number < _HIGHEST_NUMBER and (not file or _ANSWER_FILE.fullmatch(file)):
                return PastBoard(number, asker, one_line(title, 200), one_line(file, 1000))
    return None


class BoardRegistry:
    """All boards of this daemon, oldest first, and those of earlier daemons that its file names."""

    def __init__(self, past: PastBoards) -> None:
        self._boards: dict[int, Board] = {}
        self._past = past
        self._next = past.next_number
        self._is_released = False
        self._galleries: dict[str, Gallery] = {}

    @property
    def is_open(self) -> bool:
        """Return whether a page of a board or a gallery is still served."""
        return self.has_gallery or any(board.is_open for board in self._boards.values())

    @property
    def has_gallery(self) -> bool:
        """Return whether a gallery's page is still served."""
        return any(gallery.page.is_open for gallery in self._galleries.values())

    async def open(self, asker: str, title: str, pictures: Sequence[BoardPicture]) -> Board:
        """Create a board with pictures to compare, and serve its page.

        asker: the browser context that asks; other contexts do not see the board
        title: the question, or ""
        pictures: the pictures to compare, at least one

        Raises ActionFailed if MOST_OPEN boards are open, Busy if the daemon hands over to a successor.
        """
        if self._is_released:
            raise Busy("The daemon is just handing over to another one", "Try again in a moment")
        if sum(board.is_open and not board.answer for board in self._boards.values()) >= MOST_OPEN:
            raise ActionFailed(
                f"{MOST_OPEN} boards are open",
                f"Have one answered first, or close one with --close: {self._list_commands(self._unreported_boards(asker))}",
            )
        board = Board.create(self._next, asker, title, pictures, self._save)
        self._next += 1
        await board.open()
        self._boards[board.number] = board
        for oldest in [board for board in self._boards.values() if not board.is_open][:-MOST_CLOSED]:
            del self._boards[oldest.number]
        self._save()
        return board

    def show_next_round(self, board: Board) -> int:
        """Lead the window of the context's answered board to `board`, the next round, if one waits for it.

        Returns the answered board's number; 0 if no window waits.
        """
        waiting = [other for other in self._list_boards_of(board.asker) if other.awaits_next_round]
        if not waiting:
            return 0
        waiting[-1].next_address = board.address
        return waiting[-1].number

    async def release(self) -> list[BoardState]:
        """Stop serving all pages, and return the states of the boards for the daemon that takes over.

        Commands that wait for an answer end, and say so.
        """
        self._is_released = True
        await self._close_galleries()
        return [await board.release() for board in self._boards.values()]

    async def adopt(self, states: Iterable[BoardState]) -> None:
        """Take over the boards that the previous daemon has released; serve those that were open."""
        for state in states:
            board = Board(state, self._save)
            if state.listening:
                await board.open()
            self._boards[board.number] = board
        self._next = max([self._next, *(number + 1 for number in self._boards)])
        self._save()

    async def open_gallery(self, asker: str, gallery: Gallery) -> str:
        """Serve a gallery for a browser context (`asker`); close its previous one. Return the page's address."""
        if earlier := self._galleries.pop(asker, None):
            await earlier.page.close()
        self._galleries[asker] = gallery
        return await gallery.page.listen()

    def find(self, asker: str, number: int | None) -> Board:
        """Return the board that a command of a browser context (`asker`) means.

        `number`: the board's number; None for the only board with an unread answer, else the latest one. Raises
        ActionFailed if there is no such board, or only in an earlier daemon; UsageError if `number` is None and several boards wait.
        """
        own = self._list_boards_of(asker)
        if number is not None:
            if board := next((board for board in own if board.number == number), None):
                return board
            if past := self._past.find(asker, number):
                raise past.make_error()
            raise ActionFailed(f"There is no board {number}", self._advise_available(own))
        waiting = self._unreported_boards(asker)
        if len(waiting) > 1:
            raise UsageError("Several boards wait for an answer", f"Say which: {self._list_commands(waiting)}")
        if waiting:
            return waiting[0]
        if not own and (past := self._past.find_latest(asker)):
            raise past.make_error()
        if not own:
            raise ActionFailed("There is no board", self._advise_available(own))
        return own[-1]

    def unanswered_numbers(self) -> list[int]:
        """Return the numbers of all open boards without an answer, of all contexts."""
        return [board.number for board in self._boards.values() if board.is_open and not board.answer]

    def status_text(self, asker: str) -> str:
        """Describe for `status` a context's boards that have no answer, or an unread one; "" for none."""
        waiting = self._unreported_boards(asker)
        return f"{len(waiting)} to be answered or told: {self._list_commands(waiting)}" if waiting else ""

    async def close(self) -> None:
        """Close the pages of all boards and galleries."""
        for board in self._boards.values():
            await board.close()
        await self._close_galleries()

    async def _close_galleries(self) -> None:
        """Close the pages of all galleries."""
        for gallery in self._galleries.values():
            await gallery.page.close()

    def _save(self) -> None:
        """Write the boards to the file of past boards, which the next daemon reads if it inherits none."""
        self._past.save(self._next, self._boards.values())

    def _list_boards_of(self, asker: str) -> list[Board]:
        """Return the boards that a browser context (`asker`) has opened in this daemon."""
        return [board for board in self._boards.values() if board.asker == asker]

    def _unreported_boards(self, asker: str) -> list[Board]:
        """Return a context's boards that are open, or whose answer no command has printed."""
        return [
            board
            for board in self._list_boards_of(asker)
            if not board.is_reported and (board.is_open or board.answer)
        ]

    def _advise_available(self, boards: Sequence[Board]) -> str:
        """Return a hint for errors: the commands for the context's boards (`boards`), or how to open one."""
        if boards:
            return f"There are {self._list_commands(boards)}"
        return f"Open one: {COMMAND} a.png b.png. Answers to earlier ones lie beside the pictures: board-*.json"

    @staticmethod
    def _list_commands(boards: Sequence[Board]) -> str:
        """Return the `board-answer` commands of the last ten of these boards, joined by commas."""
        titled = ((board.number, f' ("{board.title[:40]}")' if board.title else "") for board in boards[-10:])
        return ", ".join(f"board-answer {number}{title}" for number, title in titled)


class PackedBoards:
    """Boards as JSON (`fields`) and open files (`files`). Blocks.

    An open board has two files: the socket of its page, and its pictures.
    """

    def __init__(self, states: Iterable[BoardState]) -> None:
        self.files: list[int] = []
        self.fields = [self._pack_state(state) for state in states]

    def close(self) -> None:
        """Close this process's copies of the files with pictures. The sockets belong to the boards."""
        for file in self.files[1::2]:
            os.close(file)
        self.files.clear()

    def _pack_state(self, state: BoardState) -> dict[str, Any]:
        """Return a board's state as JSON, and add descriptors of its socket and its pictures to `files`."""
        if state.listening:
            self.files += [
                state.listening.fileno(),
                _create_unnamed_file(picture.content for picture in state.pictures),
            ]
        return state.as_dict()


def unpack_boards(fields: Sequence[Mapping[str, Any]], files: Sequence[int]) -> list[BoardState]:
    """Restore boards from parts of PackedBoards: JSON objects, and descriptors of inherited files.

    Blocks.
    """
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


def _create_unnamed_file(contents: Iterable[bytes]) -> int:
    """Write `contents` to a temporary file without a name. Return its descriptor."""
    with tempfile.TemporaryFile() as file:
        file.writelines(contents)
        return os.dup(file.fileno())
