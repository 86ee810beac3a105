"""Draw the pictures of a film: the page's own, and on it pointer, ring, captions and titles.

Everything is drawn into pictures that were taken before; pages never see it.
"""

from bisect import bisect_right
from functools import lru_cache
from io import BytesIO
from typing import BinaryIO, NamedTuple

from PIL import Image, ImageDraw, ImageFont

from gstack_browse.documents.film.timeline import RING_STEPS, Action, Moment, Point, Shot, Timeline

MOST_PIXELS = 4_000_000
"""A larger picture in a take is none that was filmed."""
BACKGROUND = (24, 26, 30)
RING = (255, 90, 30)
_ARROW = ((0, 0), (0, 17), (4, 13), (7, 20), (10, 19), (7, 12), (12, 12))
"""Corners of the pointer, in pixels from its tip."""
_FONTS = ("NotoSansCJK-Regular.ttc", "NotoSans-Regular.ttf", "DejaVuSans.ttf", "Arial Unicode.ttf")
"""For captions with letters that Pillow's own font lacks."""
Font = ImageFont.FreeTypeFont | ImageFont.ImageFont


class PlacedPicture(NamedTuple):
    """A page's picture on the film's canvas. `scale`: pixels of the canvas for a CSS pixel."""

    image: Image.Image
    left: int
    top: int
    scale: float

    def to_canvas(self, point: Point) -> tuple[float, float]:
        """Convert a point of the viewport (CSS pixels) to (x, y) on the film's canvas, in pixels."""
        return self.left + point.x * self.scale, self.top + point.y * self.scale


