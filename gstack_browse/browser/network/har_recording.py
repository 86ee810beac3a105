"""Record a context's requests for HAR files and traces.

During a recording more is kept of each request, and Chromium keeps bodies beyond their documents.
"""

import asyncio
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from enum import Enum
from typing import NamedTuple

from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.network.exchanges import MOST_BYTES, MOST_FRAMES, Chain
from gstack_browse.browser.network.traffic import Traffic
from gstack_browse.browser.tab.tab import Tab

RECORDED_BYTES = 64_000_000
"""Limit for messages, which is about 10,000 requests."""
RECORDED_FRAMES = 5_000
PAGE_BYTES, BODY_BYTES = 20_000_000, 5_000_000
"""Limits for a page's bodies and for one body in Chromium. Its network process needs 1.5 times as much."""
COVER_SECONDS = 0.5
"""Time limit for a page to confirm that its bodies are kept."""
_DURABLE = "Network.configureDurableMessages"


class Purpose(Enum):
    """The purposes of recording requests. Each begins and ends by itself."""

    HAR = "har"
    TRACE = "trace"


class _RecordingStart(NamedTuple):
    """The start of a recording: seconds since the epoch, and the number of the next request in the log."""

    at: float
    first: int


class Recording:
    """A recording of one context's requests, for a HAR file, a trace, or both.

    It goes on when the context gets another browser.
    """

    def __init__(self, traffic: Traffic) -> None:
        self.changing = asyncio.Lock()
        """Held while a command begins or ends a recording: a second one meanwhile waits, and finds it done."""
        self._begun: dict[Purpose, _RecordingStart] = {}
        self._traffic = traffic

    def __bool__(self) -> bool:
        return bool(self._begun)

    def start_time(self, purpose: Purpose) -> float:
        """Return when the recording for `purpose` began, in seconds since the epoch; 0 if none runs."""
        return self._begun[purpose].at if purpose in self._begun else 0.0

    async def begin(self, tabs: Iterable[Tab], purpose: Purpose) -> None:
        """Begin to record requests for `purpose`, and have Chromium keep the bodies of `tabs`."""
        kept = self._traffic.exchanges
        if not self:
            kept.most_bytes, kept.most_frames, kept.dropped = RECORDED_BYTES, RECORDED_FRAMES, 0
            self._traffic.measure_bodies(is_wanted=True)
        self._begun[purpose] = _RecordingStart(time.time(), self._traffic.log.total + 1)
        await asyncio.gather(*map(self.keep_bodies, tabs))

    async def keep_bodies(self, tab: Tab) -> None:
        """Have Chromium keep the bodies of a tab's responses, while a recording runs.

        Chromium replies once its network service keeps them. That service gets requests by another way: one that
        is sent before the reply may lose its body.
        """
        if not self:
            return
        sizes = {"maxTotalBufferSize": PAGE_BYTES, "maxResourceBufferSize": BODY_BYTES}
        with suppress(TimeoutError):
            await tab.world.run_with_timeout(self._set_kept_sizes(tab, sizes), COVER_SECONDS)

    def steps(self, purpose: Purpose) -> Iterator[tuple[Chain, int]]:
        """Yield the recorded requests in the order of the log: each as a redirect chain and an index in it."""
        first = self._begun[purpose].first
        recorded = (item for item in self._traffic.exchanges if self._log_number(item) >= first)
        return iter(sorted(recorded, key=self._log_number))

    def count(self, purpose: Purpose) -> int:
        """Return how many requests were made since the recording for `purpose` began; 0 if none runs."""
        return max(self._traffic.log.total - self._begun[purpose].first + 1, 0) if purpose in self._begun else 0

    @property
    def dropped(self) -> int:
        """Return how many of the oldest requests were dropped for lack of room."""
        return self._traffic.exchanges.dropped

    async def end(self, tabs: Iterable[Tab], purpose: Purpose) -> None:
        """End the recording for `purpose`. If no other one runs, keep only as much as without a recording."""
        self._begun.pop(purpose, None)
        if self:
            return
        kept = self._traffic.exchanges
        kept.most_bytes, kept.most_frames = MOST_BYTES, MOST_FRAMES
        kept.shrink()
        self._traffic.measure_bodies(is_wanted=False)
        with suppress(TimeoutError):
            async with asyncio.timeout(COVER_SECONDS):
                await asyncio.gather(*(self._set_kept_sizes(tab, {}) for tab in tabs))

    @staticmethod
    def _log_number(item: tuple[Chain, int]) -> int:
        """Return the number in the network log of a request, given by its redirect chain and index there."""
        chain, index = item
        return chain.steps[index].entry.number

    @staticmethod
    async def _set_kept_sizes(tab: Tab, sizes: dict[str, int]) -> None:
        """Set how many bytes of bodies Chromium keeps for a page, unless it has closed.

        `sizes`: parameters of `Network.configureDurableMessages`; {}: the default.
        """
        with suppress(ProtocolError):  # the page has just closed
            await tab.world.frames.target.session.send(_DURABLE, sizes)
