"""Render a tree as JSON or YAML: for each element one object, or one list entry, in page order."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from gstack_browse.snapshot.annotate import Box
from gstack_browse.snapshot.filters import select
from gstack_browse.snapshot.render import bracketed, select_view, split_states
from gstack_browse.snapshot.rows import REASONS_TO_LIST
from gstack_browse.snapshot.tree import Options, Tree
from gstack_browse.text.sanitise import escape_quotes, sanitise


def as_json(tree: Tree, options: Options, boxes: Mapping[int, Box]) -> str:
    """Return the tree as a JSON list of objects with ref, role, name, states, value, box and level.

    Names are as the page has them, with no-break spaces. An object has no key for what its element lacks.

    Above the size that the options allow, the last object says only how many are `left_out`.
    """
    view = select_view(tree, options)
    room = options.max_chars
    objects: list[str] = []
    for line, indent in zip(view.lines, view.indents, strict=True):
        text = orjson.dumps(_line_fields(tree, line, indent, boxes.get(line))).decode()
        room = None if room is None else room - len(text)
        if room is not None and room < 0:
            objects.append(f'{{"left_out":{len(view.lines) - len(objects)}}}')
            break
        objects.append(text)
    return "[" + ",\n ".join(objects) + "]"


def _line_fields(tree: Tree, line: int, level: int, box: Box | None) -> dict[str, Any]:
    """Return a line as an object for `--json`. Empty fields are left out. `box`: in CSS pixels."""
    found: dict[str, Any] = {"level": level}
    if tree.nodes[line]:
        found["ref"] = tree.ref(line)
    found["role"] = tree.roles[line]
    if tree.names[line]:
        found["name"] = tree.exact_names.get(line, tree.names[line])
    if line in tree.states:
        found["states"] = split_states(tree.states[line])
    if line in tree.values:
        found["value"] = tree.values[line]
    if box:
        found["box"] = [round(side, 1) for side in box]
    return found


_LONGEST_NAME = 200
"""YAML reads keys of up to 1,024 characters, and quoting may make a name four times as long."""
_NEEDS_QUOTES = re.compile(
    r"[^\w/(]|\d|_|.*(?:: | #|[:\s]\Z)|(?:true|false|null|yes|no|on|off|y|n)\Z", re.IGNORECASE | re.DOTALL
)
"""Plain text that YAML would read as something else: https://yaml.org/spec/1.2.2/#733-plain-style"""


def render_yaml(tree: Tree) -> str:
    """Render every line of the tree as YAML, indented by level; "" for a tree without lines."""
    view = select(tree, Options(max_chars=None))
    indents = [*view.indents, 0]
    lines: list[str] = []
    for place, line in enumerate(view.lines):
        margin = "  " * indents[place]
        parts = list(_parts_below(tree, line))
        has_children = indents[place + 1] > indents[place]
        key = _quote_scalar(_key(tree, line), in_single_quotes=True)
        if len(parts) == 1 and not has_children and parts[0][0] == "text":
            lines.append(f"{margin}- {key}: {_quote_scalar(parts[0][1])}")
            continue
        lines.append(f"{margin}- {key}{':' if parts or has_children else ''}")
        lines += [f"{margin}  - {kind}: {_quote_scalar(text)}" for kind, text in parts]
    return "\n".join(lines)


def _key(tree: Tree, line: int) -> str:
    """Return a line's role, name and states as a YAML key: `heading "Shop" [level=1]`."""
    role, name = tree.roles[line], sanitise(tree.names[line])
    if role == "text":
        return role
    key = f'{role} "{escape_quotes(name)}"' if 0 < len(name) <= _LONGEST_NAME else role
    states = tree.states.get(line, "")
    if tree.nodes[line] < 0:  # for a @c element, states say why it is listed too: no facts of the tree
        states = ", ".join(state for state in states.split(", ") if state not in REASONS_TO_LIST)
    return f"{key} {bracketed(sanitise(states))}" if states else key


def _parts_below(tree: Tree, line: int) -> Iterator[tuple[str, str]]:
    """Yield (kind, text) of what is printed below or behind a line's key; kinds are `/url`, `text` …."""
    role, name, value = tree.roles[line], sanitise(tree.names[line]), sanitise(tree.values.get(line, ""))
    if role == "text" or len(name) > _LONGEST_NAME:
        yield "text", name
    if value:
        yield "/url" if role == "link" else "text", value


def _quote_scalar(text: str, *, in_single_quotes: bool = False) -> str:
    """Quote text that YAML would misread; keys in single quotes, as they contain double ones."""
    if text and not _NEEDS_QUOTES.match(text):
        return text
    return "'" + text.replace("'", "''") + "'" if in_single_quotes else json.dumps(text, ensure_ascii=False)
