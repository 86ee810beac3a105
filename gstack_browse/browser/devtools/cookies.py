"""Read and set the cookies of a browser context, in the form of Playwright's storage state.

A cookie is a dict with name, value, domain, path, expires (seconds; -1: with the session), httpOnly, secure, sameSite, and for a
partitioned one partitionKey (its top-level site). To set a cookie, `url` can replace domain, path and secure. Error messages contain no
values.
"""

from collections.abc import Awaitable, Mapping, Sequence
from ipaddress import ip_address
from typing import Any, Protocol
from urllib.parse import SplitResult, urlsplit

from gstack_browse.browser.cdp.errors import ProtocolError

LATEST = 253_402_300_799
"""The last second of the year 9999. A cookie may not expire later."""
_READ_FIELDS = ("name", "value", "domain", "path", "expires", "httpOnly", "secure")
_SET_FIELDS = (*_READ_FIELDS, "sameSite", "url")
_CROSS_SITE = "_crHasCrossSiteAncestor"
"""Playwright's field for whether a frame of another site lies between the top-level page and the cookie's."""


class Root(Protocol):
    """A session with the browser itself."""

    def send(self, method: str, params: dict[str, Any] | None = None) -> Awaitable[dict[str, Any]]: ...


async def read_cookies(root: Root, browser_context: str, urls: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Return the cookies of a browser context.

    Args:
        browser_context: Chromium's id; "" for the default context
        urls: return only cookies that are sent to one of these; without any, return all

    Raises ProtocolError.
    """
    cookies = await read_raw_cookies(root, browser_context)
    parsed = [urlsplit(url) for url in urls]
    return [
        describe_cookie(cookie)
        for cookie in cookies
        if not urls or any(_is_sent_to(cookie, url) for url in parsed)
    ]


async def read_raw_cookies(root: Root, browser_context: str) -> list[dict[str, Any]]:
    """Return the cookies of a browser context as Chromium describes them. Raises ProtocolError."""
    answer = await root.send("Storage.getCookies", _context_param(browser_context))
    cookies: list[dict[str, Any]] = answer["cookies"]
    return cookies


async def set_cookies(root: Root, browser_context: str, cookies: Sequence[Mapping[str, Any]]) -> None:
    """Set cookies in a browser context.

    Chromium refuses all cookies if it finds one invalid, and drops some without an error. A cookie whose `expires` is in the past is
    removed. Raises ProtocolError.
    """
    converted = [_to_protocol(cookie) for cookie in cookies]
    await root.send("Storage.setCookies", {"cookies": converted, **_context_param(browser_context)})


def describe_cookie(cookie: Mapping[str, Any]) -> dict[str, Any]:
    """Convert one of Chromium's cookies to Playwright's form."""
    fields = {name: cookie[name] for name in _READ_FIELDS}
    fields["sameSite"] = cookie.get("sameSite") or "Lax"
    if partition := cookie.get("partitionKey"):
        fields[_CROSS_SITE] = partition["hasCrossSiteAncestor"]
        fields["partitionKey"] = partition["topLevelSite"]
    return fields


def _context_param(browser_context: str) -> dict[str, Any]:
    return {"browserContextId": browser_context} if browser_context else {}


def _to_protocol(cookie: Mapping[str, Any]) -> dict[str, Any]:
    """Convert a cookie to Chromium's form.

    Raises ProtocolError for an invalid `url`, domain, path or `expires`.
    """
    fields = {name: cookie[name] for name in _SET_FIELDS if cookie.get(name) is not None}
    if url := cookie.get("url"):
        fields |= _scope_of_url(url)
    elif not (cookie.get("domain") and cookie.get("path")):
        raise ProtocolError("a cookie has neither a URL nor a domain and a path")
    expires = fields.get("expires", -1)
    if not (expires == -1 or 0 <= expires <= LATEST):
        raise ProtocolError("a cookie has no valid end")
    if partition := cookie.get("partitionKey"):
        crosses = cookie.get(_CROSS_SITE, True)
        fields["partitionKey"] = {"topLevelSite": partition, "hasCrossSiteAncestor": crosses}
    return fields


def _scope_of_url(url: str) -> dict[str, Any]:
    """Return domain, path and `secure` of a cookie that a page at `url` sets. Raises ProtocolError."""
    parts = urlsplit(url)
    if not parts.hostname:
        raise ProtocolError("a cookie has a URL without a host")
    folder = parts.path[: parts.path.rfind("/") + 1] or "/"
    return {"domain": parts.hostname, "path": folder, "secure": parts.scheme == "https"}


def _is_sent_to(cookie: Mapping[str, Any], url: SplitResult) -> bool:
    """Return whether a cookie is sent with a request for `url`."""
    host, domain = url.hostname or "", str(cookie["domain"]).strip("[]")
    if host != domain and not (domain.startswith(".") and f".{host}".endswith(domain)):
        return False
    if cookie["secure"] and url.scheme not in ("https", "wss") and not _is_local(host):
        return False
    path, scope = url.path or "/", str(cookie["path"])
    return path == scope or (path.startswith(scope) and (scope.endswith("/") or path[len(scope)] == "/"))


def _is_local(host: str) -> bool:
    """Return whether a host is this machine: Chromium sends secure cookies there over http, too."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
