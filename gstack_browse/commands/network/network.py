"""Network: what pages asked for, and what they got."""

import asyncio
import json as json_text
import re
from collections.abc import Callable, Iterable
from typing import Annotated, cast

from gstack_browse.browser.reading.logged_requests import BodyLoader, Part, RequestView
from gstack_browse.commands.daemon_interface import Daemon
from gstack_browse.commands.reading.logs import (
    find_followed_tab,
    follow_log,
    make_page_filter,
    make_tab_filter,
    render_entries,
)
from gstack_browse.errors import ActionFailed, Refused, UsageError
from gstack_browse.network.logs import NetworkEntry, RequestFilter
from gstack_browse.registry import META, READ, command
from gstack_browse.registry.arguments import OutFile, RequestWords, StatusArgument, TabId
from gstack_browse.registry.values.argument_type import ArgumentType
from gstack_browse.registry.values.paths import CallerPaths
from gstack_browse.text.pattern import RequestGlob
from gstack_browse.text.units import format_count
from gstack_browse.workspace.files import write_whole

TYPES = (
    "document",
    "stylesheet",
    "script",
    "image",
    "font",
    "media",
    "fetch",
    "xhr",
    "websocket",
    "eventsource",
    "ping",
    "prefetch",
    "manifest",
    "texttrack",
    "signedexchange",
    "cspviolationreport",
    "fedcm",
    "other",
)
"""Chromium's words for what a request is for (`Network.ResourceType`)."""
_SHORT = {
    "css": "stylesheet",
    "doc": "document",
    "img": "image",
    "js": "script",
    "sse": "eventsource",
    "ws": "websocket",
}
"""Short names that DevTools and other tools use → names in TYPES."""


def parse_request_types(word: str, _paths: CallerPaths) -> frozenset[str]:
    """Parse comma-separated request types, such as "js,xhr". Return names from TYPES. Raises UsageError."""
    named = [name.strip().lower() for name in word.split(",") if name.strip()]
    meant = [_SHORT.get(name, name) for name in named]
    unknown = next((name for name in meant if name not in TYPES), "")
    if unknown or not meant:
        raise UsageError(f'"{(unknown or word)[:60]}" is no type of request', f"One of {', '.join(TYPES)}")
    return frozenset(meant)


def parse_method(word: str, _paths: CallerPaths) -> str:
    """Parse the method of a request, in any case. Return it in upper case. Raises UsageError."""
    if not re.fullmatch(r"[A-Za-z]{1,20}", word):
        raise UsageError(f'"{word[:60]}" is no request method', "For example GET or POST")
    return word.upper()


def parse_request_number(word: str, _paths: CallerPaths) -> int:
    """Parse the number of a request as `network` prints it: `41`, or `#41`. Raises UsageError."""
    found = re.fullmatch(r"#?([0-9]{1,9})", word)
    if not found or not int(found[1]):
        raise UsageError(f'"{word[:60]}" is no number of a request', "'network' lists them: #41 is request 41")
    return int(found[1])


RequestMethod = Annotated[str, ArgumentType("method", "GET, POST, …", parse_method)]
RequestTypes = Annotated[
    frozenset[str],
    ArgumentType(
        "types", "types of requests, comma-separated: document, script, fetch, xhr, …", parse_request_types
    ),
]
RequestNumber = Annotated[
    int, ArgumentType("n", "the number of a request, as 'network' shows it", parse_request_number)
]


