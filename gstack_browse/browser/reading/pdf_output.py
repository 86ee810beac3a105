"""Read and picture single pages of the PDF document that a tab shows."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from gstack_browse.browser.actions.locate.find import count_matches
from gstack_browse.browser.reading import read, screenshots
from gstack_browse.errors import NoMatch, UsageError
from gstack_browse.text.columns import format_count
from gstack_browse.workspace.files import write_whole

if TYPE_CHECKING:
    from gstack_browse.browser.command.page import PageSession

_PAGES = "section[id^='page=']"


async def fetch_pages(page: "PageSession", numbers: range) -> str:
    """Return the text of pages of the document.

    Raises UsageError if the tab shows none, NoMatch without such pages.
    """
    check_is_pdf(page, "--pages")
    count = await count_matches(page, _PAGES)
    facts = page.session.pdfs.facts_of(page.tab.url)
    total = facts.pages if facts else count
    if numbers[0] > total:
        raise NoMatch(f"There is no page {numbers[0]}: the PDF has {format_count(total, 'page')}")
    if numbers[0] > count:
        raise NoMatch(
            f"Page {numbers[0]} was not read: of {format_count(total, 'page')} only the first {count:,} were",
            f"'screenshot --page {numbers[0]}' shows it",
        )
    if min(numbers[-1], total) > count:
        page.notes.append(f"Of {format_count(total, 'page')} only the first {count:,} were read")
    texts = [
        (await read.text(page, f"[id='page={number}']"))[0]
        for number in range(numbers[0], min(numbers[-1], count) + 1)
    ]
    return "\n\n".join(text.strip() for text in texts)


def check_is_pdf(page: "PageSession", option: str) -> None:
    """Raise UsageError if the tab shows no PDF document."""
    if not page.session.pdfs.is_shown(page.tab.url):
        raise UsageError(f"{option} is for PDF documents", "This tab shows another page: 'url'")


async def save_picture(page: "PageSession", number: int, path: Path | None, side: int) -> Path:
    """Save a picture of a page as the document has it. Return its path. Raises like `PdfDocuments.draw`."""
    check_is_pdf(page, "--page")
    path = path or screenshots.default_path(page)
    kind = screenshots.picture_format(path)
    picture = await page.session.pdfs.draw(page.tab.url, number, side, kind)
    await asyncio.to_thread(write_whole, str(path), picture)
    return path
