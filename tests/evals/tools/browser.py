"""Define what a solver can ask of any tool.

It knows the words that tools share; where a tool has others, its adapter says so.

A solver works as an agent does: it looks at the page, takes the reference of a line from what was printed, acts on it, and
reads what the tool answers. It sees nothing that was not printed.
"""

import re
import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from tests.bench.process import TimedCommand
from tests.evals.shell import Shell
from tests.evals.tools.lines import Line, LostError, innermost, matching

__all__ = ["Browser", "CannotError", "CommandFailedError", "Line", "LostError", "direction_and_pixels"]


ONE_TIME_CODE = (
    "import base64,hmac,struct,sys,time;"
    "k=base64.b32decode(sys.argv[1]);h=hmac.digest(k,struct.pack('>Q',int(time.time())//30),'sha1');o=h[-1]&15;"
    "print('%06d'%((struct.unpack('>I',h[o:o+4])[0]&0x7fffffff)%10**6))"
)
"""A one-time code by RFC 6238, for tools without them: a short script, as an agent types and runs it."""
COVERED = re.compile(r"covered by|intercepts pointer events")
"""What tools say of something that another thing lies over."""
LOOKS = 8
"""How often one looks for what has not come yet."""


class CommandFailedError(Exception):
    """A command ended with a failure. A solver may take it as an answer, and go on."""

    def __init__(self, words: Sequence[str], done: TimedCommand) -> None:
        self.output = f"{done.output}\n{done.complaint}".strip()
        self.code = done.code
        super().__init__(f"exit {done.code}: {' '.join(words)[:200]}: {self.output[:600]}")


class CannotError(Exception):
    """The tool has no way to do what the task needs. The words say what is missing."""


