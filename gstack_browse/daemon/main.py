"""The life of the daemon process: from the client's call to the last reply.

Started by a client with the first request on standard input. Answers on standard output: `reply` and a whole
reply for a command that needs no daemon, else `ready` once a detached daemon listens. A held lock, never a
file's content, says who is alive; the kernel frees it however the daemon ends.
"""

import asyncio
import json
import os
import signal
import socket
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

from gstack_browse import __version__, commands, protocol
from gstack_browse.browser.carry import Carried
from gstack_browse.daemon.dispatch import Dispatch
from gstack_browse.daemon.handover import Handover
from gstack_browse.daemon.server import Server
from gstack_browse.daemon.service import End, Service
from gstack_browse.daemon.watch import Watch
from gstack_browse.errors import BrowseError, Unreachable
from gstack_browse.protocol import Reply, Request, failure
from gstack_browse.registry import REGISTRY, Command, Requires, bind, find
from gstack_browse.registry.arguments import Place
from gstack_browse.registry.usage import command_help
from gstack_browse.settings import Settings
from gstack_browse.settings import read as read_settings
from gstack_browse.state import WritableStateDir, open_state_dir
from gstack_browse.workspace import DAEMON_LOG, LOCK, SOCKET, STATE_FILE

LOCK_SECONDS = 10.0
LEAVE_SECONDS = 2.0
MAX_LOG_BYTES = 1_000_000

assert commands.__all__  # imported for its declarations


def main(argv: list[str]) -> int:
    """`<workspace>` from a client; `<workspace> <lock descriptor> <legacy descriptor>` from a predecessor."""
    workspace = argv[1]
    if len(argv) > 3:
        return _succeed(workspace, int(argv[2]), int(argv[3]))
    line = sys.stdin.buffer.readline(protocol.MAX_LINE_BYTES + 1)
    request = Request("status")
    try:
        request = protocol.decode_request(line)
        reply, command = _without_daemon(request, workspace)
        if reply is None or (command and command.starts_offline):
            _start(workspace, command, announce=reply is None)
    except BrowseError as error:
        reply = failure(error)
    if reply is not None:
        sys.stdout.buffer.write(b"reply\n" + protocol.encode_reply(request, reply))
        sys.stdout.buffer.flush()
    return 0


def _without_daemon(request: Request, workspace: str) -> tuple[Reply | None, Command | None]:
    """The answer to a request that needs no daemon: help, a mistake in the words, `stop` when nothing runs."""
    command = find(REGISTRY, request.cmd)
    place = Place(cwd=Path(workspace) / request.cwd, workspace=Path(workspace))
    bound = bind(command, request.args, place)
    if bound.wants_help:
        return Reply(command_help(command)), None
    if command.requires is Requires.NOTHING:
        return Reply(asyncio.run(_text(bound.command.handler(*bound.positional, **bound.options)))), None
    if command.offline is not None:
        return Reply(command.offline), command
    return None, command


async def _text(handler: Awaitable[str]) -> str:
    return await handler


def _start(workspace: str, command: Command | None, *, announce: bool) -> None:
    """Fork a detached daemon. Returns in the caller's process once the daemon has been started."""
    settings = read_settings()
    state = open_state_dir(workspace, os.environb)
    lock = _wait_for_lock(state)
    needs_browser = command is not None and command.requires in (Requires.PAGE, Requires.BROWSER)
    ready, told = os.pipe()
    if os.fork() == 0:
        os.close(ready)
        os._exit(_daemonise(state, settings, lock, told, begin=needs_browser))
    os.close(told)
    with os.fdopen(ready, "rb") as pipe:
        if pipe.read(1) != b"r":
            raise Unreachable("The daemon could not be started", f"See {os.fsdecode(state.path)}/{DAEMON_LOG}")
    if announce:
        sys.stdout.buffer.write(b"ready\n")
        sys.stdout.buffer.flush()
    os._exit(0) if announce else None


def _wait_for_lock(state: WritableStateDir) -> int:
    """The lock that makes this the daemon of its workspace, waiting for one that is just leaving.

    Raises Unreachable when somebody holds it and does not let go.
    """
    import time

    give_up = time.monotonic() + LOCK_SECONDS
    while (lock := state.lock(LOCK)) is None:
        if time.monotonic() > give_up:
            raise Unreachable(
                "Another daemon of this workspace is alive but cannot be reached", "Run 'gbrowse restart'"
            )
        time.sleep(0.02)
    return lock


