"""Compare a page in several sizes, or two pages side by side, without disturbing the active tab."""

import asyncio
import math
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from gstack_browse.browser.actions import navigate
from gstack_browse.browser.reading import read, screenshots, snapshots
from gstack_browse.browser.tab import viewport
from gstack_browse.browser.tab.urls import shown_url
from gstack_browse.errors import NotInteractable, UsageError
from gstack_browse.registry.values.measures import Clip, Size
from gstack_browse.snapshot import picture_difference
from gstack_browse.snapshot.picture_difference import Difference, Region
from gstack_browse.snapshot.render import render_without_refs, shown_elements
from gstack_browse.snapshot.tree import Options
from gstack_browse.text.sanitise import quote_text
from gstack_browse.workspace.directory import printable_path
from gstack_browse.workspace.files import read_limited, write_whole

if TYPE_CHECKING:
    from PIL import Image

    from gstack_browse.browser.command.page import PageCommand, PageOpener

    PageReader = Callable[[PageCommand], Awaitable[str]]

SIZES = {"mobile": Size(375, 812), "tablet": Size(768, 1024), "desktop": Size(1280, 720)}


async def save_in_sizes(
    page: "PageCommand", path_of: "dict[str, Path]", *, most: int
) -> "dict[str, screenshots.Picture]":
    """Save a picture of the whole page in each viewport size of SIZES. Return size's name → picture.

    The viewport gets its size back afterwards. `path_of`: size's name → path. `most`: longest side of a picture in pixels.
    """
    page.context.check_not_in_window()
    pictures = {}
    async with viewport.resizable(page.tab, page.context.appearance.screen, page.context.running) as resize:
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


async def fetch_texts(opener: "PageOpener", *urls: str) -> list[tuple[str, str]]:
    """Load several pages side by side. Return (final URL, visible text) of each."""

    async def read_text(page: "PageCommand") -> str:
        return (await read.fetch_text(page, None))[0]

    return await _visit_all(opener, urls, read_text)


async def fetch_snapshots(opener: "PageOpener", *urls: str) -> list[tuple[str, str]]:
    """Load several pages side by side. Return (final URL, snapshot without refs) of each."""

    async def read_tree(page: "PageCommand") -> str:
        return render_without_refs(await page.tab.refs.take_snapshot(addresses=True))

    return await _visit_all(opener, urls, read_tree)


async def _visit_all(
    opener: "PageOpener", urls: Sequence[str], read_page: "PageReader"
) -> list[tuple[str, str]]:
    """Load several pages side by side. Return (final URL, result of `read_page`) of each."""
    tasks = [asyncio.ensure_future(_read_url(opener, url, read_page)) for url in urls]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)


async def _read_url(opener: "PageOpener", url: str, read_page: "PageReader") -> tuple[str, str]:
    """Load a page in a temporary tab. Return its final URL, and the result of `read_page`.

    An error status is added to the URL: `https://example.com/x (404)`.
    """
    async with opener.in_temporary_tab() as page:
        async with page.action():
            status = await navigate.goto(page, url)
        shown = f"{shown_url(page.tab.url)}{f' ({status})' if status >= 400 else ''}"
        return shown, await read_page(page)


MOST_BYTES = 100_000_000
MOST_NAME = 60


class PagePicture(NamedTuple):
    """A picture of the present page: its area, and pixels per CSS pixel (`scale`)."""

    picture: "Image.Image"
    area: screenshots.Area
    scale: float


async def read_picture(path: Path) -> "Image.Image":
    """Read a picture from a file. Raises FileFailed, Refused."""
    return await asyncio.to_thread(_read_picture, path)


async def capture_same_area(page: "PageCommand", reference: "Image.Image") -> PagePicture:
    """Take a picture of the page that has the same size as `reference`, to compare the two.

    Tries the whole page and the viewport, unscaled and shrunk. If none has that size, the picture is unscaled: of the viewport if
    `reference` is no taller than that, else of the whole page.
    """
    size = await screenshots.measure_page(page)
    areas = [screenshots.whole_page_area(size), screenshots.viewport_area(size)]
    sides = [0, max(reference.size)]
    variants = [
        (area, side)
        for area in areas
        for side in sides
        if screenshots.shrunk_size(area, side) == reference.size
    ]
    area, side = variants[0] if variants else (areas[reference.height <= areas[1].size.height], 0)
    shot = await screenshots.take_screenshot(page, "png", area, side=side)
    picture = await asyncio.to_thread(picture_difference.open_picture, shot.content, "The page's picture")
    return PagePicture(picture, area, picture.width / area.clip.width)


