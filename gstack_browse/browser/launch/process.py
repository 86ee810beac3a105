"""Start a Chromium process with a debugging pipe, read its standard error, end its process group.

A daemon starts Chromium first, so this module imports next to nothing.
"""

import fcntl
import os
import sys

from gstack_browse.browser.launch.scratch import (
    PREFERENCES,
    WINDOW_PREFERENCES,
    Scratch,
    make_profile,
    make_programs_folder,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

GROUP_SECONDS = 1.0
"""Time limit for the processes of a killed Chromium to end."""
POLL_SECONDS = 0.002
_ENDED = "ZX"
"""States of a process that does not run any more: zombie and dead."""
STDERR_FILE = "stderr"
"""Name of the file in the scratch directory that gets Chromium's standard error."""
MOST_STDERR_BYTES = 1 << 20
"""Bytes above which `truncate_stderr` empties that file."""
STDERR_TAIL_BYTES = 16 << 10
"""Bytes at the end of that file that are read to explain a failed start."""
_HIGHEST_STANDARD = 4
_PR_SET_CHILD_SUBREAPER = 36
_CONTAINER_MARKS = ("/.dockerenv", "/run/.containerenv")


class ChromiumProcess:
    """A Chromium process with its pipes and its scratch directory."""

    def __init__(self, pid: int, to_browser: int, from_browser: int, scratch: Scratch) -> None:
        self.pid = pid
        self.to_browser = to_browser
        self.from_browser = from_browser
        self.scratch = scratch
        self.has_ended = False
        """Whether the process was reaped: another process may have its pid now."""
        self.exit_code = 0
        """Once it was reaped: its exit code, or minus the number of the signal that has killed it; 0 if it is not known."""

    def wait(self, seconds: float) -> bool:
        """Wait at most `seconds` for the process to end. Return whether it has. Blocks."""
        from time import monotonic, sleep

        give_up = monotonic() + seconds
        while not self.has_ended:
            self._reap(os.WNOHANG)
            if not self.has_ended:
                if monotonic() >= give_up:
                    return False
                sleep(POLL_SECONDS)
        return True

    def kill(self) -> None:
        """Kill Chromium and the processes of its group, which may still write to the profile.

        Blocks for GROUP_SECONDS at most.
        """
        from signal import SIGKILL
        from time import monotonic, sleep

        adopt_orphans()
        if not self.has_ended:
            os.kill(self.pid, SIGKILL)
        _signal_group(self.pid, SIGKILL)
        if not self.has_ended:
            self._reap(0)
        give_up = monotonic() + GROUP_SECONDS
        while _runs_in_group(self.pid) and monotonic() < give_up:
            sleep(POLL_SECONDS)
        _reap_group(self.pid)

    def close_pipes(self) -> None:
        """Close our ends of the pipes. Call this only if no `Connection` has them."""
        os.close(self.to_browser)
        os.close(self.from_browser)

    def stderr_tail(self) -> str:
        """Return the last part of what Chromium has written to standard error."""
        try:
            with open(f"{self.scratch.name}/{STDERR_FILE}", "rb") as file:
                file.seek(max(0, os.fstat(file.fileno()).st_size - STDERR_TAIL_BYTES))
                return file.read(STDERR_TAIL_BYTES).decode(errors="replace")
        except OSError:
            return ""

    def truncate_stderr(self) -> None:
        """Empty the file of Chromium's standard error if it is large. Chromium appends to it."""
        path = f"{self.scratch.name}/{STDERR_FILE}"
        try:
            if os.stat(path).st_size > MOST_STDERR_BYTES:
                os.truncate(path, 0)
        except OSError:
            return

    def _reap(self, options: int) -> None:
        """Collect the process's exit status if it has ended. `options`: of `os.waitpid`; 0 blocks until then."""
        try:
            pid, status = os.waitpid(self.pid, options)
            if pid == self.pid:
                self.has_ended, self.exit_code = True, os.waitstatus_to_exitcode(status)
        except ChildProcessError:  # psutil has reaped it
            self.has_ended = True


def start_process(
    executable: str,
    flags: "Sequence[str]",
    scratch: Scratch,
    *,
    profile: str = "",
    has_person: bool = False,
    window: bool = False,
    variables: "Mapping[str, str] | None" = None,
) -> ChromiumProcess:
    """Start Chromium with pipes for its debugging protocol.

    Args:
        profile: directory of a lasting profile; "" for a new one in `scratch`
        has_person: a person may use this profile, so that its preferences allow prompts
        window: Chromium has a window, and gets the environment of the desktop
        variables: environment variables to add

    Raises OSError. The caller removes `scratch` then.
    """
    folder = profile or f"{scratch.name}/profile"
    environment = {**os.environ, **(variables or {})}
    if not window:
        # Without D-Bus: Chromium would end with the desktop session of that bus.
        environment |= {"TMPDIR": scratch.name, "DBUS_SESSION_BUS_ADDRESS": "disabled:"}
        environment["PATH"] = make_programs_folder(scratch.name)
    if not os.path.exists(f"{folder}/Default"):
        make_profile(folder, WINDOW_PREFERENCES if has_person else PREFERENCES)
    pid, to_browser, from_browser = _spawn(
        [executable, f"--user-data-dir={folder}", *flags], environment, scratch
    )
    return ChromiumProcess(pid, to_browser, from_browser, scratch)


def can_use_sandbox() -> bool:
    """Return whether the sandbox can work: not as root, nor in a container or CI."""
    in_container = any(os.path.exists(path) for path in _CONTAINER_MARKS) or "container" in os.environ
    return not (os.geteuid() == 0 or in_container or os.environ.get("CI")) or sys.platform == "darwin"


def _spawn(command: "list[str]", environment: "Mapping[str, str]", scratch: Scratch) -> "tuple[int, int, int]":
    """Start a program in a process group of its own, with new pipes as its descriptors 3 and 4.

    Return its pid, and our descriptors for writing and reading. Raises OSError.
    """
    their_in, to_browser = os.pipe()
    from_browser, their_out = os.pipe()
    opened = [their_in, their_out]
    try:
        null = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
        opened.append(null)
        mode = os.O_CREAT | os.O_TRUNC | os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC
        stderr = os.open(f"{scratch.name}/{STDERR_FILE}", mode, 0o600)
        opened.append(stderr)
        # Copy all to descriptors above 4 first: a dup2 to 0–4 must not overwrite a source of the next one.
        sources = []
        for descriptor in (null, stderr, their_in, their_out):
            sources.append(fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, _HIGHEST_STANDARD + 1))
            opened.append(sources[-1])
        copies = ((sources[0], 0), (sources[0], 1), (sources[1], 2), (sources[2], 3), (sources[3], 4))
        pid = os.posix_spawn(
            command[0],
            command,
            environment,
            file_actions=[(os.POSIX_SPAWN_DUP2, *copy) for copy in copies],
            setpgroup=0,
        )
    except OSError:
        os.close(to_browser)
        os.close(from_browser)
        raise
    finally:
        for descriptor in opened:
            os.close(descriptor)
    return pid, to_browser, from_browser


