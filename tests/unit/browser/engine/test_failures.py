"""Test how messages of Chromium are translated. The texts are those of real failures."""

import re

from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.engine import failures
from gstack_browse.browser.engine.messages import FrameGone, NoDocument
from gstack_browse.errors import (
    ActionFailed,
    Disappeared,
    NavigationFailed,
    PageReplaced,
    TabGone,
    UsageError,
)
from tests.each import each, each_row

CLOSED = TabGone, "The tab was closed while the command ran"
REPLACED = PageReplaced, "The page was replaced while the command ran"
STOPPED = ActionFailed, "Chromium broke that off: a script of the page was being stopped"
PICTURE = "Page.screenshot: Protocol error (Page.captureScreenshot): Unable to capture screenshot"
LEFT = "Page.evaluate: Execution context was destroyed, most likely because of a navigation"
MESSAGES = {
    "Page.evaluate: Target crashed": (TabGone, "The page in this tab crashed"),
    "Page.title: Page crashed": (TabGone, "The page in this tab crashed"),
    "Page.goto: Target page, context or browser has been closed": CLOSED,
    "Connection closed while reading from the driver": CLOSED,
    "Protocol error (Target.attachToTarget): No target with given id found": CLOSED,
    LEFT: REPLACED,
    "Protocol error (Runtime.evaluate): Inspected target navigated or closed": REPLACED,
    "gbrowse: the element has gone": (Disappeared, "The button disappeared while the command ran"),
    PICTURE: (ActionFailed, "Chromium could not take the picture"),
    "Protocol error (Page.navigate): Cannot navigate to invalid URL": (UsageError, "Chromium takes that for no URL"),
    "Protocol error (Runtime.evaluate): Internal error": STOPPED,
    "Page.reload: net::ERR_CONNECTION_RESET at http://a.test/": (NavigationFailed, "The page could not be loaded: ERR_CONNECTION_RESET"),
    "No way\nCall log:\n  - more": (ActionFailed, "No way"),
}  # fmt: skip


@each(MESSAGES)
def test_an_error_is_translated_to_our_kind_and_message(said: str) -> None:
    ours = failures.translate(ProtocolError(said), "The button")
    assert (type(ours), ours.message) == MESSAGES[said]
    assert failures.to_browse_error(ProtocolError(said)) is not None


def test_every_row_of_the_table_has_a_message_here() -> None:
    patterns = [pattern for pattern, _ in failures._TABLE]
    first = {next((row for row, one in enumerate(patterns) if re.search(one, text)), -1) for text in MESSAGES}
    assert set(range(len(patterns))) <= first


@each_row(
    *failures._NETWORK_HINTS.items(),
    ("ERR_CERT_DATE_INVALID", failures.NOT_TRUSTED),
)
def test_network_errors_are_named_and_explained(code: str, hint: str) -> None:
    ours = failures.navigation_error(
        "http://a.test/", ProtocolError(f"Page.goto: net::{code} at http://a.test/")
    )
    expected = (NavigationFailed, f"Cannot open http://a.test/: {code}", hint)
    assert (type(ours), ours.message, ours.hint) == expected


def test_failures_without_a_row_are_told_by_their_kind() -> None:
    ours = failures.navigation_error("http://a.test/", ProtocolError("No way\nCall log:"))
    assert (type(ours), ours.message) == (NavigationFailed, "Cannot open http://a.test/: No way")
    assert type(failures.navigation_error("http://a.test/", ProtocolError("Page crashed"))) is TabGone
    assert failures.to_browse_error(ValueError("x")) is None
    told = TabGone("gone")
    assert failures.to_browse_error(told) is told
    messages = [str(failures.to_browse_error(error)) for error in (FrameGone(), NoDocument())]
    assert messages == ["The page was replaced while the command ran", "The frame shows no document yet"]
