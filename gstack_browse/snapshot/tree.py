"""The tree of one snapshot as columns, the view of the lines shown, and the options of `snapshot`.

Columns rather than node objects, because a table of 10,000 rows is 110,000 nodes and most are never printed. Line `i`
is described by `depths[i]`, `roles[i]` and so on; a subtree is the lines `i` to `ends[i]`.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from gstack_browse.snapshot.numbers import RefNumbers

OPERABLE = frozenset(
    {
        "button", "link", "textbox", "checkbox", "radio", "combobox", "listbox", "menuitem", "menuitemcheckbox",
        "menuitemradio", "option", "searchbox", "slider", "spinbutton", "switch", "tab", "treeitem",
    }
)  # fmt: skip
"""Roles of what can be operated (`snapshot -i`)."""


@dataclass(slots=True)
class Printed:
    """The cached text of a tree's last print, with its options and the tab's print count then."""

    options: object = None
    prints: int = -1
    text: str = ""


@dataclass(slots=True)
class Remote:
    """A frame whose document the walk could not enter: the line of its iframe and that element's id."""

    line: int
    node_id: int


@dataclass
class Tree:
    """All lines of one snapshot, in document order.

    A line is the index of an element or a text in the columns.
    """

    depths: list[int]
    roles: list[str]
    nodes: list[int]
    """Ids of the nodes in their documents; negative: printed as @c; 0: text, which has none."""
    names: list[str]
    exact_names: dict[int, str] = field(default_factory=dict)
    """The names that have no-break spaces in them, which are printed and searched as blanks."""
    states: dict[int, str] = field(default_factory=dict)
    """What is printed in brackets, for the lines that have any: "checked, level=2"."""
    values: dict[int, str] = field(default_factory=dict)
    """What is printed after the colon, for the lines that have any."""
    hints: dict[int, str] = field(default_factory=dict)
    """What the markup says of controls that have no name: ".trash"."""
    boxes: list[range] = field(default_factory=list)
    """The lines in elements that have none themselves, where these tell a control from an equal one: in cards, chips."""
    url: str = ""
    title: str = ""
    scope: range | None = None
    """The lines of the element that `-s` asked for."""
    remotes: list[Remote] = field(default_factory=list)
    unseen_listeners: int = 0
    """Elements that listen for clicks and were too many to be looked at."""
    unlisted: int = 0
    """Clickable elements without a role that are only counted: a snapshot lists a hundred of a document."""
    hidden: int = 0
    """Characters of text that nobody can see: they are not listed."""
    cut: int = 0
    """How many elements and lines were read of documents that have more than are read at a time; 0 where all were read."""
    documents: list[int] = field(default_factory=list)
    """The document that each line is of."""
    numbers: RefNumbers | None = field(default=None, repr=False, compare=False)
    """Gives the tab's numbers to what is printed; None prints ids, for trees of no tab."""
    kept: object = field(default=None, repr=False, compare=False)
    """The `walked.EncodedTree` of all of it; None for a part, and for trees of no tab."""
    printed: "Printed" = field(default_factory=lambda: Printed(), repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.depths)

    @cached_property
    def ends(self) -> list[int]:
        """Return for each line the first line after its subtree."""
        return _subtree_ends(self.depths)

    @cached_property
    def parents(self) -> list[int]:
        """Return for each line the line of its parent; -1 for a top one."""
        return _parents(self.depths)

    def ancestors(self, line: int, known: Collection[int] = ()) -> Iterator[int]:
        """Yield the lines that contain a line, innermost first, up to but without one in `known`."""
        while (line := self.parents[line]) >= 0 and line not in known:
            yield line

    @property
    def shown_scope(self) -> range:
        """Return the lines that may be shown: of the element selected by `-s`, or all."""
        return range(len(self)) if self.scope is None else self.scope

    @cached_property
    def lines_of(self) -> dict[int, int]:
        """Map each node's id (negative for @c) to its line."""
        return {node: line for line, node in enumerate(self.nodes) if node}

    def line_of(self, number: int) -> int:
        """Return the line of the element whose ref has this number (negative for @c); -1 for none."""
        found = self.numbers.find(number) if self.numbers else (0, number)
        node = found[1] if found else 0
        return self.lines_of.get(node, self.lines_of.get(-node, -1))

    def ref(self, line: int) -> str:
        """Return "@e12", "@c3", or "" for text. Call it only for printed lines: it assigns the number."""
        return self.refs([line])[0]

    def earlier_ref(self, line: int) -> str:
        """Return the ref of a line of an earlier snapshot, without recording that it is printed again."""
        node = self.nodes[line]
        known = self.numbers.known_ref(self.documents[line], node) if self.numbers and node else ""
        return known or self.ref(line)

    def refs(self, lines: Sequence[int]) -> list[str]:
        """Return the refs of lines that are printed together. A line without a number gets one."""
        nodes = [self.nodes[line] for line in lines]
        if self.numbers is None:
            return [f"@e{node}" if node > 0 else f"@c{-node}" if node else "" for node in nodes]
        documents, roles, names = self.documents, self.roles, self.names
        return self.numbers.refs(
            [documents[line] for line in lines],
            nodes,
            [roles[line] for line in lines],
            [names[line] for line in lines],
            self.kept,
        )

    def ref_widths(self, lines: Sequence[int]) -> Iterable[int]:
        """Return the number of digits of each line's ref, as if the lines were printed in this order."""
        numbers = list(map(self.nodes.__getitem__, lines))
        if self.numbers:
            numbers = self.numbers.predict(list(map(self.documents.__getitem__, lines)), numbers)
        return map(len, map(str, map(abs, numbers)))

    def children(self, line: int) -> list[int]:
        """Return the lines one level below `line`; those of the outermost level for -1."""
        return self.siblings(line + 1, self.ends[line] if line >= 0 else len(self))

    def siblings(self, first: int, stop: int) -> list[int]:
        """Return the topmost lines from `first` up to `stop`: those below no other line of that range."""
        found = []
        ends = self.ends
        while first < stop:
            found.append(first)
            first = ends[first]
        return found

    def graft(self, line: int, child: "Tree") -> None:
        """Insert the tree of another document below `line`, which must have nothing below it."""
        self.printed = Printed()
        at, depth, size = line + 1, self.depths[line] + 1, len(child)
        self.depths[at:at] = [depth + below for below in child.depths]
        self.roles[at:at] = child.roles
        self.nodes[at:at] = child.nodes
        self.documents[at:at] = child.documents
        self.names[at:at] = child.names
        self.exact_names = _insert_texts(self.exact_names, at, size, child.exact_names)
        self.states = _insert_texts(self.states, at, size, child.states)
        self.values = _insert_texts(self.values, at, size, child.values)
        self.hints = _insert_texts(self.hints, at, size, child.hints)
        self.boxes = [_shift_range(box, at, size) for box in self.boxes]
        self.boxes += [range(box.start + at, box.stop + at) for box in child.boxes]
        self.unseen_listeners += child.unseen_listeners
        self.unlisted += child.unlisted
        self.hidden += child.hidden
        self.cut += child.cut
        self.remotes = [Remote(r.line + size if r.line >= at else r.line, r.node_id) for r in self.remotes]
        self.scope = _shift_scope(self.scope, at, size, child.scope)
        for name in ("ends", "parents", "lines_of"):
            self.__dict__.pop(name, None)


