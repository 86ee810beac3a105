"""The life of the daemon process: from the client's call to the last reply.

Begun by `starter` with the first request. Answers through a pipe: `reply` and a whole reply for a command that needs
no daemon, else `ready` once it listens. A held lock, never a file's content, says who is alive; the kernel frees it
however the daemon ends.
"""

import asyncio
import gc
import os
import resource
import signal
import socket
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import orjson

from gstack_browse import __version__, commands, protocol
from gstack_browse.browser.launch import limits
from gstack_browse.daemon import boot, error_log, late_imports, successor
from gstack_browse.daemon.boot import BootState
from gstack_browse.daemon.confirmation import Confirmations
from gstack_browse.daemon.dispatch import Dispatch
from gstack_browse.daemon.ends import End
from gstack_browse.daemon.handover import Handover
from gstack_browse.daemon.server import Server
from gstack_browse.daemon.service import Service
from gstack_browse.daemon.successor import Inheritance
from gstack_browse.daemon.watch import Watch
from gstack_browse.errors import BrowseError, Unreachable
from gstack_browse.protocol import Reply, Request, failure
from gstack_browse.registry import REGISTRY, Command, Requires, bind, local_command_error, resolve_call
from gstack_browse.registry.paths import CallerPaths
from gstack_browse.registry.usage import command_help
from gstack_browse.settings import Settings
from gstack_browse.settings import read as read_settings
from gstack_browse.state import WritableStateDir, open_again, open_state_dir
from gstack_browse.workspace import LOCK, SOCKET, STATE_FILE

Announce = Callable[[], None]

LOCK_SECONDS = 10.0
LEAVE_SECONDS = 2.0
DESCRIPTORS = 4096
GENERATIONS = (700, 10, 10)
"""Python's own measure of when to look for garbage."""
SWITCH_SECONDS = 0.005
"""Python's own measure of how long a thread may keep another one waiting."""

assert commands.FAMILIES  # imported for its declarations


def answer(workspace: str, line: bytes, told: int, begun: BootState | None) -> NoReturn:
    """Answer the request in `line`, and be the daemon from then on if it needs one."""
    request = protocol.form_of(line)
    try:
        request = protocol.decode_request(line)
        reply, command = _without_daemon(request, workspace)
        if reply is None or (command and command.starts_offline):
            _start(workspace, request, command, begun, partial(_tell, told, request, reply))
    except BrowseError as error:
        reply = failure(error)
    if begun:
        begun.end()
    _tell(told, request, reply)
    os._exit(0)


def _tell(told: int, request: Request, reply: Reply | None) -> None:
    """Tell whoever has started us. A native client that was killed meanwhile hears nothing; the next one finds us all the same."""
    with suppress(BrokenPipeError), os.fdopen(told, "wb") as pipe:
        pipe.write(b"ready\n" if reply is None else b"reply\n" + protocol.encode_reply(request, reply))


def _without_daemon(request: Request, workspace: str) -> tuple[Reply | None, Command | None]:
    """The answer to a request that needs no daemon: help, a mistake in the words, `stop` when nothing runs."""
    command, words = resolve_call(REGISTRY, [request.cmd, *request.args])
    cwd = Path(workspace) / request.cwd
    paths = CallerPaths(cwd=cwd, workspace=Path(workspace), stdin=request.stdin)
    bound = bind(command, words, paths)
    if bound.wants_help:
        return Reply(command_help(command)), None
    if command.is_local:
        raise local_command_error(command)
    if command.requires is Requires.NOTHING:
        return Reply(asyncio.run(_text(bound.command.handler(*bound.positional, **bound.options)))), None
    if command.offline is not None:
        return Reply(command.offline), command
    return None, command


async def _text(handler: Awaitable[str]) -> str:
    return await handler


def _start(
    workspace: str, request: Request, command: Command | None, begun: BootState | None, announce: Announce
) -> None:
    """Be the daemon: return only if there is another one that listens. Raises why it cannot be one."""
    settings = read_settings()
    Confirmations(settings.confirm)  # a name that is none must not mean that nothing waits
    is_begun = begun is not None and (begun.ahead or begun.driver)
    needs_browser = bool(is_begun) or (command is not None and command.needs_browser)
    if needs_browser:
        limits.refuse_hopeless()
    if begun is None:
        state = open_state_dir(workspace, os.environb)
        lock = _wait_for_lock(state)
        if lock is None:
            return
        boot.detach(state)
        begun = BootState(state, lock)
    begun.context = "" if request.share else request.as_
    os.chdir("/")
    listening = socket.socket(fileno=begun.state.bind())
    if not needs_browser:
        begun.end()
    os._exit(_serve(begun, settings, listening, announce, begin=needs_browser))


