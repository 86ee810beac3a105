"""Run the daemon process, from the first request to its exit.

`starter` calls it with the first request. The reply goes through a pipe: `reply` and the whole reply if the command needs no
daemon, else `ready` once the daemon listens. A held lock, never a file's content, marks the living daemon: the kernel frees it
however the daemon ends. Twice a second it checks its directory, its code on disk, the idle time, memory and logs.
"""

import asyncio
import gc
import os
import resource
import signal
import socket
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

import orjson

from gstack_browse import __version__, commands, protocol
from gstack_browse.browser.context import heaps
from gstack_browse.browser.engine.bundle import check_widget_rule_names
from gstack_browse.browser.launch import launch
from gstack_browse.browser.launch.scratch import remove_abandoned
from gstack_browse.daemon.base import boot, log_files
from gstack_browse.daemon.base.boot import BootState
from gstack_browse.daemon.base.memory import MemoryReleaser
from gstack_browse.daemon.browser.flood_guard import FloodGuard
from gstack_browse.daemon.contexts.agent_context import AgentContext, ShutdownReason
from gstack_browse.daemon.contexts.contexts import select_for_collection
from gstack_browse.daemon.process.boot_image import IMAGE
from gstack_browse.daemon.request.dispatch import Dispatch
from gstack_browse.daemon.request.policy import Confirmations
from gstack_browse.daemon.service import Service
from gstack_browse.daemon.socket.server import Server
from gstack_browse.daemon.succession import successor
from gstack_browse.daemon.succession.handover import Handover
from gstack_browse.daemon.succession.successor import Inheritance
from gstack_browse.daemon.succession.upgrader import Upgrader
from gstack_browse.errors import BrowseError, Unreachable
from gstack_browse.protocol import Reply, Request, failure
from gstack_browse.registry import REGISTRY, Command, Requires, bind, local_command_error, resolve_call
from gstack_browse.registry.usage import command_help
from gstack_browse.registry.values.paths import CallerPaths
from gstack_browse.settings import Settings
from gstack_browse.settings import read as read_settings
from gstack_browse.workspace.directory import LOCK, SOCKET, STATE_FILE
from gstack_browse.workspace.state import SessionFile, WritableStateDir, open_inherited_state, open_state_dir

TICK_SECONDS = 0.5
FLUSH_TICKS = 2
CODE_TICKS = 4
FIRST_FAMILIES = (
    "gstack_browse.commands.reading.snapshot",
    "gstack_browse.commands.acting.interaction",
    "gstack_browse.commands.acting.fields",
    "gstack_browse.commands.reading.reading",
)
"""The modules of those commands that most people send next."""
_CERTIFICATES = "gstack_browse.browser.launch.certificates"
PAUSE_SECONDS = 0.5
"""How long no command may have run: a script gets its replies first, and a daemon that ends soon is spared the work."""
MOST_SECONDS = 10.0
"""How long commands in succession may delay this."""
_POLL_SECONDS = 0.03
Announce = Callable[[], None]
LOCK_SECONDS = 10.0
LEAVE_SECONDS = 2.0
DESCRIPTORS = 4096
GENERATIONS = (700, 10, 10)
"""Python's default thresholds for collecting garbage."""
SWITCH_SECONDS = 0.005
"""Python's default time slice of a thread."""


async def import_late(service: Service, upgrader: Upgrader) -> None:
    """Watch the code on disk, and import in a thread, in pauses between commands, what people need next.

    The rest is imported from the boot image when a command needs it: an upgrade may replace the code on disk. Without a complete image,
    as in the first daemon of an installation, all is imported now, and an image is written.
    """
    give_up = time.monotonic() + MOST_SECONDS
    await service.browser.wait_until_started()
    try:
        await _import_in_pauses(FIRST_FAMILIES, service, give_up)
        await _wait_for_pause(service, PAUSE_SECONDS, give_up)
        is_held = await asyncio.to_thread(IMAGE.hold, [*commands.FAMILIES, _CERTIFICATES])
        await upgrader.start()
        if not is_held:
            await _import_in_pauses(commands.FAMILIES, service, give_up)
            await asyncio.to_thread(_import_rest)
            await asyncio.to_thread(IMAGE.uninstall)
        await asyncio.to_thread(remove_abandoned)
    except Exception as error:  # noqa: BLE001 - a command that needs what cannot be imported fails with it, too
        log_files.log_exception(error)
    # It was short until now, so that commands were answered between imports: see `starter`.
    sys.setswitchinterval(SWITCH_SECONDS)
    gc.freeze()  # as `main` does with what it has loaded


