"""Print pages to PDF files."""

import asyncio
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

from gstack_browse.browser.cdp.errors import ProtocolError
from gstack_browse.browser.cdp.streams import read_stream
from gstack_browse.browser.engine import failures
from gstack_browse.browser.launch.scratch import explain_full_disk
from gstack_browse.errors import ActionFailed
from gstack_browse.files import write_whole
from gstack_browse.registry.arguments import PAPERS

if TYPE_CHECKING:
    from gstack_browse.browser.tabs.page import PageSession

PRINT_SECONDS = 25.0


def default_path(page: "PageSession") -> Path:
    """Return a new file name beside the screenshots."""
    return page.session.pictures / f"page-{time.strftime('%Y%m%d-%H%M%S')}-{os.urandom(2).hex()}.pdf"


USUAL_PAPER = "A4"
NO_MARGINS = dict.fromkeys(("marginTop", "marginRight", "marginBottom", "marginLeft"), 0)
"""Margins come from the style sheet alone (`@page { margin }`). Chromium's default is a centimetre."""


async def save_pdf(
    page: "PageSession", path: Path, *, paper: str | None, landscape: bool, background: bool
) -> None:
    """Print the page by its print style sheet, and save it completely or not at all.

    `paper`: such as A5; None for what the style sheet says (`@page { size }`), else USUAL_PAPER.
    """
    width, height = PAPERS[paper or USUAL_PAPER]
    try:
        async with asyncio.timeout(min(PRINT_SECONDS, page.remaining())):
            session = page.world.session
            printed = await session.send(
                "Page.printToPDF",
                {
                    "transferMode": "ReturnAsStream",
                    "landscape": landscape,
                    "printBackground": background,
                    "paperWidth": width,
                    "paperHeight": height,
                    "preferCSSPageSize": paper is None,
                    **NO_MARGINS,
                },
            )
            content = b"".join([piece async for piece in read_stream(session, printed["stream"])])
    except TimeoutError:
        raise ActionFailed("Chromium did not print the page in time", "Run 'wait --load' first") from None
    except ProtocolError as error:
        full = (
            explain_full_disk() if page.session.running.shares_disk else None
        )  # Chromium writes the file to this disk first
        raise full or failures.translate(error) from None
    await asyncio.to_thread(write_whole, str(path), content)
