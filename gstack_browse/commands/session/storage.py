"""Storage: what sites keep in the browser."""

import asyncio
import json
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from gstack_browse.browser.command.page import PageCommand
from gstack_browse.browser.context.open_context import OpenContext
from gstack_browse.browser.reading import storage as browser_storage
from gstack_browse.cookies import exports, records
from gstack_browse.cookies.records import Cookie, SameSite
from gstack_browse.errors import ActionFailed, UsageError
from gstack_browse.registry import READ, WRITE, command
from gstack_browse.registry.arguments import CookieName, PageFile, SecretValue, StorageKey, Text
from gstack_browse.registry.values.argument_type import ArgumentType
from gstack_browse.registry.values.measures import parse_time
from gstack_browse.registry.values.paths import CallerPaths
from gstack_browse.text import secrets
from gstack_browse.text.addresses import host_of
from gstack_browse.text.units import format_count
from gstack_browse.workspace import files

MOST_BYTES = 20_000_000
MOST_NAMED = 8


def _parse_site(word: str, _paths: CallerPaths) -> str:
    """Parse the site of a cookie. Raises UsageError.

    A leading dot, of a cookie that is also sent to subdomains, is kept.
    """
    if host := records.normalise_host(word):
        return f".{host}" if word.strip().startswith(".") else host
    raise UsageError(f'"{word[:60]}" is not a domain', "Write it as example.com, or .example.com")


def _parse_same_site(word: str, _paths: CallerPaths) -> SameSite:
    """Parse the attribute SameSite of a cookie, ignoring case. Raises UsageError."""
    known: tuple[SameSite, ...] = ("Lax", "Strict", "None")
    for policy in known:
        if policy.lower() == word.lower():
            return policy
    raise UsageError(f'"{word[:60]}" is not one of {", ".join(known)}')


Site = Annotated[str, ArgumentType("domain", "a site, for example example.com", _parse_site)]
Policy = Annotated[SameSite, ArgumentType("policy", "Lax, Strict or None", _parse_same_site)]
Moment = Annotated[
    float,
    ArgumentType(
        "time",
        "30d, 12h, a date, or seconds since 1970",
        lambda word, _: parse_time(word, time.time()),
    ),
]


@command(READ, examples=["cookies", "cookies --domain example.com"], page_text=True, aliases=["cookie-list"])
async def cookies(browser: OpenContext, *, domain: Site = "") -> str:
    """Print cookies as JSON. Values are shortened and never whole.

    `expires` is in seconds since 1970, -1 for a cookie that ends with the browser.

    domain: only those of this site: its own, those of names below it, and those that a domain above it has for it
    """
    found = await browser_storage.list_cookies_of_site(browser.current.jar, domain.lstrip("."))
    shown = [{**cookie, "value": secrets.abbreviate_secret(cookie.get("value", ""))} for cookie in found]
    return json.dumps(shown, ensure_ascii=False, indent=2)


@command(
    WRITE,
    examples=[
        "cookie-set theme dark",
        "cookie-set sid - --domain app.example.com --secure --http-only < sid.txt",
    ],
    secret=["value"],
    fresh=True,
)
async def cookie_set(
    browser: OpenContext,
    name: CookieName,
    value: SecretValue,
    *,
    domain: Site = "",
    path: Text = "/",
    expires: Moment | None = None,
    secure: bool = False,
    http_only: bool = False,
    same_site: Policy | None = None,
) -> str:
    """Set a cookie. The value is never printed; `-` reads it from standard input.

    No list of processes shows it there. The page sees it when it is loaded the next time, or asks its server
    for something.

    domain: the host it is for, in place of the active tab's; with a leading dot also for all names below
    path: the path it is sent for
    expires: when it ends; without that it ends with the browser
    secure: only over https
    http_only: scripts do not see it
    same_site: Lax, Strict or None: whether requests from other sites send it
    """
    host = domain or _active_host(browser)
    if not host:
        raise UsageError(
            "The active tab has no host whose cookie that could be", "Name one: --domain example.com"
        )
    wanted = exports.validate_cookie(Cookie(host, name, path, value, expires, secure, http_only, same_site))
    reason = wanted if isinstance(wanted, str) else exports.rejection_reason(wanted, time.time())
    if not isinstance(wanted, str) and not reason and await browser.current.jar.add([wanted]):
        reason = "rejected by Chromium"
    if reason:
        raise ActionFailed(f"The cookie {_quote_name(name)} for {host} was not set: {reason}")
    return f"Cookie set: {_quote_name(name)} for {host}"


