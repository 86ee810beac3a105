"""Take pictures of pages, and save them completely or not at all."""

import asyncio
import base64
import math
import os
import shlex
import time
from collections.abc import Awaitable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from gstack_browse.browser.actions.locate.find import Box, Element
from gstack_browse.browser.actions.locate.page_points import measure_box_in_page
from gstack_browse.browser.actions.readiness import wait_until_ready
from gstack_browse.browser.cdp.session import ProtocolError, read_stream
from gstack_browse.browser.command.page import PageCommand
from gstack_browse.browser.engine import failures
from gstack_browse.browser.engine.answer_types import PageSize
from gstack_browse.browser.engine.messages import FrameGone
from gstack_browse.browser.launch.scratch import explain_full_disk
from gstack_browse.browser.tab import viewport
from gstack_browse.errors import Hidden, TimedOut, UsageError
from gstack_browse.registry.arguments import PAPERS
from gstack_browse.registry.values.measures import Clip, Size
from gstack_browse.text.sanitise import element_name, one_line
from gstack_browse.text.units import format_seconds
from gstack_browse.workspace.files import write_whole

PICTURE_SECONDS = 20.0
DRAWING_SECONDS = 0.5
DECODED_AT_ONCE = 1_000_000
"""Characters of base64 that are decoded in less time than another thread takes to begin."""
JPEG_QUALITY = 90
MOST_TILES = 40
STILL_SECONDS = 5.0
"""How long the end of an animation that moves an element is waited for."""
RESTORE_SECONDS = 1.0
"""How long a page may take to scroll back after a picture, on a machine that is not busy."""
NO_LAYOUT = "does not have a layout object"
"""What Chromium says of an element that is not rendered."""


def default_path(page: PageCommand) -> Path:
    """Return a new path for a screenshot, in the context's folder for pictures."""
    return page.context.pictures / f"screenshot-{time.strftime('%Y%m%d-%H%M%S')}-{os.urandom(2).hex()}.png"


class Area(NamedTuple):
    """The part of a page in a picture: a rectangle in CSS pixels from the page's top left corner.

    `scale`: device pixels per CSS pixel. `is_viewport`: exactly what is visible without scrolling.
    """

    clip: Clip
    scale: float
    is_viewport: bool = False

    @property
    def size(self) -> Size:
        """Return the size of the area in device pixels."""
        return Size(_whole_pixels(self.clip.width * self.scale), _whole_pixels(self.clip.height * self.scale))


class Picture(NamedTuple):
    """Content of a file, its size in pixels, and the size that it would have without shrinking."""

    content: bytes
    size: Size
    full: Size

    @property
    def shrunk(self) -> str:
        """Describe how far the picture was shrunk: `400x300, shrunk from 1600x1200`; "" if it was not."""
        return f"{self.size}, shrunk from {self.full}" if self.size != self.full else ""


async def measure_page(page: PageCommand) -> PageSize:
    """Measure page and viewport before a picture: sizes, scroll position, device scale.

    Waits up to DRAWING_SECONDS for fonts and frames that are loading; what comes later is not in the picture.
    """
    size: PageSize
    try:
        size = await page.world.run_with_timeout(page.world.call("measurePageOnceDrawn"), DRAWING_SECONDS)
    except TimeoutError:
        size = await page.world.call("measurePage")
    return size


async def describe_cut_pane(page: PageCommand) -> str:
    """Return a remark if the page scrolls in a pane, of which a picture shows only a part; else ""."""
    pane: list[int] | None = await page.world.call("findPagePane")
    if pane is None:
        return ""
    name = element_name(await page.world.call("describeElement", pane[0]) or "a pane")
    return f"{name} scrolls, and is not wholly on it: {pane[1]} of {pane[2]} pixels (a higher 'viewport' may show all)"


def whole_page_area(size: PageSize) -> Area:
    """Return the whole page as the area of a picture.

    Where the viewport shows all of it, it is the area of the viewport: Chromium pictures that in two thirds of the time.
    """
    whole = Clip(0, 0, size["width"], size["height"])
    return Area(whole, size["scale"], is_viewport=viewport_area(size).clip == whole)


def viewport_area(size: PageSize) -> Area:
    """Return the viewport as the area of a picture: what is visible without scrolling."""
    clip = Clip(size["left"], size["top"], size["seenWidth"], size["seenHeight"])
    return Area(clip, size["scale"], is_viewport=True)


def rectangle_area(size: PageSize, clip: Clip) -> Area:
    """Return the part of a rectangle that is in the page, as the area of a picture.

    Raises UsageError if it is outside of the page.
    """
    if clip.x >= size["width"] or clip.y >= size["height"]:
        raise UsageError(f"The rectangle lies outside of the page ({size['width']}x{size['height']})")
    width, height = min(clip.width, size["width"] - clip.x), min(clip.height, size["height"] - clip.y)
    return Area(Clip(clip.x, clip.y, width, height), size["scale"])


