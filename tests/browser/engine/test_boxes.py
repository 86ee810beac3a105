"""Test where references are in the viewport, for the annotated picture."""

import io

import pytest
from PIL import Image
from playwright.async_api import Browser

from gstack_browse.browser.cdp.connection import Connection
from gstack_browse.browser.engine.refs import Refs
from gstack_browse.browser.engine.world import World
from gstack_browse.snapshot.annotate import COLOURS, annotate
from tests.commands.web import Web

pytestmark = pytest.mark.same_session

INNER = """<div style='height:300px'></div><button style='background:#f0f;border:0;width:60px;height:30px'></button>
<div style='height:900px'></div>"""


async def test_boxes_in_a_scrolled_frame_of_another_process_at_scale_2(
    chromium: Browser, connection: Connection, site: Web
) -> None:
    context = await chromium.new_context(device_scale_factor=2, viewport={"width": 500, "height": 400})
    page = await context.new_page()
    address = site.show(INNER).replace(site.url, site.other)
    frame = f"<iframe style='border:7px solid;padding:5px' src='{address}' width=300 height=200></iframe>"
    await page.goto(site.show(f"<div style='height:1000px'></div>{frame}<div style='height:2000px'></div>"))
    await page.evaluate("scrollTo(0, 900)")
    await page.frames[1].evaluate("scrollTo(0, 200)")
    refs = Refs(page, World(page, connection))
    tree = await refs.take()
    line = tree.roles.index("button")
    boxes = await refs.boxes(tree, [line])
    left, top, width, height = boxes[line]
    assert (width, height) == (60, 30)
    drawn = annotate(await page.screenshot(), {"@e2": boxes[line]}, width=500)
    image = Image.open(io.BytesIO(drawn)).convert("RGB")
    await context.close()
    assert image.size == (1000, 800)
    assert image.getpixel((round(left * 2) + 60, round(top * 2) + 30)) == (255, 0, 255)
    edge = tuple(int(COLOURS[0][i : i + 2], 16) for i in (1, 3, 5))
    assert image.getpixel((round(left * 2), round(top * 2) + 30)) == edge


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
