"""Shape what a context's pages get, by rules, headers, logins and conditions.

Conditions are those of network, CPU, cache and place.

Rules apply where the guard checks requests and after it. So a rule holds for every frame, worker, window and redirect, and no rule opens
what is forbidden. Chromium pauses requests only while there are rules, and only for addresses that a rule may match. Headers and
credentials are added where Chromium pauses a request before sending it, and again after each redirect, by the origin that the request
goes to. Their values are in no `repr`.

Chromium keeps conditions for each target. A new target gets them when it is first reported, before it may run.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gstack_browse.browser.cdp import tasks
from gstack_browse.browser.cdp.interception import (
    ASKING_KINDS,
    ChangedRequest,
    Credentials,
    FailedRequest,
    FulfilledResponse,
    Headers,
    RequestHandlers,
    ShapingResult,
    encode_headers,
)
from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.cdp.targets import Subscriber, Target
from gstack_browse.browser.cdp.throttling import SLOW_DOWN
from gstack_browse.browser.devtools.emulation_commands import DOCUMENTS, geolocation_params
from gstack_browse.browser.launch.running import RunningBrowser
from gstack_browse.browser.network.traffic import Traffic, is_favicon_request
from gstack_browse.browser.state.emulation import Emulation
from gstack_browse.errors import BrowseError
from gstack_browse.network.logs import safe_url
from gstack_browse.network.shaping.rules import (
    ALL,
    ERRORS,
    RequestRule,
    RouteAction,
    RouteAnswer,
    RouteTable,
    add_cors_headers,
    choose_content_type,
    is_preflight,
    preflight_headers,
    preflight_method,
)
from gstack_browse.network.shaping.throttle import NO_LIMITS, Throttle
from gstack_browse.registry.surroundings import Place
from gstack_browse.security.policy.hosts import WEB, origin_or_empty
from gstack_browse.text.pattern import RequestGlob
from gstack_browse.text.redact import redact
from gstack_browse.text.sanitise import one_line
from gstack_browse.workspace import files

if TYPE_CHECKING:
    from gstack_browse.network.shaping.replay import HarReplay

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
    """Network limits, CPU rate, cache and place of a context's pages, in whichever browser they are."""

    def __init__(self) -> None:
        self.throttle = Throttle()
        self.is_offline = False
        """Whether `emulate --offline` is on. It is part of the same message as the limits."""
        self.place: Place | None = None
        """Where pages are told that they are; None for Chromium's own answer."""
        self.bypasses_cache = False
        """Whether the cache is bypassed, since it holds responses that earlier rules gave."""
        self._bypasses_cache_now = False
        """Whether it is bypassed for a page that is to be as the server has it now."""
        self.blocked_sockets: Sequence[str] = ()
        """URL patterns of the web sockets that cannot open (https://urlpattern.spec.whatwg.org)."""
        self._running: RunningBrowser | None = None
        self._subscriber: Subscriber | None = None

    def attach(self, running: RunningBrowser, subscriber: Subscriber) -> None:
        """Apply the conditions from now on to present and new targets whose events `subscriber` gets."""
        self._running, self._subscriber = running, subscriber
        running.connection.events.call_for_targets(subscriber, self._apply_to_new_target)

    async def set_throttle(self, throttle: Throttle) -> None:
        """Set the limits of network and processor for all targets."""
        before, self.throttle = self._make_messages(), throttle
        await self._send_changes(before)

    async def set_cache_and_sockets(self, *, bypasses_cache: bool, blocked_sockets: Sequence[str]) -> None:
        """Set for all targets whether the cache is bypassed, and which web sockets cannot open (URL patterns)."""
        before = self._make_messages()
        self.bypasses_cache, self.blocked_sockets = bypasses_cache, blocked_sockets
        await self._send_changes(before)

    @asynccontextmanager
    async def bypass_cache(self) -> AsyncIterator[None]:
        """Bypass the cache during the block, so that pages come from their servers."""
        before, self._bypasses_cache_now = self._make_messages(), True
        await self._send_changes(before)
        try:
            yield
        finally:
            before, self._bypasses_cache_now = self._make_messages(), False
            await self._send_changes(before)

    def set_emulation(self, emulation: Emulation) -> None:
        """Take geolocation and offline state from the context's emulation, for new targets only."""
        self.is_offline, self.place = emulation.offline, emulation.geo

    async def apply_emulation(self, emulation: Emulation) -> None:
        """Take geolocation and offline state from the context's emulation, for all targets."""
        before = self._make_messages()
        self.set_emulation(emulation)
        await self._send_changes(before)

    async def reapply(self) -> None:
        """Send all targets again what differs from Chromium's defaults: attached programs may have changed it."""
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
        """Send all targets the requests of changed parts. `before`: the earlier result of `_make_messages`."""
        after = self._make_messages()
        await self._send_parts([part for part in after if after[part] != before[part]])

    async def _send_parts(self, parts: Sequence[str]) -> None:
        """Apply parts of the conditions ("network", "cpu" …) to all targets. Wait TARGET_SECONDS if some hang."""
        if not parts or self._running is None or self._subscriber is None:
            return
        sending = [
            _send_unless_closed(target, method, params)
            for target in self._running.connection.events.targets_of(self._subscriber)
            for method, params in self._messages_for(target, parts)
        ]
        with suppress(TimeoutError):
            await tasks.run_with_timeout(self._running.connection, asyncio.gather(*sending), TARGET_SECONDS)

    def _messages_for(self, target: Target, parts: Iterable[str]) -> Iterable[tuple[str, dict[str, Any]]]:
        """Yield the protocol's requests (method, parameters) that apply parts of the conditions to a target."""
        for part in parts:
            if part == _CPU:
                if target.throttle.can_change:
                    yield SLOW_DOWN, target.throttle.set_rate(self.throttle.cpu)
            elif target.kind in _KINDS[part]:
                yield from self._make_messages()[part]

    def _make_messages(self) -> dict[str, _Messages]:
        """Return, for each part of the conditions ("network", "cpu" …), the protocol's requests that set it."""
        limits = self.throttle.to_network_conditions(offline=self.is_offline)
        network: list[tuple[str, dict[str, Any]]] = [("Network.emulateNetworkConditions", limits)]
        if self.blocked_sockets:
            rules = [{"urlPattern": pattern, **NO_LIMITS, "offline": True} for pattern in self.blocked_sockets]
            rules.append({"urlPattern": "", **limits})  # for all other URLs; this message replaces the first
            network.append(("Network.emulateNetworkConditionsByRule", {"matchedNetworkConditions": rules}))
        return {
            _NETWORK: network,
            _CPU: [(SLOW_DOWN, {"rate": self.throttle.cpu})],  # unless the target is slowed for its log
            _PLACE: [
                ("Emulation.setGeolocationOverride", geolocation_params(self.place and self.place._asdict()))
            ],
            _CACHE: [_CACHE_OFF]
            if self.bypasses_cache or self._bypasses_cache_now
            else [_CACHE_OFF, _CACHE_ON],
        }