async def element_area(page: PageCommand, target: str) -> Area:
    """Scroll an element into view, in whatever frame it is. Return it as the area of a picture."""
    found, probe = await wait_until_ready(page, target, frozenset())
    try:
        box = await _box_in_view(found, page.wait_seconds(STILL_SECONDS))
    except ProtocolError as error:
        raise failures.translate(error, probe.name) from None
    if box is None:
        raise Hidden(f"{probe.name} is hidden", failures.SEE_ELEMENTS)
    size = await measure_page(page)
    x, y, width, height = box
    left, top = math.floor(x + size["left"]), math.floor(y + size["top"])
    right, bottom = math.ceil(x + size["left"] + width), math.ceil(y + size["top"] + height)
    # of an area that begins outside of the page Chromium pictures another one
    left, top = max(left, 0), max(top, 0)
    if right <= left or bottom <= top or left >= size["width"] or top >= size["height"]:
        raise Hidden(f"{probe.name} is outside of the page, where no scrolling leads", failures.SEE_ELEMENTS)
    return Area(Clip(left, top, right - left, bottom - top), size["scale"])


async def _box_in_view(found: Element, seconds: float) -> Box | None:
    """Scroll an element into view, after waiting up to `seconds` for its motion to end.

    Return its box in the page's viewport; None if it has none.
    """
    await found.ask("waitForMotionEnd", round(seconds * 1000))
    try:
        await found.send("DOM.scrollIntoViewIfNeeded")
    except ProtocolError as error:
        if NO_LAYOUT in error.message:
            return None
        raise
    return await measure_box_in_page(found)


async def take_screenshot(
    page: PageCommand, kind: str, area: Area, *, side: int = 0, quality: int | None = None
) -> Picture:
    """Take a picture of an area that was just measured.

    Args:
        kind: "png" (packed for speed, so up to twice as large), "jpeg" or "webp"
        side: limit of its longer side in pixels, 0 for none; Chromium draws a shrunk picture anew
        quality: of a JPEG or WebP file, 1 to 100
    """
    shrink = _shrink_scale(area, side)
    options: dict[str, Any] = {
        "format": kind,
        "captureBeyondViewport": not area.is_viewport,
        "optimizeForSpeed": kind == "png",
    }
    if kind != "png" and (quality or kind == "jpeg"):
        options["quality"] = quality or JPEG_QUALITY
    if not area.is_viewport or shrink < 1:
        options["clip"] = {**area.clip._asdict(), "scale": shrink}
    if not area.is_viewport:
        viewport.fix_size(page.tab)
    seconds = min(PICTURE_SECONDS, page.remaining())
    taking = page.world.session.send("Page.captureScreenshot", options)
    try:
        async with asyncio.timeout(seconds):
            answer = await asyncio.shield(taking)
    except TimeoutError:
        if sheets := [entry for entry in page.tab.requests.pending if entry.kind == "stylesheet"]:
            raise _style_sheet_error(sheets[0].url, seconds) from None
        if seconds < PICTURE_SECONDS:
            raise  # the command's own deadline, of which the reason is found
        raise TimedOut(
            f"Chromium did not take the picture in {format_seconds(seconds)}", "Try --viewport or --clip"
        ) from None
    finally:
        if not taking.done():
            page.context.background.start(_restore_page(page, taking))
    if not area.is_viewport:
        await _restore_scroll(page)
    decode = partial(base64.b64decode, answer["data"])
    content = decode() if len(answer["data"]) < DECODED_AT_ONCE else await asyncio.to_thread(decode)
    return Picture(content, shrunk_size(area, side), area.size)


def _style_sheet_error(url: str, seconds: float) -> TimedOut:
    """Return the error for a page that draws nothing while it waits for a style sheet, named by its URL."""
    late = f"Chromium did not take the picture in {format_seconds(seconds)}: the page waits for a style sheet"
    site = one_line(url, 300)
    return TimedOut(
        f"{late}, {site}", f"To do without it: gbrowse route {shlex.quote(site)} --abort; gbrowse reload"
    )


async def _restore_scroll(page: PageCommand) -> None:
    """Scroll the page back after a picture. If it hangs, note that in the reply, and keep the picture."""
    try:
        async with asyncio.timeout(page.remaining()):
            await page.world.run_with_timeout(page.world.call("restoreScroll"), RESTORE_SECONDS)
    except TimeoutError:
        page.notes.append("The page has not answered since the picture: it may be scrolled elsewhere")


async def _restore_page(page: PageCommand, taking: Awaitable[object]) -> None:
    """Wait for a picture that Chromium takes too late, then restore the page's size and scroll position.

    Chromium sets the size back only after the picture: see `viewport.fix_size`.
    """
    with suppress(ProtocolError, FrameGone):
        await taking
        viewport.fix_size(page.tab)
        await page.world.call("restoreScroll")


def shrunk_size(area: Area, side: int) -> Size:
    """Return the pixel size of the area's picture, shrunk to at most `side` pixels a side (0: no limit)."""
    shrink = _shrink_scale(area, side)
    return Size(*(_whole_pixels(length * area.scale * shrink) for length in area.clip[2:]))


