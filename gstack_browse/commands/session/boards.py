"""Boards: let a person choose between pictures."""

import asyncio
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from gstack_browse.commands.daemon_interface import Daemon
from gstack_browse.errors import FileFailed, Refused, UsageError
from gstack_browse.registry import META, command
from gstack_browse.registry.arguments import Text
from gstack_browse.registry.values.argument_type import ArgumentType, AtLeastOne
from gstack_browse.registry.values.paths import CallerPaths, parse_file_for_page
from gstack_browse.text.sanitise import one_line
from gstack_browse.workspace.directory import printable_path

if TYPE_CHECKING:
    from gstack_browse.local_pages.board.board import Board

MOST_PICTURES = 26
WAIT_SECONDS = 300.0


def _parse_picture(word: str, paths: CallerPaths) -> Path:
    """Return the path of a picture for a board. Raises Refused outside of the workspace, FileFailed."""
    try:
        return parse_file_for_page(word, paths)
    except Refused as error:
        raise Refused(error.message, "Copy the picture into the workspace") from None


def _parse_directory(word: str, paths: CallerPaths) -> Path:
    """Return the path of a directory, links resolved, in the workspace or the temporary directory.

    Raises Refused for any other.
    """
    real = Path(os.path.realpath(paths.cwd / os.path.expanduser(word)))
    if not any(real.is_relative_to(root.resolve()) for root in paths.roots()):
        raise Refused(
            f"{word} is outside the workspace and the temporary directory", f"Name one below {paths.workspace}"
        )
    return real


def _parse_number(word: str, _paths: CallerPaths) -> int:
    """Parse a board's number. Raises UsageError."""
    if not re.fullmatch(r"[1-9][0-9]{0,6}", word):
        raise UsageError(
            f'"{word[:60]}" is no number of a board', "'status' lists those that wait for an answer"
        )
    return int(word)


Directory = Annotated[
    Path, ArgumentType("directory", "a directory of the workspace", _parse_directory, hint="file")
]
BoardNumber = Annotated[
    int, ArgumentType("board", "a board's number, as its address was printed with", _parse_number)
]
Picture = Annotated[
    Path, ArgumentType("picture", "a picture of the workspace", _parse_picture, hint="file"), AtLeastOne
]


@command(
    META,
    examples=[
        "board-compare a.png b.png --no-wait",
        "board-compare a.png b.png c.png --title 'Landing page' --no-wait",
    ],
    waits=True,
    timeout=WAIT_SECONDS + 10,
)
async def board_compare(daemon: Daemon, *pictures: Picture, title: Text = "", no_wait: bool = False) -> str:
    """Show pictures side by side on a page where a person chooses, and print the answer.

    The person chooses one, gives stars and comments, or asks for more like one, for a mix (layout of A, colours of B), or for
    others. The page opens in the desktop's browser, and the command waits for the answer: 300 s, or --timeout. Where there is no
    desktop nobody has the address yet, so it is printed and the command does not wait, unless --timeout is given: tell the
    person the address, then run 'board-answer'. The answer is written beside the first picture, too: board-<time>.json. A window whose last answer asked for more, a mix or others
    goes to the new board by itself.

    title: what is asked, for the person to read
    no_wait: print the address and return; 'board-answer' waits for the answer
    """
    from gstack_browse.local_pages.board import (
        pictures as reading,  # aiohttp and Pillow: not at every start of the daemon
    )
    from gstack_browse.local_pages.loopback import server

    if len(pictures) > MOST_PICTURES:
        raise UsageError(f"A board shows at most {MOST_PICTURES} pictures, not {len(pictures)}")
    board = await daemon.boards.open(
        daemon.context, title, await asyncio.to_thread(reading.read_pictures, pictures)
    )
    last_round = daemon.boards.show_next_round(board)
    in_window = f"→ it is shown in the window of board {last_round}: nobody has to open it"
    is_shown = bool(last_round) or await server.open_in_desktop_browser(board.address)
    if no_wait or not (is_shown or daemon.patience):
        how = [in_window] if last_round else _how_to_open(board.address, is_shown=is_shown)
        wait = f"→ then wait for the answer: board-answer {board.number}"
        return "\n".join([f"{board.name}: {board.address}", *how, wait])
    daemon.say(f"{board.name}: {board.address}{f' {in_window}' if last_round else ''}")
    return await _wait_for_answer(daemon, board)


@command(
    META, examples=["board-answer --no-wait", "board-answer --close"], waits=True, timeout=WAIT_SECONDS + 10
)
async def board_answer(
    daemon: Daemon, board: BoardNumber | None = None, *, no_wait: bool = False, close: bool = False
) -> str:
    """Wait for the answer to a board and print it.

    Without a number, to the board whose answer is unread. Waits 300 s, or --timeout; exit 3 when there is no
    answer by then, exit 1 when the person has closed the page without one.

    no_wait: print the answer if there is one
    close: close the board where nobody has answered it: it is not wanted any more
    """
    meant = daemon.boards.find(daemon.context, board)
    if close and await meant.dismiss():
        return f"{meant.name} is closed without an answer"
    return await _wait_for_answer(daemon, meant, no_wait=no_wait)


@command(META, examples=["board-gallery .", "board-gallery .gstack/designs"], page_text=True)
async def board_gallery(daemon: Daemon, directory: Directory) -> str:
    """Show all boards of a directory with their answers, by day, and the pictures that were on none.

    Prints them, and the address of a page that shows them. The page closes ten minutes after its last window.
    """
    from gstack_browse.local_pages.board import gallery
    from gstack_browse.local_pages.loopback import server

    if not directory.is_dir():
        raise FileFailed(
            f"There is no directory {one_line(printable_path(str(directory)))}",
            "Name the one with the pictures",
        )
    days = await asyncio.to_thread(gallery.group_by_day, directory)
    if not days:
        raise FileFailed("There are no boards and no pictures there", "board-compare a.png b.png makes a board")
    address = await daemon.boards.open_gallery(daemon.context, gallery.Gallery(directory, days))
    is_shown = await server.open_in_desktop_browser(address)
    how = _how_to_open(address, is_shown=is_shown)
    return "\n".join([f"Gallery: {address}", *how, *gallery.render_days(days, directory)])


async def _wait_for_answer(daemon: Daemon, board: "Board", *, no_wait: bool = False) -> str:
    """Wait for a person's answer on a board, unless `no_wait`. Return it as text."""
    patience = WAIT_SECONDS if daemon.patience is None else daemon.patience
    await board.wait(0.0 if no_wait else patience)
    return board.report_answer()


def _how_to_open(address: str, *, is_shown: bool) -> list[str]:
    """Return lines for the reply on how a person opens a board at `address`.

    `is_shown`: a browser was asked to open it.
    """
    from gstack_browse.local_pages.loopback import server

    how = "a browser was asked to open it" if is_shown else "tell the person to open it; it works once"
    return [f"→ {how}", f"→ {server.describe_tunnel(address)}"]
