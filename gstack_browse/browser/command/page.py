"""The first argument of handlers: `PageCommand`, a tab for one command, or `PageOpener`, the browser.

Also the keyboard, and `PollBudget`, the limit of polls under the command's deadline.
"""

import asyncio
import math
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any

from gstack_browse.browser import dialogs
from gstack_browse.browser.cdp import keys
from gstack_browse.browser.cdp.targets import ExecutionContext
from gstack_browse.browser.command.observer import (
    ActionObserver,
    ReportedEffect,
    describe_answered_dialog,
    take_unreported_dialogs,
    take_window_lines,
)
from gstack_browse.browser.command.page_settling import LOAD_SECONDS
from gstack_browse.browser.context.open_context import OpenContext
from gstack_browse.browser.devtools.page import Frame
from gstack_browse.browser.downloads import DownloadNews
from gstack_browse.browser.engine import failures
from gstack_browse.browser.engine.world import World
from gstack_browse.browser.tab.tab import CLOSED_IN_WINDOW, CLOSED_ITSELF, PERSON, HeldInput, Tab
from gstack_browse.browser.tab.urls import shown_url
from gstack_browse.errors import BrowseError, UsageError
from gstack_browse.registry.command import BrowserNeed, PageNeed


class Keyboard:
    """The keyboard of a tab, with the US layout.

    Events go to the page's session, and Chromium passes them to the frame that has the focus. Each is sent once the page has
    handled the one before. `held`: the keys that stay down between commands.
    """

    def __init__(self, world: World, held: HeldInput) -> None:
        self._world = world
        self._held = held

    async def press(self, key: str, *, pause: float = 0.0) -> None:
        """Press a key or chord, and release it after `pause` seconds. Raises UsageError for an unknown key."""
        is_repeated = keys.has_key(key) and keys.find_code(key) in self._held.codes
        events = keys.make_press(key, self._held.modifiers, is_repeated=is_repeated)
        if not events:
            raise _make_unknown_key_error(key)
        await self._send(events, pause)

    async def down(self, key: str, *, is_repeated: bool = False) -> None:
        """Press a key without releasing it. Raises UsageError for an unknown key.

        `is_repeated`: the key is down already.
        """
        self.require(key)
        await self._send([keys.make_down(key, self._held.modifiers, is_repeated=is_repeated)])

    async def up(self, key: str) -> None:
        """Release a key. Raises UsageError for an unknown key."""
        self.require(key)
        await self._send([keys.make_up(key, self._held.modifiers)])

    async def type(self, text: str, *, pause: float = 0.0) -> None:
        """Press the key of each character; insert those that no key types. `pause`: seconds that each is down."""
        for character in text:
            if keys.has_key(character) or keys.can_type(character):
                await self.press(character, pause=pause)
            else:
                await asyncio.sleep(pause)
                await self.insert_text(character)

    async def insert_text(self, text: str) -> None:
        """Insert a text without key events, as input methods do."""
        await self._world.session.send("Input.insertText", {"text": text})

    @staticmethod
    def require(key: str) -> None:
        """Raise UsageError if a US keyboard does not have the key."""
        if not keys.has_key(key):
            raise _make_unknown_key_error(key)

    async def _send(self, events: Sequence[dict[str, Any]], pause: float = 0.0) -> None:
        """Send key events in order. `pause`: seconds to keep the key down before the first `keyUp`."""
        for event in events:
            if pause and event["type"] == "keyUp":
                await asyncio.sleep(pause)
                pause = 0.0
            await self._world.session.send("Input.dispatchKeyEvent", event)


def _make_unknown_key_error(key: str) -> UsageError:
    """Return the error for a key that a US keyboard does not have."""
    return UsageError(f'Unknown key "{key}"', "A US keyboard has no such key: 'type' inserts the character")


_MARGIN = 0.25
"""Seconds subtracted from every wait, so that a command can explain its failure before its deadline."""


