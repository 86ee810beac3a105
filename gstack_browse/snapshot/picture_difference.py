"""Compare two pictures pixel by pixel: how much differs, and where. Pure: bytes in, PNG out."""

import struct
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from io import BytesIO
from typing import TYPE_CHECKING, NamedTuple

from gstack_browse.errors import FileFailed

if TYPE_CHECKING:
    from PIL import Image

CELL = 16
"""Pixels: what differs within cells of this size that touch each other is one region."""
MOST_PIXELS = 30_000_000
_FORMATS = ("PNG", "JPEG", "WEBP")
_BROKEN = (
    ValueError,
    SyntaxError,
    EOFError,
    IndexError,
    KeyError,
    OverflowError,
    TypeError,
    struct.error,
    zlib.error,
)
"""What decoders raise at files that are cut off, damaged or made up."""
_MARK = "#d7263d"
_SAMPLE = 128
"""Pixels a side of what a region's change is told from, at most."""


class Region(NamedTuple):
    """A rectangle that holds differing pixels, in pixels from the pictures' top left corner."""

    x: int
    y: int
    width: int
    height: int

    def __str__(self) -> str:
        return f"{self.x},{self.y},{self.width},{self.height}"


class Difference(NamedTuple):
    """The difference of two pictures: the share of all pixels, and regions, the largest first.

    Where their sizes differ, what only one of them has differs.
    """

    before: tuple[int, int]
    after: tuple[int, int]
    share: float
    regions: Sequence[Region]

    @property
    def share_text(self) -> str:
        """Return the share in percent; never "0 %" for more than nothing, nor "100 %" for less than all."""
        percent = self.share * 100
        if 0 < percent < 0.01:
            return "less than 0.01 %"
        return f"{min(percent, 99.99) if self.share < 1 else 100:.2f}".rstrip("0").rstrip(".") + " %"

    def __str__(self) -> str:
        """How much differs, and the sizes where these do."""
        (wide, high), (now_wide, now_high) = self.before, self.after
        sizes = f"; {wide}x{high} before, {now_wide}x{now_high} now"
        regions = f"{len(self.regions):,} region{'' if len(self.regions) == 1 else 's'}"
        return f"{self.share_text} differs in {regions}{sizes if self.before != self.after else ''}"


def open_picture(content: bytes, name: str) -> "Image.Image":
    """Open a picture, on white where it is transparent.

    Raises FileFailed for another file, or one that is too large.
    """
    from PIL import Image  # 20 ms of every start, and few ever compare

    try:
        file = Image.open(BytesIO(content), formats=_FORMATS)
        if file.width * file.height > MOST_PIXELS:
            raise FileFailed(f"{name} is too large to compare: {file.width}x{file.height} pixels")
        image = file.convert("RGBA")
    except (OSError, *_BROKEN, Image.DecompressionBombError):
        raise FileFailed(
            f"{name} is no picture that can be read, or is damaged", "PNG, JPEG and WebP files can"
        ) from None
    white = Image.new("RGBA", image.size, "white")
    return Image.alpha_composite(white, image).convert("RGB")


def compare(before: "Image.Image", after: "Image.Image", *, threshold: float) -> Difference:
    """Find the pixels of two pictures in which a colour channel differs by more than `threshold` (0 to 1)."""
    mask = _difference_mask(before, after, threshold)
    pixels = mask.width * mask.height
    share = mask.histogram()[255] / pixels
    regions = sorted(_regions(mask), key=lambda region: -region.width * region.height) if share else []
    return Difference(before.size, after.size, share, regions)


def mask_regions(picture: "Image.Image", regions: Sequence[Region]) -> "Image.Image":
    """Return a copy of the picture with the regions in one colour, so that they always compare equal."""
    covered = picture.copy()
    for region in regions:
        x, y, width, height = region
        covered.paste("black", (x, y, x + width, y + height))
    return covered


def mark_regions(picture: "Image.Image", regions: Sequence[Region]) -> bytes:
    """Return the picture, paler, with a box around each region, as a PNG file."""
    from PIL import Image, ImageDraw

    pale = Image.blend(picture, Image.new("RGB", picture.size, "white"), 0.6)
    for region in regions:
        x, y, width, height = region
        pale.paste(picture.crop((x, y, x + width, y + height)), (x, y))
    draw = ImageDraw.Draw(pale)
    for x, y, width, height in regions:
        draw.rectangle((x - 2, y - 2, x + width + 1, y + height + 1), outline=_MARK, width=2)
    out = BytesIO()
    pale.save(out, "PNG")
    return out.getvalue()


def describe_regions(
    before: "Image.Image", after: "Image.Image", regions: Sequence[Region], *, threshold: float
) -> list[str]:
    """Describe each region: box, position, and the most common colours that differ, before and after.

    For example `120,40,300,80  top left, #ffffff → #2457d6`.
    """
    size = max(before.width, after.width), max(before.height, after.height)
    return [
        f"{region}  {describe_place(region, size)}{_most_common_change(before, after, region, threshold)}"
        for region in regions
    ]


