"""Reads pictures for boards. The kind of a file is found by its content, never by its name."""

import hashlib
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from gstack_browse.errors import FileFailed
from gstack_browse.files import opened
from gstack_browse.text.sanitise import one_line
from gstack_browse.workspace import shown

MOST_PIXELS = 80_000_000
MOST_BYTES = 100_000_000
"""Of all pictures of a board: the daemon holds them until the board is answered, so that a person sees what was asked about."""
SVG = "image/svg+xml"

_KINDS = {
    "PNG": "image/png",
    "JPEG": "image/jpeg",
    "WEBP": "image/webp",
    "GIF": "image/gif",
    "AVIF": "image/avif",
}
_SVG = rb"\A(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]{0,200}\?>\s*|<!--.{0,2000}?-->\s*|<!DOCTYPE[^>\[]{0,300}>\s*)*<svg[\s>]"
_DEVICE = r"(?i)(?:\A|[^a-z])(phone|mobile|tablet|desktop|browser)(?:[^a-z]|\Z)"
_DEVICES = {"phone": "phone", "mobile": "phone", "tablet": "tablet", "desktop": "browser", "browser": "browser"}
_PHONE_WIDTH = 500
_TABLET_WIDTH = 900


@dataclass(frozen=True)
class BoardPicture:
    """A picture as it was when the board was made. `path` is a real one; an SVG has no size (0x0)."""

    label: str
    path: Path
    content: bytes
    kind: str
    width: int
    height: int

    @property
    def name(self) -> str:
        """The file's name, without control characters."""
        return one_line(shown(self.path.name), 80)

    @property
    def digest(self) -> str:
        """SHA-256, by which the picture can be told from a later one of that name."""
        return hashlib.sha256(self.content).hexdigest()

    @property
    def device(self) -> str:
        """The device in whose frame the page shows the picture: by the file's name (`responsive` writes such names), else by the width."""
        if named := re.search(_DEVICE, self.path.stem):
            return _DEVICES[named[1].lower()]
        if 0 < self.width <= _PHONE_WIDTH:
            return "phone"
        return "tablet" if 0 < self.width <= _TABLET_WIDTH else "browser"


def labels(count: int) -> Sequence[str]:
    """A, B, C …"""
    return [chr(ord("A") + number) for number in range(count)]


def read(paths: Sequence[Path]) -> list[BoardPicture]:
    """The pictures in these files, labelled in order. Raises FileFailed, and Refused."""
    found: list[BoardPicture] = []
    left = MOST_BYTES
    for label, path in zip(labels(len(paths)), paths, strict=True):
        with opened(str(path)) as file:
            content = file.read(left + 1)
        left -= len(content)
        if left < 0:
            raise FileFailed(
                f"The pictures have more than {MOST_BYTES // 1_000_000} MB together",
                "Compare fewer at once, or save them as JPEG or WebP",
            )
        kind, width, height = _looked_at(content, shown(path.name))
        found.append(BoardPicture(label, path, content, kind, width, height))
    return found


def picture_kind(content: bytes, name: str) -> str:
    """The media type of a picture. Raises FileFailed for what is none."""
    return _looked_at(content, name)[0]


def _looked_at(content: bytes, name: str) -> tuple[str, int, int]:
    """Media type, width and height. The pixels are left to the person's browser."""
    if re.match(_SVG, content[:8192], re.S | re.I):
        return SVG, 0, 0
    from PIL import Image  # 20 ms of every start, and few ever compare

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            with Image.open(BytesIO(content), formats=tuple(_KINDS)) as image:
                kind, (width, height) = _KINDS[str(image.format)], image.size
                image.verify()
    except Image.DecompressionBombError:
        raise _too_large(name) from None
    except Exception:  # noqa: BLE001 - what Pillow raises for damaged files is not documented
        raise FileFailed(
            f"{name} is no picture that can be shown, or is damaged",
            "A board shows PNG, JPEG, WebP, GIF, AVIF and SVG files",
        ) from None
    if width * height > MOST_PIXELS:
        raise _too_large(name, f": {width}x{height} pixels")
    return kind, width, height


def _too_large(name: str, size: str = "") -> FileFailed:
    return FileFailed(
        f"{name} is too large for a board{size}",
        f"At most {MOST_PIXELS // 1_000_000} million pixels: shrink it",
    )
