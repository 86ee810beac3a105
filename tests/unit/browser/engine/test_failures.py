"""Test how Playwright's messages are translated.

The texts are those of real failures, with what Playwright adds around them.
"""

import re

import pytest

from gstack_browse.browser.cdp.errors import ProtocolError, ProtocolTimeout
from gstack_browse.browser.engine import failures
from gstack_browse.browser.engine.messages import FrameGone, NoDocument
from gstack_browse.errors import (
    ActionFailed,
    BrowseError,
    Covered,
    Disappeared,
    KeepsMoving,
    NavigationFailed,
    NotInteractable,
    PageReplaced,
    StaleRef,
    StateLost,
    TabGone,
    TimedOut,
    UsageError,
)

CALL_LOG = """ElementHandle.click: Timeout 5000ms exceeded.
Call log:
  - attempting click action
    - waiting for element to be visible, enabled and stable
    - {}
  - retrying click action
"""
MESSAGES = [
    ("Page.evaluate: Target crashed", TabGone, "The page in this tab crashed"),
    ("Page.title: Page crashed", TabGone, "The page in this tab crashed"),
    (
        "Page.goto: Target page, context or browser has been closed",
        TabGone,
        "The tab was closed while the command ran",
    ),
    ("Connection closed while reading from the driver", TabGone, "The tab was closed while the command ran"),
    (
        "Protocol error (Target.attachToTarget): No target with given id found",
        TabGone,
        "The tab was closed while the command ran",
    ),
    (
        "BrowserContext.new_cdp_session: page: no object with guid page@0490aef62bae746e4c388b8e84538cdc",
        TabGone,
        "The tab was closed while the command ran",
    ),
    ("Frame.evaluate: Frame was detached", StaleRef, "The frame is no longer on the page"),
    (
        "Page.evaluate: Execution context was destroyed, most likely because of a navigation",
        PageReplaced,
        "The page was replaced while the command ran",
    ),
    (
        "Protocol error (Runtime.evaluate): Inspected target navigated or closed",
        PageReplaced,
        "The page was replaced while the command ran",
    ),
    ("Browser closed.", StateLost, "The browser ended while the command ran"),
    (
        CALL_LOG.format('<div class="veil">…</div> from <body> subtree intercepts pointer events'),
        Covered,
        'The button is covered by <div class="veil">',
    ),
    (CALL_LOG.format("element is not stable"), KeepsMoving, "The button keeps moving"),
    (CALL_LOG.format("element is not visible"), NotInteractable, "The button is hidden"),
    (CALL_LOG.format("element is not enabled"), NotInteractable, "The button is disabled"),
    (CALL_LOG.format("element is not editable"), NotInteractable, "The button is read-only"),
    (
        CALL_LOG.format("element is outside of the viewport"),
        NotInteractable,
        "The button is outside of the page's visible area and cannot be scrolled to",
    ),
    (
        "ElementHandle.click: Element is not attached to the DOM",
        Disappeared,
        "The button disappeared while the command ran",
    ),
    (
        "Page.screenshot: Protocol error (Page.captureScreenshot): Unable to capture screenshot",
        ActionFailed,
        "Chromium could not take the picture",
    ),
    (
        "Protocol error (Page.navigate): Cannot navigate to invalid URL",
        UsageError,
        "Chromium takes that for no URL",
    ),
    (
        "Protocol error (Runtime.evaluate): Internal error",
        ActionFailed,
        "Chromium broke that off: a script of the page was being stopped",
    ),
    (
        "Page.reload: net::ERR_CONNECTION_RESET at http://a.test/",
        NavigationFailed,
        "The page could not be loaded: ERR_CONNECTION_RESET",
    ),
    (
        "Locator.fill: Cannot type text into input[type=number]\nCall log:\n  - more",
        ActionFailed,
        "Cannot type text into input[type=number]",
    ),
]


