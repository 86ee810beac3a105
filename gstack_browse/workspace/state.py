"""Create the state directory and its files, logs, locks and listening socket.

For the daemon, and for a client that has to start one; a client that finds one needs only `workspace`. The content of the
files is decided elsewhere.
"""

import _socket
import posix
from _stat import S_ISDIR, S_ISREG, S_ISSOCK
from errno import EACCES, EFBIG, EMFILE, ENFILE, ENOMEM, EPERM, EROFS

from gstack_browse.errors import BrowseError, Refused, SetupFailed
from gstack_browse.workspace import descriptors
from gstack_browse.workspace.directory import (
    FILES,
    LOCK,
    OF_ITS_OWN,
    SESSION_FILE,
    SOCKET,
    SOCKETS,
    STATE_DIRECTORY,
    STATE_FILE,
    StateDir,
    hash_path,
    open_existing,
    peer_process,
    printable_path,
    refuse_foreign,
    runtime_path,
    runtime_root,
    state_path,
)
from gstack_browse.workspace.shortage import DISK_FULL, explain_shortage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

BACKLOG = 4096
"""Connections the kernel keeps for a daemon that is busy: as many as Linux allows unless told otherwise (`net.core.somaxconn`).

One more is refused at once where the caller has set a timeout, as Python's `settimeout` does; others wait.
"""

_NOT_WRITABLE = (EACCES, EPERM, EROFS, *DISK_FULL)
_ANYWHERE = (EFBIG, EMFILE, ENFILE, ENOMEM)
"""Errors that another directory would not avoid."""


def open_state_dir(workspace: str, env: "Mapping[bytes, bytes]" = posix.environ) -> "WritableStateDir":
    """Open the state directory for a daemon of this workspace, created if missing.

    If the workspace is read-only, full, or cannot have sockets, locks or permissions, the directory is in the user's runtime
    directory, and `fell_back` says why. Raises Refused if others own or can write what is there, SetupFailed if none can be
    created.
    """
    path, state_file = state_path(workspace, env)
    why = ""
    try:
        state = WritableStateDir(path, open_or_make(path), workspace, state_file)
        why = state.describe_unsuitability()
    except OSError as error:
        if error.errno not in _NOT_WRITABLE:
            raise explain_shortage(error) or SetupFailed(
                f"{printable_path(path)} cannot be used: {error.strerror}"
            ) from None
        why = str(error.strerror)
    if why and state_file:
        raise SetupFailed(
            f"{printable_path(path)} cannot hold the socket: {why}", "Set BROWSE_STATE_FILE to another path"
        )
    if why:
        posix.close(_runtime_root(env)[1])
        path = runtime_path(workspace, env)
        state = WritableStateDir(path, open_or_make(path), workspace, fell_back=why)
    state.check_names()
    state.ignore_in_git()
    return state


def open_inherited_state(path: str, workspace: str) -> "WritableStateDir":
    """Open the state directory of the predecessor daemon, by its `path`, for the daemon that takes over.

    A new daemon might choose another for the workspace.
    """
    state = WritableStateDir(path, open_or_make(path), workspace, state_path(workspace, posix.environ)[1])
    state.check_names()
    return state


