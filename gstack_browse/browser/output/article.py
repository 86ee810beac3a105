"""Find the main content of a page by Mozilla's Readability, with its title, author and date."""

import asyncio
from typing import TYPE_CHECKING, Any

from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.engine import failures
from gstack_browse.browser.engine.messages import PageScriptError
from gstack_browse.browser.reading import page_scripts, read
from gstack_browse.browser.reading import read as markdown
from gstack_browse.browser.reading.page_scripts import READABILITY
from gstack_browse.text import articles

if TYPE_CHECKING:
    from gstack_browse.browser.command.page import PageSession

LEAST_CHARACTERS = 250
"""Text outside of links below which a page has no article."""
MOST_ELEMENTS = 100_000
_IS_LOADED = "typeof globalThis.Readability === 'function'"


async def fetch_article(page: "PageSession", *, as_markdown: bool) -> str | None:
    """Return the article of the selected frame's document as text or Markdown; None if it has none."""
    try:
        context = await page.world.frames.context_of(page.frame)
        await page_scripts.load_library(context, READABILITY, _IS_LOADED)
        found: dict[str, Any] | None = await page_scripts.run(
            context, "article", {"least": LEAST_CHARACTERS, "most": MOST_ELEMENTS}
        )
    except PageScriptError:
        return None  # the page is larger than Readability reads, or breaks it
    except ProtocolError as error:
        raise failures.translate(error) from None
    if found is None:
        return None
    read.add_cut_note(page, found["cut"])
    head = articles.ArticleHead(found["title"], found["author"], found["date"], found["site"])
    if not as_markdown:
        return articles.render_text(head, found["text"])
    return articles.render_markdown(head, await asyncio.to_thread(markdown.convert_markup, found["markup"]))
