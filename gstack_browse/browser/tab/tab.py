"""A tab: a number that never changes, its page, and the state of work in it.

Holds state; acts on nothing.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Hashable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeVar

from gstack_browse.browser.cdp import keys
from gstack_browse.browser.cdp.session import Session, consume_exception
from gstack_browse.browser.cdp.tasks import ANSWERS
from gstack_browse.browser.devtools.page import Frame, Page
from gstack_browse.browser.engine.world import World
from gstack_browse.browser.state.context_state import TabState
from gstack_browse.browser.state.emulation import Screen
from gstack_browse.browser.tab.effects import Effects, OpenDialog, PageRequest, RefusedRequest, Requests
from gstack_browse.errors import BrowseError, TabGone
from gstack_browse.snapshot.numbers import RefNumbers

if TYPE_CHECKING:
    from gstack_browse.browser.cdp.targets import ExecutionContext
    from gstack_browse.browser.engine.refs import Refs

PERSON = "watch --control"
"""The command in the lock of a tab in which a person acts."""


class TabLock:
    """The lock of a tab, held by the command that runs in the tab, or to keep commands out."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        self.command = ""
        """The name of the running command."""
        self.task: asyncio.Task[object] | None = None
        """The task that runs the command."""
        self.cut_off: BrowseError | None = None
        """Why `cancel_command` has cancelled the command; None if it has not."""
        self.waiting = 0
        """Number of commands waiting for the lock."""

    @property
    def is_held(self) -> bool:
        """Return whether a command or other work holds the lock."""
        return self._lock.locked()

    async def acquire(self) -> None:
        """Acquire the lock, after all who asked for it before."""
        self.waiting += 1
        try:
            await self._lock.acquire()
        finally:
            self.waiting -= 1

    def release(self) -> None:
        """Release the lock for the next command that waits for it."""
        self._lock.release()

    async def __aenter__(self) -> Self:
        await self.acquire()
        return self

    async def __aexit__(self, *_: object) -> None:
        self._lock.release()

    def begin(self, command: str) -> None:
        """Note that the current task, which holds the lock, runs a command. `command`: its name."""
        self.command = command
        self.task = asyncio.current_task()
        self.cut_off = None

    def end(self) -> None:
        """Note that the command passed to `begin` is done."""
        self.command = ""
        self.task = None

    def cancel(self) -> None:
        """Cancel the task of the running command, if there is one."""
        if self.task:
            self.task.cancel()

    def cancel_command(self, task: asyncio.Task[object] | None, why: BrowseError) -> None:
        """Cancel the running command if `task` runs it: its page will not answer. It fails with `why`."""
        if task and task is self.task:
            self.cut_off = why
            task.cancel()


BUTTONS = {"left": 1, "right": 2, "middle": 4}
PRESSURE = 0.5
"""Pressure of a mouse with a button down (Pointer Events 3, 4.1.1): Chromium gives pages the `force` of an event, 0 by default."""


class HeldInput:
    """Keys and mouse buttons that are held down in one page between commands, and the drag under way."""

    def __init__(self) -> None:
        self.keys: list[str] = []
        """Keys that are down, by the names that the user gave, in the order in which they were pressed."""
        self.button = ""
        """The button of the mouse that is down; "" for none."""
        self.at: tuple[float, float] | None = None
        """The pointer's place in the viewport; None if no command has moved it."""
        self.home: tuple[float, float] | None = None
        """The place where the button was pressed."""
        self.drag_data: dict[str, Any] | None = None
        """Chromium's data of an HTML5 drag that is under way."""
        self.intercepting: Session | None = None
        """The session that intercepts such drags."""
        self.ending: asyncio.Future[Any] | None = None
        """Done when a cancelled action has ended: the page got the end of a drag, or the text of a field."""

    @property
    def modifiers(self) -> int:
        """Return the protocol's bit mask of the modifier keys that are down."""
        return sum({keys.find_modifier(key) for key in self.keys})

    @property
    def codes(self) -> set[str]:
        """Return the codes (`KeyboardEvent.code`) of the keys that are down."""
        return {keys.find_code(key) for key in self.keys}

    @property
    def buttons(self) -> int:
        """Return the protocol's bit mask of the mouse buttons that are down."""
        return BUTTONS.get(self.button, 0)

    async def wait_until_ended(self, seconds: float) -> None:
        """Wait at most `seconds` until a cancelled action, which goes on in the page (`ending`), has ended."""
        give_up = time.monotonic() + seconds
        while (ending := self.ending) and (left := give_up - time.monotonic()) > 0:
            done, _ = await asyncio.wait([ending], timeout=left)
            if done and self.ending is ending:
                self.ending = None

    def lines(self) -> list[str]:
        """Return lines for a reply that say which keys and button are down, and which commands release them."""
        lines = []
        if self.button:
            lines.append(f"the {self.button} mouse button is down: 'mouse up' releases it")
        if self.keys:
            ways = ", ".join(f"'keyup {key}'" for key in self.keys)
            lines.append(f"{' and '.join(self.keys)} held down: {ways} to release")
        return lines


