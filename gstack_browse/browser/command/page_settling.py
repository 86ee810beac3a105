"""Wait until the effects of an action have ended: navigations, requests, windows, downloads, drawing.

Many pages draw the effect of an action in the next animation frame. A read that follows an action at once waits for that frame, also a
read of the logs. A command typed later finds it drawn, and actions wait for their element anyway.

A read that is a step of a chain also waits up to 150 ms for changes by timers of the page. It waits for transitions and animations that
show, hide or move something and end within 500 ms, since a dialog may open at their end. `snapshot -D` always does. Not waited for are
transitions of colours, longer ones, and those in frames and shadow trees.

A page may change a field's value when the field loses the focus. Asking for that costs a fifth of `fill`. So only frames in which a text
was written into a field are asked, until no such field has the focus. The main frame's document is asked only if its last answer
announced a change.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress

from gstack_browse.browser.cdp.session import ProtocolError, consume_exception
from gstack_browse.browser.context.listener import Logs
from gstack_browse.browser.devtools.page import Frame
from gstack_browse.browser.downloads import DownloadNews
from gstack_browse.browser.engine.answer_types import ChangedFields
from gstack_browse.browser.engine.messages import FrameGone, PageScriptError
from gstack_browse.browser.tab.tab import Tab
from gstack_browse.browser.tab.table import TabTable
from gstack_browse.network.logs import ConsoleEntry, DialogEntry, NetworkEntry
from gstack_browse.text.sanitise import quote_text

LOAD_SECONDS = 2.0
"""Time limit for a page with its document to go on loading before the command returns and says so."""
TURN_SECONDS = 2.0
"""Time limit for a page to answer a ping before it counts as stuck in a script."""
ROUTE_FRAMES = 2
"""Animation frames in which a page may change its address after a script's request was answered."""
_FETCHES = frozenset({"fetch", "xhr"})
"""Kinds of requests that scripts make."""
QUIET_SECONDS = 1.0
"""Time limit for requests and new tabs of an action before the command returns and says so."""
WINDOW_SECONDS = 5.0
"""Time limit for certain windows: those that the page has asked for, and the tab that replaces the last one. They come at
once, except on a busy machine."""


class ActionBaseline:
    """A tab and its logs as they were before an action, and what has come since."""

    def __init__(self, tab: Tab, tabs: TabTable, logs: Logs) -> None:
        self.tab = tab
        self.tabs = tabs
        self.url = tab.url
        self.document = tab.document
        self.documents = tab.requests.documents
        self.arrivals = tab.arrivals
        self.dialogs = logs.dialog.total
        self.written_in = frames_written_in(tab)
        """Fields that may lose the focus, and change then."""
        main = tab.page.main_frame
        self.frames = {
            frame: frame.loader for frame in tab.page.frames if frame is not main and not frame.is_arriving
        }
        """Frame → Chromium's id of its document (loader id), for all frames but the main one, and those whose document is on its way
        already: this action does not bring it."""
        self._related = {other: other.requests.documents for other in tabs if _is_related(other, tab)}
        """Tab that the page has opened, or that has opened it → number of documents that its main frame had requested."""
        self._logs = logs
        self._next_tab = tabs.next_id
        self._requests = logs.network.total
        self._console = logs.console.total

    @property
    def has_new_document(self) -> bool:
        """Return whether the main frame has requested a document since the action began."""
        return self.tab.requests.documents != self.documents

    def opened_tabs(self) -> list[Tab]:
        """Return the tabs that pages (not commands) have opened since the action began."""
        if self.tabs.next_id == self._next_tab:
            return []
        return [tab for tab in self.tabs if tab.id >= self._next_tab and tab.opener]

    @property
    def has_related_tabs(self) -> bool:
        """Return whether the page has opened other tabs, or was opened by one."""
        return bool(self._related)

    def changed_related_tabs(self) -> list[Tab]:
        """Return the related tabs that have navigated or closed since, without a command of their own."""
        return [
            other
            for other, documents in self._related.items()
            if not other.lock.command and (other.closed_reason or other.requests.documents != documents)
        ]

    def requests(self) -> list[NetworkEntry]:
        """Return the logged requests of all tabs since the action began."""
        return self._logs.network.entries_since(self._requests)

    def pending_requests(self) -> list[str]:
        """Return the URLs of the tab's requests that began since the action and are still under way."""
        if self._logs.network.total == self._requests:
            return []
        begun = {id(entry) for entry in self.requests()}
        return [entry.url for entry in self.tab.requests.pending if id(entry) in begun]

    def has_fetched(self) -> bool:
        """Return whether scripts of the tab's page, which is still there, have made requests since."""
        if self._logs.network.total == self._requests or self.has_new_document:
            return False
        return any(entry.tab == self.tab.id and entry.kind in _FETCHES for entry in self.requests())

    def console_entries(self) -> list[ConsoleEntry]:
        """Return the log entries of the console since the action began."""
        return self._logs.console.entries_since(self._console)

    def dialog_entries(self) -> list[DialogEntry]:
        """Return the log entries of the tab's dialogs since the action began."""
        return [entry for entry in self._logs.dialog.entries_since(self.dialogs) if entry.tab == self.tab.id]


