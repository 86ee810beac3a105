"""Another daemon process that is to take over, as its predecessor sees it, and what the two say to each other.

It gets the held lock (one open file description, so that it is never free in between) and the listening socket
(so that nobody who connects meanwhile is turned away), and those of boards that a person has open, says `loaded` once its code has been loaded, reads what the
browser held from standard input, and says `ready` once it serves. Nothing of that touches a disk.
"""

import asyncio
import os
import socket
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import gstack_browse
from gstack_browse import config_file
from gstack_browse.browser.tabs.session_state import SessionState
from gstack_browse.daemon.agent_context import AgentContext
from gstack_browse.daemon.boot import SUCCEED
from gstack_browse.errors import ActionFailed
from gstack_browse.settings import Settings
from gstack_browse.state import WritableStateDir
from gstack_browse.text.json_bytes import decode, encode
from gstack_browse.text.sanitise import one_line
from gstack_browse.workspace import DAEMON_LOG

if TYPE_CHECKING:
    from gstack_browse.board.state import BoardState

LOADED, READY = b"loaded\n", b"ready\n"
LOAD_SECONDS = 30.0
READY_SECONDS = 10.0
_MOST_FILES = 64
"""Open files that are sent at once; those of boards are two each."""
_INHERITED = {name: word for name, word in os.environ.items() if name not in config_file.ADDED}
"""As the client gave it to us: while a driver starts, our own names that one's temporary directory."""
_BOOT = """\
import runpy, sys
place = sys.argv[1]
del sys.argv[:2]
if place not in sys.path:
    sys.path.insert(0, place)
try:
    runpy.run_module("gstack_browse.daemon", run_name="__main__", alter_sys=True)
except Exception as error:
    print(f"{type(error).__name__}: {error}", flush=True)
    raise
"""


class News(NamedTuple):
    """What each context is told once, but for the one that `knows`: None where nobody does. Without a `note` nobody is told anything."""

    note: str
    knows: str | None = None

    def tell(self, context: AgentContext) -> None:
        """Have the next reply of a context say it, with what it goes on with. Of what another context did nobody hears who had not begun."""
        is_news = self.knows is None or (context.name != self.knows and context.last_command)
        if not (self.note and is_news):
            return
        carried = f" ({context.carried.counts()} carried over)" if context.carried else ""
        context.news = f"{self.note}{carried}"


class Inheritance(NamedTuple):
    """What a predecessor leaves."""

    carried: SessionState | None
    """What its browser held."""
    news: News
    boards: "Sequence[BoardState]" = ()


class Successor:
    """A started process. Unless it is handed everything it ends with us, having done nothing. `files` takes open files to it."""

    def __init__(self, process: Process, log: str, files: socket.socket) -> None:
        self._process = process
        self._log = log
        self._files = files

    @classmethod
    async def start(cls, settings: Settings, state: WritableStateDir, lock: int, listening: int) -> "Successor":
        """Start it, and wait until its code is loaded. Raises ActionFailed: an upgrade may be half done."""
        place = str(Path(gstack_browse.__file__).parent.parent)
        files, its_files = socket.socketpair()
        passed = (lock, listening, its_files.fileno())
        words = [place, "gbrowse-daemon", SUCCEED, state.workspace, str(lock), str(listening), state.path]
        words.append(str(its_files.fileno()))
        flags = [
            "-E",
            "-P",
            "-X",
            "utf8",
        ]  # as the client starts a daemon: nothing is imported from the workspace
        process = await asyncio.create_subprocess_exec(
            sys.executable, *flags, "-c", _BOOT, *words,
            stdin=PIPE, stdout=PIPE, stderr=None, pass_fds=passed, start_new_session=True,
            env=_environment(settings, state),
        )  # fmt: skip
        its_files.close()
        successor = cls(process, state.shown(DAEMON_LOG), files)
        said = await successor._said(LOAD_SECONDS)
        if said != LOADED:
            await successor.give_up()
            why = one_line(said.decode("utf-8", "replace"), 200) or "it ended at once"
            raise ActionFailed(f"The new daemon did not start: {why}", "The running daemon goes on")
        return successor

    async def take_over(self, left: Inheritance) -> None:
        """Hand over and wait until the successor serves. Raises ActionFailed when it does not."""
        assert self._process.stdin is not None
        carried = left.carried.as_dict() if left.carried else None
        boards = await self._send(left.boards) if left.boards else []
        self._process.stdin.write(
            encode({"carried": carried, "note": left.news.note, "knows": left.news.knows, "boards": boards})
        )
        self._process.stdin.close()
        if await self._said(READY_SECONDS) != READY:
            raise ActionFailed("The new daemon did not start", f"See {self._log}")

    async def _send(self, boards: "Sequence[BoardState]") -> list[dict[str, Any]]:
        """Send the boards' open files. Returns what else there is of them."""
        from gstack_browse.board.transfer import PackedBoards  # aiohttp: no part of most ends

        packed = await asyncio.to_thread(PackedBoards, boards)
        if packed.files:
            socket.send_fds(self._files, [b"boards"], packed.files)
        packed.close()
        return packed.fields

    async def give_up(self) -> None:
        """End it."""
        with suppress(ProcessLookupError):
            self._process.kill()
        await self._process.wait()

    async def _said(self, seconds: float) -> bytes:
        assert self._process.stdout is not None
        try:
            async with asyncio.timeout(seconds):
                return await self._process.stdout.readline()
        except TimeoutError:
            return b""


def _environment(settings: Settings, state: WritableStateDir) -> dict[str, str]:
    """Our own, with the paths in it as they were meant: they may be relative to where the first client was."""
    paths: dict[str, object] = {
        "BROWSE_CHROMIUM": settings.chromium,
        "BROWSE_EXTENSIONS_DIR": settings.extensions,
        "BROWSE_PROFILE": settings.profile,
        "BROWSE_STATE_FILE": os.environ.get("BROWSE_STATE_FILE") and f"{state.path}/{state.state_file}",
    }
    return {**_INHERITED, **{name: str(path) for name, path in paths.items() if path}}


def announce_loaded() -> None:
    """In the successor: the code is loaded."""
    os.write(1, LOADED)


def announce_ready() -> None:
    """In the successor: it serves. Nobody listens to standard output from here on."""
    os.write(1, READY)
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.close(null)


def inheritance(files: int | None) -> Inheritance | None:
    """In the successor: what the predecessor leaves; None when that has gone. `files`: the socket by which open files come."""
    content = sys.stdin.buffer.read()
    _close_input()
    if not content:
        return None
    fields = decode(content)
    carried = SessionState.from_dict(fields["carried"]) if fields["carried"] else None
    boards = fields.get("boards")  # older versions have none
    news = News(fields["note"], fields.get("knows"))
    return Inheritance(carried, news, _boards(boards, files) if boards and files else ())


def _close_input() -> None:
    """Have standard input be nothing, as of a daemon that a client has started: not the pipe of a process that has gone."""
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)


def _boards(fields: "Sequence[Mapping[str, Any]]", files: int) -> "list[BoardState]":
    from gstack_browse.board.transfer import unpack_boards  # aiohttp: no part of most starts

    received: list[int] = []
    if any(board["keys"] for board in fields):
        with socket.socket(fileno=files) as channel:
            _, received, _, _ = socket.recv_fds(channel, 16, _MOST_FILES)
    for descriptor in received:
        os.set_inheritable(descriptor, False)
    return unpack_boards(fields, received)
