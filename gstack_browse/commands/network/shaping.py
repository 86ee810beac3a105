"""Shaping: answer, change, delay or fail what pages ask for; slow down network and scripts."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import orjson

from gstack_browse.browser.context.open_context import OpenContext
from gstack_browse.browser.transfer import emulating
from gstack_browse.errors import ActionFailed, UsageError
from gstack_browse.network.shaping.rules import (
    RequestChange,
    RequestRule,
    RouteAction,
    RouteAnswer,
    is_socket_pattern,
    to_url_pattern,
)
from gstack_browse.network.shaping.throttle import MOST_CPU, MOST_KBIT, MOST_LATENCY_MS, OFF, OFFLINE, Throttle
from gstack_browse.registry import META, READ, WRITE, command
from gstack_browse.registry.arguments import Milliseconds, RequestWords, RouteChoice, Times, Word
from gstack_browse.registry.values.argument_type import ArgumentType, Piped, Repeatable, or_piped
from gstack_browse.registry.values.headers import (
    parse_header_name,
    parse_request_header,
    parse_response_header,
)
from gstack_browse.registry.values.measures import make_count_parser
from gstack_browse.registry.values.paths import CallerPaths, parse_file_for_page
from gstack_browse.text.pattern import RequestGlob
from gstack_browse.text.sanitise import one_line
from gstack_browse.text.secrets import hide_value
from gstack_browse.text.table_output import align_columns


def _parse_body(word: str, paths: CallerPaths) -> str | Path:
    """Parse the body of a response: a text (`@@` for one that begins with `@`), or `@` and a file's path."""
    if word.startswith("@@"):
        return word[1:]
    return parse_file_for_page(word[1:], paths) if word.startswith("@") else word


def _parse_json(word: str, _paths: CallerPaths) -> str:
    """Return the word as typed, if it is JSON. Raises UsageError otherwise."""
    try:
        orjson.loads(word)
    except orjson.JSONDecodeError as error:
        raise UsageError(f"--json is no JSON: {error}", "--body answers with any text") from None
    return word


def _parse_status(word: str, _paths: CallerPaths) -> int:
    """Parse an HTTP status from 200 to 599. Raises UsageError."""
    if not re.fullmatch("[2-5][0-9][0-9]", word):
        raise UsageError(f'"{word[:20]}" is no status of an answer', "Give 200 to 599")
    return int(word)


Body = Annotated[
    str | Path | Piped,
    ArgumentType("text|@file|-", "a text, a file, or - for standard input", or_piped(_parse_body), piped=True),
]
MOST_JSON_CHARACTERS = 1 << 17
"""What Linux lets a word of a command have: `--body @file` takes more. To parse a megabyte of lists would keep others waiting for 60 ms."""
JsonBody = Annotated[str, ArgumentType("json", "a body of JSON", _parse_json, most=MOST_JSON_CHARACTERS)]
HeaderPairs = Annotated[
    Sequence[tuple[str, str]], ArgumentType("name:value", "a header", parse_request_header), Repeatable
]
AnswersPairs = Annotated[
    Sequence[tuple[str, str]], ArgumentType("name:value", "a header", parse_response_header), Repeatable
]
HeaderNames = Annotated[Sequence[str], ArgumentType("name", "a header's name", parse_header_name), Repeatable]
Latency = Annotated[
    int, ArgumentType("ms", "milliseconds", make_count_parser("milliseconds", 0, MOST_LATENCY_MS))
]
Kbit = Annotated[int, ArgumentType("kbit", "kbit a second", make_count_parser("kbit", 0, MOST_KBIT))]
Slower = Annotated[int, ArgumentType("n", "so many times slower", make_count_parser("times", 1, MOST_CPU))]
AnswerStatus = Annotated[int, ArgumentType("status", "200 to 599", _parse_status)]


