"""Slows down the network and the scripts of a session's pages, their frames and workers: those that are open, and each new one at once.

Chromium keeps this for each target by itself. A new target hears of it as soon as we hear of the target, before it may run.
"""

import asyncio
from contextlib import suppress
from typing import Any

from gstack_browse.browser.cdp.audience import Subscriber
from gstack_browse.browser.cdp.interception import ASKING_KINDS
from gstack_browse.browser.cdp.playwright_names import Error as PlaywrightError
from gstack_browse.browser.cdp.targets import Target
from gstack_browse.browser.launch.launch import Running
from gstack_browse.shaping.throttle import Throttle

TARGET_SECONDS = 0.5
"""How long a target may take to say that it was told. One that hangs is told once it goes on; one that closes says nothing."""
SLOWED_KINDS = frozenset({"page", "iframe"})
"""Targets whose scripts Chromium can slow down."""


class Throttling:
    """Of one session, whichever browser it is in. `is_offline`: `emulate --offline` holds, which stands in the same message."""

    def __init__(self) -> None:
        self.throttle = Throttle()
        self.is_offline = False
        self._running: Running | None = None
        self._heard: Subscriber | None = None

    def attach(self, running: Running, heard: Subscriber) -> None:
        """Slow down the targets of a browser context of this browser, from now on."""
        self._running, self._heard = running, heard
        heard.begins = self._begins

    def _begins(self, target: Target) -> None:
        for method, params in self._messages(target) if self.throttle.is_on else ():
            target.observed.notify(method, params)

    async def set(self, throttle: Throttle) -> None:
        """Slow down so much in all targets. Those that hang are not waited for."""
        was_on, self.throttle = self.throttle.is_on, throttle
        if was_on or throttle.is_on:
            await self.tell()

    async def offline(self, is_offline: bool) -> None:
        """Playwright has taken the pages off the network, or has put them back, and has forgotten of the rest."""
        self.is_offline = is_offline
        if self.throttle.is_on:
            await self.tell()

    async def tell(self) -> None:
        """Tell all targets."""
        if self._running is None or self._heard is None:
            return
        tap = self._running.connection.tap
        telling = [
            _told(target, method, params)
            for target in tap.targets
            if tap.tells(self._heard, target)
            for method, params in self._messages(target)
        ]
        with suppress(TimeoutError):
            async with asyncio.timeout(TARGET_SECONDS):
                await asyncio.gather(*telling)

    def _messages(self, target: Target) -> list[tuple[str, dict[str, Any]]]:
        messages: list[tuple[str, dict[str, Any]]] = []
        if target.kind in ASKING_KINDS:
            conditions = self.throttle.conditions(offline=self.is_offline)
            messages.append(("Network.emulateNetworkConditions", conditions))
        if target.kind in SLOWED_KINDS:
            messages.append(("Emulation.setCPUThrottlingRate", {"rate": self.throttle.cpu}))
        return messages


async def _told(target: Target, method: str, params: dict[str, Any]) -> None:
    with suppress(PlaywrightError):  # it is gone
        await target.observed.send(method, params)