class WritableStateDir(StateDir):
    """The state directory of a running daemon, or of one that is being started.

    `fell_back`: why it is not in the workspace; "" if it is, or was moved by BROWSE_STATE_FILE. `is_new`: whether no daemon
    had used it when it was opened.
    """

    __slots__ = ("_bound", "_file_identity", "fell_back", "is_new")

    def __init__(
        self, path: str, fd: int, workspace: str, state_file: str = "", *, fell_back: str = ""
    ) -> None:
        super().__init__(path, fd, workspace, state_file)
        self.fell_back = fell_back
        self._file_identity = _file_identity(posix.fstat(fd))
        self._bound: tuple[int, int] | None = None
        self.is_new = self._identity_of(LOCK) is None

    def read_file(self, name: str, max_bytes: int) -> bytes | None:
        """Return a file's content; None if it is missing. Raises Refused if not ours, or above `max_bytes`."""
        try:
            fd = self._open(name, posix.O_RDONLY)
        except FileNotFoundError:
            return None
        try:
            if posix.fstat(fd).st_size > max_bytes:
                raise Refused(f"{self.printable_path(name)} is larger than {max_bytes} bytes")
            return posix.read(fd, max_bytes)
        finally:
            posix.close(fd)

    def write_file(self, name: str, content: bytes) -> None:
        """Replace the file `name` (0600) here in one step: readers see the old or the new content."""
        self.check(name, S_ISREG)
        descriptors.replace(self.fd, self.file_name(name), content)

    def open_log(self, name: str) -> int:
        """Open a file for appending, created if missing, and make it private to us. Return the descriptor."""
        fd = self._open(name, posix.O_WRONLY | posix.O_APPEND | posix.O_CREAT)
        descriptors.remove_permissions(
            fd, 0o077
        )  # left by a checkout or another program; what we add is private
        return fd

    def open_to_read(self, name: str) -> int:
        """Open the file `name` in this directory for reading. Return the descriptor.

        Raises FileNotFoundError, and Refused if it is not ours.
        """
        return self._open(name, posix.O_RDONLY)

    def open_directory(self, name: str) -> int:
        """Open a subdirectory, created (0700) if missing, and make it private to us. Return the descriptor.

        Raises Refused and OSError.
        """
        descriptors.make_directory(name, self.fd)
        where = f"{self.path}/{name}"
        try:
            fd = descriptors.open_directory(name, self.fd)
        except OSError:
            found = posix.stat(name, dir_fd=self.fd, follow_symlinks=False)
            refuse_foreign(
                printable_path(where),
                found,
                S_ISDIR,
                f"Look at it, and remove it if it is not needed: {printable_path(where)}",
            )
            raise
        descriptors.remove_permissions(fd, 0o077)  # made by a shell; what we put there is private
        try:
            refuse_foreign(printable_path(where), posix.fstat(fd), S_ISDIR)
        except Refused:
            posix.close(fd)
            raise
        return fd

    def remove(self, name: str) -> None:
        """Remove the file or socket `name` in this directory, if it is ours; do nothing if it does not exist."""
        if self.check(name, S_ISSOCK if name in SOCKETS else S_ISREG):
            posix.unlink(self.file_name(name), dir_fd=self.fd)

    def lock(self, name: str) -> int | None:
        """Lock the file `name` without waiting. Return its descriptor; None if another process has the lock.

        The lock lasts as long as the descriptor is open. The kernel frees it however the holder dies, which is why a lock, and
        no pid, says who is alive.
        """
        from fcntl import LOCK_EX, LOCK_NB, flock

        while True:
            fd = self._open(name, posix.O_RDWR | posix.O_CREAT)
            try:
                flock(fd, LOCK_EX | LOCK_NB)
            except BlockingIOError:
                posix.close(fd)
                return None
            if self._identity_of(name) == _file_identity(posix.fstat(fd)):
                return fd
            posix.close(fd)  # removed between the two calls: holding it would keep nobody out

    def bind(self) -> int:
        """Create the daemon's listening socket browse.sock (0600), and return its descriptor.

        Bound under a name of its own and renamed, so that browse.sock never leads to one that does not listen
        yet. Hold LOCK while calling, and call it in the process that will serve: the kernel tells clients the pid of who began to
        listen. Raises Refused if someone listens there already, who cannot be a daemon as we hold the lock.
        """
        listening = self.bind_beside(SOCKET)
        self._bound = self._identity_of(SOCKET)
        return listening

    def bind_beside(self, name: str) -> int:
        """Create the listening socket `name`, one of SOCKETS (mode 0600). Return its descriptor.

        Raises Refused if a process listens there already.
        """
        if self.check(name, S_ISSOCK) and (other := self._describe_listener(name)):
            raise Refused(f"{self.printable_path(name)} is in use by {other}, which is no gbrowse daemon")
        sock = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        new = descriptors.unused_name()
        self._bind_privately(sock, new)
        try:
            sock.listen(BACKLOG)
        except OSError:
            descriptors.discard_draft(self.fd, new)
            raise
        descriptors.publish_draft(self.fd, new, self.file_name(name))
        return sock.detach()

    def _bind_privately(self, sock: _socket.socket, name: str) -> None:
        """Bind a socket to a file name, so that only we may connect from the first moment on."""
        posix.fchmod(
            sock.fileno(), 0o600
        )  # Linux gives the name the mode of the socket; elsewhere the umask counts
        umask = posix.umask(0o177)
        try:
            self.call_with_short_path(name, sock.bind)
        finally:
            posix.umask(umask)

    def adopt_socket(self) -> None:
        """Treat browse.sock as bound by this process: a predecessor daemon has bound it and handed it over."""
        self._bound = self._identity_of(SOCKET)

    def is_path_valid(self) -> bool:
        """Return whether our path still leads to this directory, so that it was neither removed nor replaced."""
        try:
            return _file_identity(posix.stat(self.path, follow_symlinks=False)) == self._file_identity
        except OSError:
            return False

    def is_still_ours(self) -> bool:
        """Return whether our path still leads to this directory, and browse.sock in it is the socket we bound."""
        return self.is_path_valid() and self._identity_of(SOCKET) == self._bound

    def check_names(self) -> None:
        """Raise Refused if any of our files and sockets in this directory has another kind or owner."""
        for name in FILES:
            self.check(name, S_ISREG)
        for name in SOCKETS:
            self.check(name, S_ISSOCK)
        if self.state_file == STATE_FILE or not (content := self.read_file(STATE_FILE, 10_000)):
            return
        # BROWSE_STATE_FILE may name another program's file.
        if not (content.startswith(b"{") and b'"socket"' in content and b'"pid"' in content):
            raise Refused(f"{self.printable_path(STATE_FILE)} is a file of something else", OF_ITS_OWN)

    def describe_unsuitability(self) -> str:
        """Return why this directory cannot have sockets, files or locks of files; "" if it can.

        Raises OSError for an error that any directory would have.
        """
        from fcntl import LOCK_EX, flock

        sock = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        new = descriptors.unused_name()
        try:
            self._bind_privately(sock, new)
            posix.unlink(new, dir_fd=self.fd)
            name, fd = descriptors.create_draft(self.fd)
            try:
                posix.write(fd, b"\n")
                flock(fd, LOCK_EX)  # ENOLCK, ENOSYS: on some network file systems
            finally:
                posix.close(fd)
                descriptors.discard_draft(self.fd, name)
        except OSError as error:
            if error.errno in _ANYWHERE:
                raise
            return str(error.strerror)
        finally:
            sock.close()
        return ""

    def ignore_in_git(self) -> None:
        """Make git ignore this directory, if it is a `.gstack`: write a `.gitignore` of `*` unless it has one."""
        if self.path.rpartition("/")[2] != STATE_DIRECTORY or self.check(".gitignore", S_ISREG):
            return
        try:
            self.write_file(".gitignore", b"*\n")
        except OSError:
            return  # the disk has just become full: everything else may work all the same

    def _open(self, name: str, flags: int) -> int:
        """Open a regular file in this directory with `flags` of open(2). Return the descriptor.

        Raises FileNotFoundError, and Refused if it is not ours or cannot be opened.
        """
        try:
            fd = descriptors.open_file(self.fd, self.file_name(name), flags)
        except FileNotFoundError:
            raise
        except OSError as error:
            self.check(name, S_ISREG)
            raise explain_shortage(error) or Refused(
                f"{self.printable_path(name)} cannot be opened: {error.strerror}"
            ) from None
        try:
            refuse_foreign(self.printable_path(name), posix.fstat(fd), S_ISREG)
        except Refused:
            posix.close(fd)
            raise
        return fd

    def _identity_of(self, name: str) -> tuple[int, int] | None:
        """Return device and inode of the file `name` in this directory; None if it does not exist."""
        try:
            return _file_identity(posix.stat(self.file_name(name), dir_fd=self.fd, follow_symlinks=False))
        except FileNotFoundError:
            return None

    def _describe_listener(self, name: str) -> str:
        """Return which process listens at the socket `name`: `process 42`; "" if none does."""
        sock = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        sock.setblocking(False)
        try:
            self.call_with_short_path(name, sock.connect)
            return f"process {peer_process(sock)[0]}"
        except BlockingIOError:
            return "another process"
        except OSError:
            return ""
        finally:
            sock.close()