def _is_related(other: Tab, tab: Tab) -> bool:
    """Return whether another tab has a page, and that has opened `tab` or was opened by its page."""
    has_opened = tab.is_popup and tab.opener == other.id
    return not other.closed_reason and (has_opened or (other.is_popup and other.opener == tab.id))


class PageSettler:
    """Waits for what an action has started in a tab, such as a navigation or requests.

    Args:
        downloads: the downloads that the action began.
        present: makes sure that there is a tab, where the action closed the last one.
    """

    def __init__(
        self, baseline: ActionBaseline, downloads: DownloadNews, present: Callable[[], Awaitable[None]]
    ) -> None:
        self.is_stuck = False
        """Whether a script keeps the page busy."""
        self.is_cut = False
        """Whether the document was stopped from loading."""
        self.is_opening = False
        """Whether a window that the page has asked for was late."""
        self.lacks_download = False
        """Whether a file came as an attachment, and no download of it began."""
        self.has_waited = False
        """Whether there was anything to wait for after the page's last answer, so that the page may have changed since."""
        self._baseline = baseline
        self._tab = baseline.tab
        self._tabs = baseline.tabs
        self._downloads = downloads
        self._present = present
        self._turn: asyncio.Future[None] | None = None
        self._is_turn_over = False
        self._after_load: asyncio.Future[None] | None = None
        self._has_arrived = False

    def request_turn_end(self) -> None:
        """Begin to wait for the end of the page's event-loop turn now, so that `settle` saves a round trip.

        Replaces an earlier request, which may be answered by the end of an earlier turn.
        """
        self._is_turn_over = False
        self._turn = asyncio.ensure_future(self._tab.world.wait_event_loop_turn())
        self._turn.add_done_callback(consume_exception)

    def note_navigation_starting(self) -> None:
        """Note that the action will navigate: after the load, wait for the page's event-loop turn to end."""
        self._after_load = None
        self._tab.page.target.call_on_load(self._on_load)

    def _on_load(self) -> None:
        """Begin to wait for the end of the event-loop turn in which the page has loaded."""
        self._after_load = asyncio.ensure_future(self._tab.world.wait_event_loop_turn())
        self._after_load.add_done_callback(consume_exception)

    def note_arrival(self) -> None:
        """Note that the action has waited for its document itself, so that `settle` need not."""
        self._has_arrived = True

    def note_loading_stopped(self) -> None:
        """Note that the action has stopped its document from loading, so there is nothing to wait for."""
        self.is_cut = True

    def note_turn_ended(self) -> None:
        """Note that the page has ended its event-loop turn since the action, so `settle` need not wait for it."""
        self._is_turn_over = True

    async def settle(self, seconds: float) -> None:
        """Wait for the navigation and the requests that the action started, and for what those lead to.

        Takes at most `seconds`; requests without a navigation get QUIET_SECONDS together.
        """
        try:
            async with asyncio.timeout(seconds):
                await self._wait_until_quiet()
                await self._wait_for_route()
                await self._wait_for_related_tabs()
                await self._present_next_tab()
        except TimeoutError:
            pass  # the reply says what is still going on
        finally:
            effects = self._tab.effects
            self.lacks_download = effects.due_downloads > 0 and effects.is_attachment_due
            self._stop_expecting_windows()
            self._tab.page.target.call_on_load(lambda: None)

    def _stop_expecting_windows(self) -> None:
        """Note in `is_opening` whether a window that the page asked for is missing, and expect none any more."""
        self.is_opening = self._tab.effects.lacks_window
        self._tab.effects.stop_expecting()

    async def wait_until_navigated(self) -> None:
        """Wait for a started navigation, windows that the page asked for, and another tab if this one closed."""
        try:
            await self._wait_for_navigation()
            if self._tab.effects.lacks_window:
                await self._tab.wait_load_adjusted(self._is_no_window_due, WINDOW_SECONDS)
            await self._present_next_tab()
        finally:
            self._stop_expecting_windows()

    async def _wait_for_route(self) -> None:
        """Wait until the page has drawn what it has fetched, as routers do before they change the address.

        Next.js and Turbo render a fetched page before `pushState`; with a view transition that comes a frame later.
        """
        if not self._baseline.has_fetched():
            return
        for _ in range(ROUTE_FRAMES):
            if self._is_out_of_use() or self._tab.requests.is_navigating or self._tab.url != self._baseline.url:
                return
            await self._tab.work.await_until_dialog(self._tab.world.wait_next_frame(FRAME_SECONDS))

    async def _wait_for_related_tabs(self) -> None:
        """Wait until the opener and the popups that the action has navigated have their documents.

        QUIET_SECONDS at most.
        """
        with suppress(TimeoutError):
            async with asyncio.timeout(QUIET_SECONDS):
                await asyncio.gather(*map(_wait_until_arrived, self._baseline.changed_related_tabs()))

    async def _present_next_tab(self) -> None:
        """If the tab has closed, have an active tab again, and wait for it WINDOW_SECONDS at most."""
        if self._tab.closed_reason:
            with suppress(TimeoutError):  # the next tab opens all the same
                async with asyncio.timeout(WINDOW_SECONDS):
                    await self._present()

    async def _wait_for_navigation(self) -> None:
        """Wait until the tab has navigated and its new document has loaded, if the action started that."""
        if self._is_out_of_use() or self.is_cut:
            return
        has_arrived, self._has_arrived = self._has_arrived, False
        if not has_arrived:
            await self._wait_for_turn_end()
            if self._baseline.has_related_tabs or self._tabs.has_popup_of(self._tab):
                # a window that the page closes, or leads elsewhere, is closed or on its way one turn later
                await self._wait_for_turn_end()
            await self._tab.wait_until(
                lambda: not self._tab.requests.is_navigating or self._tab.open_dialog is not None
            )
        if self._baseline.has_new_document:
            if not has_arrived:
                await self._wait_for_turn_end()
            await self._tab.wait_until_loaded(LOAD_SECONDS)
            # `_on_load` awaits that turn already, unless another document has come since.
            if self._tab.requests.documents == self._baseline.documents + 1:
                self._turn, self._after_load = self._after_load, None
            await self._wait_for_turn_end()

    async def _wait_until_quiet(self) -> None:
        """Wait for navigations, then until the action's requests have ended, QUIET_SECONDS at most.

        The time of the navigations does not count.
        """
        loop = asyncio.get_running_loop()
        quiet_until = loop.time() + QUIET_SECONDS
        while True:
            began = loop.time()
            await self._wait_for_navigation()
            quiet_until += loop.time() - began
            left = quiet_until - loop.time()
            is_quiet = self._is_quiet()
            self.has_waited |= not is_quiet
            if is_quiet or not await self._tab.wait_load_adjusted(self._is_quiet, left):
                await self._tab.wait_load_adjusted(
                    self._is_no_window_due, left + WINDOW_SECONDS - QUIET_SECONDS
                )
                return

    async def _wait_for_turn_end(self) -> None:
        """Wait until the page ends its event-loop turn, with timers that are due, or navigates.

        Sets `is_stuck` if a script keeps the page's main thread busy.
        """
        if self._is_turn_over:
            self._is_turn_over = False
            return
        self.has_waited = True
        turn, self._turn = self._turn, None
        has_ended = await self._await_turn(turn or self._tab.world.wait_event_loop_turn())
        if has_ended or self._tab.requests.is_navigating:
            return  # Chromium answers nothing while a navigation begins
        self.is_stuck = await self._tab.world.is_main_thread_blocked()
        if not self.is_stuck:
            # on a busy machine the first turn took longer
            await self._await_turn(self._tab.world.wait_event_loop_turn())

    async def _await_turn(self, turn: Awaitable[None]) -> bool:
        """Await `turn`, the end of an event-loop turn. Return False if it takes more than TURN_SECONDS.

        True also if the page goes away or a dialog opens.
        """
        try:
            async with asyncio.timeout(TURN_SECONDS):
                await self._tab.work.await_until_dialog(turn)
        except (ProtocolError, FrameGone, PageScriptError):
            pass  # the page went away: that is the navigation to wait for, or its end
        except TimeoutError:
            return False
        return True

    def _is_out_of_use(self) -> bool:
        """Return whether the tab has closed or a dialog blocks it, so that nothing of it can be awaited."""
        return bool(self._tab.closed_reason or self._tab.open_dialog)

    def _is_no_window_due(self) -> bool:
        """Return whether no window must be awaited: none is certain to open, or the tab is closed or blocked."""
        return self._is_out_of_use() or not self._tab.effects.is_opening_certain

    def _is_quiet(self) -> bool:
        """Return whether no navigation, request, window or download of the action is under way.

        Also if nothing of the tab can be awaited.
        """
        return self._is_out_of_use() or not (
            self._tab.requests.is_navigating
            or self._baseline.pending_requests()
            or self._tab.effects.opening
            or self._tab.effects.due_downloads
            or self._downloads.has_running()
        )


