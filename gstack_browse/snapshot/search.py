"""`--find` and `--role`: find matching lines, and the lines to print around them."""

import re
from collections.abc import Collection, Iterable, Iterator

from gstack_browse.snapshot.items import LARGEST_ITEM, Surroundings
from gstack_browse.snapshot.options import Options
from gstack_browse.snapshot.tree import Tree

_REF = re.compile(r"@([ec])([1-9][0-9]{0,8})")
_BESIDE = 8
"""How many lines on both sides of a match are printed of what is too long to be printed whole."""


def find_matches(tree: Tree, options: Options) -> set[int]:
    """Return the matching lines: with the text, of the role, or with the ref."""
    if (line := line_of(tree, options.find)) in tree.shown_scope:
        return {line}
    if not options.find:
        return {line for line in tree.shown_scope if tree.roles[line] == options.role}
    with_text = set(_with_text(tree, " ".join(options.find.split()).casefold()))
    return _of_role(tree, with_text, options.role) if options.role else with_text


def line_of(tree: Tree, text: str) -> int:
    """Return the line of a ref; -1 for any other text, and for refs that the tree lacks."""
    match = _REF.fullmatch(text.strip())
    return tree.line_of(int(match[2]) * (1 if match[1] == "e" else -1)) if match else -1


def expand_matches(tree: Tree, hits: Collection[int]) -> set[int]:
    """Return the lines with their ancestors and the whole row, list item or section of each."""
    places = Surroundings(tree)
    wanted = set(hits)
    done: set[range] = set()
    for line in hits:
        wanted.update(_ancestors(tree, line, wanted))
        lines = _readable_unit(tree, places, line)
        if lines not in done:
            done.add(lines)
            wanted.update(lines)
    return wanted


def _with_text(tree: Tree, wanted: str) -> Iterator[int]:
    scope = tree.shown_scope
    for line, name in enumerate(tree.names):
        if name and wanted in name.casefold() and line in scope:
            yield line
    for line, value in tree.values.items():
        if wanted in value.casefold() and line in scope:
            yield line


def _of_role(tree: Tree, with_text: set[int], role: str) -> set[int]:
    """Return lines of the role that contain the text; if none does, those in the same row or section."""
    inside = {
        above
        for line in with_text
        for above in (line, *_ancestors(tree, line))
        if tree.roles[above] == role and above in tree.shown_scope
    }
    return inside or {line for line in expand_matches(tree, with_text) if tree.roles[line] == role}


def _ancestors(tree: Tree, line: int, known: Collection[int] = ()) -> Iterable[int]:
    """Yield the lines that contain a line, innermost first, up to a known one."""
    while (line := tree.parents[line]) >= 0 and line not in known:
        yield line


def _readable_unit(tree: Tree, places: Surroundings, line: int) -> range:
    """Return the row, list item or section of a match; of a long one the lines near the match."""
    lines = _enclosing_unit(tree, places, line)
    if len(lines) <= LARGEST_ITEM:
        return lines
    first = max(line - _BESIDE, lines.start) if line > lines.start else line
    return range(first, min(line + _BESIDE + 1, lines.stop))


def _enclosing_unit(tree: Tree, places: Surroundings, line: int) -> range:
    """Return the row around a match rather than something smaller, such as an item of its list of actions."""
    if tree.roles[line] == "heading":
        return places.headed(line)
    is_bare_control = tree.nodes[line] < 0  # clickable without a role: it looks like an item
    if tree.ends[line] > line + 1 or (places.is_item(line) and not is_bare_control):
        return range(line, tree.ends[line])
    item = places.row(line)
    if item < 0:
        item = places.item(line)
    return range(item, tree.ends[item]) if item >= 0 else _enclosing_section(tree, places, line)


def _enclosing_section(tree: Tree, places: Surroundings, line: int) -> range:
    """Return the lines from the heading above to the next one, within the smallest section."""
    section = places.section(line)
    lines = range(section, tree.ends[section]) if section >= 0 else range(len(tree))
    heading = places.heading(line)
    if heading in lines and line in (headed := places.headed(heading)):
        return headed
    return lines
