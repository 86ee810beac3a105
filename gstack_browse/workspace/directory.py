"""Find workspace and state directory, name the files in it, and connect to the daemon.

The state directory belongs to the repository, and a repository may be hostile: it can bring a link, a FIFO or
a directory under any of our names. So the directory is opened without following a link, everything below it
goes through its descriptor, and what is not ours is refused and left as it was.

Shared by the daemon and the thin client, whose start-up is the user's waiting time: only built-in modules are
imported here, and `errors` where one is raised. Making the directory, its files and the listening socket is `state`'s.
"""

import _socket
import posix
import sys
from _stat import S_ISDIR, S_ISFIFO, S_ISLNK, S_ISREG, S_ISSOCK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

STATE_DIRECTORY = ".gstack"
SOCKET = "browse.sock"
RELAY_SOCKET = "cdp.sock"
"""Where programs attach: see `browser/relay`."""
SOCKETS = (SOCKET, RELAY_SOCKET)
STATE_FILE = "browse.json"
LOCK = "browse.lock"
START_LOCK = "browse-start.lock"
CONSOLE_LOG = "browse-console.log"
NETWORK_LOG = "browse-network.log"
DIALOG_LOG = "browse-dialog.log"
DAEMON_LOG = "browse-daemon.log"
SESSION_FILE = "browse-session.json"
CRASH_FILE = "browse-crash.json"
BOARDS_FILE = "browse-boards.json"
FILES = (
    STATE_FILE, LOCK, START_LOCK, CONSOLE_LOG, NETWORK_LOG, DIALOG_LOG, DAEMON_LOG, SESSION_FILE, CRASH_FILE, BOARDS_FILE,
    ".gitignore",
)  # fmt: skip
SCRATCH_PREFIX = "gbrowse-run-"
"""How the directories are called, in the temporary one, in which browsers keep their profiles."""

_STEM = "browse"
MAX_STATE_FILE = 60
"""Bytes of the state file's name: the socket is called after it, and its address holds about a hundred bytes."""
OF_ITS_OWN = "Name a file of its own, in a directory of your own: BROWSE_STATE_FILE=~/.gbrowse/browse.json"
_OPEN_DIRECTORY = posix.O_RDONLY | posix.O_DIRECTORY | posix.O_NOFOLLOW | posix.O_CLOEXEC
"""As `descriptors` opens one, which the thin client does without: it makes and writes nothing."""


_HAS_PEERCRED = hasattr(_socket, "SO_PEERCRED")
_IS_MACOS = sys.platform.startswith("darwin")


def find_workspace(directory: str) -> str:
    """Return the nearest directory at or above `directory` (absolute) with a `.git`; else `directory`.

    The `.git` must belong to us, to root, or to the owner of that directory: anybody can put one into /tmp.
    """
    at = directory
    while True:
        try:
            git = at.rstrip("/") + "/.git"
            is_trusted = posix.lstat(git).st_uid in (posix.geteuid(), 0, posix.stat(at).st_uid)
            if is_trusted and (S_ISDIR(mode := posix.stat(git).st_mode) or S_ISREG(mode)):
                return at
        except OSError:
            pass  # most directories have none; one that cannot be looked into is passed by
        if at in ("/", ""):
            return directory
        at = at[: at.rindex("/")] or "/"


def existing_state_dirs(workspace: str, env: "Mapping[bytes, bytes]" = posix.environ) -> "Iterator[StateDir]":
    """Open, and yield one by one, the directories in which a daemon of this workspace may listen.

    The most likely comes first. Raises Refused for one that belongs to others or that others can write.
    """
    path, state_file = state_path(workspace, env)
    if fd := open_existing(path):
        yield StateDir(path, fd, workspace, state_file)
    if not state_file and (path := runtime_path(workspace, env)) and (fd := open_existing(path)):
        yield StateDir(path, fd, workspace)


