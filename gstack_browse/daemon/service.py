"""What the daemon is while it runs: its browser (started when first needed), its logs, its end.

Requests come in through `dispatch`; sockets are `server`'s; process-level matters (lock, fork, signals) are `main`'s.
"""

import asyncio
import os
import time
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING, cast

from gstack_browse.browser.launch.running import LaunchParams, Running
from gstack_browse.browser.launch.window import Look, usual_look
from gstack_browse.browser.tabs.downloads import Downloads
from gstack_browse.browser.tabs.listener import Logs
from gstack_browse.browser.tabs.session import BrowserSession
from gstack_browse.browser.tabs.session_state import SessionState
from gstack_browse.browser.tabs.table import TabNumbers
from gstack_browse.daemon import unfinished
from gstack_browse.daemon.agent_context import AgentContext
from gstack_browse.daemon.boot import BootState
from gstack_browse.daemon.browser_start import BrowserStart
from gstack_browse.daemon.connection import Say
from gstack_browse.daemon.context_limits import MemoryLimit
from gstack_browse.daemon.contexts import Contexts
from gstack_browse.daemon.crashes import Crashes
from gstack_browse.daemon.ends import End, Run
from gstack_browse.daemon.open_boards import OpenBoards
from gstack_browse.daemon.record import Record
from gstack_browse.daemon.respite import Respite
from gstack_browse.daemon.restoration import Restoration
from gstack_browse.errors import BrowseError, SetupFailed, StateLost
from gstack_browse.registry import Bound
from gstack_browse.settings import Settings
from gstack_browse.state import WritableStateDir

RECORD_SECONDS = 0.05
MOST_RECENT = 20
GIVE_UP_SECONDS = 3.0
COMING_SECONDS = 10.0
"""How long a browser that is to be replaced may take until Playwright has it: only Playwright can tell what to carry over."""


