"""Hold new designs to the project's own DESIGN.md: find it, add it to a brief, read its colours."""

import re
from pathlib import Path
from typing import NamedTuple

from gstack_browse.design.document import DOCUMENT_FILE
from gstack_browse.design.facts import Colour
from gstack_browse.errors import FileFailed, Refused
from gstack_browse.workspace.directory import find_workspace
from gstack_browse.workspace.files import open_to_read

MOST_CHARACTERS = 12_000
"""What a brief can take along besides its own words; the rest of a longer document is left out."""
_HEX = re.compile(r"#([0-9A-Fa-f]{6})\b")


class DesignRules(NamedTuple):
    """The text of the workspace's DESIGN.md; "" without one."""

    text: str = ""
    is_cut: bool = False
    problem: str = ""
    """Why the document was left out, if it is there."""

    def add_to_brief(self, brief: str) -> str:
        """Return the brief with the document as a constraint."""
        if not self.text:
            return brief
        return f"{brief}\n\nKeep to this design system, also where the words above leave it open:\n{self.text}"

    @property
    def colours(self) -> list[Colour]:
        """Return the colours that the document names in hexadecimal."""
        found = dict.fromkeys(word.lower() for word in _HEX.findall(self.text))
        return [Colour(*bytes.fromhex(word)) for word in found]

    @property
    def note(self) -> str:
        """Say that the document was a constraint; "" without one."""
        if self.problem:
            return f"→ {DOCUMENT_FILE} was left out: {self.problem}"
        cut = f", its first {MOST_CHARACTERS:,} characters" if self.is_cut else ""
        return f"→ held to {DOCUMENT_FILE}{cut}" if self.text else ""


def read_rules(cwd: str) -> DesignRules:
    """Read DESIGN.md at the root of the workspace that `cwd` is in. Blocks.

    Links are not followed, as with all files that the workspace brings along.
    """
    path = Path(find_workspace(cwd), DOCUMENT_FILE)
    try:
        with open_to_read(str(path)) as file:
            content = file.read(4 * MOST_CHARACTERS + 1)
    except FileFailed:
        return DesignRules()
    except Refused as error:
        return DesignRules(problem=error.message)
    text = content.decode(errors="replace").strip()
    return DesignRules(text[:MOST_CHARACTERS], len(text) > MOST_CHARACTERS)
