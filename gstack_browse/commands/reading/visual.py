"""Visual: see what the page looks like."""

import asyncio
import base64
import difflib
from collections.abc import Mapping, Sequence
from pathlib import Path

from gstack_browse.browser.command.page import PageCommand, PageOpener
from gstack_browse.browser.reading import comparison, screenshots
from gstack_browse.errors import PicturesDiffer, UsageError
from gstack_browse.registry import READ, command
from gstack_browse.registry.arguments import (
    ClipArgument,
    ImageFile,
    InFile,
    Masks,
    PageNumber,
    Paper,
    PdfFile,
    PicturePrefix,
    Quality,
    Share,
    Shot,
    Side,
    Url,
)
from gstack_browse.registry.values.measures import Clip, Size
from gstack_browse.registry.values.targets import STANDARD_OUTPUT
from gstack_browse.snapshot.picture_difference import Region
from gstack_browse.text.sanitise import split_lines
from gstack_browse.text.units import format_count, format_duration

MOST_REGIONS = 10
_CONTEXT_LINES = 3


@command(
    READ,
    examples=[
        "screenshot",
        "screenshot page.png",
        "screenshot @e3 button.png",
        "screenshot --clip 0,0,400,300",
        "screenshot --tiles page.png",
        "screenshot --viewport --if-changed",
        "screenshot --page 3",
    ],
    waits=True,
)
async def screenshot(
    page: PageCommand,
    *subject: Shot,
    viewport: bool = False,
    clip: ClipArgument | None = None,
    max_side: Side | None = None,
    tiles: bool = False,
    quality: Quality | None = None,
    if_changed: bool = False,
    page_: PageNumber | None = None,
) -> str:
    """Save a picture of the whole page, the viewport, an element or a rectangle.

    Takes an element and a path ending in .png, .jpg, .jpeg or .webp, in any order; without a path the file
    is made under .gstack/. With - instead of a path the picture goes to standard output, as a PNG file, or JPEG with
    --quality; over the socket, from Python and in a chain it comes in base64. A picture with more than 1568 pixels a side (BROWSE_SHOT_SIDE) is shrunk to that, and the
    reply says so: models shrink larger ones by themselves, or refuse them. Of a page that scrolls in a pane it has what is in view.

    viewport: only what is visible without scrolling
    clip: only this rectangle of the page
    max_side: shrink to at most so many pixels a side; 0: as large as it is
    tiles: several pictures of full size side by side, each within the largest side: page-1.png, page-2.png, …
    quality: of a .jpg (90 by default) or .webp
    if_changed: save nothing where the same picture was taken before in this tab
    page_: this page of a PDF, as it is printed
    """
    target, path = _split_target_and_path(subject)
    is_output = path == STANDARD_OUTPUT
    if page_:
        if target or viewport or clip or tiles or quality or if_changed or is_output:
            raise UsageError("--page goes with a path and --max-side only")
        side = page.context.picture_side if max_side is None else max_side
        picture_of_page = await screenshots.save_pdf_page(page, page_, path, side)
        return f"Screenshot saved: {picture_of_page} (page {page_})"
    _refuse_combinations(
        {"--clip": bool(clip), "an element": bool(target), "--viewport": viewport},
        {"--tiles": tiles, "--max-side 0": max_side == 0},
        {"-": is_output, "--tiles": tiles, "--if-changed": if_changed},
    )
    if path is None or is_output:
        path = screenshots.default_path(page)
    kind = "jpeg" if is_output and quality else screenshots.picture_format(path)
    if quality and kind == "png":
        raise UsageError("--quality is for .jpg and .webp files", f"For example: {path.stem}.jpg")
    area, what = await _choose_area(page, target, clip, viewport=viewport)
    side = page.context.picture_side if max_side is None else max_side
    if tiles:
        saved = await screenshots.save_tiles(page, path, area, side=side, quality=quality)
        lines = (f"{tile} ({size} from {at.x:g},{at.y:g})" for tile, size, at in saved)
        return "\n".join((f"Screenshot saved: {format_count(len(saved), 'tile')}", *lines))
    picture = await screenshots.take_screenshot(page, kind, area, side=side, quality=quality)
    if is_output:
        return base64.b64encode(picture.content).decode()
    looked_at = (target, what, kind, side, quality)
    if if_changed and (same := page.tab.pictures.find_identical(looked_at, picture.content)):
        return f"Unchanged since {same.path} ({format_duration(same.age)} ago)"
    await screenshots.save_picture(picture, path)
    page.tab.pictures.note(looked_at, picture.content, path)
    if not what and area.is_viewport and (remark := await screenshots.describe_cut_pane(page)):
        page.notes.append(remark)
    if picture.size.height < picture.full.height / 2:  # shrunk to less than half
        page.notes.append("Its text may be too small to read: --tiles makes several pictures of full size")
    facts = ", ".join(filter(None, (what, picture.shrunk)))
    return f"Screenshot saved: {path}" + (f" ({facts})" if facts else "")


