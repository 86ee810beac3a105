"""Boards: let a person choose between pictures."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from gstack_browse.commands.control import Daemon
from gstack_browse.errors import Refused, UsageError
from gstack_browse.registry import META, command
from gstack_browse.registry.argument_type import ArgumentType, AtLeastOne
from gstack_browse.registry.arguments import Count, Text
from gstack_browse.registry.paths import CallerPaths, page_file

if TYPE_CHECKING:
    from gstack_browse.board.board import Board

MOST_PICTURES = 26
WAIT_SECONDS = 300.0


def _picture(word: str, paths: CallerPaths) -> Path:
    try:
        return page_file(word, paths)
    except Refused as error:
        raise Refused(error.message, "Copy the picture into the workspace") from None


Picture = Annotated[
    Path, ArgumentType("picture", "a picture of the workspace", _picture, hint="file"), AtLeastOne
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
    person the address, then run 'board-answer'. The answer is written beside the first picture, too: board-<time>.json.

    title: what is asked, for the person to read
    no_wait: print the address and return; 'board-answer' waits for the answer
    """
    from gstack_browse.board import pictures as reading  # aiohttp and Pillow: not at every start of the daemon
    from gstack_browse.loopback import desktop

    if len(pictures) > MOST_PICTURES:
        raise UsageError(f"A board shows at most {MOST_PICTURES} pictures, not {len(pictures)}")
    board = await daemon.boards.open(title, await asyncio.to_thread(reading.read, pictures))
    shown = await desktop.show(board.address)
    if no_wait or not (shown or daemon.patience):
        return "\n".join([f"{board.name}: {board.address}", *_next_steps(board, is_shown=shown)])
    daemon.say(f"{board.name}: {board.address}")
    return await _answer(daemon, board)


@command(META, examples=["board-answer --no-wait"], waits=True, timeout=WAIT_SECONDS + 10)
async def board_answer(daemon: Daemon, board: Count | None = None, *, no_wait: bool = False) -> str:
    """Wait for the answer to a board and print it. Without a number, to the one whose answer nobody has read yet.

    Waits 300 s, or --timeout; exit 3 when there is no answer by then, exit 1 when the person has closed the page without one.

    no_wait: print the answer if there is one
    """
    meant = daemon.boards.meant(board)
    return await _answer(daemon, meant, is_patient=not no_wait)


async def _answer(daemon: Daemon, board: "Board", *, is_patient: bool = True) -> str:
    patience = WAIT_SECONDS if daemon.patience is None else daemon.patience
    await board.wait(patience if is_patient else 0.0)
    return board.told()


def _next_steps(board: "Board", *, is_shown: bool) -> list[str]:
    from gstack_browse.loopback import desktop

    how = "a browser was asked to open it" if is_shown else "tell the person to open it; it works once"
    return [
        f"→ {how}",
        f"→ {desktop.from_elsewhere(board.address)}",
        f"→ then wait for the answer: board-answer {board.number}",
    ]
