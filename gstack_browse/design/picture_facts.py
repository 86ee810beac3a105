"""Measure pictures of designs without any model: palette, blocks, flaws, similarity to a mockup.

What is measured is coarse on purpose: a mockup is never the page pixel by pixel.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from gstack_browse.design.facts import Colour
from gstack_browse.snapshot import picture_difference
from gstack_browse.snapshot.picture_difference import CELL, Region

if TYPE_CHECKING:
    from PIL import Image

SEVERITIES = ("high", "medium", "low")
PASS_SCORE = 70
MOST_FINDINGS = 10
MOST_BLOCKS = 12
_COLUMNS = 48
"""Pictures are compared by cells: so many beside each other."""
_MOST_ROWS = 400
_SAMPLE_SIDE = 400
_NEAR = 24
"""Colours of which no part differs by more count as one: anti-aliasing, compression, another screen."""
_SAME = 8
"""The same within one picture, where a surface may be hardly darker than the page."""
_EDGE = 5
"""Mean strength of edges (0 to 255) from which a cell has something in it."""
_LETTER_PIXELS = 20
"""Fewest pixels that count as drawn: a small letter has more. A share would not do: a form covers little of a page."""
_MOST_COLOURS = 65_536
"""Pictures with more colours, as photographs have, are counted in coarser ones."""
_READABLE = 4.5
"""Contrast that WCAG 2 AA asks of text."""
_HIGH_AREA, _MEDIUM_AREA = 0.15, 0.03
_WEIGHTS = {"layout": 0.4, "colours": 0.3, "areas": 0.3}


class PictureFinding(NamedTuple):
    """A fault in a picture."""

    severity: str
    where: str
    what: str


class PaletteColour(NamedTuple):
    """A colour with its share of the picture (0 to 1)."""

    colour: Colour
    share: float

    def __str__(self) -> str:
        return f"{self.colour.hex} {self.share:.0%}" if self.share >= 0.01 else f"{self.colour.hex} <1%"


class MockupComparison(NamedTuple):
    """How near a page is to its mockup. `parts`: the measures that `score` is made of, each 0 to 100."""

    score: int
    parts: dict[str, int]
    findings: Sequence[PictureFinding]
    regions: Sequence[Region]
    """Where areas differ, in pixels of the page's picture, the largest first; `findings` begins with them."""


def measure_palette(picture: "Image.Image", most: int = 8) -> list[PaletteColour]:
    """Return the `most` most common colours of a picture; colours near each other are counted as one."""
    from PIL import Image

    small = picture.copy()
    small.thumbnail((_SAMPLE_SIDE, _SAMPLE_SIDE), Image.Resampling.NEAREST)  # keeps colours as they are
    counts = small.convert("RGB").getcolors(small.width * small.height) or []
    found: list[tuple[Colour, int]] = []
    for count, parts in sorted(counts, reverse=True)[:4000]:
        assert isinstance(parts, tuple)
        colour = Colour(*parts)
        at = next((at for at, (known, _) in enumerate(found) if are_near(known, colour, _SAME)), None)
        if at is not None:
            found[at] = found[at][0], found[at][1] + count
        elif len(found) < 64:
            found.append((colour, count))
    total = small.width * small.height
    found.sort(key=lambda one: -one[1])
    return [PaletteColour(colour, count / total) for colour, count in found[:most]]


def are_near(one: Colour, other: Colour, most: int = _NEAR) -> bool:
    """Return whether red, green and blue of two colours each differ by at most `most` (of 255)."""
    return max(abs(a - b) for a, b in zip(one[:3], other[:3], strict=True)) <= most


def name_roles(palette: Sequence[PaletteColour]) -> dict[str, PaletteColour]:
    """Guess the roles of a palette's colours: role → colour. `palette`: the most common colour first.

    `page` is the most common, `text` the readable one with most contrast, `action` the most vivid; others are
    `surface`, `surface-2` …
    """
    if not palette:
        return {}
    page, *others = palette
    roles = {"page": page}
    text = max(others, key=lambda one: one.colour.contrast(page.colour), default=None)
    if text and text.colour.contrast(page.colour) >= _READABLE:
        roles["text"] = text
    vivid = max(others, key=lambda one: _vividness(one.colour), default=None)
    if vivid and _vividness(vivid.colour) >= 60 and vivid is not roles.get("text"):
        roles["action"] = vivid
    rest = [one for one in others if one not in roles.values()]
    return roles | {f"surface{'' if at == 1 else f'-{at}'}": one for at, one in enumerate(rest, 1)}


