"""Read: extract what the page says."""

from gstack_browse.browser import read
from gstack_browse.browser.page import PageSession
from gstack_browse.registry import READ, command
from gstack_browse.registry.arguments import Target


@command(READ, examples=["text", "text main", "text @e4"], page_text=True)
async def text(page: PageSession, target: Target | None = None) -> str:
    """Print the visible text of the page, or of one element.

    A line per block, tabs between table cells, shadow roots included, hidden text left out.
    """
    return await read.text(page, target)


@command(READ, examples=["html", "html '#main'"], page_text=True)
async def html(page: PageSession, target: Target | None = None) -> str:
    """Print the page's markup with its doctype, or the markup inside one element.

    Values of password and one-time-code fields are masked.
    """
    return await read.html(page, target)


@command(READ, examples=["links"], page_text=True)
async def links(page: PageSession) -> str:
    """Print every link as 'text → address', one a line.

    A link without text shows its accessible name.
    """
    found = await read.links(page)
    return "\n".join(f"{name or '(no text)'} → {address}" for name, address in found) or "(no links)"