class PageCommand(PageNeed):
    """A tab for the length of one command, with its deadline and notes. Times: the event loop's clock."""

    def __init__(
        self, context: OpenContext, tab: Tab, *, deadline: float, seconds: float, patience: float | None
    ) -> None:
        """Begin a command that ends at `deadline`, `seconds` after it was asked for.

        patience: its option `--timeout` in seconds; None: it has none.
        """
        self.context = context
        self.tab = tab
        self.cwd = ""
        """The directory in which the command was typed."""
        self.is_step = False
        """Whether the command is a step of a chain."""
        self.notes: list[str] = []
        """Remarks for standard error, beside the result."""
        self.pipelined_call: Any = None
        """The query to send along with the next action, or its answer: see `find.PipelinedCall`."""
        self.acted_on: Any = None
        """Describes the elements that the command finds (`acted_on.ActedOnElements`); None: nobody wants to know."""
        self.lacks: BrowseError | None = None
        """Why the command still waits for an element. Reported if the deadline ends the wait."""
        self.document: ExecutionContext | None = None
        """The script context of the one document to act in; None for the current one."""
        self.output: str | None = None
        """The command's output once its work is done. A later deadline does not discard it."""
        self.waited: float | None = None
        """Seconds that a command has waited which raises TimeoutError before its deadline."""
        self.follows_redrawn = True
        """Whether a stale ref means the element that the page has drawn anew in its place. Not where a command waits for its end."""
        self.redrawn: dict[str, str] = {}
        """Stale refs of this command, each with that of the element that was drawn anew."""
        self.found_refs: set[str] = set()
        """Refs whose elements the command has found."""
        self._downloads_before = context.downloads.total
        self._deadline = deadline
        self._patience = patience
        self._seconds = seconds
        self._observer: ActionObserver | None = None
        self._has_acted = False
        """Whether the reply reports what followed an action."""

    @property
    def world(self) -> World:
        """Return the tab's isolated world, in which our scripts run."""
        return self.tab.world

    @property
    def keyboard(self) -> Keyboard:
        """Return the keyboard of the page that the tab shows."""
        return Keyboard(self.tab.world, self.tab.held)

    @property
    def frame(self) -> Frame:
        """Return the frame for selectors and scripts. Raises StaleRef if it was removed from the page."""
        frame = self.tab.frame
        if frame and frame.is_detached():
            raise failures.frame_gone_error()
        return frame or self.tab.page.main_frame

    def now(self) -> float:
        """Return the event loop's time in seconds."""
        return asyncio.get_running_loop().time()

    def remaining(self) -> float:
        """Return the seconds until the command's deadline, less 0.25 s to explain a failure; at least 0."""
        return max(self._deadline - _MARGIN - self.now(), 0.0)

    def wait_seconds(self, default: float) -> float:
        """Return how many seconds to wait: `--timeout`, else `default`; at most the command's time."""
        return min(self._patience if self._patience is not None else default, self._seconds)

    def give_up_time(self, default: float) -> float:
        """Return when (event loop's clock) to give up a wait: `--timeout` or `default` seconds from now.

        At the command's deadline at the latest.
        """
        return self.now() + min(self.wait_seconds(default), self.remaining())

    def budget(self, default: float) -> float:
        """Return `default` seconds, or the rest of the command's time if that is less; at least 0.05."""
        return max(min(default, self.remaining()), 0.05)

    def note_once(self, remark: str) -> None:
        """Add a remark to `notes`, unless it is there already."""
        if remark not in self.notes:
            self.notes.append(remark)

    def note_error_page(self) -> None:
        """If the tab shows Chromium's error page, add a note that names the address that was not opened."""
        if unopened := self.tab.page.main_frame.unopened:
            self.note_once(f"{shown_url(unopened)} was not opened: this is the browser's error page")

    def note_widget_rule(self, rule: str) -> None:
        """Note in the reply, and for `status`, which rule (`widgets/rules.js`) recognised a widget; "": none."""
        if not rule:
            return
        self.context.widget_rules[rule] += 1
        self.note_once(f"known by the widget rule {rule}")

    async def add_late_effects(self, text: str) -> str:
        """Return the reply `text` with what came while it was made: downloads, a file chooser, replaced refs.

        For a command without an action, add that and unreported dialogs and windows to `notes` instead, and return the text as it was.
        """
        downloads = DownloadNews(self.context.downloads, self.tab, self.cwd, before=self._downloads_before)
        outdated = downloads.outdated_lines() if self._has_acted else set()
        news = downloads.lines()
        if self.tab.effects.file_choosers.last:
            since = self.tab.effects.acted_at if self._observer else math.inf
            if asks := await dialogs.take_chooser_line(self.tab, since):
                news.append(f"→ {asks}")
        news += [f"→ {old} was drawn anew: {new}" for old, new in self.redrawn.items()]
        self.redrawn = {}
        if self._has_acted:
            lines = [line for line in text.split("\n") if line not in outdated] if outdated else [text]
            return "\n".join([*lines, *news])
        self.notes += [line.removeprefix("→ ") for line in news]
        self.notes += [
            f"earlier: {describe_answered_dialog(entry)}"
            for entry in take_unreported_dialogs(self.tab, self.context.logs)
        ]
        self.notes += [f"earlier: {line}" for line in take_window_lines(self.tab, self.context.tabs)]
        return text

    def request_turn_end(self) -> None:
        """Begin now to wait for the end of the page's event-loop turn, which the action waits for at its end.

        This saves a round trip while an answer is under way. Like the following `note_…`: does nothing outside of `action()`.
        """
        if self._observer:
            self._observer.settler.request_turn_end()

    def note_navigation_starting(self) -> None:
        """Note that the action is about to navigate, so that the wait for the new document begins."""
        if self._observer:
            self._observer.settler.note_navigation_starting()

    def note_arrival(self) -> None:
        """Note that the action has waited for its document itself, so that its end need not."""
        if self._observer:
            self._observer.settler.note_arrival()

    def note_loading_stopped(self) -> None:
        """Note that the action has stopped its document from loading, as time ran out: nothing waits for it."""
        if self._observer:
            self._observer.settler.note_loading_stopped()

    def note_turn_ended(self) -> None:
        """Note that the page has ended its event-loop turn since the action's input: no wait for it is needed."""
        if self._observer:
            self._observer.settler.note_turn_ended()

    def note_messages(self, texts: Sequence[str]) -> None:
        """Note the page's new messages (`says "Saved"`), as it tells them right after the action's input."""
        if self._observer:
            self._observer.note_messages(texts)

    @asynccontextmanager
    async def action(
        self, *reported: ReportedEffect, tells_messages: bool = False
    ) -> AsyncIterator[ActionObserver]:
        """Run an action within this context, wait for what it started, and observe what it caused.

        The observer's `report` makes the reply. `reported`: effects that the command reports itself. `tells_messages`: also
        report messages that the page shows since. Raises TabGone if the page crashed or was closed.
        """
        self._observer = observer = ActionObserver(
            self.context, self.tab, self.cwd, reported, tells_messages=tells_messages
        )
        self._has_acted = True
        self._bring_frames_to_front()
        if tells_messages:
            await asyncio.sleep(0)  # sends the observer's question first: input overtakes scripts that wait
        with self._attributing_effects(is_asked="url" not in reported):
            yield observer
            await observer.settle(self.remaining())
        await observer.name_sources(self.remaining())
        if refused := observer.refused_page():
            raise refused
        if observer.baseline.has_new_document:
            self.context.background.start(self.tab.world.load_engine())
        if (gone := self.tab.gone_error()) and self.tab.closed_reason not in (CLOSED_ITSELF, CLOSED_IN_WINDOW):
            raise gone

    def _bring_frames_to_front(self) -> None:
        """Bring the tab to the front of its window if its page has frames in other processes.

        Behind another tab a full Chromium gives such a frame some of the presses only, and no focus. Does nothing where a
        person may work in another tab.
        """
        if len(self.tab.world.frames.all()) > 1 and not self.context.running.may_have_person:
            self.tab.page.bring_to_front()

    @contextmanager
    def _attributing_effects(self, *, is_asked: bool = True) -> Iterator[None]:
        """Attribute downloads and windows that the page begins within this context to the command.

        `is_asked`: False for a navigation, which does not ask for what the new page does.
        """
        effects = self.tab.effects
        effects.downloads_before = self.context.downloads.total
        effects.permit_download()
        effects.acted_at = time.monotonic() if is_asked else math.inf
        if is_asked:
            effects.begin_action()
        try:
            yield
        finally:
            if is_asked:
                effects.end_action()

    @asynccontextmanager
    async def watching(self) -> AsyncIterator[None]:
        """Observe the page in an `async with` block, for a command such as `js` that prints its own result.

        Waits for a navigation that it started, and adds what it caused to `notes`.
        """
        self._observer = observer = ActionObserver(self.context, self.tab, self.cwd, ["requests"])
        with self._attributing_effects():
            yield
        with suppress(TimeoutError):
            async with asyncio.timeout(min(LOAD_SECONDS, self.remaining())):
                await observer.settler.wait_until_navigated()
        if refused := observer.refused_page():
            raise refused
        await observer.name_sources(self.remaining())
        self.notes += [line.removeprefix("→ ") for line in observer.lines()]


