"""Check: wait for something, or expect it, as a test does.

Here: `wait`, up to 30 s by default, then TimedOut.
"""

from gstack_browse.browser.actions import downloading, waiting
from gstack_browse.browser.command.page import PageCommand
from gstack_browse.browser.reading import evaluate
from gstack_browse.errors import TimedOut, UsageError
from gstack_browse.registry import READ, WRITE, command
from gstack_browse.registry.arguments import (
    JsText,
    Milliseconds,
    RequestWords,
    StatusArgument,
    Target,
    TargetOrTime,
    Text,
    UrlGlob,
)
from gstack_browse.text.pattern import RequestGlob


@command(
    READ,
    kinds={"js": WRITE},
    examples=[
        "wait '#result'",
        "wait --text Saved",
        "wait --url '**/dashboard'",
        "wait --request 'POST **/save' --status 2xx",
        "wait --js 'window.ready'",
        "wait --count li 3",
        "wait 500",
    ],
    waits=True,
    timeout=310,
    forms="(<target> [<ms>] | <ms> | --hidden <target> | --stable <target> | --count <selector> <n> | --text <text> | --url <glob>"
    " | --js <expr> [--any-origin] | --request <glob> [--status <s>] | --load | --domcontentloaded | --networkidle | --download)",
)
async def wait(
    page: PageCommand,
    target: TargetOrTime | None = None,
    ms: Milliseconds | None = None,
    *,
    networkidle: bool = False,
    load: bool = False,
    domcontentloaded: bool = False,
    url: UrlGlob | None = None,
    text: Text | None = None,
    hidden: Target | None = None,
    stable: Target | None = None,
    count: Target | None = None,
    js: JsText | None = None,
    request: RequestWords | None = None,
    status: StatusArgument | None = None,
    download: bool = False,
    any_origin: bool = False,
) -> str:
    """Wait for an element, a text, a URL, a request, a download, a state of the page, or a time.

    At most 300 s; 30 s by default.

    networkidle: until no request has been under way for half a second
    load: until the page and its resources are loaded
    domcontentloaded: until the document is parsed
    url: until the URL matches the pattern
    text: until the page shows the text, in a field or elsewhere
    hidden: until the element is hidden or gone; a ref is gone with its element, whatever stands in its place
    stable: until the element has kept its place, its size and its text for half a second
    count: until the selector matches just so many elements
    js: until the expression is true; one that throws is not, yet
    request: until such a request is answered: one since the last action, or else the next; 'POST **/save', '/api/*'
    status: for a request, how it is to be answered: 201, 2xx, or failed
    download: until what downloads, or has since the last action, is whole; or else until the next download is
    any_origin: with --js, run even where cookies were imported for other sites
    """
    page.follows_redrawn = False  # what is waited for may be the end of the element
    _require_one_condition(
        networkidle, load, domcontentloaded, download, url, text, hidden, stable, count, js, request,
        target if count is None else None,
    )  # fmt: skip
    _refuse_empty(text=text, url=url, js=js, request=request)
    if status is not None and request is None:
        raise UsageError("--status goes with --request")
    if count is not None:
        if not isinstance(target, int) or ms is not None:
            raise UsageError("wait --count takes a selector and a number")
        return await waiting.for_count(page, count, target)
    if target is not None:
        return await _wait_for_target_or_time(page, target, ms)
    if ms is not None:
        raise UsageError("Use --timeout for the time to wait at most")
    if download:
        found = await downloading.wait_for_downloads(page)
        return "\n".join(f"Downloaded: {item.describe_file(page.cwd)}" for item in found)
    if js is not None:
        return await evaluate.wait_for_script(page, js, any_origin=any_origin)
    if request is not None:
        return await waiting.for_request(page, RequestGlob(request), status)
    if hidden is not None:
        return await waiting.for_hidden(page, hidden)
    if stable is not None:
        return await waiting.for_stable(page, stable)
    if url is not None:
        return await waiting.for_url(page, url)
    if text is not None:
        return await waiting.for_text(page, text)
    if networkidle:
        return await waiting.for_quiet_network(page)
    return await waiting.for_state(page, "load" if load else "domcontentloaded")


def _refuse_empty(**options: str | None) -> None:
    """Raise UsageError if an option has an empty value. `options`: name → value, None if not given."""
    for name, words in options.items():
        if words is not None and not words.strip():
            raise UsageError(f"wait --{name} needs a value that is not empty")


def _require_one_condition(*wishes: object) -> None:
    """Raise UsageError unless exactly one of the conditions for `wait` was given.

    `wishes`: the arguments, None or False if not given. A time of 0 ms counts as given.
    """
    given = sum(wish is not None and wish is not False for wish in wishes)
    if given != 1:
        raise UsageError("wait takes one thing to wait for" if given else "wait needs something to wait for")


async def _wait_for_target_or_time(page: PageCommand, target: str | int, ms: int | None) -> str:
    """Wait for an element, at most `ms` milliseconds, or just for a time. Return the command's reply.

    `target`: the element; a number is the time in milliseconds.
    """
    if isinstance(target, str):
        try:
            return await waiting.for_element(page, target, ms)
        except TimedOut as late:
            if target == "text" and ms is not None:
                late.hint = (
                    f"That was for an element <text>, at most {ms} ms. For words of the page: wait --text {ms}"
                )
            raise
    if ms is not None:
        raise UsageError("wait takes one number of milliseconds")
    return await waiting.pause(page, target)