class SessionFile:
    """The file with the crash record of a daemon, in its state directory, and a copy of it.

    The copy survives `rm -rf .gstack`: it lies in the user's runtime directory. A daemon changes it only while it still has
    its directory: one whose directory was removed leaves it to the next. Only a daemon in a new directory uses
    it. Without a copy, the record is removed with the directory.
    """

    def __init__(self, state: WritableStateDir) -> None:
        self._state = state
        self._copy = hash_path(f"{state.path}/{state.state_file}") + ".json"

    def read(self, max_bytes: int) -> bytes | None:
        """Return the crash record that an earlier daemon wrote; None for none.

        In a new directory, return the copy of it in the user's runtime directory. Raises OSError; Refused, as for a record above
        `max_bytes`.
        """
        content = self._state.read_file(SESSION_FILE, max_bytes)
        if content is None and self._state.is_new:
            content = self._in_runtime_directory(lambda place: place.read_file(self._copy, max_bytes))
            if content:
                self._state.write_file(SESSION_FILE, content)
        return content

    def write(self, content: bytes) -> None:
        """Replace the crash record and its copy. Raises OSError or Refused."""
        self._state.write_file(SESSION_FILE, content)
        if self._state.is_path_valid():
            self._in_runtime_directory(lambda place: place.write_file(self._copy, content))

    def remove(self) -> None:
        """Remove the crash record and its copy, if they exist. Raises OSError or Refused."""
        self._state.remove(SESSION_FILE)
        if self._state.is_path_valid():
            self._forget_copy()

    def forget_removed_workspace(self) -> None:
        """Remove the copy of the crash record if the workspace no longer exists."""
        try:
            posix.stat(self._state.workspace)
        except FileNotFoundError:
            self._forget_copy()

    def _forget_copy(self) -> None:
        """Remove the copy of the crash record in the user's runtime directory."""
        self._in_runtime_directory(lambda place: place.remove(self._copy))

    def _in_runtime_directory(self, act: "Callable[[WritableStateDir], bytes | None]") -> bytes | None:
        """Call `act` with the user's runtime directory, and return its result.

        None if that directory cannot be used, or `act` fails.
        """
        try:
            path, fd = _runtime_root(posix.environ)
            place = WritableStateDir(path, fd, self._state.workspace)
            try:
                return act(place)
            finally:
                place.close()
        except (OSError, BrowseError):
            return None