def _import_rest() -> None:
    """Import what is left, and the certificates of the system."""
    REGISTRY.import_all()
    import_module(_CERTIFICATES)


async def _import_in_pauses(modules: Sequence[str], service: Service, give_up: float) -> None:
    """Import modules one by one, so that a command that comes meanwhile is slowed by one of them at most."""
    for module in modules:
        await _wait_for_pause(service, 0, give_up)
        await asyncio.to_thread(import_module, module)


async def _wait_for_pause(service: Service, seconds: float, give_up: float) -> None:
    """Wait until a command has run and none for `seconds`, or until `give_up` (of `time.monotonic`)."""
    lifecycle = service.lifecycle
    while not (lifecycle.commands_done and lifecycle.has_been_idle(seconds)) and time.monotonic() < give_up:  # noqa: ASYNC110 - nobody tells of a pause
        await asyncio.sleep(_POLL_SECONDS)


assert commands.FAMILIES  # imported for its declarations


def answer(workspace: str, line: bytes, reply_pipe: int, boot_state: BootState | None) -> NoReturn:
    """Answer the request in `line` (JSON), and exit; become the daemon first if the request needs one.

    `reply_pipe`: descriptor for the reply. `boot_state`: the lock and the Chromium that this process has already; None for neither.
    """
    request = protocol.guess_reply_form(line)
    try:
        request = protocol.decode_request(line)
        reply, command = _answer_without_daemon(request, workspace)
        if reply is None or (command and command.starts_offline):
            _become_daemon(
                workspace, request, command, boot_state, partial(_send_first_reply, reply_pipe, request, reply)
            )
    except BrowseError as error:
        reply = failure(error)
    if boot_state:
        boot_state.discard_browser()
    _send_first_reply(reply_pipe, request, reply)
    os._exit(0)


def _send_first_reply(reply_pipe: int, request: Request, reply: Reply | None) -> None:
    """Send a reply, or the word `ready` if it is None, to the process that started us.

    If that was a native client that has been killed meanwhile, nobody reads it; the next client finds the daemon.
    """
    with suppress(BrokenPipeError), os.fdopen(reply_pipe, "wb") as pipe:
        pipe.write(b"ready\n" if reply is None else b"reply\n" + protocol.encode_reply(request, reply))


def _answer_without_daemon(request: Request, workspace: str) -> tuple[Reply | None, Command | None]:
    """Answer a request that needs no daemon: help, a usage error, `stop` while no daemon runs.

    Returns:
        The reply, or None if only a daemon can answer. The command, or None if no daemon has to be started for it.
    """
    command, words = resolve_call(REGISTRY, [request.cmd, *request.args])
    cwd = Path(workspace) / request.cwd
    paths = CallerPaths(cwd=cwd, workspace=Path(workspace), stdin=request.stdin)
    bound = bind(command, words, paths)
    if bound.wants_help:
        return Reply(command_help(command)), None
    if command.is_local:
        raise local_command_error(command)
    if command.requires is Requires.NOTHING:
        return Reply(
            asyncio.run(_as_coroutine(bound.command.handler(*bound.positional, **bound.options)))
        ), None
    if command.offline is not None:
        if command.ends_daemon and not command.starts_offline:
            _forget_lost_session(workspace)
        return Reply(command.offline), command
    return None, command


def _forget_lost_session(workspace: str) -> None:
    """Remove the crash record of a daemon that was killed: what is stopped on purpose is not lost."""
    with suppress(BrowseError, OSError):
        state = open_state_dir(workspace, os.environb)
        if (lock := state.lock(LOCK)) is not None:
            SessionFile(state).remove()
            os.close(lock)
        state.close()


async def _as_coroutine(handler: Awaitable[str]) -> str:
    """Wrap an awaitable in a coroutine, which `asyncio.run` requires."""
    return await handler


def _become_daemon(
    workspace: str, request: Request, command: Command | None, boot_state: BootState | None, announce: Announce
) -> None:
    """Run the daemon in this process until it ends, and exit. `announce`: called once the daemon listens.

    Return only if another daemon listens already. Raises BrowseError if this one cannot run. `boot_state`: the lock and the
    Chromium that this process has already.
    """
    settings = read_settings()
    Confirmations(settings.confirm)  # fails for an unknown name: it must not be ignored
    check_widget_rule_names(settings.widget_rules_off)
    is_begun = boot_state is not None and boot_state.early is not None
    needs_browser = is_begun or (command is not None and command.needs_browser)
    if needs_browser:
        launch.require_usable_limits()
    if boot_state is None:
        state = open_state_dir(workspace, os.environb)
        lock = _wait_for_lock(state)
        if lock is None:
            return
        boot.detach_from_client(state)
        boot_state = BootState(state, lock)
    boot_state.context = "" if request.share else request.as_
    os.chdir("/")
    listening = socket.socket(fileno=boot_state.state.bind())
    if not needs_browser:
        boot_state.discard_browser()
    os._exit(_run_event_loop(boot_state, settings, listening, announce, start_browser_now=needs_browser))


