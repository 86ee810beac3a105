"""Convert a page's visible text to Markdown: headings, lists, tables and links."""

import asyncio
import re
from typing import TYPE_CHECKING, Any

from gstack_browse.browser.output import read

if TYPE_CHECKING:
    from gstack_browse.browser.tabs.page import PageSession


async def fetch_markdown(page: "PageSession", target: str | None) -> tuple[str, int]:
    """Return the Markdown of an element or the page, and the number of hidden characters."""
    found: dict[str, Any] = await read.ask_element_or_page(page, "markup", target)
    if found["isLong"]:
        page.notes.append(
            f"cut: the page is long; only its first {len(found['text']):,} characters of markup were read"
        )
    read.add_cut_note(page, found["cut"])
    return await asyncio.to_thread(convert_markup, found["text"]), found["hidden"]


def convert_markup(markup: str) -> str:
    """Convert the engine's markup (scripts/markup.js), well-formed and not deep, to Markdown."""
    import markdownify  # takes 60 ms, for this command only

    converter = markdownify.MarkdownConverter(heading_style="ATX", bullets="-", table_infer_header=True)
    text: str = converter.convert(markup)
    return re.sub(r"\n{3,}", "\n\n", re.sub(r"[ \t]+\n", "\n", text)).strip()
