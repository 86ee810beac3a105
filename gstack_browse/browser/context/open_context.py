"""An open context of an agent: a browser context with its tabs, and the settings for all of them."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gstack_browse.browser import dialogs
from gstack_browse.browser.cdp.targets import Target
from gstack_browse.browser.cdp.tasks import Background
from gstack_browse.browser.context.clipboard import OwnClipboard
from gstack_browse.browser.context.current_context import ContextInBrowser, CurrentContext
from gstack_browse.browser.context.init_scripts import InitScripts
from gstack_browse.browser.context.listener import Listener, Logs
from gstack_browse.browser.context.source_maps import SourceMaps
from gstack_browse.browser.devtools.browser import BrowserContext
from gstack_browse.browser.devtools.page import Page
from gstack_browse.browser.dialogs import DialogAnswerer, DialogPolicy
from gstack_browse.browser.downloads import Downloader, Downloads
from gstack_browse.browser.engine.bundle import disable_widget_rules
from gstack_browse.browser.launch.running import RunningBrowser
from gstack_browse.browser.network import guard
from gstack_browse.browser.network.guard import RequestGuard
from gstack_browse.browser.network.har_recording import Recording
from gstack_browse.browser.network.loaded_documents import LoadedHtml, PdfDocuments
from gstack_browse.browser.network.shaping import Conditions, RequestExtras, Shaping
from gstack_browse.browser.network.traffic import Traffic
from gstack_browse.browser.state.context_state import ContextState, HandoffState
from gstack_browse.browser.state.emulation import Appearance, Emulation, Screen, grant_permissions
from gstack_browse.browser.tab import viewport
from gstack_browse.browser.tab.tab import CLOSED_IN_WINDOW, CLOSED_ITSELF, Tab
from gstack_browse.browser.tab.table import TabNumbers, TabTable
from gstack_browse.browser.windows.popup_windows import PopupWindows
from gstack_browse.browser.windows.tab_factory import (
    ExternalTabs,
    PageFactory,
    TabFactory,
    TransferLock,
    window_closed_error,
)
from gstack_browse.errors import ActionFailed
from gstack_browse.network.shaping.throttle import Throttle
from gstack_browse.protocol import DEFAULT_CONTEXT
from gstack_browse.registry.command import BrowserNeed
from gstack_browse.registry.values.measures import Size
from gstack_browse.snapshot.numbers import RefNumberBound
from gstack_browse.text.redact import RevealedSecrets

if TYPE_CHECKING:
    from gstack_browse.browser.context.filming import Film


class Neighbours:
    """The other open contexts of the daemon, to find which one has the number of a tab or a ref.

    `contexts` returns all that are open, `context` among them.
    """

    def __init__(self, context: "OpenContext", contexts: "Callable[[], Sequence[OpenContext]]") -> None:
        self._context = context
        self._all = contexts

    def contexts(self) -> "list[OpenContext]":
        """Return the other open contexts of the daemon."""
        return [context for context in self._all() if context is not self._context]

    def owner_of_tab(self, number: int) -> str:
        """Name the other context that has a tab of this number; "" if none has."""
        return next((context.shown_name for context in self.contexts() if number in context.tabs), "")

    def owner_of_ref(self, number: int) -> str:
        """Say where a ref number was printed: `tabs 2, 3` of this context, or another context; "" for nowhere."""
        if tabs := _tabs_with_number(self._context, number):
            return f"tab{'s' * (len(tabs) > 1)} {', '.join(map(str, tabs))}"
        if self._context.reserve.is_assigned(number):
            return "a tab that is closed"
        givers = (context for context in self.contexts() if _tabs_with_number(context, number))
        return next((repr(context.shown_name) for context in givers), "")


def _tabs_with_number(context: "OpenContext", number: int) -> list[int]:
    """Return the numbers of a context's tabs whose snapshots have had a ref with this number."""
    return [tab.id for tab in context.tabs if tab.numbers.is_assigned(number)]