@pytest.mark.parametrize(("said", "kind", "message"), MESSAGES, ids=lambda value: str(value)[:40])
def test_playwright_s_error_is_translated_to_our_kind_and_message(
    said: str, kind: type[BrowseError], message: str
) -> None:
    ours = failures.translate(ProtocolError(said), "The button")
    assert (type(ours), ours.message) == (kind, message)
    assert failures.explain(ProtocolError(said)) is not None


def test_every_row_of_the_table_has_a_message_here() -> None:
    texts = [said for said, _, _ in MESSAGES]
    first = [
        next((row for row, (pattern, _) in enumerate(failures._TABLE) if re.search(pattern, text)), -1)
        for text in texts
    ]
    assert set(range(len(failures._TABLE))) <= set(first)


def test_a_timeout_that_says_no_more_is_a_timeout() -> None:
    ours = failures.translate(ProtocolTimeout("Page.wait_for_url: Timeout 30000ms exceeded."))
    assert (type(ours), ours.message) == (TimedOut, "The page did not answer in time")


@pytest.mark.parametrize(
    "words", ["Page crashed", "Browser closed", "has been closed", "element is not enabled"]
)
def test_the_text_of_a_page_cannot_choose_its_failure(words: str) -> None:
    """Playwright shows the element that lies on top with its text."""
    log = CALL_LOG.format(f"<p>{words}</p> from <div>{words}</div> subtree intercepts pointer events")
    assert type(failures.translate(ProtocolError(log), "The button")) is Covered


@pytest.mark.parametrize(
    ("code", "hint"),
    [*failures._NETWORK_HINTS.items(), ("ERR_CERT_DATE_INVALID", failures.NOT_TRUSTED)],
)
def test_network_errors_are_named_and_explained(code: str, hint: str) -> None:
    ours = failures.navigation("http://a.test/", ProtocolError(f"Page.goto: net::{code} at http://a.test/"))
    assert (type(ours), ours.message, ours.hint) == (
        NavigationFailed,
        f"Cannot open http://a.test/: {code}",
        hint,
    )


def test_a_navigation_that_fails_in_another_way_names_the_page() -> None:
    ours = failures.navigation("http://a.test/", ProtocolError("Page.goto: No way\nCall log:"))
    assert (type(ours), ours.message) == (NavigationFailed, "Cannot open http://a.test/: No way")
    assert type(failures.navigation("http://a.test/", ProtocolTimeout("Timeout"))) is TimedOut
    assert type(failures.navigation("http://a.test/", ProtocolError("Page crashed"))) is TabGone


@pytest.mark.parametrize(
    ("said", "is_done"),
    [
        (
            "Timeout 1000ms exceeded.\n- retrying click action\n- click action done\n- waiting for navigations",
            True,
        ),
        ("Timeout 1000ms exceeded.\n- click action done\n- retrying click action", False),
        ("Timeout 1000ms exceeded.", False),
    ],
)
def test_an_action_that_was_done_before_the_time_ran_out(said: str, is_done: bool) -> None:
    assert failures.was_done(ProtocolTimeout(said)) is is_done
    assert not failures.was_done(ProtocolError(said))


def test_explain_leaves_other_errors_unexplained_and_ours_unchanged() -> None:
    assert failures.explain(ValueError("x")) is None
    told = TabGone("gone")
    assert failures.explain(told) is told


@pytest.mark.parametrize(
    ("said", "is_begun"),
    [
        ("Timeout 700ms exceeded.\n- retrying click action\n- element is not stable", False),
        ("Timeout 700ms exceeded.\n- retrying click action\n- performing click action", True),
        ("Timeout 700ms exceeded.\n- performing click action\n- retrying click action", False),
    ],
)
def test_an_action_that_was_under_way_when_the_time_ran_out(said: str, is_begun: bool) -> None:
    assert failures.was_begun(ProtocolTimeout(said)) is is_begun
    assert not failures.was_begun(ProtocolError(said))


def test_a_frame_without_a_document_was_not_replaced() -> None:
    messages = [str(failures.explain(error)) for error in (FrameGone(), NoDocument())]
    assert messages == ["The page was replaced while the command ran", "The frame shows no document yet"]
