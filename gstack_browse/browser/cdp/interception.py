"""Requests that Chromium holds back until they have been judged, in every frame, worker, window and download of a browser.

Chromium asks before it sends a request, and again before it follows a redirection. It asks in the one session with the browser itself, so
there is no moment in which a new target is not watched. What is not asked for costs a request less than half a millisecond
where anything is: `docs/decisions/0126-where-requests-are-judged.md`.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from typing import Any, NamedTuple

from gstack_browse.browser.cdp.connection import Connection
from gstack_browse.browser.cdp.playwright_names import Error as PlaywrightError
from gstack_browse.policy.hosts import WEB

FILES = "file://*"
"""The pattern of every file: URL."""
DOCUMENT = "Document"
"""The kind of a request for a page, for what a frame shows, or for a download that a link offers."""


Headers = list[dict[str, str]]
Credentials = tuple[str, str]


class GivenResponse(NamedTuple):
    """What a request is answered with, in the place of a server or the file system."""

    body: bytes
    content_type: str

    def fields(self) -> dict[str, Any]:
        from base64 import b64encode  # no part of a start

        headers = [{"name": "Content-Type", "value": self.content_type}]
        return {"responseCode": 200, "responseHeaders": headers, "body": b64encode(self.body).decode()}


async def _refuse_all(request: dict[str, Any]) -> bool:
    return False


async def _answer_none(request: dict[str, Any]) -> GivenResponse | None:
    return None


class RequestHandlers:
    """What becomes of the requests of one browser context. `judge` is called with each (`Fetch.requestPaused`) and says whether it may be sent.

    `answer` is called before, and gives what nobody is to be asked for. `headers` gives those that a request is to have, None to leave it as it is. `credentials` gives user and password for an
    origin that asks for them.
    """

    def __init__(self) -> None:
        self.judge: Callable[[dict[str, Any]], Awaitable[bool]] = _refuse_all
        self.answer: Callable[[dict[str, Any]], Awaitable[GivenResponse | None]] = _answer_none
        self.headers: Callable[[dict[str, Any]], Headers | None] = lambda request: None
        self.credentials: Callable[[str], Credentials | None] = lambda origin: None


class Interception:
    """Of one browser. Each browser context has handlers of its own, or those that all the others share."""

    def __init__(self, connection: Connection) -> None:
        self._rest = RequestHandlers()
        self._handlers: dict[str, RequestHandlers] = {}
        self._connection = connection
        self._has_answered: set[str] = set()
        self._patterns: set[str] = set()
        self._arming = asyncio.Lock()
        self._judging: set[asyncio.Task[None]] = set()

    def of(self, browser_context: str = "") -> RequestHandlers:
        """The handlers of a browser context; "" stands for every context that has none of its own."""
        if not browser_context:
            return self._rest
        return self._handlers.setdefault(browser_context, RequestHandlers())

    def forget(self, browser_context: str) -> None:
        """That browser context is no more."""
        self._handlers.pop(browser_context, None)

    async def _handlers_of(self, request: dict[str, Any]) -> RequestHandlers:
        """Those of the browser context that a request comes from.

        Where that cannot be found out the request is judged like those of the default session, and gets nothing of anybody's.
        """
        if not self._handlers:
            return self._rest
        context = await self._context_of(request.get("frameId", ""))
        if context is None:
            unknown = RequestHandlers()
            unknown.judge = self._rest.judge
            return unknown
        return self._handlers.get(context, self._rest)

    async def _context_of(self, frame: str) -> str | None:
        """The browser context of a frame or worker. One that has just come is not known yet, but Chromium knows it."""
        if target := self._connection.targets.showing(frame):
            return target.browser_context
        try:
            answer = await self._connection.ask_browser("Target.getTargetInfo", targetId=frame)
        except PlaywrightError:
            return None
        return str(answer["targetInfo"].get("browserContextId", ""))

    async def arm(self, *patterns: str) -> None:
        """Judge requests whose URL matches, from now on. Raises Playwright's Error.

        What a document asks for that was there before is not judged.
        """
        async with self._arming:
            wanted = self._patterns | set(patterns)
            if wanted == self._patterns:
                return
            if not self._patterns:
                await self._connection.on_browser("Fetch.requestPaused", self._paused)
                await self._connection.on_browser("Fetch.authRequired", self._asked)
            asked = [{"urlPattern": pattern} for pattern in sorted(wanted)]
            handles = wanted.issuperset(WEB)
            await self._connection.ask_browser("Fetch.enable", patterns=asked, handleAuthRequests=handles)
            self._patterns = wanted

    def _paused(self, request: dict[str, Any]) -> None:
        self._begin(self._decide(request))

    def _asked(self, request: dict[str, Any]) -> None:
        self._begin(self._log_in(request))

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        judging = asyncio.ensure_future(work)
        self._judging.add(judging)
        judging.add_done_callback(self._judging.discard)

    async def _log_in(self, request: dict[str, Any]) -> None:
        """Answer a server that asks for user and password: once for a request, since it would ask again for wrong ones."""
        challenge, number = request["authChallenge"], request["requestId"]
        is_proxy = challenge.get("source") == "Proxy"
        found = None if is_proxy else (await self._handlers_of(request)).credentials(challenge["origin"])
        answer: dict[str, str] = {"response": "Default"}
        if found and number in self._has_answered:
            answer = {"response": "CancelAuth"}
            self._has_answered.discard(number)
        elif found:
            answer = {"response": "ProvideCredentials", "username": found[0], "password": found[1]}
            self._has_answered.add(number)
        with suppress(PlaywrightError):  # the request is over already, or the browser
            await self._connection.ask_browser(
                "Fetch.continueWithAuth", requestId=number, authChallengeResponse=answer
            )

    async def _decide(self, request: dict[str, Any]) -> None:
        """Let a request go, or end it. One that fails to be judged is ended.

        A document that is aborted leaves the frame as it is; any other failure would put an error page there.
        """
        reason = "Aborted" if request.get("resourceType") == DOCUMENT else "BlockedByClient"
        method = "Fetch.failRequest"
        verdict: dict[str, Any] = {"errorReason": reason}
        try:
            handlers = await self._handlers_of(request)
            if answer := await handlers.answer(request):
                method, verdict = "Fetch.fulfillRequest", answer.fields()
            elif await handlers.judge(request):
                headers = handlers.headers(request["request"])
                method = "Fetch.continueRequest"
                verdict = {} if headers is None else {"headers": headers}
        finally:
            with suppress(PlaywrightError):  # the request is over already, or the browser
                await self._connection.ask_browser(method, requestId=request["requestId"], **verdict)