def _vividness(colour: Colour) -> int:
    """Return how vivid a colour is: the range of its red, green and blue, from 0 (grey) to 255."""
    return max(colour[:3]) - min(colour[:3])


def find_blocks(picture: "Image.Image") -> list[Region]:
    """Return boxes (pixels) of the MOST_BLOCKS largest areas that are not background, from top to bottom."""
    from PIL import Image

    ground = measure_palette(picture, 1)[0].colour
    plain = Image.new("RGB", picture.size, ground.hex)
    regions = picture_difference.compare(plain, picture, threshold=_SAME / 255).regions
    return sorted(regions[:MOST_BLOCKS], key=lambda region: (region.y, region.x))


def describe_picture(picture: "Image.Image") -> list[str]:
    """Describe a picture as lines of Markdown: size, colours by role, boxes of the largest areas."""
    roles, blocks = name_roles(measure_palette(picture)), find_blocks(picture)
    return [
        f"## Colours ({picture.width}x{picture.height})",
        *(f"- {role}: {colour}" for role, colour in roles.items()),
        *(["## Blocks (x,y,width,height)"] if blocks else []),
        *(f"- {block} {picture_difference.describe_place(block, picture.size)}" for block in blocks),
    ]


def find_flaws(picture: "Image.Image", allowed: Iterable[Colour] = ()) -> list[PictureFinding]:
    """Return flaws seen in the pixels: nothing drawn, no readable contrast, colours not `allowed`.

    An empty `allowed` allows every colour.
    """
    palette = measure_palette(picture, 16)
    page = palette[0].colour
    drawn = _count_drawn_colours(picture, page)
    if sum(drawn.values()) < _LETTER_PIXELS:
        return [PictureFinding("high", "everywhere", f"nothing is drawn on {page.hex}")]
    best = max(colour.contrast(page) for colour in drawn)
    found = []
    if best < _READABLE:
        what = f"no colour reaches {_READABLE}:1 on {page.hex}: {best:.1f}:1"
        found.append(PictureFinding("high", "everywhere", what))
    known = list(allowed)
    for one in palette if known else ():
        if one.share >= 0.01 and not any(are_near(one.colour, good) for good in known):
            found.append(PictureFinding("medium", "colours", f"{one} is not in DESIGN.md"))
    return found[:MOST_FINDINGS]


def _count_drawn_colours(picture: "Image.Image", ground: Colour) -> dict[Colour, int]:
    """Count the pixels of each colour, except those near the background colour `ground`."""
    counts = picture.getcolors(_MOST_COLOURS)
    if counts is None:
        counts = picture.point([value & 0xF8 for value in range(256)] * 3).getcolors(_MOST_COLOURS) or []
    colours = {Colour(*parts): count for count, parts in counts if isinstance(parts, tuple)}
    return {colour: count for colour, count in colours.items() if not are_near(colour, ground, _SAME)}


def compare_with_mockup(mockup: "Image.Image", page: "Image.Image") -> MockupComparison:
    """Compare a screenshot of a page with its mockup, which is scaled to the page's width."""
    from PIL import ImageChops

    # Cells are square and _COLUMNS side by side, so the picture's proportions give the rows.
    rows = [min(max(1, round(_COLUMNS * one.height / one.width)), _MOST_ROWS) for one in (mockup, page)]
    grid = (_COLUMNS, max(rows))
    means = [_compute_cell_colours(one, its, grid) for one, its in zip((mockup, page), rows, strict=True)]
    filled = [_find_filled_cells(one, its) for one, its in zip((mockup, page), rows, strict=True)]
    red, green, blue = ImageChops.difference(*means).split()
    difference = ImageChops.lighter(ImageChops.lighter(red, green), blue)
    # White where the mean colours of a cell are not near each other, else black.
    mask = difference.point([0] * (_NEAR + 1) + [255] * (255 - _NEAR))
    differing = _list_cells(mask, 255)
    palettes = measure_palette(mockup), measure_palette(page)
    # How many filled cells of both pictures have a filled cell of the other picture at most one cell away.
    counterparts = _count_neighbours(*filled) + _count_neighbours(*reversed(filled))
    parts = {
        "layout": counterparts / sum(map(len, filled)) if any(filled) else 1.0,
        "colours": _compare_palettes(*palettes),
        "areas": 1 - len(differing) / max(1, len(differing | filled[0] | filled[1])),
    }
    score = round(100 * sum(_WEIGHTS[name] * share for name, share in parts.items()))
    cells = _find_cell_regions(mask.convert("RGB"))[:MOST_FINDINGS]
    scale = page.width / _COLUMNS
    regions = [Region(*(round(part * scale) for part in cell)) for cell in cells]
    findings = [_make_area_finding(cell, grid) for cell in cells]
    if not 0.75 <= rows[0] / rows[1] <= 1.34:
        what = f"the page is {rows[1] / rows[0]:.1f} times as tall as the mockup at the same width"
        findings.append(PictureFinding("medium", "size", what))
    findings += _find_colour_differences(*palettes)
    return MockupComparison(
        score, {name: round(100 * share) for name, share in parts.items()}, findings, regions
    )