async def _send_unless_closed(target: Target, method: str, params: dict[str, Any]) -> None:
    """Send a request of the protocol to a target. Ignore its failure: the target has closed."""
    with suppress(ProtocolError):  # the target has closed
        await target.session.send(method, params)


RULES = "rules"
"""The name of our patterns in the interception."""
MOST_BYTES = 20_000_000
"""Limit for a file of a rule's response, which goes to the browser in one message."""
READ_SECONDS = 5.0
"""Time limit for reading a file: on a dead file system it takes for ever."""
NO_CONTENT = 204
MOST_NAMED = 1000
"""Limit for requests under way whose rule is remembered."""


class Shaping:
    """Applies `route` rules and a replayed recording to a context's requests, in whichever browser it is."""

    def __init__(self, traffic: Traffic | None = None, conditions: Conditions | None = None) -> None:
        self.rules = RouteTable()
        self.replay: "HarReplay | None" = None
        """The recording that replaces all servers."""
        self._kept_replay: dict[str, Any] = {}
        self._conditions = conditions or Conditions()
        self._shapers: dict[tuple[str, str], tuple[str, int]] = {}
        """For the number and URL of an unfinished request: what shaped it, and the length of a made-up body or -1."""
        if traffic:
            traffic.shaped = lambda number, url: self._shapers.pop((number, url), ("", -1))
        self._running: RunningBrowser | None = None
        self._handlers = RequestHandlers()
        self._removed: dict[int, asyncio.Event] = {}
        """For the number of a rule: the event of its removal, which its delayed requests wait for."""

    async def attach(self, running: RunningBrowser, handlers: RequestHandlers) -> None:
        """Apply the rules and the replay to requests of a browser context from now on. Raises ProtocolError."""
        self._running, self._handlers = running, handlers
        handlers.shape = self._shape_request
        if kept := self._kept_replay:
            self._kept_replay = {}
            from gstack_browse.browser.network import har_answers  # imported late: no start needs it

            self.replay = await har_answers.reopen_replay(kept["path"], passes_on=kept["passes_on"])
        await self._update_patterns()

    async def _update_patterns(self) -> None:
        """Intercept requests that rules or replay may match. For them, bypass the cache, block web sockets."""
        if self._running:
            patterns, closed = self.rules.patterns(), self.rules.socket_patterns()
            if self.replay:
                patterns |= set(WEB)
                closed += [] if self.replay.passes_on else ALL
            await self._conditions.set_cache_and_sockets(bypasses_cache=bool(patterns), blocked_sockets=closed)
            await self._running.interception.set_patterns(self._handlers, RULES, patterns)

    async def add(self, pattern: RequestGlob, action: RouteAction) -> RequestRule:
        """Add a rule. Raises ProtocolError, and ActionFailed if there are too many."""
        rule = self.rules.add(pattern, action)
        try:
            await self._update_patterns()
        except BaseException:
            self.rules.remove(rule.number)
            raise
        return rule

    async def remove(self, number: int) -> RequestRule | None:
        """Remove the rule with this number, and let the requests go on that it delays. Return the rule.

        None if there is no such rule. Raises ProtocolError.
        """
        rule = self.rules.remove(number)
        if rule:
            self._removed.pop(number, asyncio.Event()).set()
            await self._update_patterns()
        return rule

    async def set_replay(self, replay: "HarReplay | None") -> None:
        """Answer requests from a HAR file from now on; None: from servers again. Raises ProtocolError."""
        before, self.replay = self.replay, replay
        try:
            await self._update_patterns()
        except BaseException:
            self.replay = before
            raise

    def state(self) -> dict[str, Any]:
        """Return rules and replay as values for JSON, for `restore` in the context's next browser."""
        number = self.rules.next_number
        rules = {"rules": self.rules.to_state(), "next": number} if number > 1 else {}
        if not self.replay:
            return rules
        return {**rules, "replay": {"path": self.replay.path, "passes_on": self.replay.passes_on}}

    def restore(self, state: dict[str, Any]) -> None:
        """Set the rules and the replay that `state` returned. Call this before `attach`.

        Raises TypeError, ValueError or KeyError for anything else.
        """
        replay = state.get("replay", {})
        if replay and [type(replay["path"]), type(replay["passes_on"])] != [str, bool]:
            raise TypeError
        self.rules.restore(state.get("rules", []), state.get("next", 1))
        self._kept_replay = replay

    async def _shape_request(self, event: dict[str, Any]) -> ShapingResult:
        """Apply the rules to a request, then the replay unless a rule has answered or failed it.

        Returns None for a request that goes on unchanged.
        """
        request = event["request"]
        shaped = await self._apply_rules(event, request)
        if isinstance(shaped, FulfilledResponse | FailedRequest) or self.replay is None:
            return shaped
        return await self._answer_from_recording(self.replay, event, request) or shaped

    async def shape_own_request(self, url: str, headers: dict[str, str]) -> ShapingResult:
        """Apply the rules and the replay to a GET request that gbrowse makes itself, outside the browser."""
        return await self._shape_request({"request": {"method": "GET", "url": url, "headers": headers}})

    async def _apply_rules(self, event: dict[str, Any], request: dict[str, Any]) -> ShapingResult:
        """Apply the newest matching rule to a request, and count its use. Return None if no rule changes it."""
        if is_preflight(request["method"], request["headers"]):
            return self._answer_preflight(request)
        rule = self.rules.choose(request["method"], request["url"])
        if rule is None:
            return None
        rule.hits += 1
        self._record_shaper(event, rule.name)
        is_removed = await self._wait_for_delay(rule)
        shaped = None if is_removed else await self._apply_rule(rule, request)
        self._record_shaper(event, rule.name, shaped)
        return shaped

    async def _answer_from_recording(
        self, replay: "HarReplay", event: dict[str, Any], request: dict[str, Any]
    ) -> ShapingResult:
        """Answer a request from the replayed HAR file; None if its server has to answer."""
        from gstack_browse.browser.network import har_answers

        url = request["url"]
        if is_favicon_request(event.get("resourceType", ""), url) and not replay.has_answer("GET", url):
            return (
                None if replay.passes_on else har_answers.FAILED
            )  # a full Chromium requests icons by itself: this is no miss
        shaped = await har_answers.find_recorded_answer(replay, request)
        if shaped:
            self._record_shaper(event, "har-replay", shaped)
        return await self._delay_answer(shaped) if isinstance(shaped, FulfilledResponse) else shaped

    def _record_shaper(self, event: dict[str, Any], name: str, shaped: ShapingResult = None) -> None:
        """Remember for the log which rule or replay (`name`) handled a request, if the log has this request."""
        if "networkId" not in event:
            return
        size = len(shaped.body) if isinstance(shaped, FulfilledResponse) else -1
        self._shapers[event["networkId"], redact(safe_url(event["request"]["url"]))] = name, size
        if len(self._shapers) > MOST_NAMED:
            del self._shapers[next(iter(self._shapers))]

    def removal_hint(self, url: str) -> str:
        """Return a hint how to end the rule or replay that may have blocked `url`, such as `unroute 2`.

        "" if none has blocked it.
        """
        if self.replay and self.replay.has_refused(url):
            return f"It is not in {self.replay.name}, which is replayed: 'har-replay off' ends that"
        rule = self.rules.find_applied("GET", url.partition("#")[0])
        return (
            f"Route {rule.number} holds for it ({rule.action.summary}): 'unroute {rule.number}'" if rule else ""
        )

    async def _wait_for_delay(self, rule: RequestRule) -> bool:
        """Wait for the delay that a rule sets. Return whether the rule was removed meanwhile."""
        if not rule.action.delay_ms:
            return False
        removed = self._removed.setdefault(rule.number, asyncio.Event())
        try:
            return await asyncio.wait_for(removed.wait(), rule.action.delay_ms / 1000)
        except TimeoutError:
            return False

    async def _apply_rule(self, rule: RequestRule, request: dict[str, Any]) -> ShapingResult:
        """Return what a rule does to a request: fail it, change headers, or answer it; None if it only delays."""
        action = rule.action
        if action.error:
            return FailedRequest(ERRORS[action.error])
        if action.change:
            return ChangedRequest(action.change.apply(request["headers"]))
        return await self._build_answer(rule, action.answer, request) if action.answer else None

    async def _build_answer(
        self, rule: RequestRule, answer: RouteAnswer, request: dict[str, Any]
    ) -> ShapingResult:
        """Return the response that a rule has for a request.

        If its file cannot be read, note that in the rule, and fail the request.
        """
        rule.trouble = ""
        try:
            async with asyncio.timeout(READ_SECONDS):
                body = await asyncio.to_thread(_read_body, answer)
        except BrowseError as error:
            rule.trouble = f"the last answer failed: {error.message}"
        except TimeoutError:
            rule.trouble = (
                f"the last answer failed: {one_line(answer.file)} cannot be read in {READ_SECONDS:.0f}s"
            )
        else:
            headers = add_cors_headers(request["headers"], request["url"], answer.headers)
            return await self._delay_answer(
                FulfilledResponse(body, choose_content_type(answer), answer.status, headers)
            )
        return FailedRequest(ERRORS["failed"])

    async def _delay_answer(self, answer: FulfilledResponse) -> ShapingResult:
        """Delay a response of our own as the emulated network would: Chromium only slows down what it fetches."""
        if self._conditions.is_offline:
            return FailedRequest(ERRORS["offline"])
        await asyncio.sleep(self._conditions.throttle.transfer_seconds(len(answer.body)))
        return answer

    def _answer_preflight(self, request: dict[str, Any]) -> ShapingResult:
        """Answer a CORS preflight if a rule answers or fails the request that it is for; else return None.

        The server must not decide on it. The rule counts the request itself.
        """
        rule = self.rules.choose(preflight_method(request["headers"]), request["url"])
        if rule and (rule.action.answer or rule.action.error):
            return FulfilledResponse(b"", "", NO_CONTENT, preflight_headers(request["headers"]))
        return None


