"""Read the pictures of a board, and serve them. Their content decides on their type, never their name."""

import hashlib
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from string import ascii_uppercase

from aiohttp import web

from gstack_browse.errors import FileFailed
from gstack_browse.text.sanitise import one_line
from gstack_browse.workspace.directory import printable_path
from gstack_browse.workspace.files import open_to_read

MOST_PIXELS = 80_000_000
MOST_BYTES = 100_000_000
"""Limit for all pictures of a board together: the daemon holds them, so that a person sees what was asked about."""
SVG = "image/svg+xml"

_KINDS = {
    "PNG": "image/png",
    "JPEG": "image/jpeg",
    "WEBP": "image/webp",
    "GIF": "image/gif",
    "AVIF": "image/avif",
}
_SVG = rb"\A(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]{0,200}\?>\s*|<!--.{0,2000}?-->\s*|<!DOCTYPE[^>\[]{0,300}>\s*)*+<svg[\s>]"
_DEVICE = r"(?i)(?:\A|[^a-z])(phone|mobile|tablet|desktop|browser)(?:[^a-z]|\Z)"
_DEVICES = {"phone": "phone", "mobile": "phone", "tablet": "tablet", "desktop": "browser", "browser": "browser"}
_PHONE_WIDTH = 500
_TABLET_WIDTH = 900


@dataclass(frozen=True)
class BoardPicture:
    """A picture as it was when the board was made.

    `path` has no symbolic links; `kind` is the media type. An SVG has size 0x0.
    """

    label: str
    path: Path
    content: bytes
    kind: str
    width: int
    height: int

    @property
    def name(self) -> str:
        """Return the file's name, without control characters."""
        return one_line(printable_path(self.path.name), 80)

    @property
    def digest(self) -> str:
        """Return the SHA-256 of the content; a gallery sees by it whether the file has changed since."""
        return hashlib.sha256(self.content).hexdigest()

    @property
    def device(self) -> str:
        """Return the device whose frame is drawn around the picture: "phone", "tablet" or "browser".

        The file's name decides (`responsive` writes such names), else the width.
        """
        if named := re.search(_DEVICE, self.path.stem):
            return _DEVICES[named[1].lower()]
        if 0 < self.width <= _PHONE_WIDTH:
            return "phone"
        return "tablet" if 0 < self.width <= _TABLET_WIDTH else "browser"


def read_pictures(paths: Sequence[Path]) -> list[BoardPicture]:
    """Read picture files for a board, and label them A, B, C … in order.

    Raises FileFailed if a file is unreadable, damaged, of another kind, or too large; Refused if a path is not
    allowed.
    """
    found: list[BoardPicture] = []
    left = MOST_BYTES
    for label, path in zip(ascii_uppercase, paths, strict=False):
        with open_to_read(str(path)) as file:
            content = file.read(left + 1)
        left -= len(content)
        if left < 0:
            raise FileFailed(
                f"The pictures have more than {MOST_BYTES // 1_000_000} MB together",
                "Compare fewer at once, or save them as JPEG or WebP",
            )
        kind, width, height = _inspect_picture(content, printable_path(path.name))
        found.append(BoardPicture(label, path, content, kind, width, height))
    return found


def detect_media_type(content: bytes, name: str) -> str:
    """Return a picture's media type, such as `image/png`. Raises FileFailed if a board cannot show it.

    `name`: for messages.
    """
    return _inspect_picture(content, name)[0]


def _inspect_picture(content: bytes, name: str) -> tuple[str, int, int]:
    """Return (media type, width, height) of a picture without decoding its pixels; 0 for an SVG's sides.

    Raises FileFailed for another file, or one that is too large.
    """
    if re.match(_SVG, content[:8192], re.S | re.I):
        return SVG, 0, 0
    from PIL import Image  # 20 ms, and few daemons ever open a board

    shrink = f"At most {MOST_PIXELS // 1_000_000} million pixels: shrink it"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            with Image.open(BytesIO(content), formats=tuple(_KINDS)) as image:
                kind, (width, height) = _KINDS[str(image.format)], image.size
                image.verify()
    except Image.DecompressionBombError:
        raise FileFailed(f"{name} is too large for a board", shrink) from None
    except Exception:  # noqa: BLE001 - what Pillow raises for damaged files is not documented
        raise FileFailed(
            f"{name} is no picture that can be shown, or is damaged",
            "A board shows PNG, JPEG, WebP, GIF, AVIF and SVG files",
        ) from None
    if width * height > MOST_PIXELS:
        raise FileFailed(f"{name} is too large for a board: {width}x{height} pixels", shrink)
    return kind, width, height


_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; sandbox"
"""An SVG file is a document that may have scripts. In an <img> none runs; this forbids them when it is opened by itself."""


def picture_response(content: bytes, kind: str) -> web.Response:
    """Return an HTTP response with a picture of media type `kind`; an SVG gets a policy against scripts."""
    headers = {"Content-Security-Policy": _POLICY} if kind == SVG else {}
    return web.Response(body=content, content_type=kind, headers=headers)
