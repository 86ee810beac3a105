"""Sessions of ours with a real Chromium."""

import asyncio

import pytest

from gstack_browse.browser.cdp.connection import Connection
from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.devtools.browser import Browser
from tests.browser.conftest import OPTIONS, Show, open_page
from tests.browser.pages import DrivenPage
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


WAITING = {"expression": "new Promise(() => 0)", "awaitPromise": True}


async def test_a_page_that_closes_fails_what_it_was_asked(show: Show) -> None:
    tab = await show("<title>A</title>")
    asking = asyncio.ensure_future(tab.world.session.send("Runtime.evaluate", WAITING))
    await tab.page.inner.target.ping()
    await tab.page.close()
    for question in (asking, tab.world.session.send("Runtime.evaluate", {"expression": "1"})):
        with pytest.raises(ProtocolError, match="closed"):
            await question


async def test_a_page_that_crashes_fails_what_it_was_asked(show: Show) -> None:
    tab = await show("<title>A</title>")
    crashed = asyncio.get_running_loop().create_future()
    tab.page.inner.on("crash", lambda _: crashed.set_result(None))
    send = tab.world.session.send
    with pytest.raises(ProtocolError, match="crashed"):
        await asyncio.gather(send("Runtime.evaluate", WAITING), send("Page.crash"))
    await crashed
    await tab.page.close()


async def test_many_questions_and_large_answers_keep_their_order_and_content(page: DrivenPage) -> None:
    asked = [page.evaluate(f"'{number % 10}'.repeat(300_000)") for number in range(40)]
    assert await asyncio.gather(*asked) == [str(number % 10) * 300_000 for number in range(40)]


async def test_page_is_heard_from_the_first_request(
    page: DrivenPage, site: Web, connection: Connection
) -> None:
    asked: list[str] = []
    target = page.inner.target
    connection.events.on("Network.requestWillBeSent", lambda of, _: of is target and asked.append(of.id))
    arrivals = target.arrivals
    await page.goto(site.show(f"{WITHOUT_ICON}<title>A</title>"))
    assert asked == [target.id]
    assert target.arrivals == arrivals + 1
