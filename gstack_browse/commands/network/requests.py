"""Requests: headers and passwords that servers want."""

from typing import Annotated

from gstack_browse.browser.context.open_context import OpenContext
from gstack_browse.browser.network.shaping import ExtraHeader
from gstack_browse.errors import ActionFailed, UsageError
from gstack_browse.registry import READ, WRITE, command
from gstack_browse.registry.arguments import Origin, PipedSecret, SecretValue, UserName
from gstack_browse.registry.values.argument_type import ArgumentType
from gstack_browse.registry.values.headers import check_header_value, parse_header_name
from gstack_browse.security.policy.hosts import origin_or_empty
from gstack_browse.text.secrets import hide_value
from gstack_browse.text.table_output import align_columns

HeaderName = Annotated[
    str, ArgumentType("name", "a header's name, for example Authorization", parse_header_name)
]


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
    browser: OpenContext, name: HeaderName, value: SecretValue | None = None, *, origin: Origin = ""
) -> str:
    """Send a header with every request from now on, instead of the page's own.

    Without a value, stop sending it. The value is never printed; `-` reads it from standard input. Frames,
    workers and new tabs send it, too; web sockets do not. Give --origin for a secret: without it every site
    that a page asks for something gets the header.

    origin: only with requests to this site; one that it redirects to does not get it
    """
    where = f" to {origin}" if origin else ""
    if value is None:
        if not await browser.extras.remove(name, origin):
            raise ActionFailed(f"No header {name} is sent{where}", "Run 'headers' to see those that are")
        return f"Header no longer sent{where}: {name}"
    check_header_value(value)
    if hide_value(name, value) != value:
        browser.revealed.add(value)
    await browser.extras.add(ExtraHeader(name, value, origin))
    return f"Header sent with every request{where}: {name}"


@command(READ, examples=["headers"])
async def headers(browser: OpenContext) -> str:
    """List the headers that are sent with requests, and the sites that get a password.

    It prints names, never values.
    """
    rows = [(item.name, item.origin or "every site") for item in browser.extras.headers]
    rows += [(f"user {user}", origin) for origin, user in browser.extras.users.items()]
    return align_columns(rows) if rows else "Nothing is added to requests"


@command(
    WRITE,
    examples=["http-auth ann --origin https://staging.example.com < password.txt"],
    needs_stdin=True,
    secret=["password"],
    forms="<user> [--origin <url>] < password",
    fresh=True,
)
async def http_auth(browser: OpenContext, user: UserName, password: PipedSecret, *, origin: Origin = "") -> str:
    """Answer a site that asks for user and password by HTTP (401).

    Never printed; load the page again afterwards. The password comes from standard input; at a terminal it is
    asked for. An empty one ends it; Chromium itself goes on with one that a site has taken, until 'restart'.

    origin: the site, in place of the active tab's
    """
    tab = browser.tabs.get()
    site = origin or (origin_or_empty(tab.url) if tab else "")
    if not site:
        raise UsageError("The active tab has no site that could ask", "Name it: --origin https://example.com")
    if not password:
        if not await browser.extras.log_out(site):
            raise ActionFailed(f"No password is given to {site}", "Run 'headers' to see who gets one")
        # Chromium keeps what was accepted for the life of the browser context, and has no command that ends it
        kept = "what it has taken already Chromium sends on until 'restart'"
        return f"No password is given to {site} any more\n→ {kept}"
    browser.revealed.add(password)
    await browser.extras.log_in(site, user, password)
    return f"Password of {user} is given to {site} when it asks"
