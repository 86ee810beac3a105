"""What the daemon is while it runs: its browser (started when first needed), its logs, its end.

Requests come in through `dispatch`; sockets are `server`'s; process-level matters (lock, fork, signals) are `main`'s.
"""

import asyncio
import gc
import os
import time
from collections import deque
from contextlib import suppress
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from gstack_browse import __version__
from gstack_browse.browser.cdp.playwright_names import Error as PlaywrightError
from gstack_browse.browser.launch import driver_process, known_start, launch, takeover
from gstack_browse.browser.tabs import capture, questions, restore
from gstack_browse.browser.tabs.download_folder import DownloadFolder
from gstack_browse.browser.tabs.downloads import Downloads
from gstack_browse.browser.tabs.listener import Logs
from gstack_browse.browser.tabs.session import BrowserSession
from gstack_browse.browser.tabs.session_state import SessionState
from gstack_browse.browser.tabs.tab import Tab
from gstack_browse.browser.tabs.urls import shown_url
from gstack_browse.daemon import error_log
from gstack_browse.daemon.boot import BootState
from gstack_browse.daemon.connection import Say
from gstack_browse.daemon.crashes import Crashes
from gstack_browse.daemon.journal import Journal
from gstack_browse.daemon.record import Record
from gstack_browse.errors import BrowseError, SetupFailed, StateLost
from gstack_browse.registry import REGISTRY, Bound
from gstack_browse.settings import Settings
from gstack_browse.state import WritableStateDir
from gstack_browse.text.columns import duration, size
from gstack_browse.text.sanitise import one_line

RECORD_SECONDS = 0.05
MOST_RECENT = 20
BEGIN_SECONDS = 0.25
"""How long the driver of a browser that runs already is not started yet, for a first command that has not come to its request."""
END_SECONDS = 0.15
"""How long Playwright is not imported yet after that, for the answer of that command."""
COMING_SECONDS = 10.0
"""How long a browser that is to be replaced may take until Playwright has it: only Playwright can tell what to carry over."""


if TYPE_CHECKING:
    from gstack_browse.daemon.keeper import Keeper


class End(Enum):
    """Why the daemon ends; the value completes "was interrupted: …"."""

    STOPPED = "the daemon was stopped"
    TERMINATED = "the daemon was told to end by a signal"
    IDLE = "the daemon had nothing to do for too long"
    DIED = "the browser ended"
    REPLACED = "a new daemon took over"
    EVICTED = "the daemon's directory was removed or replaced"
    FAULT = "the daemon has a fault"


class Run(Protocol):
    """A request that is being answered."""

    def interrupt(self, why: End) -> None:
        """End it early, with an answer that says why."""


