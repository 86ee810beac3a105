"""Test a question that waits in a document which goes away.

Chromium's words for that depend on how it goes.
"""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from gstack_browse.browser.engine.messages import FrameGone, evaluate
from tests.browser.conftest import Show
from tests.browser.pages import DrivenPage
from tests.commands.web import Web
from tests.each import each

pytestmark = pytest.mark.same_session

AWAY: dict[str, Callable[[DrivenPage, Web], Awaitable[object]]] = {
    "reloaded": lambda page, site: page.reload(),
    "reloaded by itself": lambda page, site: page.reload_by_script(),
    "another page": lambda page, site: page.goto(site.show("<p>Next")),
    "another site": lambda page, site: page.goto(site.show("<p>Next").replace(site.url, site.other)),
}


@each(AWAY)
async def test_waiting_question_fails_when_its_document_goes(way: str, show: Show, site: Web) -> None:
    opened = await show("<p>First")
    waiting = asyncio.ensure_future(evaluate(await opened.world.frames.main_context(), "new Promise(() => 0)"))
    await evaluate(await opened.world.frames.main_context(), "1")
    await AWAY[way](opened.page, site)
    with pytest.raises(FrameGone):
        async with asyncio.timeout(60):
            await waiting