async def _wait_until_arrived(tab: Tab) -> None:
    """Wait until no navigation of a tab's main frame is under way.

    If one has failed, wait for the browser's error page, too.
    """
    requests, frame = tab.requests, tab.page.main_frame
    await tab.wait_until(lambda: not (requests.is_navigating or requests.awaits_error_page(frame.loader)))


FRAME_SECONDS = 0.1
"""Time limit for a page to draw. One that is out of view, or stuck in a script, may never do so."""
LATE_SECONDS = 1.0
"""Longer time limit if the page's main thread is not blocked: the machine may be slow."""
QUIET_MILLISECONDS, MOST_MILLISECONDS = 50, 150
"""A step of a chain reads once the page was unchanged for the first, at latest after the second."""
MOST_SECONDS = 2.0
"""Time limit for the page's answer: timers of a page that is out of view are slow."""
RECENT_SECONDS = 1.0
"""Time after an action in which a read counts as following at once."""


async def wait_until_drawn(tab: Tab) -> None:
    """Wait until the page has drawn the last action's changes. Return at once without a recent action."""
    acted, tab.acted = tab.acted, 0.0
    if acted + RECENT_SECONDS > asyncio.get_running_loop().time():
        frame = asyncio.ensure_future(tab.world.wait_next_frame(FRAME_SECONDS))
        frame.add_done_callback(consume_exception)
        await asyncio.wait({frame}, timeout=FRAME_SECONDS)
        if not frame.done() and not await tab.world.is_main_thread_blocked():
            await asyncio.wait({frame}, timeout=LATE_SECONDS)


