"""Measures Web Vitals of the page by the library of that name. How they are printed is in `text/vitals.py`."""

from typing import TYPE_CHECKING, Any

from gstack_browse.browser.cdp.playwright_names import Error as PlaywrightError
from gstack_browse.browser.engine import failures
from gstack_browse.browser.output import page_scripts
from gstack_browse.browser.output.libraries import WEB_VITALS
from gstack_browse.text import vitals
from gstack_browse.text.sanitise import quote_text

if TYPE_CHECKING:
    from gstack_browse.browser.tabs.page import PageSession

MOST_ITEMS = 5
"""Elements that moved, and frames that took long."""
_IS_LOADED = "typeof globalThis.webVitals?.onLCP === 'function'"


async def measured(page: "PageSession") -> tuple[dict[str, Any], vitals.ElementNamer]:
    """What scripts/page-vitals.js answers of the main document, and the words for the elements in it."""
    try:
        context = await page.world.frames.main_context()
        await page_scripts.load(context, WEB_VITALS, _IS_LOADED)
        told: dict[str, Any] = await page_scripts.run(context, "page-vitals", {"most": MOST_ITEMS})
        nodes = vitals.element_ids(told)
        named = await page.tab.refs.named_in(context, nodes, is_main=True)
    except PlaywrightError as error:
        raise failures.translate(error) from None
    words = {
        node: f"{ref} {quote_text(name, 60)}" if name else ref
        for node, (ref, name) in zip(nodes, named, strict=True)
    }
    return told, lambda node: words.get(node) or "an element that is gone"
