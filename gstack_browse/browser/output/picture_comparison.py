"""Compares pictures that were saved with each other, or with what the page looks like now, and says what stands where they differ."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from gstack_browse.browser.cdp.playwright_names import Error as PlaywrightError
from gstack_browse.browser.engine import failures
from gstack_browse.browser.output import screenshots, snapshots
from gstack_browse.errors import FileFailed
from gstack_browse.files import open_to_read, write_whole
from gstack_browse.snapshot import picture_difference
from gstack_browse.snapshot.options import Options
from gstack_browse.snapshot.picture_difference import Difference, Region
from gstack_browse.snapshot.render import shown_elements
from gstack_browse.text.sanitise import quote_text
from gstack_browse.workspace import shown

if TYPE_CHECKING:
    from PIL import Image

    from gstack_browse.browser.tabs.page import PageSession

MOST_BYTES = 100_000_000
MOST_NAME = 60


class Looked(NamedTuple):
    """A picture of the page as it is now: which part, and how many pixels of it one CSS pixel is."""

    picture: "Image.Image"
    area: screenshots.Area
    scale: float


async def read(path: Path) -> "Image.Image":
    """The picture in a file. Raises FileFailed, Refused."""
    return await asyncio.to_thread(_read, path)


async def look(page: "PageSession", like: "Image.Image") -> Looked:
    """The page as it is now, pictured as `like` was: the whole page or the viewport, shrunk or not, whichever has its size.

    Where neither has, the whole page unless `like` is no taller than the viewport, in full size.
    """
    size = await screenshots.size_of(page)
    areas = [screenshots.whole(size), screenshots.seen(size)]
    sides = [0, max(like.size)]
    ways = [
        (area, side) for area in areas for side in sides if screenshots.size_within(area, side) == like.size
    ]
    area, side = ways[0] if ways else (areas[like.height <= areas[1].size.height], 0)
    shot = await screenshots.shoot(page, "png", area, side=side)
    picture = await asyncio.to_thread(picture_difference.open_picture, shot.content, "The page's picture")
    return Looked(picture, area, picture.width / area.clip.width)


async def compare(before: "Image.Image", after: "Image.Image", threshold: float) -> Difference:
    """What differs; colors that are no farther apart than `threshold`, 0 to 1, do not."""
    return await asyncio.to_thread(picture_difference.compare, before, after, threshold=threshold)


async def save_marked(picture: "Image.Image", regions: Sequence[Region], path: Path) -> None:
    """Save the picture with a box around each region. Raises FileFailed, Refused."""
    content = await asyncio.to_thread(picture_difference.marked, picture, regions)
    await asyncio.to_thread(write_whole, str(path), content)


async def elements_at(page: "PageSession", looked: Looked, regions: Sequence[Region]) -> list[str]:
    """For each region of a picture of the page the smallest element around its middle, as `@e5 "Total"`; "" where there is none."""
    tree = await snapshots.take(page, None, clickable=False)
    size = await screenshots.size_of(page)
    try:
        boxes = await page.tab.refs.boxes(tree, shown_elements(tree, Options(max_chars=None)))
    except PlaywrightError as error:
        raise failures.translate(error) from None
    found = []
    for region in regions:
        x = (region.x + region.width / 2) / looked.scale + looked.area.clip.x - size["left"]
        y = (region.y + region.height / 2) / looked.scale + looked.area.clip.y - size["top"]
        around = [
            (w * h, line) for line, (left, top, w, h) in boxes.items() if 0 <= x - left < w and 0 <= y - top < h
        ]
        line = min(around)[1] if around else -1
        found.append(_named(tree.ref(line), tree.names[line] or tree.roles[line]) if around else "")
    return found


def _named(ref: str, name: str) -> str:
    return f"{ref} {quote_text(name, MOST_NAME)}"


def _read(path: Path) -> "Image.Image":
    with open_to_read(str(path.resolve())) as file:
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise FileFailed(f"{shown(path.name)} is too large to compare: more than {MOST_BYTES // 1_000_000} MB")
    return picture_difference.open_picture(content, shown(path.name))
