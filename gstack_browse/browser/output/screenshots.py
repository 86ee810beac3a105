"""Takes pictures of pages and saves them whole or not at all."""

import asyncio
import base64
import math
import os
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gstack_browse.browser.cdp.playwright_names import Error as PlaywrightError
from gstack_browse.browser.engine import failures
from gstack_browse.browser.input.readiness import ready
from gstack_browse.errors import NotInteractable, TimedOut, UsageError
from gstack_browse.files import write_whole
from gstack_browse.registry.arguments import Clip
from gstack_browse.text.columns import shown_seconds

if TYPE_CHECKING:
    from gstack_browse.browser.tabs.page import PageSession

PICTURE_SECONDS = 20.0
DRAWING_SECONDS = 0.5
JPEG_QUALITY = 90


def default_path(page: "PageSession") -> Path:
    """A new file name under `.gstack/` of the workspace, or the temporary directory when there is none."""
    return page.session.pictures / f"screenshot-{time.strftime('%Y%m%d-%H%M%S')}-{os.urandom(2).hex()}.png"


async def whole(page: "PageSession", path: Path, *, full: bool) -> None:
    """The whole page, or its viewport."""
    area = None
    if full:
        size = await page.world.call("pageSize")
        area = Clip(0, 0, size["width"], size["height"])
    await _save(await shoot(page, _kind(path), area), path)


async def rectangle(page: "PageSession", clip: Clip, path: Path) -> None:
    """A rectangle of the page, in CSS pixels from its top left corner; what lies outside of the page is left out."""
    size = await page.world.call("pageSize")
    if clip.x >= size["width"] or clip.y >= size["height"]:
        raise UsageError(f"The rectangle lies outside of the page ({size['width']}x{size['height']})")
    inside = Clip(
        clip.x, clip.y, min(clip.width, size["width"] - clip.x), min(clip.height, size["height"] - clip.y)
    )
    await _save(await shoot(page, _kind(path), inside), path)


async def element(page: "PageSession", target: str, path: Path) -> None:
    """One element, in whatever frame and scroll container it is."""
    found, probe = await ready(page, target, frozenset())
    try:
        await found.locator.scroll_into_view_if_needed(timeout=page.budget(PICTURE_SECONDS))
        box = await found.locator.bounding_box(timeout=page.budget(PICTURE_SECONDS))
    except PlaywrightError as error:
        raise failures.translate(error, probe.text) from None
    if box is None:
        raise NotInteractable(f"{probe.text} is hidden", failures.SEE_ELEMENTS)
    size = await page.world.call("pageSize")
    left, top = math.floor(box["x"] + size["left"]), math.floor(box["y"] + size["top"])
    right = math.ceil(box["x"] + size["left"] + box["width"])
    bottom = math.ceil(box["y"] + size["top"] + box["height"])
    await _save(await shoot(page, _kind(path), Clip(left, top, right - left, bottom - top)), path)


async def shoot(page: "PageSession", kind: str, area: Clip | None = None) -> bytes:
    """A picture of an area of the page (CSS pixels from its top left corner), or of the viewport, as a file's content.

    Asked of Chromium through our own session: Playwright's would be in its own, unscaled pixels. A PNG is packed
    for speed: the same picture, in a file up to twice as large.
    """
    await _drawn(page)
    options: dict[str, Any] = {
        "format": kind,
        "captureBeyondViewport": area is not None,
        "optimizeForSpeed": kind == "png",
    }
    if kind == "jpeg":
        options["quality"] = JPEG_QUALITY
    if area:
        options["clip"] = {**area._asdict(), "scale": 1}
    try:
        async with asyncio.timeout(min(PICTURE_SECONDS, page.remaining())):
            answer = await page.world.session.send("Page.captureScreenshot", options)
    except TimeoutError:
        raise TimedOut(
            f"Chromium did not take the picture in {shown_seconds(PICTURE_SECONDS)}", "Try --viewport or --clip"
        ) from None
    except PlaywrightError as error:
        raise failures.translate(error) from None
    return await asyncio.to_thread(base64.b64decode, answer["data"])


async def _drawn(page: "PageSession") -> None:
    """Give fonts and frames that are on their way a moment; what does not come is not in the picture."""
    with suppress(TimeoutError):
        async with asyncio.timeout(DRAWING_SECONDS):
            await page.world.call("drawn")


def _kind(path: Path) -> str:
    return {".png": "png", ".webp": "webp"}.get(path.suffix.lower(), "jpeg")


async def _save(content: bytes, path: Path) -> None:
    await asyncio.to_thread(write_whole, str(path), content)
