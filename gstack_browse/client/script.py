"""Run commands from Python: every command as a call, over one connection, errors as exceptions.

    with connect() as browse:
        browse("goto", "https://example.com")
        print(browse("text"))

What the commands are and what their words mean is the daemon's to know, as for `gbrowse` on the command line.
"""

import asyncio
import json
import os
import select
from _socket import SHUT_RDWR, socket
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, closing, contextmanager, suppress
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypedDict, Unpack

from gstack_browse.client.main import (
    BUSY,
    context_of_environment,
    read_policy,
    retry_while_busy,
    run_local_request,
    send_and_receive,
)
from gstack_browse.client.reply_printer import JsonReplyPrinter
from gstack_browse.client.start import connect_to_daemon, start_daemon
from gstack_browse.command_names import ENDS_DAEMON, LOCAL
from gstack_browse.errors import BrowseError, NoAnswer, Unreachable, from_reply
from gstack_browse.protocol import FOLLOW, Request, encode_request, parse_context_name, parse_share
from gstack_browse.workspace.directory import StateDir, find_workspace

if TYPE_CHECKING:
    from gstack_browse.client.attached.page import AsyncAttached, Attached

Word = str | int | float | os.PathLike[str]


class Options(TypedDict, total=False):
    """The options of a connection: see `connect`."""

    workspace: str | os.PathLike[str] | None  # None: the current directory
    start: bool  # True: a daemon, if none runs
    timeout: int | None  # milliseconds; None: that of the command
    tab: int | None  # a number; None: the active one
    fence: bool  # False
    as_: str | None  # None: what BROWSE_AS says
    share: str  # "": nobody's logins
    any_download: bool  # False


def connect(**options: Unpack[Options]) -> "Browse":
    """Return a client of the daemon of the workspace that contains the directory `workspace`.

    The first command connects, and starts the daemon if need be, unless `start` is False.

    Args:
        workspace: default: the current directory
        timeout: milliseconds, for each command that gives none of its own
        tab: number of the tab, for each command that gives none of its own
        fence: put marks around text that comes from pages
        as_: name of the browser context in which commands run; default: what BROWSE_AS says
        share: name of a context with whose logins that context begins
        any_download: let pages download several files for one command
    """
    return Browse(**options)


def connect_async(**options: Unpack[Options]) -> "AsyncBrowse":
    """Return a client for asyncio: `async with connect_async() as browse: await browse("url")`.

    The options are those of `connect`.
    """
    return AsyncBrowse(Browse(**options))


