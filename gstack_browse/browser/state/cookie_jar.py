"""Read and set the cookies of a browser context, and find those that Chromium did not accept.

Chromium itself is asked. Where cookies come from is not known here. Values go in and are compared; they never become part of a message.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from ipaddress import ip_address
from operator import itemgetter
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, urlsplit

from gstack_browse.browser.cdp.connection import Connection
from gstack_browse.browser.cdp.session import ProtocolError, Session

if TYPE_CHECKING:
    from gstack_browse.cookies.records import Cookie

LATEST = 253_402_300_799
"""The last second of the year 9999. A cookie may not expire later."""
_READ_FIELDS = ("name", "value", "domain", "path", "expires", "httpOnly", "secure")
_SET_FIELDS = (*_READ_FIELDS, "sameSite", "url")
_CROSS_SITE = "_crHasCrossSiteAncestor"
"""Playwright's field for whether a frame of another site lies between the top-level page and the cookie's."""


async def read_cookies(root: Session, browser_context: str, urls: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Return the cookies of a browser context in Playwright's form.

    Args:
        root: the session with the browser
        browser_context: Chromium's id; "" for the default context
        urls: return only cookies that are sent to one of these; without any, return all

    Raises ProtocolError.
    """
    found = await (
        read_sent_cookies(root, browser_context, urls) if urls else read_raw_cookies(root, browser_context)
    )
    return [_from_protocol(cookie) for cookie in found]


async def read_sent_cookies(root: Session, browser_context: str, urls: Sequence[str]) -> list[dict[str, Any]]:
    """Return the cookies that are sent to one of these URLs, in the protocol's form.

    Raises ProtocolError.
    """
    parsed = [urlsplit(url) for url in urls]
    cookies = await read_raw_cookies(root, browser_context)
    return [cookie for cookie in cookies if any(_is_sent_to(cookie, url) for url in parsed)]


async def read_raw_cookies(root: Session, browser_context: str) -> list[dict[str, Any]]:
    """Return the cookies of a browser context in the protocol's form. Raises ProtocolError."""
    answer = await root.send("Storage.getCookies", _context_param(browser_context))
    cookies: list[dict[str, Any]] = answer["cookies"]
    return cookies


async def set_cookies(root: Session, browser_context: str, cookies: Sequence[Mapping[str, Any]]) -> None:
    """Set cookies, given in Playwright's form, in a browser context.

    Chromium refuses all cookies if it finds one invalid, and drops some without an error. A cookie whose `expires` is in the past is
    removed. Raises ProtocolError.
    """
    converted = [_to_protocol(cookie) for cookie in cookies]
    await root.send("Storage.setCookies", {"cookies": converted, **_context_param(browser_context)})


def _from_protocol(cookie: Mapping[str, Any]) -> dict[str, Any]:
    """Convert a cookie of the protocol to Playwright's form."""
    fields = {name: cookie[name] for name in _READ_FIELDS}
    fields["sameSite"] = cookie.get("sameSite") or "Lax"
    if partition := cookie.get("partitionKey"):
        fields[_CROSS_SITE] = partition["hasCrossSiteAncestor"]
        fields["partitionKey"] = partition["topLevelSite"]
    return fields


def _context_param(browser_context: str) -> dict[str, Any]:
    """Return the protocol's parameter that names a browser context; {} for the default one ("")."""
    return {"browserContextId": browser_context} if browser_context else {}


def _to_protocol(cookie: Mapping[str, Any]) -> dict[str, Any]:
    """Convert a cookie in Playwright's form to the protocol's.

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


MOST_AT_ONCE = 25
"""Cookies in one message. Chromium's browser thread is blocked meanwhile: less than 1 ms for this number."""
MOST_LISTS = 4
"""Messages under way at a time. With one, Chromium waits for us in between; with all at once, a new page waits for Chromium."""
_place: Callable[[Mapping[str, Any]], tuple[object, ...]] = itemgetter("domain", "name", "path")


