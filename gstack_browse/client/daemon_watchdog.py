"""Detect a daemon that took a request and sends nothing, not even a heartbeat, and act on it.

Only ever looks at, or signals, the process that the kernel names as the socket's other end, of our own uid.
"""

import posix
from signal import SIGCONT, SIGKILL, SIGTERM
from time import monotonic, sleep

from gstack_browse.command_names import ENDS_DAEMON, STARTS_OFFLINE
from gstack_browse.errors import NoAnswer
from gstack_browse.workspace.directory import LOCK, peer_process
from gstack_browse.workspace.state import SessionFile, WritableStateDir

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket

    from gstack_browse.client.reply_printer import ReplyPrinter
    from gstack_browse.workspace.directory import StateDir

CONTROL_SECONDS = 3.0
"""How long a command that ends the daemon (`stop`, `restart`) waits for it before the client ends it by a signal."""
ANSWER_SECONDS = 5.0
MOST_SECONDS = 60.0
"""How long a daemon is waited for that others keep from running."""
TERM_SECONDS = 1.0
KILL_SECONDS = 5.0
"""How long a killed process may take to vanish: the kernel writes its memory out, frees it, …"""


class DaemonWatchdog:
    """Measures for how long a daemon has sent nothing, and resumes, kills or gives up a daemon that hangs.

    A second counts in which the daemon could have run for half of it or more: on a machine whose processors are taken by
    others a healthy daemon may run for a moment every few seconds.
    """

    def __init__(self, sock: "socket", cmd: str, state: "StateDir", printer: "ReplyPrinter") -> None:
        self._pid, uid = peer_process(sock)
        self._is_ours = self._pid > 0 and uid == posix.geteuid()
        self._cmd, self._state, self._printer = cmd, state, printer
        self._seconds = 0.0
        """Seconds without a byte from the daemon."""
        self._counted = 0.0
        """Those of them in which the daemon could have run."""
        self._held_up = _processor_wait_seconds(self._pid)

    def on_silence(self, seconds: float) -> bool:
        """Note that the daemon was silent for `seconds` more; resume a stopped one, replace one that hangs.

        Return True if replacing it completed the request (`stop`, `restart`), False to wait on. Raises NoAnswer after too long.
        """
        held_up = _processor_wait_seconds(self._pid)
        self._seconds += seconds
        if held_up - self._held_up <= seconds / 2:
            self._counted += seconds
        self._held_up = held_up
        if self._is_ours:
            if self._cmd in ENDS_DAEMON and self._counted >= CONTROL_SECONDS:
                return _replace_daemon(self._pid, self._cmd, self._state, self._printer)
            if _is_stopped(self._pid):
                posix.kill(self._pid, SIGCONT)
                self._printer.note(
                    f"Note: the daemon (process {self._pid}) had been stopped by a signal; it was told to continue"
                )
                return False
        if self._counted >= ANSWER_SECONDS or self._seconds >= MOST_SECONDS:
            raise NoAnswer(
                f"The daemon (process {self._pid}) has not answered for {self._seconds:.0f} s; {self._cmd!a} may or may not have run",
                "See whether it answers now: gbrowse status. If not, replace it: gbrowse restart",
            )
        return False


def _replace_daemon(pid: int, cmd: str, state: "StateDir", printer: "ReplyPrinter") -> bool:
    """Kill a daemon that hangs, for a command that ends it anyway (`cmd`: `stop`, `restart`). Return True.

    Start another one for `restart`, and set the reply in `printer`. Raises NoAnswer if the process does not end.
    """
    lock = WritableStateDir(state.path, state.fd, state.workspace, state.state_file)
    for number, seconds in ((SIGTERM, TERM_SECONDS), (SIGKILL, KILL_SECONDS)):
        try:
            posix.kill(pid, number)
        except ProcessLookupError:
            pass  # it just ended
        if _wait_for_exit(lock, seconds):
            break
    else:
        raise NoAnswer(f"The daemon (process {pid}) does not answer, nor end when it is killed")
    printer.note(f"Note: the daemon (process {pid}) did not answer and was killed")
    if cmd in STARTS_OFFLINE:
        from gstack_browse.client.start import start_replacement

        start_replacement(state.workspace, cmd, printer)
    else:
        SessionFile(lock).remove()  # what was stopped on purpose is not lost
    printer.set_result(ENDS_DAEMON[cmd])
    return True


def _wait_for_exit(state: WritableStateDir, seconds: float) -> bool:
    """Wait up to `seconds` for the daemon's process to end, which frees its lock. Return whether it did."""
    end = monotonic() + seconds
    while (lock := state.lock(LOCK)) is None:
        if monotonic() > end:
            return False
        sleep(0.01)
    posix.close(lock)
    return True


def _is_stopped(pid: int) -> bool:
    """Return whether a process is stopped by a signal such as SIGSTOP: state T in proc_pid_stat(5)."""
    return _read_proc(pid, "stat").rpartition(b") ")[2].startswith(b"T")


def _processor_wait_seconds(pid: int) -> float:
    """Return for how many seconds a process's threads were ready to run but had no processor (schedstat).

    All threads count: the one that answers may wait for a lock of another one, as while that imports.
    """
    try:
        threads = posix.listdir(f"/proc/{pid}/task")
    except OSError:
        return 0.0
    numbers = [_read_proc(pid, f"task/{thread}/schedstat").split() for thread in threads]
    return sum(int(of_thread[1]) for of_thread in numbers if len(of_thread) > 1) / 1e9


def _read_proc(pid: int, name: str) -> bytes:
    """Return the content of /proc/`pid`/`name`; b"" if the process has ended or there is no /proc."""
    try:
        fd = posix.open(f"/proc/{pid}/{name}", posix.O_RDONLY | posix.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return posix.read(fd, 1024)
    except OSError:
        return b""
    finally:
        posix.close(fd)
