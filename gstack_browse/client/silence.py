"""What to do about a daemon that took a request and says nothing, not even that it is still working.

Only ever looks at, or signals, the process that the kernel names as the socket's other end, of our own uid.
"""

import posix
from signal import SIGCONT, SIGKILL, SIGTERM
from time import monotonic, sleep

from gstack_browse.command_names import ENDS_DAEMON, STARTS_OFFLINE
from gstack_browse.errors import NoAnswer
from gstack_browse.state import SessionFile, WritableStateDir
from gstack_browse.workspace import LOCK, peer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket

    from gstack_browse.client.relay import Relay
    from gstack_browse.workspace import StateDir

CONTROL_SECONDS = 3.0
"""How long a command that ends the daemon (`stop`, `restart`) waits for it before the client ends it by a signal."""
ANSWER_SECONDS = 5.0
TERM_SECONDS = 1.0
KILL_SECONDS = 5.0
"""How long a killed process may take to vanish: the kernel writes its memory out, frees it, …"""


def handle_unresponsive(silent: float, sock: "socket", cmd: str, state: "StateDir", relay: "Relay") -> bool:
    """Act on `silent` seconds without a byte. Returns whether the request is done by that, else wait on.

    Raises NoAnswer when waiting longer makes no sense.
    """
    pid, uid = peer(sock)
    if pid > 0 and uid == posix.geteuid():
        if cmd in ENDS_DAEMON and silent >= CONTROL_SECONDS:
            return _end(pid, cmd, state, relay)
        if _is_stopped(pid):
            posix.kill(pid, SIGCONT)
            relay.note(
                f"Note: the daemon (process {pid}) had been stopped by a signal; it was told to continue"
            )
            return False
    if silent >= ANSWER_SECONDS:
        raise NoAnswer(
            f"The daemon (process {pid}) has not answered for {silent:.0f} s; {cmd!a} may or may not have run",
            "See whether it answers now: gbrowse status. If not, replace it: gbrowse restart",
        )
    return False


def _end(pid: int, cmd: str, state: "StateDir", relay: "Relay") -> bool:
    """End the process and wait until its lock is free; start another one if `cmd` is meant to. Returns True."""
    lock = WritableStateDir(state.path, state.fd, state.workspace, state.state_file)
    for number, seconds in ((SIGTERM, TERM_SECONDS), (SIGKILL, KILL_SECONDS)):
        try:
            posix.kill(pid, number)
        except ProcessLookupError:
            pass  # it just ended
        if _wait_for(lock, seconds):
            break
    else:
        raise NoAnswer(f"The daemon (process {pid}) does not answer, nor end when it is killed")
    relay.note(f"Note: the daemon (process {pid}) did not answer and was killed")
    if cmd in STARTS_OFFLINE:
        from gstack_browse.client.start import start_again

        start_again(state.workspace, cmd, relay)
    else:
        SessionFile(lock).remove()  # what was stopped on purpose is not lost
    relay.answer(ENDS_DAEMON[cmd])
    return True


def _wait_for(state: WritableStateDir, seconds: float) -> bool:
    """Whether the daemon freed its lock within that time, that is, whether the daemon has ended."""
    end = monotonic() + seconds
    while (lock := state.lock(LOCK)) is None:
        if monotonic() > end:
            return False
        sleep(0.01)
    posix.close(lock)
    return True


def _is_stopped(pid: int) -> bool:
    """Whether the process is stopped by SIGSTOP or the like: state T in proc_pid_stat(5)."""
    try:
        fd = posix.open(f"/proc/{pid}/stat", posix.O_RDONLY | posix.O_CLOEXEC)
    except OSError:
        return False  # gone, or no Linux
    try:
        return posix.read(fd, 1024).rpartition(b") ")[2].startswith(b"T")
    finally:
        posix.close(fd)
