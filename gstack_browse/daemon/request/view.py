"""Implement `commands.daemon_interface.Daemon`, what commands ask of the daemon, for one request."""

import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, cast

from gstack_browse.browser.context.open_context import OpenContext
from gstack_browse.browser.launch.running import NOT_PRESENTED
from gstack_browse.browser.transfer.context_transfer import Transfer
from gstack_browse.commands.daemon_interface import ClosedContext, ContextFacts, Daemon, OpenAddress, Send
from gstack_browse.daemon.browser.watched_browser import WatchedBrowser
from gstack_browse.daemon.contexts import agent_context
from gstack_browse.daemon.contexts.agent_context import AgentContext
from gstack_browse.daemon.request import status
from gstack_browse.daemon.request.policy import Confirmations, check_policy_matches, is_at_terminal
from gstack_browse.daemon.service import Service
from gstack_browse.daemon.socket.server import Say
from gstack_browse.daemon.succession.handover import Handover
from gstack_browse.errors import ActionFailed, FileFailed, Refused, TabGone, UsageError
from gstack_browse.protocol import Reply, Request
from gstack_browse.registry import REGISTRY, bind, local_command_error, resolve_call
from gstack_browse.registry.binding import render_shape
from gstack_browse.registry.values.paths import CallerPaths
from gstack_browse.settings import Settings
from gstack_browse.text.sanitise import one_line
from gstack_browse.text.units import format_count

if TYPE_CHECKING:
    from gstack_browse.browser.launch.connect import ExternalBrowser
    from gstack_browse.local_pages.board.registry import BoardRegistry

MOST_BYTES = 4_000_000


def read_environment(pid: int, prefix: str) -> Mapping[str, str]:
    """Return the environment variables of a process whose names begin with `prefix`.

    Pid 0: the daemon's own. Empty if the process has ended, or belongs to another user.
    """
    if not pid:
        return {name: value for name, value in os.environ.items() if name.startswith(prefix)}
    try:
        with Path(f"/proc/{pid}/environ").open("rb") as file:
            entries = file.read(MOST_BYTES).split(b"\0")
    except OSError:
        return {}
    pairs = (os.fsdecode(entry).partition("=") for entry in entries)
    return {name: value for name, equals, value in pairs if equals and name.startswith(prefix)}


async def connect(service: Service, address: str) -> str:
    """Use the running browser at the URL `address` from now on. Return the output of `connect`.

    Raises SetupFailed if it cannot be reached, and ActionFailed if others or a person use the current
    one; nothing changes then.
    """
    from gstack_browse.browser.launch.endpoint import Endpoint

    endpoint = Endpoint(address, shared=True, ca_cert=service.settings.ca_cert)
    async with service.browser.exchanging:  # checked under the lock: another 'connect' may be under way
        # A browser that ends while it starts would count as one that has died.
        await service.browser.wait_until_started()
        before = service.browser.default_browser
        if before and before.running.is_shared and cast("ExternalBrowser", before.running).endpoint == endpoint:
            return f"Connected to {endpoint.name} already"
        if before and before.handoff:
            raise ActionFailed("The browser is with a person", "Run 'resume' to take it back")
        if named := [context.name for context in service.contexts.others if context.browser]:
            raise ActionFailed(
                f"Others work in the browser that would be closed: {', '.join(named)}",
                f"Run 'context-close {named[0]}', or let them finish",
            )
        running = await service.browser.connect_to(endpoint)
        try:
            ended = agent_context.describe_recordings([before]) if before else ""
            closed = await _close_current(service, before)
            browser = await service.browser.switch_to(running)
        except BaseException:
            await running.close()
            raise
    others = await browser.external_tabs.list_tabs(running)
    lines = [
        f"Connected to {running.product} at {endpoint.name}: {format_count(len(others), 'tab')}, none taken"
    ]
    lines += [f"→ {closed}"] if closed else []
    lines += [f"→ ended: {ended}"] if ended else []
    lines += [f"→ {NOT_PRESENTED}"] if service.settings.client_certs else []
    lines += ["→ 'tabs' lists them, 'tab <n> --take' takes one, 'newtab <url>' opens one"]
    return "\n".join(lines)


