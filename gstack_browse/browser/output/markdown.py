"""Text of a page as Markdown: headings, lists, tables and links are kept. What nobody can see is left out, as in plain text."""

import asyncio
import re
from typing import TYPE_CHECKING, Any

from gstack_browse.browser.output import read

if TYPE_CHECKING:
    from gstack_browse.browser.tabs.page import PageSession


async def markdown(page: "PageSession", target: str | None) -> tuple[str, int]:
    """Markdown of an element or of the page, and how many characters nobody can see."""
    found: dict[str, Any] = await read.ask_or_page(page, "markup", target)
    if found["isLong"]:
        page.notes.append(
            f"cut: the page is long; only its first {len(found['text']):,} characters of markup were read"
        )
    read.note_cut(page, found["cut"])
    return await asyncio.to_thread(from_markup, found["text"]), found["hidden"]


def from_markup(markup: str) -> str:
    """Markdown of the engine's markup (scripts/markup.js), which is well-formed and not deep."""
    import markdownify  # takes 60 ms, for this command only

    converter = markdownify.MarkdownConverter(heading_style="ATX", bullets="-", table_infer_header=True)
    text: str = converter.convert(markup)
    return re.sub(r"\n{3,}", "\n\n", re.sub(r"[ \t]+\n", "\n", text)).strip()