@command(
    WRITE,
    examples=[
        """route '**/api/user' --json '{"name": "Ann"}'""",
        "route 'POST **/save' --status 500 --delay 800",
        "route '**/list.json' --body @fixture.json --times 2",
        "route '**/*.{png,jpg}' --abort",
        "route '**/api/**' --set-header 'X-Team: blue'",
        "route '**/slow' --body - < answer.html",
    ],
    forms="<glob> ([--status <n>] [--body <text|@file|-> | --json <json>] [--header <k:v>]… [--content-type <type>]"
    " | [--set-header <k:v>]… [--remove-header <k>]… | --abort | --error <how>) [--delay <ms>] [--times <n>]",
    secret=["set_header"],
    fresh=True,
)
async def route(
    browser: OpenContext,
    pattern: RequestWords,
    *,
    status: AnswerStatus | None = None,
    body: Body | None = None,
    json: JsonBody | None = None,
    header: AnswersPairs = (),
    content_type: Word | None = None,
    set_header: HeaderPairs = (),
    remove_header: HeaderNames = (),
    abort: bool = False,
    error: Literal["failed", "aborted", "blocked", "dns", "offline", "refused", "reset", "timedout"]
    | None = None,
    delay: Milliseconds = 0,
    times: Times | None = None,
) -> str:
    """Answer requests instead of the server, change or delay them, or have them fail.

    All requests whose method and address fit are meant. Holds in pages that are open and in those to come, for
    frames, workers, service workers, windows and each step of a redirection, until 'unroute', and after
    'restart'. Of several routes for a request the last one holds. A body from a file is read anew for each
    answer. Meanwhile nothing comes from the cache. What a service worker answers from its own cache does not
    pass here; of web sockets (ws://localhost:3000/**) --abort keeps new ones from opening; and no route opens
    what BROWSE_ALLOW forbids.

    status: answer with it; 200 where only a body is given
    body: answer with a text, a file (@file), or standard input (-)
    json: answer with JSON
    header: of the answer
    content_type: of the answer, where it does not follow from the file's name or the text
    set_header: send the request with this header
    remove_header: send the request without this header
    abort: have the request fail; the same as --error failed
    error: how the request fails
    delay: milliseconds to wait before that, or before the request is sent as it is
    times: for so many requests only
    """
    answer = _make_answer(
        status, body if json is None else json, header, content_type, is_json=json is not None
    )
    if json is not None and body is not None:
        raise UsageError("route takes one of --body and --json")
    change = RequestChange(set_header, remove_header) if set_header or remove_header else None
    failure = error or ("failed" if abort else "")
    _require_one_effect({"an answer": answer, "a changed header": change, "--abort": failure}, delay)
    for name, value in set_header:
        if hide_value(name, value) != value:
            browser.revealed.add(value)
    action = RouteAction(answer, failure, change, delay, times or 0)
    if is_socket_pattern(pattern) and (
        to_url_pattern(pattern) is None or action != RouteAction(error="failed")
    ):
        raise UsageError(
            "Of web sockets a route can only keep new ones from opening",
            "For example: route 'ws://localhost:3000/**' --abort",
        )
    rule = await browser.shaping.add(RequestGlob(pattern), action)
    return f"Route {rule.number}: {rule}"


def _make_answer(
    status: int | None,
    body: Any,
    headers: Sequence[tuple[str, str]],
    content_type: str | None,
    *,
    is_json: bool,
) -> RouteAnswer | None:
    """Return the response that `route` gives to requests; None if the options name none.

    `is_json`: the default content type is JSON.
    """
    if status is None and body is None and not headers and not content_type:
        return None
    text, file = ("", str(body)) if isinstance(body, Path) else (str(body or ""), "")
    return RouteAnswer(
        status or 200, text, file, content_type or ("application/json" if is_json else ""), headers
    )


