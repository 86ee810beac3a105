"""Decode what the page's engine has collected of a document into a tree, and keep it in encoded form."""

import itertools
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypedDict

import orjson

from gstack_browse.snapshot.fold import FEWEST_ITEMS
from gstack_browse.snapshot.numbers import RefNumbers
from gstack_browse.snapshot.tree import Printed, Remote, Tree

_BASE = 93
_DECODED = bytes((code - _BASE) % 256 for code in range(256))
"""What the characters of a column of small numbers mean."""
_SEPARATOR = "\x1e"
_NO_BREAK = "\xa0"
_DESCRIPTION = re.compile(r'(?:^|, )description="[^"]*"')


@dataclass(slots=True)
class EncodedTree:
    """The encoded text of a walk, to decode the tree again later: 0.6 MB, not 13, for 10,000 table rows."""

    encoded: bytes
    size: int
    """How many lines the tree has, with those of `inner`."""
    numbers: RefNumbers | None = None
    unseen_listeners: int = 0
    inner: dict[int, "EncodedTree"] = field(default_factory=dict)
    """The trees of other documents in it, by the index of their remote."""
    printed: Printed = field(default_factory=Printed, repr=False, compare=False)

    def tree(self) -> Tree:
        """Decode the tree of the snapshot. Takes about 1 ms for 9,000 lines."""
        tree = decode(self.encoded.decode(), self.numbers).tree
        tree.unseen_listeners = self.unseen_listeners
        for index, kept in self.inner.items():
            tree.graft(tree.remotes[index].line, kept.tree())
        return tree


@dataclass(slots=True)
class Walked:
    """The result of the engine's walk through one document: its tree, and what Python needs to continue."""

    tree: Tree
    kept: EncodedTree
    document: int
    """Where its ids begin, and what it is known by."""
    last: dict[int, int]
    """The last id of this document, and those of the documents in it."""
    suspects: int
    """How many elements may have a closed shadow root."""
    customs: int = 0
    """How many custom elements may keep their role in an ElementInternals."""
    trees: Sequence[tuple[int, int]] = ()
    """Ids of the shadow roots and documents of frames inside, each with the number of its elements; none where these are many."""

    def record_unexamined_listeners(self, listeners: int) -> None:
        """Set how many elements with click listeners were too many to be examined."""
        self.tree.printed = Printed()
        self.tree.unseen_listeners = self.kept.unseen_listeners = listeners

    def graft(self, index: int, child: "Walked") -> None:
        """Insert the tree of a frame in another process below the line of its iframe.

        `index`: of the frame in `tree.remotes`. Raises RuntimeError if a document of `child` is in the tree already.
        """
        if self.last.keys() & child.last.keys():
            raise RuntimeError("A document is in the snapshot twice")
        self.last |= child.last
        self.tree.graft(self.tree.remotes[index].line, child.tree)
        self.kept.inner[index] = child.kept
        self.kept.size += child.kept.size


class WalkHead(TypedDict):
    """Facts of a walk that the engine sends beside its columns.

    A `@typedef` of the same name and fields is in scripts/walk/lines.js.
    """

    document: int
    last: int
    kinds: list[str]
    range: list[int] | None
    remote: list[tuple[int, int]]
    suspects: int
    customs: int
    trees: list[tuple[int, int]]
    states: list[tuple[int, str]]
    values: list[tuple[int, str]]
    hints: list[tuple[int, str]]
    boxes: list[int]
    hidden: int
    cut: int
    unlisted: int
    jumps: list[int]
    url: str
    title: str


def printed_name(name: str) -> str:
    """Return a name with single blanks in place of all white space, as it is printed and typed."""
    return " ".join(name.split()) if _NO_BREAK in name else name


def _say_shared_descriptions_once(states: dict[int, str]) -> dict[int, str]:
    """Remove a description that many lines share from all but the first. Return the changed line → text.

    Such a description is of the whole list, as in `Press space to pick up an item`.
    """
    lines_by_description: dict[str, list[int]] = defaultdict(list)
    for line, state in states.items():
        if found := _DESCRIPTION.search(state):
            lines_by_description[found[0]].append(line)
    for lines in lines_by_description.values():
        for line in lines[1:] if len(lines) >= FEWEST_ITEMS else ():
            states[line] = _DESCRIPTION.sub("", states[line]).removeprefix(", ")
            if not states[line]:
                del states[line]
    return states


