"""Requests: headers and passwords that servers want."""

import re
from typing import Annotated

from gstack_browse.browser.tabs.request_extras import ExtraHeader
from gstack_browse.browser.tabs.session import BrowserSession
from gstack_browse.errors import ActionFailed, UsageError
from gstack_browse.policy.origins import origin_of, origin_or_none
from gstack_browse.registry import READ, WRITE, command
from gstack_browse.registry.argument_type import ArgumentType
from gstack_browse.registry.arguments import PipedSecret, SecretValue, Word
from gstack_browse.registry.paths import CallerPaths
from gstack_browse.text.columns import aligned
from gstack_browse.text.secrets import hide_value

_FIELD_NAME = r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}\Z"
_FORBIDDEN = frozenset({"host", "content-length", "connection", "transfer-encoding", "cookie", "upgrade"})
MOST_CHARACTERS = 8000


def _header(word: str, paths: CallerPaths) -> str:
    """A field name (RFC 9110, 5.1)."""
    if not re.match(_FIELD_NAME, word):
        raise UsageError(
            f'"{word[:60]}" is no name of a header', "For example X-Api-Key; the value is a word of its own"
        )
    if word.lower() in _FORBIDDEN:
        hint = "Use 'cookie-set'" if word.lower() == "cookie" else ""
        raise UsageError(f"{word} is Chromium's to set", hint)
    return word


def _origin(word: str, paths: CallerPaths) -> str:
    return origin_of(word)


HeaderName = Annotated[str, ArgumentType("name", "a header's name, for example Authorization", _header)]
Origin = Annotated[str, ArgumentType("url", "a site's address, of which the origin counts", _origin)]


@command(
    WRITE,
    examples=[
        "header Accept-Language de",
        "header Authorization - --origin https://api.example.com < token.txt",
        "header Accept-Language",
    ],
    secret=["value"],
    fresh=True,
)
async def header(
    browser: BrowserSession, name: HeaderName, value: SecretValue | None = None, *, origin: Origin = ""
) -> str:
    """Send a header with every request from now on, in place of the page's own; without a value, stop sending it.

    The value is never printed; `-` reads it from standard input. Frames, workers and new tabs send it, too; web sockets do
    not. Give --origin for a secret: without it every site that a page asks for something gets the header.

    origin: only with requests to this site; one that it redirects to does not get it
    """
    where = f" to {origin}" if origin else ""
    if value is None:
        if not browser.extras.remove(name, origin):
            raise ActionFailed(f"No header {name} is sent{where}", "Run 'headers' to see those that are")
        return f"Header no longer sent{where}: {name}"
    if len(value) > MOST_CHARACTERS or not (value.isascii() and value.isprintable()):
        raise UsageError(f"A header's value is at most {MOST_CHARACTERS} printable ASCII characters")
    if hide_value(name, value) != value:
        browser.revealed.add(value)
    await browser.extras.add(ExtraHeader(name, value, origin))
    return f"Header sent with every request{where}: {name}"


@command(READ, examples=["headers"])
async def headers(browser: BrowserSession) -> str:
    """List the headers that are sent with requests, and the sites that get a password: names, never values."""
    rows = [(item.name, item.origin or "every site") for item in browser.extras.headers]
    rows += [(f"user {user}", origin) for origin, user in browser.extras.users.items()]
    return aligned(rows) if rows else "Nothing is added to requests"


@command(
    WRITE,
    examples=["http-auth ann --origin https://staging.example.com < password.txt"],
    needs_stdin=True,
    secret=["password"],
    forms="<user> [--origin <url>] < password",
    fresh=True,
)
async def http_auth(browser: BrowserSession, user: Word, password: PipedSecret, *, origin: Origin = "") -> str:
    """Answer a site that asks for user and password by HTTP (401). Never printed; load the page again afterwards.

    The password comes from standard input; at a terminal it is asked for. An empty one ends it.

    origin: the site, in place of the active tab's
    """
    site = origin or _active_origin(browser)
    if not site:
        raise UsageError("The active tab has no site that could ask", "Name it: --origin https://example.com")
    if not password:
        if not browser.extras.log_out(site):
            raise ActionFailed(f"No password is given to {site}", "Run 'headers' to see who gets one")
        return f"No password is given to {site} any more"
    browser.revealed.add(password)
    await browser.extras.log_in(site, user, password)
    return f"Password of {user} is given to {site} when it asks"


def _active_origin(browser: BrowserSession) -> str:
    tab = browser.tabs.get()
    return origin_or_none(tab.url) if tab else ""
