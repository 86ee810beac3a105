"""Check: wait for something, or expect it, as a test does.

Here: `expect`, an assertion: up to 5 s, then ExpectationFailed with what there is instead.
"""

from collections.abc import Sequence
from typing import Literal, get_args

from gstack_browse.browser.command.page import PageCommand
from gstack_browse.browser.reading import expectations
from gstack_browse.browser.reading.expecting import Expectation
from gstack_browse.browser.reading.expecting import expect as wait_for
from gstack_browse.errors import UsageError
from gstack_browse.registry import READ, command
from gstack_browse.registry.arguments import ExpectedWord, StatusArgument, Target, Times
from gstack_browse.registry.values.measures import parse_whole_number
from gstack_browse.registry.values.targets import normalise_target
from gstack_browse.text.pattern import ANYTHING, RequestGlob, parse_text_pattern, parse_url_pattern

What = Literal[
    "visible",
    "hidden",
    "enabled",
    "disabled",
    "checked",
    "focused",
    "editable",
    "text",
    "title",
    "url",
    "value",
    "attr",
    "count",
    "request",
    "console-errors",
    "requests-failed",
    "downloads",
    "dialog",
]


@command(
    READ,
    examples=[
        "expect visible @e3",
        "expect text Saved",
        "expect --not text /sav(ing|e failed)/i --in '#state'",
        "expect url '**/done'",
        "expect value label=Email =ann@example.com",
        "expect count li 3",
        "expect request 'POST **/api/save' --status 2xx",
        "expect --not console-errors",
    ],
    waits=True,
    forms="[--not] (<state> <target> | text|title|url|dialog <pattern> | value <target> <pattern> | attr <target> <name>"
    " [<pattern>] | count <selector> <n> | request|downloads <glob> | console-errors|requests-failed) [--in …] [--status …] [--times …]",
)
async def expect(
    page: PageCommand,
    what: What,
    *words: ExpectedWord,
    not_: bool = False,
    in_: Target | None = None,
    status: StatusArgument | None = None,
    times: Times | None = None,
) -> str:
    """Wait up to 5 s until something holds, or fail with exit 1 and what there is instead. Never acts.

    A state is visible, hidden, enabled, disabled, checked, focused or editable. What is missing is hidden, and in no other
    state; a stale ref is exit 5. Values are those of 'value' and 'attrs': secrets are masked.

    A pattern is a part of the text, blanks folded; `=text` all of it, for the page one line; /…/ a regular expression of
    JavaScript; nothing ('') that a title, a value or an attribute is empty. For a URL, a request and a download it is a glob: * within a path
    segment, ** across them (* too if it has no slash), a plain word anywhere in a URL; one that begins with / is about the path. A request may have
    a method before it: 'POST **/save'. A text counts that a field holds, too; where nothing else says it, the reply names
    the field.

    Requests, console errors, downloads and dialogs count that are of the document the tab shows, or came since the last
    action began.

    what: visible, hidden, enabled, disabled, checked, focused, editable, text, title, url, value, attr, count, request, console-errors, requests-failed, downloads or dialog
    not_: until it does not hold
    in_: for a text, the element that says it
    status: for a request, how it was answered: 201, 2xx, or failed
    times: for a request, exactly how often it was made
    """
    page.follows_redrawn = False  # what is waited for may be the end of the element
    for option, value, form in (
        ("--in", in_, "text"),
        ("--status", status, "request"),
        ("--times", times, "request"),
    ):
        if value is not None and what != form:
            raise UsageError(f"{option} goes with '{form}'")
    if what == "request":
        glob = RequestGlob(_join_pattern(what, words))
        expectation: Expectation = expectations.RequestMade(page, glob, status, times)
    else:
        expectation = _parse_expectation(page, what, words, in_ or "")
    return await wait_for(expectation, negated=not_)


def _parse_expectation(page: PageCommand, what: What, words: Sequence[str], text_element: str) -> Expectation:
    """Return what `expect <what> <words…>` waits for. Raises UsageError for too few or too many words.

    `text_element`: the target in which a text is looked for; "" for the page.
    """
    match what:
        case "text":
            text = parse_text_pattern(_join_nonempty_pattern(what, words))
            return expectations.VisibleText(page, text, text_element)
        case "title":
            return expectations.PageTitle(page, parse_text_pattern(_join_pattern(what, words)))
        case "url":
            return expectations.TabAddress(page, parse_url_pattern(_join_nonempty_pattern(what, words)))
        case "dialog":
            return expectations.DialogShown(page, parse_text_pattern(_join_pattern(what, words)))
        case "downloads":
            return expectations.DownloadFinished(page, _join_nonempty_pattern(what, words))
        case "value":
            target, *rest = _require_at_least(2, what, words, "<target> <pattern>")
            return expectations.FieldValue(page, normalise_target(target), parse_text_pattern(" ".join(rest)))
        case "attr":
            target, name, *rest = _require_at_least(2, what, words, "<target> <name>")
            pattern = parse_text_pattern(" ".join(rest)) if rest else ANYTHING
            return expectations.ElementAttribute(page, normalise_target(target), name, pattern)
        case "count":
            selector, word = _require_exactly(what, words, "<selector> <n>")
            number = parse_whole_number(word, most=1_000_000, unit="elements")
            return expectations.ElementCount(page, normalise_target(selector), number)
        case "console-errors":
            _require_exactly(what, words, "")
            return expectations.ConsoleErrorLogged(page)
        case "requests-failed":
            _require_exactly(what, words, "")
            return expectations.RequestFailed(page)
    state = next(state for state in get_args(expectations.State) if state == what)
    (target,) = _require_exactly(what, words, "<target>")
    return expectations.ElementState(page, state, normalise_target(target))


def _require_exactly(what: str, words: Sequence[str], wanted: str) -> Sequence[str]:
    """Return `words`. Raises UsageError unless they are as many as in `wanted`, such as "<selector> <n>".

    `what`: the kind of expectation, such as "count", for the message.
    """
    if len(words) != len(wanted.split()):
        raise UsageError(f"expect {what} takes {wanted or 'nothing more'}")
    return words


def _require_at_least(number: int, what: str, words: Sequence[str], wanted: str) -> Sequence[str]:
    """Return `words`. Raises UsageError if they are fewer than `number`.

    `what`: the kind of expectation, such as "count". `wanted`: the words it takes. Both are for the message.
    """
    if len(words) < number:
        raise UsageError(f"expect {what} needs {wanted}")
    return words


def _join_pattern(what: str, words: Sequence[str]) -> str:
    """Join words to one pattern. Raises UsageError if there are none.

    `what`: the kind of expectation, such as "url", for the message.
    """
    return " ".join(_require_at_least(1, what, words, "a pattern"))


def _join_nonempty_pattern(what: str, words: Sequence[str]) -> str:
    """Join words to one pattern. Raises UsageError if it is blank, since every page would match it.

    `what`: the kind of expectation, such as "text", for the message.
    """
    text = _join_pattern(what, words)
    if not text.strip():
        raise UsageError(f"expect {what} needs a pattern that is not empty")
    return text