def decode(payload: str, numbers: RefNumbers | None = None) -> Walked:
    """Decode the text of a document from the engine's `walkPage`: head and three columns (walk/walk.js).

    `numbers`: the tab's ref numbers, for the tree. Raises RuntimeError if a node is on two lines.
    """
    head, depths, roles, names = payload.split(_SEPARATOR)
    meta: WalkHead = orjson.loads(head)
    kinds = {chr(_BASE + code): kind for code, kind in enumerate(meta["kinds"])}
    text = next((code for code, kind in kinds.items() if kind == "text"), "")
    tree = Tree(
        depths=_decode_numbers(depths),
        roles=list(map(kinds.__getitem__, roles)),
        nodes=_decode_nodes(roles, text, meta["jumps"]),
        names=names.split("\n") if depths else [],
        states=_say_shared_descriptions_once(dict(meta["states"])),
        values=dict(meta["values"]),
        hints=dict(meta["hints"]),
        boxes=[range(*edges) for edges in zip(meta["boxes"][::2], meta["boxes"][1::2], strict=True)],
        unlisted=meta["unlisted"],
        hidden=meta["hidden"],
        cut=meta["cut"],
        url=meta["url"],
        title=meta["title"],
        scope=range(*meta["range"]) if meta["range"] else None,
        remotes=[Remote(line, node_id) for line, node_id in meta["remote"]],
    )
    if _NO_BREAK in names:
        tree.exact_names = {line: name for line, name in enumerate(tree.names) if _NO_BREAK in name}
        tree.names = list(map(printed_name, tree.names))
    tree.documents = [meta["document"]] * len(tree)
    tree.numbers = numbers
    kept = EncodedTree(payload.encode(), len(tree), numbers)
    tree.printed = kept.printed
    return Walked(
        tree,
        kept,
        meta["document"],
        {meta["document"]: meta["last"]},
        meta["suspects"],
        meta["customs"],
        [(root, elements) for root, elements in meta["trees"]],
    )


def _decode_numbers(column: str) -> list[int]:
    """Decode a column of small numbers, one character each, as the page's engine writes it.

    Numbers above 162 are rare and no single bytes: decode them one by one, which is slower.
    """
    try:
        return list(column.encode("latin-1").translate(_DECODED))
    except UnicodeEncodeError:
        return [ord(character) - _BASE for character in column]


def _decode_nodes(roles: str, text: str, jumps: list[int]) -> list[int]:
    """Return each line's node id: 0 for text, else the last one plus one, unless `jumps` gives another.

    `roles`: a character per line; `text`: the one for texts. `jumps`: line, id, line, id …
    """
    nodes: list[int] = []
    following = 1
    node_at = dict(zip(jumps[::2], jumps[1::2], strict=True))
    runs: list[tuple[int, int]] = []
    for start, stop in itertools.pairwise(sorted({0, *node_at, len(roles)})):
        first = following
        if (node := node_at.get(start)) is not None:
            nodes.append(node)
            start += 1
            first, following = abs(node), abs(node) + 1
        following = _append_ids(nodes, following, roles[start:stop], text)
        runs.append((first, following))
    for (_, end), (start, _) in itertools.pairwise(sorted(runs)):
        if start < end:
            raise RuntimeError("A node is on two lines of the snapshot")  # its number would be printed twice
    return nodes


def _append_ids(nodes: list[int], following: int, roles: str, text: str) -> int:
    """Append a node id for each character of `roles`, from `following` on. Return the next id.

    A text has the id 0. text: the character that stands for the role of texts
    """
    for between in roles.split(text) if text else [roles]:
        nodes += range(following, following + len(between))
        nodes.append(0)
        following += len(between)
    nodes.pop()  # between two pieces is a text, after the last is none
    return following
