"""Start the daemon process: leave the client's process, and start Chromium early if needed.

Imports next to nothing: Chromium starts while Python imports `main`, which does the rest. The process that the client started stays
until the daemon has replied, to relay the reply or the exit code.

The native client does some of this itself (`native_start.c`): it is the process that stays.
"""

import gc
import os
import sys

from gstack_browse.command_names import CHAINS, DECLARED_IN, NEEDS_NO_BROWSER
from gstack_browse.daemon.base.boot import IN_PLACE, SUCCEED, BootState, detach_from_client
from gstack_browse.daemon.process.boot_image import IMAGE
from gstack_browse.errors import BrowseError
from gstack_browse.protocol import MAX_LINE_BYTES
from gstack_browse.workspace import config_file
from gstack_browse.workspace.directory import LOCK, existing_state_dirs
from gstack_browse.workspace.state import open_state_dir

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from gstack_browse.browser.launch.ahead import EarlyChromium, EarlyStart

MOST_LOOKED_AT = 1000
"""Bytes of a chain that are searched for its first step."""
_ESCAPES = ((rb"\n", b" "), (rb"\r", b" "), (rb"\t", b" "), (rb"\"", b'"'))
QUICK_SWITCH_SECONDS = 0.0005
"""Time slice of a thread while another one imports: the one that speaks with Chromium has little to do, and Chromium waits for it."""
LARGE_GENERATION = 100_000
"""New objects after which Python collects garbage: imports make 55,000 and next to no garbage. 700 would cost a tenth of the time, 20,000 still 4 ms."""


def main(argv: list[str]) -> "NoReturn":
    """Start a daemon. `argv`: the program's name, then one of these:

    `<workspace>` from a client; from the native one with `--in-place`.
    `--succeed <workspace> <lock> <socket> <directory> <files>` from a predecessor.
    """
    if argv[1] == SUCCEED:
        config_file.add_settings(os.environ, argv[2])
        _import_asyncio()
        from gstack_browse.daemon.process.main import take_over

        sys.exit(take_over(argv[2], int(argv[3]), int(argv[4]), *argv[5:7]))
    request_line, reply_pipe = b"", 1
    try:
        request_line = sys.stdin.buffer.readline(MAX_LINE_BYTES + 1)
        if argv[2:3] == [IN_PLACE]:
            reply_pipe = os.dup(1)
        config_file.add_settings(os.environ, argv[1])
        if argv[2:3] == [IN_PLACE]:
            _run_daemon_in_place(argv[1], request_line, reply_pipe)
        answer, reply_pipe = os.pipe()
        if child := os.fork():
            os.close(reply_pipe)
            _relay_reply(answer, child)
        os.close(answer)
        os.setsid()
        _run_daemon_for_request(argv[1], request_line, reply_pipe)
    except (
        BrowseError,
        OSError,
        MemoryError,
        SystemError,
    ) as error:  # SystemError: Python could not get memory
        _reply_with_failure(error, request_line, reply_pipe)


def _reply_with_failure(error: Exception, request_line: bytes, reply_pipe: int) -> "NoReturn":
    """Reply that no daemon could be started because of `error`, and exit. The request had no effect.

    `reply_pipe`: descriptor for the reply.
    """
    from gstack_browse.protocol import encode_reply, failure, guess_reply_form
    from gstack_browse.workspace.shortage import explain_system_error

    why = error if isinstance(error, BrowseError) else explain_system_error(error)
    os.write(reply_pipe, b"reply\n" + encode_reply(guess_reply_form(request_line), failure(why)))
    os._exit(1)


def _relay_reply(reply_pipe: int, daemon_pid: int) -> "NoReturn":
    """Copy the daemon's first reply to standard output, and exit: the work of the process between.

    Without a reply, end with the daemon's exit code or signal. `reply_pipe`: descriptor to read the reply from.
    """
    with os.fdopen(reply_pipe, "rb") as pipe:
        reply = pipe.read()
    if not reply:
        code = os.waitstatus_to_exitcode(os.waitpid(daemon_pid, 0)[1])
        if code < 0:
            os.kill(os.getpid(), -code)
        os._exit(code)
    try:
        sys.stdout.buffer.write(reply)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        pass  # the client was killed
    os._exit(0)


def _run_daemon_for_request(workspace: str, request_line: bytes, reply_pipe: int) -> "NoReturn":
    """Answer the first request, and run as daemon until the end if the request needs one.

    Chromium is started first if the command needs it. `request_line`: JSON. `reply_pipe`: descriptor for the reply.
    """
    boot_state = _start_ahead(workspace) if _needs_browser(request_line) else None
    _answer_first_request(workspace, request_line, reply_pipe, boot_state)


