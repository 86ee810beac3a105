"""Test elements that never stand still, which are pressed where they are, under a guard.

Those that will stand still are waited for.
"""

import pytest

from gstack_browse.errors import Covered, NotInteractable
from tests.commands.conftest import Check, Fails, Run, Shell, Show
from tests.commands.web import Web
from tests.each import each

pytestmark = pytest.mark.same_session

PULSING = """<!doctype html><style>
@keyframes pulse { 50% { transform: scale(1.2) } }
@keyframes grow { 50% { width: 150px } }
@keyframes along { to { transform: translateX(300px) } }
.pulse { animation: pulse 1.5s infinite }
.grow { animation: grow 1s infinite } .along { animation: along 9s linear infinite } .often { animation: pulse 1s 600 }
button { width: 120px; height: 30px; margin: 10px } p { margin: 60px 200px }</style>
<p><button id=b class=KIND>Buy</button></p><p><button id=trap>Other</button></p>
<script>heard = []; for (const type of ["click", "dblclick", "contextmenu"]) addEventListener(type, e => heard.push(type + " " + e.target.id));
if ("KIND" === "script") (function sway(time) { b.style.transform = `translateY(${Math.sin(time / 200) * 4}px)`; requestAnimationFrame(sway) })(0);
if ("KIND" === "shadow") { const host = b.parentNode.attachShadow({ mode: "open" });
  host.innerHTML = "<style>@keyframes pulse { 50% { transform: scale(1.2) } } div { animation: pulse 1s infinite }</style><div><slot></slot></div>" }
if ("KIND" === "around") b.parentNode.className = "pulse"</script>"""
KINDS = ("pulse", "grow", "along", "often", "around", "shadow", "script")
WAYS = {
    "": "click b", "--double": "click b,click b,dblclick b", "--button right": "contextmenu b", "--modifiers Shift": "click b",
    "--at 50%,50%": "click b",
}  # fmt: skip


@each([*KINDS, "in a frame"])
async def test_restless_is_clicked_and_hovered(kind: str, run: Run, show: Show, web: Web, shell: Shell) -> None:
    if kind == "in a frame":
        framed = web.show_elsewhere(PULSING.replace("KIND", "script"))
        await show(f"<iframe width=800 height=400 src={framed}></iframe>")
        await run("frame iframe")
    else:
        await show(PULSING.replace("KIND", kind))
    for way, heard in list(WAYS.items())[: None if kind == "pulse" else 2]:
        assert (await run("click #b", *way.split())).startswith("Clicked #b"), way
        assert await run("js 'heard.splice(0).join()'") == heard, way
    for way in ("", "--at 50%,50%"):
        await run("hover #trap")
        assert await run("hover #b", *way.split()) == "Hovered #b"
        assert await run("js \"b.matches(':hover')\"") == "true", way
    if kind == "in a frame":
        note = '<button#b> "Buy" never stands still: it was pressed where it was then'
        assert (await shell.send("click #b --modifiers Shift")).notes == [note]


async def test_cover_of_restless_element_in_frame_is_told(run: Run, show: Show, web: Web, check: Check) -> None:
    cover = '<div id=cover onclick="hit = 1" style="position: fixed; inset: 0"></div>'
    page = web.show_elsewhere(PULSING.replace("KIND", "pulse"))
    await show(f"{cover}<iframe width=800 height=400 src={page}></iframe>")
    await run("frame iframe")
    await check({
        f"click #b {way} --timeout 300": (Covered, '<button#b> "Buy" is covered by <div#cover>\n') for way in WAYS
    })  # fmt: skip
    await check({"frame main": "…", "js window.hit ?? 0": "0"})


async def test_element_that_comes_to_rest_is_waited_for(run: Run, show: Show, fails: Fails) -> None:
    """Wait for the movement that ends, though another goes on.

    A button may pulse in a dialog that comes in.
    """
    await show("""<style>@keyframes in { from { transform: translateX(600px) } } @keyframes pulse { 50% { transform: scale(1.2) } }
        div { animation: in .4s } button { animation: pulse 1s infinite } .slow { animation: in 4s }</style>
        <div><button onclick="left = this.getBoundingClientRect().left">Go</button></div>""")
    await run("click button")
    assert float(await run("js left")) < 100
    await run("js", "document.querySelector('div').className = 'slow'; 0")
    failure = await fails("click button --timeout 600", NotInteractable)
    assert failure.message == '<button> "Go" keeps moving'
