"""The first moments of a daemon: it leaves its client's process, and starts the driver or Chromium if it will need a browser.

Imports next to nothing for that: Chromium starts, or Node loads the driver, while Python imports `main`, which does all the rest. The process
that the client started stays until the daemon has answered, to pass that on, or how it ended.

The native client does some of this itself (`native_start.c`): it is the process that stays, and has started Chromium already.
"""

import gc
import os
import sys

from gstack_browse import config_file
from gstack_browse.command_names import CHROMIUM_FIRST, NEEDS_NO_BROWSER
from gstack_browse.daemon.boot import IN_PLACE, SUCCEED, BootState, detach
from gstack_browse.daemon.boot_image import IMAGE
from gstack_browse.daemon.request_line import first_name_of
from gstack_browse.errors import BrowseError
from gstack_browse.protocol import MAX_LINE_BYTES
from gstack_browse.state import open_state_dir
from gstack_browse.workspace import LOCK, existing_state_dirs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn, TypeVar

    from gstack_browse.browser.launch.ahead import Ahead, ChromiumProcess
    from gstack_browse.browser.launch.driver_process import Driver

    Started = TypeVar("Started")

FOR_OTHERS = ("NODE_OPTIONS", "PWDEBUG")
"""Editors have every Node load modules of theirs; tests have Playwright open windows."""
TO_BROWSER, FROM_BROWSER, SCRATCH_LOCK = 3, 4, 5
"""Numbers of the descriptors that the native client leaves to us with a Chromium."""
QUICK_SWITCH_SECONDS = 0.0005
"""How long Python may keep a thread waiting while another one imports: the one that speaks with Chromium has next to nothing to do, and Chromium waits for it."""
LARGE_GENERATION = 100_000
"""New objects after which Python looks for cycles: imports make 55,000, and next to no garbage. 700 would cost a tenth of the time, 20,000 still 4 ms."""


def main(argv: list[str]) -> "NoReturn":
    """`<workspace>` from a client; from the native one with `--in-place`, and `<pid> <scratch> <checksum>` of a Chromium.

    `--succeed <workspace> <lock> <socket> <directory> <files>` from a predecessor.
    """
    for name in FOR_OTHERS:
        os.environ.pop(name, None)
    if argv[1] == SUCCEED:
        config_file.apply(os.environ, argv[2])
        _import_asyncio()
        from gstack_browse.daemon.main import succeed

        sys.exit(succeed(argv[2], int(argv[3]), int(argv[4]), *argv[5:7]))
    line, told = b"", 1
    try:
        line = sys.stdin.buffer.readline(MAX_LINE_BYTES + 1)
        if argv[2:3] == [IN_PLACE]:
            told = os.dup(1)
        config_file.apply(os.environ, argv[1])
        if argv[2:3] == [IN_PLACE]:
            _go_on_in_place(argv[1], line, told, argv[3:])
        answer, told = os.pipe()
        if child := os.fork():
            os.close(told)
            _pass_on(answer, child)
        os.close(answer)
        os.setsid()
        _go_on(argv[1], line, told)
    except (
        BrowseError,
        OSError,
        MemoryError,
        SystemError,
    ) as error:  # the last: Python's word for memory that it could not get
        _fail(error, line, told)


def _fail(error: Exception, line: bytes, told: int) -> "NoReturn":
    """Answer the request by what the system refuses, or a file of settings; nothing of the request has happened."""
    from gstack_browse.protocol import encode_reply, failure, form_of
    from gstack_browse.shortage import explain_any

    why = error if isinstance(error, BrowseError) else explain_any(error)
    os.write(told, b"reply\n" + encode_reply(form_of(line), failure(why)))
    os._exit(1)


def _pass_on(answer: int, child: int) -> "NoReturn":
    """Say what the daemon says; without a word of it, end as it did."""
    with os.fdopen(answer, "rb") as pipe:
        said = pipe.read()
    if not said:
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if code < 0:
            os.kill(os.getpid(), -code)
        os._exit(code)
    try:
        sys.stdout.buffer.write(said)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        pass  # the client was killed: nobody reads it
    os._exit(0)


