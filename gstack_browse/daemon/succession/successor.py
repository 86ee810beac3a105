"""Start a daemon process that takes over from this one, and exchange messages with it.

The successor inherits the lock (one open file description, never free in between), the listening socket (no connection is refused
meanwhile), and the sockets of open boards. It writes `loaded` once its code is loaded. It reads the browser's state from standard
input, and writes `ready` once it serves. Nothing of that touches a disk.
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
from gstack_browse.browser.state.context_state import ContextState
from gstack_browse.daemon.base.boot import SUCCEED
from gstack_browse.daemon.contexts.agent_context import AgentContext
from gstack_browse.errors import ActionFailed
from gstack_browse.settings import Settings
from gstack_browse.text.json_bytes import decode, encode
from gstack_browse.text.sanitise import one_line
from gstack_browse.workspace import config_file
from gstack_browse.workspace.directory import DAEMON_LOG
from gstack_browse.workspace.state import WritableStateDir

if TYPE_CHECKING:
    from gstack_browse.local_pages.board.board import BoardState

LOADED, READY = b"loaded\n", b"ready\n"
LOAD_SECONDS = 30.0
READY_SECONDS = 10.0
_MOST_FILES = 64
"""Open files that are sent at once; a board has two."""
_INHERITED = {name: word for name, word in os.environ.items() if name not in config_file.ADDED}
"""Our environment as the client set it."""
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


class PendingNotice(NamedTuple):
    """A notice for the next reply of every context except `except_context`. Empty `text`: no notice."""

    text: str
    except_context: str | None = None

    def post_to(self, context: AgentContext) -> None:
        """Set this notice for the next reply in `context`, with a summary of what is restored there.

        If another context caused it (`except_context`), contexts without a command so far get none.
        """
        is_news = self.except_context is None or (context.name != self.except_context and context.last_command)
        if not (self.text and is_news):
            return
        carried = f" ({context.pending_state.counts()} carried over)" if context.pending_state else ""
        context.notice = f"{self.text}{carried}"


class Inheritance(NamedTuple):
    """State that a predecessor passes to its successor."""

    state: ContextState | None
    """The state of its browser; None if it had none."""
    notice: PendingNotice
    boards: "Sequence[BoardState]" = ()


class Successor:
    """The process of a successor, as its predecessor sees it. It serves only after `take_over`.

    `files`: the socket through which it receives open files.
    """

    def __init__(self, process: Process, log: str, files: socket.socket) -> None:
        self._process = process
        self._log = log
        self._files = files

    @classmethod
    async def start(cls, settings: Settings, state: WritableStateDir, lock: int, listening: int) -> "Successor":
        """Start the process of a new daemon, and wait until it has loaded its code.

        `lock`, `listening`: descriptors of the lock and of the socket, which it inherits. Raises ActionFailed if it does not
        load: an upgrade may be half done.
        """
        package_root = str(Path(gstack_browse.__file__).parent.parent)
        files, its_files = socket.socketpair()
        passed = (lock, listening, its_files.fileno())
        arguments = [
            package_root,
            "gbrowse-daemon",
            SUCCEED,
            state.workspace,
            str(lock),
            str(listening),
            state.path,
            str(its_files.fileno()),
        ]
        flags = [
            "-E",
            "-P",
            "-X",
            "utf8",
        ]  # as the client starts a daemon: nothing is imported from the workspace
        try:
            process = await asyncio.create_subprocess_exec(
                sys.executable, *flags, "-c", _BOOT, *arguments,
                stdin=PIPE, stdout=PIPE, stderr=None, pass_fds=passed, start_new_session=True,
                env=_successor_environment(settings, state),
            )  # fmt: skip
        except OSError as error:  # no memory; or the Python that runs us was removed
            raise ActionFailed(
                f"The new daemon did not start: {error.strerror}", "The running daemon goes on"
            ) from None
        finally:
            its_files.close()
        successor = cls(process, state.printable_path(DAEMON_LOG), files)
        line = await successor._read_line(LOAD_SECONDS)
        if line != LOADED:
            await successor.kill()
            why = one_line(line.decode("utf-8", "replace"), 200) or "it ended at once"
            raise ActionFailed(f"The new daemon did not start: {why}", "The running daemon goes on")
        return successor

    async def take_over(self, inheritance: Inheritance) -> None:
        """Hand the daemon's state, notice and boards to the new daemon's process, and wait until it serves.

        Raises ActionFailed if it does not.
        """
        assert self._process.stdin is not None
        carried = inheritance.state.as_dict() if inheritance.state else None
        boards = await self._send_boards(inheritance.boards) if inheritance.boards else []
        self._process.stdin.write(
            encode(
                {
                    "carried": carried,
                    "note": inheritance.notice.text,
                    "knows": inheritance.notice.except_context,
                    "boards": boards,
                }
            )
        )
        self._process.stdin.close()
        if await self._read_line(READY_SECONDS) != READY:
            raise ActionFailed("The new daemon did not start", f"See {self._log}")

    async def _send_boards(self, boards: "Sequence[BoardState]") -> list[dict[str, Any]]:
        """Send open files of boards to the new daemon's process. Return the boards' other fields, for JSON."""
        from gstack_browse.local_pages.board.registry import PackedBoards  # aiohttp: no part of most ends

        packed = await asyncio.to_thread(PackedBoards, boards)
        if packed.files:
            socket.send_fds(self._files, [b"boards"], packed.files)
        packed.close()
        return packed.fields

    async def kill(self) -> None:
        """Kill the new daemon's process, and wait for its end."""
        with suppress(ProcessLookupError):
            self._process.kill()
        await self._process.wait()

    async def _read_line(self, seconds: float) -> bytes:
        """Return the next line that the new daemon writes; b"" if it ended, or after `seconds`."""
        assert self._process.stdout is not None
        try:
            async with asyncio.timeout(seconds):
                return await self._process.stdout.readline()
        except TimeoutError:
            return b""