def _run_daemon_in_place(workspace: str, request_line: bytes, reply_pipe: int) -> "NoReturn":
    """Run as daemon in the process that the native client started, without a process between them.

    Exit silently if anything is unusual: the native client then runs the Python client, which starts a daemon in the usual way.
    """
    boot_state = None if _is_daemon_elsewhere(workspace) else _start_ahead(workspace)
    if boot_state is None:
        os._exit(0)
    if boot_state.state.fell_back:
        boot_state.discard_browser()
        os._exit(0)
    _answer_first_request(workspace, request_line, reply_pipe, boot_state)


def _needs_browser(request_line: bytes) -> bool:
    """Return whether the first command of a request needs a browser. `request_line`: one line of JSON."""
    name = first_command_name(request_line)
    return name in DECLARED_IN and name not in NEEDS_NO_BROWSER


def _is_daemon_elsewhere(workspace: str) -> bool:
    """Return whether a daemon listens in a state directory that the native client does not look into."""
    for state in existing_state_dirs(workspace, os.environb):
        sock = state.connect()
        state.close()
        if sock:
            sock.close()
            return True
    return False


def _answer_first_request(
    workspace: str, request_line: bytes, reply_pipe: int, boot_state: BootState | None
) -> "NoReturn":
    """Import the rest of the daemon, answer the request, and run as daemon until the end if it needs one.

    `reply_pipe`: descriptor for the reply. `boot_state`: the lock and the Chromium that this process has already; None for neither.
    """
    try:
        _import_asyncio()
        from gstack_browse.daemon.process.main import answer

        answer(workspace, request_line, reply_pipe, boot_state)
    finally:
        if boot_state:
            boot_state.discard_browser()


def _import_asyncio() -> None:
    """Import asyncio without TLS, as in a Python built without it: OpenSSL costs time and 4 MB."""
    gc.set_threshold(LARGE_GENERATION)  # until `main` has imported everything
    sys.setswitchinterval(QUICK_SWITCH_SECONDS)
    IMAGE.patch_compilers()
    sys.modules["ssl"] = None  # type: ignore[assignment]  # how Python marks a module that cannot be imported
    import asyncio  # noqa: F401

    del sys.modules["ssl"]


def _start_ahead(workspace: str) -> BootState | None:
    """Take the daemon's lock, start Chromium before slow imports. Return both, and the state directory.

    None if another process has the lock, or the state directory is unusable.
    """
    try:
        state = open_state_dir(workspace, os.environb)
        lock = state.lock(LOCK)
        if lock is None:
            state.close()
            return None
        detach_from_client(state)
    except BrowseError:
        return None  # `main` fails in the same way, and reports it
    from gstack_browse.browser.launch.ahead import plan_start

    plan = plan_start()  # in the client's directory, to which settings may be relative
    return BootState(state, lock, _start_in_root(plan) if plan else None)


def _start_in_root(plan: "EarlyStart") -> "EarlyChromium | None":
    """Start Chromium with / as its working directory; None if that fails. `plan`: executable and flags.

    Otherwise the browser would keep the directory of its first client busy.
    """
    from gstack_browse.browser.launch.ahead import EarlyChromium

    try:
        here = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return None
    os.chdir("/")
    try:
        return EarlyChromium(plan)
    except OSError:
        return None  # the usual start fails in the same way, and explains it
    finally:
        os.fchdir(here)
        os.close(here)


def command_name(line: bytes) -> str:
    """Return the command's name in a request line as our clients write it; "" for any other line."""
    before, found, rest = line.partition(b'{"cmd":"')
    return rest.partition(b'"')[0].decode("ascii", "replace") if found and not before else ""


def first_command_name(line: bytes) -> str:
    """Return the name of the command that a request line runs first: for a chain, its first step.

    The steps of a chain are in its arguments, or one a line in its standard input.
    """
    name = command_name(line)
    if name not in CHAINS:
        return name
    _, found, steps = line.partition(b'"args":["')
    if not found:
        _, _, steps = line.partition(b'"stdin":"')
    steps = steps[:MOST_LOOKED_AT]
    for escape, meant in _ESCAPES:
        steps = steps.replace(escape, meant)
    word = steps.lstrip(b' ["').partition(b" ")[0].partition(b'"')[0].decode("ascii", "replace")
    return word if word in DECLARED_IN else name