def _go_on(workspace: str, line: bytes, told: int) -> "NoReturn":
    name = first_name_of(line)
    _answer(workspace, line, told, _begin(workspace, name) if name and name not in NEEDS_NO_BROWSER else None)


def _go_on_in_place(workspace: str, line: bytes, told: int, chromium: list[str]) -> "NoReturn":
    """Be the daemon in the process that the native client has started. Ends without a word where anything is unusual.

    Then that runs the Python client, which begins anew.
    """
    process = _inherited(*chromium) if chromium else None
    begun = None
    try:
        if not _lives_elsewhere(workspace):
            begun = _begin(workspace, first_name_of(line), process)
    finally:
        if process and not (begun and begun.ahead):
            process.end()
    if begun is None:
        os._exit(0)
    if begun.state.fell_back:
        begun.end()
        os._exit(0)
    _answer(workspace, line, told, begun)


def _inherited(pid: str, scratch: str, checksum: str) -> "ChromiumProcess":
    from gstack_browse.browser.launch.ahead import ChromiumProcess
    from gstack_browse.browser.launch.scratch import Scratch

    for descriptor in (TO_BROWSER, FROM_BROWSER, SCRATCH_LOCK):
        os.set_inheritable(descriptor, False)
    place = Scratch(scratch, SCRATCH_LOCK)
    return ChromiumProcess(int(pid), TO_BROWSER, FROM_BROWSER, place, int(checksum, 16))


def _lives_elsewhere(workspace: str) -> bool:
    """Whether a daemon of this workspace listens where a client may find it that the native one does not look for."""
    for state in existing_state_dirs(workspace, os.environb):
        sock = state.connect()
        state.close()
        if sock:
            sock.close()
            return True
    return False


def _answer(workspace: str, line: bytes, told: int, begun: BootState | None) -> "NoReturn":
    try:
        _import_asyncio()
        from gstack_browse.daemon.main import answer

        answer(workspace, line, told, begun)
    finally:
        if begun:
            begun.end()


def _import_asyncio() -> None:
    """Import it without TLS, as where Python is built without: nothing here speaks TLS, and OpenSSL costs time and 4 MB."""
    gc.set_threshold(LARGE_GENERATION)  # until `main` has imported everything
    sys.setswitchinterval(QUICK_SWITCH_SECONDS)
    IMAGE.help_compiling()
    sys.modules["ssl"] = None  # type: ignore[assignment]  # Python's word for what cannot be imported
    import asyncio  # noqa: F401

    del sys.modules["ssl"]


def _begin(workspace: str, name: str, process: "ChromiumProcess | None" = None) -> BootState | None:
    """Become the daemon and start its driver, or Chromium before that; None where that takes more than a moment, or is refused.

    `process`: a Chromium that was started already. Its caller ends that where no use was made of it.
    """
    try:
        state = open_state_dir(workspace, os.environb)
        lock = state.lock(LOCK)
        if lock is None:
            state.close()
            return None
        detach(state)
    except BrowseError:
        return None  # `main` runs into it too, and says so
    may_restore = os.environ.get("BROWSE_PERSIST", "").strip() == "1"  # which Playwright does
    if name in CHROMIUM_FIRST and not may_restore and (ahead := _from_root(lambda: _ahead(process))):
        return BootState(state, lock, ahead=ahead)
    return BootState(state, lock, _from_root(_driver))


def _ahead(process: "ChromiumProcess | None") -> "Ahead | None":
    """A Chromium that starts already, where it is known how; None where the driver has to start it."""
    from gstack_browse.browser.launch import known_start

    known = known_start.recall()
    if known is None or (process and process.checksum != known.checksum):
        return None
    from gstack_browse.browser.launch.ahead import Ahead

    try:
        return Ahead(known, process)
    except OSError:
        return None


def _driver() -> "Driver | None":
    from gstack_browse.browser.launch.driver_process import spawn

    return spawn()


def _from_root(start: "Callable[[], Started | None]") -> "Started | None":
    """Start something in the root directory; None where it cannot be started, or where we could not come back."""
    try:
        here = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return None
    os.chdir("/")  # no browser should keep the directory busy that its first client happened to be in
    try:
        return start()
    finally:
        os.fchdir(here)  # settings, which are read later, may be relative to it
        os.close(here)