def _subtree_ends(depths: list[int]) -> list[int]:
    """Return for each line the first line after its subtree: depths `[0, 1, 1, 0]` → `[3, 2, 3, 4]`."""
    size = len(depths)
    ends = list(range(1, size + 1))  # most lines have nothing inside
    open_lines: list[int] = []
    above = 0
    for line, depth in enumerate(depths):
        if depth > above:
            open_lines.append(line - 1)
        elif depth < above:
            while open_lines and depths[open_lines[-1]] >= depth:
                ends[open_lines.pop()] = line
        above = depth
    for line in open_lines:
        ends[line] = size
    return ends


def _parents(depths: list[int]) -> list[int]:
    """Return for each line the line around it, -1 at the top: `[0, 1, 1, 0]` → `[-1, 0, 0, -1]`."""
    parents = []
    last = [-1] * (max(depths, default=0) + 2)  # the last line of each depth, one place further on
    for line, depth in enumerate(depths):
        parents.append(last[depth])
        last[depth + 1] = line
    return parents


def _insert_texts(mine: dict[int, str], at: int, size: int, theirs: dict[int, str]) -> dict[int, str]:
    """Return `mine` (line → text) after `size` lines with the texts `theirs` are inserted before `at`."""
    moved = {line + size if line >= at else line: text for line, text in mine.items()}
    moved.update((line + at, text) for line, text in theirs.items())
    return moved