def _compute_cell_colours(picture: "Image.Image", rows: int, grid: tuple[int, int]) -> "Image.Image":
    """Return a picture of `grid` pixels (columns, rows), one for each cell, with the cell's mean colour.

    `rows`: how many rows of cells the picture has; below these its background continues.
    """
    from PIL import Image

    canvas = Image.new("RGB", grid, measure_palette(picture, 1)[0].colour.hex)
    canvas.paste(picture.resize((_COLUMNS, rows), Image.Resampling.BOX), (0, 0))
    return canvas


def _find_filled_cells(picture: "Image.Image", rows: int) -> set[tuple[int, int]]:
    """Return the cells (column, row) in which something is drawn: there are edges. `rows`: of cells."""
    from PIL import Image, ImageFilter

    width = _COLUMNS * CELL  # the same scale for both, so that edges count alike
    small = picture.convert("L").resize((width, rows * CELL), Image.Resampling.BOX)
    edges = small.filter(ImageFilter.FIND_EDGES).resize((_COLUMNS, rows), Image.Resampling.BOX)
    return _list_cells(edges, _EDGE)


def _list_cells(picture: "Image.Image", least: int) -> set[tuple[int, int]]:
    """Return the cells (column, row) whose pixel in a grey picture, _COLUMNS wide, is at least so bright."""
    return {(at % _COLUMNS, at // _COLUMNS) for at, value in enumerate(picture.tobytes()) if value >= least}


def _count_neighbours(cells: set[tuple[int, int]], others: set[tuple[int, int]]) -> int:
    """Return how many of the cells (column, row) are one of the others or touch one."""
    return sum(
        any((x + across, y + down) in others for across in (-1, 0, 1) for down in (-1, 0, 1)) for x, y in cells
    )


def _compare_palettes(mockup: Sequence[PaletteColour], page: Sequence[PaletteColour]) -> float:
    """Return the share (0 to 1) of the mockup's palette that the page's palette has, too.

    Colours are weighted by the roots of their shares: small accents count, too.
    """
    wanted = sum(one.share**0.5 for one in mockup)
    return sum(min(one.share, _sum_near_shares(one, page)) ** 0.5 for one in mockup) / wanted if wanted else 1.0


def _sum_near_shares(wanted: PaletteColour, palette: Sequence[PaletteColour]) -> float:
    """Return the sum of the shares (0 to 1) of the palette's colours that are near the `wanted` colour."""
    return sum(one.share for one in palette if are_near(one.colour, wanted.colour))


def _find_cell_regions(mask: "Image.Image") -> list[Region]:
    """Return the boxes around groups of white pixels in a black mask, in its pixels, the largest first."""
    from PIL import Image

    large = mask.resize((mask.width * CELL, mask.height * CELL), Image.Resampling.NEAREST)
    black = Image.new("RGB", large.size)
    regions = picture_difference.compare(black, large, threshold=0.5).regions
    return [Region(*(part // CELL for part in region)) for region in regions]


def _make_area_finding(cells: Region, grid: tuple[int, int]) -> PictureFinding:
    """Return the finding for an area in which page and mockup differ; the larger it is, the more severe.

    `cells`: the area, in cells. `grid`: columns and rows of the whole picture.
    """
    share = cells.width * cells.height / (grid[0] * grid[1])
    severity = "high" if share >= _HIGH_AREA else "medium" if share >= _MEDIUM_AREA else "low"
    return PictureFinding(
        severity,
        picture_difference.describe_place(cells, grid),
        f"looks otherwise ({share:.0%} of the picture)",
    )


def _find_colour_differences(
    mockup: Sequence[PaletteColour], page: Sequence[PaletteColour]
) -> list[PictureFinding]:
    """Return a finding for each common colour that only the mockup or only the page has."""
    lacking = [one for one in mockup if one.share >= 0.01 and not _sum_near_shares(one, page)]
    added = [one for one in page if one.share >= 0.02 and not _sum_near_shares(one, mockup)]
    named = [(one, f"{one} of the mockup is not on the page") for one in lacking]
    named += [(one, f"{one} of the page is not in the mockup") for one in added]
    return [PictureFinding("high" if one.share >= 0.25 else "medium", "colours", what) for one, what in named]