@dataclass
class Browser(ABC):
    """A tool at work on a task."""

    name: ClassVar[str]
    LINE: ClassVar[re.Pattern[str]]
    """A line of a snapshot: `indent`, `role`, and where they are there `name`, `states`, `value`."""
    REF: ClassVar[str] = ""
    """What stands before the reference that the states name."""
    pause_ms: ClassVar[int] = 0
    """How long to wait before one looks again, where looks come faster than anything can change."""

    shell: Shell
    lines: list[Line] = field(default_factory=list)
    """What the last look printed."""
    said: str = ""
    """What the last command printed."""

    # Finding, in what was printed.

    def all(self, role: str, name: str = "", *, near: str = "") -> list[Line]:
        """Return lines of these roles (`button|link`) whose name is, or else has, these words.

        Of those the ones closest to the words `near`.
        """
        return matching(self.lines, role, name, near)

    def find(self, role: str, name: str = "", *, near: str = "", nth: int = 0) -> Line:
        """The first such line; where none was printed, one looks at everything. Raises LostError."""
        found = self.all(role, name, near=near)
        if len(found) <= nth:
            self.look_at_everything()
            found = self.all(role, name, near=near)
        if len(found) <= nth:
            raise LostError(f"no {role} “{name}”{f' near “{near}”' if near else ''} was printed")
        return found[nth]

    def one_that_says(self, role: str, words: str) -> Line:
        """Return the innermost line of these roles that has the words, in its name, its value or below it.

        Raises LostError.
        """
        found = innermost(self.lines, role, words)
        if found is None:
            raise LostError(f"no {role} that says “{words}” was printed")
        return found

    def click_fresh(self, role: str, name: str = "", *, near: str = "") -> str:
        """Look and click at once; where the page was drawn anew in between, again. Raises LostError."""
        for _ in range(LOOKS):
            if near:
                self.look_for(near)
            else:
                self.look()
            try:
                return self.click(self.find(role, name, near=near))
            except CommandFailedError:
                continue
        raise LostError(f"{role} “{name}” was gone each time")

    def click_through(self, role: str, name: str, *, away: str) -> str:
        """Click what something may lie over, which is sent away by a button that is called so.

        An error that says so is enough to look for that button. One that says nothing leaves one to look in several ways for a
        reason, as a model would.
        """
        line = self.find(role, name)
        try:
            return self.click(line)
        except CommandFailedError as failed:
            if COVERED.search(failed.output):
                self.look()
            else:
                self.search_the_page()
        self.click(self.find("button|link", away))
        return self.click(line)

    def search_the_page(self) -> None:
        """Read the page, look at its state and at all of it.

        That is what one does who is told that something failed, and not why.
        """
        self.text()
        self.problems()
        self.look_at_everything()

    # Looking and acting, in the words of each tool.

    @abstractmethod
    def open(self, url: str) -> str: ...

    @abstractmethod
    def look(self) -> str:
        """Print what can be operated, with references."""

    def visit(self, url: str, text: str = "") -> str:
        """Open a page, wait until it shows a text, and look; in one call where the tool can."""
        said = self.open(url)
        if text:
            said += self.expect(text)
        return said + self.look()

    def renew(self) -> None:
        """Look again, where references do not outlive that the page draws anew what they stand for."""
        self.look()

    def shows(self, words: str) -> bool:
        """Whether the page shows these words; `lines` may be those of the part that has them."""
        return words in self.text("main")

    def look_at_everything(self) -> str:
        """Print all of the page, where `look` prints a part of it."""
        return self.look_by("snapshot")

    def look_by(self, *words: str) -> str:
        """Run a command that prints lines."""
        printed = self.run(*words)
        self.lines = self.parsed(printed)
        return printed

    @classmethod
    def parsed(cls, printed: str) -> list[Line]:
        """The lines of a snapshot."""
        return [cls._line(row) for row in printed.splitlines() if row.strip()]

    @classmethod
    def _line(cls, row: str) -> Line:
        match = cls.LINE.match(row)
        if not match:
            return Line("", "", "", raw=row, depth=len(row) - len(row.lstrip()))
        said = match.groupdict("")
        named = re.search(r"\bref=(\w+)", said["states"])
        ref = f"{cls.REF}{named[1]}" if named else said.get("ref", "")
        name = re.sub(r"\\(.)", r"\1", said["name"])
        states = said["states"].replace("[", "").replace("]", "")
        return Line(ref, said["role"].lower(), name, states, said["value"], row, len(said["indent"]))

    def look_again(self) -> str:
        """Print what has changed since the last look, where the tool can; `lines` are up to date afterwards."""
        return self.look()

    @abstractmethod
    def look_for(self, words: str) -> str:
        """Print the part of the page that has these words, with references."""

    @abstractmethod
    def text(self, target: str = "") -> str:
        """The text of the page, or of what a selector means."""

    def click(self, line: Line) -> str:
        return self.run("click", line.ref)

    def click_button(self, name: str, *, near: str = "", says: str = "") -> str:
        """Click a button that was printed, and wait until the page says something."""
        said = self.click(self.find("button", name, near=near))
        return said + self.expect(says) if says else said

    def fill(self, line: Line, value: str) -> str:
        return self.run("fill", line.ref, value)

    def fill_date(self, label: str, day: str) -> str:
        """Fill in a date (2027-01-31)."""
        return self.fill(self.find("textbox|date", label), day)

    def submit(self, line: Line, value: str) -> str:
        """Fill a field and press Enter in it."""
        self.fill(line, value)
        return self.press("Enter")

    def fill_form(self, values: Mapping[Line, str]) -> str:
        """Several fields; in one call where the tool can."""
        return "\n".join(self.fill(line, value) for line, value in values.items())

    def fill_fields(self, values: Mapping[str, str]) -> str:
        """Several fields, by their names."""
        return self.fill_form({self.find("textbox|spinbutton", name): value for name, value in values.items()})

    def select(self, line: Line, label: str) -> str:
        return self.run("select", line.ref, label)

    def check(self, line: Line) -> str:
        return self.run("check", line.ref)

    def uncheck(self, line: Line) -> str:
        return self.run("uncheck", line.ref)

    def press(self, key: str) -> str:
        return self.run("press", key)

    def type(self, text: str) -> str:
        """Type with real keys where the focus is."""
        return self.run("type", text)

    def hover(self, line: Line) -> str:
        return self.run("hover", line.ref)

    def drag(self, line: Line, onto: Line) -> str:
        return self.run("drag", line.ref, onto.ref)

    def upload(self, line: Line, *files: str) -> str:
        return self.run("upload", line.ref, *files)

    def drop(self, line: Line, file: str) -> str:
        return self.run("drop", line.ref, file)

    def download(self, line: Line, path: str) -> str:
        """Click what downloads a file, and keep it as `path`."""
        return self.run("download", line.ref, path)

    @abstractmethod
    def expect(self, text: str) -> str:
        """Wait until the page shows these words. Raises CommandFailedError."""

    def look_until(self, role: str, name: str) -> Line:
        """Look again until there is something of this role and name, in whatever frame. Raises LostError."""
        for _ in range(LOOKS):
            self.look()
            if found := self.all(role, name):
                return found[0]
            if self.pause_ms:
                self.run("wait", str(self.pause_ms))
        raise LostError(f"no {role} “{name}” came")

    def expect_role(self, role: str, name: str) -> None:
        """Wait until there is an element of this role and name.

        By looking, where the tool cannot wait for that.
        """
        self.look_until(role, name)

    @abstractmethod
    def expect_gone(self, text: str) -> str:
        """Wait until the page no longer shows these words. Raises CommandFailedError."""

    def follow(self, *words: str) -> str:
        """Wait for what the last action has begun: for one of these or, without any, until the page is quiet.

        Nothing is to be done where a tool's actions wait for that by themselves.
        """
        return ""

    @abstractmethod
    def settle(self) -> str:
        """Wait until the page asks its server for nothing more."""

    @abstractmethod
    def answering(self, line: Line, *, accept: bool, words: str = "") -> str:
        """Click what asks something in a dialog, and answer that."""

    @abstractmethod
    def scroll(self, line: Line | None = None, pixels: int = 0) -> str:
        """Scroll a part of the page by so many pixels, upwards if negative, or the page to its end (0)."""

    @abstractmethod
    def tab(self, which: str) -> str: ...

    def reload(self) -> str:
        return self.run("reload")

    @abstractmethod
    def select_text(self, line: Line, words: str) -> str:
        """Select words in an editor."""

    @abstractmethod
    def problems(self) -> str:
        """Errors that the page has logged, and requests that failed."""

    def one_time_code(self, line: Line, secret: str, origin: str) -> str:
        """Fill in the one-time code that belongs to a secret now."""
        code = self.shell.program(sys.executable, "-c", ONE_TIME_CODE, secret).output.strip()
        return self.fill(line, code)

    # What all of them share.

    def run_all(self, *commands: Sequence[str]) -> str:
        """Run commands of which each may fail, and return what all of them said."""
        said = []
        for words in commands:
            try:
                said.append(self.run(*words))
            except CommandFailedError as failed:
                said.append(failed.output)
        return "\n".join(said)

    def run(self, *words: str, stdin: str = "") -> str:
        """A command of the tool, and what it said. Raises CommandFailedError."""
        done = self.shell.tool(*words, stdin=stdin)
        if done.code:
            raise CommandFailedError(words, done)
        self.said = f"{done.output}{done.complaint}"
        return self.said


def direction_and_pixels(pixels: int) -> tuple[str, str]:
    """Return pixels as tools take them: up or down, how many."""
    return ("up" if pixels < 0 else "down"), str(abs(pixels))
