"""The command `gbrowse`: send words as one request to the daemon, print the reply, exit with its code.

This is what every command waits for, so it imports built-in modules only, and what is rarely needed when it is:
`start` where no daemon listens, `daemon_watchdog` where one does not answer, `local` for commands that need none. What the words
mean is the daemon's to know.
"""

import posix
import sys

from gstack_browse.client.reply_printer import (
    JsonReplyPrinter,
    ReplyPrinter,
    choose_printer,
    is_terminal,
    takes_colour,
)
from gstack_browse.command_names import LOCAL, WRITES_DASH
from gstack_browse.protocol import (
    DEFAULT_CONTEXT,
    HOME_VARIABLE,
    RULES,
    Request,
    encode_request,
    parse_context_name,
    parse_share,
)
from gstack_browse.workspace.directory import SOCKET, existing_state_dirs, find_workspace, peer_process

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket
    from collections.abc import Callable, Sequence
    from typing import NoReturn, TypeVar

    from gstack_browse.errors import BrowseError
    from gstack_browse.workspace.directory import StateDir

    R = TypeVar("R", bound=ReplyPrinter)

BUSY = 8
"""The code of errors.Busy, which is imported like all errors where one is raised: that takes half a millisecond."""
BUSY_SECONDS = 30.0
"""How long to go on asking a daemon that says it is too busy, or is just leaving."""
SILENCE_SECONDS = 2.0
"""A working daemon sends a byte every second; after this long without one, look at what it does."""
_WITH_VALUE = ("--tab", "--timeout", "--as", "--share")
END_SECONDS = 5.0
"""How long to wait for the end of a daemon that has said that it is stopped; it takes 0.1 to 0.3 s."""
BROKEN_PIPE = 141
"""What a shell reports of a command that SIGPIPE ended: 128 + 13."""


def main() -> "NoReturn":
    """Run the command in `sys.argv` and end the process with its exit code."""
    _open_closed_standard_streams()
    _end_on_ctrl_c()
    words = sys.argv[1:]
    try:
        code = run(words)
    except BrokenPipeError:
        code = BROKEN_PIPE  # nobody reads our output any more, and nobody would read a message about it
    except (OSError, MemoryError, ImportError) as error:  # no room, no memory, no file that may be opened
        code = _print_system_error(error, words)
    except _error_class() as error:
        code = _print_error(error, words)
    posix._exit(code)


def _print_error(error: "BrowseError", words: list[str]) -> int:
    """Print an error that arose in the client, as text or JSON. Return the exit code."""
    (JsonReplyPrinter() if _asks_for_json(words) else ReplyPrinter()).fail(error)
    return error.code


def _asks_for_json(words: list[str]) -> bool:
    """Return whether `--json` is among the words before the command's name, where it is a global option."""
    before = ""
    for word in words:
        if not (word.startswith("-") or before in _WITH_VALUE):
            return False
        if word == "--json":
            return True
        before = word
    return False


def _print_system_error(error: Exception, words: list[str]) -> int:
    """Print that memory, disk space or files ran short, or another system error. Return the exit code."""
    try:
        from gstack_browse.workspace.shortage import explain_system_error

        return _print_error(explain_system_error(error), words)
    except (OSError, MemoryError, ImportError):  # nor can that be loaded
        ReplyPrinter().note(f"Error: {error}")
        return 1


def run(words: list[str]) -> int:
    """Send the command in `words` to the daemon, and print its reply. Return the exit code.

    Raises BrowseError for an error in the client.
    """
    if words[:1] == ["--version"]:
        from gstack_browse import __version__

        posix.write(1, f"gbrowse {__version__}\n".encode())
        return 0
    request = parse(words)
    try:
        request.cwd = posix.getcwd()
    except FileNotFoundError:
        raise _make_usage_error("The current directory no longer exists", "Go to one that does: cd") from None
    _require_utf8([request.cmd, *request.args], request.cwd)
    request.stdin = _read_piped(request)
    request.rules = read_policy()
    request.progress = is_terminal(2)
    request.colour = takes_colour(1)
    is_binary = _writes_binary_output(request)
    printer = send_request(request, find_workspace(request.cwd))
    if is_binary:
        printer.decode_base64()
    printer.finish()
    return printer.code


