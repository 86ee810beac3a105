"""Presses in frames that the page around them zooms or scales: each arrives, in time, or is refused."""

import pytest

from gstack_browse.errors import Covered
from tests.commands.conftest import Fails, Run, Show
from tests.commands.web import Web
from tests.each import each

pytestmark = pytest.mark.same_session

INNER = """<style>body { margin: 0 } button { display: block; width: 120px; height: 30px; margin: 0 }</style>
<div id=all></div><label><input type=checkbox id=agree>Agree</label><script>heard = [];
for (let at = 1; at <= 8; at++) all.innerHTML += `<button id=b${at} onclick="heard.push(${at})" ondblclick="heard.push('twice')">Button ${at}</button>`;
</script>"""
AROUND = {
    "zoomed page": "<style>html {{ zoom: 0.8 }}</style><h1>App</h1>{frame}<button>Beside</button>",
    "border and padding in a zoomed box": "<div style='zoom: 2'>{frame:border: 20px solid; padding: 30px}</div>",
    "scaled frame": "{frame:transform: scale(0.5); border: 10px solid}",
    "zoom and scale": "<div style='zoom: 1.5'>{frame:transform: scale(0.5); zoom: 0.8; padding: 7px}</div>",
}


class Frame:
    """Writes an iframe, with the style behind the colon."""

    def __init__(self, url: str) -> None:
        self.url = url

    def __format__(self, style: str) -> str:
        return f"<iframe style='width: 300px; height: 280px; {style}' src='{self.url}'></iframe>"


@each(zip(AROUND, ("another site", "same site", "same site", "another site"), strict=True))
async def test_press_in_a_scaled_frame_arrives(case: tuple[str, str], run: Run, show: Show, web: Web) -> None:
    """Press it in several ways."""
    around, site = case
    url = web.show(INNER)
    frame = Frame(url if site == "same site" else url.replace(web.url, web.other))
    await show(AROUND[around].format(frame=frame))
    await run("frame iframe")
    assert await run("click #b7 --timeout 5000") == "Clicked #b7"
    assert await run("check #agree") == "Checked #agree"
    assert await run("js 'heard.join() + agree.checked'") == "7true"
    await run("hover #b5")
    assert await run("js 'document.querySelector(`#b5:hover`) !== null'") == "true"
    await run("dblclick #b3")
    await run("click #b8 --at 5,5")
    assert await run("js 'heard.join()'") == "7,3,3,twice,8"
    await run("frame main")


async def test_press_in_a_scaled_frame_that_is_covered_is_refused(
    run: Run, fails: Fails, show: Show, web: Web
) -> None:
    cover = "<div style='position: fixed; inset: 0; background: white'>Over all</div>"
    await show(AROUND["zoomed page"].format(frame=Frame(web.show(INNER))) + cover)
    await run("frame iframe")
    assert "Over all" in (await fails("click #b2 --timeout 300", Covered)).message
    await run("frame main")
