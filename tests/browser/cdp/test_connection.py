"""Sessions of our own beside Playwright's, with a real Chromium."""

import asyncio

import pytest
from playwright.async_api import Page

from gstack_browse.browser.cdp.connection import PipeConnection
from gstack_browse.browser.cdp.errors import ProtocolError
from gstack_browse.browser.cdp.playwright_internals import name_of
from gstack_browse.browser.engine.world import World
from tests.browser.conftest import Show
from tests.commands.web import Web

WITHOUT_ICON = "<link rel=icon href=data:,>"
"""A full Chromium asks every other page for its icon, at any time, and Playwright hears of that."""


async def test_playwright_knows_what_happened_before_an_answer_once_it_has_caught_up(show: Show) -> None:
    tab = await show("<title>A</title>")
    asked: list[str] = []
    tab.page.on("request", lambda request: asked.append(request.url))
    await tab.world.frames.open()
    await tab.world.turn()
    await tab.world.session.send(
        "Runtime.evaluate", {"expression": "fetch('/there').catch(() => 0); history.pushState(0, '', '#on')"}
    )
    await tab.world.caught_up()
    assert tab.page.url.endswith("#on")
    assert [url.rsplit("/", 1)[1] for url in asked] == ["there"]


async def test_at_the_end_of_a_turn_we_know_the_address_and_playwright_what_else_happened(show: Show) -> None:
    tab = await show("<title>A</title>")
    asked: list[str] = []
    tab.page.on("request", lambda request: asked.append(request.url))
    await tab.world.frames.open()
    code = "setTimeout(() => { history.pushState(0, '', '#later'); fetch('/there').catch(() => 0) }, 0)"
    await tab.world.session.send("Runtime.evaluate", {"expression": code})
    await tab.world.turn()
    assert tab.world.url.endswith("#later")
    assert [url.rsplit("/", 1)[1] for url in asked] == ["there"]


@pytest.mark.pipe
async def test_of_documents_that_are_held_playwright_hears_once_it_has_caught_up(
    show: Show, connection: PipeConnection
) -> None:
    tab = await show(f"{WITHOUT_ICON}<title>A</title>")
    await tab.world.frames.open()
    await tab.world.caught_up()
    tab.world.hold_documents()
    code = "history.pushState(0, '', '#held'); document.body.append(document.createElement('iframe'))"
    await tab.world.session.send("Runtime.evaluate", {"expression": code})
    await tab.world.turn()
    assert tab.world.url.endswith("#held")
    assert connection.is_behind
    assert not tab.page.url.endswith("#held")
    await tab.world.caught_up()
    assert not connection.is_behind
    assert tab.page.url.endswith("#held")
    assert len(tab.page.frames) == 2


