"""The lines of a tree that are shown, and what is printed below them. Decides nothing."""

from dataclasses import dataclass, field

from gstack_browse.snapshot.tree import Tree


@dataclass(frozen=True, slots=True)
class Note:
    """A line of ours among those of the page.

    `{}` in its text stands for the ref of the line `about` of the tree.
    """

    text: str
    about: int = -1

    def render(self, tree: Tree) -> str:
        """Return the text.

        Ask once the lines above it have their numbers, so that those go on from line to line.
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
        """Some of the lines, by their places among those shown."""
        return View(self.lines[start:stop], self.indents[start:stop], self.notes, self.endings)

    def note(self, line: int, note: Note) -> None:
        """Print a note below a line, after those that are there already."""
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
        """Return the roles of `role`."""
        return frozenset(name.strip() for name in self.role.split(","))

    @property
    def joins_runs(self) -> bool:
        """True where runs of equal lines are printed as one: not where some of them were asked for."""
        return self.interactive and self.max_chars is not None and not (self.find or self.role or self.rows)

    @property
    def joins_rows(self) -> bool:
        """True where a row stands for its cells. `--rows` prints rows, so it does then, too."""
        return self.interactive and self.max_chars is not None and not (self.find or self.role)

    @property
    def bare(self) -> bool:
        """True when lines are printed without what is around them."""
        return self.interactive or bool(self.role and not self.find)
