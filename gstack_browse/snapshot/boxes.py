"""What is around a line without being a line itself: cards, chips, the cells of a layout."""

import bisect
from collections.abc import Iterator, Sequence

from gstack_browse.snapshot.items import LARGEST_ITEM
from gstack_browse.snapshot.tree import Tree


class Boxes:
    """The boxes of a tree. They lie in each other or apart, as elements do."""

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

    def around(self, line: int) -> Iterator[range]:
        """The boxes that a line is in, the innermost first."""
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

    def is_of_another(self, text: int, line: int) -> bool:
        """Whether a text is in a box with another line that reads as this one does, and is said of that, as in the card before this one."""
        names, roles = self._tree.names, self._tree.roles
        return any(
            names[other] == names[line] and roles[other] == roles[line]
            for box in self.around(text)
            if line not in box
            for other in box
        )

    def alone(self, group: Sequence[int]) -> list[list[range]]:
        """For each of some ascending lines what is around this one and none of the others, the innermost first: boxes, and lines with what is in them.

        No paragraph of a link: what the heading above says is shorter than a sentence.
        """
        edges = [-1, *group, len(self._tree)]
        return [list(self._between(edges[place], line, edges[place + 2])) for place, line in enumerate(group)]

    def _between(self, last: int, line: int, following: int) -> Iterator[range]:
        roles = self._tree.roles
        for around, above in self.enclosing(line):
            if above >= 0 and roles[above] == "paragraph" and roles[line] == "link":
                continue
            if around.start <= last or around.stop > following or len(around) > LARGEST_ITEM:
                return
            yield around

    def enclosing(self, line: int) -> Iterator[tuple[range, int]]:
        """What is around a line, the innermost first: boxes, each with -1, and lines with what is in them, each with itself."""
        tree, boxes = self._tree, self.around(line)
        box, above = next(boxes, None), tree.parents[line]
        while box or above >= 0:
            if box and (above < 0 or box.start > above):
                yield box, -1
                box = next(boxes, None)
            else:
                yield range(above, tree.ends[above]), above
                above = tree.parents[above]
