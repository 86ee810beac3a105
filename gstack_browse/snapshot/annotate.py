"""Draw boxes and labels of refs on a screenshot, PNG bytes to PNG bytes, without the page."""

from collections.abc import Mapping
from io import BytesIO
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL import ImageDraw, ImageFont

COLOURS = ("#d7263d", "#1b66c9", "#0f8a4b", "#8e3db8", "#b35900", "#00727a")
Box = tuple[float, float, float, float]


def annotate(png: bytes, boxes: Mapping[str, Box], *, width: float, kind: str = "PNG") -> bytes:
    """Return the picture with each box outlined and labelled with its key, a ref such as "@e3".

    Boxes are x, y, width, height in CSS pixels from the picture's corner; `width` is the picture's own in CSS
    pixels, so that device pixels are known. What lies outside is left out. `kind` is PNG, JPEG or WEBP.
    """
    from PIL import Image, ImageDraw, ImageFont  # 20 ms of every start, and few ever draw

    image = Image.open(BytesIO(png)).convert("RGB")
    scale = image.width / width
    draw = ImageDraw.Draw(image)
    font = ImageFont.load_default(size=round(11 * max(scale, 1.0)))
    taken: list[Box] = []
    for index, (label, box) in enumerate(boxes.items()):
        x, y, wide, high = (side * scale for side in box)
        edges = x, y, x + max(wide, 1), y + max(high, 1)
        if edges[2] <= 0 or edges[3] <= 0 or x >= image.width or y >= image.height:
            continue  # outside of the picture
        colour = COLOURS[index % len(COLOURS)]
        draw.rectangle(edges, outline=colour, width=max(1, round(1.5 * scale)))
        _draw_label(draw, label, edges, colour, font, taken, image.size)
    out = BytesIO()
    image.save(out, kind)
    return out.getvalue()


def _draw_label(
    draw: "ImageDraw.ImageDraw",
    label: str,
    edges: Box,
    colour: str,
    font: "ImageFont.FreeTypeFont | ImageFont.ImageFont",
    taken: list[Box],
    size: tuple[int, int],
) -> None:
    """Draw `label` beside the box `edges`, over none of the labels in `taken`, and add its box to these.

    Boxes are (left, top, right, bottom) in device pixels; `size` is the picture's.
    """
    left, top, right, bottom = draw.textbbox((0, 0), label, font=font)
    width, height = right - left + 4, bottom - top + 4
    place = _choose_label_box(edges, width, height, taken, size)
    taken.append(place)
    draw.rectangle(place, fill=colour)
    draw.text((place[0] + 2 - left, place[1] + 2 - top), label, fill="white", font=font)


def _choose_label_box(edges: Box, width: float, height: float, taken: list[Box], size: tuple[int, int]) -> Box:
    """Return where to put a label: above, below or in `edges`, the first that overlaps none of `taken`.

    If all three overlap, it goes above. `width`, `height`: of the label; `size`: of the picture. Boxes are (left, top, right,
    bottom).
    """
    left, top, _, bottom = edges
    x = min(max(left, 0), size[0] - width)
    places = [(x, max(y, 0.0), x + width, max(y, 0.0) + height) for y in (top - height, bottom, top)]
    return next((place for place in places if not any(_overlap(place, other) for other in taken)), places[0])


def _overlap(one: Box, other: Box) -> bool:
    """Return whether two boxes (left, top, right, bottom) overlap."""
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