def _read_body(answer: RouteAnswer) -> bytes:
    """Return the body of the response that a rule has: its text, or the content of its file.

    Blocks. Raises FileFailed, and Refused if a link is in the file's path by now.
    """
    if not answer.file:
        return answer.body.encode("utf-8", "surrogatepass")
    return files.read_limited(answer.file, MOST_BYTES)


EXTRAS = "extras"
"""The name of our patterns in the interception."""


@dataclass(frozen=True)
class ExtraHeader:
    """A header of every request, or of those to `origin`."""

    name: str
    value: str = field(repr=False)
    origin: str = ""


class RequestExtras:
    """Adds headers and credentials to a context's requests, in whichever browser it is."""

    def __init__(self) -> None:
        self.headers: list[ExtraHeader] = []
        self._credentials: dict[str, Credentials] = {}
        self._running: RunningBrowser | None = None
        self._handlers = RequestHandlers()

    async def attach(self, running: RunningBrowser, handlers: RequestHandlers) -> None:
        """Add the headers and credentials to all later requests of a browser context.

        Raises ProtocolError.
        """
        self._running, self._handlers = running, handlers
        handlers.headers = self._merged_headers
        handlers.credentials = self._credentials.get
        await self._update_patterns()

    async def _update_patterns(self) -> None:
        """Intercept requests only while there are headers or credentials to add, since that costs time."""
        if self._running:
            is_needed = self.headers or self._credentials
            await self._running.interception.set_patterns(self._handlers, EXTRAS, WEB if is_needed else ())

    async def add(self, header: ExtraHeader) -> None:
        """Add a header to later requests. It replaces one of the same name and origin. Raises ProtocolError."""
        self._drop(header.name, header.origin)
        self.headers.append(header)
        await self._update_patterns()

    async def remove(self, name: str, origin: str) -> bool:
        """Remove a header ("" as origin: one for all). Return False without one. Raises ProtocolError."""
        was_there = self._drop(name, origin)
        await self._update_patterns()
        return was_there

    def _drop(self, name: str, origin: str) -> bool:
        """Remove a header from the list; return False if it does not exist."""
        kept = [item for item in self.headers if (item.name.lower(), item.origin) != (name.lower(), origin)]
        was_there = len(kept) < len(self.headers)
        self.headers = kept
        return was_there

    async def log_in(self, origin: str, user: str, password: str) -> None:
        """Store user and password, to send them when a server at `origin` asks for them. Raises ProtocolError."""
        self._credentials[origin] = user, password
        await self._update_patterns()

    async def log_out(self, origin: str) -> bool:
        """Remove an origin's credentials; return False if it has none. Raises ProtocolError."""
        was_there = self._credentials.pop(origin, None) is not None
        await self._update_patterns()
        return was_there

    @property
    def users(self) -> dict[str, str]:
        """Return the user name of each origin that has stored credentials."""
        return {origin: user for origin, (user, _) in self._credentials.items()}

    def headers_of(self, origin: str) -> list[tuple[str, str]]:
        """Return (name, value) of each header added for an origin. One for this origin overrides one for all."""
        ours = [item for item in self.headers if item.origin in ("", origin)]
        named = {item.name.lower(): item for item in sorted(ours, key=lambda item: item.origin)}
        return [(item.name, item.value) for item in named.values()]

    def credentials_of(self, origin: str) -> Credentials | None:
        """Return user and password that are stored for an origin; None if there are none."""
        return self._credentials.get(origin)

    def _merged_headers(self, request: dict[str, Any]) -> Headers | None:
        """Return a request's headers with the added ones, which replace those of the same name.

        None if there is none to add. `request`: the protocol's `Network.Request`.
        """
        ours = self.headers_of(origin_or_empty(request["url"]))
        if not ours:
            return None
        taken = {name.lower() for name, _ in ours}
        theirs = [(name, value) for name, value in request["headers"].items() if name.lower() not in taken]
        return encode_headers([*theirs, *ours])

    def state(self) -> dict[str, Any]:
        """Return headers and credentials as values for JSON, for `restore` in the context's next browser."""
        headers = [[item.name, item.value, item.origin] for item in self.headers]
        return {
            "headers": headers,
            "credentials": [[origin, *pair] for origin, pair in self._credentials.items()],
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Set the headers and credentials that `state` returned. Call this before `attach`."""
        self.headers = [ExtraHeader(*fields) for fields in state.get("headers", [])]
        self._credentials = {
            origin: (user, password) for origin, user, password in state.get("credentials", [])
        }