def open_or_make(path: str) -> int:
    """Open a directory that only we may write, created (0700) if missing. Return its descriptor.

    Raises OSError, also if the file system keeps no owners or permissions, and Refused if it belongs to others or others can
    write it.
    """
    is_new = descriptors.make_directory(path)
    try:
        if fd := open_existing(path):
            return fd
    except Refused:
        if not is_new:
            raise
        posix.rmdir(path)  # as on a Windows drive in WSL, where everything has mode 0777
        raise PermissionError(EPERM, "its file system keeps no owners or permissions") from None
    raise SetupFailed(f"{printable_path(path)} vanished while it was being opened")


def _runtime_root(env: "Mapping[bytes, bytes]") -> tuple[str, int]:
    """Open `gbrowse` in the user's runtime directory, created if missing. Return path and descriptor."""
    root = runtime_root(env)
    try:
        fd = open_or_make(root)
    except OSError as error:
        hint = "Set XDG_RUNTIME_DIR to a directory of your own"
        raise explain_shortage(error) or SetupFailed(
            f"{printable_path(root)} cannot be made: {error.strerror}", hint
        ) from None
    if posix.fstat(fd).st_mode & 0o077:
        posix.close(fd)
        raise Refused(
            f"{printable_path(root)} is open to others", f"Make it private: chmod 700 {printable_path(root)}"
        )
    return root, fd


def _file_identity(found: "posix.stat_result") -> tuple[int, int]:
    """Return device and inode of a file by its status: they identify it whatever its name."""
    return found.st_dev, found.st_ino