def describe_place(region: Region, size: tuple[int, int]) -> str:
    """Return in which ninth of a picture of `size` a region is: "top left"; "nearly all" for a large one."""
    if region.width * region.height > 0.8 * size[0] * size[1]:
        return "nearly all"
    across = min(3 * (region.x + region.width // 2) // size[0], 2)
    down = min(3 * (region.y + region.height // 2) // size[1], 2)
    words = f"{('top', '', 'bottom')[down]} {('left', '', 'right')[across]}".strip()
    return words or "middle"


def _most_common_change(before: "Image.Image", after: "Image.Image", region: Region, threshold: float) -> str:
    """Return the most common colour change in a sample of a region; "nothing" outside a picture."""
    changes = Counter(
        (old, new)
        for old, new in zip(_sample_pixels(before, region), _sample_pixels(after, region), strict=True)
        if old is None
        or new is None
        or max(abs(a - b) for a, b in zip(old, new, strict=True)) > threshold * 255
    )
    if not changes:
        return ""  # what differs lies between the samples
    old, new = changes.most_common(1)[0][0]
    return f", {_format_colour(old)} → {_format_colour(new)}"


def _format_colour(colour: bytes | None) -> str:
    """Return a pixel's colour as `#ffffff`; "nothing" for None."""
    return f"#{colour.hex()}" if colour else "nothing"


def _sample_pixels(picture: "Image.Image", region: Region) -> Iterator[bytes | None]:
    """Yield pixels of a region, always at the same positions; None for those outside the picture."""
    across, down = -(-region.width // _SAMPLE), -(-region.height // _SAMPLE)
    inner = picture.crop((region.x, region.y, region.x + region.width, region.y + region.height))
    content = inner.tobytes()
    for y in range(0, region.height, down):
        for x in range(0, region.width, across):
            is_inside = region.x + x < picture.width and region.y + y < picture.height
            at = 3 * (y * region.width + x)
            yield content[at : at + 3] if is_inside else None


def _difference_mask(before: "Image.Image", after: "Image.Image", threshold: float) -> "Image.Image":
    """Return a mask with the larger width and height of both: 255 where they differ, 0 elsewhere.

    `threshold`: pixels differ if a colour channel differs by more than this, 0 to 1. Parts that only one picture has differ.
    """
    from PIL import Image, ImageChops

    width, height = min(before.width, after.width), min(before.height, after.height)
    common = (0, 0, width, height)
    red, green, blue = ImageChops.difference(before.crop(common), after.crop(common)).split()
    most = ImageChops.lighter(ImageChops.lighter(red, green), blue)
    limit = threshold * 255
    mask = Image.new("L", (max(before.width, after.width), max(before.height, after.height)), 255)
    mask.paste(most.point([255 if value > limit else 0 for value in range(256)]), (0, 0))
    return mask


def _regions(mask: "Image.Image") -> Iterator[Region]:
    """Yield the rectangles in which the mask is not 0. Cells that touch, also at a corner, are one region."""
    columns, rows = -(-mask.width // CELL), -(-mask.height // CELL)
    left = {
        (column, row)
        for row, cells in enumerate(_find_changed_cells(mask, columns, rows))
        for column, differs in enumerate(cells)
        if differs
    }
    while left:
        cells = _take_touching_cells(left)
        across, down = [column for column, _ in cells], [row for _, row in cells]
        box = (min(across) * CELL, min(down) * CELL, (max(across) + 1) * CELL, (max(down) + 1) * CELL)
        inner = mask.crop(box).getbbox()
        assert inner  # each of its cells differs
        yield Region(box[0] + inner[0], box[1] + inner[1], inner[2] - inner[0], inner[3] - inner[1])


def _find_changed_cells(mask: "Image.Image", columns: int, rows: int) -> Iterator[list[bool]]:
    """Yield for each row of cells whether each cell contains a pixel that differs.

    A cell is CELL × CELL pixels of `mask`, which is not 0 where pixels differ.
    """
    for row in range(rows):
        strip = mask.crop((0, row * CELL, columns * CELL, (row + 1) * CELL))
        yield (
            [
                strip.crop((column * CELL, 0, (column + 1) * CELL, CELL)).getbbox() is not None
                for column in range(columns)
            ]
            if strip.getbbox()
            else [False] * columns
        )


def _take_touching_cells(left: set[tuple[int, int]]) -> list[tuple[int, int]]:
    """Remove a group of cells that touch each other, also at corners, from `left`, and return it."""
    found = [left.pop()]
    for column, row in found:  # grows while it is gone through
        for beside in [(column + x, row + y) for x in (-1, 0, 1) for y in (-1, 0, 1)]:
            if beside in left:
                left.remove(beside)
                found.append(beside)
    return found
