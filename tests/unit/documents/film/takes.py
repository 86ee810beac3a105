"""Takes made for tests: pictures of one colour each, with what commands did."""

from collections.abc import Mapping
from io import BytesIO
from typing import Any

from PIL import Image

from gstack_browse.documents.film.take import pack_record

RED, GREEN, BLUE = (200, 20, 20), (20, 160, 20), (20, 20, 200)
Colour = tuple[int, int, int]


def picture(colour: Colour, size: tuple[int, int] = (640, 360)) -> bytes:
    """Return a JPEG file of one colour."""
    out = BytesIO()
    Image.new("RGB", size, colour).save(out, "JPEG", quality=90)
    return out.getvalue()


def begin(**facts: Any) -> bytes:
    return record("begin", 0, {"fps": 10, "width": 640, "height": 360, "file": "/tmp/film.webm", **facts})


def record(kind: str, at: float, facts: Mapping[str, Any] | None = None, content: bytes = b"") -> bytes:
    return pack_record({"kind": kind, "at": at, **(facts or {})}, content)


def shot(at: float, colour: Colour, width: float = 1280, *, drawn: bool = False) -> bytes:
    """Return a picture. drawn: the page had drawn what the action before it did"""
    return record("picture", at, {"width": width, "drawn": drawn}, picture(colour))


def action(began: float, ended: float, caption: str, **facts: Any) -> bytes:
    return record("action", ended, {"began": began, "caption": caption, **facts})


def press(at: float, x: float, y: float) -> bytes:
    return record("pointer", at, {"x": x, "y": y, "press": True})
