"""Pages that put another element in the place of one as the pointer comes over it."""

import re

import pytest

from gstack_browse.errors import NotInteractable, StaleRef
from tests.commands.conftest import Check, Fails, Run, Show
from tests.commands.replies import ref_of
from tests.commands.web import Web
from tests.each import each

pytestmark = pytest.mark.same_session

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
    "as the pointer is over it": (page("onmouseover", "p.replaceChildren(other)"), CLICK, "click"),
    "later in the same turn": (page("onpointerenter", "queueMicrotask(() => old.replaceWith(other))"), CLICK, "click"),
    "as the pointer moves": (page("onmousemove"), CLICK, "click"),
    "at each movement": (page("onmousemove", keeps=""), CLICK, "click"),
    "below the view": (page("onmouseenter", margin="3000px"), CLICK, "click"),
    "by a double click": (page("onmouseenter"), "click button --double", "dblclick"),
    "by the other button": (page("onmouseenter"), "click button --button right", "contextmenu"),
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


@each(["click", "hover"])
async def test_a_ref_means_what_has_gone(verb: str, run: Run, show: Show, fails: Fails) -> None:
    await run("mouse move 700 500")
    await show(page("onmouseenter"))
    failure = await fails(f"{verb} {await ref_of(run, '[button]')}", StaleRef)
    assert re.search(r'a new \[button\] "Click me" is @e\d+', failure.message)
    assert "click" not in (await run("js 'heard.join()'")).split(",")


async def test_element_that_disappears_under_the_pointer_is_an_error(show: Show, check: Check) -> None:
    await check({"mouse move 700 500": "…"})
    await show(page("onmouseenter", "old.remove()"))
    gone = '<button> "Click me" disappeared as the pointer came over it'
    await check({"click button --timeout 300": (NotInteractable, gone)})