def _wait_for_lock(state: WritableStateDir) -> int | None:
    """The lock that makes this the daemon of its workspace, waiting for one that is just leaving.

    None when the one that holds it listens after all: another has taken over from it. Raises Unreachable when
    it neither listens nor lets go.
    """
    give_up = time.monotonic() + LOCK_SECONDS
    while (lock := state.lock(LOCK)) is None:
        if connection := state.connect():
            connection.close()
            return None
        if time.monotonic() > give_up:
            raise Unreachable(
                "Another daemon of this workspace is alive but cannot be reached", "Run 'gbrowse restart'"
            )
        time.sleep(0.02)
    return lock


def succeed(workspace: str, lock: int, descriptor: int, directory: str = "", files: str = "") -> int:
    """Take over from a predecessor: its lock, its socket, its state directory, what its browser held, its boards.

    Those of older versions do not say which directory that is, and send no open files.
    """
    for inherited in (lock, descriptor, *([int(files)] if files else [])):
        os.set_inheritable(inherited, False)
    listening = socket.socket(fileno=descriptor)
    state = open_again(directory, workspace) if directory else open_state_dir(workspace, os.environb)
    settings = read_settings()
    REGISTRY.complete()  # before it is said that all code could be loaded
    successor.announce_loaded()
    left = successor.inheritance(int(files) if files else None)
    if left is None:
        return 1
    state.adopt()
    begin = left.carried is not None
    return _serve(BootState(state, lock), settings, listening, successor.announce_ready, begin=begin, left=left)


def _serve(
    begun: BootState,
    settings: Settings,
    listening: socket.socket,
    announce: Announce,
    *,
    begin: bool,
    left: Inheritance | None = None,
) -> int:
    for number in (signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    _allow_descriptors()
    gc.freeze()  # what is loaded stays: a full collection took 20 to 50 ms over it, now and then in a command
    gc.set_threshold(*GENERATIONS)
    sys.setswitchinterval(SWITCH_SECONDS)
    asyncio.run(_live(begun, settings, listening, announce, begin=begin, left=left))
    return 0


def _allow_descriptors() -> None:
    """Room for a burst of connections beside what the browser takes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, DESCRIPTORS)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


async def _live(
    begun: BootState,
    settings: Settings,
    listening: socket.socket,
    announce: Announce,
    *,
    begin: bool,
    left: Inheritance | None,
) -> None:
    loop = asyncio.get_running_loop()
    error_log.catch_stray(loop)
    service = Service(settings, begun.state, left.carried if left else None, begun)
    if left:
        for context in service.contexts:
            left.news.tell(context)
        await service.boards.take(left.boards)
    server = Server()
    handover = Handover(service, server, begun.lock, listening.fileno())
    await server.listen(listening, Dispatch(service, handover).answer)
    loop.add_signal_handler(signal.SIGTERM, lambda: service.end(End.TERMINATED))
    _describe(begun.state)
    announce()
    if begin:
        service.begin()
    loading = asyncio.create_task(late_imports.load(service))
    watch = asyncio.create_task(Watch(service, handover).run())
    ends: list[asyncio.Future[Any]] = [service.ended, watch]
    await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
    if not service.ended.done() and (fault := watch.exception()):
        error_log.report(fault)
        service.end(End.FAULT)
    watch.cancel()
    loading.cancel()
    await _leave(service, server, handover, service.ended.result())


async def _leave(service: Service, server: Server, handover: Handover, why: End) -> None:
    """Answer what is under way, end what is left, and go. The order keeps every promise to clients."""
    try:
        if why not in (End.STOPPED, End.REPLACED):
            handover.vanish()
            service.interrupt_all(why)
        await server.leave(LEAVE_SECONDS)
        if why is not End.REPLACED:
            server.turn_away()
        service.write_record()
        service.record.finish(idle=why is End.IDLE)
        service.contexts.flush_now()
        if service.keeper and why in (End.IDLE, End.TERMINATED):
            await service.keeper.finish(service.contexts)
        await service.close_browser()
    except BaseException as error:
        error_log.report(error)
        raise
    finally:
        # At once: nothing is left to do, and an interpreter that tidies up keeps its client waiting.
        os._exit(0)


def _describe(state: WritableStateDir) -> None:
    """`browse.json`, for people and tools to read. Nothing of ours ever believes it."""
    facts = {
        "pid": os.getpid(),
        "socket": f"{state.path}/{state.named(SOCKET)}",
        "startedAt": datetime.now().astimezone().isoformat(timespec="seconds"),
        "version": __version__,
    }
    with suppress(OSError):  # the disk is full: `status` says so, and nothing of ours needs the file
        state.write_file(STATE_FILE, _indented(facts))


def _indented(facts: dict[str, Any]) -> bytes:
    try:
        return orjson.dumps(facts, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    except TypeError:  # the path of the workspace is no text
        import json

        return (json.dumps(facts, indent=2) + "\n").encode()
