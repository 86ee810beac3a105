"""Takes pictures of pages and saves them whole or not at all."""

import asyncio
import os
import secrets
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from playwright.async_api import Error as PlaywrightError

from gstack_browse.browser import failures
from gstack_browse.browser.act import ready
from gstack_browse.errors import FileFailed, UsageError
from gstack_browse.registry.arguments import Clip

if TYPE_CHECKING:
    from gstack_browse.browser.page import PageSession

PICTURE_SECONDS = 20.0


def default_path(page: "PageSession") -> Path:
    """A new file name under `.gstack/` of the workspace, or the temporary directory when there is none."""
    return page.session.pictures / f"screenshot-{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(2)}.png"


async def whole(page: "PageSession", path: Path, *, full: bool) -> None:
    """The whole page, or its viewport."""
    await _save(await _shoot(page, page.tab.page.screenshot, path, full_page=full), path)


async def rectangle(page: "PageSession", clip: Clip, path: Path) -> None:
    """A rectangle of the page, in CSS pixels from its top left corner."""
    size = await page.world.call("pageSize")
    if clip.x >= size["width"] or clip.y >= size["height"]:
        raise UsageError(f"The rectangle lies outside of the page ({size['width']}x{size['height']})")
    await _save(await _shoot(page, page.tab.page.screenshot, path, full_page=True, clip=clip._asdict()), path)


async def element(page: "PageSession", target: str, path: Path) -> None:
    """One element."""
    found, _ = await ready(page, target, frozenset())
    await _save(await _shoot(page, found.locator.screenshot, path), path)


def _kind(path: Path) -> Literal["png", "jpeg"]:
    return "png" if path.suffix.lower() in (".png", ".webp") else "jpeg"


async def _shoot(page: "PageSession", shoot: Any, path: Path, **options: Any) -> bytes:
    try:
        picture: bytes = await shoot(
            type=_kind(path), timeout=page.budget(PICTURE_SECONDS), animations="allow", **options
        )
    except PlaywrightError as error:
        raise failures.translate(error) from None
    return await asyncio.to_thread(_as_webp, picture) if path.suffix.lower() == ".webp" else picture


def _as_webp(picture: bytes) -> bytes:
    """Chromium writes WebP only by a protocol call that cannot picture elements, so it is converted."""
    import io

    from PIL import Image

    out = io.BytesIO()
    Image.open(io.BytesIO(picture)).save(out, "WEBP", lossless=True)
    return out.getvalue()


async def _save(content: bytes, path: Path) -> None:
    await asyncio.to_thread(write_whole, path, content)


def write_whole(path: Path, content: bytes) -> None:
    """Write a file under a temporary name beside it, then rename it: nobody ever sees half of it.

    The rename replaces a symbolic link instead of following it. Raises FileFailed.
    """
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
            os.replace(draft, path)
        except BaseException:
            draft.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise FileFailed(f"Cannot write {path}: {error.strerror}") from None