def watch_changes(tab: Tab, *, navigates: bool) -> None:
    """Start to record changes of the page's document for `wait_until_unchanged`; do not wait for the page.

    `navigates`: the command mostly opens another document. Then watch only if our scripts are loaded already: loading
    them would cost more than the wait.
    """
    tab.watched_document = None
    if not navigates or tab.world.frames.known_context(None):
        watching = asyncio.ensure_future(_watch_document(tab))
        watching.add_done_callback(consume_exception)


async def _watch_document(tab: Tab) -> None:
    """Start to record changes of the current document, and of no later one."""
    frames = tab.world.frames
    tab.watched_document = document = frames.known_context(None) or await frames.main_context()
    await tab.world.call("watchChanges", only=document)


async def wait_until_unchanged(tab: Tab) -> bool:
    """Wait until the document that `watch_changes` records has not changed for 50 ms.

    Returns True then, and at once if the document is not shown any more; False if it still changes after 150 ms.
    """
    watched, tab.watched_document = tab.watched_document, None
    if watched is None or watched is not tab.world.frames.known_context(None):
        return True
    is_unchanged = await _call_with_timeout(tab, "waitUntilUnchanged", QUIET_MILLISECONDS, MOST_MILLISECONDS)
    return is_unchanged is None or bool(is_unchanged)