def _signal_group(pid: int, signal_number: int) -> bool:
    """Send a signal to a process group (0: only check). Return whether a process is left in it."""
    try:
        os.killpg(pid, signal_number)
    except (ProcessLookupError, PermissionError):  # PermissionError on macOS: only zombies are left
        return False
    return True


def adopt_orphans() -> None:
    """Become the parent of the processes that Chromium leaves when it ends, to reap them (Linux).

    They would become init's. In many containers that reaps nothing, and each browser left three zombies.
    """
    if sys.platform == "linux":
        from ctypes import CDLL  # takes 3 ms, for which no start should wait

        CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _reap_group(pid: int) -> None:
    """Collect the exit status of our children in a process group that have ended."""
    try:
        while os.waitpid(-pid, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return


def _runs_in_group(pid: int) -> bool:
    """Return whether a process of a group has not ended yet.

    A zombie has ended, yet stays in its group until its parent reaps it: init does that late, or in many containers never.
    """
    if not _signal_group(pid, 0):
        return False
    try:
        entries = os.listdir("/proc")
    except FileNotFoundError:  # macOS
        return True
    states = (_read_process_state(int(entry)) for entry in entries if entry.isdigit())
    return any(known and known[0] not in _ENDED and known[1] == pid for known in states)


def _read_process_state(pid: int) -> "tuple[str, int] | None":
    """Return a process's state and group, fields 3 and 5 of proc_pid_stat(5); None if unknown."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            state, _, group = file.read().rpartition(b")")[2].split()[:3]
        return state.decode(), int(group)
    except (OSError, ValueError):
        return None
