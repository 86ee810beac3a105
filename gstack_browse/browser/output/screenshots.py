"""Takes pictures of pages and saves them whole or not at all."""

import asyncio
import base64
import math
import os
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from gstack_browse.browser.cdp.playwright_names import Error as PlaywrightError
from gstack_browse.browser.engine import failures
from gstack_browse.browser.engine.answers import PageSize
from gstack_browse.browser.input.find import Element
from gstack_browse.browser.input.readiness import Probe, ready
from gstack_browse.browser.tabs import viewport
from gstack_browse.errors import NotInteractable, TimedOut, UsageError
from gstack_browse.files import write_whole
from gstack_browse.registry.measures import Clip, Size
from gstack_browse.text.columns import format_seconds

if TYPE_CHECKING:
    from gstack_browse.browser.tabs.page import PageSession

PICTURE_SECONDS = 20.0
DRAWING_SECONDS = 0.5
JPEG_QUALITY = 90
MOST_TILES = 40


def default_path(page: "PageSession") -> Path:
    """A new file name under `.gstack/` of the workspace, or the temporary directory when there is none."""
    return page.session.pictures / f"screenshot-{time.strftime('%Y%m%d-%H%M%S')}-{os.urandom(2).hex()}.png"


class Area(NamedTuple):
    """What is pictured: a rectangle in CSS pixels from the page's top left corner, and how many device pixels are one of those.

    `is_seen`: exactly what can be seen without scrolling.
    """

    clip: Clip
    scale: float
    is_seen: bool = False

    @property
    def size(self) -> Size:
        """In device pixels."""
        return Size(_pixels(self.clip.width * self.scale), _pixels(self.clip.height * self.scale))


class Picture(NamedTuple):
    """A file's content, the picture's size in pixels, and the size that the picture would have if it had not been shrunk."""

    content: bytes
    size: Size
    full: Size

    @property
    def shrunk(self) -> str:
        """The picture's size and that it was shrunk, in words; "" for a picture of full size."""
        return f"{self.size}, shrunk from {self.full}" if self.size != self.full else ""

    @property
    def is_small(self) -> bool:
        """Whether text of usual size can hardly be read any more."""
        return self.size.height < self.full.height / 2


async def size_of(page: "PageSession") -> PageSize:
    """How large the page is, and what is seen of it."""
    size: PageSize = await page.world.call("pageSize")
    return size


def whole(size: PageSize) -> Area:
    """The whole page."""
    return Area(Clip(0, 0, size["width"], size["height"]), size["scale"])


def seen(size: PageSize) -> Area:
    """The viewport: what can be seen without scrolling."""
    clip = Clip(size["left"], size["top"], size["seenWidth"], size["seenHeight"])
    return Area(clip, size["scale"], is_seen=True)


def rectangle(size: PageSize, clip: Clip) -> Area:
    """A rectangle of the page, in CSS pixels from its top left corner; what lies outside of the page is left out.

    Raises UsageError where all of it does.
    """
    if clip.x >= size["width"] or clip.y >= size["height"]:
        raise UsageError(f"The rectangle lies outside of the page ({size['width']}x{size['height']})")
    width, height = min(clip.width, size["width"] - clip.x), min(clip.height, size["height"] - clip.y)
    return Area(Clip(clip.x, clip.y, width, height), size["scale"])


async def element(page: "PageSession", target: str) -> Area:
    """One element, in whatever frame and scroll container it is."""
    found, probe = await ready(page, target, frozenset())
    try:
        box = await _box_in_view(page, found, probe)
    except PlaywrightError as error:
        raise failures.translate(error, probe.text) from None
    if box is None:
        raise NotInteractable(f"{probe.text} is hidden", failures.SEE_ELEMENTS)
    size = await size_of(page)
    x, y, width, height = box
    left, top = math.floor(x + size["left"]), math.floor(y + size["top"])
    right, bottom = math.ceil(x + size["left"] + width), math.ceil(y + size["top"] + height)
    return Area(Clip(left, top, right - left, bottom - top), size["scale"])


async def _box_in_view(page: "PageSession", found: Element, probe: Probe) -> Sequence[float] | None:
    """Scroll an element into view. Return its box in the page's viewport; None where it has none."""
    if probe.tag == "form" and found.frame == page.tab.page.main_frame:
        # Playwright asks a form in vain where fields have the names of what it asks for.
        await found.ask("bringIntoView")
        box: Sequence[float] | None = await found.ask("boxOf")
        return box
    await found.locator.scroll_into_view_if_needed(timeout=page.budget(PICTURE_SECONDS))
    return await found.box_in_page(timeout=page.budget(PICTURE_SECONDS))


