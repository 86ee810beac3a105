"""The text of a flow file: parse it strictly, and render it.

    # gbrowse flow 1
    # var email = ann@example.com
    # secret password
    goto http://localhost:3000/login
    fill label=Email $email
    #@ textbox "Email" id=email in=form
    include more.flow

A line is one command, as a shell takes it; the notes (`#@`) below it identify the elements that it names, in their order.
`#@ tab 3` below a step: the step opens the tab that later steps call 3. `#@ fails POST **/check`: such a request may fail in
this flow. Other comments are for people. Nothing is executed here.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from gstack_browse.errors import UsageError
from gstack_browse.flows import identity
from gstack_browse.flows.identity import Identity
from gstack_browse.flows.words import NAME, Word, render_line, split_line

HEAD = "# gbrowse flow 1"
MOST_STEPS = 1000
MOST_CHARACTERS = 2_000_000
INCLUDE = "include"
_VERSION = re.compile(r"#\s*gbrowse flow\s+(\S+)\s*\Z")
_VARIABLE = re.compile(rf"#\s*var\s+({NAME})\s*(?:=\s?(.*))?\Z")
_SECRET = re.compile(rf"#\s*secret\s+({NAME})\s*(=.*)?\Z")
_FAILS = re.compile(rf"{identity.NOTE_PREFIX}\s*fails\s+([A-Z]+ \S+)\s*\Z")
_OPENS_TAB = re.compile(rf"{identity.NOTE_PREFIX}\s*tab\s+([1-9][0-9]{{0,8}})\s*\Z")


@dataclass(frozen=True)
class Step:
    """A line of a flow. `line`: its number in the file, 0 for none."""

    words: tuple[Word, ...]
    identities: tuple[Identity, ...] = ()
    opens_tab: int = 0
    """The number by which later steps call the tab that the step opens; 0 for none."""
    failures: tuple[str, ...] = ()
    """Requests that may fail, as `RequestGlob` takes them: `POST **/check`."""
    line: int = 0

    @property
    def command(self) -> str:
        """Return the name of the command."""
        return self.words[0].text if self.words else ""

    @property
    def text(self) -> str:
        """Return the step's line as it stands in the file, without the notes below it."""
        return render_line(self.words)


@dataclass(frozen=True)
class Variable:
    """A variable that a flow's head declares. A secret has no default, and its value is never shown."""

    name: str
    default: str | None = None
    is_secret: bool = False


@dataclass(frozen=True)
class Flow:
    """Steps, and the variables in them."""

    steps: tuple[Step, ...]
    variables: tuple[Variable, ...] = ()
    comments: tuple[str, ...] = field(default=(), compare=False)

    @property
    def secret_names(self) -> set[str]:
        """Return the names of the flow's secret variables."""
        return {variable.name for variable in self.variables if variable.is_secret}


def render(flow: Flow) -> str:
    """Return the text of a flow file."""
    return "\n".join(_render_lines(flow)) + "\n"


def rewrite_steps(text: str, changed: Mapping[int, Step]) -> str:
    """Replace some steps, with their notes, in the text of a flow. Return the new text.

    changed: index of a step's line → the new step
    """
    written: list[str] = []
    is_changed = False
    for number, line in enumerate(_split_lines(text), 1):
        is_note = line.strip().startswith(identity.NOTE_PREFIX)
        if number in changed:
            written += _render_step(changed[number])
        elif not (is_note and is_changed):
            written.append(line)
        is_comment = not line.strip() or line.strip().startswith("#")
        is_changed = number in changed or (is_changed and is_comment)
    return "\n".join(written)


def _render_step(step: Step) -> Iterator[str]:
    """Yield the line of a step and the notes below it."""
    yield step.text
    yield from map(identity.render_note, step.identities)
    if step.opens_tab:
        yield f"{identity.NOTE_PREFIX} tab {step.opens_tab}"
    for request in step.failures:
        yield f"{identity.NOTE_PREFIX} fails {request}"