def record_barriers(connection: PipeConnection, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Record the questions that ask the browser from now on whether it has sent all events."""
    assert connection._barrier_session
    asked: list[str] = []
    send = connection._barrier_session.send

    async def note(method: str) -> object:
        asked.append(method)
        return await send(method)

    monkeypatch.setattr(connection._barrier_session, "send", note)
    return asked


@pytest.mark.pipe
async def test_catching_up_without_events_asks_nothing(
    show: Show, connection: PipeConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    tab = await show(f"{WITHOUT_ICON}<button>Go</button>")
    await tab.refs.take()
    await tab.world.caught_up()
    asked = record_barriers(connection, monkeypatch)
    before = connection.forwarded
    assert await tab.world.call("candidates")
    await tab.world.caught_up()
    assert connection.forwarded == before, "nothing happened"
    assert asked == []


@pytest.mark.pipe
async def test_catching_up_later_does_not_wait_for_an_earlier_question(
    show: Show, connection: PipeConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Have both questions out at a time: one answer is enough for all who want to know the same."""
    tab = await show("<title>A</title>")
    await tab.world.frames.open()
    asked = record_barriers(connection, monkeypatch)
    await tab.world.session.send("Runtime.evaluate", {"expression": "history.pushState(0, '', '#one')"})
    first = asyncio.ensure_future(connection.wait_for_playwright())
    await tab.world.session.send("Runtime.evaluate", {"expression": "history.pushState(0, '', '#two')"})
    second, third = (asyncio.ensure_future(connection.wait_for_playwright()) for _ in range(2))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert len(asked) == 2
    assert not second.done()
    await asyncio.gather(first, second, third)
    assert len(asked) == 2
    assert tab.page.url.endswith("#two")


@pytest.mark.pipe
async def test_nobody_waits_for_what_happens_in_another_browser_context(
    show: Show, page: Page, connection: PipeConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    tab = await show("<title>A</title>")
    await tab.world.frames.open()
    browser = page.context.browser
    assert browser
    context = await browser.new_context()
    try:
        busy = World(await context.new_page(), connection)
        await busy.frames.open()
        await connection.wait_for_playwright()
        asked = record_barriers(connection, monkeypatch)
        await busy.session.send("Runtime.evaluate", {"expression": "history.pushState(0, '', '#busy')"})
        assert connection.is_behind
        await tab.world.caught_up()
        await tab.world.effects_known()
        assert asked == []
        await busy.caught_up()
        assert len(asked) == 1
    finally:
        await context.close()


@pytest.mark.pipe
async def test_pages_are_known_by_the_names_that_playwright_has_for_them(
    page: Page, site: Web, connection: PipeConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Make several pages at once.

    One has a frame in another process, which the driver calls the same.
    """
    pages = [page, *await asyncio.gather(*(page.context.new_page() for _ in range(3)))]
    await page.goto(site.show(f"<iframe src='{site.other}/plain.html'></iframe>"))
    for one in pages:
        session = await page.context.new_cdp_session(one)
        described = (await session.send("Target.getTargetInfo"))["targetInfo"]
        known = connection.find_page(name_of(one))
        assert known
        assert (known.id, known.kind) == (described["targetId"], "page")
        assert known.browser_context == described["browserContextId"]
    assert connection.find_page("") is connection.find_page("page@0") is None
    opened: list[object] = []
    monkeypatch.setattr(page.context, "new_cdp_session", opened.append)
    world = World(pages[1], connection)
    await world.frames.open()
    assert world.browser_context
    assert opened == [], "the driver was not asked which page that is"


async def test_a_page_that_closes_fails_what_it_was_asked(show: Show) -> None:
    tab = await show("<title>A</title>")
    await tab.world.frames.open()
    asking = asyncio.ensure_future(
        tab.world.session.send("Runtime.evaluate", {"expression": "new Promise(() => 0)", "awaitPromise": True})
    )
    await tab.world.ping()
    await tab.page.close()
    with pytest.raises(ProtocolError, match="closed"):
        await asking
    with pytest.raises(ProtocolError, match="closed"):
        await tab.world.session.send("Runtime.evaluate", {"expression": "1"})


async def test_a_page_that_crashes_fails_what_it_was_asked(show: Show) -> None:
    tab = await show("<title>A</title>")
    await tab.world.frames.open()
    crashed = asyncio.get_running_loop().create_future()
    tab.page.on("crash", lambda _: crashed.set_result(None))
    with pytest.raises(ProtocolError, match="crashed"):
        await asyncio.gather(
            tab.world.session.send(
                "Runtime.evaluate", {"expression": "new Promise(() => 0)", "awaitPromise": True}
            ),
            tab.world.session.send("Page.crash"),
        )
    await crashed
    await tab.page.close()


async def test_many_questions_and_large_answers_keep_their_order_and_content(
    page: Page, connection: PipeConnection
) -> None:
    world = World(page, connection)
    await world.frames.open()

    async def evaluate_in_own_session(number: int) -> str:
        answer = await world.session.send(
            "Runtime.evaluate", {"expression": f"'{number % 10}'.repeat(300_000)", "returnByValue": True}
        )
        return str(answer["result"]["value"])

    async def evaluate_by_playwright(number: int) -> str:
        return str(await page.evaluate(f"'{number % 10}'.repeat(300_000)"))

    asked = [
        evaluate_in_own_session(number) if number % 2 else evaluate_by_playwright(number)
        for number in range(40)
    ]
    assert await asyncio.gather(*asked) == [str(number % 10) * 300_000 for number in range(40)]


@pytest.mark.pipe
async def test_domains_the_driver_left_disabled_are_enabled(
    page: Page, site: Web, connection: PipeConnection
) -> None:
    session = await page.context.new_cdp_session(page)
    described = await session.send("Target.getTargetInfo")
    target = connection.targets.get(described["targetInfo"]["targetId"])
    for domain in (
        "Runtime",
        "Page",
    ):  # Network is enabled before the page has asked for anything: see test_pipe
        await target.observed.send(f"{domain}.disable")
    asked: list[str] = []
    connection.tap.on("Network.requestWillBeSent", lambda of, _: of is target and asked.append(of.id))
    world = World(page, connection)
    await world.frames.open()
    arrivals = target.arrivals
    came = asyncio.Event()
    target.on_change = came.set
    await world.session.send("Page.navigate", {"url": site.show(f"{WITHOUT_ICON}<title>A</title>")})
    async with asyncio.timeout(30):
        await came.wait()
    assert asked == [target.id]
    assert target.arrivals == arrivals + 1
