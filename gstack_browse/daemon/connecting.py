"""Connect the daemon to a browser that runs already, and disconnect it."""

from typing import TYPE_CHECKING, cast

from gstack_browse.browser.launch.running import NOT_PRESENTED
from gstack_browse.browser.tabs.session import BrowserSession
from gstack_browse.browser.tabs.session_transfer import Transfer
from gstack_browse.daemon import unfinished
from gstack_browse.daemon.service import Service
from gstack_browse.errors import ActionFailed
from gstack_browse.text.columns import format_count

if TYPE_CHECKING:
    from gstack_browse.browser.launch.connect import ExternalBrowser  # aiohttp: no part of a start


async def connect(service: Service, address: str) -> str:
    """Go to the browser at `address`. Raises SetupFailed if that fails, and changes nothing then."""
    from gstack_browse.browser.launch.endpoint import Endpoint

    endpoint = Endpoint(address, shared=True, ca_cert=service.settings.ca_cert)
    await service.wait_until_started()  # a browser that ends while it starts counts as one that has died
    before = service.browser
    if before and before.running.is_shared and cast("ExternalBrowser", before.running).endpoint == endpoint:
        return f"Connected to {endpoint.name} already"
    if before and before.handed:
        raise ActionFailed("The browser is with a person", "Run 'resume' to take it back")
    if named := [context.name for context in service.contexts.others if context.browser]:
        raise ActionFailed(
            f"Others work in the browser that would be closed: {', '.join(named)}",
            f"Run 'context-close {named[0]}', or let them finish",
        )
    running = await service.connect_to(endpoint)
    try:
        ended = unfinished.describe_recordings([before]) if before else ""
        closed = await _close_current(service, before)
        browser = await service.switch_to(running)
    except BaseException:
        await running.close()
        raise
    others = await browser.strangers.listed(running)
    lines = [
        f"Connected to {running.product} at {endpoint.name}: {format_count(len(others), 'tab')}, none taken"
    ]
    lines += [f"→ {closed}"] if closed else []
    lines += [f"→ ended: {ended}"] if ended else []
    lines += [f"→ {NOT_PRESENTED}"] if service.settings.client_certs else []
    lines += ["→ 'tabs' lists them, 'tab <n> --take' takes one, 'newtab <url>' opens one"]
    return "\n".join(lines)


async def disconnect(service: Service, *, keep: bool) -> str:
    """Leave the browser that `connect` went to."""
    browser = service.browser
    if browser is None or not browser.running.is_shared:
        return "Not connected"
    running = cast("ExternalBrowser", browser.running)
    running.keeps_tabs = keep
    opened, attached = len(running.connection.own.opened), len(running.connection.own.attached)
    ended = unfinished.describe_recordings([browser])
    await _close_current(service, browser)
    service.switch_to_own()
    parts = [f"{format_count(opened, 'tab')} of ours {'left open' if keep else 'closed'}"] if opened else []
    parts += [f"{format_count(attached, 'tab')} let go"] if attached else []
    return f"Disconnected from {running.endpoint.name}{': ' + ', '.join(parts) if parts else ''}{unfinished.ended_line(ended)}"


async def _close_current(service: Service, browser: BrowserSession | None) -> str:
    """Close the current browser between two commands. Return a text on what was closed."""
    if browser is None:
        await service.close_browser()
        return ""
    visited = sum(1 for tab in browser.tabs if tab.url not in ("", "about:blank"))
    is_own = not browser.running.is_shared
    left = "" if is_own else _describe_loss(cast("ExternalBrowser", browser.running))
    async with Transfer(browser) as transfer:
        await transfer.finish(service.close_browser())
    return f"closed the browser that ran here ({format_count(visited, 'tab')})" if is_own and visited else left


def _describe_loss(running: "ExternalBrowser") -> str:
    """Return which browser of others is left, and which tabs are closed there."""
    opened = len(running.connection.own.opened)
    return f"left {running.endpoint.name}" + (
        f": closed {format_count(opened, 'tab')} of ours" if opened else ""
    )
