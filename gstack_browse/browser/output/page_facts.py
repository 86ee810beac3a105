"""Fetch a document's metadata, and its pictures, videos and sounds.

`text/page_data.py` and `text/page_media.py` print them.
"""

from typing import TYPE_CHECKING, Any, NamedTuple

from gstack_browse.browser.cdp.errors import ProtocolError
from gstack_browse.browser.engine import failures
from gstack_browse.browser.input.find import locate_first
from gstack_browse.browser.output import page_scripts
from gstack_browse.errors import StaleRef

if TYPE_CHECKING:
    from gstack_browse.browser.tabs.page import PageSession

MOST_FACTS = 500
MOST_CHARACTERS = 2_000
"""Limit of one fact, except JSON-LD."""
MOST_MEDIA = 1_000
MOST_STYLED = 20_000
"""Elements whose computed style is searched for pictures."""


class Medium(NamedTuple):
    """A picture, a video or a sound, as scripts/page-media.js describes it."""

    ref: str
    name: str
    facts: dict[str, Any]


async def fetch_data(page: "PageSession") -> dict[str, Any]:
    """Return the metadata of the selected frame's document, as scripts/page-data.js answers it."""
    try:
        context = await page.world.frames.context_of(page.frame)
        answer: dict[str, Any] = await page_scripts.run(
            context, "page-data", {"most": MOST_FACTS, "characters": MOST_CHARACTERS}
        )
    except ProtocolError as error:
        raise failures.translate(error) from None
    return answer


async def fetch_media(page: "PageSession", target: str | None) -> tuple[list[Medium], int]:
    """Return the media in the selected frame or in an element, and how many more there are."""
    element = await locate_first(page, target) if target else None
    try:
        await page.tab.refs.take()
        context = await page.world.frames.context_of(element.frame if element else page.frame)
        limits = {"most": MOST_MEDIA, "mostStyled": MOST_STYLED}
        node = element.node if element else 0
        answer = await page_scripts.run(context, "page-media", {"node": node, **limits})
        if answer is None:
            raise StaleRef(f"{target} disappeared", "Run 'snapshot -i' to see what is there")
        named = await page.tab.refs.named_in(context, [item["node"] for item in answer["found"]])
    except ProtocolError as error:
        raise failures.translate(error) from None
    if answer["isCut"]:
        page.notes.append(f"cut: backgrounds were looked for in the first {MOST_STYLED:,} elements only")
    found = [Medium(ref, name, item) for (ref, name), item in zip(named, answer["found"], strict=True)]
    return found, answer["total"] - len(found)
