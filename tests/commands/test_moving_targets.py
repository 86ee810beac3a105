"""Test presses on elements that move, or are replaced under the pointer.

What never rests is pressed where it is, under a guard; what will stand still is waited for.
"""

import re

import pytest

from gstack_browse.errors import Covered, NotInteractable, StaleRef
from tests.commands.conftest import Check, Fails, Run, Shell, Show
from tests.commands.replies import ref_of
from tests.commands.web import Web
from tests.each import each

pytestmark = pytest.mark.same_session

PULSING = """<!doctype html><style>
@keyframes pulse { 50% { transform: scale(1.2) } }
@keyframes along { to { transform: translateX(300px) } }
.pulse { animation: pulse 1.5s infinite }
.along { animation: along 9s linear infinite } .often { animation: pulse 1s 600 }
button { width: 120px; height: 30px; margin: 10px } p { margin: 60px 200px }</style>
<p><button id=b class=KIND>Buy</button></p><p><button id=trap>Other</button></p>
<script>heard = []; for (const type of ["click", "dblclick", "contextmenu"]) addEventListener(type, e => heard.push(type + " " + e.target.id));
if ("KIND" === "script") (function sway(time) { b.style.transform = `translateY(${Math.sin(time / 200) * 4}px)`; requestAnimationFrame(sway) })(0);
if ("KIND" === "shadow") { const host = b.parentNode.attachShadow({ mode: "open" });
  host.innerHTML = "<style>@keyframes pulse { 50% { transform: scale(1.2) } } div { animation: pulse 1s infinite }</style><div><slot></slot></div>" }</script>"""
KINDS = ("pulse", "along", "often", "shadow")
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
        f"click #b {way} --timeout 300": (Covered, '<button#b> "Buy" is covered by <div#cover>') for way in ("", "--double")
    })  # fmt: skip
    await check({"frame main": "…", "js window.hit ?? 0": "0"})


async def test_element_that_comes_to_rest_is_waited_for(run: Run, show: Show, fails: Fails) -> None:
    """Though another goes on: a button may pulse in a dialog that comes in."""
    await show("""<style>@keyframes in { from { transform: translateX(600px) } } @keyframes pulse { 50% { transform: scale(1.2) } }
        div { animation: in .4s } button { animation: pulse 1s infinite } .slow { animation: in 4s }</style>
        <div><button onclick="left = this.getBoundingClientRect().left">Go</button></div>""")
    await run("click button")
    assert float(await run("js left")) < 100
    await run("js", "document.querySelector('div').className = 'slow'; 0")
    failure = await fails("click button --timeout 600", NotInteractable)
    assert failure.message == '<button> "Go" keeps moving'


PAGE = """<p id=p style="margin-top: MARGIN"><button EVENT="again(this)">Click me</button></p><div id=n></div><script>
heard = []
again = old => { const other = old.cloneNode(true); KEEPS
  for (const type of ['click', 'dblclick', 'contextmenu', 'mouseover']) other.addEventListener(type, () => heard.push(type)); REPLACE }</script>"""
ONCE = "other.removeAttribute('EVENT')"


def page(event: str, replace: str = "old.replaceWith(other)", keeps: str = ONCE, margin: str = "0") -> str:
    whole = PAGE.replace("REPLACE", replace).replace("KEEPS", keeps).replace("MARGIN", margin)
    return whole.replace("EVENT", event)


CLICK = "click 'text=Click me'"
REPLACED = {
    "as the pointer enters": (page("onmouseenter"), CLICK, "click"),
    "later in the same turn": (page("onpointerenter", "queueMicrotask(() => old.replaceWith(other))"), CLICK, "click"),
    "at each movement": (page("onmousemove", keeps=""), CLICK, "click"),
    "below the view": (page("onmouseenter", margin="3000px"), CLICK, "click"),
    "by a double click": (page("onmouseenter"), "click button --double", "dblclick"),
    "by hovering": (page("onmouseenter"), "hover button", "mouseover"),
    "in a frame": (page("onmouseenter"), CLICK, "click"),
}  # fmt: skip
"""How an element is replaced under the pointer → the page, the command, and what the new element is to hear."""


@each(REPLACED)
async def test_element_that_replaces_the_target_is_pressed(how: str, run: Run, show: Show, web: Web) -> None:
    markup, line, heard = REPLACED[how]
    await run("mouse move 700 500")
    await show(f"<iframe src='{web.show(markup)}'></iframe>" if how == "in a frame" else markup)
    if how == "in a frame":
        await run("frame iframe")
    await run(line)
    times = int(await run(f"js 'heard.filter(type => type === \"{heard}\").length'"))
    assert times == 1 or (heard == "mouseover" and times)


async def test_a_ref_means_what_has_gone(run: Run, show: Show, fails: Fails) -> None:
    await run("mouse move 700 500")
    await show(page("onmouseenter"))
    failure = await fails(f"click {await ref_of(run, '[button]')}", StaleRef)
    assert re.search(r'a new \[button\] "Click me" is @e\d+', failure.message)
    assert "click" not in (await run("js 'heard.join()'")).split(",")


async def test_element_that_disappears_under_the_pointer_is_an_error(show: Show, check: Check) -> None:
    await check({"mouse move 700 500": "…"})
    await show(page("onmouseenter", "old.remove()"))
    gone = '<button> "Click me" disappeared as the pointer came over it'
    await check({"click button --timeout 300": (NotInteractable, gone)})