class Browse:
    """Runs commands on the daemon, one after the other. Not thread-safe: give each thread its own."""

    def __init__(
        self,
        *,
        workspace: str | os.PathLike[str] | None = None,
        start: bool = True,
        timeout: int | None = None,
        tab: int | None = None,
        fence: bool = False,
        as_: str | None = None,
        share: str = "",
        any_download: bool = False,
    ) -> None:
        self.notes: list[str] = []
        """Remarks beside the last result, such as that the browser's state was lost."""
        self.calls = 0
        """How many commands were called."""
        self._directory = None if workspace is None else os.path.abspath(workspace)
        self._start = start
        self._timeout = timeout
        self._tab = tab
        self._fence = fence
        self._as = as_
        self._share = share
        self._any_download = any_download
        self._connection: tuple[socket, StateDir] | None = None
        self._interrupted = False

    def __call__(
        self,
        cmd: str,
        *args: Word,
        stdin: str | None = None,
        timeout: int | None = None,
        tab: int | None = None,
        as_: str | None = None,
    ) -> str:
        """Run a command and return its result, the text that `gbrowse` would print.

        Raises BrowseError: the class says what happened, `code` is the exit code `gbrowse` would have, `hint` the
        command to try next, `output` what there was of a result (for `chain`).
        """
        request = self._make_request(cmd, args, stdin, timeout, tab, as_)
        line = encode_request(request)
        self.notes = []
        self.calls += 1
        answer = retry_while_busy(
            lambda collector: self._send_once(request, line, collector), lambda: _ReplyCollector(self.notes)
        )
        return self._text_or_raise(json.loads(answer.line))

    def _make_request(
        self,
        cmd: str,
        args: Sequence[Word],
        stdin: str | None,
        timeout: int | None,
        tab: int | None,
        as_: str | None,
    ) -> Request:
        """Return the request for a command, with the defaults of `connect` where an argument is None."""
        name = self._as if as_ is None else as_
        context = context_of_environment() if name is None else parse_context_name(name)
        return Request(
            cmd,
            [os.fspath(word) if isinstance(word, str | os.PathLike) else str(word) for word in args],
            cwd=self._directory or os.getcwd(),
            stdin=stdin,
            tab=tab or self._tab,
            timeout=timeout or self._timeout,
            reply="json",
            status=True,
            fence=self._fence,
            rules=read_policy(),
            as_=context,
            share=parse_share(context, self._share) if self._share else "",
            any_download=self._any_download,
        )

    def follow(
        self, cmd: str, *args: Word, timeout: int | None = None, tab: int | None = None, as_: str | None = None
    ) -> Iterator[str]:
        """Run a command with `--follow` (logs, for example), and yield its lines as they come.

        Uses a connection of its own. Ends with `timeout` (milliseconds), or when the iterator is closed. Raises BrowseError as a
        call does.
        """
        request = self._make_request(cmd, [*args, FOLLOW], None, timeout, tab, as_)
        request.status = False  # no signs of life: whoever follows may wait for ever
        self("status", as_=as_)  # a daemon that runs, or a failure in words
        if (found := connect_to_daemon(find_workspace(request.cwd), os.environb)) is None:
            raise NoAnswer(f"The daemon ended before {cmd!a} was sent")
        with closing(found[0]) as sock, closing(found[1]):
            sock.settimeout(None)
            sock.sendall(encode_request(request))
            yield from self._iterate_lines(sock, cmd)

    def _iterate_lines(self, sock: socket, cmd: str) -> Iterator[str]:
        """Yield the lines that a command with `--follow` sends, until its last reply.

        `cmd`: its name, for the message. Raises the error of the last reply, or NoAnswer if the daemon ends before.
        """
        unread = b""
        while received := sock.recv(262144):
            *lines, unread = (unread + received).split(b"\n")
            for reply in map(json.loads, lines):
                if not reply.get("more"):
                    self._text_or_raise(reply)
                    return
                yield from reply["text"].split("\n")
        raise NoAnswer(f"The daemon ended while {cmd!a} was followed")

    @contextmanager
    def playwright(self) -> "Iterator[Attached]":
        """Attach Playwright's sync API to the browser for a `with` block.

        The block gets an object with `page`, `context`, `browser` and `playwright`. `page` is the active tab, or that of
        `connect(tab=…)`. Raises BrowseError where programs may not attach.
        """
        from gstack_browse.agent.attach_address import open_address
        from gstack_browse.client.attached.page import attach

        with attach(open_address(self), self._timeout) as attached:
            yield attached

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection. The daemon and its browser stay."""
        if self._connection:
            self._connection[0].close()
            self._connection[1].close()
            self._connection = None

    def interrupt(self) -> None:
        """Cut the connection while another thread runs a command: it gets NoAnswer, the daemon cancels it."""
        self._interrupted = True
        if self._connection:
            with suppress(OSError):
                self._connection[0].shutdown(SHUT_RDWR)

    def _send_once(self, request: Request, line: bytes, collector: "JsonReplyPrinter") -> bool:
        """Send a request once; give the reply to `collector`. Return False if the daemon was too busy for it."""
        if request.cmd in LOCAL:
            run_local_request(request, find_workspace(request.cwd), collector)
            return True
        if self._connection and _has_ended(self._connection[0]):
            self.close()
        if not self._connection and not self._connect_or_answer(find_workspace(request.cwd), line, collector):
            return True
        assert self._connection
        sock, state = self._connection
        try:
            if self._interrupted:
                raise NoAnswer(f"{request.cmd!a} was interrupted before it ran")
            send_and_receive(sock, request.cmd, line, collector, state)
        except BaseException:
            self.close()  # its answer may still come, and must not be taken for the next one's
            raise
        if collector.code == BUSY or request.cmd in ENDS_DAEMON:
            self.close()  # this daemon takes no more requests
        return collector.code != BUSY

    def _connect_or_answer(self, workspace: str, line: bytes, collector: "JsonReplyPrinter") -> bool:
        """Connect to the daemon, started if necessary. Return whether there is a connection.

        There is none if the request needs no daemon: `collector` then has its reply. Raises Unreachable if none may be started.
        """
        self._connection = connect_to_daemon(workspace, os.environb)
        if self._connection is None:
            if not self._start:
                raise Unreachable(f"No daemon is running for {workspace}", "Start one: gbrowse status")
            self._connection = start_daemon(workspace, line, collector, os.environb)
        return self._connection is not None

    def _text_or_raise(self, reply: Mapping[str, Any]) -> str:
        """Return the output in a decoded JSON reply, or raise its error. Add the reply's notes to `notes`."""
        self.notes += reply.get("notes", ())
        text = str(reply["text"])
        if reply["ok"]:
            return text
        error = from_reply(reply["error"], reply["code"], text, reply.get("hint", ""))
        error.output = reply.get("output", "")
        raise error