def _daemonise(state: WritableStateDir, settings: Settings, lock: int, told: int, *, begin: bool) -> int:
    """In the forked child: detach from terminal, directory and descriptors of the caller, then serve."""
    os.setsid()
    os.chdir("/")
    for number in (signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    null = os.open(os.devnull, os.O_RDWR)
    log = state.open_log(DAEMON_LOG)
    if os.fstat(log).st_size > MAX_LOG_BYTES:
        os.ftruncate(log, 0)
    for source, target in ((null, 0), (null, 1), (log, 2)):
        os.dup2(source, target)
    _close_inherited({state.fd, lock, told})

    def announce() -> None:
        os.write(told, b"r")
        os.close(told)

    return _serve(state, settings, lock, announce, begin=begin)


def _close_inherited(keep: set[int]) -> None:
    """A pipe of the caller's that stayed open here would make its reader wait for our end."""
    highest = (
        max((int(name) for name in os.listdir("/proc/self/fd")), default=256)
        if os.path.isdir("/proc/self/fd")
        else 256
    )
    for descriptor in range(3, highest + 1):
        if descriptor not in keep:
            try:
                os.close(descriptor)
            except OSError:
                continue


def _succeed(workspace: str, lock: int, legacy: int) -> int:
    """Take over from a predecessor that gave us its lock and what its browser held."""
    with os.fdopen(legacy, "rb") as file:
        fields = json.load(file)
    os.set_inheritable(lock, False)
    state = open_state_dir(workspace, os.environb)
    carried = Carried.from_dict(fields["carried"]) if fields["carried"] else None

    def announce() -> None:
        os.write(1, b"ready\n")
        null = os.open(os.devnull, os.O_RDWR)
        os.dup2(null, 1)

    for number in (signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    return _serve(
        state, read_settings(), lock, announce, begin=carried is not None, carried=carried, note=fields["note"]
    )


def _serve(
    state: WritableStateDir,
    settings: Settings,
    lock: int,
    announce: Callable[[], None],
    *,
    begin: bool,
    carried: Carried | None = None,
    note: str = "",
) -> int:
    listening = socket.socket(fileno=state.bind())
    asyncio.run(_live(state, settings, lock, listening, announce, begin=begin, carried=carried, note=note))
    return 0


async def _live(
    state: WritableStateDir,
    settings: Settings,
    lock: int,
    listening: socket.socket,
    announce: Callable[[], None],
    *,
    begin: bool,
    carried: Carried | None,
    note: str,
) -> None:
    service = Service(settings, state, carried)
    service.upgraded = note
    handover = Handover(service, lock)
    server = Server(Dispatch(service, handover).answer)
    await server.listen(listening)
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, lambda: service.end(End.STOPPED))
    _describe(state)
    announce()
    if begin:
        service.begin()
    watch = asyncio.create_task(Watch(service, handover).run())
    why = await service.ended
    watch.cancel()
    await _leave(service, server, handover, why)


async def _leave(service: Service, server: Server, handover: Handover, why: End) -> None:
    """Answer what is under way, end what is left, and go. The order keeps every promise to clients."""
    if why not in (End.STOPPED, End.REPLACED) or service.browser:
        handover.vanish()
    if why is End.DIED:
        server.cancel_all()
    await server.leave(LEAVE_SECONDS)
    if why is End.STOPPED:
        service.record.clear()
    elif why is not End.REPLACED:
        service.record.write(service.browser)
    service.journal.flush_now()
    if why is End.DIED and service.browser:
        service.browser.running.abandon()
    else:
        await service.close_browser()
    os._exit(0)  # at once: nothing is left to do, and an interpreter that tidies up keeps its client waiting


def _describe(state: WritableStateDir) -> None:
    """`browse.json`, for people and tools to read. Nothing of ours ever believes it."""
    from datetime import datetime

    facts = {
        "pid": os.getpid(),
        "socket": os.path.join(os.fsdecode(state.path), SOCKET),
        "startedAt": datetime.now().astimezone().isoformat(timespec="seconds"),
        "version": __version__,
    }
    state.write_file(STATE_FILE, (json.dumps(facts, indent=2) + "\n").encode())