def _split_target_and_path(words: Sequence[str | Path]) -> tuple[str, Path | None]:
    """Return the target ("" for none) and the path among the words of `screenshot`.

    Raises UsageError for two of a kind.
    """
    targets = [word for word in words if isinstance(word, str)]
    paths = [word for word in words if isinstance(word, Path)]
    if len(targets) > 1 or len(paths) > 1:
        raise UsageError("screenshot takes one element and one path")
    return targets[0] if targets else "", paths[0] if paths else None


async def _choose_area(
    page: PageCommand, target: str, clip: Clip | None, *, viewport: bool
) -> tuple[screenshots.Area, str]:
    """Return the area to take a picture of, and what the reply calls it; "" for the whole page.

    `target`: an element, "" for none; it takes precedence over `clip`, and that over `viewport`.
    """
    if target:
        return await screenshots.element_area(page, target), "element"
    size = await screenshots.measure_page(page)
    if clip:
        what = f"clip {clip.x:g},{clip.y:g},{clip.width:g},{clip.height:g}"
        return screenshots.rectangle_area(size, clip), what
    return (
        (screenshots.viewport_area(size), "viewport") if viewport else (screenshots.whole_page_area(size), "")
    )


def _refuse_combinations(*groups: Mapping[str, bool]) -> None:
    """Raise UsageError if two options are given that exclude each other.

    `groups`: each has the options of which only one may be given, option → whether it is given.
    """
    for group in groups:
        given = [name for name, is_given in group.items() if is_given]
        if len(given) > 1:
            raise UsageError(f"{given[0]} and {given[1]} exclude each other")


@command(READ, examples=["pdf", "pdf page.pdf", "pdf page.pdf --format Letter --landscape"], timeout=60)
async def pdf(
    page: PageCommand,
    path: PdfFile | None = None,
    *,
    format: Paper | None = None,
    landscape: bool = False,
    background: bool = False,
) -> str:
    """Print the page to a PDF file, as its style sheet for print says; without a path under .gstack/.

    format: paper: A0 to A6, Letter, Legal, Tabloid, Ledger; by default what the style sheet says (@page), else A4
    landscape: the long side horizontally
    background: print background colors and pictures too
    """
    path = path or screenshots.default_pdf_path(page)
    await screenshots.save_pdf(page, path, paper=format, landscape=landscape, background=background)
    return f"PDF saved: {path}"


@command(READ, examples=["responsive", "responsive home"], timeout=60)
async def responsive(page: PageCommand, prefix: PicturePrefix | None = None) -> str:
    """Save pictures of the page as on a phone, a tablet and a desktop.

    The viewport is the same afterwards. The files are PREFIX-mobile.png, PREFIX-tablet.png and
    PREFIX-desktop.png.
    """
    prefix = prefix or screenshots.default_path(page).with_suffix("")
    paths = {name: prefix.with_name(f"{prefix.name}-{name}.png") for name in comparison.SIZES}
    pictures = await comparison.save_in_sizes(page, paths, most=page.context.picture_side)
    return "\n".join(
        f"{name} ({size}): {paths[name]}" + (f" ({shrunk})" if (shrunk := pictures[name].shrunk) else "")
        for name, size in comparison.SIZES.items()
    )


