"""Start a Chromium whose requests the tests answer themselves, and open pages in it."""

from base64 import b64encode
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest
import pytest_asyncio

from gstack_browse import settings
from gstack_browse.browser.cdp.session import Session
from gstack_browse.browser.devtools.browser import Browser, BrowserContext
from gstack_browse.browser.devtools.storage_state import OpenPage
from gstack_browse.browser.launch import flags, launch


@dataclass
class Chromium:
    """A Chromium. `pages`: URL → content type and text of what is there; nothing else is."""

    browser: Browser
    pages: dict[str, tuple[str, str]] = field(default_factory=dict)
    requested: list[str] = field(default_factory=list)
    """URLs that were asked for, and that no page has answered itself."""

    @property
    def root(self) -> Session:
        return self.browser.connection.root

    def answer(self, paused: dict[str, Any]) -> None:
        """Answer a request with the page of that URL."""
        url, number = paused["request"]["url"], paused["requestId"]
        self.requested.append(url)
        kind, text = self.pages.get(url, ("", ""))
        if not kind:
            self.root.notify("Fetch.failRequest", {"requestId": number, "errorReason": "AddressUnreachable"})
            return
        headers = [{"name": "Content-Type", "value": kind}]
        body = b64encode(text.encode()).decode()
        fulfilled = {"requestId": number, "responseCode": 200, "responseHeaders": headers, "body": body}
        self.root.notify("Fetch.fulfillRequest", fulfilled)

    async def open_page(self, context: BrowserContext, url: str = "about:blank") -> Session:
        page = (await context.new_page()).target.session
        if url != "about:blank":
            await page.send("Page.navigate", {"url": url})
        return page

    def opener(self, context: BrowserContext) -> OpenPage:
        """Return what opens hidden pages of a browser context."""
        return partial(self.browser.connection.open_hidden_page, context.id)


async def evaluate(session: Session, expression: str) -> Any:
    """Return the value of an awaited expression."""
    asked = {"expression": expression, "awaitPromise": True, "returnByValue": True}
    answer = await session.send("Runtime.evaluate", asked)
    assert "exceptionDetails" not in answer, answer["exceptionDetails"]
    return answer["result"].get("value")


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def started() -> AsyncIterator[Chromium]:
    with pytest.MonkeyPatch.context() as patch:  # frames of other sites get processes, as in a full Chromium
        patch.setattr(flags, "OWN_SWITCHES", (*flags.OWN_SWITCHES, "--site-per-process"))
        running = await launch.start(settings.read(), lambda line: None, on_death=lambda name: None)
    chromium = Chromium(running.browser)
    chromium.root.on("Fetch.requestPaused", chromium.answer)
    await chromium.root.send("Fetch.enable", {"patterns": [{"urlPattern": "*"}]})
    yield chromium
    await running.close()


@pytest.fixture
def chromium(started: Chromium) -> Chromium:  # type: ignore[override]
    """The Chromium, with no page anywhere."""
    started.pages.clear()
    started.requested.clear()
    return started