def parse(words: list[str]) -> Request:
    """Parse the words after `gbrowse`: global options, a command, its words. Raises UsageError.

    Without a command, return a request for the help for beginners.
    """
    request = Request("help", status=True, stderr=True, as_=context_of_environment())
    request.fence = posix.environ.get(b"BROWSE_FENCE") == b"1"  # also where the daemon was started without
    at = 0
    while at < len(words) and words[at].startswith("-"):
        name, equals, value = words[at].partition("=")
        at += 1
        if name in ("-h", "--help") and not equals:
            request.args = words[at:]
            return request
        if name == "--json" and not equals:
            request.reply = "json"
        elif name in ("--fence", "--no-fence") and not equals:
            request.fence = name == "--fence"
        elif name == "--any-download" and not equals:
            request.any_download = True
        elif name in _WITH_VALUE:
            if not equals:
                value = words[at] if at < len(words) else ""
                at += 1
            if name == "--as":
                request.as_ = _parse_context_option(name, value)
            elif name == "--share":
                request.share = _parse_context_option(name, value) or DEFAULT_CONTEXT
            else:
                setattr(request, name[2:], _parse_positive(name, value))
        else:
            raise _make_usage_error(
                f"Unknown option {words[at - 1]!a}",
                "Options before the command: --as NAME, --share NAME, --tab N, --timeout MS, --json, --fence, --any-download",
            )
    if request.share:
        request.share = parse_share(request.as_, request.share)
    if at < len(words):
        request.cmd = words[at]
        request.args = words[at + 1 :]
    else:
        request.args = ["--first"]
    return request


def context_of_environment() -> str:
    """Return the browser context that BROWSE_AS names; "" for the default one. Raises UsageError."""
    return parse_context_name(posix.environ.get(b"BROWSE_AS", b"").decode("utf-8", "replace"))


def read_policy() -> dict[str, str]:
    """Return the caller's variables that restrict pages and commands (`RULES`), and GSTACK_HOME, if set."""
    values = {name: posix.environ.get(name.encode(), b"") for name in (*RULES, HOME_VARIABLE)}
    return {name: value.decode("utf-8", "replace") for name, value in values.items() if value}


def send_request(request: Request, workspace: str) -> ReplyPrinter:
    """Send a request to the daemon, started if need be. Return the complete reply, not yet printed.

    Raises NoAnswer if it may or may not have run, Unreachable if it did not run.
    """
    if request.cmd in LOCAL:
        printer = JsonReplyPrinter() if request.reply == "json" else ReplyPrinter()
        run_local_request(request, workspace, printer)
        return printer
    line = encode_request(request)

    def send(printer: ReplyPrinter) -> bool:
        for state in existing_state_dirs(workspace):
            if sock := state.connect():
                send_and_receive(sock, request.cmd, line, printer, state)
                return printer.code != BUSY
        from gstack_browse.client.start import start_daemon

        if started := start_daemon(workspace, line, printer):
            send_and_receive(started[0], request.cmd, line, printer, started[1])
            return printer.code != BUSY
        return True

    return retry_while_busy(send, choose_printer(request.reply, request.args))


def run_local_request(request: Request, workspace: str, printer: ReplyPrinter) -> None:
    """Run a command that needs no daemon in this process, and give its reply to `printer`."""
    from os import environ

    from gstack_browse.agent.local.local_command import encode_local_reply, run_local_command

    def ask_daemon(cmd: str, *args: str) -> str:
        return _run_on_daemon(request, workspace, cmd, args)

    reply = run_local_command(request, LOCAL[request.cmd], workspace, environ, ask_daemon)
    printer.feed(encode_local_reply(request, reply))


def _run_on_daemon(local: Request, workspace: str, cmd: str, args: "Sequence[str]") -> str:
    """Run `cmd` on the daemon for a command that runs in the client (`local`). Return its output.

    It runs in the same context and tab. Raises BrowseError.
    """
    from json import loads

    from gstack_browse.errors import from_reply

    request = Request(
        cmd,
        list(args),
        cwd=local.cwd,
        tab=local.tab,
        timeout=local.timeout,
        reply="json",
        status=True,
        rules=read_policy(),
        as_=local.as_,
        share=local.share,
    )
    printer = send_request(request, workspace)
    assert isinstance(printer, JsonReplyPrinter)
    reply = loads(printer.line)
    if not reply["ok"]:
        raise from_reply(reply["error"], reply["code"], reply["text"], reply.get("hint", ""))
    return str(reply["text"])