async def capture_nearest_area(page: "PageCommand", reference: "Image.Image") -> tuple[bytes, PagePicture]:
    """Take a picture of viewport or whole page, whichever is nearer to the aspect ratio of `reference`.

    Return it as PNG, and decoded.
    """
    size = await screenshots.measure_page(page)
    form = reference.height / reference.width

    def distance(area: screenshots.Area) -> float:
        return abs(area.clip.height / max(area.clip.width, 1) - form)

    area = min([screenshots.viewport_area(size), screenshots.whole_page_area(size)], key=distance)
    shot = await screenshots.take_screenshot(page, "png", area)
    picture = await asyncio.to_thread(picture_difference.open_picture, shot.content, "The page's picture")
    return shot.content, PagePicture(picture, area, picture.width / area.clip.width)


async def compare_pictures(
    before: "Image.Image", after: "Image.Image", threshold: float, masked: Sequence[Region] = ()
) -> Difference:
    """Compare two pictures pixel by pixel, without the `masked` regions.

    Colours no farther apart than `threshold` (0 to 1) count as equal.
    """

    def compare_covered() -> Difference:
        covered = [
            picture_difference.mask_regions(picture, masked) if masked else picture
            for picture in (before, after)
        ]
        return picture_difference.compare(*covered, threshold=threshold)

    return await asyncio.to_thread(compare_covered)


async def resolve_masks(
    page: "PageCommand", page_picture: PagePicture | None, masks: Sequence[str | Clip]
) -> list[Region]:
    """Return the regions to leave out of a comparison, in pixels of the picture.

    `masks`: rectangles, or targets of elements; a hidden element has no region. `page_picture`: None if the picture is not of the
    page: then an element raises UsageError. Raises NoMatch, StaleRef or UnknownRef for a target that is not there.
    """
    regions = []
    for mask in masks:
        if isinstance(mask, Clip):
            regions.append(_round_outward(mask.x, mask.y, mask.width, mask.height))
            continue
        if page_picture is None:
            raise UsageError("An element masks a picture of the page only", "Give a rectangle: --mask x,y,w,h")
        try:
            left, top, width, height = await read.measure_box(page, mask)
        except NotInteractable:
            continue
        size, (_, area, scale) = await screenshots.measure_page(page), page_picture
        x, y = left + size["left"] - area.clip.x, top + size["top"] - area.clip.y
        regions.append(_round_outward(x * scale, y * scale, width * scale, height * scale))
    return regions


def _round_outward(x: float, y: float, width: float, height: float) -> Region:
    """Return the smallest rectangle of whole pixels that contains the given one."""
    left, top = math.floor(x), math.floor(y)
    return Region(left, top, math.ceil(x + width) - left, math.ceil(y + height) - top)


async def save_with_boxes(picture: "Image.Image", regions: Sequence[Region], path: Path) -> None:
    """Save the picture with a box around each region. Raises FileFailed, Refused."""
    content = await asyncio.to_thread(picture_difference.mark_regions, picture, regions)
    await asyncio.to_thread(write_whole, str(path), content)


async def find_elements_at(
    page: "PageCommand", page_picture: PagePicture, regions: Sequence[Region]
) -> list[str]:
    """Return the smallest element around the middle of each region: `@e5 "Total"`; "" for none."""
    tree = await snapshots.take_snapshot(page, None, clickable=False)
    size = await screenshots.measure_page(page)
    boxes = await page.tab.refs.boxes(tree, shown_elements(tree, Options(max_chars=None)))
    found = []
    for region in regions:
        x = (region.x + region.width / 2) / page_picture.scale + page_picture.area.clip.x - size["left"]
        y = (region.y + region.height / 2) / page_picture.scale + page_picture.area.clip.y - size["top"]
        boxes_around = [
            (w * h, line) for line, (left, top, w, h) in boxes.items() if 0 <= x - left < w and 0 <= y - top < h
        ]
        line = min(boxes_around)[1] if boxes_around else -1
        found.append(
            f"{tree.ref(line)} {quote_text(tree.names[line] or tree.roles[line], MOST_NAME)}"
            if boxes_around
            else ""
        )
    return found


def _read_picture(path: Path) -> "Image.Image":
    """Read a picture file. Raises FileFailed if it is larger than MOST_BYTES or no picture, and Refused."""
    return picture_difference.open_picture(
        read_limited(str(path.resolve()), MOST_BYTES), printable_path(path.name)
    )
