"""Sends our messages inside a session of Playwright's, without a pipe (`BROWSE_WIRE=0`).

Slower than the pipe, and as correct.

Playwright gives us one session with the browser. Our own sessions go through that: a request is wrapped into
`Target.sendMessageToTarget`, an answer or event comes in `Target.receivedMessageFromTarget`. Sessions with frames in
processes of their own and with workers go through that of the page, wrapped twice.

There is nothing to observe in passing. Each target has a session of ours that only listens, with everything enabled that `tap` reads.
All comes through the driver, so Playwright has heard of an event by the time that we do.
"""

import asyncio
import json
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from gstack_browse.browser.cdp.connection import RELIED_ON, Connection
from gstack_browse.browser.cdp.diet import Interest
from gstack_browse.browser.cdp.driver_types import Browser, CDPSession
from gstack_browse.browser.cdp.errors import ProtocolError
from gstack_browse.browser.cdp.handlers import cache_signature
from gstack_browse.browser.cdp.pipe import EVENT
from gstack_browse.browser.cdp.session import Session, consume_exception
from gstack_browse.browser.cdp.tap import TargetEvents
from gstack_browse.browser.cdp.targets import Target
from gstack_browse.text.json_bytes import decode, encode

OBSERVED_KINDS = frozenset({"page", "background_page", "service_worker"})
"""Targets that we attach to as soon as they are there."""
PARTS = frozenset({"iframe", "worker"})
"""Targets that belong to one of those; what else Chromium attaches to in a page's session is one of those itself."""
BEGIN_SECONDS = 5.0
"""How long a target may take to be known of which Playwright knows."""
_RECEIVED = b"Target.receivedMessageFromTarget"
_RESUME = "Runtime.runIfWaitingForDebugger"
_NO_TARGET = "Target closed"


