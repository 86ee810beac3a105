"""Looks at one page in several sizes, and at two pages side by side, without disturbing the tab in use."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gstack_browse.browser.cdp.playwright_names import Error as PlaywrightError
from gstack_browse.browser.engine import failures
from gstack_browse.browser.input import navigate
from gstack_browse.browser.output import read, screenshots
from gstack_browse.browser.tabs import viewport
from gstack_browse.browser.tabs.urls import shown_url
from gstack_browse.registry.measures import Size
from gstack_browse.snapshot.render import render_without_refs

if TYPE_CHECKING:
    from gstack_browse.browser.tabs.page import PageOpener, PageSession

    Asked = Callable[[PageSession], Awaitable[str]]

SIZES = {"mobile": Size(375, 812), "tablet": Size(768, 1024), "desktop": Size(1280, 720)}


async def in_sizes(
    page: "PageSession", path_of: "dict[str, Path]", *, most: int
) -> "dict[str, screenshots.Picture]":
    """Save a picture of the whole page in each of SIZES under its path, of at most so many pixels a side; its own size comes back."""
    page.session.refuse_window()
    pictures = {}
    async with viewport.changing(page.tab, page.session.screen) as resize:
        for name, size in SIZES.items():
            async with page.action():
                await resize(size)
            area = screenshots.whole(await screenshots.size_of(page))
            picture = await screenshots.shoot(page, screenshots.kind_of(path_of[name]), area, side=most)
            await screenshots.save(picture, path_of[name])
            pictures[name] = picture
    return pictures


async def texts(browser: "PageOpener", *urls: str) -> list[tuple[str, str]]:
    """(address arrived at, rendered text) of several pages."""

    async def seen(page: "PageSession") -> str:
        return (await read.text(page, None))[0]

    return await _of_each(browser, urls, seen)


async def snapshots(browser: "PageOpener", *urls: str) -> list[tuple[str, str]]:
    """(address arrived at, accessibility tree without refs, with the addresses of links) of several pages."""

    async def tree(page: "PageSession") -> str:
        try:
            return render_without_refs(await page.tab.refs.take(addresses=True))
        except PlaywrightError as error:
            raise failures.translate(error) from None

    return await _of_each(browser, urls, tree)


async def _of_each(browser: "PageOpener", urls: Sequence[str], asked: "Asked") -> list[tuple[str, str]]:
    """What is asked of several pages, loaded side by side. When one fails none is left open."""
    looks = [asyncio.ensure_future(_of_page(browser, url, asked)) for url in urls]
    try:
        return await asyncio.gather(*looks)
    finally:
        for look in looks:
            look.cancel()
        await asyncio.wait(looks)


async def _of_page(browser: "PageOpener", url: str, asked: "Asked") -> tuple[str, str]:
    """(address arrived at, with the status of an error; what was asked) of a page, in a tab only for that."""
    async with browser.borrowing() as page:
        async with page.action():
            status = await navigate.goto(page, url)
        await page.world.caught_up()
        shown = f"{shown_url(page.tab.url)}{f' ({status})' if status >= 400 else ''}"
        return shown, await asked(page)