def _wait_for_lock(state: WritableStateDir) -> int | None:
    """Take the lock that marks the workspace's daemon, waiting while another one ends.

    Return its descriptor; None if that other daemon listens after all. Raises Unreachable if it neither listens nor ends.
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


def take_over(workspace: str, lock: int, socket_descriptor: int, directory: str = "", files: str = "") -> int:
    """Run the daemon as successor: take over lock, socket, browser state and boards. Return the exit code.

    `lock`, `socket_descriptor`: inherited descriptors. `directory`: the state directory. `files`: as text, the inherited descriptor
    of a socket that brings open files. Older predecessors pass neither of these two.
    """
    for inherited in (lock, socket_descriptor, *([int(files)] if files else [])):
        os.set_inheritable(inherited, False)
    listening = socket.socket(fileno=socket_descriptor)
    state = open_inherited_state(directory, workspace) if directory else open_state_dir(workspace, os.environb)
    settings = read_settings()
    REGISTRY.import_all()  # before the predecessor hears that all code was loaded
    successor.announce_loaded()
    inheritance = successor.read_inheritance(int(files) if files else None)
    if inheritance is None:
        return 1
    state.adopt_socket()
    start_browser_now = inheritance.state is not None
    return _run_event_loop(
        BootState(state, lock),
        settings,
        listening,
        successor.announce_ready,
        start_browser_now=start_browser_now,
        inheritance=inheritance,
    )


def _run_event_loop(
    boot_state: BootState,
    settings: Settings,
    listening: socket.socket,
    announce: Announce,
    *,
    start_browser_now: bool,
    inheritance: Inheritance | None = None,
) -> int:
    """Set up signals, limits and garbage collection; run the daemon until it ends. Return exit code 0.

    `announce`: called once the daemon serves. `start_browser_now`: at once, ahead of a command that needs the browser.
    """
    for number in (signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    _raise_descriptor_limit()
    gc.freeze()  # loaded modules stay: a full collection took 20 to 50 ms over them, sometimes within a command
    gc.set_threshold(*GENERATIONS)
    asyncio.run(
        _serve_until_end(
            boot_state,
            settings,
            listening,
            announce,
            start_browser_now=start_browser_now,
            inheritance=inheritance,
        )
    )
    return 0


def _raise_descriptor_limit() -> None:
    """Raise the limit of open files to DESCRIPTORS, for many connections beside the browser's files."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    limit = DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, DESCRIPTORS)
    if soft != resource.RLIM_INFINITY and soft < limit:
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))


async def _serve_until_end(
    boot_state: BootState,
    settings: Settings,
    listening: socket.socket,
    announce: Announce,
    *,
    start_browser_now: bool,
    inheritance: Inheritance | None,
) -> None:
    """Serve requests until the daemon has a reason to end; then shut down and exit. Does not return.

    `announce`: called once the daemon serves. `inheritance`: what a predecessor passes; None without one.
    """
    loop = asyncio.get_running_loop()
    log_files.log_unhandled_exceptions(loop)
    service = Service(settings, boot_state.state, inheritance.state if inheritance else None, boot_state)
    if inheritance:
        for context in service.contexts:
            inheritance.notice.post_to(context)
        await service.boards.adopt(inheritance.boards)
    server = Server()
    handover = Handover(service, server, boot_state.lock, listening.fileno())
    upgrader = Upgrader(service, handover)
    await server.listen(listening, Dispatch(service, handover, upgrader).answer)
    loop.add_signal_handler(signal.SIGTERM, lambda: service.lifecycle.shut_down(ShutdownReason.TERMINATED))
    _write_state_file(boot_state.state)
    if inheritance:  # which has loaded all of it
        await upgrader.start()
    announce()
    if start_browser_now:
        service.browser.start()
    loading = asyncio.create_task(import_late(service, upgrader))
    watch = asyncio.create_task(BackgroundChecks(service, upgrader).run())
    ends: list[asyncio.Future[Any]] = [service.lifecycle.ended, watch]
    await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
    if not service.lifecycle.ended.done() and (fault := watch.exception()):
        log_files.log_exception(fault)
        service.lifecycle.shut_down(ShutdownReason.FAULT)
    watch.cancel()
    loading.cancel()
    await _shut_down(service, server, handover, service.lifecycle.ended.result())