async def wait_until_faded(tab: Tab) -> None:
    """Wait until transitions and animations that show, hide or move something have ended.

    Only for those that end within 500 ms.
    """
    await _call_with_timeout(tab, "waitUntilFaded")


async def _call_with_timeout(tab: Tab, function: str, *arguments: int) -> object:
    """Call the engine's function named `function` in a tab. Return its result; None if it fails or hangs."""
    try:
        async with asyncio.timeout(MOST_SECONDS):
            return await tab.world.call(function, *arguments)
    except (TimeoutError, FrameGone, PageScriptError, ProtocolError):
        return None


def watch_written_field(tab: Tab, frame: Frame) -> None:
    """Note that text was written into a frame's field: `list_field_changes` checks it after actions."""
    tab.written_in[frame] = tab.document


def frames_written_in(tab: Tab) -> list[Frame]:
    """Return the frames of the tab's present document in which commands have written text."""
    tab.written_in = {frame: document for frame, document in tab.written_in.items() if document == tab.document}
    return list(tab.written_in)


async def list_field_changes(tab: Tab, frames: Sequence[Frame]) -> list[str]:
    """Return a reply line for each written field whose value the page has changed since it lost the focus.

    `frames`: those to check, from `frames_written_in` before the action.
    """
    here = frames_written_in(tab) if frames else []
    main = tab.page.main_frame  # the only frame of which it is known that no field has changed
    due = [frame for frame in frames if frame in here and (frame != main or tab.world.has_changed_fields)]
    changes = await asyncio.gather(*(_list_field_changes_in(tab, frame) for frame in due)) if due else []
    return [line for lines in changes for line in lines]


async def _list_field_changes_in(tab: Tab, frame: Frame) -> list[str]:
    """Return a reply line for each field whose value the page has changed since it lost the focus.

    [] while the page navigates.
    """
    if tab.is_interrupted or tab.closed_reason:
        return []
    with suppress(FrameGone, PageScriptError, ProtocolError):  # the page is gone, which the observer reports
        changes: ChangedFields | None = await tab.work.await_until_dialog(
            tab.world.call("takeFieldsChangedAfterBlur", frame=frame)
        )
        if changes and not changes["waits"]:
            tab.written_in.pop(frame, None)
        if changes and changes["changed"]:
            refs = await tab.refs.refs_of(frame, [field["id"] for field in changes["changed"]])
            return [
                f"{ref} is {quote_text(field['value'], 80) if field['value'] else 'empty'} now"
                for ref, field in zip(refs, changes["changed"], strict=True)
                if ref
            ]
    return []