MOST = 50
"""Limit for subjects of a tab whose last picture is remembered."""


class SavedPicture(NamedTuple):
    """A saved picture: the digest of its file, its path, and the monotonic time it was taken."""

    digest: bytes
    path: Path
    at: float

    @property
    def age(self) -> float:
        """Return the picture's age in seconds."""
        return time.monotonic() - self.at


class TakenPictures:
    """The last pictures of a tab by what they show: an element, a rectangle, the page."""

    def __init__(self) -> None:
        self._by_subject: dict[Hashable, SavedPicture] = {}

    def find_identical(self, subject: Hashable, content: bytes) -> SavedPicture | None:
        """Return a subject's (element, rectangle, page) last picture if `content` is equal and it is on disk."""
        taken = self._by_subject.get(subject)
        return taken if taken and taken.digest == _hash_content(content) and taken.path.is_file() else None

    def note(self, subject: Hashable, content: bytes, path: Path) -> None:
        """Remember the file of a subject's (element, rectangle, page) last picture, and its content's hash."""
        self._by_subject.pop(subject, None)
        self._by_subject[subject] = SavedPicture(_hash_content(content), path, time.monotonic())
        if len(self._by_subject) > MOST:
            del self._by_subject[next(iter(self._by_subject))]


def _hash_content(content: bytes) -> bytes:
    """Return 16 bytes of BLAKE2b, to compare contents without keeping them."""
    import hashlib  # imported late: a start does not need it

    return hashlib.blake2b(content, digest_size=16).digest()


Result = TypeVar("Result")

CRASHED = "crashed"
CLOSED_ITSELF = "closed itself"
CLOSED_IN_WINDOW = "was closed in the person's window"
DIALOG_SECONDS = 1.0
"""Dialogs within this time of each other are in a row."""


class DialogHistory:
    """Counts the dialogs of a tab's page that come in a row, and which ones replies have reported."""

    def __init__(self) -> None:
        self.reported = 0
        """Number of dialogs in the context's log when a reply last reported them."""
        self.choice_reported_at = -1
        """The document, by number, for which a reply said that dialogs can be refused."""
        self._in_row = 0
        self._last = 0.0

    def begin_command(self) -> None:
        """Note that a command begins: dialogs that follow are not counted with earlier ones."""
        self._in_row = 0

    @property
    def has_dialog_in_command(self) -> bool:
        """Return whether a dialog came since the running command began."""
        return self._in_row > 0

    def count(self, now: float) -> int:
        """Count a dialog at `now` (monotonic). Return how many came one after the other, this one included.

        They count together if they come in the same command, or right after each other.
        """
        self._in_row = self.count_in_a_row(now) + 1
        self._last = now
        return self._in_row

    def count_in_a_row(self, now: float) -> int:
        """Return how many dialogs have come one after the other up to `now` (monotonic).

        0 if the last one is over DIALOG_SECONDS old.
        """
        return self._in_row if now - self._last < DIALOG_SECONDS else 0


class InterruptibleWork:
    """Work in a tab's page, which stops while a dialog is open and goes on once that is answered."""

    def __init__(self, tab: "Tab") -> None:
        self._tab = tab
        self._interrupted: set[asyncio.Future[Any]] = set()

    async def await_until_dialog(self, work: Awaitable[Result]) -> Result | None:
        """Await `work` in the page and return its result; None as soon as a dialog is open.

        The work goes on in the background, once the dialog is answered. If the caller is cancelled, it is cancelled, too.
        """
        task = asyncio.ensure_future(work)
        task.add_done_callback(lambda _: self._tab.wake_waiters())
        try:
            await self._tab.wait_until(lambda: task.done() or self._tab.open_dialog is not None)
        except BaseException:
            task.cancel()
            raise
        if task.done():
            return task.result()
        task.add_done_callback(consume_exception)
        self._interrupted.add(task)
        task.add_done_callback(self._interrupted.discard)
        return None

    async def run_until_dialog(self, work: Awaitable[Result]) -> Result | None:
        """Await an action and return its result; None if a dialog opens first. Never cancel the action.

        If the caller is cancelled, the next command that acts waits for the action's end (`held.ending`).
        """
        doing = asyncio.ensure_future(work)
        try:
            return await self.await_until_dialog(asyncio.shield(doing))
        except asyncio.CancelledError:
            doing.add_done_callback(consume_exception)
            self._tab.held.ending = doing
            raise

    async def wait_until_done(self, seconds: float) -> None:
        """Wait up to `seconds` until the work that a dialog interrupted is done, or another dialog opens."""
        await self._tab.wait_load_adjusted(
            lambda: not self._interrupted or self._tab.open_dialog is not None, seconds
        )