class AsyncBrowse:
    """Runs commands on the daemon from asyncio, one after the other however many tasks call it."""

    def __init__(self, browse: Browse) -> None:
        self._browse = browse
        self._turn = asyncio.Lock()

    @property
    def notes(self) -> list[str]:
        """Return the remarks of the last command, such as that the browser state was lost."""
        return self._browse.notes

    async def __call__(
        self,
        cmd: str,
        *args: Word,
        stdin: str | None = None,
        timeout: int | None = None,
        tab: int | None = None,
        as_: str | None = None,
    ) -> str:
        """Run a command and return its result; see `Browse`. Cancelling the call cancels the command."""
        async with self._turn:
            self._browse._interrupted = False
            call = asyncio.ensure_future(
                asyncio.to_thread(self._browse, cmd, *args, stdin=stdin, timeout=timeout, tab=tab, as_=as_)
            )
            try:
                return await asyncio.shield(call)
            except asyncio.CancelledError:
                self._browse.interrupt()
                with suppress(BrowseError):
                    await call
                raise

    @asynccontextmanager
    async def playwright(self) -> "AsyncIterator[AsyncAttached]":
        """Attach Playwright's async API to the browser for an `async with` block; see `Browse.playwright`."""
        from gstack_browse.agent.attach_address import open_address
        from gstack_browse.client.attached.page import attach_async

        async with self._turn:
            opened = await asyncio.to_thread(open_address, self._browse)
        async with attach_async(opened, self._browse._timeout) as attached:
            yield attached

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self._browse.close()


class _ReplyCollector(JsonReplyPrinter):
    """Receives a JSON reply for a script. Remarks of the client go to `notes` instead of the terminal."""

    def __init__(self, notes: list[str]) -> None:
        super().__init__()
        self._notes = notes

    def note(self, text: str) -> None:
        """Add a remark of the client to the notes of `Browse`, in place of printing it."""
        self._notes.append(text.removeprefix("Note: "))


def _has_ended(sock: socket) -> bool:
    """Return whether the daemon has closed the connection `sock`, on which no request is running."""
    poll = select.poll()  # unlike select(2), for a script that has more than a thousand files open, too
    poll.register(sock, select.POLLIN)
    return bool(poll.poll(0))
