"""Render a tree as JSON for programs: an object a line, in page order. Pure."""

import re
from collections.abc import Mapping
from typing import Any

import orjson

from gstack_browse.snapshot.annotate import Box
from gstack_browse.snapshot.options import Options
from gstack_browse.snapshot.render import select_view
from gstack_browse.snapshot.tree import Tree

_OUTSIDE_QUOTES = re.compile(r', (?=(?:[^"]*"[^"]*")*[^"]*$)')


def shown_lines(tree: Tree, options: Options) -> list[int]:
    """The lines that the options leave, with what would be folded as text."""
    return select_view(tree, options).lines


def as_json(tree: Tree, options: Options, boxes: Mapping[int, Box]) -> str:
    """Return the tree as a JSON list of objects with ref, role, name, states, value, box and level.

    Names are as the page has them, with no-break spaces. An object has no key for what its element lacks.

    Above the size that the options allow, the last object says only how many are `left_out`.
    """
    view = select_view(tree, options)
    room = options.max_chars
    objects: list[str] = []
    for line, indent in zip(view.lines, view.indents, strict=True):
        text = orjson.dumps(_described(tree, line, indent, boxes.get(line))).decode()
        room = None if room is None else room - len(text)
        if room is not None and room < 0:
            objects.append(f'{{"left_out":{len(view.lines) - len(objects)}}}')
            break
        objects.append(text)
    return "[" + ",\n ".join(objects) + "]"


def _described(tree: Tree, line: int, level: int, box: Box | None) -> dict[str, Any]:
    found: dict[str, Any] = {"level": level}
    if tree.nodes[line]:
        found["ref"] = tree.ref(line)
    found["role"] = tree.roles[line]
    if tree.names[line]:
        found["name"] = tree.exact_names.get(line, tree.names[line])
    if line in tree.states:
        found["states"] = _OUTSIDE_QUOTES.split(tree.states[line])
    if line in tree.values:
        found["value"] = tree.values[line]
    if box:
        found["box"] = [round(side, 1) for side in box]
    return found