class PageOpener(BrowserNeed):
    """The browser for a command that chooses its tab, or opens one, with the command's deadline."""

    def __init__(
        self,
        context: OpenContext,
        *,
        tab: int | None,
        deadline: float,
        seconds: float,
        patience: float | None,
    ) -> None:
        self.context = context
        self.meant = tab
        """The tab that `--tab` names, if it was said."""
        self.waited: float | None = None
        """Seconds that a command has waited which raises TimeoutError before its deadline."""
        self.awaited: Tab | None = None
        """The tab that the command has waited for while a person had it; None for none."""
        self._deadline = deadline
        self._seconds = seconds
        self._patience = patience

    async def wait_until_given_back(self, tab: Tab) -> None:
        """Wait until the person who controls the tab (`watch --control`) gives it back."""
        if tab.lock.command == PERSON:
            self.awaited = tab
            await tab.wait_until(lambda: tab.lock.command != PERSON)

    @asynccontextmanager
    async def in_new_tab(self) -> AsyncIterator[PageCommand]:
        """Open a tab and yield its PageCommand. Close the tab if the block fails."""
        async with self.context.tab_factory.in_new_tab() as tab, tab.lock:
            yield self._make_command(tab)

    @asynccontextmanager
    async def in_temporary_tab(self) -> AsyncIterator[PageCommand]:
        """Open a tab that does not become the active one, yield its PageCommand, and close it at the end."""
        async with self.context.tab_factory.in_temporary_tab() as tab, tab.lock:
            yield self._make_command(tab)

    @asynccontextmanager
    async def in_tab(self, tab: Tab) -> AsyncIterator[PageCommand]:
        """Yield the PageCommand of an open tab, once no other command runs there and no person controls it."""
        await self.wait_until_given_back(tab)
        async with tab.lock:
            yield self._make_command(tab)

    def _make_command(self, tab: Tab) -> PageCommand:
        """Return a PageCommand for a tab, with this command's deadline."""
        return PageCommand(
            self.context, tab, deadline=self._deadline, seconds=self._seconds, patience=self._patience
        )


LEAST_LOOKS = 10
"""Least number of looks: on a busy machine the time may be over before the page's first answer."""


class PollBudget:
    """Counts polls of a page, and limits them: until the time `give_up`, and at least `least` of them.

    `give_up`: on the clock of `page.now()`, as `page.give_up_time` returns it. Polls nothing itself.
    """

    def __init__(self, page: PageCommand, give_up: float, least: int = LEAST_LOOKS) -> None:
        self._page = page
        self._give_up = give_up
        self._missing = least

    def has_met_limits(self) -> bool:
        """Count a poll. Return whether the time is over and at least `least` polls were made."""
        self._missing -= 1
        return self._missing <= 0 and self._page.now() >= self._give_up

    def is_exhausted(self) -> bool:
        """Count a poll. Return whether it was the last: the limits are met, or the command's time is over."""
        return self.has_met_limits() or not self._page.remaining()
