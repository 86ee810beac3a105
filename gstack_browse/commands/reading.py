"""Read: extract what the page says."""

import json

from gstack_browse.browser.input.find import count_matches
from gstack_browse.browser.output import markdown as as_markdown
from gstack_browse.browser.output import read, structure
from gstack_browse.browser.tabs.page import PageSession
from gstack_browse.errors import UsageError
from gstack_browse.registry import READ, command
from gstack_browse.registry.arguments import Target


@command(
    READ, examples=["text", "text main", "text @e4", "text --hidden", "text main --markdown"], page_text=True
)
async def text(
    page: PageSession, target: Target | None = None, *, hidden: bool = False, markdown: bool = False
) -> str:
    """Print the text of the page that can be seen, or of one element.

    A line per block, tabs between table cells, shadow roots included. Text that nobody can see (transparent, of no size,
    cut off, out of reach, of the colour of its ground) is left out and counted: screen readers may read it out, and pages
    address models by it.

    hidden: only the text that is rendered and cannot be seen
    markdown: keep headings, lists, tables, links and the words of pictures, as Markdown
    """
    if hidden and markdown:
        raise UsageError("--hidden and --markdown exclude each other")
    if markdown:
        found, unseen = await as_markdown.markdown(page, target)
    else:
        found, unseen = await read.text(page, target, unseen=hidden)
    if unseen and not hidden:
        page.notes.append(read.left_out(unseen))
    return found


@command(READ, examples=["title"], page_text=True)
async def title(page: PageSession) -> str:
    """Print the title of the page."""
    return await read.title(page)


@command(READ, examples=["value @e3", "value label=Email"], page_text=True)
async def value(page: PageSession, target: Target) -> str:
    """Print what a field holds now. Of a list what is chosen, a line each, as its form would send it; secrets are masked."""
    return await read.value(page, target)


@command(READ, examples=["count li", "count role=row"])
async def count(page: PageSession, target: Target) -> str:
    """Print how many elements a selector matches, hidden ones too; 0 is no failure."""
    return str(await count_matches(page, target))


@command(READ, examples=["box @e3", "box h1"])
async def box(page: PageSession, target: Target) -> str:
    """Print left, top, width and height of an element in CSS pixels, counted from the top left of the viewport."""
    return ",".join(f"{round(side, 1):g}" for side in await read.box(page, target))


@command(READ, examples=["locator @e3"], page_text=True, aliases=["generate-locator"])
async def locator(page: PageSession, target: Target) -> str:
    """Print a selector that means just this element and can be kept: for a test, or for the next time.

    The first of these that is unique: test id, role and name, placeholder, alt, title, id, the field's name, a path of CSS. What looks
    made by a build is passed over. Every command takes it for a target.
    """
    selector, is_elsewhere = await read.locator(page, target)
    if is_elsewhere:
        page.notes.append("It is in a frame: choose that first, see 'help frame'")
    return selector


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


@command(READ, examples=["forms"], page_text=True)
async def forms(page: PageSession) -> str:
    """Print the page's forms with their fields as JSON.

    Fields outside of any form stand under a last one whose index is null. What is empty is left out, values of
    secret fields are redacted.
    """
    return json.dumps(await structure.forms(page), ensure_ascii=False, indent=2)


@command(READ, examples=["accessibility"], page_text=True)
async def accessibility(page: PageSession) -> str:
    """Print the whole accessibility tree as YAML, frames included. Values of secret fields are redacted."""
    return await structure.tree(page) or "(nothing)"