class Service:
    """The daemon's state. `ended` is set once, with the reason; whoever serves must then leave.

    `closing` is set earlier, with the same reason: from then on no request is begun.
    """

    def __init__(
        self,
        settings: Settings,
        state: WritableStateDir,
        carried: SessionState | None = None,
        begun: BootState | None = None,
    ) -> None:
        self.settings = settings
        self.state = state
        self.workspace = Path(os.fsdecode(state.workspace))
        self.directory = Path(os.path.realpath(os.fsdecode(state.path)))
        self.logs = Logs()
        self.record = Record(state, self.hide)
        self.crashes = Crashes(state)
        self.journal = Journal(state, self.logs, self.hide)
        self.downloads = Downloads(DownloadFolder(state), settings.downloads)
        if carried:
            self.downloads.restore(carried.downloads)
        self.browser: BrowserSession | None = None
        self.ended: asyncio.Future[End] = asyncio.get_running_loop().create_future()
        self.closing: End | None = None
        self.dead = ""
        """What died under us: launch.CHROMIUM or launch.DRIVER."""
        self.started = self.now()
        self.runs: set[Run] = set()
        self.last_used = self.now()
        self.recent: deque[tuple[Bound, int]] = deque(maxlen=MOST_RECENT)
        """The last commands, and the codes with which they ended."""
        self.news = ""
        """What to say once: that this daemon took over from one of an older version, or what it has restored."""
        self._carried = carried
        self.keeper: "Keeper | None" = None
        self._restored = ""
        """What is restored from an earlier daemon, in words; "" for nothing."""
        if settings.persists:
            self._keep()
        self._begun = begun or BootState(state, -1)
        """What was started ahead, for the first browser."""
        self._starting: asyncio.Task[BrowserSession] | None = None
        self._early: asyncio.Future[BrowserSession | None] | None = None
        """The browser before Playwright is there, where it is started in that way; None where it is not."""
        self.has_answered = asyncio.Event()
        """Set once a command has been answered."""
        self.is_installing = False
        """Whether the browser that starts has to be installed first, which takes minutes."""
        self._listeners: set[Say] = set()
        self._record_timer: asyncio.TimerHandle | None = None

    def _keep(self) -> None:
        """Keep the browser's state from now on, and begin with what an earlier daemon kept."""
        from gstack_browse.daemon.keeper import Keeper, restorable, told  # no part of a start without it
        from gstack_browse.daemon.session_store import SessionStore

        self.keeper = keeper = Keeper(SessionStore(self.state))
        if self._carried:
            return
        if kept := keeper.read():
            self._carried = restorable(kept, self.settings, self.record.refs)
            self._restored = told(self._carried, kept.at)
            self.record.told()
        elif keeper.problem:
            self.news = f"Nothing was restored: {keeper.problem}"

    def now(self) -> float:
        """A clock that a sleeping machine does not advance (CLOCK_MONOTONIC), in seconds."""
        return time.monotonic()

    def hide(self, text: str) -> str:
        """`text` without the secrets that pages were given."""
        return holder.revealed.hide(text) if (holder := self.holder) else text

    @property
    def revealed_values(self) -> list[str]:
        """Secrets that pages were given."""
        return holder.revealed.values if (holder := self.holder) else []

    # the browser

    @property
    def has_untold_departure(self) -> bool:
        """Whether the active tab has gone by itself and nobody has been told yet."""
        return bool((holder := self.holder) and holder.tabs.departures.untold)

    async def ready(self, say: Say, *, early: bool = False) -> BrowserSession:
        """The browser, started if need be; `say` hears of the progress. Raises SetupFailed.

        `early`: the caller is content with a browser that Playwright has not got yet.
        """
        if self.browser:
            return self.browser
        if self._starting is None or self._starting.done():
            self._begin()
        assert self._starting
        assert self._early
        if early:
            either: list[asyncio.Future[Any]] = [self._starting, self._early]
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            if self._early.done() and (browser := self._early.result()):
                return browser
        self._listeners.add(say)
        try:
            return await asyncio.shield(self._starting)
        finally:
            self._listeners.discard(say)

    def begin(self) -> None:
        """Start the browser in the background: the command that needs it is already on its way."""
        if self._starting is None:
            self._begin()

    async def load_the_rest(self) -> None:
        """Import what the first command did not need, in a thread: behind its answer, or while the driver loads.

        It is not left until it is needed: by then an upgrade may have replaced the code on disk.
        """
        with suppress(TimeoutError):
            async with asyncio.timeout(END_SECONDS):
                await self.has_answered.wait()
        try:
            await asyncio.to_thread(REGISTRY.complete)
        except Exception as error:  # noqa: BLE001 - a command that needs what cannot be imported fails with it, too
            error_log.report(error)
        if self._starting:
            await asyncio.wait([self._starting])
        gc.freeze()  # as `main` does with what it has loaded

    def _begin(self) -> None:
        self.is_installing = False
        self._early = asyncio.get_running_loop().create_future()
        self._starting = asyncio.create_task(self._start())
        self._starting.add_done_callback(lambda task: task.cancelled() or task.exception())

    @property
    def is_starting(self) -> bool:
        return self._starting is not None and not self._starting.done()

    async def _start(self) -> BrowserSession:
        def progress(line: str) -> None:
            self.is_installing = True
            for say in list(self._listeners):
                say(line)

        loop = asyncio.get_running_loop()

        def from_thread(line: str) -> None:
            loop.call_soon_threadsafe(progress, line)

        if browser := await self._started_early():
            return browser
        look = launch.Look(context=self._carried.context_options()) if self._carried else launch.HEADLESS
        driver, self._begun.driver = self._begun.driver, None
        running = await launch.start(
            self.settings, from_thread, self._died, look, driver, workspace=self.workspace
        )
        browser = self._session(running)
        try:
            await (restore.open_session(browser, self._carried) if self._carried else browser.open())
        except BaseException as error:
            await running.close()
            if self._restored and self.keeper and isinstance(error, PlaywrightError):
                raise self._not_restored(self.keeper, error) from None
            raise
        self._carried = None
        self.news, self._restored = self.news or self._restored, ""
        self.browser = browser
        return browser

    def _not_restored(self, keeper: "Keeper", error: PlaywrightError) -> SetupFailed:
        """What was kept makes Chromium fail: begin without it the next time."""
        self._carried, self._restored = None, ""
        return SetupFailed(
            f"What an earlier daemon kept could not be restored: {one_line(error.message, 200)}",
            f"Run the command again: it begins with nothing. The file is now {keeper.reject()}",
        )

    async def _started_early(self) -> BrowserSession | None:
        """Go on with the Chromium that was started ahead; None where there is none, or nothing could be done with it."""
        assert self._early
        ahead = self._begun.ahead
        origin = launch.Origin(self.settings, self._died, self.workspace)
        begun = await takeover.begin(ahead, origin) if ahead else None
        self._begun.ahead = None  # not sooner: whoever gives the start up before ends it
        if ahead is None or begun is None:
            self._begun.driver = driver_process.spawn() if ahead else self._begun.driver
            self._early.set_result(None)
            return None
        running, adoption = begun
        browser = self._session(running)
        driver: driver_process.Driver | None = None
        try:
            await browser.begin(adoption)
            self._early.set_result(browser)
            await self._let_first_command_begin(browser)
            driver = driver_process.spawn(running.scratch)
            await self._let_first_command_end()
            await takeover.join(running, ahead.known, driver)
            taking_over = await browser.adopt(adoption)
        except BaseException as error:
            running.expect_end()
            if isinstance(error, Exception):
                self._not_adopted(error)
            if driver:
                driver.end()
            await running.close()
            raise
        taking_over.add_done_callback(self._has_taken_over)
        self.browser = browser
        return browser

    async def _let_first_command_begin(self, browser: BrowserSession) -> None:
        """Wait a moment, until the first command has asked Chromium for its document: what follows takes the processor."""
        tab = browser.tabs.get()
        if tab:
            await tab.until(lambda: bool(tab.requests.documents or tab.arrivals), BEGIN_SECONDS)

    async def _let_first_command_end(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(END_SECONDS):
                await self.has_answered.wait()

    def _has_taken_over(self, done: asyncio.Task[None]) -> None:
        error = None if done.cancelled() else done.exception()
        if isinstance(error, Exception) and not self.ended.done():
            self._not_adopted(error)

    def _not_adopted(self, error: Exception) -> None:
        """The browser that ran has to be given up, and what was in it is lost.

        The next start is the usual one, unless this one failed because a process was killed.
        """
        if not (self.dead or self.closing or self.ended.done()):  # else the end is the reason
            known_start.forget()
            error_log.report(error)
            self._died(launch.DRIVER)

    def _session(self, running: launch.Running) -> BrowserSession:
        return BrowserSession(
            running,
            self.logs,
            self.downloads,
            pictures=self.directory,
            changed=self._changed,
            first_refs=self.record.refs,
            first_tab=self.record.tab,
        )

    @property
    def holder(self) -> BrowserSession | None:
        """Whoever has the tabs: the browser, or what is going to be it."""
        early = self._early.result() if self._early and self._early.done() else None
        return self.browser or early

    def _changed(self) -> None:
        """Tabs or their addresses changed: write it down, soon, but not for each of a page's many steps."""
        if self._record_timer is None:
            loop = asyncio.get_running_loop()
            self._record_timer = loop.call_later(RECORD_SECONDS, self.write_record)

    def write_record(self) -> None:
        """Write down what has changed, before a command that changed it is answered."""
        if self._record_timer:
            self._record_timer.cancel()
            self._record_timer = None
            if not self.dead:  # a dying browser closes its pages one by one
                self.record.write(self.holder)

    def _died(self, what: str) -> None:
        if not self.dead:
            self.dead = what
            self.crashes.note(what)
        self.end(End.DIED)

    def note_command(self) -> None:
        """A command has run: write down what is open, and soon what the browser holds."""
        self.write_record()
        if self.keeper:
            self.keeper.changed()

    def lost(self) -> BrowseError:
        """The failure that says what died, and what went with it. Who gets it knows: it is not said again."""
        if self.holder is None:
            again = SetupFailed(f"{self.dead} ended while it was starting", "Try again")
            return self.crashes.failure() or again
        held = self.record.written
        self.record.settle()
        return StateLost(
            f"{self.dead} ended: browser state was lost{f' ({held})' if held else ''}",
            "The next command starts a new browser. Run 'goto <url>'",
        )

    # the end

    def end(self, why: End) -> None:
        if not self.ended.done():
            self.ended.set_result(why)

    def interrupt_all(self, why: End) -> None:
        """Begin nothing any more, and have everybody who waits told why."""
        self.closing = why
        for run in list(self.runs):
            run.interrupt(why)

    async def close_browser(self) -> None:
        """End Chromium and the driver; a start that is under way is given up."""
        if self._starting and not self._starting.done():
            self._starting.cancel()
            await asyncio.wait([self._starting], timeout=3)
        if self.browser:
            browser, self.browser = self.browser, None
            self.downloads.break_off("the browser was ended")
            await browser.running.close()
        self._starting = None
        self._begun.end()

    async def capture(self) -> SessionState | None:
        """What a successor should carry over; None when there is nothing."""
        if self._starting and self.holder:
            await asyncio.wait(
                [self._starting], timeout=COMING_SECONDS
            )  # Playwright, which can tell, is still coming
        if self.browser is None:
            return self._carried
        return await capture.state_of(self.browser)

    def go_on(self, carried: SessionState | None) -> None:
        """Stay after all: the next browser holds what was captured of the last one."""
        self.closing = None
        self._carried = carried

    def is_idle(self) -> bool:
        """Whether the idle time is over. It does not pass while a person uses the window or the picker."""
        if self.browser and self.browser.is_in_use_by_person:
            self.last_used = self.now()
        return (
            bool(self.settings.idle_seconds)
            and not self.runs
            and self.now() - self.last_used >= self.settings.idle_seconds
        )

    # what `status` says

    def _mode(self) -> str:
        handed = self.browser.handed if self.browser else None
        if not handed:
            return "headless"
        if self.browser and not self.browser.has_window:
            return "visible, but the person has closed the window"
        reason = f": {one_line(handed.reason, 100)}" if handed.reason else ""
        return f"visible, with a person for {duration(self.now() - handed.since)}{reason}"

    async def facts(self) -> dict[str, str]:
        """What there is to say, by label. The memory is looked up in a thread: with many tabs that takes a while."""
        facts = {
            "Status": "running",
            "Mode": self._mode(),
            "Version": __version__,
            "PID": str(os.getpid()),
            "Uptime": duration(self.now() - self.started),
            "Workspace": str(self.workspace),
        }
        browser = self.browser
        if browser is None:
            facts["Browser"] = "starting" if self.is_starting else "not started"
            if early := self.holder:
                facts["Start"] = early.running.way
        else:
            active = browser.tabs.get()
            facts["Browser"] = f"Chromium {browser.running.browser.version}"
            if why := browser.running.connection.why_slow:
                facts["Wire"] = (
                    f"off ({why}): slower, and 'network' may lack the first requests of windows and workers"
                )
            facts["Start"] = browser.running.way
            facts["URL"] = shown_url(active.url) if active else ""
            facts["Tabs"] = str(len(browser.tabs))
            if busy := [_under_way(tab) for tab in browser.tabs if tab.lane.command]:
                facts["Running"] = ", ".join(busy)
            asked = [
                f"{question.name} is open in tab {question.tab}"
                for question in questions.open_ones(browser.tabs)
            ]
            if emulated := ", ".join(f"{name} {value}" for name, value in browser.emulation.facts):
                facts["Emulated"] = emulated
            if asked or browser.dialogs.policy.is_chosen:
                facts["Dialogs"] = "; ".join([browser.dialogs.policy.words, *asked])
            if scripts := browser.init_scripts.scripts:
                facts["Scripts"] = f"{len(scripts)} before each page's own ('init-scripts' lists them)"
        if lost := self.record.lost or (browser.tabs.departed() if browser else ""):
            facts["Lost"] = lost
        if self.keeper:
            facts["Kept"] = self.keeper.words()
        if self.journal.trouble:
            facts["Logs"] = f"{self.journal.trouble} (console, network and dialog still have all)"
        if self.settings.hosts:
            facts["Allowed"] = str(self.settings.hosts)
        if self.settings.confirm:
            facts["Confirmed"] = f"by a person: {', '.join(self.settings.confirm)}"
        if self.settings.ignored:
            facts["Ignored"] = f"{self.settings.ignored}: set, but without meaning here"
        facts["Memory"], old = await asyncio.to_thread(lambda: (_memory(), _outdated_skills(self.workspace)))
        if old:
            facts["Skills"] = f"out of date: {', '.join(old)}; run 'gbrowse skills-install'"
        return facts


def _under_way(tab: Tab) -> str:
    waiting = f" ({tab.lane.waiting} more wait for their turn)" if tab.lane.waiting else ""
    return f"{tab.lane.command} on tab {tab.id}{waiting}"


def _outdated_skills(workspace: Path) -> list[str]:
    """What an older gbrowse has installed for coding agents, in the project or the home directory."""
    from gstack_browse.skills.outdated import everywhere, outdated  # not when the daemon starts

    try:
        return outdated(everywhere(str(workspace), os.environ.get("HOME", "")))
    except (OSError, BrowseError):  # a directory that cannot be read is no reason to say nothing else
        return []


def _memory() -> str:
    """Resident memory of the daemon, and of the driver and Chromium together (pages they share count for each)."""
    import psutil  # takes 10 ms, which no first command is to wait for

    own = psutil.Process()
    others = 0
    for process in own.children(recursive=True):
        try:
            others += process.memory_info().rss
        except psutil.NoSuchProcess:
            continue
    return f"{size(own.memory_info().rss)}, browser {size(others)}" if others else size(own.memory_info().rss)
