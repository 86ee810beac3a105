"""Test where references are in the viewport, for the annotated picture."""

import pytest
from playwright.async_api import Browser

from gstack_browse.browser.cdp.connection import Connection
from gstack_browse.browser.engine.refs import Refs
from gstack_browse.browser.engine.world import World
from tests.commands.web import Web

pytestmark = pytest.mark.same_session


async def test_covered_element_has_no_box_and_one_below_the_viewport_has(
    chromium: Browser, connection: Connection, site: Web
) -> None:
    page = await chromium.new_page(viewport={"width": 500, "height": 400})
    await page.goto(
        site.show(
            "<button>Seen</button><button id=c>Covered</button><div style='height:2000px'></div><button>Below</button>"
            "<script>const r = c.getBoundingClientRect(); document.body.insertAdjacentHTML('beforeend',"
            " `<div style='position:fixed;background:#000;left:${r.x}px;top:${r.y}px;width:99px;height:99px'></div>`)</script>"
        )
    )
    refs = Refs(page, World(page, connection))
    tree = await refs.take()
    boxes = await refs.boxes(tree, [line for line in range(len(tree)) if tree.nodes[line]])
    await page.close()
    assert [tree.names[line] for line in boxes] == ["Seen", "Below"]
    assert list(boxes.values())[1][1] > 2000
