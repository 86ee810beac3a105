"""The lines of a tree that are shown, and what is printed below them. Decides nothing."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class View:
    """The lines of a tree that are shown. `indents[k]` belongs to `lines[k]`."""

    lines: list[int]
    indents: list[int]
    notes: dict[int, str] = field(default_factory=dict)
    """What is printed below a line, indented already, by the line of the tree; -1: above all lines."""

    def part(self, start: int, stop: int) -> "View":
        """Some of the lines, by their places among those shown."""
        return View(self.lines[start:stop], self.indents[start:stop], self.notes)

    def note(self, line: int, text: str) -> None:
        """Print one more line of text below a line, after what is noted there already."""
        self.notes[line] = f"{self.notes[line]}\n{text}" if line in self.notes else text