def _shift_scope(mine: range | None, at: int, size: int, theirs: range | None) -> range | None:
    """Return the scope (lines selected by `-s`) after `size` lines were inserted before line `at`.

    mine, theirs: scopes of this tree and the inserted one, which takes precedence. None: the whole tree.
    """
    if theirs is not None:
        return range(theirs.start + at, theirs.stop + at)
    return mine if mine is None else _shift_range(mine, at, size)


def _shift_range(lines: range, at: int, size: int) -> range:
    """Return a range after `size` lines were inserted before line `at`; it grows if they are inside of it."""
    if at > lines.stop:
        return lines
    if at <= lines.start:
        return range(lines.start + size, lines.stop + size)
    return range(lines.start, lines.stop + size)


@dataclass(frozen=True, slots=True)
class Note:
    """A line printed between the lines of the page, such as `… 7 more rows like these`.

    `{}` in its text stands for the ref of the line `about` of the tree.
    """

    text: str
    about: int = -1

    def render(self, tree: Tree) -> str:
        """Return the note's text with the ref in it.

        Call it once the lines above are rendered: it may assign a number, and these go on from line to line.
        """
        return self.text.format(tree.ref(self.about)) if self.about >= 0 else self.text


@dataclass(slots=True)
class View:
    """The lines of a tree that are shown. `indents[k]` belongs to `lines[k]`."""

    lines: list[int]
    indents: list[int]
    notes: dict[int, list[Note]] = field(default_factory=dict)
    """What is printed below a line, indented already, by the line of the tree; -1: above all lines."""

    endings: dict[int, str] = field(default_factory=dict)
    """What is printed behind a line: the options of a closed list, the cells of a row."""

    def part(self, start: int, stop: int) -> "View":
        """Return a view of the lines with indices from `start` up to `stop` in `lines`."""
        return View(self.lines[start:stop], self.indents[start:stop], self.notes, self.endings)

    def add_note(self, line: int, note: Note) -> None:
        """Add a note to be printed below a line, after those that are there already."""
        self.notes[line] = [*self.notes.get(line, []), note]


DEFAULT_CHARS = 20_000


@dataclass(frozen=True, slots=True)
class Options:
    """The flags of `snapshot`. None of them changes a number; each may only hide lines."""

    interactive: bool = False
    compact: bool = False
    depth: int | None = None
    max_chars: int | None = DEFAULT_CHARS
    """Fold runs of similar siblings above this size; None never folds."""
    rows: range | None = None
    """Only these items (counted from 1) of the longest run of the scope."""
    find: str = ""
    """Only lines with this text, or with this ref, with what they belong to."""
    role: str = ""
    """Only elements of this role; of several with commas."""

    @property
    def roles(self) -> frozenset[str]:
        """Return the roles that `--role` names."""
        return frozenset(name.strip() for name in self.role.split(","))

    @property
    def joins_runs(self) -> bool:
        """Return whether consecutive equal lines are printed as one.

        That is with `-i`, unless `--all`, a search or `--rows` asks for the lines themselves.
        """
        return self.interactive and self.max_chars is not None and not (self.find or self.role or self.rows)

    @property
    def joins_rows(self) -> bool:
        """Return whether a row is printed in place of its clickable cells.

        That is with `-i`, unless `--all` or a search asks for the lines themselves.
        """
        return self.interactive and self.max_chars is not None and not (self.find or self.role)

    @property
    def needs_labels(self) -> bool:
        """Return whether lines that read alike need labels: the lines around them are not printed."""
        return self.interactive or bool(self.role and not self.find)