class OpenContext(BrowserNeed):
    """A browser context with its tabs. There is always a tab, unless a person has closed the window.

    Args:
        pictures: the directory for pictures without a given path.
        numbers: numbers of tabs, which the contexts of a daemon share.
        name: the browser context's name; "" for the default one.
        contexts: returns all open contexts, this one among them.
    """

    def __init__(
        self,
        running: RunningBrowser,
        logs: Logs,
        downloads: Downloads,
        *,
        pictures: Path,
        on_change: Callable[[], None],
        first_refs: tuple[int, int] = (1, 1),
        numbers: TabNumbers | None = None,
        name: str = "",
        contexts: "Callable[[], Sequence[OpenContext]]" = lambda: (),
    ) -> None:
        self.name = name
        self.logs = logs
        self.downloads = downloads
        self.pictures = pictures
        self.background = Background()
        self.tabs = TabTable(on_change, numbers)
        self.neighbours = Neighbours(self, contexts)
        """The other open contexts."""
        self.tabs.owner = self.neighbours.owner_of_tab
        self.reserve = RefNumberBound(first_refs, on_change, self.neighbours.owner_of_ref)
        self.external_tabs = ExternalTabs(self.tabs)
        self.pages = PageFactory(self.background, lambda page: self._windows.on_page(page))
        self.current = CurrentContext(running, self.pages, self.background)
        self.clipboard = OwnClipboard(self.current)
        self.transfer = TransferLock()
        """Held while the tabs move to another browser context or browser."""
        self.tab_factory = self._make_tab_factory()
        self.dialogs = DialogAnswerer(self.tabs, logs.dialog, self.background, self.tab_factory.close)
        self.appearance = Appearance()
        """How the pages appear to sites: user agent, screen, and what is emulated."""
        self.shared_from = ""
        """The browser context whose logins this one began with; "" for none."""
        self.revealed = RevealedSecrets()
        """Secrets that were passed to pages."""
        self.extras = RequestExtras()
        self.init_scripts = InitScripts()
        self.loaded_html = LoadedHtml()
        self.imported: set[str] = set()
        """Domains whose cookies came from the user's own browsers: see `check_script_allowed`."""
        self.before_import: Callable[[], Awaitable[None]] = _do_nothing
        """Called before cookies are imported: programs that are attached leave."""
        self.is_program_attached: Callable[[], bool] = lambda: False
        self.widget_rules: Counter[str] = Counter()
        """How often each widget rule was used: see `PageCommand.note_widget_rule`."""
        self.visited: set[object] = set()
        """Open cookie pickers; the daemon does not idle out while any exists."""
        self.is_between = False
        """Whether the browser is closed so that another one can take its profile."""
        self._handoff: HandoffState | None = None
        self._on_change = on_change
        self._listener = Listener(logs)
        self.recording = Recording(self._listener.traffic)
        self.film: "Film | None" = None
        """The film that is being taken of the context's tabs; None for none."""
        self.on_close: list[Callable[[], None]] = []
        """Called when the context is closed, for what is recorded of it elsewhere."""
        self.conditions = Conditions()
        self.shaping = Shaping(self._listener.traffic, self.conditions)
        self.guard = RequestGuard(self._listener.traffic, self.tabs, self.loaded_html)
        self.pdfs = PdfDocuments(self.loaded_html, self.guard.prepare_opening)
        self.source_maps = self._make_source_maps()
        self._windows = PopupWindows(
            self.tabs,
            self.background,
            adopt=self.tab_factory.adopt,
            prepare=self.prepare,
            discard=self.tab_factory.discard,
            is_program_attached=lambda: self.is_program_attached(),
        )
        self._downloader = Downloader(
            downloads,
            self.tabs,
            self.background,
            tab_of=self._listener.traffic.tab_of,
            close_window=self._windows.close_download_window,
            is_program_attached=lambda: self.is_program_attached(),
        )

    def _make_tab_factory(self) -> TabFactory:
        """Make the factory that opens and closes the context's tabs."""
        return TabFactory(
            self.tabs,
            self.pages,
            self.reserve,
            self.background,
            prepare=self.prepare,
            on_page_closed=self._on_page_closed,
            connection=lambda: self.running.connection,
            handoff=lambda: self._handoff,
            transfer=self.transfer,
        )

    @property
    def running(self) -> RunningBrowser:
        """Return the browser that the context is in."""
        return self.current.running

    @property
    def context(self) -> BrowserContext:
        """Return Chromium's browser context; a move of the tabs replaces it."""
        return self.current.context

    @property
    def traffic(self) -> Traffic:
        """Return the logger of the requests of the context's pages."""
        return self._listener.traffic

    @property
    def shown_name(self) -> str:
        """Return the browser context's name as shown to people."""
        return self.name or DEFAULT_CONTEXT

    @property
    def picture_side(self) -> int:
        """Return the default limit of a screenshot's width and height in pixels; 0 for no limit."""
        return self.running.params.settings.shot_side

    @property
    def handoff(self) -> HandoffState | None:
        """Return the state of the handoff while a person has the browser in a window, else None."""
        return self._handoff

    @handoff.setter
    def handoff(self, state: HandoffState | None) -> None:
        """Set or end the handoff. During one, the person answers dialogs and gets any download."""
        self._handoff = state
        self.dialogs.is_with_person = self._downloader.is_with_person = state is not None

    async def open(self, spare: ContextInBrowser | None = None, first: BrowserContext | None = None) -> None:
        """Open the context: its browser context and one blank tab.

        Args:
            spare: use this prepared context instead
            first: use this context and its page, which nobody has used yet
        """
        if first:
            first.options = self.appearance.all_options()
            spare = ContextInBrowser(self.running, first)
        await self.open_context(None, spare=spare)
        if not self.running.is_shared:  # else a person sees the tab, so the first command opens it
            await self.tab_factory.open()

    async def open_context(
        self, storage: Any, pages: int = 0, spare: ContextInBrowser | None = None
    ) -> tuple[list[Page], asyncio.Task[None]]:
        """Switch to `spare`, or a new context with `storage` (Playwright's storage state; None: empty).

        Returns `pages` blank pages of it, and a task that sets the cookies.
        """
        storage = storage or {}
        context = spare.context if spare else await self.new_context()
        self.current.switch_to(context, (item["origin"] for item in storage.get("origins", [])))
        self.pages.use_context(context, spare.page_task if spare else None)
        await self._attach()
        context.on("dialog", self.dialogs.on_dialog)
        if self.name or not self.running.has_lasting_profile:  # a lasting profile keeps its own storage
            await self.current.write_storage(storage.get("origins", []))
        opening = asyncio.gather(*(self.pages.new() for _ in range(pages)))
        cookies = storage.get("cookies", [])
        setting = (spare and spare.cookies_task) or self.background.start(self.current.jar.set_cookies(cookies))
        return await opening, setting

    async def close(self) -> None:
        """Close the browser context with its tabs, if it is open. End a running film, but keep its file."""
        film, self.film = self.film, None
        if film:
            await film.end()
        for end in list(self.on_close):
            end()
        for tab in self.tabs:
            self.tab_factory.forget(tab)
        self.pdfs.close()
        await self.current.close()

    async def new_context(self) -> BrowserContext:
        """Make an empty context in the browser, or return its profile's lasting one. Raises ProtocolError."""
        return await self.running.new_context(self.appearance.all_options(), name=self.name)

    async def _attach(self) -> None:
        """Subscribe the parts to events of Chromium's context; those of the default one also to all others'."""
        running, context = self.running, self.current.id if self.name else ""
        subscriber, handlers = (
            running.connection.events.subscribe(context),
            running.interception.handlers_for(context),
        )
        self._listener.attach(running, subscriber)
        self.init_scripts.follow(running.connection.events, subscriber)
        await self.guard.attach(running, handlers, subscriber)
        await self.extras.attach(running, handlers)
        self.conditions.attach(running, subscriber)
        await self.shaping.attach(running, handlers)
        self.clipboard.follow(subscriber)
        dialogs.watch_permission_requests(running, subscriber, self._listener.traffic.tab_of)
        self._downloader.follow(running, subscriber)
        self.tabs.most = running.params.settings.max_tabs
        disable_widget_rules(running.params.settings.widget_rules_off)
        self._windows.attach(running, subscriber)
        subscriber.on_moved = self._on_navigated
        self.dialogs.follow(subscriber, self._listener.traffic.tab_of)
        if self._handoff and self._handoff.recorder:
            self._handoff.recorder.follow(subscriber)

    def _make_source_maps(self) -> SourceMaps:
        """Make the object that maps positions in the context's scripts to their sources."""
        return SourceMaps(
            lambda: self.running.params.settings.source_maps,
            self.guard.may_request,
            self._listener.traffic.exchanges,
            lambda target: self.running.connection.open_session(target),
        )

    def restore_settings(self, state: ContextState) -> None:
        """Take over the settings that were saved in an earlier browser, but not its storage and tabs."""
        self.appearance = Appearance(
            state.user_agent,
            Screen(Size(*state.viewport), state.scale, state.mobile),
            Emulation.from_dict(state.emulation),
        )
        self.dialogs.policy = DialogPolicy(*state.dialogs)
        self.shared_from = state.shared_from
        self.imported = set(state.imported)
        self.extras.restore(state.extras)
        self.shaping.restore(state.shaping)
        self.conditions.throttle = Throttle.from_dict(state.throttle)
        self.conditions.set_emulation(self.appearance.emulation)
        self.init_scripts.restore(state.init_scripts, state.next_script)
        self.loaded_html.restore(state.loaded_html)
        for value in state.revealed:
            self.revealed.add(value)
        self.tabs.closed_tabs.unreported = state.departed
        self.reserve.continue_from(state.first_refs)
        self.logs.network.continue_count(state.requests)

    # the tabs

    def tab(self, number: int | str | None = None) -> Tab:
        """Return the tab of that number or name; None: the active one.

        Raises TabGone if it does not exist, or if the caller may not know yet that another tab has become active.
        Raises StateLost if a person has closed the window.
        """
        if self._handoff and not self.tabs:
            raise window_closed_error()
        if self.running.is_shared and isinstance(number, int):
            self.external_tabs.require_not_external(number)
        return self.tabs.find_by_name(number) if isinstance(number, str) else self.tabs.find(number)

    def switch_to(self, tab: Tab) -> None:
        """Make a tab the active one."""
        self.tabs.activate(tab.id)
        self.tabs.closed_tabs.mark_reported()

    @property
    def is_in_use_by_person(self) -> bool:
        """Return whether a person uses the context: in a handoff's window, or on our cookie picker."""
        return self.has_window or bool(self.visited)

    @property
    def has_window(self) -> bool:
        """Return whether the window of a handoff is open."""
        return bool(self.handoff and self.tabs)

    async def resize(self, tab: Tab, size: Size, scale: float | None) -> None:
        """Resize a tab's page; tabs opened later get the size too. `scale`: device pixels per CSS pixel."""
        self.check_not_in_window()
        before = self.appearance.screen
        screen = replace(before, size=size, scale=scale or before.scale)
        self.appearance = self.appearance._replace(screen=screen)
        await viewport.resize(tab, screen, self.running)

    def check_not_in_window(self) -> None:
        """Raise ActionFailed if a person has the pages in a window, whose size is theirs."""
        if self.handoff:
            raise ActionFailed("The window is the person's to resize", "Run 'resume' first")

    async def prepare(self, tab: Tab) -> None:
        """Make a tab ready for its first command (emulation, permissions, listeners); do nothing if it is.

        Raises ProtocolError if the page is gone.
        """
        async with tab.preparing:
            if tab.is_prepared:
                return
            target = tab.world.frames.target
            await self.clipboard.enable(target.browser_context)
            dialogs.refuse_passkeys(self.running, target)
            self._downloader.enable(self.running, target.browser_context)
            self._windows.watch(tab, target)
            target.on_change = tab.wake_waiters
            self._listener.traffic.assign_page(target.id, tab)
            await self.recording.keep_bodies(tab)
            if not (self.handoff or tab.is_taken or self.appearance.screen.is_default):
                await viewport.resize_page(tab, self.appearance.screen, self.running)
            elif not (self.handoff or tab.is_taken or self.running.is_shared):
                tab.screen = self.appearance.screen  # each page has that from the beginning
            if self.running.params.endpoint and not self.running.is_shared:
                target.session.notify("Emulation.setScrollbarsHidden", {"hidden": True})  # ours has a flag
            await grant_permissions(self.running, target.browser_context, self.appearance.emulation.permissions)
            if insecure := self.running.params.settings.insecure:
                await guard.ignore_certificate_errors(tab, target.session, insecure)
            tab.is_prepared = True
            self._on_change()  # its address is now what Chromium reports

    def _on_page_closed(self, tab: Tab) -> None:
        """Remove a tab whose page was closed by itself or by a person, not by a command."""
        if self.is_between:
            return
        if self.handoff:
            self.handoff.note_closed(tab.state())
        self.tabs.note_lost(tab, CLOSED_IN_WINDOW if self.handoff else CLOSED_ITSELF)
        self.tab_factory.forget(tab)
        if not self.running.is_shared:
            self.background.start(self.tab_factory.ensure_tab())

    def _on_navigated(self, target: Target) -> None:
        """Note that the main frame of a page has another URL, also by a step within its document."""
        tab = self._listener.traffic.tab_of(target.id)
        if tab and tab.page.target is target:
            tab.note_navigated()
            tab.wake_waiters()
            self._on_change()


async def _do_nothing() -> None:
    """Do nothing: the default of a callback."""