@command(WRITE, examples=["cookie-delete theme", "cookie-delete sid --domain example.com"])
async def cookie_delete(browser: OpenContext, name: CookieName, *, domain: Site = "") -> str:
    """Delete the cookies of that name which the active tab's host gets.

    domain: those of this site, in place of the active tab's
    """
    site = domain.lstrip(".") or _active_host(browser)
    found = await browser_storage.list_cookies_of_site(browser.current.jar, site) if site else []
    matching = [cookie for cookie in found if cookie["name"] == name]
    if not matching:
        where = f" for {site}" if site else ": the active tab has no host"
        raise ActionFailed(
            f"There is no cookie {_quote_name(name)}{where}", "Run 'cookies' to see those there are"
        )
    await browser.current.jar.remove(matching)
    return f"Deleted {format_count(len(matching), 'cookie')}: {_quote_name(name)} for {_join_hosts(matching)}"


@command(
    WRITE,
    examples=["cookies-clear", "cookies-clear --domain example.com"],
    aliases=["cookie-clear"],
    fresh=True,
)
async def cookies_clear(browser: OpenContext, *, domain: Site = "") -> str:
    """Delete all cookies. Local and session storage stay: 'storage-clear'.

    domain: only those of this site, and of names below it
    """
    found = await browser_storage.list_cookies_of_site(browser.current.jar, domain.lstrip("."))
    await browser.current.jar.remove(found)
    left = len(await browser_storage.list_cookies_of_site(browser.current.jar, domain.lstrip(".")))
    done = f"Deleted {format_count(len(found), 'cookie')}"
    hosts = f": {_join_hosts(found)}" if found else ""
    return f"{done}{hosts}\n→ {format_count(left, 'cookie')} set again meanwhile" if left else done + hosts


def _quote_name(name: str) -> str:
    """Return a cookie's name in double quotes, escaped as in JSON."""
    return json.dumps(name, ensure_ascii=False)