def _shrink_scale(area: Area, side: int) -> float:
    """Return the factor (0 to 1) that makes an area's longer side `side` pixels at most (0: no limit)."""
    return min(1.0, side / max(area.size)) if side else 1.0


class Tile(NamedTuple):
    """A file with a part of a larger picture, its size in pixels, and that part of the page."""

    path: Path
    size: Size
    clip: Clip


async def save_tiles(
    page: PageCommand, path: Path, area: Area, *, side: int, quality: int | None
) -> list[Tile]:
    """Save an area as unscaled tiles, each at most `side` pixels wide and high (0: no limit).

    The files are `path` with a number, row by row. `quality`: of JPEG or WebP, 1 to 100; None for the default.
    Raises UsageError for more than MOST_TILES.
    """
    clips = split_into_tiles(area, side or max(area.size))
    if len(clips) > MOST_TILES:
        raise UsageError(
            f"That would be {len(clips)} tiles; {MOST_TILES} at most", "--clip x,y,w,h takes a part of the page"
        )
    saved = []
    for number, clip in enumerate(clips, 1):
        picture = await take_screenshot(page, picture_format(path), Area(clip, area.scale), quality=quality)
        tile = path.with_name(f"{path.stem}-{number}{path.suffix}")
        await save_picture(picture, tile)
        saved.append(Tile(tile, picture.size, clip))
    return saved


def split_into_tiles(area: Area, side: int) -> list[Clip]:
    """Split an area into rectangles of about equal size, with at most `side` device pixels a side."""
    across, down = (_split_length(length, side / area.scale) for length in area.clip[2:])
    return [Clip(area.clip.x + x, area.clip.y + y, width, height) for y, height in down for x, width in across]


def _split_length(length: float, most: float) -> list[tuple[float, float]]:
    """Split a length in CSS pixels into equal parts of at most `most`. Return [(start, length)].

    The last part may be shorter. All lengths but the last are whole numbers.
    """
    step = max(math.floor(most), 1)
    step = math.ceil(length / math.ceil(length / step))
    return [(start, min(step, length - start)) for start in range(0, math.ceil(length), step)]


def _whole_pixels(length: float) -> int:
    """Round a length to whole pixels as Chromium does, half a pixel up; at least 1."""
    return max(math.floor(length + 0.5), 1)


def picture_format(path: Path) -> str:
    """Return the picture format that a file name's ending means: "png", "webp" or, for any other, "jpeg"."""
    return {".png": "png", ".webp": "webp"}.get(path.suffix.lower(), "jpeg")


async def save_picture(picture: Picture, path: Path) -> None:
    """Write the picture to a file, completely or not at all. Raises FileFailed, Refused."""
    await asyncio.to_thread(write_whole, str(path), picture.content)


PRINT_SECONDS = 25.0


async def save_pdf_page(page: PageCommand, number: int, path: Path | None, side: int) -> Path:
    """Save a picture of a page of the PDF document that the tab shows. Return its path.

    `number`: of the page, from 1. `side`: longest side in pixels. Raises NoMatch for a page that the document
    does not have, ActionFailed if it cannot be drawn, UsageError if the tab shows no PDF document.
    """
    page.context.pdfs.require_shown(page.tab.url, "--page")
    path = path or default_path(page)
    kind = picture_format(path)
    picture = await page.context.pdfs.draw_page(page.tab.url, number, side, kind)
    await asyncio.to_thread(write_whole, str(path), picture)
    return path


def default_pdf_path(page: PageCommand) -> Path:
    """Return a new path for a PDF file, in the context's folder for pictures."""
    return page.context.pictures / f"page-{time.strftime('%Y%m%d-%H%M%S')}-{os.urandom(2).hex()}.pdf"


USUAL_PAPER = "A4"
NO_MARGINS = dict.fromkeys(("marginTop", "marginRight", "marginBottom", "marginLeft"), 0)
"""Margins come from the style sheet alone (`@page { margin }`). Chromium's default is a centimetre."""


async def save_pdf(
    page: PageCommand, path: Path, *, paper: str | None, landscape: bool, background: bool
) -> None:
    """Print the page to a PDF file, by its print style sheet.

    `paper`: such as A5; None for what the style sheet says (`@page { size }`), else USUAL_PAPER.
    """
    width, height = PAPERS[paper or USUAL_PAPER]
    seconds = min(PRINT_SECONDS, page.remaining())
    try:
        async with asyncio.timeout(seconds):
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
        if seconds < PRINT_SECONDS:
            raise  # the command's own deadline, of which the reason is found
        raise TimedOut("Chromium did not print the page in time", "Run 'wait --load' first") from None
    except ProtocolError as error:
        full = (
            explain_full_disk() if page.context.running.shares_disk else None
        )  # Chromium writes the file to this disk first
        raise full or failures.translate(error) from None
    await asyncio.to_thread(write_whole, str(path), content)