async def shoot(
    page: "PageSession", kind: str, area: Area, *, side: int = 0, quality: int | None = None
) -> Picture:
    """A picture of an area: "png", "jpeg" or "webp", shrunk so that no side has more than `side` pixels (0: as large as it is).

    `quality` is that of a JPEG or WebP file, 1 to 100.

    Asked of Chromium through our own session: Playwright's would be in its own, unscaled pixels. Chromium draws a shrunk
    picture anew in the smaller size. A PNG is packed for speed: the same picture, in a file up to twice as large.
    """
    await _drawn(page)
    shrink = _shrink(area, side)
    options: dict[str, Any] = {
        "format": kind,
        "captureBeyondViewport": not area.is_seen,
        "optimizeForSpeed": kind == "png",
    }
    if kind != "png" and (quality or kind == "jpeg"):
        options["quality"] = quality or JPEG_QUALITY
    if not area.is_seen or shrink < 1:
        options["clip"] = {**area.clip._asdict(), "scale": shrink}
    if not area.is_seen:
        viewport.hold(page.tab, page.session.screen)
    seconds = min(PICTURE_SECONDS, page.remaining())
    try:
        async with asyncio.timeout(seconds):
            answer = await page.world.session.send("Page.captureScreenshot", options)
    except TimeoutError:
        raise TimedOut(
            f"Chromium did not take the picture in {format_seconds(seconds)}", "Try --viewport or --clip"
        ) from None
    except PlaywrightError as error:
        raise failures.translate(error) from None
    content = await asyncio.to_thread(base64.b64decode, answer["data"])
    return Picture(content, size_within(area, side), area.size)


def size_within(area: Area, side: int) -> Size:
    """The size in pixels of a picture of the area, shrunk so that no side has more than `side`; 0: as large as it is."""
    shrink = _shrink(area, side)
    return Size(*(_pixels(length * area.scale * shrink) for length in area.clip[2:]))


def _shrink(area: Area, side: int) -> float:
    return min(1.0, side / max(area.size)) if side else 1.0


class Tile(NamedTuple):
    """A file that shows a part of a larger picture, its size in pixels, and the part of the page that it shows."""

    path: Path
    size: Size
    clip: Clip


async def save_tiles(
    page: "PageSession", path: Path, area: Area, *, side: int, quality: int | None
) -> list[Tile]:
    """Save an area as pictures of full size, none with more than `side` pixels a side: row by row, from the left.

    Raises UsageError where there would be more than MOST_TILES.
    """
    clips = tiles_of(area, side or max(area.size))
    if len(clips) > MOST_TILES:
        raise UsageError(
            f"That would be {len(clips)} tiles; {MOST_TILES} at most", "--clip x,y,w,h takes a part of the page"
        )
    saved = []
    for number, clip in enumerate(clips, 1):
        picture = await shoot(page, kind_of(path), Area(clip, area.scale), quality=quality)
        tile = path.with_name(f"{path.stem}-{number}{path.suffix}")
        await save(picture, tile)
        saved.append(Tile(tile, picture.size, clip))
    return saved


def tiles_of(area: Area, side: int) -> list[Clip]:
    """An area in rectangles of about one size, none with more than `side` device pixels a side."""
    across, down = (_parts(length, side / area.scale) for length in area.clip[2:])
    return [Clip(area.clip.x + x, area.clip.y + y, width, height) for y, height in down for x, width in across]


def _parts(length: float, most: float) -> list[tuple[float, float]]:
    """(beginning, length) of equal parts of whole CSS pixels, none longer than `most`, the last one shorter."""
    step = max(math.floor(most), 1)
    step = math.ceil(length / math.ceil(length / step))
    return [(start, min(step, length - start)) for start in range(0, math.ceil(length), step)]


def _pixels(length: float) -> int:
    return max(round(length), 1)


async def _drawn(page: "PageSession") -> None:
    """Give fonts and frames that are on their way a moment; what does not come is not in the picture."""
    with suppress(TimeoutError):
        await page.world.within(page.world.call("drawn"), DRAWING_SECONDS)


def kind_of(path: Path) -> str:
    """What kind of picture a file of that name holds: "png", "webp" or "jpeg"."""
    return {".png": "png", ".webp": "webp"}.get(path.suffix.lower(), "jpeg")


async def save(picture: Picture, path: Path) -> None:
    """Write the picture to a file, whole or not at all. Raises FileFailed, Refused."""
    await asyncio.to_thread(write_whole, str(path), picture.content)
