"""Draw boxes and labels of refs on a screenshot, PNG bytes to PNG bytes, without the page."""

import bisect
from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from typing import TYPE_CHECKING

from gstack_browse.snapshot.items import LARGEST_ITEM
from gstack_browse.snapshot.tree import Tree

if TYPE_CHECKING:
    from PIL import ImageDraw, ImageFont

COLOURS = ("#d7263d", "#1b66c9", "#0f8a4b", "#8e3db8", "#b35900", "#00727a")
Box = tuple[float, float, float, float]


def annotate(png: bytes, boxes: Mapping[str, Box], *, width: float, kind: str = "PNG") -> bytes:
    """The picture with each box outlined and labelled with its key ("@e3").

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
        edges = _edges(box, scale)
        if _is_outside(edges, image.size):
            continue
        colour = COLOURS[index % len(COLOURS)]
        draw.rectangle(edges, outline=colour, width=max(1, round(1.5 * scale)))
        _label(draw, label, edges, colour, font, taken, image.size)
    out = BytesIO()
    image.save(out, kind)
    return out.getvalue()


def _edges(box: Box, scale: float) -> Box:
    x, y, width, height = (side * scale for side in box)
    return x, y, x + max(width, 1), y + max(height, 1)


def _is_outside(edges: Box, size: tuple[int, int]) -> bool:
    left, top, right, bottom = edges
    return right <= 0 or bottom <= 0 or left >= size[0] or top >= size[1]


def _label(
    draw: "ImageDraw.ImageDraw",
    label: str,
    edges: Box,
    colour: str,
    font: "ImageFont.FreeTypeFont | ImageFont.ImageFont",
    taken: list[Box],
    size: tuple[int, int],
) -> None:
    left, top, right, bottom = draw.textbbox((0, 0), label, font=font)
    width, height = right - left + 4, bottom - top + 4
    place = _free_place(edges, width, height, taken, size)
    taken.append(place)
    draw.rectangle(place, fill=colour)
    draw.text((place[0] + 2 - left, place[1] + 2 - top), label, fill="white", font=font)


def _free_place(edges: Box, width: float, height: float, taken: list[Box], size: tuple[int, int]) -> Box:
    """Above the box, below it, inside its corner: the first that hides no other label."""
    left, top, _, bottom = edges
    x = min(max(left, 0), size[0] - width)
    places = [(x, max(y, 0.0), x + width, max(y, 0.0) + height) for y in (top - height, bottom, top)]
    return next((place for place in places if not any(_overlap(place, other) for other in taken)), places[0])


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


class Boxes:
    """The boxes of a tree, nested as the elements are."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._boxes = sorted(tree.boxes, key=lambda box: (box.start, -box.stop))
        self._starts = [box.start for box in self._boxes]
        self._outer: list[int] = []
        open_boxes: list[int] = []
        for index, box in enumerate(self._boxes):
            while open_boxes and self._boxes[open_boxes[-1]].stop <= box.start:
                open_boxes.pop()
            self._outer.append(open_boxes[-1] if open_boxes else -1)
            open_boxes.append(index)

    def boxes_around(self, line: int) -> Iterator[range]:
        """Yield the boxes around a line, the innermost first."""
        index = bisect.bisect_right(self._starts, line) - 1
        while index >= 0:
            if line in self._boxes[index]:
                yield self._boxes[index]
            index = self._outer[index]

    def beside(self, box: range) -> list[range]:
        """The boxes that are in the same box and the same line as one, with that one."""
        place, parents = self._boxes.index(box), self._tree.parents
        outer, above = self._outer[place], parents[box.start]
        same = zip(self._boxes, self._outer, strict=True)
        return [other for other, around in same if around == outer and parents[other.start] == above]

    def belongs_to_similar_line(self, text: int, line: int) -> bool:
        """Return whether a text shares a box with another line of the same role and name, as in cards."""
        names, roles = self._tree.names, self._tree.roles
        return any(
            names[other] == names[line] and roles[other] == roles[line]
            for box in self.boxes_around(text)
            if line not in box
            for other in box
        )

    def exclusive_surroundings(self, group: Sequence[int]) -> list[list[range]]:
        """Return for each line of an ascending group what surrounds it and none of the others.

        The innermost comes first. Both boxes and lines with their content count. The paragraph of a link does not: the heading
        above is shorter.
        """
        edges = [-1, *group, len(self._tree)]
        return [
            list(self._walk_exclusive(edges[place], line, edges[place + 2])) for place, line in enumerate(group)
        ]

    def _walk_exclusive(self, last: int, line: int, following: int) -> Iterator[range]:
        roles = self._tree.roles
        for around, above in self.walk_outwards(line):
            if above >= 0 and roles[above] == "paragraph" and roles[line] == "link":
                continue
            if around.start <= last or around.stop > following or len(around) > LARGEST_ITEM:
                return
            yield around

    def walk_outwards(self, line: int) -> Iterator[tuple[range, int]]:
        """Yield (lines, line) of everything around a line, innermost first; line is -1 for a box."""
        tree, boxes = self._tree, self.boxes_around(line)
        box, above = next(boxes, None), tree.parents[line]
        while box or above >= 0:
            if box and (above < 0 or box.start > above):
                yield box, -1
                box = next(boxes, None)
            else:
                yield range(above, tree.ends[above]), above
                above = tree.parents[above]
