"""Listens to what pages say: console messages and uncaught errors. Stops listening to a page that says too much.

Each message passes through the one pipe that the replies for all tabs come through, and costs some 0.1 ms of the
driver's time and ours, so that a page which logs in a loop would keep every other tab waiting. It is not listened to
for a while then; the log says so.
"""

import asyncio
import time
from collections.abc import Callable, Coroutine, Set
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from playwright.async_api import BrowserContext, ConsoleMessage, Page, WebError
from playwright.async_api import Error as PlaywrightError

from gstack_browse.browser.tab import Tab
from gstack_browse.browser.world import FrameGone
from gstack_browse.logs import rate
from gstack_browse.logs.entries import LOST, MAX_MESSAGE, ConsoleEntry, safe_url
from gstack_browse.logs.ring import Ring
from gstack_browse.text.redact import redact

FIRST_PAUSE_SECONDS = 1.0
LONGEST_PAUSE_SECONDS = 16.0
CALM_SECONDS = 10.0
"""After that long without a flood, the next one is again the first."""
FORGET_SECONDS = 0.5
_LEVELS = {"warning": "warn"}


@dataclass(eq=False)
class Speaker:
    """A page (or, as None, the service workers together) and how much it says."""

    page: Page | None
    recent: rate.Rate = field(default_factory=rate.Rate)
    pause_seconds: float = FIRST_PAUSE_SECONDS
    muted_since: float = 0.0
    """When we stopped listening, seconds since the epoch; 0 while we listen."""
    heard_again: float = 0.0


class Console:
    """Writes what the pages of one browser context say into the log, each entry with its tab."""

    def __init__(self, context: BrowserContext, log: Ring[ConsoleEntry], tabs: dict[Page, Tab]) -> None:
        self._log = log
        self._tabs = tabs
        self._speakers: dict[Page | None, Speaker] = {}
        self._waiting: set[asyncio.Task[None]] = set()
        self._subscription = Subscription(context, self._message)
        context.on("weberror", self._error)
        context.on("page", self._came)
        for page in context.pages:
            self._came(page)

    # what comes in

    def _message(self, message: ConsoleMessage) -> None:
        page, text = message.page, message.text
        if not self._is_heard(page, len(text)):
            return
        place = message.location
        url = safe_url(str(place.get("url", "")))
        where = f"{url}:{int(place.get('lineNumber', 0)) + 1}" if url else ""
        self._write(page, _LEVELS.get(message.type, message.type), text, where)

    def _error(self, failure: WebError) -> None:
        """An uncaught exception or unhandled rejection: its message, and the first place in its stack."""
        error = failure.error
        if not self._is_heard(failure.page, len(error.message)):
            return
        text = f"Uncaught {error.name}: {error.message}" if error.name else f"Uncaught {error.message}"
        stack = getattr(error, "stack", None) or ""
        where = next((line.strip()[3:] for line in stack.splitlines() if line.strip().startswith("at ")), "")
        place = failure.location
        if not where and place["url"]:
            where = f"{place['url']}:{place['line'] + 1}"
        self._write(failure.page, "error", text, safe_url(where))

    def _write(self, page: Page | None, level: str, text: str, where: str = "") -> None:
        tab = self._tabs.get(page) if page else None
        entry = ConsoleEntry(time.time(), tab.id if tab else 0, level, redact(text[:MAX_MESSAGE]), where)
        self._log.add(entry)

    # who is listened to

    def _came(self, page: Page) -> None:
        page.on("close", self._went)
        self._update()

    def _went(self, page: Page) -> None:
        self._speakers.pop(page, None)
        self._update()

    def _is_heard(self, page: Page | None, characters: int) -> bool:
        """Whether what a page says is kept. Counts it, and stops listening when it is too much."""
        speaker = self._speakers.get(page)
        if speaker is None:
            speaker = self._speakers[page] = Speaker(page)
        if speaker.muted_since:
            return False  # it was on its way already
        if speaker.recent.is_exceeded(time.monotonic(), characters):
            self._mute(speaker)
            return False
        return True

    def _mute(self, speaker: Speaker) -> None:
        now = time.time()
        if now - speaker.heard_again > CALM_SECONDS:
            speaker.pause_seconds = FIRST_PAUSE_SECONDS
        speaker.muted_since = now
        self._update()
        self._write(
            speaker.page,
            LOST,
            f"More than {rate.MOST_A_SECOND:,} messages a second: those that follow are not kept",
        )
        self._later(self._sit_out(speaker))

    def _unmute(self, speaker: Speaker) -> None:
        if self._speakers.get(speaker.page) is not speaker:
            return  # its page has closed
        speaker.heard_again = time.time()
        missed = speaker.heard_again - speaker.muted_since
        speaker.muted_since = 0.0
        speaker.recent = rate.Rate()
        speaker.pause_seconds = min(speaker.pause_seconds * 2, LONGEST_PAUSE_SECONDS)
        self._update()
        self._write(
            speaker.page, LOST, f"Listening again: what was said in the last {missed:.1f}s was not kept"
        )

    def _update(self) -> None:
        self._subscription.leave_out({who for who, speaker in self._speakers.items() if speaker.muted_since})

    async def _sit_out(self, speaker: Speaker) -> None:
        """Wait until it may have calmed down: for a while, or until the page is another one."""
        page = speaker.page
        forgetting = self._later(_forget_messages(page, self._tabs.get(page))) if page else None
        tab = self._tabs.get(page) if page else None
        if tab:
            arrivals = tab.arrivals
            self._later(tab.world.silence(True))
            await tab.until(lambda: tab.arrivals != arrivals, speaker.pause_seconds)
            self._later(tab.world.silence(False))
        else:
            await asyncio.sleep(speaker.pause_seconds)
        if forgetting:
            forgetting.cancel()
        self._unmute(speaker)

    def _later(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._waiting.add(task)
        task.add_done_callback(self._waiting.discard)
        return task


class Subscription:
    """What the driver sends us: the messages of a whole context, or, when some are left out, of every other page.

    The context is the rule, as it misses nothing that a popup says in its first moment.
    """

    def __init__(self, context: BrowserContext, handler: Callable[[ConsoleMessage], None]) -> None:
        self._context = context
        self._handler = handler
        self._whole = True
        self._pages: set[Page] = set()
        context.on("console", handler)

    def leave_out(self, muted: Set[Page | None]) -> None:
        """Hear everybody but those; None stands for service workers. Nothing is missed or comes twice meanwhile."""
        wanted = {page for page in self._context.pages if page not in muted} if muted else set()
        for page in wanted - self._pages:
            page.on("console", self._handler)
        if self._whole and muted:
            self._context.remove_listener("console", self._handler)
        elif not (self._whole or muted):
            self._context.on("console", self._handler)
        for page in self._pages - wanted:
            page.remove_listener("console", self._handler)
        self._pages, self._whole = wanted, not muted


async def _forget_messages(page: Page, tab: Tab | None) -> None:
    """Have the driver and the page let go, again and again, of what they keep of the messages nobody hears."""
    with suppress(PlaywrightError, FrameGone):  # it has closed
        while True:
            await page.clear_console_messages()
            if tab:
                await tab.world.session.send("Runtime.discardConsoleEntries")
            await asyncio.sleep(FORGET_SECONDS)