async def disconnect(service: Service, *, keep: bool) -> str:
    """Leave the browser that `connect` joined. Return the output of the command `disconnect`.

    `keep`: leave our tabs open there.
    """
    async with service.browser.exchanging:
        browser = service.browser.default_browser
        if browser is None or not browser.running.is_shared:
            return "Not connected"
        running = cast("ExternalBrowser", browser.running)
        running.keeps_tabs = keep
        opened, attached = len(running.connection.own.opened), len(running.connection.own.attached)
        ended = agent_context.describe_recordings([browser])
        await _close_current(service, browser)
        service.browser.switch_to_own()
        service.record.mark_all_reported()
    parts = [f"{format_count(opened, 'tab')} of ours {'left open' if keep else 'closed'}"] if opened else []
    parts += [f"{format_count(attached, 'tab')} let go"] if attached else []
    return f"Disconnected from {running.endpoint.name}{': ' + ', '.join(parts) if parts else ''}{agent_context.ended_line(ended)}"


async def _close_current(service: Service, browser: OpenContext | None) -> str:
    """Close the daemon's browser once no command runs in it. Return what was closed, as text; "" for none.

    `browser`: the default context; None if no browser runs.
    """
    if browser is None:
        await service.close_browser()
        return ""
    visited = sum(1 for tab in browser.tabs if tab.url not in ("", "about:blank"))
    is_own = not browser.running.is_shared
    left = "" if is_own else _describe_left_browser(cast("ExternalBrowser", browser.running))
    async with Transfer(browser) as transfer:
        await transfer.run_to_end(service.close_browser())
    return f"closed the browser that ran here ({format_count(visited, 'tab')})" if is_own and visited else left


def _describe_left_browser(running: "ExternalBrowser") -> str:
    """Describe which user's browser the daemon leaves, and how many of its tabs it closes there."""
    opened = len(running.connection.own.opened)
    return f"left {running.endpoint.name}" + (
        f": closed {format_count(opened, 'tab')} of ours" if opened else ""
    )


_CHOOSE_TAB = frozenset({"newtab", "tab"})
"""Commands that make another tab the active one."""
RunStep = Callable[[Request], Awaitable[Reply]]


