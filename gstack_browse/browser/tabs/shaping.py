"""What becomes of a session's requests on their way: rules are applied where the guard judges, and behind it.

So a rule holds for every frame, worker, window and step of a redirection, and none opens what is forbidden. Chromium asks only while there are
rules, and only of addresses that one could be for.
"""

import asyncio
from typing import TYPE_CHECKING, Any

from gstack_browse import files
from gstack_browse.browser.cdp.interception import (
    ChangedRequest,
    FailedRequest,
    FulfilledResponse,
    RequestHandlers,
    Shaped,
)
from gstack_browse.browser.launch.running import RunningBrowser
from gstack_browse.browser.tabs.conditions import Conditions
from gstack_browse.browser.tabs.traffic import Traffic, is_for_icon
from gstack_browse.errors import BrowseError, FileFailed
from gstack_browse.logs.entries import safe_url
from gstack_browse.policy.hosts import WEB
from gstack_browse.shaping import sockets
from gstack_browse.shaping.answers import (
    add_cors_headers,
    choose_content_type,
    is_preflight,
    preflight_headers,
    preflight_method,
)
from gstack_browse.shaping.rules import ERRORS, RequestRule, RouteAction, RouteAnswer, RouteTable
from gstack_browse.text.redact import redact
from gstack_browse.text.requests import RequestGlob
from gstack_browse.text.sanitise import one_line

if TYPE_CHECKING:
    from gstack_browse.shaping.replay import HarReplay

NAME = "rules"
"""By which the interception knows our patterns."""
MOST_BYTES = 20_000_000
"""Of a file that is answered with. It goes to the browser in one message."""
READ_SECONDS = 5.0
"""How long a file may take to be read: one on a dead file system takes for ever."""
NO_CONTENT = 204
MOST_NAMED = 1000
"""Requests under way whose rule is remembered."""