if TYPE_CHECKING:
    from gstack_browse.browser.launch.connect import Borrowed
    from gstack_browse.browser.launch.endpoint import Endpoint
    from gstack_browse.daemon.keeper import Keeper


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
        self.default = self._context("")
        self.contexts = Contexts(
            self.default,
            named=self._context,
            browser=self.ready,
            early=self._earliest,
            make=self._session,
            changed=self._changed,
            closing=self._interrupt_in,
            most=settings.max_contexts,
        )
        self.memory_limit = MemoryLimit(settings.context_bytes)
        self.record = Record(state, self.hide)
        self.tab_numbers = TabNumbers(self.record.tab)
        self.crashes = Crashes(state)
        self.ended: asyncio.Future[End] = asyncio.get_running_loop().create_future()
        self.closing: End | None = None
        self.dead = ""
        """What died under us: running.CHROMIUM or running.DRIVER."""
        self.started = self.now()
        self.runs: set[Run] = set()
        self.followers: set[Run] = set()
        """Commands that follow a log: they run until their client goes away."""
        self.last_used = self.now()
        self.waits_to_upgrade = False
        """Whether the code on disk is newer, and what goes on here keeps it from taking over."""
        self.recent: deque[tuple[Bound, int, str]] = deque(maxlen=MOST_RECENT)
        """The last commands, the codes with which they ended, and whose they were."""
        self._restoration = Restoration(self.contexts, self.tab_numbers, self.record)
        self._restoration.take(carried)
        self.keeper: "Keeper | None" = None
        """Keeps the browser's state for the next daemon, where that is wanted."""
        if settings.persists:
            from gstack_browse.daemon.keeper import Keeper  # no part of a start without it
            from gstack_browse.daemon.session_store import SessionStore

            self.keeper = Keeper(SessionStore(state))
            self._restoration.take_kept(self.keeper, settings)
        self._begun = begun or BootState(state, -1)
        """What was started ahead, for the first browser."""
        self._start: BrowserStart | None = None
        self.endpoint: Endpoint | None = None
        """Where the browser is that is used; None: one of our own."""
        self.use_own()
        if carried and carried.connected:
            self._connect_again(carried.connected)
        self._last_refs = (1, 1)
        """The first references (@e, @c) that no browser of this daemon has given out."""
        self.respite = Respite(lambda: bool(self.runs))
        self._record_timer: asyncio.TimerHandle | None = None
        self.boards = OpenBoards(state)

    def now(self) -> float:
        """A clock that a sleeping machine does not advance (CLOCK_MONOTONIC), in seconds."""
        return time.monotonic()

    def hide(self, text: str) -> str:
        """`text` without the secrets that pages were given."""
        for session in self.sessions():
            text = session.revealed.hide(text)
        return text

    @property
    def revealed_values(self) -> list[str]:
        """Secrets that pages were given."""
        return [value for session in self.sessions() for value in session.revealed.values]

    # the browser and its contexts

    @property
    def browser(self) -> BrowserSession | None:
        """The session of the default context."""
        return self.default.browser

    @browser.setter
    def browser(self, session: BrowserSession | None) -> None:
        self.default.browser = session

    @property
    def logs(self) -> Logs:
        """The logs of the default context."""
        return self.default.logs

    @property
    def downloads(self) -> Downloads:
        """The downloads of the default context."""
        return self.default.downloads

    def _context(self, name: str) -> AgentContext:
        return AgentContext(name, self.state, self.settings.downloads, self.hide)

    def sessions(self) -> list[BrowserSession]:
        """The sessions that are open, of all contexts."""
        return [holder for context in self.contexts if (holder := context.holder)]

    async def ready(self, say: Say, *, early: bool = False, patient: bool = False) -> BrowserSession:
        """The browser, started if need be; `say` hears of the progress. Raises SetupFailed.

        `early`: the caller is content with a browser that Playwright has not got yet; `patient`: with one that Playwright gets when there is time.
        """
        if self.browser:
            return self.browser
        if self._start is None or self._start.is_over:
            self._start = self._new_start()
        session = await self._start.earliest(self.default) if early else None
        return session or await self._start.browser(say, patient=patient)

    async def _earliest(self, context: AgentContext) -> BrowserSession | None:
        self.begin()
        return await self._start.earliest(context) if self._start else None

    def begin(self) -> None:
        """Start the browser in the background: the command that needs it is already on its way."""
        if self._start is None:
            self._start = self._new_start()

    async def until_started(self) -> None:
        """Wait until a start that is under way is over."""
        if self._start:
            await self._start.over()

    @property
    def is_starting(self) -> bool:
        return self._start is not None and not self._start.is_over

    @property
    def start_waits_for(self) -> str:
        """Description of the queue in which the start of a remote browser waits; "" for none."""
        return self._start.waits_for if self._start else ""

    @property
    def is_installing(self) -> bool:
        """Whether the browser that starts has to be installed first, which takes minutes."""
        return self._start is not None and self._start.is_installing

    def _new_start(self) -> BrowserStart:
        return BrowserStart(
            LaunchParams(self.settings, self._died, self.workspace, self.endpoint),
            self._begun,
            self._look,
            default=self.default,
            first=self.contexts.of(self._begun.context),
            make=self._session,
            open_session=self._restoration.open,
            respite=self.respite,
            is_ending=lambda: bool(self.dead or self.closing or self.ended.done()),
        )

    def _look(self) -> Look:
        carried = self.default.carried
        return usual_look(self.settings, carried.context_options() if carried else None)

    def _session(self, context: AgentContext, running: Running) -> BrowserSession:
        return BrowserSession(
            running,
            context.logs,
            context.downloads,
            pictures=self.directory,
            changed=self._changed,
            first_refs=(
                max(self.record.first_refs[0], self._last_refs[0]),
                max(self.record.first_refs[1], self._last_refs[1]),
            ),
            numbers=self.tab_numbers,
            name=context.name,
            sessions=self.sessions,
        )

    @property
    def holder(self) -> BrowserSession | None:
        """Whoever has the tabs of the default context."""
        return self.default.holder

    def _connect_again(self, address: str) -> None:
        from gstack_browse.browser.launch.endpoint import Endpoint  # no part of most starts

        self.endpoint = Endpoint(address, shared=True, ca_cert=self.settings.ca_cert)

    def leave_tabs(self) -> None:
        """A successor goes on in the tabs that are open in a person's own browser."""
        if self.browser and self.browser.running.is_shared:
            cast("Borrowed", self.browser.running).keeps_tabs = True

    async def reach(self, endpoint: "Endpoint") -> "Borrowed":
        """A browser that others have started. Nothing here uses it yet. Raises SetupFailed."""
        from gstack_browse.browser.launch import connect  # no part of a start of our own

        params = LaunchParams(self.settings, self._died, self.workspace, endpoint)
        return await connect.start(params, endpoint)

    async def use(self, running: "Borrowed") -> BrowserSession:
        """Go on in that browser, with the numbers of tabs and refs where they are."""
        self.endpoint = running.endpoint
        self.record.all_told()
        browser = self._session(self.default, running)
        await browser.open()
        self.browser = browser
        return browser

    def use_own(self) -> None:
        """The next browser is what it was before `use`."""
        self.endpoint = None
        if self.settings.remote:
            from gstack_browse.daemon import remote  # no part of a start of our own

            self.endpoint = remote.endpoint(self.settings)

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
                self.record.write(self.holder, self.contexts.others)

    def _died(self, what: str) -> None:
        if not self.dead:
            self.dead = what
            if not self.endpoint:
                self.crashes.note(what)
        self.end(End.DIED)

    def note_command(self) -> None:
        """A command has run: write down what is open, and soon what the browser holds."""
        self.write_record()
        if self.keeper:
            self.keeper.changed()

    def lost(self, context: AgentContext) -> BrowseError:
        """The failure that says what died, and what of a context went with it. Who gets it knows: it is not said again."""
        if context.holder is None and self.holder is None:
            again = SetupFailed(f"{self.dead} ended while it was starting", "Try again")
            return self.crashes.failure() or again
        held = self.record.written(context.name)
        if self.endpoint:
            # Not settled: the next daemon says it once more, since the browser that it connects to looks the same.
            return StateLost(
                f"{self.dead} is gone{f' ({held})' if held else ''}",
                "It may have ended, or cannot be reached. To use it again: gbrowse connect"
                if self.endpoint.shared
                else "The next command connects again, to a new session",
            )
        self.record.settle(context.name)
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
        for run in [*self.runs, *self.followers]:
            run.interrupt(why)

    def _interrupt_in(self, context: AgentContext) -> None:
        """Interrupt commands on the tabs of a context that is about to close: Chromium answers nothing about a closed one."""
        for run in (run for run in self.runs if run.context is context and run.uses_browser):
            run.interrupt(End.CONTEXT_CLOSED)

    async def close_browser(self) -> None:
        """End Chromium and the driver, and close boards; a start that is under way is given up."""
        await self.boards.close()
        if self._start:
            if self.default.carried and self.default.carried.connected:  # else our tabs there stay open
                await self._start.over(COMING_SECONDS)
            await self._start.give_up(GIVE_UP_SECONDS)
        sessions = self.contexts.sessions()
        running = {session.running for session in sessions}
        bounds = [self._last_refs, *(session.reserve.bound for session in sessions)]
        self._last_refs = max(e for e, _ in bounds), max(c for _, c in bounds)
        for context in self.contexts:
            if context.holder:
                context.browser = context.early = None
                context.downloads.break_off("the browser was ended")
        await asyncio.gather(*(each.close() for each in running))
        self._start = None
        self._begun.end()
        self._begun.context = ""

    async def capture(self) -> SessionState | None:
        """What a successor should carry over; None when there is nothing."""
        if self._start and self.sessions():
            self.respite.end()
            await self._start.over(COMING_SECONDS)
        return await self.contexts.capture()

    def go_on(self, carried: SessionState | None) -> None:
        """Stay after all: the next browser holds what was captured of the last one."""
        self.closing = None
        self.contexts.take(carried)

    @property
    def unfinished(self) -> str:
        """What would end with a daemon that has no successor, in words; "" for nothing."""
        return unfinished.words(self.contexts.sessions(), self.boards.opened)

    @property
    def recordings(self) -> str:
        """What a successor could not go on with, in words; "" for nothing."""
        return unfinished.recordings(self.contexts.sessions())

    @property
    def unanswered(self) -> str:
        """The boards that a successor would go on with, in words; "" for none."""
        return unfinished.unanswered(self.boards.opened)

    @property
    def is_in_use_by_person(self) -> bool:
        """Whether a person uses a window, the picker or a gallery: nothing of that is closed under their hands."""
        sessions = self.contexts.sessions()
        return self.boards.has_gallery or any(session.is_in_use_by_person for session in sessions)

    def is_idle(self) -> bool:
        """Whether the idle time is over. It does not pass while a person uses a window, the picker, a gallery or a board."""
        if self.boards.is_open or self.is_in_use_by_person:
            self.last_used = self.now()
        return (
            bool(self.settings.idle_seconds)
            and not self.runs
            and self.now() - self.last_used >= self.settings.idle_seconds
        )
