"""Computed styles of an element: all, or those that differ from an unstyled element."""

from typing import TYPE_CHECKING

from gstack_browse.browser.engine.answers import Styles
from gstack_browse.browser.input.find import ask
from gstack_browse.errors import StaleRef
from gstack_browse.text import styles

if TYPE_CHECKING:
    from gstack_browse.browser.tabs.page import PageSession

MOST_KINDS = 200
_plain: dict[tuple[str, ...], dict[str, str]] = {}
"""Styles of unstyled elements by kind. They are Chromium's own, the same on every empty page."""


async def list_styles(page: "PageSession", target: str) -> list[tuple[str, str]]:
    """Return (property, value) of all computed styles of an element."""
    return sorted((await _computed_styles(page, target))["values"].items())


async def list_differing_styles(page: "PageSession", target: str) -> list[tuple[str, str]]:
    """Return (property, value) of styles that are set on an element, or inherited."""
    found = await _computed_styles(page, target)
    return styles.find_differing_styles(found["values"], await _unstyled_styles(page, found["kind"]))


async def _computed_styles(page: "PageSession", target: str) -> Styles:
    _, found = await ask(page, target, "styles", first=True)
    if found is None:
        raise StaleRef(f"{target} disappeared", "Run 'snapshot -i' to see what is there")
    known: Styles = found
    return known


async def _unstyled_styles(page: "PageSession", kind: dict[str, str]) -> dict[str, str]:
    """Return the styles of an element of that kind in an empty page."""
    key = (kind["space"], kind["tag"], kind["type"])
    if key not in _plain:
        async with page.session.tab_factory.borrowing() as tab, tab.lane:
            await page.session.prepare(tab)
            values: dict[str, str] = await tab.world.call("plainStyles", kind)
        if len(_plain) >= MOST_KINDS:
            _plain.clear()
        _plain[key] = values
    return _plain[key]