class StateDir:
    """An open state directory. Names given to its methods are plain names within it.

    `state_file`: the file name that BROWSE_STATE_FILE gives `browse.json`, if it does; all else is called after it, see
    `file_name`.
    """

    __slots__ = ("fd", "path", "state_file", "workspace")

    def __init__(self, path: str, fd: int, workspace: str, state_file: str = "") -> None:
        self.path = path
        self.fd = fd
        self.workspace = workspace
        self.state_file = state_file or STATE_FILE

    def close(self) -> None:
        """Close the descriptor of the state directory; what was opened through it stays open."""
        if self.fd >= 0:
            posix.close(self.fd)
            self.fd = -1

    def connect(self) -> "_socket.socket | None":
        """Connect to the daemon at browse.sock, without blocking; None if no process listens there.

        Raises Refused for a socket of another user, Busy if the kernel's queue for it is full.
        """
        if not self.check(SOCKET, S_ISSOCK):
            return None
        sock = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        sock.setblocking(False)
        try:
            self.call_with_short_path(SOCKET, sock.connect)
            uid = peer_process(sock)[1]
        except BlockingIOError:
            from gstack_browse.errors import Busy

            sock.close()
            raise Busy("The daemon has too many clients waiting") from None
        except OSError:
            sock.close()
            return None
        if uid != posix.geteuid():
            from gstack_browse.errors import Refused

            sock.close()
            raise Refused(f"{self.printable_path(SOCKET)} is served by another user (uid {uid})")
        return sock

    def file_name(self, name: str) -> str:
        """Return a file's actual name in the state directory for its standard one, such as `browse.sock`.

        They differ if BROWSE_STATE_FILE is set: for `mine.json` it is `mine.sock`.
        """
        if name == STATE_FILE:
            return self.state_file
        if name.startswith(_STEM):
            return (self.state_file.removesuffix(".json") or self.state_file) + name[len(_STEM) :]
        if name == RELAY_SOCKET and self.state_file != STATE_FILE:
            return f"{self.state_file.removesuffix('.json') or self.state_file}-{name}"
        return name

    def printable_path(self, name: str) -> str:
        """Return the full path of the file `name` in the state directory, printable on one line, for messages."""
        return printable_path(f"{self.path}/{self.file_name(name)}")

    def check(self, name: str, kind: "Callable[[int], bool]") -> bool:
        """Return whether file `name` exists in the state directory. Raises Refused for a wrong kind or owner.

        `kind`: tests the mode, such as `S_ISREG`.
        """
        try:
            found = posix.stat(self.file_name(name), dir_fd=self.fd, follow_symlinks=False)
        except FileNotFoundError:
            return False
        is_chosen = name == STATE_FILE != self.state_file
        refuse_foreign(self.printable_path(name), found, kind, OF_ITS_OWN if is_chosen else "")
        return True

    def call_with_short_path(self, name: str, call: "Callable[[str], None]") -> None:
        """Call `call` with a short path to the file `name` in the state directory, through its descriptor.

        A socket's address holds about a hundred bytes of path, and the directory's own path may be longer.
        """
        name = self.file_name(name)
        try:
            return call(f"/proc/self/fd/{self.fd}/{name}")
        except (FileNotFoundError, NotADirectoryError):
            pass  # no Linux, or no /proc mounted
        here = posix.open(".", posix.O_RDONLY | posix.O_CLOEXEC)
        try:
            posix.fchdir(self.fd)
            return call(name)
        finally:
            posix.fchdir(here)
            posix.close(here)


def peer_process(sock: "_socket.socket") -> tuple[int, int]:
    """Return (pid, uid) of the process at the other end of a Unix socket, as the kernel knows them.

    The pid is that of the process that listened, or connected; 0 where the system does not tell.
    """
    if _HAS_PEERCRED:
        credentials = sock.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, 12)  # unix(7): pid, uid, gid
        return int.from_bytes(credentials[:4], sys.byteorder), int.from_bytes(credentials[4:8], sys.byteorder)
    credentials = sock.getsockopt(0, 1, 76)  # SOL_LOCAL, LOCAL_PEERCRED: struct xucred {version, uid, …}
    pid = sock.getsockopt(0, 2) if _IS_MACOS else 0  # LOCAL_PEERPID
    return pid, int.from_bytes(credentials[4:8], sys.byteorder)


def printable_path(path: str) -> str:
    """Return a path that prints on one line: escaped if it is not UTF-8 or has control characters."""
    return path if path.isprintable() else ascii(path)


def state_path(workspace: str, env: "Mapping[bytes, bytes]") -> tuple[str, str]:
    """Return the path of a workspace's state directory, and the name of the state file.

    The name is "" unless BROWSE_STATE_FILE sets it. Raises Refused if the variable names no file.
    """
    moved = env.get(b"BROWSE_STATE_FILE", b"").decode("utf-8", "surrogateescape")
    if not moved:
        return workspace.rstrip("/") + "/" + STATE_DIRECTORY, ""
    if not moved.startswith("/"):
        moved = posix.getcwd() + "/" + moved
    directory, _, name = moved.rpartition("/")
    if name in ("", ".", "..") or len(name.encode("utf-8", "surrogateescape")) > MAX_STATE_FILE:
        from gstack_browse.errors import Refused

        raise Refused(
            f"BROWSE_STATE_FILE names no file, or one of a long name: {printable_path(moved)}", OF_ITS_OWN
        )
    return directory.rstrip("/") or "/", name