def retry_while_busy(send: "Callable[[R], bool]", new_printer: "Callable[[], R]") -> "R":
    """Call `send` with new printers until the daemon took the request (True). Return the last printer.

    The printer has the reply. A request is sent again only after the daemon said that it did not run it: it was
    too busy, or just ending. Give up after BUSY_SECONDS: return the last printer, or raise the last Busy.
    """
    from time import monotonic, sleep

    give_up, pause = monotonic() + BUSY_SECONDS, 0.01
    while True:
        printer = new_printer()
        try:
            if send(printer) or monotonic() + pause > give_up:
                return printer
        except _error_class() as error:
            if error.kind != "busy" or monotonic() + pause > give_up:
                raise
        sleep(pause)
        pause = min(pause * 2, 0.5)


def send_and_receive(sock: "socket", cmd: str, line: bytes, printer: ReplyPrinter, state: "StateDir") -> None:
    """Send a request to the daemon, and feed its reply to `printer`. After `stop`, wait for its end.

    `cmd`: the command's name. `line`: the encoded request with its line feed. `state`: the daemon's directory. Raises
    NoAnswer if the daemon ends without a whole reply, Busy if it closes the connection before it has read the whole
    line: the command has not run then.
    """
    unsent = memoryview(line)
    watchdog = None
    is_refused = False
    sock.settimeout(SILENCE_SECONDS)
    while True:
        try:
            if unsent and not is_refused:
                unsent, is_refused = _send(sock, unsent)
                continue
            received = _receive(sock)
        except TimeoutError:
            from gstack_browse.client.daemon_watchdog import DaemonWatchdog

            watchdog = watchdog or DaemonWatchdog(sock, cmd, state, printer)
            if watchdog.on_silence(sock.gettimeout() or 0.0):
                return
            sock.settimeout(1.0)
            continue
        if not received:
            from gstack_browse.errors import Busy, NoAnswer

            if is_refused:
                raise Busy(
                    "The daemon closed the connection before it took the request", "Try again in a moment"
                )
            printer.print_incomplete()
            raise NoAnswer(
                f"The daemon ended before it had answered; {cmd!a} may or may not have run",
                "See where things stand: gbrowse status",
            )
        if printer.feed(received):
            if cmd == "stop":
                _wait_until_ended(sock, state)
            return
        if watchdog:
            watchdog = None
            sock.settimeout(SILENCE_SECONDS)


def _wait_until_ended(sock: "socket", state: "StateDir") -> None:
    """Wait until a daemon that was stopped has ended, at most END_SECONDS.

    It holds its directory open until then. Do not wait if its socket is still there: the request was for help, or
    wrong. Nor on systems without pidfd, which only Linux has.
    """
    from select import POLLIN, poll

    try:
        posix.stat(state.file_name(SOCKET), dir_fd=state.fd, follow_symlinks=False)
    except OSError:
        pass  # it is gone
    else:
        return
    try:
        daemon = posix.pidfd_open(peer_process(sock)[0])
    except (OSError, AttributeError):
        return  # it has ended, or there is no pidfd
    ending = poll()
    ending.register(daemon, POLLIN)
    ending.poll(END_SECONDS * 1000)
    posix.close(daemon)


def _send(sock: "socket", unsent: memoryview) -> tuple[memoryview, bool]:
    """Send as much as the socket accepts now. Return the rest, and whether the daemon has stopped reading."""
    try:
        return unsent[sock.send(unsent) :], False
    except (BrokenPipeError, ConnectionResetError):
        return unsent, True


def _receive(sock: "socket") -> bytes:
    """Return bytes received from the daemon; b"" at the reply's end, also if the connection was reset."""
    try:
        return sock.recv(262144)
    except ConnectionResetError:
        return b""


def _error_class() -> "type[BrowseError]":
    """Return the class BrowseError, imported only once something fails, to start faster."""
    from gstack_browse.errors import BrowseError

    return BrowseError


