"""Intercept requests: Chromium pauses each until our handlers continue, answer or fail it.

It does so in each frame, worker, window and download, before it sends a request, and before it follows a redirection. It asks in the one
session with the browser itself, so there is no moment in which a new target is not watched. A request that matches no pattern costs less
than half a millisecond where there is any: `docs/decisions/0032-requests-are-judged-in-the-browser.md`.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from gstack_browse.browser.cdp.connection import Connection
from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.cdp.targets import Target
from gstack_browse.security.policy.hosts import WEB

FILES = "file://*"
"""The pattern of every file: URL."""
DOCUMENT = "Document"
"""The kind of a request for a page, for what a frame shows, or for a download that a link offers."""


NOTHING = "gbrowse:nothing"
"""A pattern of no request."""
ASKING_KINDS = frozenset({"page", "iframe", "service_worker", "shared_worker", "background_page"})
"""Kinds of targets that have a way to the network of their own; that of other workers is their page's."""
RESET_SECONDS = 0.5
"""How long a target may take to make new URL loaders. One that closes does not answer."""


Headers = list[dict[str, str]]
Credentials = tuple[str, str]


def encode_headers(headers: Iterable[tuple[str, str]]) -> Headers:
    """Return headers in the protocol's form: a list of objects with `name` and `value`."""
    return [{"name": name, "value": value} for name, value in headers]


class FulfilledResponse(NamedTuple):
    """A response in the place of a server's or a file. `headers`: those beside the content type."""

    body: bytes
    content_type: str
    status: int = 200
    headers: Sequence[tuple[str, str]] = ()

    def fields(self) -> dict[str, Any]:
        """Return the response as parameters of `Fetch.fulfillRequest`."""
        from base64 import b64encode  # no part of a start

        own = [("Content-Type", self.content_type)] if self.content_type else []
        headers = encode_headers([*own, *self.headers])
        return {"responseCode": self.status, "responseHeaders": headers, "body": b64encode(self.body).decode()}


class FailedRequest(NamedTuple):
    """How a request fails, as if the network had failed: one of the protocol's `Network.ErrorReason`."""

    reason: str


class ChangedRequest(NamedTuple):
    """The headers that a request is sent with, in place of its own."""

    headers: dict[str, str]


ShapingResult = FulfilledResponse | FailedRequest | ChangedRequest | None
"""What a rule does with a request that may be sent: answer, fail or change it; None: nothing."""
_Verdict = tuple[str, dict[str, Any]]
"""A command of the protocol and its parameters, but the request's id."""


async def _refuse_all(request: dict[str, Any]) -> bool:
    """Refuse every request. This is the `judge` of a browser context until it has registered its own."""
    return False


async def _leave_unanswered(request: dict[str, Any]) -> FulfilledResponse | None:
    """Answer no request: let it go to the server. This is the default handler."""
    return None


async def _leave_unchanged(request: dict[str, Any]) -> ShapingResult:
    """Change no request: send it as it is. This is the default handler."""
    return None


class RequestHandlers:
    """The handlers of one browser context's requests.

    `judge` is called with each (`Fetch.requestPaused`) and returns whether it may be sent. `answer` is called before, and may return a
    response. `shape` is called with each request that may be sent: it can answer, change, delay or fail it. `headers` returns the
    request's headers, None to leave them. `credentials` returns user and password for an origin that asks for them.
    """

    def __init__(self) -> None:
        self.judge: Callable[[dict[str, Any]], Awaitable[bool]] = _refuse_all
        self.answer: Callable[[dict[str, Any]], Awaitable[FulfilledResponse | None]] = _leave_unanswered
        self.shape: Callable[[dict[str, Any]], Awaitable[ShapingResult]] = _leave_unchanged
        self.headers: Callable[[dict[str, Any]], Headers | None] = lambda request: None
        self.credentials: Callable[[str], Credentials | None] = lambda origin: None
        self.patterns: dict[str, frozenset[str]] = {}
        """Name of a purpose → URL patterns of the requests to intercept for it: see `Interception.set_patterns`."""