class Tunnel:
    """A channel through Playwright's session with the browser.

    `observe` is called with every event of a session.
    """

    def __init__(self, carrier: CDPSession, observe: Callable[[Session, bytes, bytes], None]) -> None:
        self.root = Session(self)
        """The browser itself."""
        self.heard = 0
        """How many events have come."""
        self._carrier = carrier
        self._observe = observe
        self._last_id = 0
        self._asked: dict[int, Session] = {}
        self._carried: dict[int, int] = {}
        """Request that carries another one → that one."""
        self._sessions: dict[str, Session] = {}
        for method in (
            "Target.receivedMessageFromTarget",
            "Target.targetCreated",
            "Target.detachedFromTarget",
            "Browser.downloadWillBegin",
            "Browser.downloadProgress",
        ):
            carrier.on(method, cache_signature(partial(self._root_event, method)))

    def session(self, session_id: str, parent: Session) -> Session:
        """Begin to route the events of a session that `parent` has just opened."""
        session = self._sessions[session_id] = Session(self, session_id, parent)
        return session

    def find(self, session_id: str) -> Session:
        """A session by its id."""
        return self._sessions[session_id]

    def send(self, session: Session, method: str, params: dict[str, Any]) -> int:
        """Send a request, wrapped once for each session that it goes through."""
        request_id = self._next_id()
        self._asked[request_id] = session
        inner_id = request_id
        while session.id and session.parent:
            packed = encode({"id": inner_id, "method": method, "params": params}).decode()
            method, params = "Target.sendMessageToTarget", {"sessionId": session.id, "message": packed}
            session, inner_id = session.parent, self._next_id()
            self._carried[inner_id] = request_id
        sending = asyncio.ensure_future(self._carrier.send(method, params))
        sending.add_done_callback(partial(self._sent, request_id, inner_id))
        return request_id

    def _next_id(self) -> int:
        self._last_id += 1
        return self._last_id

    def listen(self, event: str, handler: Callable[[dict[str, Any]], object]) -> None:
        """Call `handler` with the parameters of every such event of the browser itself."""

        def take(params: dict[str, Any]) -> None:
            handler(params)

        self._carrier.on(event, cache_signature(take))

    def abandon(self, request_id: int) -> None:
        """Forget a request, whose answer is no longer needed."""
        self._asked.pop(request_id, None)

    def forget(self, session_id: str) -> None:
        """Forget a session that has ended."""
        self._sessions.pop(session_id, None)

    def close(self) -> None:
        """Fail whatever is under way."""
        for session in {*self._sessions.values(), *self._asked.values()}:
            session.end("Connection closed")

    def _sent(self, request_id: int, carrier_id: int, sending: "asyncio.Future[dict[str, Any]]") -> None:
        """Playwright has an answer: to the request itself, or to the outermost one that carries it."""
        self._carried.pop(carrier_id, None)
        if sending.cancelled():
            return
        if error := sending.exception():
            self._fail(request_id, str(error))
        elif carrier_id == request_id and (session := self._asked.pop(request_id, None)):
            session.on_answer(request_id, {"result": sending.result()})

    def _fail(self, request_id: int, why: str) -> None:
        if session := self._asked.pop(request_id, None):
            session.fail_request(request_id, "Session closed" if "session" in why.lower() else why)

    def _root_event(self, method: str, params: dict[str, Any]) -> None:
        self.heard += 1
        if method.encode() == _RECEIVED:
            self._take(params)
            return
        if method == "Target.detachedFromTarget":
            self._detached(params)
        self._observe(self.root, method.encode(), encode({"method": method, "params": params}))

    def _detached(self, params: dict[str, Any]) -> None:
        if session := self._sessions.get(params["sessionId"]):
            session.end(_NO_TARGET)

    def _take(self, params: dict[str, Any]) -> None:
        """A message of a session of ours, wrapped by the one that it came through."""
        session, message = self._sessions.get(params["sessionId"]), _normalise(params["message"])
        if not message.startswith(EVENT):
            self._answered(decode(message))
        elif session:
            method = message[len(EVENT) : message.index(b'"', len(EVENT))]
            if method == _RECEIVED:
                self._take(decode(message)["params"])
                return
            if method == b"Target.detachedFromTarget":
                self._detached(decode(message)["params"])
            event = message[:-1] + b',"sessionId":"%b"}' % session.id.encode()
            session.on_event(event)
            self._observe(session, method, event)

    def _answered(self, message: dict[str, Any]) -> None:
        request_id = message.get("id", 0)
        if carried := self._carried.pop(request_id, None):
            if "error" in message:
                self._fail(carried, message["error"].get("message", ""))
        elif session := self._asked.pop(request_id, None):
            session.on_answer(request_id, message)


def _normalise(message: str) -> bytes:
    """A message in the form that Chromium writes on the pipe. Strings may hold halves of characters."""
    try:
        packed = message.encode()
    except UnicodeEncodeError:
        packed = json.dumps(json.loads(message), separators=(",", ":")).encode()
    if packed.startswith((EVENT, b'{"id":')):
        return packed
    read = decode(packed)
    return packed if "id" in read else encode({key: read[key] for key in ("method", "params") if key in read})


