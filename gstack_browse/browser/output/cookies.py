"""Cookies of the browser's context: listing, removing; which pages scripts may run on."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from gstack_browse.browser.devtools.frame import Frame
from gstack_browse.browser.engine.messages import FrameGone, evaluate
from gstack_browse.cookies import domains
from gstack_browse.errors import Refused

if TYPE_CHECKING:
    from gstack_browse.browser.tabs.cookie_jar import CookieJar
    from gstack_browse.browser.tabs.page import PageSession
    from gstack_browse.browser.tabs.session import BrowserSession


async def count_imported(session: "BrowserSession") -> dict[str, int]:
    """Count the browser's cookies for each host of the imported domains."""
    hosts = [_host(cookie) for cookie in await session.current.jar.cookies()]
    return dict(sorted(Counter(host for host in hosts if domains.is_below_any(session.imported, host)).items()))


async def remove(session: "BrowserSession", host: str) -> int:
    """Remove a host's cookies, and forget it as imported. Return how many there were."""
    jar = session.current.jar
    cookies = [cookie for cookie in await jar.cookies() if _host(cookie) == host]
    await jar.remove(cookies)
    session.imported.discard(host)
    return len(cookies)


async def list_of_site(jar: "CookieJar", site: str) -> list[dict[str, Any]]:
    """List the cookies that belong to a site; all for ""."""
    found = await jar.cookies()
    return [cookie for cookie in found if not site or domains.is_cookie_of_site(cookie["domain"], site)]


def _host(cookie: Mapping[str, Any]) -> str:
    return str(cookie["domain"]).lstrip(".")


# ── scripts ──────────────────────────────────────────────────────────────────────────────────────────────────


async def check_script_allowed(page: "PageSession", frames: Iterable[Frame] = ()) -> None:
    """Raise Refused if a script may not run in the tab.

    Since cookies were imported, a page that persuades its reader to run a script could use it against another
    site's login. So scripts run only on pages of imported domains, and on pages that have no cookies at all. The
    frames it runs in count as well as the page.
    """
    if not page.session.imported:
        return
    for frame in {page.tab.page.main_frame, page.frame, *frames}:
        if not await _is_script_allowed(page, frame):
            host = urlsplit(await script_origin(page, frame)).hostname or "this page"
            raise Refused(
                f"Scripts do not run on {host}: cookies were imported for other sites, and it is none of them",
                "If the user wants this script to run here, repeat it with --any-origin",
            )


async def script_origin(page: "PageSession", frame: Frame) -> str:
    """Return the origin of a frame's scripts: at about:blank, that of its opener."""
    try:
        context = await page.world.frames.context_of(frame)
        answer = await evaluate(context, "self.origin", by_value=True)
    except FrameGone:
        return frame.url
    return str(answer.get("value", ""))


async def _is_script_allowed(page: "PageSession", frame: Frame) -> bool:
    """Return whether a frame has an imported origin, or no cookies."""
    origin = await script_origin(page, frame)
    host = urlsplit(origin).hostname
    if host is None:
        return True  # an opaque origin (a file, a sandboxed frame) has no cookies
    if domains.is_below_any(page.session.imported, f"[{host}]" if ":" in host else host):
        return True
    urls = [origin, frame.url] if frame.url.startswith("http") else [origin]
    return not await page.session.current.jar.cookies(urls)