def _join_hosts(found: Sequence[Mapping[str, Any]]) -> str:
    """Return the hosts of cookies as text, those with the most first."""
    hosts = [host for host, _ in Counter(str(cookie["domain"]) for cookie in found).most_common()]
    more = len(hosts) - MOST_NAMED
    return ", ".join(hosts[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


@command(WRITE, examples=["cookie-import cookies.json", "cookie-import cookies.txt"], fresh=True)
async def cookie_import(browser: OpenContext, file: PageFile, *, any_file: bool = False) -> str:
    """Load cookies from a file: a JSON list, Playwright's storage state, or a Netscape cookies.txt.

    Cookies without a domain are for the host of the active tab. Says how many were not loaded, and why.

    any_file: also a file outside of the workspace and the temporary directory
    """
    content = await asyncio.to_thread(files.read_limited, str(file), MOST_BYTES)
    parsed = exports.parse_cookie_file(content, host=_active_host(browser))
    now = time.time()
    hopeless = {
        id(cookie): reason for cookie in parsed.cookies if (reason := exports.rejection_reason(cookie, now))
    }
    acceptable = [cookie for cookie in parsed.cookies if id(cookie) not in hopeless]
    # a later cookie replaces an earlier one
    wanted = list({(each.host, each.name, each.path): each for each in acceptable}.values())
    refused = await browser.current.jar.add(wanted)
    reasons = Counter([*parsed.malformed, *hopeless.values(), *("rejected by Chromium" for _ in refused)])
    loaded = len(wanted) - len(refused)
    if reasons and not loaded:
        raise ActionFailed(f"No cookie of {file} was loaded: {_describe_reasons(reasons)}")
    report = f"Loaded {format_count(loaded, 'cookie')} from {file}"
    return f"{report}\n→ {reasons.total()} not loaded: {_describe_reasons(reasons)}" if reasons else report


def _active_host(browser: OpenContext) -> str:
    """Return the host of the active tab's page; "" without one."""
    active = browser.tabs.get()
    return host_of(active.url) if active else ""


def _describe_reasons(reasons: Counter[str]) -> str:
    """Return why cookies of a file were not loaded, as text: the six most common reasons with counts."""
    return ", ".join(f"{count} {reason}" for reason, count in reasons.most_common(6))


@command(
    READ,
    kinds={"action": WRITE},
    examples=["storage", "storage set theme dark", "storage delete theme --session"],
    page_text=True,
    secret=["value"],
    forms="[set <key> <value|-> | delete <key> | clear] [--session]",
)
async def storage(
    page: PageCommand,
    action: Literal["set", "delete", "clear"] | None = None,
    key: StorageKey | None = None,
    value: SecretValue | None = None,
    *,
    session: bool = False,
) -> str:
    """Print the page's local and session storage as JSON, or change an item.

    It does as storage-set, -delete and -clear. Values that are secrets by their name or by their looks are
    redacted.

    action: set, delete or clear items of the local storage instead of printing
    session: of the session storage instead; alone: print only that
    """
    if action == "clear":
        if key is not None:
            raise UsageError("storage clear takes no key", "One item: storage delete <key>")
        return await storage_clear(page, session=session)
    if action is None:
        areas = await browser_storage.list_items(page)
        shown = {name: secrets.hide_secrets(items) for name, items in areas.items()}
        return json.dumps(shown["sessionStorage"] if session else shown, ensure_ascii=False, indent=2)
    if key is None or (value is None) is (action == "set"):
        raise UsageError(
            "storage set needs a key and a value" if action == "set" else "storage delete needs one key"
        )
    if action == "delete":
        return await storage_delete(page, key, session=session)
    return await storage_set(page, key, value or "", session=session)


@command(
    WRITE, examples=["storage-set theme dark", "storage-set token - --session < token.txt"], secret=["value"]
)
async def storage_set(page: PageCommand, key: StorageKey, value: SecretValue, *, session: bool = False) -> str:
    """Set an item of the page's local storage. The value is never printed.

    session: of its session storage, which only this tab has
    """
    await browser_storage.set_item(page, key, value, session=session)
    return f"Set {_item_name(key, session=session)}"


@command(WRITE, examples=["storage-delete theme", "storage-delete step --session"])
async def storage_delete(page: PageCommand, key: StorageKey, *, session: bool = False) -> str:
    """Delete an item of the page's local storage.

    session: of its session storage
    """
    if not await browser_storage.remove_items(page, key, session=session):
        raise ActionFailed(f"There is no {_item_name(key, session=session)}", "Run 'storage' to see the items")
    return f"Deleted {_item_name(key, session=session)}"


@command(WRITE, examples=["storage-clear", "storage-clear --session"])
async def storage_clear(page: PageCommand, *, session: bool = False) -> str:
    """Delete all items of the page's local storage. Cookies stay: 'cookies-clear'.

    session: of its session storage
    """
    found = await browser_storage.remove_items(page, None, session=session)
    return f"Deleted {format_count(found, 'item')} of {_storage_name(session=session)}"


def _item_name(key: str, *, session: bool) -> str:
    """Return how a script names an item of web storage: `localStorage["theme"]`."""
    return f"{_storage_name(session=session)}[{json.dumps(key, ensure_ascii=False)}]"


def _storage_name(*, session: bool) -> str:
    """Return the script's name of a web storage: "sessionStorage", or "localStorage" if not `session`."""
    return "sessionStorage" if session else "localStorage"
