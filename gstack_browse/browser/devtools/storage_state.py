"""Read and set local storage and databases (IndexedDB) of a browser context's origins.

The form is that of `origins` in Playwright's state files, so that either program can read the other's. Each origin is shown in a hidden
page without its server: documents are empty, and every other request fails, so that no script of the origin runs. Not included are
caches, service workers, files of an origin (OPFS), session storage, and database values without a form in JSON: files, blobs, keys that
are not extractable. `cookies` has the cookies.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeVar

from gstack_browse.browser.cdp.session import ProtocolError, Session
from gstack_browse.text.json_bytes import decode, encode

MOST_PAGES = 4
"""Hidden pages at a time."""
READ_SECONDS = 5.0
"""Time limit for reading one origin: the others are read all the same."""
WRITE_SECONDS = 20.0
"""Time limit for writing one origin. A full Chromium on a busy machine takes more than five seconds to start the page's process."""
_DOCUMENT = "PCFkb2N0eXBlIGh0bWw+PGxpbmsgcmVsPWljb24gaHJlZj1kYXRhOiw+"
"""`<!doctype html><link rel=icon href=data:,>` in base64. Without an icon Chromium requests one from the server."""
_HEADERS = [
    {"name": "Content-Type", "value": "text/html; charset=utf-8"},
    {"name": "Cache-Control", "value": "no-store"},
]
OpenPage = Callable[[], AbstractAsyncContextManager[Session]]
_Result = TypeVar("_Result")


@dataclass
class StoredOrigins:
    """The storage of origins, as read.

    For people: `missing` lists origins that were not read in time, `unkept` values that JSON has no form for.
    """

    origins: list[dict[str, Any]] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    unkept: list[str] = field(default_factory=list)


async def read_origins(open_page: OpenPage, origins: Iterable[str], *, seconds: float) -> StoredOrigins:
    """Read the origins' local storage and IndexedDB; leave out origins where both are empty. Never raises.

    Args:
        open_page: opens a page of the browser context; its block closes the page
        seconds: time limit for all origins; those not read by then are `missing`
    """
    read = StoredOrigins()
    unique = sorted(set(origins))
    read_origin = partial(_call_script, "readOrigin()")
    results = await _run_in_origins(open_page, unique, read_origin, seconds, READ_SECONDS)
    for origin in unique:
        stored = results[origin]
        if isinstance(stored, Exception):
            read.missing.append(f"storage of {origin}")
            continue
        if lost := stored.pop("lost"):
            read.unkept.append(
                f"values such as files and keys in {lost} database record{'s' * (lost != 1)} of {origin}"
            )
        if stored["localStorage"] or stored["indexedDB"]:
            read.origins.append(stored)
    return read


async def write_origins(open_page: OpenPage, origins: Sequence[Mapping[str, Any]], *, seconds: float) -> None:
    """Replace local storage and IndexedDB of origins. `origins`: items as in Playwright's storage state.

    Raises ProtocolError for the first origin that was not written; the others may be.
    """
    by_origin = {str(stored["origin"]): stored for stored in origins}

    async def write(page: Session, origin: str) -> None:
        await _call_script(f"replaceOrigin({encode(by_origin[origin]).decode()})", page, origin)

    results = await _run_in_origins(open_page, list(by_origin), write, seconds, WRITE_SECONDS)
    for origin, problem in results.items():
        if isinstance(problem, Exception):
            why = problem.message if isinstance(problem, ProtocolError) else str(problem) or "no answer in time"
            raise ProtocolError(f"The storage of {origin} was not set: {why}")


async def _run_in_origins(
    open_page: OpenPage,
    origins: Sequence[str],
    work: Callable[[Session, str], Awaitable[_Result]],
    seconds: float,
    origin_seconds: float,
) -> dict[str, _Result | Exception]:
    """Call `work(session, origin)` in a page of each origin, in MOST_PAGES pages at a time.

    Return the result or error of each origin. Time limits: `seconds` for all, and `origin_seconds` for each.
    """
    results: dict[str, _Result | Exception] = {origin: TimeoutError() for origin in origins}
    waiting = list(reversed(origins))

    async def run_in_page() -> None:
        while waiting:
            origin = waiting.pop()
            try:
                async with open_page() as page:
                    await _intercept_requests(page)
                    while origin:
                        async with asyncio.timeout(origin_seconds):
                            result = await page.send("Page.navigate", {"url": f"{origin}/"})
                            if problem := result.get("errorText"):
                                raise ProtocolError(f"the page did not open: {problem}")
                            results[origin] = await work(page, origin)
                        origin = waiting.pop() if waiting else ""
            except (ProtocolError, TimeoutError, ValueError) as error:
                results[origin] = error  # the next ones get another page, as this one may hang

    workers = [asyncio.ensure_future(run_in_page()) for _ in range(min(MOST_PAGES, len(origins)))]
    if workers:
        _, late = await asyncio.wait(workers, timeout=seconds)
        for worker in late:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
    return results


async def _intercept_requests(page: Session) -> None:
    """Intercept all later requests of a page, so that none reaches a server. Raises ProtocolError."""
    page.on("Fetch.requestPaused", partial(_fulfil_request, page))
    page.notify("Network.enable")
    page.notify("Network.setBypassServiceWorker", {"bypass": True})
    await page.send("Fetch.enable", {"patterns": [{"urlPattern": "*"}]})


def _fulfil_request(page: Session, request: dict[str, Any]) -> None:
    """Answer an intercepted request: with an empty page if it is for a document, else with a failure."""
    request_id = request["requestId"]
    if request.get("resourceType") == "Document":
        response = {"responseCode": 200, "responseHeaders": _HEADERS, "body": _DOCUMENT}
        page.notify("Fetch.fulfillRequest", {"requestId": request_id, **response})
    else:
        page.notify("Fetch.failRequest", {"requestId": request_id, "errorReason": "BlockedByClient"})


async def _call_script(call: str, page: Session, origin: str) -> dict[str, Any]:
    """Evaluate a `call` such as `readOrigin()` in an origin's page, and return its result.

    The function is one of `scripts/origin-storage.js`. Raises ProtocolError if the script fails, or the page has another origin; ValueError if the result is no JSON.
    """
    params = {"expression": f"{_storage_script()}.{call}", "awaitPromise": True, "returnByValue": True}
    answer = await page.send("Runtime.evaluate", params)
    if failure := answer.get("exceptionDetails"):
        raise ProtocolError(failure.get("exception", {}).get("description", failure["text"]).splitlines()[0])
    stored: dict[str, Any] = decode(answer["result"]["value"])
    if stored["origin"] != origin:  # `origin` is not in the form in which Chromium writes origins
        raise ProtocolError(f"the browser made it {stored['origin']}")
    return stored


@cache
def _storage_script() -> str:
    """Return the source of `scripts/origin-storage.js` as a JavaScript expression."""
    path = Path(__file__).parent / "scripts" / "origin-storage.js"
    return path.read_text(encoding="utf-8").rstrip().removesuffix(";").partition("\n\n")[2]
