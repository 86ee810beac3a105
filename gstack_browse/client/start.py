"""Start a daemon if none listens, exactly one however many clients find that at once.

The spawned process answers commands that need no daemon itself; everything else about being a daemon is in `daemon`. Leaner than
`subprocess`, which would take longer to import than all else here.
"""

import posix
import sys
from _signal import SIGCHLD, SIGKILL  # type: ignore[import-not-found]  # `signal` would import enum
from time import monotonic, sleep

from gstack_browse.client.reply_printer import write_all
from gstack_browse.errors import Unreachable
from gstack_browse.protocol import Request, encode_request
from gstack_browse.workspace.directory import START_LOCK, existing_state_dirs
from gstack_browse.workspace.shortage import OUT_OF_MEMORY
from gstack_browse.workspace.state import open_state_dir

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket
    from collections.abc import Mapping

    from gstack_browse.client.reply_printer import ReplyPrinter
    from gstack_browse.workspace.directory import StateDir
    from gstack_browse.workspace.state import WritableStateDir

    Found = tuple[socket, StateDir] | None

READY = b"ready\n"
REPLY = b"reply\n"
WAIT_SECONDS = 900.0
"""How long to wait for another client that is starting the daemon: it may be installing Chromium."""
SAY_SECONDS = 2.0
_STARTS = 3
"""How many daemons are started in a row that have ended before they could be asked: another client's `stop` may come first."""

# The workspace is not trusted: unlike `python -m`, this does not put the current directory on the module path. What
# the caller left open is not for a daemon to hold: a pipe that never ends keeps its reader waiting for ever.
_BOOT = """\
import os, sys
os.closerange(3, min(os.sysconf("SC_OPEN_MAX"), 65536))
place = sys.argv[1]
del sys.argv[:2]
if place not in sys.path:
    sys.path.insert(0, place)
import gstack_browse.daemon.__main__
"""


def start_daemon(
    workspace: str, request_line: bytes, printer: "ReplyPrinter", env: "Mapping[bytes, bytes]" = posix.environ
) -> "Found":
    """Start a daemon, unless another client has started one meanwhile, and connect to it.

    Args:
        request_line: the request as one line of JSON; the starting daemon may answer it at once
        printer: receives that answer, and prints notes
        env: the environment, which may name another state directory

    Return the connection, on which nothing was sent yet, and its state directory; None if `printer` has the reply already.
    Raises Unreachable if no daemon could be started, Refused or SetupFailed for the state directory.
    """
    state = open_state_dir(workspace, env)
    lock = _take_start_lock(workspace, state, printer, env)
    if not isinstance(lock, int):
        return lock
    try:
        if found := connect_to_daemon(workspace, env):
            return found
        if state.fell_back:
            printer.note(
                f"Note: the workspace cannot hold the daemon's state ({state.fell_back}); it is in {state.path}"
            )
        log = state.printable_path("browse-daemon.log")
        for _ in range(_STARTS):
            if _spawn_daemon(workspace, request_line, printer, env, log):
                return None
            if found := connect_to_daemon(workspace, env):
                return found
        raise Unreachable("The daemon ended right after it had started", f"See {log}")
    finally:
        posix.close(lock)
        state.close()


def start_replacement(workspace: str, cmd: str, printer: "ReplyPrinter") -> None:
    """Start a daemon by the request `cmd`, in place of one that was killed. The reply is not printed."""
    line = encode_request(Request(cmd, cwd=workspace, status=True, stderr=True))
    if found := start_daemon(workspace, line, type(printer)()):
        found[0].close()


def connect_to_daemon(workspace: str, env: "Mapping[bytes, bytes]" = posix.environ) -> "Found":
    """Connect to the workspace's daemon. Return connection and state directory; None if none listens."""
    for state in existing_state_dirs(workspace, env):
        if sock := state.connect():
            return sock, state
        state.close()
    return None


def _take_start_lock(
    workspace: str, state: "WritableStateDir", printer: "ReplyPrinter", env: "Mapping[bytes, bytes]"
) -> "int | Found":
    """Take the lock for starting a daemon, waiting for minutes if need be. Return its descriptor.

    If another client has started a daemon meanwhile, return the connection to that.
    """
    begun = monotonic()
    is_reported = False
    while (lock := state.lock(START_LOCK)) is None:
        if found := connect_to_daemon(workspace, env):
            return found
        waited = monotonic() - begun
        if waited > WAIT_SECONDS:
            raise Unreachable(
                f"Another gbrowse has been starting the daemon for {waited:.0f} s", "End it, and try again"
            )
        if waited > SAY_SECONDS and not is_reported:
            is_reported = True
            printer.note("Waiting for another gbrowse that is starting the daemon …")
        sleep(0.02)
    return lock


def _spawn_daemon(
    workspace: str, line: bytes, printer: "ReplyPrinter", env: "Mapping[bytes, bytes]", log: str
) -> bool:
    """Start a daemon's process with the request `line` (JSON).

    Return True if it answered the request at once (`printer` has the reply), False once it listens. `log`: path of its log, for
    messages.
    """
    place = __file__.rsplit("/", 3)[0]
    argv = [sys.executable, "-E", "-P", "-X", "utf8", "-c", _BOOT, place, "gbrowse-daemon", workspace]
    their_stdin, our_line = posix.pipe()
    our_answer, their_stdout = posix.pipe()
    pid = posix.posix_spawn(
        sys.executable,
        argv,
        dict(env),
        file_actions=[(posix.POSIX_SPAWN_DUP2, their_stdin, 0), (posix.POSIX_SPAWN_DUP2, their_stdout, 1)],
        setsigdef=[
            SIGCHLD
        ],  # a caller that ignores it passes that on, and nobody would hear how his children end
        setsigmask=[],
    )
    posix.close(their_stdin)
    posix.close(their_stdout)
    try:
        write_all(our_line, line)
    except BrokenPipeError:
        pass  # it ended without reading; what it said about that comes next
    posix.close(our_line)
    try:
        return _read_first_message(our_answer, pid, printer, log)
    finally:
        posix.close(our_answer)


def _read_first_message(fd: int, pid: int, printer: "ReplyPrinter", log: str) -> bool:
    """Wait for the first message of a starting daemon. Return whether it is a reply, given to `printer`.

    Return False if the daemon only says that it listens. Raises Unreachable with the reason if it ended. `fd`: the pipe from it;
    `log`: path of its log, for the hint.
    """
    received = b""
    while len(received) < len(READY) and (piece := posix.read(fd, len(READY) - len(received))):
        received += piece
    if received == REPLY:
        while piece := posix.read(fd, 65536):
            if printer.feed(piece):
                break
    try:
        status = posix.waitstatus_to_exitcode(posix.waitpid(pid, 0)[1])
    except ChildProcessError:
        status = 1  # we were started to ignore SIGCHLD: the kernel has waited for it
    if received == READY or printer.code >= 0:
        return received == REPLY
    how = f"was killed by signal {-status}" if status < 0 else f"ended with exit code {status}"
    hint = OUT_OF_MEMORY if status == -SIGKILL else f"Its reason is above, or in {log}"
    raise Unreachable(f"The daemon did not start: it {how}", hint)
