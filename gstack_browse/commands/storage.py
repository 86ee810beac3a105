"""Storage: what sites keep in the browser."""

import asyncio
import json
import time
from collections import Counter
from collections.abc import Iterable
from typing import Literal
from urllib.parse import urlsplit

from gstack_browse.browser.output import cookies as browser_cookies
from gstack_browse.browser.output import storage as browser_storage
from gstack_browse.browser.output.scriptfile import read_whole
from gstack_browse.browser.tabs.page import PageSession
from gstack_browse.browser.tabs.session import BrowserSession
from gstack_browse.cookies import exports
from gstack_browse.cookies.records import Cookie
from gstack_browse.errors import ActionFailed, UsageError
from gstack_browse.registry import READ, WRITE, command
from gstack_browse.registry.arguments import PageFile, Value, Word
from gstack_browse.text import secrets
from gstack_browse.text.columns import counted

MOST_BYTES = 20_000_000


@command(READ, examples=["cookies"], page_text=True)
async def cookies(browser: BrowserSession) -> str:
    """Print all cookies as JSON. Values are shortened and never whole.

    `expires` is in seconds since 1970, -1 for a cookie that ends with the browser.
    """
    found = await browser.context.cookies()
    shown = [{**cookie, "value": secrets.shortened(cookie.get("value", ""))} for cookie in found]
    return json.dumps(shown, ensure_ascii=False, indent=2)


@command(
    READ,
    kinds={"action": WRITE},
    examples=["storage", "storage set theme dark"],
    page_text=True,
    secret=["value"],
    forms="[set <key> <value>]",
)
async def storage(
    page: PageSession, action: Literal["set"] | None = None, key: Word | None = None, value: Value | None = None
) -> str:
    """Print the page's local and session storage as JSON, or set an item of its local storage.

    Values that are secrets by their name or by their looks are redacted.

    action: set an item of the local storage instead of printing
    key: the item's name
    """
    if action is None:
        areas = await browser_storage.items(page)
        shown = {name: secrets.hide(items) for name, items in areas.items()}
        return json.dumps(shown, ensure_ascii=False, indent=2)
    if key is None or value is None:
        raise UsageError("storage set needs a key and a value")
    await browser_storage.set_item(page, key, value)
    return f"Set localStorage[{json.dumps(key, ensure_ascii=False)}]"


@command(WRITE, examples=["cookie-import cookies.json", "cookie-import cookies.txt"], fresh=True)
async def cookie_import(browser: BrowserSession, file: PageFile, *, any_file: bool = False) -> str:
    """Load cookies from a file: a JSON list, Playwright's storage state, or a Netscape cookies.txt.

    Cookies without a domain are for the host of the active tab. Says how many were not loaded, and why.

    any_file: also a file outside of the workspace and the temporary directory
    """
    content = await asyncio.to_thread(read_whole, file, MOST_BYTES)
    parsed = exports.parse(content, host=_host(browser))
    now = time.time()
    hopeless = {id(cookie): reason for cookie in parsed.cookies if (reason := exports.obstacle(cookie, now))}
    wanted = _last_of_each(cookie for cookie in parsed.cookies if id(cookie) not in hopeless)
    refused = await browser_cookies.add(browser.context, wanted)
    reasons = Counter([*parsed.malformed, *hopeless.values(), *("rejected by Chromium" for _ in refused)])
    loaded = len(wanted) - len(refused)
    if reasons and not loaded:
        raise ActionFailed(f"No cookie of {file} was loaded: {_told(reasons)}")
    report = f"Loaded {counted(loaded, 'cookie')} from {file}"
    return f"{report}\n→ {reasons.total()} not loaded: {_told(reasons)}" if reasons else report


def _host(browser: BrowserSession) -> str:
    active = browser.tabs.get()
    try:
        return (urlsplit(active.url).hostname or "") if active else ""
    except ValueError:  # of a scheme whose addresses have another form
        return ""


def _last_of_each(cookies: Iterable[Cookie]) -> list[Cookie]:
    """Of cookies with the same name, domain and path, the last one, as a browser would keep it."""
    return list({(cookie.host, cookie.name, cookie.path): cookie for cookie in cookies}.values())


def _told(reasons: Counter[str]) -> str:
    return ", ".join(f"{count} {reason}" for reason, count in reasons.most_common(6))