@command(
    READ,
    kinds={"clear": META},
    examples=[
        "network",
        "network --failed",
        "network --filter '/api/**' --status 5xx",
        "network --method POST --type fetch,xhr",
        "network --since 41 --json",
        "network --follow --type fetch,xhr",
    ],
    page_text=True,
    recalls=True,
    keeps_end=True,
    aliases=["requests"],
)
async def network(
    daemon: Daemon,
    *,
    failed: bool = False,
    filter: RequestWords | None = None,
    method: RequestMethod = "",
    status: StatusArgument | None = None,
    type: RequestTypes = frozenset(),
    since: RequestNumber | None = None,
    all_pages: bool = False,
    json: bool = False,
    clear: bool = False,
    follow: bool = False,
    tab: TabId | None = None,
) -> str:
    """Print the page's requests with their number, status, time and size.

    Of the document that the tab shows now: the request for the document itself with its redirections, and what the
    document, its frames and workers have asked for, a shared worker for the one that began it. --all-pages adds the
    documents before it, other tabs, and service workers. What Chromium asks for by itself, and what extensions ask for,
    is not listed. A request keeps its number; 'request 41' prints more of it.

    failed: only those that failed or were answered with 4xx or 5xx
    filter: only those whose URL matches: * within a path segment, ** across them (* too if it has no slash), a plain word anywhere; a method may stand before it
    method: only those made so
    status: only those answered so: 201, 4xx, or failed for no answer at all
    type: only those for a document, stylesheet, script, image, font, media, fetch, xhr, websocket, eventsource … ; several with commas
    since: only those after the one with this number
    all_pages: of all documents since the browser started; with --tab, of that tab's
    json: an object for each, with number, tab, method, url, type, status, error, milliseconds, bytes and at
    clear: forget what would be printed instead of printing it
    follow: print the requests that the tab's pages make from now on, each once it is answered, until interrupted, until the tab is closed, or for as long as --timeout before the command says; with --since also those after that one; with --json one object a line
    tab: that tab's instead of the active one's
    """
    if clear and follow:
        raise UsageError("--follow and --clear exclude each other")
    chosen = RequestFilter(
        glob=RequestGlob(filter) if filter else None,
        method=method,
        status=status,
        kinds=type,
        since=since or 0,
        failed=failed,
    )
    if follow:
        number = find_followed_tab(daemon, tab, all_pages=all_pages)
        return await _follow(daemon, chosen, since, number, as_json=json)
    what = "failed request" if failed else "request"
    is_here = make_page_filter(daemon, tab, all_pages=all_pages)
    log = daemon.logs.network
    if clear:
        numbers = {entry.number for entry in log if chosen.matches(entry) and is_here(entry)}
        if daemon.browser:
            daemon.browser.traffic.exchanges.forget(numbers)
        return f"Cleared {format_count(log.remove(lambda entry: entry.number in numbers), what)}"
    wanted = [entry for entry in log if chosen.matches(entry)]
    if json:
        return "[" + ",\n".join(_request_json(entry) for entry in wanted if is_here(entry)) + "]"
    return render_entries(
        wanted, is_here, NetworkEntry.render_numbered, what, _describe_unmatched(log, is_here, filter or "")
    )


def _describe_unmatched(
    log: Iterable[NetworkEntry], is_here: Callable[[NetworkEntry], bool], pattern: str
) -> str:
    """Return the rest of "(no requests…)" if `--filter` fits none: how many do not, and where `*` stops.

    `is_here`: whether a request is of the chosen pages. `pattern`: the option's value; for "" return "".
    """
    count = sum(map(is_here, log)) if pattern else 0
    if not count:
        return ""
    star = "; * stops at a slash, ** does not" if "*" in pattern.replace("**", "") else ""
    return f" that fit; {format_count(count, 'request')} on this page do{'es' * (count == 1)} not{star}"


async def _follow(
    daemon: Daemon, chosen: RequestFilter, since: int | None, tab: int | None, *, as_json: bool
) -> str:
    """Print requests of a tab that match, as they come, until the command's deadline. Return "".

    `since`: number of the first request; None: only new ones. `tab`: None for all tabs.
    """
    log, is_of_tab = daemon.logs.network, make_tab_filter(tab)
    return await follow_log(
        daemon,
        log,
        log.total if since is None else since,
        _request_json if as_json else NetworkEntry.render_numbered,
        lambda entry: is_of_tab(entry) and chosen.matches(entry),
        _is_ready_to_print,
        tab=tab,
    )


