"""List and change web storage and cookies; refuse scripts if cookies were imported for other sites."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from gstack_browse.browser.context.open_context import OpenContext
from gstack_browse.browser.devtools.page import Frame
from gstack_browse.browser.engine.messages import FrameGone, evaluate
from gstack_browse.cookies import records
from gstack_browse.errors import ActionFailed, Refused

if TYPE_CHECKING:
    from gstack_browse.browser.command.page import PageCommand
    from gstack_browse.browser.state.cookie_jar import CookieJar


async def list_items(page: "PageCommand") -> dict[str, dict[str, str]]:
    """Return {"localStorage": {key: value}, "sessionStorage": {…}} of the page. Raises ActionFailed."""
    found: dict[str, dict[str, str]] | None = await page.world.call("readStorage", frame=page.frame)
    if found is None:
        raise ActionFailed("This page may not have any storage", "Run 'goto <url>' first")
    return found


async def set_item(page: "PageCommand", key: str, value: str, *, session: bool = False) -> None:
    """Set an item of the local (`session`: the session) storage, and verify it.

    Raises ActionFailed with the reason.
    """
    problem: str = await page.world.call("setStorageItem", session, key, value, frame=page.frame)
    if problem:
        raise ActionFailed(f"The {_storage_name(session=session)} storage did not take the item: {problem}")


async def remove_items(page: "PageCommand", key: str | None, *, session: bool = False) -> int:
    """Remove an item (None: all) of the local or the `session` storage. Return how many there were.

    Raises ActionFailed with the reason.
    """
    found: dict[str, Any] = await page.world.call("removeStorageItems", session, key, frame=page.frame)
    if problem := found["problem"]:
        raise ActionFailed(
            f"The {_storage_name(session=session)} storage cannot be changed: {problem}",
            "Run 'goto <url>' first",
        )
    return int(found["count"])


def _storage_name(*, session: bool) -> str:
    """Return the name of the storage in messages: "session" or "local"."""
    return "session" if session else "local"


async def count_imported_cookies(browser: "OpenContext") -> dict[str, int]:
    """Return host → number of the context's cookies, for hosts below a domain with imported cookies."""
    hosts = [_cookie_host(cookie) for cookie in await browser.current.jar.cookies()]
    return dict(sorted(Counter(host for host in hosts if records.is_below_any(browser.imported, host)).items()))


async def remove_cookies_of_host(browser: "OpenContext", host: str) -> int:
    """Remove a host's cookies, and forget that some were imported. Return how many there were."""
    jar = browser.current.jar
    cookies = [cookie for cookie in await jar.cookies() if _cookie_host(cookie) == host]
    await jar.remove(cookies)
    browser.imported.discard(host)
    return len(cookies)


async def list_cookies_of_site(jar: "CookieJar", site: str) -> list[dict[str, Any]]:
    """List the cookies whose domain belongs to `site` (a host name); "": all cookies."""
    found = await jar.cookies()
    return [cookie for cookie in found if not site or records.is_cookie_of_site(cookie["domain"], site)]


def _cookie_host(cookie: Mapping[str, Any]) -> str:
    """Return the domain of a cookie of the protocol, without the leading dot."""
    return str(cookie["domain"]).lstrip(".")


# ── scripts ──────────────────────────────────────────────────────────────────────────────────────────────────


async def check_script_allowed(page: "PageCommand", frames: Iterable[Frame] = ()) -> None:
    """Raise Refused if the user's scripts may not run in the tab and in `frames`.

    Since cookies were imported, a page that persuades its reader to run a script could use it against another
    site's login. So scripts run only on pages of imported domains, and on pages that have no cookies at all. The
    frames it runs in count as well as the page.
    """
    if not page.context.imported:
        return
    for frame in {page.tab.page.main_frame, page.frame, *frames}:
        if not await _is_script_allowed(page, frame):
            host = urlsplit(await script_origin(page, frame)).hostname or "this page"
            raise Refused(
                f"Scripts do not run on {host}: cookies were imported for other sites, and it is none of them",
                "If the user wants this script to run here, repeat it with --any-origin",
            )


async def script_origin(page: "PageCommand", frame: Frame) -> str:
    """Return the origin with which a frame's scripts run: at about:blank, that of its opener."""
    try:
        context = await page.world.frames.context_of(frame)
        answer = await evaluate(context, "self.origin", by_value=True)
    except FrameGone:
        return frame.url
    return str(answer.get("value", ""))


async def _is_script_allowed(page: "PageCommand", frame: Frame) -> bool:
    """Return whether a frame's origin is below a domain with imported cookies, or has no cookies at all."""
    origin = await script_origin(page, frame)
    host = urlsplit(origin).hostname
    if host is None:
        return True  # an opaque origin (a file, a sandboxed frame) has no cookies
    if records.is_below_any(page.context.imported, f"[{host}]" if ":" in host else host):
        return True
    urls = [origin, frame.url] if frame.url.startswith("http") else [origin]
    return not await page.context.current.jar.cookies(urls)
