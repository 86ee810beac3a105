"""Presses in frames that the page around them zooms or scales: each arrives, in time, or is refused."""

import pytest

from gstack_browse.errors import Covered
from tests.commands.conftest import Check, Show
from tests.commands.web import Web
from tests.each import each

pytestmark = pytest.mark.same_session

INNER = """<style>body { margin: 0 } button { display: block; width: 120px; height: 30px; margin: 0 }</style>
<div id=all></div><label><input type=checkbox id=agree>Agree</label><script>heard = [];
for (let at = 1; at <= 8; at++) all.innerHTML += `<button id=b${at} onclick="heard.push(${at})" ondblclick="heard.push('twice')">Button ${at}</button>`;
</script>"""


def frame(url: str, style: str = "") -> str:
    return f"<iframe style='width: 300px; height: 280px; {style}' src='{url}'></iframe>"


ZOOMED = "<style>html { zoom: 0.8 }</style><h1>App</h1>%s<button>Beside</button>"
AROUND = {
    "zoomed page": (ZOOMED, "", "another site"),
    "border and padding in a zoomed box": (
        "<div style='zoom: 2'>%s</div>", "border: 20px solid; padding: 30px", "same site",
    ),
    "scaled frame": ("%s", "transform: scale(0.5); border: 10px solid", "same site"),
    "zoom and scale": (
        "<div style='zoom: 1.5'>%s</div>",
        "transform: scale(0.5); zoom: 0.8; padding: 7px",
        "another site",
    ),
}  # fmt: skip
"""What is around a frame, its style, and whose it is."""


@each(AROUND)
async def test_press_in_a_scaled_frame_arrives(how: str, check: Check, show: Show, web: Web) -> None:
    """Press it in several ways."""
    around, style, site = AROUND[how]
    await show(around % frame((web.show if site == "same site" else web.show_elsewhere)(INNER), style))
    await check([
        ("frame iframe", "…"), ("click #b7 --timeout 5000", "Clicked #b7"), ("check #agree", "Checked #agree"),
        ("js heard.join() + agree.checked", "7true"), ("hover #b5", "…"), ("js document.querySelector('#b5:hover') !== null", "true"),
        ("dblclick #b3", "…"), ("click #b8 --at 5,5", "…"), ("js heard.join()", "7,3,3,twice,8"), ("frame main", "…"),
    ])  # fmt: skip


async def test_press_in_a_scaled_frame_that_is_covered_is_refused(check: Check, show: Show, web: Web) -> None:
    cover = "<div style='position: fixed; inset: 0; background: white'>Over all</div>"
    await show(ZOOMED % frame(web.show(INNER)) + cover)
    await check({"frame iframe": "…", "click #b2 --timeout 300": (Covered, "Over all"), "frame main": "…"})