def _make_usage_error(message: str, hint: str = "") -> "BrowseError":
    """Return a UsageError. Its class is imported only once something fails, to start faster."""
    from gstack_browse.errors import UsageError

    return UsageError(message, hint)


def _parse_positive(name: str, value: str) -> int:
    """Parse the value of option `name`: a number above 0, of at most nine digits. Raises UsageError."""
    if value.isascii() and value.isdecimal() and int(value[:10]) > 0 and len(value) < 10:
        return int(value)
    example = 2 if name == "--tab" else 60_000
    raise _make_usage_error(f"{name} needs a number above 0", f"For example: gbrowse {name} {example} url")


def _parse_context_option(option: str, name: str) -> str:
    """Return the value `name` of an option for a browser context, checked. Raises UsageError.

    `option`: as typed, for the message.
    """
    if not name:
        raise _make_usage_error(f"{option} needs a name", "For example: gbrowse --as ann goto example.com")
    return parse_context_name(name)


def _require_utf8(words: list[str], cwd: str) -> None:
    """Raise UsageError if the words or the directory are not UTF-8: JSON cannot carry them."""
    for word in words:
        try:
            word.encode()
        except UnicodeEncodeError:
            raise _make_usage_error(f"{word!a} is not valid UTF-8") from None
    try:
        cwd.encode()
    except UnicodeEncodeError:
        raise _make_usage_error(f"The current directory's name is not valid UTF-8: {cwd!a}") from None


def _read_piped(request: Request) -> str | None:
    """Return standard input if the command reads it (as `-` or a missing argument); None if it does not."""
    from gstack_browse.command_names import NEEDS_STDIN, READS_DASH, READS_STDIN

    if "--help" in request.args or "-h" in request.args:
        return None
    if request.cmd in NEEDS_STDIN:
        return _ask_secret(request.cmd) if posix.isatty(0) else _read_stdin()
    if "-" in request.args:
        return _read_stdin() if request.cmd in READS_DASH else None
    takes_place = all(word.startswith("-") for word in request.args) and request.cmd in READS_STDIN
    return _read_stdin() if takes_place and not posix.isatty(0) else None


def _writes_binary_output(request: Request) -> bool:
    """Return whether the command writes a picture or PDF to standard output (`-`).

    Raises UsageError if standard output is a terminal.
    """
    words = request.args
    if request.cmd not in WRITES_DASH or "-" not in words or "--help" in words or "-h" in words:
        return False
    if request.reply == "json":
        return False
    if posix.isatty(1):
        raise _make_usage_error(
            "A picture is not for a terminal", f"Send it elsewhere: gbrowse {request.cmd} … - > FILE"
        )
    return True


def _ask_secret(cmd: str) -> str:
    """Ask a person for a secret at the terminal, without echo. Raises UsageError if none is typed."""
    from getpass import getpass

    try:
        return getpass(f"{cmd}: secret (not shown): ")
    except (EOFError, KeyboardInterrupt):
        raise _make_usage_error("No secret was typed", f"Pipe it in: {cmd} … < file") from None


def _read_stdin() -> str:
    """Return standard input as text, up to the limit of a request's line.

    Raises UsageError unless it is UTF-8.
    """
    from gstack_browse.protocol import MAX_LINE_BYTES

    pieces = []
    size = 0
    while size <= MAX_LINE_BYTES and (piece := posix.read(0, 262144)):
        pieces.append(piece)
        size += len(piece)
    try:
        return b"".join(pieces).decode()
    except UnicodeDecodeError as error:
        raise _make_usage_error(f"Standard input is not UTF-8 (byte {error.start})") from None


def _open_closed_standard_streams() -> None:
    """Open /dev/null in place of standard streams that the caller closed.

    Else the socket to the daemon would get the number of standard output.
    """
    if sys.stdin is None or sys.stdout is None or sys.stderr is None:
        while (fd := posix.open("/dev/null", posix.O_RDWR)) <= 2:
            posix.set_inheritable(fd, True)  # whoever we start expects them, too


def _end_on_ctrl_c() -> None:
    """Have Ctrl-C end the process at once and silently, unless the caller ignores Ctrl-C.

    The daemon notices that the connection closes.
    """
    import _signal  # type: ignore[import-not-found]  # `signal` would import enum

    if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
        _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
