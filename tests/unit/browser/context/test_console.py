from typing import Any

import pytest

from gstack_browse.browser.cdp.targets import Target
from gstack_browse.browser.context.listener import Console
from gstack_browse.browser.network.traffic import Pages
from gstack_browse.browser.tab.tab import Tab
from gstack_browse.network.logs import ConsoleEntry, Ring
from tests.unit.browser.cdp.channel import KeptChannel, make_events

PAGE = Target("P", "P", None, KeptChannel().root)  # type: ignore[arg-type]  # it says nothing


class ConsoleRecorder:
    """A console with its log, and short words for the protocol's events."""

    def __init__(self) -> None:
        self.log: Ring[ConsoleEntry] = Ring()
        self.pages = Pages()
        self.pages.assign_tab("P", Tab(3, None, None, None))  # type: ignore[arg-type]
        heard = make_events().subscribe()
        Console(self.log, self.pages).follow(heard)
        self._says = heard.on_console_event

    def say(self, method: str, **event: Any) -> list[ConsoleEntry]:
        self._says(PAGE, method, {"timestamp": 1500.0, **event})
        return [*self.log]

    def throw(self, number: int, text: str = "no", **more: Any) -> ConsoleEntry:
        thrown = {"type": "object", "subtype": "error", "description": f"Error: {text}"}
        details = {"exceptionId": number, "text": "Uncaught", "exception": thrown, **more}
        return self.say("Runtime.exceptionThrown", exceptionDetails=details)[-1]


@pytest.fixture
def console() -> ConsoleRecorder:
    return ConsoleRecorder()


def test_an_entry_of_this_document_has_the_time_at_which_it_was_said(console: ConsoleRecorder) -> None:
    call = {"type": "log", "args": [{"type": "string", "value": word} for word in ("one", "two")]}
    assert console.say("Runtime.consoleAPICalled", **call, executionContextId=0) == [], "of an older document"
    [entry] = console.say("Runtime.consoleAPICalled", **call, executionContextId=1)
    assert (entry.at, entry.tab, entry.level, entry.text) == (1.5, 3, "log", "one two")


def test_rejection_handled_later_or_of_an_extension_is_no_error(console: ConsoleRecorder) -> None:
    entry = console.throw(1)
    assert (entry.thrown, entry.level) == ("Error: no", "error")
    console.say("Runtime.exceptionRevoked", exceptionId=2, reason="handled")
    assert entry.thrown
    console.say("Runtime.exceptionRevoked", exceptionId=1, reason="handled")
    assert (entry.thrown, entry.level) == ("", "debug")
    PAGE.foreign_contexts.add(9)
    assert console.throw(1, executionContextId=9).thrown == ""
    assert console.throw(2, executionContextId=8).thrown == "Error: no"
    PAGE.foreign_contexts.clear()


def test_addresses_and_messages_keep_secrets(console: ConsoleRecorder) -> None:
    place = {"url": "http://a/x.js?token=abc123", "lineNumber": 1, "columnNumber": 2}
    entry = console.throw(1, "http://ann:hunter2@b/ failed", **place)
    assert entry.thrown == "Error: http://ann:[redacted]@b/ failed (x.js:2:3)"
    assert entry.where == "http://a/x.js?token=[redacted]:2:3"
    assert "hunter2" not in entry.text


def test_an_icon_that_chromium_looks_for_by_itself_is_not_missed(console: ConsoleRecorder) -> None:
    console.pages.find_or_add(PAGE).icons.append("7.1")
    for number in ("7.1", "7.2"):
        missing = {"level": "error", "text": "No", "timestamp": 1500.0, "source": "network", "url": "http://a/"}
        console.say("Log.entryAdded", entry={**missing, "networkRequestId": number})
    assert len(console.log) == 1
