"""A finding of `doctor`: one line for each check, and the command that resolves a problem."""

from collections.abc import Callable
from typing import NamedTuple

OK, NONE, PROBLEM = "ok", "-", "problem"


class Finding(NamedTuple):
    """The result of one check.

    `state` is OK, NONE (absent, which is fine), or PROBLEM. `next`: the command to type. `mend` does it for
    `doctor --fix`; None if a person has to.
    """

    state: str
    name: str
    text: str
    next: str = ""
    mend: Callable[[], object] | None = None

    def line(self) -> str:
        """Render the finding for people: one line, and a second one with the command to type."""
        line = f"{self.state:<7}  {self.name}: {self.text}"
        return f"{line}\n         → {self.next}" if self.next else line

    def fields(self) -> dict[str, str]:
        """Return the finding for JSON, with `next` only where there is something to do."""
        found = {"check": self.name, "state": self.state, "text": self.text, "next": self.next}
        return found if self.next else {key: value for key, value in found.items() if key != "next"}
