"""Sessions of ours with a real Chromium."""

import asyncio

from gstack_browse.browser.cdp.connection import Connection
from gstack_browse.browser.devtools.browser import Browser
from tests.browser.conftest import OPTIONS, Show, open_page
from tests.commands.web import Web

WITHOUT_ICON = "<link rel=icon href=data:,>"
"""A full Chromium asks every other page for its icon, at any time."""


async def test_events_before_an_answer_or_in_a_turn_are_known(show: Show, connection: Connection) -> None:
    tab = await show(f"<title>A</title>{WITHOUT_ICON}")
    asked: list[str] = []
    connection.events.on("Network.requestWillBeSent", lambda of, event: asked.append(event["request"]["url"]))
    effects = "history.pushState(0, '', '#{0}'); fetch('/{0}').catch(() => 0)"
    for name, code in {"at-once": effects, "later": f"setTimeout(() => {{ {effects} }}, 0)"}.items():
        await tab.page.evaluate(f"{code.replace('{0}', name)}; 0")
        await tab.world.wait_event_loop_turn()
        assert tab.page.url.endswith(f"#{name}")
        assert asked.pop().endswith(f"/{name}")
    assert not asked


async def test_pages_that_are_made_at_once_are_told_apart(chromium: Browser, site: Web) -> None:
    """One has a frame in another process."""
    context = await chromium.new_context(**OPTIONS)
    pages = await asyncio.gather(*(open_page(context, chromium.connection) for _ in range(4)))
    assert len({page.inner.target.id for page in pages}) == 4
    await pages[0].goto(site.show(f"<iframe src='{site.other}/plain.html'></iframe>"))
    for page in pages:
        described = (await page.world.session.send("Target.getTargetInfo"))["targetInfo"]
        assert (page.inner.target.id, "page") == (described["targetId"], described["type"])
        assert page.inner.target.browser_context == described["browserContextId"] == context.id
    assert [len(page.frames) for page in pages] == [2, 1, 1, 1]
    await context.close()
    assert all(page.inner.is_closed() for page in pages)