async def _shut_down(service: Service, server: Server, handover: Handover, why: ShutdownReason) -> None:
    """Let running commands end, write what must survive, close the browser, and exit the process.

    The order matters: every client that was accepted gets a reply before the browser ends.
    """
    try:
        if why not in (ShutdownReason.STOPPED, ShutdownReason.REPLACED):
            await handover.kill_successor()
            handover.unpublish()
            service.lifecycle.interrupt_all(why)
        await server.finish_running(LEAVE_SECONDS)
        if why is not ShutdownReason.REPLACED:
            server.refuse_queued_connections()
        service.record_writer.write()
        service.record.close(idle=why is ShutdownReason.IDLE)
        service.contexts.flush_logs_now()
        if service.autosaver and why in (ShutdownReason.IDLE, ShutdownReason.TERMINATED):
            await service.autosaver.save_finally(service.contexts)
        await service.close_browser()
    except BaseException as error:
        log_files.log_exception(error)
        raise
    finally:
        # At once: an interpreter that cleans up keeps its client waiting.
        os._exit(0)


def _write_state_file(state: WritableStateDir) -> None:
    """Write `browse.json` (pid, socket, version) for people and tools. gbrowse itself never trusts it."""
    facts = {
        "pid": os.getpid(),
        "socket": f"{state.path}/{state.file_name(SOCKET)}",
        "startedAt": datetime.now().astimezone().isoformat(timespec="seconds"),
        "version": __version__,
    }
    with suppress(OSError):  # the disk is full: `status` says so, and nothing of ours needs the file
        state.write_file(STATE_FILE, _format_json(facts))


def _format_json(facts: dict[str, Any]) -> bytes:
    """Encode facts as indented JSON. Paths that are not UTF-8 are escaped."""
    try:
        return orjson.dumps(facts, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    except TypeError:  # the path of the workspace is no text
        import json

        return (json.dumps(facts, indent=2) + "\n").encode()


class BackgroundChecks:
    """Checks twice a second whether the daemon should end, save, flush logs, collect garbage or upgrade.

    A tick costs a few stat calls and a measurement of memory.
    """

    def __init__(self, service: Service, upgrader: Upgrader) -> None:
        self._service = service
        self._upgrader = upgrader
        self._memory = MemoryReleaser()
        self._flood_guard = FloodGuard(service.attachments.detach_flooders)
        self._collected: list[AgentContext] = []
        """Contexts whose garbage was collected at the last tick."""

    async def run(self) -> None:
        """Run the checks (idle time, memory, logs, saves, upgrade) every TICK_SECONDS, until the daemon ends."""
        tick = 0
        while not self._service.lifecycle.ended.done():
            await asyncio.sleep(TICK_SECONDS)
            tick += 1
            if self._service.lifecycle.closing:
                continue
            if not self._service.state.is_still_ours():
                self._service.lifecycle.shut_down(ShutdownReason.EVICTED)
                return
            if self._service.is_idle():
                self._service.lifecycle.shut_down(ShutdownReason.IDLE)
                return
            self.collect_garbage()
            self._service.context_opener.tick()
            self._service.memory_limit.tick(list(self._service.contexts))
            self._flood_guard.tick(list(self._service.contexts))
            if autosaver := self._service.autosaver:
                autosaver.tick(self._service.contexts, is_busy=bool(self._service.lifecycle.running_commands))
            if tick % FLUSH_TICKS == 0:
                await self._flush_logs()
            if tick % CODE_TICKS == 0:
                await self._upgrader.tick()

    def collect_garbage(self) -> None:
        """Start garbage collection in the pages of idle contexts, and release unused memory of the daemon."""
        contexts = list(self._service.contexts)
        busy = {run.context for run in self._service.lifecycle.running_commands}
        for context in contexts:
            if browser := context.browser:
                is_idle = context not in busy
                browser.background.start(heaps.collect_garbage(browser.tabs, is_idle=is_idle))
        for context in self._collected:
            if context not in busy and (browser := context.browser):
                browser.background.start(heaps.collect_again(browser.tabs))
        self._collected = select_for_collection(contexts, busy)
        for context in self._collected:
            if browser := context.browser:
                browser.background.start(heaps.collect_navigated(browser.tabs))
        self._memory.release_if_grown(is_idle=not busy)

    async def _flush_logs(self) -> None:
        """Append new log entries of all contexts to their files; empty the daemon's log if it is too large."""
        for context in self._service.contexts:
            await context.journal.flush()
        log_files.empty_large_log()
