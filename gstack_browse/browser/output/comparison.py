"""Compare a page in several sizes, or two pages side by side, without disturbing the active tab."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gstack_browse.browser.cdp.errors import ProtocolError
from gstack_browse.browser.engine import failures
from gstack_browse.browser.input import navigate
from gstack_browse.browser.output import read, screenshots
from gstack_browse.browser.tabs import viewport
from gstack_browse.browser.tabs.urls import shown_url
from gstack_browse.registry.measures import Size
from gstack_browse.snapshot.render import render_without_refs

if TYPE_CHECKING:
    from gstack_browse.browser.tabs.page import PageOpener, PageSession

    PageReader = Callable[[PageSession], Awaitable[str]]

SIZES = {"mobile": Size(375, 812), "tablet": Size(768, 1024), "desktop": Size(1280, 720)}


async def save_in_sizes(
    page: "PageSession", path_of: "dict[str, Path]", *, most: int
) -> "dict[str, screenshots.Picture]":
    """Save a picture of the whole page in each of SIZES; restore the viewport's size afterwards.

    `path_of`: size's name → path. `most`: longest side of a picture in pixels.
    """
    page.session.refuse_window()
    pictures = {}
    async with viewport.changing(page.tab, page.session.screen, page.session.running) as resize:
        for name, size in SIZES.items():
            async with page.action():
                await resize(size)
            area = screenshots.whole_page_area(await screenshots.measure_page(page))
            picture = await screenshots.take_screenshot(
                page, screenshots.picture_format(path_of[name]), area, side=most
            )
            await screenshots.save_picture(picture, path_of[name])
            pictures[name] = picture
    return pictures


async def fetch_texts(browser: "PageOpener", *urls: str) -> list[tuple[str, str]]:
    """Return (final address, rendered text) of several pages."""

    async def read_text(page: "PageSession") -> str:
        return (await read.text(page, None))[0]

    return await _visit_all(browser, urls, read_text)


async def fetch_snapshots(browser: "PageOpener", *urls: str) -> list[tuple[str, str]]:
    """Return (final address, accessibility tree without refs, with addresses of links) of several pages."""

    async def read_tree(page: "PageSession") -> str:
        try:
            return render_without_refs(await page.tab.refs.take(addresses=True))
        except ProtocolError as error:
            raise failures.translate(error) from None

    return await _visit_all(browser, urls, read_tree)


async def _visit_all(
    browser: "PageOpener", urls: Sequence[str], read_page: "PageReader"
) -> list[tuple[str, str]]:
    """Load several pages side by side and read each. If one fails, close all."""
    tasks = [asyncio.ensure_future(_visit(browser, url, read_page)) for url in urls]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)


async def _visit(browser: "PageOpener", url: str, read_page: "PageReader") -> tuple[str, str]:
    """Load a page in a temporary tab. Return its address, with the status of an error, and what was read."""
    async with browser.borrowing() as page:
        async with page.action():
            status = await navigate.goto(page, url)
        shown = f"{shown_url(page.tab.url)}{f' ({status})' if status >= 400 else ''}"
        return shown, await read_page(page)
