"""Requests that Chromium holds back until they have been judged, in every frame, worker, window and download of a browser.

Chromium asks before it sends a request, and again before it follows a redirection. It asks in the one session with the browser itself, so
there is no moment in which a new target is not watched. What is not asked for costs a request less than half a millisecond
where anything is: `docs/decisions/0126-where-requests-are-judged.md`.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from gstack_browse.browser.cdp.connection import Connection
from gstack_browse.browser.cdp.playwright_names import Error as PlaywrightError

FILES = "file://*"
"""The pattern of every file: URL."""
DOCUMENT = "Document"
"""The kind of a request for a page, for what a frame shows, or for a download that a link offers."""


async def _refuse_all(request: dict[str, Any]) -> bool:
    return False


class Interception:
    """Of one browser. `judge` is called with each request (`Fetch.requestPaused`) and says whether it may be sent."""

    def __init__(self, connection: Connection) -> None:
        self.judge: Callable[[dict[str, Any]], Awaitable[bool]] = _refuse_all
        self._connection = connection
        self._patterns: set[str] = set()
        self._arming = asyncio.Lock()
        self._judging: set[asyncio.Task[None]] = set()

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
            asked = [{"urlPattern": pattern} for pattern in sorted(wanted)]
            await self._connection.ask_browser("Fetch.enable", patterns=asked)
            self._patterns = wanted

    def _paused(self, request: dict[str, Any]) -> None:
        judging = asyncio.ensure_future(self._decide(request))
        self._judging.add(judging)
        judging.add_done_callback(self._judging.discard)

    async def _decide(self, request: dict[str, Any]) -> None:
        """Let a request go, or end it. One that fails to be judged is ended.

        A document that is aborted leaves the frame as it is; any other failure would put an error page there.
        """
        reason = "Aborted" if request.get("resourceType") == DOCUMENT else "BlockedByClient"
        verdict: dict[str, str] = {"errorReason": reason}
        try:
            if await self.judge(request):
                verdict = {}
        finally:
            method = "Fetch.failRequest" if verdict else "Fetch.continueRequest"
            with suppress(PlaywrightError):  # the request is over already, or the browser
                await self._connection.ask_browser(method, requestId=request["requestId"], **verdict)
