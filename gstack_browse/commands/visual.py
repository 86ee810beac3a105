"""Visual: see what the page looks like."""

from pathlib import Path

from gstack_browse.browser import picture
from gstack_browse.browser.page import PageSession
from gstack_browse.errors import UsageError
from gstack_browse.registry import READ, command
from gstack_browse.registry.arguments import ClipArgument, Shot


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
    path = paths[0] if paths else picture.default_path(page)
    if targets:
        await picture.element(page, targets[0], path)
        return f"Screenshot saved: {path} (element)"
    if clip:
        await picture.rectangle(page, clip, path)
        return f"Screenshot saved: {path} (clip {clip.x:g},{clip.y:g},{clip.width:g},{clip.height:g})"
    await picture.whole(page, path, full=not viewport)
    return f"Screenshot saved: {path}" + (" (viewport)" if viewport else "")
