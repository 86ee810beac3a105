"""Visual: see what the page looks like."""

import asyncio
from pathlib import Path

from gstack_browse.browser.output import comparison, printing, screenshots
from gstack_browse.browser.tabs.page import PageOpener, PageSession
from gstack_browse.errors import UsageError
from gstack_browse.registry import READ, command
from gstack_browse.registry.arguments import ClipArgument, Paper, PdfFile, PicturePrefix, Shot, Url
from gstack_browse.text.difference import unified


@command(
    READ,
    examples=[
        "screenshot",
        "screenshot page.png",
        "screenshot @e3 button.png",
        "screenshot --clip 0,0,400,300",
    ],
    waits=True,
)
async def screenshot(
    page: PageSession, *subject: Shot, viewport: bool = False, clip: ClipArgument | None = None
) -> str:
    """Save a picture of the whole page, the viewport, an element or a rectangle.

    Takes an element and a path ending in .png, .jpg, .jpeg or .webp, in any order; without a path the file
    is made under .gstack/.

    viewport: only what is visible without scrolling
    clip: only this rectangle of the page
    """
    targets = [word for word in subject if isinstance(word, str)]
    paths = [word for word in subject if isinstance(word, Path)]
    if len(targets) > 1 or len(paths) > 1:
        raise UsageError("screenshot takes one element and one path")
    if clip and targets:
        raise UsageError("--clip and an element exclude each other")
    if clip and viewport:
        raise UsageError("--clip and --viewport exclude each other")
    if viewport and targets:
        raise UsageError("--viewport and an element exclude each other")
    path = paths[0] if paths else screenshots.default_path(page)
    if targets:
        await screenshots.element(page, targets[0], path)
        return f"Screenshot saved: {path} (element)"
    if clip:
        await screenshots.rectangle(page, clip, path)
        return f"Screenshot saved: {path} (clip {clip.x:g},{clip.y:g},{clip.width:g},{clip.height:g})"
    await screenshots.whole(page, path, full=not viewport)
    return f"Screenshot saved: {path}" + (" (viewport)" if viewport else "")


@command(READ, examples=["pdf", "pdf page.pdf", "pdf page.pdf --format Letter --landscape"], timeout=60)
async def pdf(
    page: PageSession,
    path: PdfFile | None = None,
    *,
    format: Paper = "A4",
    landscape: bool = False,
    background: bool = False,
) -> str:
    """Print the page to a PDF file, as its style sheet for print says; without a path under .gstack/.

    format: paper: A0 to A6, Letter, Legal, Tabloid, Ledger; A4 by default
    landscape: the long side horizontally
    background: print background colors and pictures too
    """
    path = path or printing.default_path(page)
    await printing.print_to(page, path, paper=format, landscape=landscape, background=background)
    return f"PDF saved: {path}"


@command(READ, examples=["responsive", "responsive shots/home"], timeout=60)
async def responsive(page: PageSession, prefix: PicturePrefix | None = None) -> str:
    """Save pictures of the page as on a phone, a tablet and a desktop; the viewport is the same afterwards.

    The files are PREFIX-mobile.png, PREFIX-tablet.png and PREFIX-desktop.png.
    """
    prefix = prefix or screenshots.default_path(page).with_suffix("")
    paths = {name: prefix.with_name(f"{prefix.name}-{name}.png") for name in comparison.SIZES}
    await comparison.in_sizes(page, paths)
    return "\n".join(f"{name} ({size}): {paths[name]}" for name, size in comparison.SIZES.items())


@command(
    READ,
    examples=[
        "diff https://example.com https://staging.example.com",
        "diff https://example.com https://staging.example.com --snapshot",
    ],
    page_text=True,
    waits=True,
    timeout=70,
)
async def diff(browser: PageOpener, url1: Url, url2: Url, *, snapshot: bool = False) -> str:
    """Print the difference between two pages' text as a unified diff. The tabs stay as they are.

    snapshot: compare what a snapshot shows, with states, values, all options and the addresses of links
    """
    looked = await (comparison.snapshots if snapshot else comparison.texts)(browser, url1, url2)
    (before_name, before), (after_name, after) = looked
    lines = await asyncio.to_thread(unified, before, after, before_name=before_name, after_name=after_name)
    return lines or "(no differences)"