class Tab:
    """A tab with its page and the state of work in it. Commands run one at a time, holding its `lock`."""

    def __init__(self, number: int, page: Page, world: World, numbers: RefNumbers) -> None:
        self.id = number
        self.name = ""
        """What the user calls the tab; see `TabTable.call`."""
        self.is_taken = False
        """Whether the tab is a person's, and was taken: see `tab_taking`."""
        self.page = page
        self.world = world
        self.numbers = numbers
        """Numbers of the references, which continue over all pages of the tab."""
        self._refs: "Refs | None" = None
        self.lock = TabLock()
        self.frame: Frame | None = None
        """The frame that `frame` switched to; None is the main frame."""
        self.requests = Requests()
        self.stage: Callable[[], str] | None = None
        """Says how far a long command has come, for a person who waits."""
        self.effects = Effects()
        self.held = HeldInput()
        self.written_in: dict[Frame, int] = {}
        """Frames in which a text was written into a field, by the number of the tab's document: see `page_settling`."""
        self.pictures = TakenPictures()
        self.restored: TabState | None = None
        """The state that the tab is being taken back to, after a restart."""
        self.is_stuck = False
        """Whether the page hung when a command missed its deadline, and its script could not be stopped."""
        self.screen: Screen | None = None
        """The size of the page; None if it has the size of its window."""
        self.is_prepared = False
        """Whether the page is ready for commands: see `OpenContext.prepare`."""
        self.preparing = asyncio.Lock()
        """Held while the page is made ready."""
        self.document = 0
        """Our number of the document that the main frame shows: see `network/traffic.py`."""
        self.arrivals = 0
        """Number of the main frame's navigations, those within a document included."""
        self.collected = 0
        """Number of documents at the last garbage collection: see `garbage`."""
        self.reported_hidden = (0, 0)
        """The document and the number of characters of the last note on hidden text."""
        self.acted = 0.0
        """When the last action ended, by the event loop's clock; 0 once the page was read after it: see `page_settling.wait_until_drawn`."""
        self.watched_document: "ExecutionContext | None" = None
        """The document whose changes are recorded; None: none is, or they were waited for: see `page_settling.watch_changes`."""
        self.distrusted = ""
        """The certificate error that stopped the last navigation. Chromium itself only reports that it was stopped."""
        self.closed_reason = ""
        """Why the page is gone: a crash, or what closed it."""
        self.opener: int | None = None
        self.is_popup = False
        """Whether a page opened the tab."""
        self.is_unreported: bool | None = None
        """Whether a page opened the tab, and no reply has said so yet. None: none did, or it is not known yet."""
        self.has_address = False
        """Whether the tab is a window that was opened to go to an address."""
        self.open_dialog: OpenDialog | None = None
        """An open dialog that blocks the page: its own, or one of another page in its process."""
        self.dialogs = DialogHistory()
        self.work = InterruptibleWork(self)
        self._changed = asyncio.Event()

    @property
    def url(self) -> str:
        """Return the address of the page, or of the page that is still to be restored."""
        return (self.restored and self.restored.url) or self.page.url

    @property
    def refs(self) -> "Refs":
        """Return the references of the page that the tab shows."""
        if self._refs is None:
            from gstack_browse.browser.engine.refs import Refs  # imported late: a start does not need it

            self._refs = Refs(self.page, self.world, self.numbers)
        return self._refs

    def note_action(self, now: float) -> None:
        """Note that a command or a person has acted in the tab, so that the next read waits for the page.

        The wait is `page_settling.wait_until_drawn`; the next snapshot expects changes (`note_wait`). `now`: by the event loop's
        clock.
        """
        self.acted = now
        self.note_wait()

    def note_wait(self) -> None:
        """Note that a command has waited for the page, so that its next snapshot is likely to differ."""
        if self._refs:
            self._refs.expect_change()

    def state(self) -> TabState:
        """Return what a context's state keeps of the tab: number, URL, next ref numbers and name."""
        return TabState(self.id, self.url, following=self.numbers.following, name=self.name)

    def show(self, page: Page, world: World) -> None:
        """Make the tab show another page, and reset what was kept of the last one. Ref numbers go on counting."""
        self.page, self.world = page, world
        self._refs = None
        self.frame = None
        self.closed_reason = ""
        self.open_dialog = None
        self.effects.stop_expecting()
        self.held = HeldInput()
        self.screen = None
        self.is_prepared = False
        self.is_stuck = False
        self.requests.abandon()

    # the page's life

    @property
    def crashed(self) -> bool:
        """Return whether the renderer has crashed."""
        return self.closed_reason == CRASHED

    def note_gone(self, reason: str) -> None:
        """Note that the page is gone. `reason` completes "The page in tab 3 …"; only the first one is kept."""
        self.closed_reason = self.closed_reason or reason

    def gone_error(self) -> TabGone | None:
        """Return the error that explains why the page is lost; None while the page lives."""
        if not self.closed_reason:
            return None
        hint = "Run 'goto <url>' to load one again" if self.crashed else "Run 'tabs' to see what is open"
        return TabGone(f"The page in tab {self.id} {self.closed_reason}", hint)

    def note_crash(self) -> None:
        """Note that the page's process has crashed. Cancel the running command: it would get no answer."""
        self.closed_reason = CRASHED
        self.requests.abandon()
        self.wake_waiters()
        self.lock.cancel()

    def note_navigated(self) -> None:
        """Note that the main frame has navigated, perhaps within its document."""
        self.arrivals += 1
        self.frame = None

    # the command in its lock

    @contextmanager
    def running(self, command: str) -> Iterator[None]:
        """Note that `command` runs in this tab during the `with` block. The current task must hold its lock.

        Replaces an error or cancellation by TabGone if the page was lost, by DialogOpen if a dialog
        interrupted it.
        """
        self.lock.begin(command)
        self.dialogs.begin_command()
        try:
            yield
        except (Exception, asyncio.CancelledError) as error:
            is_cancelled = isinstance(error, asyncio.CancelledError)
            why = self.lock.cut_off or self.gone_error()
            if why is None or (is_cancelled and not (self.crashed or self.lock.cut_off)):
                raise
            if is_cancelled and (task := asyncio.current_task()):
                task.uncancel()
            raise why from None
        finally:
            self.lock.end()
            self.wake_waiters()

    # dialogs

    def note_dialog(self, dialog: OpenDialog) -> None:
        """Note that a dialog has opened, which blocks the page until it is answered."""
        self.open_dialog = dialog
        self.wake_waiters()

    def remove_dialog(self, dialog: OpenDialog) -> None:
        """Note that a dialog was answered, which no longer blocks the page."""
        if self.open_dialog is dialog:
            self.open_dialog = None
            self.wake_waiters()

    # requests and documents

    def note_request(self, request_id: str, request: PageRequest) -> None:
        """Note that the page has made a request (`request_id`: the protocol's)."""
        self.requests.begin(request_id, request)
        self.wake_waiters()

    def note_refusal(self, refused: RefusedRequest) -> None:
        """Note that a rule has refused a request of the page, for the reply of the next command."""
        refused.is_reported = True
        self.effects.refused.append(refused)
        self.wake_waiters()

    def end_request(self, request_id: str) -> None:
        """Note that the page's request with this id was answered or failed."""
        self.requests.end(request_id)
        self.wake_waiters()

    @property
    def is_interrupted(self) -> bool:
        """Return whether the page is navigating, or a dialog blocks it: it answers nothing then."""
        return self.requests.is_navigating or self.open_dialog is not None

    # waiting

    def wake_waiters(self) -> None:
        """Wake all waiters in `wait_until`, so that they check their condition again."""
        self._changed.set()

    async def wait_until(self, condition: Callable[[], bool], seconds: float | None = None) -> bool:
        """Wait until `condition` is true, checked whenever the tab changes. Return False after `seconds`."""
        if condition():
            return True
        try:
            async with asyncio.timeout(seconds):
                while True:
                    self._changed.clear()
                    await self._changed.wait()
                    if condition():
                        return True
        except TimeoutError:
            return False

    async def wait_load_adjusted(self, condition: Callable[[], bool], seconds: float) -> bool:
        """Wait until `condition` is true. Return False after `seconds`, later on a busy machine.

        There the browser must also answer ANSWERS pings: the time may pass before any process has run.
        """
        return await self.wait_until(condition, seconds) or await self.world.wait_until(condition, ANSWERS)

    async def wait_until_loaded(self, seconds: float | None = None) -> None:
        """Wait for the document's load event, or until the page is gone or a dialog opens.

        `seconds`: time limit, longer on a busy machine; None for no limit.
        """

        def is_over() -> bool:
            return bool(self.closed_reason or self.open_dialog) or self.page.target.has_loaded

        await (self.wait_until(is_over) if seconds is None else self.wait_load_adjusted(is_over, seconds))