class DaemonView(Daemon):
    """Implements what commands may ask of the daemon, for one request."""

    def __init__(
        self,
        service: Service,
        context: AgentContext,
        handover: Handover,
        confirmations: Confirmations,
        request: Request,
        done: list[str],
        run_step: RunStep,
        paths: CallerPaths,
        *,
        say: Say,
        patience: float | None,
        stream: Callable[[], Send],
    ) -> None:
        self._stream = stream
        self.patience = patience
        self.context = context.name
        self.logs = context.logs
        self.downloads = context.downloads
        self.flow = context.flow
        self.take = context.take
        self.feed = service.feed
        self.hide_from_watchers = service.hide_from_watchers
        self.cwd = request.cwd or str(service.workspace)
        self.done = done
        self.has_reported_closed_tab = False
        """Whether a step has failed because the active tab had closed. Later steps fail, too: they are not meant for another tab."""
        self._has_chosen_tab = False
        """Whether a step has made another tab the active one: later steps act on that."""
        self._service = service
        self._context = context
        self._handover = handover
        self._confirmations = confirmations
        self._request = request
        self._run_step = run_step
        self.paths = paths._replace(stdin=None)
        self._say = say

    def stream(self) -> Send:
        """Lift the command's deadline, and return a function that sends parts of its output while it runs."""
        return self._stream()

    @property
    def browser(self) -> OpenContext | None:
        """Return the caller's open context; None if it is not open."""
        return self._context.browser

    @property
    def settings(self) -> Settings:
        """Return the daemon's settings."""
        return self._service.settings

    @property
    def boards(self) -> "BoardRegistry":
        """Return the registry of boards (pages that ask a person), created at first use."""
        return self._service.boards.ensure_registry()

    @property
    def watch(self) -> "WatchedBrowser":
        """Return the watch page, on which a person sees what agents do."""
        return self._service.watch

    def say(self, note: str) -> None:
        """Send the client a remark at once, which it prints to standard error. Secrets are masked."""
        self._say(one_line(self._service.hide_secrets(note), 500))

    @property
    def tab(self) -> int | None:
        """Return the number of the tab that the request names (`--tab`); None for the active one.

        Also None once a step of a chain has made another tab active.
        """
        return None if self._has_chosen_tab else self._request.tab

    async def collect_facts(self) -> dict[str, str]:
        """Return what `status` prints: label → text."""
        return await status.collect_facts(self._service, self._context)

    def list_recent_commands(self) -> list[str]:
        """Return a line for each recent command, with its exit code and without the texts typed into it."""
        return [
            f"{whose}{render_shape(bound)} → exit {code}"
            for bound, code, whose in self._service.recent_commands
        ]

    async def complete_flow_now(self) -> None:
        """Add the details on elements that are missing in the context's flow log, within two seconds."""
        await self._context.complete_flow_now()

    def caller_environment(self, prefix: str) -> Mapping[str, str]:
        """Return the caller's environment variables whose names begin with `prefix`."""
        return read_environment(self._request.peer, prefix)

    def list_pending_confirmations(self) -> list[str]:
        """Return a line (token and command) for each command that waits for a person's confirmation."""
        return [f"{waiting.token}  {waiting.shown}" for waiting in self._confirmations.list_pending()]

    def confirm(self, token: str) -> str:
        """Confirm, for a person, that the command with that token may run. Return its command line.

        Raises Refused unless the caller is at a terminal, UsageError for an unknown token.
        """
        if not is_at_terminal(self._request.peer):
            raise Refused(
                "confirm is for a person at a terminal", "Ask the user to run it in a terminal of theirs"
            )
        return self._confirmations.confirm(token).shown

    @property
    def context_tabs(self) -> dict[str, int]:
        """Return the number of tabs of each browser context, by its name."""
        return {
            context.display_name: context.tab_count for context in self._service.contexts if context.is_needed
        }

    async def list_contexts(self) -> list[ContextFacts]:
        """Return facts (tabs, memory, last command) of all browser contexts."""
        return await self._service.contexts.list_facts()

    async def close_context(self, name: str) -> ClosedContext:
        """Close a context with its tabs and logins. Return its tab count, and which recordings were cut off."""
        return await self._service.context_opener.close(name)

    async def stop(self) -> str:
        """End the browser, and the daemon after its reply. Return the output of `stop`."""
        return await self._handover.stop()

    async def restart(self) -> str:
        """Hand over to a new daemon. Return the output of `restart`."""
        return await self._handover.restart(self._context.name)

    async def connect(self, address: str) -> str:
        """Use the browser at the URL `address`, which runs already. Return the output of `connect`."""
        return await connect(self._service, address)

    async def disconnect(self, *, keep: bool) -> str:
        """Leave the browser that `connect` joined. Return the output. `keep`: leave our tabs open there."""
        return await disconnect(self._service, keep=keep)

    async def attach(self, *, tcp: bool, once: bool) -> OpenAddress:
        """Start this context's browser if need be, and open an address at which other programs attach to it.

        `tcp`: a port instead of a Unix socket. `once`: it closes after its first client. Raises Refused if the
        caller's policy differs from the daemon's.
        """
        check_policy_matches(self._request.rules or {}, self._service.settings.rules)
        if self._context.name:
            await self._service.context_opener.ensure_open(self._context, self._say, self._request.share)
        else:
            await self._service.browser.open(self._say)
        return await self._service.attachments.open(self._context, tcp=tcp, once=once, tab=self.tab)

    async def detach(self) -> int | None:
        """Close the context's address for other programs, and detach them.

        Return how many were attached; None if no address was open.
        """
        return await self._service.attachments.close_context(self._context)

    def check(self, words: Sequence[str]) -> None:
        """Raise UsageError unless a command can be a step of a chain. `words`: its name and arguments.

        The arguments are checked, too; files among them need not exist yet.
        """
        command, words = resolve_call(REGISTRY, words)
        if command.is_local:
            raise local_command_error(command)
        if command.ends_daemon:
            raise UsageError(f"A chain or a flow cannot contain {command.name}")
        if command.name == "chain":
            raise UsageError("A chain or a flow cannot contain a chain")
        with suppress(FileFailed):  # a step before this one may write the file
            bind(command, words, self.paths)

    async def run(self, words: Sequence[str], *, tab: int | None = None) -> Reply:
        """Run another command (`words`: name and arguments) as a step of this one, and return its reply.

        `tab`: number of its tab; None for the request's.
        """
        step = Request(
            words[0],
            list(words[1:]),
            cwd=self._request.cwd,
            tab=tab or self.tab,
            fence=self._request.fence,
            as_=self._request.as_,
            share=self._request.share,
            any_download=self._request.any_download,
        )
        has_unreported_close = bool(self.browser and self.browser.tabs.closed_tabs.unreported)
        reply = await self._run_step(step)
        self.has_reported_closed_tab |= has_unreported_close and reply.error == TabGone.kind
        if not reply.code and resolve_call(REGISTRY, words)[0].name in _CHOOSE_TAB:
            self._has_chosen_tab = True
        return reply