def _require_one_effect(options: dict[str, object], delay: int) -> None:
    """Raise UsageError unless `route` was given exactly one effect, or only a delay.

    `options`: option → value. `delay`: milliseconds, 0 for none.
    """
    names = [name for name, value in options.items() if value]
    if len(names) > 1:
        raise UsageError(f"A route does one thing, not {' and '.join(names)}")
    if not (names or delay):
        raise UsageError(
            "Say what becomes of the requests", "--body, --json, --status, --set-header, --abort or --delay"
        )


@command(
    META,
    examples=["throttle slow-3g", "throttle --latency 300 --down 2000", "throttle 4g --cpu 4", "throttle off"],
    timeout=60,
    fresh=True,
)
async def throttle(
    browser: OpenContext,
    profile: Literal["slow-3g", "fast-3g", "slow-4g", "4g", "fast-4g", "offline", "off"] | None = None,
    *,
    latency: Latency | None = None,
    down: Kbit | None = None,
    up: Kbit | None = None,
    cpu: Slower | None = None,
) -> str:
    """Slow down the network and the scripts of all pages, of now and later; alone it prints what holds.

    The profiles are those of Chromium's tools. A figure stays until it is changed; 'off' ends all, 'emulate --offline on' included, which
    'offline' stands for. Frames, workers and new tabs are slowed, too, and answers of routes. Not slowed are web sockets ('offline' keeps
    new ones from opening), and scripts of workers.

    profile: a network that Chromium's tools know by that name; off for your own
    latency: milliseconds that each request takes longer
    down: kbit/s that come; 0: as fast as it is
    up: kbit/s that go; 0: as fast as it is
    cpu: how many times slower scripts run; 1: as fast as they are
    """
    before = browser.conditions.throttle
    figures = {"latency_ms": latency, "down_kbit": down, "up_kbit": up, "cpu": cpu}
    after = (Throttle() if profile == OFF else before).with_changes(profile or "", **figures)
    if profile and browser.appearance.emulation.offline != (profile == OFFLINE):
        await emulating.change_emulation(browser, {"offline": profile == OFFLINE or OFF})
    if after != before:
        await browser.conditions.set_throttle(after)
    words = [OFFLINE] if browser.appearance.emulation.offline else []
    words += [str(after)] if after.is_on else []
    return f"Throttled: {', '.join(words) or 'nothing'}"


@command(READ, examples=["routes"])
async def routes(browser: OpenContext) -> str:
    """List the routes, and how often each was applied. The last one that is for a request holds."""
    rows = [(str(rule.number), str(rule), rule.describe_use()) for rule in browser.shaping.rules]
    return align_columns(rows) if rows else "(no routes)"


@command(
    META, examples=["unroute 2", "unroute '**/api/*'", "unroute"], forms="[<n> | <glob> | --all]", fresh=True
)
async def unroute(browser: OpenContext, which: RouteChoice = "", *, all: bool = False) -> str:
    """Remove a route, by its number or its pattern; alone, or with --all, every one.

    Requests that it delays are sent.

    all: every route
    """
    if which and all:
        raise UsageError("unroute takes one of: a route, or --all")
    found = _find_routes(browser, which)
    for rule in found:
        await browser.shaping.remove(rule.number)
    lines = []
    for rule in found:
        use = rule.describe_use() if rule.hits or rule.is_for_sockets else "no request has ever matched it"
        lines.append(f"Removed route {rule.number}: {rule} ({use})")
    return "\n".join(lines) or "(no routes)"


def _find_routes(browser: OpenContext, which: str) -> list[RequestRule]:
    """Return the routes (rules for requests) with that number or pattern; all for "".

    `which`: as typed. Raises ActionFailed if there is none.
    """
    every = list(browser.shaping.rules)
    if not which:
        return every
    found = [rule for rule in every if which in (str(rule.number), str(rule.pattern))]
    if not found:
        raise ActionFailed(
            f"There is no route {one_line(which, 60)}",
            "'routes' lists them" if every else "There are no routes at all",
        )
    return found
