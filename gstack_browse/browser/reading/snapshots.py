"""Take snapshots (accessibility trees with refs), as JSON and as pictures with labelled boxes."""

import asyncio
from pathlib import Path
from typing import NamedTuple

from gstack_browse.browser.actions.locate import find
from gstack_browse.browser.command.page import PageCommand
from gstack_browse.browser.reading import screenshots
from gstack_browse.registry.values.measures import Clip
from gstack_browse.snapshot import annotate, structured
from gstack_browse.snapshot.render import shown_elements
from gstack_browse.snapshot.tree import Options, Tree
from gstack_browse.workspace.files import write_whole


async def take_snapshot(
    page: PageCommand, selector: str | None, *, clickable: bool, addresses: bool = False
) -> Tree:
    """Take a snapshot of all frames, or of the first element of the target `selector`.

    `clickable`: list clickable elements without a role (@c), too. `addresses`: include the URLs of links. Raises NoMatch,
    StaleRef or UnknownRef for a target that is not there.
    """
    element = await find.locate_first(page, selector) if selector else None
    scope = (element.frame, element.node) if element else None
    return await page.tab.refs.take_snapshot(clickable=clickable, addresses=addresses, scope=scope)


async def render_json(page: PageCommand, tree: Tree, options: Options) -> str:
    """Render a snapshot as JSON, with the boxes of visible elements."""
    boxes = await page.tab.refs.boxes(tree, shown_elements(tree, options))
    return structured.as_json(tree, options, boxes)


class AnnotatedPicture(NamedTuple):
    """A saved picture. `boxed`: number of lines with a box; `outside`: of those outside of the picture."""

    path: Path
    boxed: int
    outside: int
    picture: screenshots.Picture


async def save_annotated(
    page: PageCommand, tree: Tree, lines: list[int], path: Path | None, *, full: bool
) -> AnnotatedPicture:
    """Save a picture of the viewport or whole page (`full`), with a box and the ref around elements.

    `lines`: those of the elements in the snapshot `tree`. `path`: None for a new one.
    """
    path = path or screenshots.default_path(page)
    size = await screenshots.measure_page(page)
    area = screenshots.whole_page_area(size) if full else screenshots.viewport_area(size)
    shot = await screenshots.take_screenshot(page, "png", area, side=page.context.picture_side)
    boxes = await page.tab.refs.boxes(tree, lines)
    if full:
        boxes = {line: (x + size["left"], y + size["top"], w, h) for line, (x, y, w, h) in boxes.items()}
    labelled = {
        tree.ref(line): boxes[line] for line in lines if line in boxes and _is_inside(boxes[line], area.clip)
    }
    kind = screenshots.picture_format(path).upper()
    drawn = await asyncio.to_thread(annotate.annotate, shot.content, labelled, width=area.clip.width, kind=kind)
    await asyncio.to_thread(write_whole, str(path), drawn)
    return AnnotatedPicture(path, len(labelled), len(boxes) - len(labelled), shot)


def _is_inside(box: annotate.Box, clip: Clip) -> bool:
    """Return whether at least a pixel of a box is inside of a picture of the area `clip`."""
    x, y, width, height = box
    return x + width >= 1 and y + height >= 1 and x <= clip.width - 1 and y <= clip.height - 1
