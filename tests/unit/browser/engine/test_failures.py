"""Test how messages of Chromium are translated. The texts are those of real failures."""

import re

import pytest

from gstack_browse.browser.cdp.errors import ProtocolError
from gstack_browse.browser.engine import failures
from gstack_browse.browser.engine.messages import FrameGone, NoDocument
from gstack_browse.errors import (
    ActionFailed,
    BrowseError,
    Disappeared,
    NavigationFailed,
    PageReplaced,
    TabGone,
    UsageError,
)

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
        "Page.evaluate: Execution context was destroyed, most likely because of a navigation",
        PageReplaced,
        "The page was replaced while the command ran",
    ),
    (
        "Protocol error (Runtime.evaluate): Inspected target navigated or closed",
        PageReplaced,
        "The page was replaced while the command ran",
    ),
    (
        "gbrowse: the element has gone",
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
    ("No way\nCall log:\n  - more", ActionFailed, "No way"),
]


@pytest.mark.parametrize(("said", "kind", "message"), MESSAGES, ids=lambda value: str(value)[:40])
def test_an_error_is_translated_to_our_kind_and_message(
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
    ours = failures.navigation("http://a.test/", ProtocolError("No way\nCall log:"))
    assert (type(ours), ours.message) == (NavigationFailed, "Cannot open http://a.test/: No way")
    assert type(failures.navigation("http://a.test/", ProtocolError("Page crashed"))) is TabGone


def test_explain_leaves_other_errors_unexplained_and_ours_unchanged() -> None:
    assert failures.explain(ValueError("x")) is None
    told = TabGone("gone")
    assert failures.explain(told) is told


def test_a_frame_without_a_document_was_not_replaced() -> None:
    messages = [str(failures.explain(error)) for error in (FrameGone(), NoDocument())]
    assert messages == ["The page was replaced while the command ran", "The frame shows no document yet"]