def open_existing(path: str) -> int:
    """Open a directory that only we may write; return its descriptor, 0 if it is missing.

    Raises Refused if it belongs to others, or others can write it.
    """
    try:
        fd = posix.open(path, _OPEN_DIRECTORY)
    except FileNotFoundError:
        return 0
    except OSError as error:
        from gstack_browse.errors import Refused

        refuse_foreign(printable_path(path), posix.stat(path, follow_symlinks=False), S_ISDIR)
        raise Refused(f"{printable_path(path)} cannot be opened: {error.strerror}") from None
    try:
        refuse_foreign(printable_path(path), posix.fstat(fd), S_ISDIR)
    except BaseException:
        posix.close(fd)
        raise
    return fd


def runtime_path(workspace: str, env: "Mapping[bytes, bytes]") -> str:
    """Return this workspace's directory below the user's runtime directory (XDG_RUNTIME_DIR)."""
    return f"{runtime_root(env)}/{hash_path(workspace)}"


def hash_path(path: str) -> str:
    """Return a hash of a path (32 hex digits), to name files after it that lie in another directory."""
    try:
        from _blake2 import blake2s
    except ModuleNotFoundError:
        from hashlib import blake2s
    return blake2s(path.encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()


def runtime_root(env: "Mapping[bytes, bytes]") -> str:
    """Return the directory for runtime files: $XDG_RUNTIME_DIR/gbrowse if private to us, else one in /tmp."""
    path = env.get(b"XDG_RUNTIME_DIR", b"").decode("utf-8", "surrogateescape").rstrip("/")
    uid = posix.geteuid()
    try:
        found = posix.stat(path)
        if (
            path.startswith("/")
            and S_ISDIR(found.st_mode)
            and found.st_uid == uid
            and not found.st_mode & 0o077
        ):
            return path + "/gbrowse"
    except OSError:
        pass  # not set, or not there
    return f"/tmp/gbrowse-{uid}"  # noqa: S108 - made with 0700, and refused unless it is ours


def refuse_foreign(
    where: str, found: "posix.stat_result", kind: "Callable[[int], bool]", hint: str = ""
) -> None:
    """Raise Refused unless a file or directory is of the right kind, ours, and writable by us alone.

    `where`: its path, for messages. `found`: its status. `kind`: tests the mode, such as `S_ISDIR`. `hint`: of the error; ""
    for the one that fits the problem.
    """
    if problem := _find_problem(where, found, kind):
        from gstack_browse.errors import Refused

        raise Refused(problem[0], hint or problem[1])


def _find_problem(
    where: str, found: "posix.stat_result", kind: "Callable[[int], bool]"
) -> tuple[str, str] | None:
    """Return message and hint on why a file or directory is not safe to use; None if it is safe.

    It must be of the kind `kind` (such as `S_ISDIR`) and belong to us, and others must not be able to write it. `where`: its path.
    `found`: its status.
    """
    hint = f"Look at it, and remove it if it is not needed: {where}"
    close = f"Close it: chmod go-w {where}"
    if kind is S_ISDIR and where.rpartition("/")[2] != STATE_DIRECTORY:  # it may be /tmp, or anybody's
        hint = close = OF_ITS_OWN
    if not kind(found.st_mode):
        return f"{where} is {_describe_kind(found.st_mode)}; gbrowse leaves it alone and does not use it", hint
    if found.st_uid != posix.geteuid():
        return f"{where} belongs to another user (uid {found.st_uid})", hint
    if S_ISDIR(found.st_mode) and found.st_mode & 0o022:
        return f"{where} can be written by others", close
    if S_ISREG(found.st_mode) and found.st_nlink > 1:
        return f"{where} has another name too (a hard link)", hint
    return None


def _describe_kind(mode: int) -> str:
    """Return the kind of a file, by its mode, in words: `a symbolic link`."""
    kinds = (S_ISLNK, "a symbolic link"), (S_ISFIFO, "a FIFO"), (S_ISSOCK, "a socket"), (S_ISDIR, "a directory")
    return next((kind for is_kind, kind in kinds if is_kind(mode)), "a file" if S_ISREG(mode) else "a device")