class Drawer:
    """Draws the moments of one film. Keeps the last picture decoded."""

    def __init__(self, take: BinaryIO, timeline: Timeline) -> None:
        self._take = take
        self._timeline = timeline
        self._last: tuple[int, PlacedPicture] | None = None

    def draw(self, moment: Moment) -> Image.Image:
        """Draw a frame of the film in RGB: the page's picture with captions, title, pointer and ring."""
        placed = self.page_picture(moment.shot)
        image = placed.image.copy()
        if moment.ring and moment.ring_at:
            draw_ring(image, placed.to_canvas(moment.ring_at), moment.ring)
        if moment.pointer:
            draw_pointer(image, placed.to_canvas(moment.pointer))
        if moment.captions:
            strip = _caption_image(moment.captions, image.width)
            image.paste(strip, (0, image.height - strip.height), strip)
        if moment.title:
            title = _title_image(moment.title, image.width)
            image.paste(title, ((image.width - title.width) // 2, image.height // 12), title)
        return image

    def page_picture(self, index: int) -> PlacedPicture:
        """Return the page's picture number `index` on a canvas of the film's size; blank without a picture."""
        if self._last is None or self._last[0] != index:
            self._last = index, self._place_picture(index)
        return self._last[1]

    def _place_picture(self, index: int) -> PlacedPicture:
        """Draw the page's picture number `index` into the middle of a canvas of the film's size."""
        size = self._timeline.width, self._timeline.height
        canvas = Image.new("RGB", size, BACKGROUND)
        shots = self._timeline.shots
        picture = decode_picture(self._take, shots[index]) if index < len(shots) else None
        if picture is None:
            return PlacedPicture(canvas, 0, 0, 1.0)
        if picture.width > size[0] or picture.height > size[1]:
            picture.thumbnail(size)
        left, top = (size[0] - picture.width) // 2, (size[1] - picture.height) // 2
        canvas.paste(picture, (left, top))
        return PlacedPicture(canvas, left, top, picture.width / shots[index].width)


def decode_picture(take: BinaryIO, shot: Shot) -> Image.Image | None:
    """Return a page's picture from the take (file of what was filmed); None if it is no JPEG or too large.

    `shot`: says where the picture is in the file.
    """
    take.seek(shot.offset)
    try:
        picture = Image.open(BytesIO(take.read(shot.size)), formats=["JPEG"])
        return picture.convert("RGB") if picture.width * picture.height <= MOST_PIXELS else None
    except (OSError, ValueError, SyntaxError):
        return None


@lru_cache(maxsize=32)
def find_font(size: int, *, is_latin: bool) -> Font:
    """Return a font `size` pixels high: the system's; Pillow's own if `is_latin` or the system has none."""
    for name in () if is_latin else _FONTS:
        try:
            return ImageFont.truetype(name, size)
        except OSError:
            continue
    return ImageFont.load_default(size)


def find_font_for(text: str, size: int) -> Font:
    """Return a font of that height in pixels which can show a text, if the system has one."""
    return find_font(size, is_latin=all(ord(letter) < 0x250 or letter in "…–—’" for letter in text))


def shorten_text(text: str, font: Font, width: float) -> str:
    """Return the text, or as much of its beginning as fits into that many pixels, with an ellipsis."""
    if font.getlength(text) <= width:
        return text
    return text[: count_fitting(text, font, width - font.getlength("…"))].rstrip() + "…"


def count_fitting(text: str, font: Font, width: float) -> int:
    """Return how many of the first characters of a text fit into that many pixels."""
    return bisect_right(range(1, len(text) + 1), width, key=lambda end: font.getlength(text[:end]))


def draw_ring(image: Image.Image, at: tuple[float, float], step: int) -> None:
    """Draw a ring around the point (pixels) of a mouse press. It grows from step 1 to RING_STEPS."""
    radius = 8 + 22 * step / RING_STEPS
    draw = ImageDraw.Draw(image)
    for width, colour in ((6, "white"), (3, RING)):
        box = (at[0] - radius, at[1] - radius, at[0] + radius, at[1] + radius)
        draw.ellipse(box, outline=colour, width=width)


def draw_pointer(image: Image.Image, at: tuple[float, float]) -> None:
    """Draw the mouse pointer with its tip at a point (pixels)."""
    image.paste(_pointer_image(), (round(at[0]), round(at[1])), _pointer_image())


@lru_cache(maxsize=1)
def _pointer_image() -> Image.Image:
    """Return a picture of the mouse pointer, with its tip in the top left corner.

    It is drawn larger first so that its edges are smooth.
    """
    large = Image.new("RGBA", (4 * 16, 4 * 24))
    corners = [(4 * x + 2, 4 * y + 2) for x, y in _ARROW]
    draw = ImageDraw.Draw(large)
    draw.polygon(corners, fill="black", outline="white", width=5)
    return large.resize((16, 24), Image.Resampling.LANCZOS)


@lru_cache(maxsize=8)
def _caption_image(captions: tuple[Action, ...], width: int) -> Image.Image:
    """Return a strip of that width with the captions one below the other, the last one brightest."""
    size = max(width // 64, 12)
    line = round(size * 1.7)
    strip = Image.new("RGBA", (width, line * len(captions) + size // 2), (*BACKGROUND, 205))
    draw = ImageDraw.Draw(strip)
    for index, action in enumerate(captions):
        is_last = index == len(captions) - 1
        text = f"{action.caption}  failed" if action.is_failed else action.caption
        font = find_font_for(text, size)
        colour = (255, 130, 110) if action.is_failed else (255, 255, 255) if is_last else (170, 174, 182)
        shown = shorten_text(text, font, width - 2 * size)
        draw.text((size, size // 4 + line * (index + 0.5)), shown, fill=colour, font=font, anchor="lm")
    return strip


@lru_cache(maxsize=2)
def _title_image(title: str, width: int) -> Image.Image:
    """Return a box with a title, for a film of that width."""
    size = max(width // 36, 16)
    font = find_font_for(title, size)
    shown = shorten_text(title, font, width * 0.8)
    box = Image.new("RGBA", (round(font.getlength(shown)) + 3 * size, 3 * size), (*BACKGROUND, 225))
    ImageDraw.Draw(box).text((box.width / 2, box.height / 2), shown, fill="white", font=font, anchor="mm")
    return box
