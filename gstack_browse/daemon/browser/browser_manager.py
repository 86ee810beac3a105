"""Start the daemon's browser when it is first needed; notice its death; end it.

Uses the Chromium that `starter` has started early, starts one, or connects to a remote one.
"""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, cast

from gstack_browse.browser.context.open_context import OpenContext
from gstack_browse.browser.launch import launch
from gstack_browse.browser.launch.outbound import logins
from gstack_browse.browser.launch.running import LaunchParams, RunningBrowser, WindowOptions, default_window
from gstack_browse.browser.tab.table import TabNumbers
from gstack_browse.daemon.base import log_files
from gstack_browse.daemon.base.boot import BootState
from gstack_browse.daemon.base.log_files import CrashCounter
from gstack_browse.daemon.contexts.agent_context import AgentContext, ShutdownReason
from gstack_browse.daemon.contexts.contexts import Contexts
from gstack_browse.daemon.lifecycle import Lifecycle
from gstack_browse.daemon.persistence.record import RecordWriter, Restoration
from gstack_browse.daemon.socket.server import Say
from gstack_browse.errors import BrowseError, SetupFailed, StateLost
from gstack_browse.settings import Settings

if TYPE_CHECKING:
    from gstack_browse.browser.launch.connect import ExternalBrowser
    from gstack_browse.browser.launch.endpoint import Endpoint

GIVE_UP_SECONDS = 3.0
COMING_SECONDS = 10.0
"""How long a handover waits for a browser that is starting."""


class BrowserStart:
    """Starts a browser in a task. Commands that need a browser wait for the task.

    Args:
        params: Settings, workspace and endpoint.
        boot_state: May have a Chromium that was started early. It is taken from there.
        choose_window: Returns the options of the browser's window. May raise SetupFailed.
        default: The context named "default", which is always opened.
        first: The context of the command that started the browser. It gets the first page, if Chromium was started early.
        make_open_context: Opens an AgentContext in a running Chromium, without tabs.
        open_default: Opens the default context: restores its tabs, or opens one.
    """

    def __init__(
        self,
        params: LaunchParams,
        boot_state: BootState,
        choose_window: Callable[[], WindowOptions],
        *,
        default: AgentContext,
        first: AgentContext,
        make_open_context: Callable[[AgentContext, RunningBrowser], OpenContext],
        open_default: Callable[..., Awaitable[object]],
    ) -> None:
        self.is_installing = False
        """Whether a browser is being installed, which takes minutes."""
        self.queue = ""
        """Description of the queue in which the start of a remote browser waits; "" for none."""
        self._params = params
        self._boot_state = boot_state
        self._choose_window = choose_window
        self._default = default
        self._first = first
        self._make_open_context = make_open_context
        self._open_default = open_default
        self._progress_listeners: set[Say] = set()
        self._task = asyncio.create_task(self._run())
        self._task.add_done_callback(lambda task: task.cancelled() or task.exception())

    @property
    def is_done(self) -> bool:
        """Return whether the start of the browser has succeeded or failed."""
        return self._task.done()

    async def wait_for_browser(self, say: Say) -> OpenContext:
        """Wait until the browser has started, and return the default context, open. Raises SetupFailed.

        `say`: is called with lines of progress.
        """
        self._progress_listeners.add(say)
        try:
            return await asyncio.shield(self._task)
        finally:
            self._progress_listeners.discard(say)

    async def wait_until_done(self, seconds: float | None = None) -> None:
        """Wait until the start of the browser has succeeded or failed, at most `seconds`; None: without limit."""
        await asyncio.wait([self._task], timeout=seconds)

    async def cancel(self, seconds: float) -> None:
        """Cancel the start of the browser, and wait at most `seconds` until it has ended."""
        self._task.cancel()
        await self.wait_until_done(seconds)

    async def _run(self) -> OpenContext:
        """Start the browser, and open the default context and that of the first command."""
        running = await self._start_browser()
        try:
            browser = self._make_open_context(self._default, running)
            first_context = running.browser.first_context
            if self._first is self._default:
                await self._open_default(browser, first=first_context)
            else:
                if first_context:
                    first_browser = self._make_open_context(self._first, running)
                    await first_browser.open(first=first_context)
                    self._first.browser = first_browser
                await self._open_default(browser, has_tab=False)
        except BaseException:
            self._first.browser = None
            await running.close()
            raise
        self._default.browser = browser
        log_files.log_line(f"The browser was started: {running.start_description}")
        return browser

    async def _start_browser(self) -> RunningBrowser:
        """Start a browser, or connect to the remote one of the settings. Raises SetupFailed."""
        params = self._params
        if endpoint := params.endpoint:
            from gstack_browse.browser.launch import (
                connect,  # imported only for remote browsers, to start faster
            )

            return await connect.start(params, endpoint, self._set_queue)
        loop = asyncio.get_running_loop()
        settings = await logins.add_stored_password(params.settings)
        settings = await logins.add_stored_passphrases(settings)

        def report_from_thread(line: str) -> None:
            loop.call_soon_threadsafe(self._report_progress, line)

        running = await launch.start(
            settings,
            report_from_thread,
            params.on_death,
            self._choose_window(),
            params.workspace,
            self._boot_state.early,
        )
        self._boot_state.early = None  # not sooner: if the start is cancelled, BootState ends that Chromium
        return running

    def _set_queue(self, text: str) -> None:
        """Set the text, for messages, on the queue for a remote browser. Called in a thread."""
        self.queue = text

    def _report_progress(self, line: str) -> None:
        """Send a line on the installation of a browser to all commands that wait for the start."""
        self.is_installing = True
        for say in list(self._progress_listeners):
            say(line)


