"""Measure Web Vitals by the library of that name. `text/vitals.py` prints them."""

from typing import TYPE_CHECKING, Any

from gstack_browse.browser.cdp.errors import ProtocolError
from gstack_browse.browser.engine import failures
from gstack_browse.browser.output import page_scripts
from gstack_browse.browser.output.libraries import WEB_VITALS
from gstack_browse.text import vitals
from gstack_browse.text.sanitise import quote_text

if TYPE_CHECKING:
    from gstack_browse.browser.tabs.page import PageSession

MOST_ITEMS = 5
"""Limit of elements that moved, and of slow frames."""
_IS_LOADED = "typeof globalThis.webVitals?.onLCP === 'function'"


async def measure_vitals(page: "PageSession") -> tuple[dict[str, Any], vitals.ElementNamer]:
    """Return the answer of scripts/page-vitals.js for the main document, and names for its elements."""
    try:
        context = await page.world.frames.main_context()
        await page_scripts.load_library(context, WEB_VITALS, _IS_LOADED)
        answer: dict[str, Any] = await page_scripts.run(context, "page-vitals", {"most": MOST_ITEMS})
        nodes = vitals.element_ids(answer)
        named = await page.tab.refs.named_in(context, nodes, is_main=True)
    except ProtocolError as error:
        raise failures.translate(error) from None
    words = {
        node: f"{ref} {quote_text(name, 60)}" if name else ref
        for node, (ref, name) in zip(nodes, named, strict=True)
    }
    return answer, lambda node: words.get(node) or "an element that is gone"
