"""Open the PDF document that a navigation led to, downloaded or shown in Chromium's own viewer."""

import asyncio
import os
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote_to_bytes, urlsplit

from gstack_browse.browser.cdp.session import ProtocolError, read_stream
from gstack_browse.browser.network.pdf_documents import PDF
from gstack_browse.errors import FileFailed
from gstack_browse.text.sanitise import one_line

if TYPE_CHECKING:
    from gstack_browse.browser.command.page import PageSession
    from gstack_browse.browser.downloads.downloads import Download

MOST_BYTES = 200_000_000


async def open_own_file(page: "PageSession", url: str) -> bool:
    """Make a page of a PDF file of the workspace, wherever the browser is.

    Return False for another address, and for a file that may not be shown: the navigation says why. Raises FileFailed for one
    that cannot be read, or is no PDF document: Chromium would download it, and the copy could be shown no better.
    """
    path = _path_of(url)
    if not path.lower().endswith(".pdf") or not url.startswith("file:"):
        return False
    if page.session.guard.refuses_page(url) or not await asyncio.to_thread(os.path.isfile, path):
        return False
    if not await page.session.pdfs.open_file(url, await asyncio.to_thread(os.path.realpath, path)):
        raise FileFailed(
            f"{one_line(url, 300)} is called a PDF, and has no PDF header",
            "It may be broken, or of another kind and only called so",
        )
    return True


def _path_of(url: str) -> str:
    """Return the path of a `file:` URL, decoded."""
    return os.fsdecode(unquote_to_bytes(urlsplit(url).path))


def address_of(url: str, download: "Download") -> str:
    """Return the address at which Chromium found the document, after redirections and in its own notation.

    `url`: the address that was asked for.
    """
    if not download.url.startswith(("http://", "https://")):
        return url
    _, hash_, place = url.partition("#")
    return download.url if "#" in download.url else f"{download.url}{hash_}{place}"


async def open_download(page: "PageSession", url: str, download: "Download") -> bool:
    """Make a page for `url` of a downloaded file. Return False if that is no complete PDF document.

    Raises FileFailed for one that cannot be read.
    """
    if download.state != "done" and not await page.session.downloads.wait_until(
        lambda: download.state != "running", page.remaining()
    ):
        return False
    if download.state != "done" or not download.path:
        return False
    try:
        return await page.session.pdfs.open_file(url, download.path)
    except FileFailed as error:
        error.hint = error.hint or f"The file: {download.file(page.cwd)}"
        raise


async def open_shown(page: "PageSession") -> bool:
    """Make a page of the PDF document that Chromium's viewer shows. Return False if it shows none.

    Raises FileFailed for one that cannot be read.
    """
    frame, url = page.tab.page.main_frame, page.tab.url
    if frame.media_type != PDF or page.session.pdfs.is_shown(url):
        return False
    try:
        if url.startswith("file:"):
            path = await asyncio.to_thread(os.path.realpath, _path_of(url))
            return await page.session.pdfs.open_file(url, path)
        content = await _fetch_shown(page, url)
        if content is not None:
            await page.session.pdfs.open_content(url, content)
        return content is not None
    except FileFailed as error:
        error.hint = error.hint or "The tab shows it in Chromium's viewer: 'screenshot'"
        raise


async def _fetch_shown(page: "PageSession", url: str) -> bytes | None:
    """Fetch the document that the tab shows, with the page's cookies. Return None if Chromium does not."""
    session = page.world.session
    options = {"disableCache": False, "includeCredentials": True}
    params = {"frameId": page.tab.page.main_frame.id, "url": url.partition("#")[0], "options": options}
    content = bytearray()
    try:
        answer: dict[str, Any] = (await session.send("Network.loadNetworkResource", params))["resource"]
        if "stream" not in answer:
            return None
        async for piece in read_stream(session, answer["stream"]):
            content += piece
            if len(content) > MOST_BYTES:
                raise FileFailed(f"The PDF is larger than {MOST_BYTES // 1_000_000} MB")
    except ProtocolError:
        return None  # the viewer goes on showing it
    return bytes(content)