class BrowserManager:
    """The browser that the contexts of a daemon share.

    Args:
        pictures: directory for pictures without a given path.
        writer: writes what is open; it is stopped when the browser dies.
        boot_state: resources that were started ahead, for the first browser.
        restoration: opens the default context with the tabs that it had.
        lifecycle: ended when the browser dies.
        crashes: counts the deaths of browsers of our own.
    """

    def __init__(
        self,
        settings: Settings,
        contexts: Contexts,
        numbers: TabNumbers,
        *,
        workspace: Path,
        pictures: Path,
        writer: RecordWriter,
        boot_state: BootState,
        restoration: Restoration,
        lifecycle: Lifecycle,
        crashes: CrashCounter,
    ) -> None:
        self.dead_process = ""
        """Name of the browser that died, as in `RunningBrowser.browser_name`; "" for none."""
        self.endpoint: Endpoint | None = None
        """Address of a browser that others have started; None for our own."""
        self._settings = settings
        self._contexts = contexts
        self._default = contexts.default
        self.tab_numbers = numbers
        self._workspace = workspace
        self._pictures = pictures
        self._writer = writer
        self._record = writer.record
        self._boot_state = boot_state
        self._restoration = restoration
        self._lifecycle = lifecycle
        self._crashes = crashes
        self._start: BrowserStart | None = None
        self.exchanging = asyncio.Lock()
        """Held while a command exchanges the browser for another: no other command starts one meanwhile."""
        self._last_refs = (1, 1)  # the first (@e, @c) that no browser of this daemon has given out
        self.switch_to_own()

    @property
    def default_browser(self) -> OpenContext | None:
        """Return the default context with its tabs and cookies; None while no browser runs."""
        return self._default.browser

    # starting

    async def open(self, say: Say) -> OpenContext:
        """Return the default context, open; start the browser if none runs. Raises SetupFailed.

        `say`: is called with lines of progress.
        """
        if self._default.browser:
            return self._default.browser
        async with self.exchanging:
            if self._default.browser:
                return self._default.browser
            if self._start is None or self._start.is_done:
                self._start = self._make_start()
            start = self._start
        return await start.wait_for_browser(say)

    def start(self) -> None:
        """Start the browser in the background, ahead of a command that needs it; do nothing if that has begun."""
        if self._start is None:
            self._start = self._make_start()

    async def wait_until_started(self, seconds: float | None = None) -> None:
        """Wait until a start of the browser that is under way has succeeded or failed, at most `seconds`."""
        if self._start:
            await self._start.wait_until_done(seconds)

    @property
    def is_starting(self) -> bool:
        """Return whether a start of the browser has begun and not ended."""
        start = self._start
        return start is not None and not start.is_done

    @property
    def queue_description(self) -> str:
        """Describe the queue of a Grid in which the start waits for a free browser; "" for none."""
        return self._start.queue if self._start else ""

    @property
    def is_installing(self) -> bool:
        """Return whether the start installs a browser first, which takes minutes."""
        return self._start is not None and self._start.is_installing

    def _make_start(self) -> BrowserStart:
        """Begin to start the browser in a task, with this daemon's settings. Return the object for that start."""
        return BrowserStart(
            LaunchParams(self._settings, self._on_death, self._workspace, self.endpoint),
            self._boot_state,
            self._choose_window,
            default=self._default,
            first=self._contexts.get_or_make(self._boot_state.context),
            make_open_context=self.make_open_context,
            open_default=self._restoration.open_default_context,
        )

    def _choose_window(self) -> WindowOptions:
        """Return the new browser's window options: those of the state to restore, else of the settings."""
        inherited_state = self._default.pending_state
        return default_window(self._settings, inherited_state.context_options() if inherited_state else None)

    def make_open_context(self, context: AgentContext, running: RunningBrowser) -> OpenContext:
        """Return the OpenContext of an AgentContext in a running Chromium, without tabs."""
        return OpenContext(
            running,
            context.logs,
            context.downloads,
            pictures=self._pictures,
            on_change=self._writer.schedule,
            first_refs=(
                max(self._record.first_refs[0], self._last_refs[0]),
                max(self._record.first_refs[1], self._last_refs[1]),
            ),
            numbers=self.tab_numbers,
            name=context.name,
            contexts=self._contexts.open_contexts,
        )

    # browsers that others have started

    def reconnect_to(self, address: str) -> None:
        """Have the next start connect to the browser at `address`, which the predecessor daemon used.

        `address`: `auto`, a port, or a URL.
        """
        from gstack_browse.browser.launch.endpoint import Endpoint  # no part of most starts

        self.endpoint = Endpoint(address, shared=True, ca_cert=self._settings.ca_cert)

    def keep_shared_tabs(self) -> None:
        """Leave our tabs open in a user's own browser when we disconnect from it: a successor takes them over."""
        if self.default_browser and self.default_browser.running.is_shared:
            cast("ExternalBrowser", self.default_browser.running).keeps_tabs = True

    async def connect_to(self, endpoint: "Endpoint") -> "ExternalBrowser":
        """Connect to a browser that others have started, without using it yet. Raises SetupFailed."""
        from gstack_browse.browser.launch import connect  # no part of a start of our own

        params = LaunchParams(self._settings, self._on_death, self._workspace, endpoint)
        return await connect.start(params, endpoint)

    async def switch_to(self, running: "ExternalBrowser") -> OpenContext:
        """Use the browser `running`, which `connect_to` returned, from now on. Return the new default context.

        Numbers of tabs and refs continue.
        """
        self.endpoint = running.endpoint
        self._record.mark_all_reported()
        browser = self.make_open_context(self._default, running)
        await browser.open()
        self._default.browser = browser
        self._writer.schedule()
        return browser

    def switch_to_own(self) -> None:
        """Use our own browser again, or the one that BROWSE_REMOTE names, from the next start on."""
        self.endpoint = None
        if self._settings.remote:
            from gstack_browse.daemon.browser import remote  # no part of a start of our own

            self.endpoint = remote.remote_endpoint(self._settings)

    # the end

    def _on_death(self, browser_name: str) -> None:
        """Shut the daemon down because the browser `browser_name` has died. Only the first call has an effect."""
        if not self.dead_process:
            self.dead_process = browser_name
            self._writer.stop()  # a dying browser closes its pages one by one
            if not self.endpoint:
                self._crashes.count(browser_name)
        self._lifecycle.shut_down(ShutdownReason.DIED)

    def take_loss_error(self, context: AgentContext) -> BrowseError:
        """Return the error that reports the browser's death and the tabs that `context` lost by it.

        From then on the loss counts as reported: the next daemon does not report it again.
        """
        if context.browser is None and self.default_browser is None:
            again = SetupFailed(f"{self.dead_process} ended while it was starting", "Try again")
            return self._crashes.repeated_crash_error() or again
        open_tabs = self._record.describe_open(context.name)
        if self.endpoint:
            # Not settled: the next daemon says it once more, since the browser that it connects to looks the same.
            return StateLost(
                f"{self.dead_process} is gone{f' ({open_tabs})' if open_tabs else ''}",
                "It may have ended, or cannot be reached. To use it again: gbrowse connect"
                if self.endpoint.shared
                else "The next command connects again, to a new session",
            )
        self._record.forget_open(context.name)
        return StateLost(
            f"{self.dead_process} ended: browser state was lost{f' ({open_tabs})' if open_tabs else ''}",
            "The next command starts a new browser. Run 'goto <url>'",
        )

    async def close(self) -> None:
        """End Chromium, or disconnect from a browser that others have started; cancel a running start."""
        if self._start:
            pending = self._default.pending_state
            if pending and pending.connected:  # else our tabs in that browser would stay open
                await self._start.wait_until_done(COMING_SECONDS)
            await self._start.cancel(GIVE_UP_SECONDS)
        open_contexts = self._contexts.open_contexts()
        running = {browser.running for browser in open_contexts}
        bounds = [self._last_refs, *(browser.reserve.bound for browser in open_contexts)]
        self._last_refs = max(e for e, _ in bounds), max(c for _, c in bounds)
        for context in self._contexts:
            if context.browser:
                context.browser = None
                context.downloads.fail_running("the browser was ended")
        await asyncio.gather(*(each.close() for each in running))
        self._start = None
        self._boot_state.discard_browser()
        self._boot_state.context = ""
