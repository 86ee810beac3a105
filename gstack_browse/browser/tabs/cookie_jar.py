"""Puts cookies into a browser context, with an honest count of those that it took.

Where cookies come from is not known here. Values go in and are compared; they never become part of a message.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from gstack_browse.browser.cdp.playwright_names import BrowserContext
from gstack_browse.browser.cdp.playwright_names import Error as PlaywrightError
from gstack_browse.cookies.records import Cookie


async def add(context: BrowserContext, cookies: Sequence[Cookie]) -> list[Cookie]:
    """Set cookies; returns those that Chromium did not take."""
    wanted = [described(cookie) for cookie in cookies]
    refused = {id(cookie) for cookie in await put(context, wanted)}
    return [cookie for cookie, fields in zip(cookies, wanted, strict=True) if id(fields) in refused]


async def put(context: BrowserContext, cookies: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Set cookies in Playwright's words; returns those that Chromium did not take.

    Chromium refuses a whole list because of one that it finds invalid, and drops others without a word. So a list
    that fails is halved, and in the end the context is asked what it has.
    """
    if not cookies:
        return []
    await _set(context, cookies)
    held = {_identity(cookie): cookie["value"] for cookie in await context.cookies()}
    return [cookie for cookie in cookies if held.get(_identity(cookie)) != cookie["value"]]


async def _set(context: BrowserContext, cookies: Sequence[Mapping[str, Any]]) -> None:
    if not cookies:
        return
    given: Any = cookies
    try:
        await context.add_cookies(given)
    except PlaywrightError:
        if len(cookies) == 1:
            return  # not taken: `put` sees that. The error's text repeats the cookie.
        middle = len(cookies) // 2
        await _set(context, cookies[:middle])
        await _set(context, cookies[middle:])


def described(cookie: Cookie) -> dict[str, object]:
    """In Playwright's words. A domain without a leading dot makes a host-only cookie, as in a database."""
    fields: dict[str, object] = {
        "name": cookie.name,
        "value": cookie.value,
        "domain": cookie.host,
        "path": cookie.path or "/",
        "expires": -1 if cookie.expires is None else cookie.expires,
        "httpOnly": cookie.http_only,
        "secure": cookie.secure,
    }
    if cookie.same_site:
        fields["sameSite"] = cookie.same_site
    if cookie.partition:
        fields["partitionKey"], fields["_crHasCrossSiteAncestor"] = cookie.partition
    return fields


def _identity(cookie: Mapping[str, Any]) -> tuple[str, str, str, str]:
    return cookie["domain"], cookie["name"], cookie["path"], cookie.get("partitionKey") or ""