def _successor_environment(settings: Settings, state: WritableStateDir) -> dict[str, str]:
    """Return the environment variables for a new daemon: ours, with absolute paths.

    The client's paths may be relative to its directory.
    """
    paths: dict[str, object] = {
        "BROWSE_CHROMIUM": settings.chromium,
        "BROWSE_EXTENSIONS_DIR": settings.extensions,
        "BROWSE_PROFILE": settings.profile,
        "BROWSE_STATE_FILE": os.environ.get("BROWSE_STATE_FILE") and f"{state.path}/{state.state_file}",
    }
    return {**_INHERITED, **{name: str(path) for name, path in paths.items() if path}}


def announce_loaded() -> None:
    """Tell the predecessor daemon, by standard output, that this new daemon has loaded its code."""
    os.write(1, LOADED)


def announce_ready() -> None:
    """Tell the predecessor daemon that this new one serves; then close standard output, the pipe to it."""
    os.write(1, READY)
    _redirect_to_null(1)


def read_inheritance(files: int | None) -> Inheritance | None:
    """Read what the predecessor passes to this successor; None if the predecessor has ended.

    `files`: descriptor of the socket through which open files come.
    """
    content = sys.stdin.buffer.read()
    _redirect_to_null(0)
    if not content:
        return None
    fields = decode(content)
    carried = ContextState.from_dict(fields["carried"]) if fields["carried"] else None
    boards = fields.get("boards")  # older versions have none
    notice = PendingNotice(fields["note"], fields.get("knows"))
    return Inheritance(carried, notice, _receive_boards(boards, files) if boards and files else ())


def _redirect_to_null(descriptor: int) -> None:
    """Replace standard input (0) or output (1) by /dev/null, which closes the pipe to the predecessor."""
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, descriptor)
    os.close(null)


def _receive_boards(fields: "Sequence[Mapping[str, Any]]", files: int) -> "list[BoardState]":
    """Receive the open files of boards from the predecessor. Return the complete boards.

    `fields`: their other fields. `files`: descriptor of the socket that brings the files.
    """
    from gstack_browse.local_pages.board.registry import unpack_boards  # aiohttp: no part of most starts

    received: list[int] = []
    if any(board["keys"] for board in fields):
        with socket.socket(fileno=files) as channel:
            _, received, _, _ = socket.recv_fds(channel, 16, _MOST_FILES)
    for descriptor in received:
        os.set_inheritable(descriptor, False)
    return unpack_boards(fields, received)