@command(
    READ,
    examples=[
        "diff https://example.com https://staging.example.com",
        "diff https://example.com https://staging.example.com --snapshot",
    ],
    page_text=True,
    waits=True,
    timeout=70,
    fresh=True,
)
async def diff(opener: PageOpener, url1: Url, url2: Url, *, snapshot: bool = False) -> str:
    """Print the difference between two pages' text as a unified diff. The tabs stay as they are.

    snapshot: compare what a snapshot shows, with states, values, all options and the addresses of links
    """
    looked = await (comparison.fetch_snapshots if snapshot else comparison.fetch_texts)(opener, url1, url2)
    return await asyncio.to_thread(_render_unified_diff, *looked) or "(no differences)"


def _render_unified_diff(before: tuple[str, str], after: tuple[str, str]) -> str:
    """Return the differences of two texts, each (name, text), as a unified diff; "" if they are equal."""
    (before_name, old), (after_name, new) = ((name, split_lines(text)) for name, text in (before, after))
    if old == new:
        return ""
    return "\n".join(difflib.unified_diff(old, new, before_name, after_name, n=_CONTEXT_LINES, lineterm=""))


@command(
    READ,
    examples=[
        "diff-image before.png",
        "diff-image before.png after.png",
        "diff-image before.png --now --output changes.png",
        "diff-image before.png --mask h1 --mask 0,0,300,40",
    ],
    waits=True,
    page_text=True,
    short={"output": "o"},
)
async def diff_image(
    page: PageCommand,
    before: InFile,
    after: InFile | None = None,
    *,
    now: bool = False,
    threshold: Share = 0.01,
    mask: Masks = (),
    output: ImageFile | None = None,
) -> str:
    """Compare a picture with another one, or with what the page looks like now. Exit 1 when they differ.

    Prints how much differs and in which regions: x, y, width and height in pixels, and for the page the element that is
    there. The page is pictured as the file was: whole or the viewport, shrunk or not, whichever gives its size.

    now: compare with the page, as without a second picture
    threshold: how far apart two colors may be and count as the same, 0 to 1; 0.01 by default
    mask: a part that may differ, such as a clock or an advertisement: an element of the page, or a rectangle of the picture in pixels; several times for several
    output: save the second picture with boxes around what differs
    """
    if now and after:
        raise UsageError("--now and a second picture exclude each other")
    if output and screenshots.picture_format(output) != "png":
        raise UsageError("The picture of what differs is a .png file")
    first = await comparison.read_picture(before)
    looked = None if after else await comparison.capture_same_area(page, first)
    second = looked.picture if looked else await comparison.read_picture(after or before)
    masked = await comparison.resolve_masks(page, looked, mask)
    difference = await comparison.compare_pictures(first, second, threshold, masked)
    if not difference.regions:
        but = f" but in {format_count(len(masked), 'masked part')}" if masked else ""
        return f"No difference{but} ({Size(*difference.after)})"
    lines = await _describe_regions(page, difference.regions, looked)
    if output:
        await comparison.save_with_boxes(second, difference.regions, output)
        lines.append(f"Saved: {output}")
    raise PicturesDiffer(str(difference), output="\n".join(lines))


async def _describe_regions(
    page: PageCommand, regions: Sequence[Region], picture: comparison.PagePicture | None
) -> list[str]:
    """Return a line for each of the largest regions in which pictures differ.

    `picture`: of the page, whose elements there are named; None: name none.
    """
    shown = regions[:MOST_REGIONS]
    names = await comparison.find_elements_at(page, picture, shown) if picture else [""] * len(shown)
    lines = [f"{region} {name}".rstrip() for region, name in zip(shown, names, strict=True)]
    more = len(regions) - len(shown)
    return [*lines, f"… {format_count(more, 'smaller region')} more"] if more else lines
