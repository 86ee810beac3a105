"""Test how a cover that goes away by itself is told from one that stays."""

from typing import Any

import pytest

from tests.browser.conftest import Opened, Show

pytestmark = pytest.mark.same_session
VEIL = "<div id=veil style='position:fixed;inset:0'>{}</div>"
BUTTON = "<button>Go</button>"


async def cover(tab: Opened) -> dict[str, Any]:
    found = await tab.world.call("describeBestMatches", "button")
    look = await tab.world.call("probeElement", found[0]["id"], "press")
    answer: dict[str, Any] = look["cover"]
    return answer


COVERS = {
    BUTTON + VEIL.format("Cookies?"): False,
    BUTTON + VEIL.format("<div role=progressbar></div>"): True,
    BUTTON + VEIL.format("<progress></progress>"): True,
    BUTTON + VEIL.replace("<div", "<div aria-busy=true").format("Orders"): True,
    f"<main aria-busy=true>{BUTTON}</main>" + VEIL.format(""): True,
    f"<main aria-busy=false>{BUTTON}</main>" + VEIL.format(""): False,
    BUTTON + VEIL.format("<i style='display:block;height:9px;transition:opacity 9s'></i>"): False,
}


async def test_a_cover_that_shows_work_is_busy(show: Show) -> None:
    tab, busy = await show("<p>One"), {}
    for markup in COVERS:
        await tab.put_markup(markup)
        busy[markup] = (await cover(tab))["busy"]
    assert busy == COVERS


async def test_a_cover_that_fades_is_busy_or_another_one_at_each_look(show: Show) -> None:
    inner = "<p style='position:absolute;inset:0'>Cookies?</p>"
    tab = await show(BUTTON + VEIL.format(f"<div id=middle style='position:absolute;inset:0'>{inner}</div>"))
    before = await cover(tab)
    assert (await cover(tab))["key"] == before["key"]
    for part in ("veil", "middle"):
        await tab.page.evaluate(f"{part}.style.opacity = .5")
        after = await cover(tab)
        assert (after["busy"], after["key"] == before["key"]) == (False, False), part
        before = after
    await tab.page.evaluate("veil.style.transition = 'opacity 9s 9s'; veil.offsetWidth; veil.style.opacity = 0")
    assert (await cover(tab))["busy"], "a transition that has yet to begin"