class Interception:
    """Pauses requests of one browser. A browser context has its own handlers, or shares the default ones."""

    def __init__(self, connection: Connection) -> None:
        self._default_handlers = RequestHandlers()
        self._handlers: dict[str, RequestHandlers] = {}
        self._connection = connection
        self._has_answered: set[str] = set()
        self._permanent_patterns: frozenset[str] = frozenset()
        """URL patterns of requests that are intercepted until the browser ends."""
        self._patterns: frozenset[str] | None = frozenset()
        """All URL patterns that Chromium has been given; None: unknown, as a change was cancelled."""
        self._is_listening = False
        self.has_person = False
        """Whether somebody can answer Chromium's own question for user and password."""
        self.proxy_credentials: Credentials | None = None
        """What a proxy gets that asks for user and password."""
        self._update_lock = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()

    def handlers_for(self, browser_context: str = "") -> RequestHandlers:
        """Return the request handlers of a browser context, made if it has none.

        For "", the default handlers, which all contexts without their own share.
        """
        if not browser_context:
            return self._default_handlers
        return self._handlers.setdefault(browser_context, RequestHandlers())

    def forget(self, browser_context: str) -> None:
        """Drop the handlers of a closed browser context."""
        if self._handlers.pop(browser_context, None):
            self._start_task(self._try_update_patterns())

    async def _handlers_of(self, request: dict[str, Any]) -> RequestHandlers:
        """Return the handlers of the browser context that a paused request comes from.

        If that is unknown, the default session's handlers judge the request, and it gets no headers or credentials.
        """
        if not self._handlers:
            return self._default_handlers
        context = await self._context_of(request.get("frameId", ""))
        if context is None:
            unknown = RequestHandlers()
            unknown.judge = self._default_handlers.judge
            return unknown
        return self._handlers.get(context, self._default_handlers)

    async def _context_of(self, frame: str) -> str | None:
        """Return the browser context id of a frame or worker; None if unknown. Asks Chromium about new ones."""
        if target := self._connection.targets.page_with_frame(frame):
            return target.browser_context
        try:
            answer = await self._connection.ask_browser("Target.getTargetInfo", targetId=frame)
        except ProtocolError:
            return None
        return str(answer["targetInfo"].get("browserContextId", ""))

    async def intercept_always(self, *patterns: str) -> None:
        """Intercept requests whose URL matches a pattern, until the browser ends. Raises ProtocolError."""
        self._permanent_patterns |= set(patterns)
        await self._update_patterns()

    async def set_patterns(self, handlers: RequestHandlers, name: str, patterns: Iterable[str]) -> None:
        """Intercept requests whose URL matches one of `patterns`, for one purpose. Raises ProtocolError.

        They replace those set before under `name`. Requests of present documents and workers are intercepted, too, except for
        file: URLs, which none of these can request.
        """
        handlers.patterns[name] = frozenset(patterns)
        await self._update_patterns()

    async def _try_update_patterns(self) -> None:
        """Give Chromium the present patterns; do nothing if the connection has ended."""
        with suppress(ProtocolError):
            await self._update_patterns()

    async def _update_patterns(self) -> None:
        """Give Chromium the URL patterns of all contexts, if they have changed. Raises ProtocolError."""
        async with self._update_lock:
            every = [self._default_handlers, *self._handlers.values()]
            wanted = self._permanent_patterns.union(
                *(found for handlers in every for found in handlers.patterns.values())
            )
            if wanted == self._patterns:
                return
            before, self._patterns = self._patterns or frozenset(), None
            await self._enable(wanted)
            if not wanted - {FILES} <= before:
                await self._reset_url_loaders()
            self._patterns = wanted

    async def _enable(self, patterns: frozenset[str]) -> None:
        """Have Chromium pause requests whose URL matches one of `patterns`; none for an empty set."""
        if not self._is_listening:
            self._connection.on_browser_event("Fetch.requestPaused", self._on_request_paused)
            self._connection.on_browser_event("Fetch.authRequired", self._on_auth_required)
            self._is_listening = True
        if not patterns:
            await self._connection.ask_browser("Fetch.disable")
            return
        await self._connection.ask_browser(
            "Fetch.enable",
            patterns=[{"urlPattern": pattern} for pattern in sorted(patterns)],
            handleAuthRequests=patterns.issuperset(WEB),
        )

    async def _reset_url_loaders(self) -> None:
        """Have the requests of present documents and workers intercepted, too.

        Each keeps the URL loader that it got with its document, which does not know of a later interception.
        Chromium makes the loaders of a target anew when interception begins in a session with the target.
        Nothing is intercepted in that session.
        """
        targets = [target for target in self._connection.targets if target.kind in ASKING_KINDS]
        with suppress(TimeoutError):  # of a process that hangs
            async with asyncio.timeout(RESET_SECONDS):
                await asyncio.gather(*map(_reset_url_loader, targets))

    def _on_request_paused(self, request: dict[str, Any]) -> None:
        """Handle `Fetch.requestPaused`: decide on the request in a task."""
        self._start_task(self._decide(request))

    def _on_auth_required(self, request: dict[str, Any]) -> None:
        """Handle `Fetch.authRequired`: answer it in a task."""
        self._start_task(self._log_in(request))

    def _start_task(self, work: Coroutine[Any, Any, None]) -> None:
        """Run `work` as a task, and keep a reference to that until it is done."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _log_in(self, request: dict[str, Any]) -> None:
        """Answer `Fetch.authRequired` with the server's or proxy's stored credentials.

        Cancel if the request has had them before. Leave it to the person, if there is one, where none are stored.
        """
        challenge, number = request["authChallenge"], request["requestId"]
        is_proxy = challenge.get("source") == "Proxy"
        is_others = not await self._connection.is_own_frame(request.get("frameId", ""))
        of_server = (
            None
            if is_proxy or is_others
            else (await self._handlers_of(request)).credentials(challenge["origin"])
        )
        found = self.proxy_credentials if is_proxy else of_server
        answer: dict[str, str] = {"response": "Default" if self.has_person or is_others else "CancelAuth"}
        if found and number in self._has_answered:
            answer = {"response": "CancelAuth"}
            self._has_answered.discard(number)
        elif found:
            answer = {"response": "ProvideCredentials", "username": found[0], "password": found[1]}
            self._has_answered.add(number)
        with suppress(ProtocolError):  # the request is over already, or the browser
            await self._connection.ask_browser(
                "Fetch.continueWithAuth", requestId=number, authChallengeResponse=answer
            )

    async def _decide(self, request: dict[str, Any]) -> None:
        """Let a paused request go on, answer it, or fail it; also fail it if a handler raises."""
        method, fields = _refusal_verdict(request)
        if not await self._connection.is_own_frame(request.get("frameId", "")):
            await self._send_verdict(request["requestId"], "Fetch.continueRequest", {})
            return
        try:
            method, fields = await self._ask_handlers(request)
        finally:
            await self._send_verdict(request["requestId"], method, fields)

    async def _send_verdict(self, request_id: str, method: str, fields: dict[str, Any]) -> None:
        """Send a `Fetch` command about a paused request. Fail the request if Chromium refuses the command.

        `fields`: the command's parameters. A malformed header is refused, for example.
        """
        try:
            await self._connection.ask_browser(method, requestId=request_id, **fields)
        except ProtocolError:
            with suppress(ProtocolError):  # the request is over already, or the browser
                await self._connection.ask_browser(
                    "Fetch.failRequest", requestId=request_id, errorReason="Failed"
                )

    async def _ask_handlers(self, request: dict[str, Any]) -> _Verdict:
        """Ask the handlers `answer`, `judge` and `shape`, in this order, about a paused request.

        Return the `Fetch` command that they decide on, and its parameters.
        """
        handlers = await self._handlers_of(request)
        if answer := await handlers.answer(request):
            return "Fetch.fulfillRequest", answer.fields()
        if not await handlers.judge(request):
            return _refusal_verdict(request)
        shaped = await handlers.shape(request)
        if isinstance(shaped, FulfilledResponse):
            return "Fetch.fulfillRequest", shaped.fields()
        if isinstance(shaped, FailedRequest):
            return "Fetch.failRequest", {"errorReason": shaped.reason}
        return "Fetch.continueRequest", _sending_options(handlers, request["request"], shaped)


def _sending_options(
    handlers: RequestHandlers, request: dict[str, Any], changed: ChangedRequest | None
) -> dict[str, Any]:
    """Return the parameters of `Fetch.continueRequest` that replace a request's headers; {} to leave them.

    `request`: the protocol's `Network.Request`. `changed`: headers that a rule of the user sets.
    """
    if changed:
        request = {**request, "headers": changed.headers}
    headers = handlers.headers(request)
    if headers is None and changed:
        headers = encode_headers(changed.headers.items())
    return {} if headers is None else {"headers": headers}


def _refusal_verdict(request: dict[str, Any]) -> _Verdict:
    """Return the `Fetch` command that refuses a request, and its parameters."""
    is_document = request.get("resourceType") == DOCUMENT  # "Aborted" leaves the frame as it is
    return "Fetch.failRequest", {"errorReason": "Aborted" if is_document else "BlockedByClient"}


async def _reset_url_loader(target: Target) -> None:
    """Make Chromium recreate a target's URL loaders, so that they know of the interception.

    Enabling one in the target's session does that, even with a pattern that matches no URL.
    """
    with suppress(ProtocolError):  # it is gone, or has no URL loader of its own
        await target.session.send("Fetch.enable", {"patterns": [{"urlPattern": NOTHING}]})
        target.session.notify("Fetch.disable")
