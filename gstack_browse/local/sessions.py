"""Count the agents of this person that are at work, by a file for each in `sessions/`.

A file is named after the agent's process and touched by each skill.
"""

import os
import time

from gstack_browse.local.private import PrivateDirectory

FOLDER = "sessions"
RECENT_SECONDS = 2 * 60 * 60
MANY = 3
"""From this number on, a question should say which agent it comes from."""

_SHELLS = frozenset(
    ("sh", "bash", "dash", "zsh", "fish", "ksh", "mksh", "ash", "busybox", "tcsh", "csh", "nu", "pwsh", "env", "timeout", "nice", "xargs", "script", "sudo", "time", "gbrowse")
)  # fmt: skip
_MOST_ANCESTORS = 20


def find_agent_process() -> int:
    """Return the process ID of the agent that typed this command.

    That is the first ancestor that is neither a shell nor a wrapper such as `timeout`; without /proc, the leader of the
    terminal's session.
    """
    pid = os.getppid()
    for _ in range(_MOST_ANCESTORS):
        found = _read_parent(pid)
        if found is None:
            return os.getsid(0)
        name, parent = found
        if name not in _SHELLS or parent <= 1:
            return pid
        pid = parent
    return pid


def _read_parent(pid: int) -> tuple[str, int] | None:
    """Return a process's name and its parent's ID: fields 2 and 4 of proc_pid_stat(5). None if unknown."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            before, _, after = file.read(1024).rpartition(b") ")
        return before.partition(b"(")[2].decode("utf-8", "replace"), int(after.split()[1])
    except (OSError, ValueError, IndexError):
        return None


def count_agents(home: PrivateDirectory, pid: int) -> int:
    """Touch this agent's file, remove those of ended or idle agents, and return how many are at work."""
    home.touch(str(pid), folder=FOLDER)
    now = time.time()
    count = 0
    for name, touched in home.list_times(FOLDER).items():
        if not name.isdigit() or len(name) > 10:
            continue  # a file of something else
        if abs(now - touched) < RECENT_SECONDS and _is_alive(int(name)):
            count += 1
        else:
            home.remove(name, folder=FOLDER)
    return count


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True  # not permitted: the process exists
    return True
