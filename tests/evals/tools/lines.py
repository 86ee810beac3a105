"""Read lines of a snapshot as a reader sees them. Pure.

What stands in what, and which of two equal buttons belongs to which row.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Line:
    """A line that was printed. One that cannot be acted on has no reference."""

    ref: str
    role: str
    name: str
    states: str = ""
    value: str = ""
    raw: str = ""
    depth: int = 0

    def has(self, state: str) -> bool:
        """Whether the line is marked so: `checked`, `disabled`, …"""
        return re.search(rf"(?<![\w=-]){re.escape(state)}(?![\w-]|=false)", self.states) is not None


class LostError(Exception):
    """The line that the solver looks for was not printed."""


def matching(lines: Sequence[Line], role: str, name: str = "", near: str = "") -> list[Line]:
    """Return lines of these roles (`button|link`) whose name is `name`; without such a line those that contain it.

    Of those, the ones closest to `near`.
    """
    roles = role.split("|")
    found = [index for index, line in enumerate(lines) if line.ref and line.role in roles]
    exact = [index for index in found if name and lines[index].name == name]
    found = exact or [index for index in found if name.lower() in lines[index].name.lower()]
    if near:
        depths = {index: _common_depth(lines, index, near) for index in found}
        deepest = max(depths.values(), default=-1)
        found = [index for index in found if deepest >= 0 and depths[index] == deepest]
    return [lines[index] for index in found]


def innermost(lines: Sequence[Line], role: str, words: str) -> Line | None:
    """The last line of these roles with a reference that has the words itself, or around them."""
    roles = role.split("|")
    found = None
    for index, line in enumerate(lines):
        says = any(words in lines[inside].raw for inside in _subtree(lines, index))
        if line.ref and line.role in roles and says and (found is None or line.depth >= found.depth):
            found = line
    return found


def _common_depth(lines: Sequence[Line], index: int, words: str) -> int:
    """How deep the innermost thing is that has both the line and the words: -1 if nothing has."""
    if words in lines[index].raw:
        return 10_000
    position = index
    while (above := _parent(lines, position)) is not None:
        if any(words in lines[inside].raw for inside in _subtree(lines, above)):
            return lines[above].depth
        position = above
    return -1


def _parent(lines: Sequence[Line], index: int) -> int | None:
    depth = lines[index].depth
    return next((above for above in range(index - 1, -1, -1) if lines[above].depth < depth), None)


def _subtree(lines: Sequence[Line], index: int) -> range:
    depth = lines[index].depth
    end = next((below for below in range(index + 1, len(lines)) if lines[below].depth <= depth), len(lines))
    return range(index, end)