class CookieJar:
    """Cookies of one browser context, in Playwright's form.

    `context_id` is Chromium's id of the context. "" means the browser's own context if `is_default`, else one that is not known yet.
    """

    def __init__(self, connection: Connection, context_id: str, *, is_default: bool = False) -> None:
        self._root = connection.root
        self._context_id = context_id
        self._is_known = bool(context_id) or is_default
        self._known_values = connection.cookie_values

    @property
    def _id(self) -> str:
        """Return Chromium's id of the context; "" for the browser's default one.

        Raises ProtocolError if it is not known.
        """
        if not self._is_known:
            raise ProtocolError("Chromium has not said yet which browser context this is")
        return self._context_id

    async def cookies(self, urls: Sequence[str] = ()) -> list[dict[str, Any]]:
        """Return the cookies of the context; with `urls`, those sent to one of them. Raises ProtocolError."""
        return await read_cookies(self._root, self._id, urls)

    async def raw_cookies(self, urls: Sequence[str]) -> list[dict[str, Any]]:
        """Return the cookies sent to any of `urls`, as the protocol's `Cookie` objects.

        Raises ProtocolError.
        """
        return await read_sent_cookies(self._root, self._id, urls)

    async def remove(self, cookies: Sequence[Mapping[str, Any]]) -> None:
        """Remove cookies, given in Playwright's form. Raises ProtocolError.

        Chromium deletes a cookie that is set again with a time of expiry in the past. The value stays: one without a name needs it.
        """
        if cookies:
            await self._set([{**cookie, "expires": 1} for cookie in cookies])

    async def add(self, cookies: "Sequence[Cookie]") -> "list[Cookie]":
        """Set cookies, and return those that Chromium did not accept."""
        wanted = [to_playwright_cookie(cookie) for cookie in cookies]
        await self.set_cookies(wanted)
        lacking = {id(cookie) for cookie in await self.find_missing(wanted)}
        return [cookie for cookie, fields in zip(cookies, wanted, strict=True) if id(fields) in lacking]

    async def set_cookies(self, cookies: Sequence[Mapping[str, Any]]) -> None:
        """Set cookies, given in Playwright's form; skip those that Chromium refuses.

        It refuses a whole list because of one that it finds invalid, so a list that fails is halved; others it drops without an
        error, see `find_missing`.
        """
        await self.set_from_stream(_chunks(cookies))

    async def set_from_stream(self, lists: AsyncIterator[Sequence[Mapping[str, Any]]]) -> None:
        """Set lists of at most MOST_AT_ONCE cookies as they arrive; skip cookies Chromium refuses.

        Lists are set concurrently. If Chromium refuses a list, it and all later ones are set again one after the other,
        so that of two values for one cookie the last wins.
        """
        slots = asyncio.Semaphore(MOST_LISTS)
        had: list[Sequence[Mapping[str, Any]]] = []
        setting: list[asyncio.Task[bool]] = []
        async with asyncio.TaskGroup() as group:
            async for cookies in lists:
                had.append(cookies)
                setting.append(group.create_task(self._set_in_slot(cookies, slots)))
        taken = [task.result() for task in setting]
        for refused in had[taken.index(False) if False in taken else len(taken) :]:
            await self._set_in_halves(
                refused
            )  # then the lists behind it again: of two values for one cookie the last must win

    async def _set_in_slot(self, cookies: Sequence[Mapping[str, Any]], slots: asyncio.Semaphore) -> bool:
        """Set a list of cookies once `slots` has room. Return whether Chromium accepted the list."""
        async with slots:
            try:
                await self._set(cookies)
            except ProtocolError:
                return False
        return True

    async def find_missing(self, cookies: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        """Return which of `cookies` the context lacks or has with another value. Raises ProtocolError."""
        if not cookies:
            return []
        held = {_cookie_key(cookie): cookie["value"] for cookie in await read_raw_cookies(self._root, self._id)}
        return [cookie for cookie in cookies if held.get(_cookie_key(cookie)) != cookie["value"]]

    async def _set_in_halves(self, cookies: Sequence[Mapping[str, Any]]) -> None:
        """Set cookies; halve a list that Chromium refuses, until only the refused cookies are left out."""
        try:
            await self._set(cookies)
        except ProtocolError:
            if len(cookies) == 1:
                return  # refused: `find_missing` finds it. Not logged: the error's text contains the cookie.
            middle = len(cookies) // 2
            await self._set_in_halves(cookies[:middle])
            await self._set_in_halves(cookies[middle:])

    async def _set(self, cookies: Sequence[Mapping[str, Any]]) -> None:
        """Set cookies in one call, and remember their values as secrets.

        Raises ProtocolError if Chromium refuses one.
        """
        self._known_values.add(str(cookie.get("value", "")) for cookie in cookies)
        await set_cookies(self._root, self._id, cookies)


async def _chunks(cookies: Sequence[Mapping[str, Any]]) -> AsyncIterator[Sequence[Mapping[str, Any]]]:
    """Yield the cookies in lists of at most MOST_AT_ONCE."""
    for begin in range(0, len(cookies), MOST_AT_ONCE):
        yield cookies[begin : begin + MOST_AT_ONCE]


def to_playwright_cookie(cookie: "Cookie") -> dict[str, object]:
    """Convert a cookie of another browser to Playwright's form.

    A domain without a leading dot makes a host-only cookie, as in a browser's database.
    """
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


def _cookie_key(cookie: Mapping[str, Any]) -> tuple[object, ...]:
    """Return domain, name, path and partition of a cookie in Playwright's or the protocol's form."""
    if not (partition := cookie.get("partitionKey")):
        return _place(cookie)
    return _place(cookie), partition if isinstance(partition, str) else partition["topLevelSite"]