def _is_ready_to_print(entry: NetworkEntry) -> bool:
    """Return whether a request can be printed: it has ended, or is known to stay open (WebSocket, events)."""
    is_open = entry.kind == "websocket" or (entry.kind == "eventsource" and bool(entry.status))
    return entry.is_done or is_open


def _request_json(entry: NetworkEntry) -> str:
    """Return a request of the log as a JSON object on one line."""
    return json_text.dumps(entry.to_record(), ensure_ascii=False)


@command(
    READ,
    examples=[
        "request 41",
        "request 41 --body",
        "request 41 --timing",
        "request 41 --curl",
        "request 41 --body --out answer.json",
    ],
    page_text=True,
    recalls=True,
    forms="<n> [--headers|--body|--post|--timing|--frames|--curl|--json] [--secrets] [--out <path>]",
)
async def request(
    daemon: Daemon,
    number: RequestNumber,
    *,
    headers: bool = False,
    body: bool = False,
    post: bool = False,
    timing: bool = False,
    frames: bool = False,
    curl: bool = False,
    json: bool = False,
    secrets: bool = False,
    out: OutFile | None = None,
) -> str:
    """Print one request of the log: status, who asked for it, headers, and what its time went into.

    Cookies, credentials and whatever is a secret by its name are left out; --secrets prints them. The body of an answer is kept by Chromium until the page goes to another document, up to
    20 MB each; 'har-start' keeps those of the next pages, too. Of all but the bodies the last 8 MB are kept, which is about 1,500 requests;
    of a web socket or an event stream the last 200 frames.

    headers: only the headers, of the request and of the answer
    body: the body of the answer
    post: the body of the request
    timing: only what the time went into, in milliseconds: waiting for its turn, DNS, connecting, TLS, sending, waiting for the first byte, download; they add up
    frames: the frames of a web socket, or the events of an event stream, with the seconds since it was opened
    curl: a command for curl that makes the request again
    json: an object with all of it but the bodies
    secrets: leave out nothing but what commands have typed as a secret
    out: write it to this file instead of printing it; bodies whole and as they are
    """
    choices = {"headers": headers, "body": body, "post": post, "timing": timing, "frames": frames, "curl": curl}
    parts = [name for name, is_wanted in choices.items() if is_wanted]
    if len(parts) + json > 1:
        raise UsageError("Of --headers, --body, --post, --timing, --frames, --curl and --json only one")
    view = _find_request(daemon, number, secrets=secrets)
    part = cast(Part, parts[0]) if parts else None
    if out is None:
        return await view.render_part(part) if part else view.to_json() if json else view.render_all()
    if part:
        content = await view.encode_part(part)
    else:
        content = ((view.to_json() if json else view.render_all()) + "\n").encode("utf-8", "replace")
    await asyncio.to_thread(write_whole, str(out), content)
    return f"Saved: {out} ({len(content)}B)"


def _find_request(daemon: Daemon, number: int, *, secrets: bool) -> RequestView:
    """Return a request of the log, with its details, by its number. Raises ActionFailed if they are gone.

    `secrets`: whether to print them; raises Refused while imported cookies are in use.
    """
    browser, log = daemon.browser, daemon.logs.network
    if not any(entry.number == number for entry in log):
        past = "it is no longer in the log" if 0 < number <= log.total else f"the last one is #{log.total}"
        raise ActionFailed(f"There is no request #{number}: {past}", "Run 'network' for the list")
    found = browser.traffic.exchanges.find(number) if browser else None
    if browser is None or found is None:
        raise ActionFailed(
            f"What Chromium told of #{number} is no longer kept", "'network --all-pages' has its line"
        )
    if secrets and browser.imported:
        raise Refused(
            "--secrets prints nothing while cookies of the user's own browsers are in use",
            f"Run 'request {number}' without it",
        )
    asking = BodyLoader(browser.running.connection.targets)
    return RequestView(*found, asking, secrets=secrets, hide=browser.revealed.hide)