class Shaping:
    """Of one session, whichever browser it is in."""

    def __init__(self, traffic: Traffic | None = None, conditions: Conditions | None = None) -> None:
        self.rules = RouteTable()
        self.replay: "HarReplay | None" = None
        """The recording that stands in the place of all servers."""
        self._kept_replay: dict[str, Any] = {}
        self._conditions = conditions or Conditions()
        self._shapers: dict[tuple[str, str], tuple[str, int]] = {}
        """By number and URL of a request that has not ended, what has changed its course, and the length of a body that it has given, or -1."""
        if traffic:
            traffic.shaped = lambda number, url: self._shapers.pop((number, url), ("", -1))
        self._running: RunningBrowser | None = None
        self._handlers = RequestHandlers()
        self._removed: dict[int, asyncio.Event] = {}
        """By the number of a rule, what its delayed requests wait for."""

    async def attach(self, running: RunningBrowser, handlers: RequestHandlers) -> None:
        """Apply the rules to the requests of a browser context of this browser from now on. Raises Playwright's Error."""
        self._running, self._handlers = running, handlers
        handlers.shape = self._shape
        if kept := self._kept_replay:
            self._kept_replay = {}
            from gstack_browse.browser.tabs import har_answers  # no start needs it

            self.replay = await har_answers.restored(kept["path"], passes_on=kept["passes_on"])
        await self._arm()

    async def _arm(self) -> None:
        """Tell Chromium which requests to ask for, and what is beside that."""
        if self._running:
            patterns, closed = self.rules.patterns(), self.rules.socket_patterns()
            if self.replay:
                patterns |= set(WEB)
                closed += [] if self.replay.passes_on else sockets.ALL
            await self._conditions.shape(past_cache=bool(patterns), closed_sockets=closed)
            await self._running.interception.set_patterns(self._handlers, NAME, patterns)

    async def add(self, pattern: RequestGlob, action: RouteAction) -> RequestRule:
        """Another rule. Raises Playwright's Error, and ActionFailed where there are too many."""
        rule = self.rules.add(pattern, action)
        try:
            await self._arm()
        except BaseException:
            self.rules.remove(rule.number)
            raise
        return rule

    async def remove(self, number: int) -> RequestRule | None:
        """Take a rule away: requests that it delays are sent. None where there is none of that number. Raises Playwright's Error."""
        rule = self.rules.remove(number)
        if rule:
            self._removed.pop(number, asyncio.Event()).set()
            await self._arm()
        return rule

    async def play(self, replay: "HarReplay | None") -> None:
        """Answer from that recording, in the place of the last one; None: from none. Raises Playwright's Error."""
        before, self.replay = self.replay, replay
        try:
            await self._arm()
        except BaseException:
            self.replay = before
            raise

    def state(self) -> dict[str, Any]:
        """All of it, for the next browser. JSON can have it."""
        rules = {"rules": self.rules.to_state()} if len(self.rules) else {}
        if not self.replay:
            return rules
        return {**rules, "replay": {"path": self.replay.path, "passes_on": self.replay.passes_on}}

    def restore(self, state: dict[str, Any]) -> None:
        """Have what `state` told, before `attach`. Raises TypeError, ValueError or KeyError for anything else."""
        replay = state.get("replay", {})
        if replay and [type(replay["path"]), type(replay["passes_on"])] != [str, bool]:
            raise TypeError
        self.rules.restore(state.get("rules", []))
        self._kept_replay = replay

    async def _shape(self, event: dict[str, Any]) -> Shaped:
        request = event["request"]
        shaped = await self._ruled(event, request)
        if isinstance(shaped, FulfilledResponse | FailedRequest) or self.replay is None:
            return shaped
        return await self._replayed(self.replay, event, request) or shaped

    async def of_ours(self, url: str, headers: dict[str, str]) -> Shaped:
        """What becomes of a request (GET) that we make ourselves, beside the browser."""
        return await self._shape({"request": {"method": "GET", "url": url, "headers": headers}})

    async def _ruled(self, event: dict[str, Any], request: dict[str, Any]) -> Shaped:
        """What a rule makes of a request."""
        if is_preflight(request["method"], request["headers"]):
            return self._preflight(request)
        rule = self.rules.choose(request["method"], request["url"])
        if rule is None:
            return None
        rule.hits += 1
        self._name(event, rule.name)
        is_removed = await self._delay(rule)
        shaped = None if is_removed else await self._applied(rule, request)
        self._name(event, rule.name, shaped)
        return shaped

    async def _replayed(self, replay: "HarReplay", event: dict[str, Any], request: dict[str, Any]) -> Shaped:
        """What a recording makes of a request that no rule has answered."""
        from gstack_browse.browser.tabs import har_answers

        url = request["url"]
        if is_for_icon(event.get("resourceType", ""), url) and not replay.has_answer("GET", url):
            return (
                None if replay.passes_on else har_answers.FAILED
            )  # nobody misses it: a full Chromium asks by itself
        shaped = await har_answers.answer_to(replay, request)
        if shaped:
            self._name(event, "har-replay", shaped)
        return await self._carried(shaped) if isinstance(shaped, FulfilledResponse) else shaped

    def _name(self, event: dict[str, Any], name: str, shaped: Shaped = None) -> None:
        """Remember for the log what a request was shaped by. One of our own is in no log."""
        if "networkId" not in event:
            return
        size = len(shaped.body) if isinstance(shaped, FulfilledResponse) else -1
        self._shapers[event["networkId"], redact(safe_url(event["request"]["url"]))] = name, size
        if len(self._shapers) > MOST_NAMED:
            del self._shapers[next(iter(self._shapers))]

    def hint(self, url: str) -> str:
        """What to type where a rule may be the reason that a page did not come; "" where none is."""
        if self.replay and self.replay.has_refused(url):
            return f"It is not in {self.replay.name}, which is replayed: 'har-replay off' ends that"
        rule = self.rules.find_applied("GET", url.partition("#")[0])
        return (
            f"Route {rule.number} holds for it ({rule.action.words}): 'unroute {rule.number}'" if rule else ""
        )

    async def _delay(self, rule: RequestRule) -> bool:
        """Wait as long as a rule says. Returns whether the rule was removed meanwhile."""
        if not rule.action.delay_ms:
            return False
        removed = self._removed.setdefault(rule.number, asyncio.Event())
        try:
            return await asyncio.wait_for(removed.wait(), rule.action.delay_ms / 1000)
        except TimeoutError:
            return False

    async def _applied(self, rule: RequestRule, request: dict[str, Any]) -> Shaped:
        action = rule.action
        if action.error:
            return FailedRequest(ERRORS[action.error])
        if action.change:
            return ChangedRequest(action.change.apply(request["headers"]))
        return await self._answered(rule, action.answer, request) if action.answer else None

    async def _answered(self, rule: RequestRule, answer: RouteAnswer, request: dict[str, Any]) -> Shaped:
        """The answer of a rule. A file that cannot be read fails the request, and the rule says so."""
        rule.trouble = ""
        try:
            async with asyncio.timeout(READ_SECONDS):
                body = await asyncio.to_thread(_content, answer)
        except BrowseError as error:
            rule.trouble = f"the last answer failed: {error.message}"
        except TimeoutError:
            rule.trouble = (
                f"the last answer failed: {one_line(answer.file)} cannot be read in {READ_SECONDS:.0f}s"
            )
        else:
            headers = add_cors_headers(request["headers"], request["url"], answer.headers)
            return await self._carried(
                FulfilledResponse(body, choose_content_type(answer), answer.status, headers)
            )
        return FailedRequest(ERRORS["failed"])

    async def _carried(self, answer: FulfilledResponse) -> Shaped:
        """An answer in the server's place, as it comes over the network that is emulated: Chromium slows down only what it fetches."""
        if self._conditions.is_offline:
            return FailedRequest(ERRORS["offline"])
        await asyncio.sleep(self._conditions.throttle.transfer_seconds(len(answer.body)))
        return answer

    def _preflight(self, request: dict[str, Any]) -> Shaped:
        """A request that is answered here, or fails here, is not for the server to allow. The rule counts the request itself."""
        rule = self.rules.choose(preflight_method(request["headers"]), request["url"])
        if rule and (rule.action.answer or rule.action.error):
            return FulfilledResponse(b"", "", NO_CONTENT, preflight_headers(request["headers"]))
        return None


def _content(answer: RouteAnswer) -> bytes:
    """Blocks. Raises FileFailed, and Refused where a link is in the file's way by now."""
    if not answer.file:
        return answer.body.encode("utf-8", "surrogatepass")
    with files.open_to_read(answer.file) as opened:
        content = opened.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise FileFailed(f"{one_line(answer.file)} is larger than {MOST_BYTES // 1_000_000} MB")
    return content
