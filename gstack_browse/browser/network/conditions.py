"""Applies place, network, CPU and cache conditions to a session's pages, frames and workers.

Chromium keeps these for each target. A new target gets them when it is first reported, before it may run.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any

from gstack_browse.browser.cdp import tasks
from gstack_browse.browser.cdp.interception import ASKING_KINDS
from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.cdp.targets import Subscriber, Target
from gstack_browse.browser.cdp.throttling import SLOW_DOWN
from gstack_browse.browser.devtools.emulation_commands import DOCUMENTS, geolocation_params
from gstack_browse.browser.launch.running import RunningBrowser
from gstack_browse.browser.state.emulation import Emulation
from gstack_browse.network.shaping.throttle import NO_LIMITS, Throttle
from gstack_browse.registry.surroundings import Place

TARGET_SECONDS = 0.5
"""Time limit for a target's reply. One that hangs gets the message once it goes on; one that closes never replies."""
_CACHE_OFF = "Network.setCacheDisabled", {"cacheDisabled": True}
"""Also clears a process's memory cache, which may hold responses that rules gave."""
_CACHE_ON = "Network.setCacheDisabled", {"cacheDisabled": False}
_NETWORK, _CPU, _CACHE, _PLACE = "network", "cpu", "cache", "place"
_KINDS = {_NETWORK: ASKING_KINDS, _CACHE: ASKING_KINDS, _PLACE: DOCUMENTS}
"""Kinds of targets that take a part. CPU: see `CpuThrottle`."""

_Messages = Sequence[tuple[str, dict[str, Any]]]


class Conditions:
    """Of one session, whichever browser it is in."""

    def __init__(self) -> None:
        self.throttle = Throttle()
        self.is_offline = False
        """Whether `emulate --offline` is on. It is part of the same message as the limits."""
        self.place: Place | None = None
        """Where pages are told that they are; None for Chromium's own answer."""
        self.past_cache = False
        """Whether the cache is bypassed, since it holds responses that earlier rules gave."""
        self._loads_anew = False
        """Whether it is bypassed for a page that is to be as the server has it now."""
        self.closed_sockets: Sequence[str] = ()
        """URL patterns of the web sockets that cannot open (https://urlpattern.spec.whatwg.org)."""
        self._running: RunningBrowser | None = None
        self._heard: Subscriber | None = None

    def attach(self, running: RunningBrowser, heard: Subscriber) -> None:
        """Apply the conditions to targets of a browser context from now on."""
        self._running, self._heard = running, heard
        running.connection.events.call_for_targets(heard, self._apply_to_new_target)

    async def slow_down(self, throttle: Throttle) -> None:
        """Throttle network and processor in all targets."""
        before, self.throttle = self._make_messages(), throttle
        await self._send_changes(before)

    async def shape(self, *, past_cache: bool, closed_sockets: Sequence[str]) -> None:
        """Set in all targets whether the cache is bypassed, and which web sockets are blocked."""
        before = self._make_messages()
        self.past_cache, self.closed_sockets = past_cache, closed_sockets
        await self._send_changes(before)

    @asynccontextmanager
    async def load_anew(self) -> AsyncIterator[None]:
        """Bypass the cache for the time of this block: pages come from their servers."""
        before, self._loads_anew = self._make_messages(), True
        await self._send_changes(before)
        try:
            yield
        finally:
            before, self._loads_anew = self._make_messages(), False
            await self._send_changes(before)

    def follow(self, emulation: Emulation) -> None:
        """Take place and network state of an emulation, for targets that come."""
        self.is_offline, self.place = emulation.offline, emulation.geo

    async def change(self, emulation: Emulation) -> None:
        """Apply place and network state of an emulation to all targets."""
        before = self._make_messages()
        self.follow(emulation)
        await self._send_changes(before)

    async def apply_again(self) -> None:
        """Apply what differs from Chromium's own to all targets: an attached program may have changed it."""
        wanted, plain = self._make_messages(), Conditions()._make_messages()
        await self._send_parts([part for part in wanted if wanted[part] != plain[part]])

    def _apply_to_new_target(self, target: Target) -> None:
        """Send a target that was just attached whatever differs from Chromium's defaults."""
        wanted, plain = self._make_messages(), Conditions()._make_messages()
        for method, params in self._messages_for(
            target, (part for part in wanted if wanted[part] != plain[part])
        ):
            target.session.notify(method, params)

    async def _send_changes(self, before: dict[str, _Messages]) -> None:
        """Send all targets the messages that differ from `before`."""
        after = self._make_messages()
        await self._send_parts([part for part in after if after[part] != before[part]])

    async def _send_parts(self, parts: Sequence[str]) -> None:
        """Send these parts to all targets. Wait at most TARGET_SECONDS for those that hang."""
        if not parts or self._running is None or self._heard is None:
            return
        telling = [
            _send_unless_closed(target, method, params)
            for target in self._running.connection.events.targets_of(self._heard)
            for method, params in self._messages_for(target, parts)
        ]
        with suppress(TimeoutError):
            await tasks.run_with_timeout(self._running.connection, asyncio.gather(*telling), TARGET_SECONDS)

    def _messages_for(self, target: Target, parts: Iterable[str]) -> Iterable[tuple[str, dict[str, Any]]]:
        """Yield the messages (method, parameters) that apply these parts of the conditions to a target."""
        for part in parts:
            if part == _CPU:
                if target.throttle.can_change:
                    yield SLOW_DOWN, target.throttle.set_rate(self.throttle.cpu)
            elif target.kind in _KINDS[part]:
                yield from self._make_messages()[part]

    def _make_messages(self) -> dict[str, _Messages]:
        """Return the messages to send to targets, by part. Each part can be sent alone."""
        limits = self.throttle.to_network_conditions(offline=self.is_offline)
        network: list[tuple[str, dict[str, Any]]] = [("Network.emulateNetworkConditions", limits)]
        if self.closed_sockets:
            rules = [{"urlPattern": pattern, **NO_LIMITS, "offline": True} for pattern in self.closed_sockets]
            rules.append({"urlPattern": "", **limits})  # for all other URLs; this message replaces the first
            network.append(("Network.emulateNetworkConditionsByRule", {"matchedNetworkConditions": rules}))
        return {
            _NETWORK: network,
            _CPU: [(SLOW_DOWN, {"rate": self.throttle.cpu})],  # unless the target is slowed for its log
            _PLACE: [
                ("Emulation.setGeolocationOverride", geolocation_params(self.place and self.place._asdict()))
            ],
            _CACHE: [_CACHE_OFF] if self.past_cache or self._loads_anew else [_CACHE_OFF, _CACHE_ON],
        }


async def _send_unless_closed(target: Target, method: str, params: dict[str, Any]) -> None:
    """Send a request to a target. Ignore its failure: the target has closed."""
    with suppress(ProtocolError):  # the target has closed
        await target.session.send(method, params)