def _split_lines(text: str) -> list[str]:
    """Return the lines of a text, without a byte order mark."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")


def _render_lines(flow: Flow) -> Iterator[str]:
    """Yield the lines of a flow: head, variables, comments and steps."""
    yield HEAD
    for variable in flow.variables:
        default = "" if variable.default is None else f" = {variable.default}"
        yield f"# secret {variable.name}" if variable.is_secret else f"# var {variable.name}{default}"
    yield from (f"# {comment}" for comment in flow.comments)
    for step in flow.steps:
        yield from _render_step(step)


def parse(text: str, name: str = "the flow") -> Flow:
    """Parse a flow file. Raises UsageError with `name`, line and column for any other text."""
    if len(text) > MOST_CHARACTERS:
        raise UsageError(f"{name} has more than {MOST_CHARACTERS} characters")
    return _Parser(name).parse(_split_lines(text))


class _Parser:
    """Parses the lines of one file; errors name the file and the line."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._number = 0
        self._steps: list[Step] = []
        self._variables: dict[str, Variable] = {}

    def parse(self, lines: list[str]) -> Flow:
        """Parse the lines of a flow file. Raises UsageError."""
        for self._number, line in enumerate(lines, 1):
            try:
                self._parse_line(line)
            except UsageError as error:
                raise self._make_error(error.message, error.hint) from None
        self._number = 1
        if lines and not _VERSION.match(lines[0].strip()):
            raise self._make_error(f'a flow begins with "{HEAD}"')
        if not self._steps:
            raise self._make_error("the flow has no step")
        self._check_variables()
        return Flow(tuple(self._steps), tuple(self._variables.values()))

    def _make_error(self, problem: str, hint: str = "") -> UsageError:
        """Return an error with the name of the file and the current line."""
        separator = ", " if problem.startswith("column ") else ": "
        return UsageError(f"{self._name}, line {self._number}{separator}{problem}", hint)

    def _parse_line(self, line: str) -> None:
        """Parse one line: a step, a note, or a comment, which may declare something."""
        stripped = line.strip()
        if any(ord(character) < 0x20 and character != "\t" for character in line):
            raise UsageError("a control character stands in the line", "Write it as $'\\x01'")
        if stripped.startswith(identity.NOTE_PREFIX):
            self._parse_note(line)
        elif stripped.startswith("#"):
            self._parse_comment(stripped)
        elif words := split_line(line):
            self._add_step(tuple(words))

    def _parse_comment(self, line: str) -> None:
        """Parse a comment that states the version, or declares a variable or secret; skip any other one."""
        if version := _VERSION.match(line):
            if self._number != 1 or version[1] != "1":
                raise UsageError("only version 1 is known, in the first line")
        elif match := _SECRET.match(line):
            if match[2]:
                raise UsageError(
                    "a secret has no value in a file", "Give it when the flow runs: --vars, or FLOW_<NAME>"
                )
            self._declare_variable(Variable(match[1], is_secret=True))
        elif match := _VARIABLE.match(line):
            self._declare_variable(Variable(match[1], match[2]))

    def _declare_variable(self, variable: Variable) -> None:
        """Add a variable. Raises UsageError behind the first step and for a second declaration."""
        if self._steps:
            raise UsageError("variables stand before the first step")
        if variable.name in self._variables:
            raise UsageError(f"the variable {variable.name} is declared twice")
        self._variables[variable.name] = variable

    def _parse_note(self, line: str) -> None:
        """Add what a note (`#@ …`) says about the last step.

        It is an element's identity, the tab that the step opens, or a request that may fail.
        """
        if not self._steps:
            raise UsageError("a note stands below its step")
        step = self._steps[-1]
        if opens := _OPENS_TAB.match(line.strip()):
            self._steps[-1] = replace(step, opens_tab=int(opens[1]))
        elif fails := _FAILS.match(line.strip()):
            self._steps[-1] = replace(step, failures=(*step.failures, fails[1]))
        else:
            self._steps[-1] = replace(step, identities=(*step.identities, identity.parse_note(line)))

    def _add_step(self, words: tuple[Word, ...]) -> None:
        """Add a step. Raises UsageError for too many steps, a variable as the command, and a wrong `include`."""
        if len(self._steps) >= MOST_STEPS:
            raise UsageError(f"a flow has at most {MOST_STEPS} steps")
        if words[0].variables:
            raise UsageError("column 1: a command's name is no variable")
        if words[0].text == INCLUDE and (len(words) != 2 or words[1].variables):
            raise UsageError("include takes the name of one flow")
        self._steps.append(Step(words, line=self._number))

    def _check_variables(self) -> None:
        """Raise UsageError for the first variable of a step that is not declared."""
        for step in self._steps:
            self._number = step.line
            for name in (name for word in step.words for name in word.variables):
                if name not in self._variables:
                    raise self._make_error(
                        f"the variable ${name} is not declared", f'Declare it in the head: "# var {name}"'
                    )


def variables_used(steps: Iterable[Step]) -> set[str]:
    """Return the names of all variables in the steps."""
    return {name for step in steps for word in step.words for name in word.variables}


def fill_words(step: Step, values: Mapping[str, str]) -> list[str]:
    """Return the step's words with its variables replaced by their values."""
    return [word.fill(values) for word in step.words]
