"""Implement `commands.daemon_interface.Daemon` for one request."""

import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, cast

from gstack_browse.browser.launch.running import NOT_PRESENTED
from gstack_browse.browser.session.session import BrowserSession
from gstack_browse.browser.transfer.session_transfer import Transfer
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
    """Return the variables of a process whose names begin with `prefix`.

    Process 0 stands for no process: the daemon's own. Empty if the process has ended, or belongs to somebody
    else.
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
    """Use the browser at `address` instead of the current one. Return the reply's text.

    Raises SetupFailed if it cannot be reached, and ActionFailed if others or a person use the current
    one; nothing changes then.
    """
    from gstack_browse.browser.launch.endpoint import Endpoint

    endpoint = Endpoint(address, shared=True, ca_cert=service.settings.ca_cert)
    await (
        service.browser.wait_until_started()
    )  # a browser that ends while it starts counts as one that has died
    before = service.browser.session
    if before and before.running.is_shared and cast("ExternalBrowser", before.running).endpoint == endpoint:
        return f"Connected to {endpoint.name} already"
    if before and before.handed:
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
    others = await browser.strangers.list_tabs(running)
    lines = [
        f"Connected to {running.product} at {endpoint.name}: {format_count(len(others), 'tab')}, none taken"
    ]
    lines += [f"→ {closed}"] if closed else []
    lines += [f"→ ended: {ended}"] if ended else []
    lines += [f"→ {NOT_PRESENTED}"] if service.settings.client_certs else []
    lines += ["→ 'tabs' lists them, 'tab <n> --take' takes one, 'newtab <url>' opens one"]
    return "\n".join(lines)


async def disconnect(service: Service, *, keep: bool) -> str:
    """Leave the browser that `connect` has found."""
    browser = service.browser.session
    if browser is None or not browser.running.is_shared:
        return "Not connected"
    running = cast("ExternalBrowser", browser.running)
    running.keeps_tabs = keep
    opened, attached = len(running.connection.own.opened), len(running.connection.own.attached)
    ended = agent_context.describe_recordings([browser])
    await _close_current(service, browser)
    service.browser.switch_to_own()
    parts = [f"{format_count(opened, 'tab')} of ours {'left open' if keep else 'closed'}"] if opened else []
    parts += [f"{format_count(attached, 'tab')} let go"] if attached else []
    return f"Disconnected from {running.endpoint.name}{': ' + ', '.join(parts) if parts else ''}{agent_context.ended_line(ended)}"


async def _close_current(service: Service, browser: BrowserSession | None) -> str:
    """Close the current browser between two commands. Return a text on what was closed."""
    if browser is None:
        await service.close_browser()
        return ""
    visited = sum(1 for tab in browser.tabs if tab.url not in ("", "about:blank"))
    is_own = not browser.running.is_shared
    left = "" if is_own else _describe_loss(cast("ExternalBrowser", browser.running))
    async with Transfer(browser) as transfer:
        await transfer.finish(service.close_browser())
    return f"closed the browser that ran here ({format_count(visited, 'tab')})" if is_own and visited else left


def _describe_loss(running: "ExternalBrowser") -> str:
    """Return which browser of others is left, and which tabs are closed there."""
    opened = len(running.connection.own.opened)
    return f"left {running.endpoint.name}" + (
        f": closed {format_count(opened, 'tab')} of ours" if opened else ""
    )


_CHOOSE_TAB = frozenset({"newtab", "tab"})
"""Commands that make another tab the active one."""
RunStep = Callable[[Request], Awaitable[Reply]]


class DaemonView(Daemon):
    """The daemon as one request's command sees it. `run_step` runs another request for it."""

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
        """Return the function that sends parts of the output while the command runs."""
        return self._stream()

    @property
    def browser(self) -> BrowserSession | None:
        """Return the context's session; None if its browser does not run."""
        return self._context.browser

    @property
    def settings(self) -> Settings:
        """Return the daemon's settings."""
        return self._service.settings

    @property
    def boards(self) -> "BoardRegistry":
        """Return the boards, made at the first use."""
        return self._service.boards.ensure_registry()

    @property
    def watch(self) -> "WatchedBrowser":
        """Return the page on which a person watches."""
        return self._service.watch

    def say(self, note: str) -> None:
        """Send the client a remark at once. Secrets are masked."""
        self._say(one_line(self._service.hide_secrets(note), 500))

    @property
    def tab(self) -> int | None:
        """Return the tab that the request names.

        None for the active one, also once a step of a chain chose another.
        """
        return None if self._has_chosen_tab else self._request.tab

    async def facts(self) -> dict[str, str]:
        """Return what `status` prints: name → text."""
        return await status.collect_facts(self._service, self._context)

    def recent(self) -> list[str]:
        """Return a line for each recent command: its shape and exit code, without what was typed into pages."""
        return [
            f"{whose}{render_shape(bound)} → exit {code}"
            for bound, code, whose in self._service.recent_commands
        ]

    async def settle_flow(self) -> None:
        """Complete the context's flow log now."""
        await self._context.settle_flow()

    def caller_environment(self, prefix: str) -> Mapping[str, str]:
        """Return the caller's environment variables whose names begin with `prefix`."""
        return read_environment(self._request.peer, prefix)

    def waiting(self) -> list[str]:
        """Return a line for each request that waits for a person's confirmation."""
        return [f"{waiting.token}  {waiting.shown}" for waiting in self._confirmations.list_pending()]

    def confirm(self, token: str) -> str:
        """Confirm the request with that token; return how it is shown.

        Raises Refused unless the caller is at a terminal.
        """
        if not is_at_terminal(self._request.peer):
            raise Refused(
                "confirm is for a person at a terminal", "Ask the user to run it in a terminal of theirs"
            )
        return self._confirmations.confirm(token).shown

    @property
    def context_tabs(self) -> dict[str, int]:
        """Return the number of tabs by the name of each context in use."""
        return {
            context.display_name: context.tab_count for context in self._service.contexts if context.is_needed
        }

    async def contexts(self) -> list[ContextFacts]:
        """Return facts of all contexts."""
        return await self._service.contexts.list_facts()

    async def close_context(self, name: str) -> ClosedContext:
        """Close a context with its tabs and logins. Return what it had, and the work that was aborted."""
        return await self._service.context_opener.close(name)

    async def stop(self) -> str:
        """End the daemon. Return the reply of `stop`."""
        return await self._handover.stop()

    async def restart(self) -> str:
        """Hand over to a new daemon. Return the reply."""
        return await self._handover.restart(self._context.name)

    async def connect(self, address: str) -> str:
        """Connect to a browser that is running already. Return the reply."""
        return await connect(self._service, address)

    async def disconnect(self, *, keep: bool) -> str:
        """Leave the browser that `connect` has found. Return the reply. `keep`: leave our tabs open."""
        return await disconnect(self._service, keep=keep)

    async def attach(self, *, tcp: bool, once: bool) -> OpenAddress:
        """Open an address for other programs at this context's browser, which is started first.

        `tcp`: a port instead of a Unix socket. `once`: it closes after its first client. Raises Refused if the
        caller's policy differs from the daemon's.
        """
        check_policy_matches(self._request.rules or {}, self._service.settings.rules)
        if self._context.name:
            await self._service.context_opener.open_session(self._context, self._say, self._request.share)
        else:
            await self._service.browser.open(self._say)
        return await self._service.attachments.open(self._context, tcp=tcp, once=once, tab=self.tab)

    async def detach(self) -> int | None:
        """Close the context's address. Return how many clients were attached; None if none was open."""
        return await self._service.attachments.close_context(self._context)

    def check(self, words: Sequence[str]) -> None:
        """Raise what is wrong with a command of a chain, before any of them runs."""
        command, words = resolve_call(REGISTRY, words)
        if command.is_local:
            raise local_command_error(command)
        if command.ends_daemon:
            raise UsageError(f"A chain cannot contain {command.name}")
        if command.name == "chain":
            raise UsageError("A chain cannot contain a chain")
        with suppress(FileFailed):  # a step before this one may write the file
            bind(command, words, self.paths)

    async def run(self, words: Sequence[str], *, tab: int | None = None) -> Reply:
        """Run a command as a step of this one, and return its reply. `tab`: the request's by default."""
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
        has_unreported_close = bool(self.browser and self.browser.tabs.departures.untold)
        reply = await self._run_step(step)
        self.has_reported_closed_tab |= has_unreported_close and reply.error == TabGone.kind
        if not reply.code and resolve_call(REGISTRY, words)[0].name in _CHOOSE_TAB:
            self._has_chosen_tab = True
        return reply
