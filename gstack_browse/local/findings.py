"""What a look at the machine has found: one line each, and what to type for what is wrong."""

from collections.abc import Callable
from typing import NamedTuple

OK, NONE, PROBLEM = "ok", "-", "problem"


class Finding(NamedTuple):
    """One thing that was looked at: OK, NONE (not there, which is well), or PROBLEM, and then what to type.

    `mend`: does that, where `doctor --fix` may; None where a person has to.
    """

    state: str
    name: str
    text: str
    next: str = ""
    mend: Callable[[], object] | None = None

    def line(self) -> str:
        """The finding for people: one line, and a second one with the command to type."""
        line = f"{self.state:<7}  {self.name}: {self.text}"
        return f"{line}\n         → {self.next}" if self.next else line

    def fields(self) -> dict[str, str]:
        """The finding for JSON."""
        found = {"check": self.name, "state": self.state, "text": self.text, "next": self.next}
        return found if self.next else {key: value for key, value in found.items() if key != "next"}