class TunnelConnection(Connection):
    """Through a session of Playwright's. `why` says, for people, why there is no pipe."""

    def __init__(self, why: str) -> None:
        super().__init__(TargetEvents(lambda session_id: self._tunnel.find(session_id)))
        self.no_pipe_reason = why
        self.tap.releases_objects = True
        self.tap.on_new_target = self._on_new_target
        self._tunnel: Tunnel
        self._awaited: dict[str, asyncio.Future[None]] = {}

    async def open(self, browser: Browser) -> None:
        self._tunnel = Tunnel(await browser.new_browser_cdp_session(), self._observe)
        browser.on("disconnected", lambda _: self.close())
        await self._tunnel.root.send("Target.setDiscoverTargets", {"discover": True})

    async def session(self, target_id: str) -> Session:
        return await self._tunnel.root.attach("Target.attachToTarget", targetId=target_id, flatten=False)

    async def attach(self, target_id: str) -> Target:
        session = await self.session(target_id)
        await self._wait_until_known(target_id)
        target = self.targets.get(target_id)
        target.session = session
        return target

    async def ask_browser(self, method: str, **params: Any) -> dict[str, Any]:
        return await self._tunnel.root.send(method, params)

    async def on_browser(self, event: str, handler: Callable[[dict[str, Any]], object]) -> None:
        self._tunnel.listen(event, handler)

    def report_downloads(self, browser_context: str, directory: str) -> None:
        params = {"behavior": "allowAndName", "downloadPath": directory, "eventsEnabled": True}
        if browser_context:
            params["browserContextId"] = browser_context
        self._tunnel.root.notify("Browser.setDownloadBehavior", params)

    async def wait_for_playwright(self, browser_context: str = "") -> None:
        """Return at once: our events have come through Playwright."""

    async def wait_for_effects(self, browser_context: str = "") -> None:
        """Return at once: our events have come through Playwright."""

    def hold_documents(self, page_id: str) -> None:
        """Hold nothing: the driver gets each event before us."""

    def withhold_requests(self, interest: Callable[[str], Interest], browser_context: str = "") -> None:
        """Withhold nothing: the driver gets each event before us."""

    def close(self) -> None:
        self._tunnel.close()

    def _observe(self, session: Session, method: bytes, event: bytes) -> None:
        if method == b"Target.targetCreated":
            self._on_target_created(decode(event)["params"]["targetInfo"])
            return
        if method == b"Target.attachedToTarget":
            self._on_attached(session, event)
            return
        if method == b"Inspector.workerScriptLoaded" and (worker := self.targets.target_of(event)):
            event = self._make_loading_finished(worker, session)
            method = b"Network.loadingFinished"
        self.tap.observe(method, event)

    def _make_loading_finished(self, worker: Target, session: Session) -> bytes:
        """Make the end of the request for a worker's script, which may have come before we listened."""
        params = {"requestId": worker.id, "timestamp": time.monotonic(), "encodedDataLength": 0}
        return encode({"method": "Network.loadingFinished", "params": params, "sessionId": session.id})

    def _on_target_created(self, described: dict[str, Any]) -> None:
        if described["type"] in OBSERVED_KINDS:
            observing = asyncio.ensure_future(self._observe_from_now(described))
            observing.add_done_callback(consume_exception)

    async def _observe_from_now(self, described: dict[str, Any]) -> None:
        root = self._tunnel.root
        session = await root.attach("Target.attachToTarget", targetId=described["targetId"], flatten=False)
        params = {"sessionId": session.id, "targetInfo": described}
        event = encode({"method": "Target.attachedToTarget", "params": params})
        self.tap.observe(b"Target.attachedToTarget", event)
        self._listen(session)

    def _on_attached(self, parent: Session, event: bytes) -> None:
        """Listen to a target that Chromium holds back until we do."""
        params = decode(event)["params"]
        session = self._tunnel.session(params["sessionId"], parent)
        if params["targetInfo"]["type"] in PARTS:
            self.tap.observe(b"Target.attachedToTarget", event)
            self._listen(session)
        else:
            session.notify(_RESUME)
            asyncio.ensure_future(session.detach()).add_done_callback(consume_exception)

    def _listen(self, session: Session) -> None:
        """Enable all events in a session. The answers are not awaited: Chromium keeps the order."""
        parts = {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": False}
        for domain in RELIED_ON:
            session.notify(f"{domain}.enable")
        session.notify("Target.setAutoAttach", parts)
        session.notify(_RESUME)

    def _on_new_target(self, target: Target) -> None:
        if awaited := self._awaited.pop(target.id, None):
            awaited.set_result(None)

    async def _wait_until_known(self, target_id: str) -> None:
        """Wait for a target that Playwright knows already. Raises ProtocolError if it does not come."""
        if self.targets.knows(target_id):
            return
        awaited = self._awaited.setdefault(target_id, asyncio.get_running_loop().create_future())
        try:
            async with asyncio.timeout(BEGIN_SECONDS):
                await asyncio.shield(awaited)
        except TimeoutError:
            raise ProtocolError(_NO_TARGET) from None
