"""How the two languages of Playwright's tests are written: literals, calls, blocks."""

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gstack_browse.flows.file import Variable as Declared
from gstack_browse.flows.words import Variable, Word


@dataclass(frozen=True)
class Code:
    """A piece of code as it stands in the file."""

    text: str


Argument = str | int | bool | Word | Code | Sequence["Argument"]


class Dialect(ABC):
    """A language of Playwright's tests: how it writes values, calls and expectations."""

    comment: str
    truth: tuple[str, str]
    """How it writes false and true."""

    def write_literal(self, value: Argument) -> str:
        """Return code for a value: a string, number, list, or word with variables. A `Code` stays as it is."""
        if isinstance(value, Code):
            return value.text
        if isinstance(value, Word) and not value.variables:
            return self.write_literal(value.text)
        if isinstance(value, Word):
            is_variable = len(value.parts) == 1
            return self.write_variable(value.variables[0]) if is_variable else self.write_template(value)
        if isinstance(value, bool):
            return self.truth[value]
        if isinstance(value, int):
            return str(value)
        if isinstance(value, str):
            text = json.dumps(value, ensure_ascii=False)
            return re.sub("[\u2028\u2029\x7f]", lambda each: f"\\u{ord(each[0]):04x}", text)
        return f"[{', '.join(map(self.write_literal, value))}]"

    def write_variable(self, name: str) -> str:
        """Return the name that a flow's variable has in the test's code."""
        return f"{name.upper()}_"

    @abstractmethod
    def write_expectation(self, subject: str, method: str, *arguments: Argument, negated: bool = False) -> str:
        """Return code of an assertion about `subject` (code), or of its opposite if `negated`.

        `method`: of the assertion, in snake case, as in Python's API.
        """

    @abstractmethod
    def write_event_wait(self, on: str, event: str, name: str, action: Sequence[str]) -> list[str]:
        """Return lines of code that run `action` (lines of code) and wait for the event which it causes.

        `on`: code of the object. `event`: `popup`, `download` or `file_chooser`. `name`: of the variable that gets
        the event's object.
        """

    @abstractmethod
    def write_template(self, word: Word) -> str:
        """Return code for a text with variables in it."""

    @abstractmethod
    def write_regex(self, pattern: str, *, flags: str = "") -> Code:
        """Return code for a regular expression."""

    @abstractmethod
    def write_call(self, on: str, method: str, *arguments: Argument, **options: Argument) -> str:
        """Return code that calls a method of `on` (code). `method`: in snake case, as in Python's API."""

    @abstractmethod
    def write_statement(self, code: str) -> str:
        """Return a statement that makes a call (code) and waits until it has finished."""

    @abstractmethod
    def write_requirement(self, condition: str, message: str) -> str:
        """Return a statement that fails with a message if a condition (code) is false."""


class Python(Dialect):
    """Playwright's synchronous API, for pytest-playwright."""

    comment = "#"
    truth = ("False", "True")

    def write_docstring(self, text: str) -> str:
        """Return a docstring in one line."""
        return f'""{self.write_literal(text)}""'

    def write_declaration(self, variable: Declared) -> str:
        """Return a statement that reads a flow's variable from the environment, or takes its default."""
        key = self.write_literal(f"FLOW_{variable.name.upper()}")
        default = "" if variable.default is None else f", {self.write_literal(variable.default)}"
        getter = f"os.environ.get({key}{default})" if default else f"os.environ[{key}]"
        return f"{self.write_variable(variable.name)} = {getter}"

    def write_template(self, word: Word) -> str:
        """Return a text with variables in it as an f-string."""
        parts = [
            f"{{{self.write_variable(part.name)}}}"
            if isinstance(part, Variable)
            else self.write_literal(part)[1:-1].replace("{", "{{").replace("}", "}}")
            for part in word.parts
        ]
        return f'f"{"".join(parts)}"'

    def write_regex(self, pattern: str, *, flags: str = "") -> Code:
        """Return a call of `re.compile`."""
        named = [f"re.{flag.upper()}" for flag in flags if flag in "ims"]
        return Code(f"re.compile({self.write_literal(pattern)}{', ' + ' | '.join(named) if named else ''})")

    def write_call(self, on: str, method: str, *arguments: Argument, **options: Argument) -> str:
        """Return code that calls a method of `on`, with options as keyword arguments."""
        given = [self.write_literal(argument) for argument in arguments]
        given += [f"{name}={self.write_literal(value)}" for name, value in options.items()]
        return f"{on}.{method}({', '.join(given)})"

    def write_statement(self, code: str) -> str:
        """Return the code as it is: the synchronous API waits by itself."""
        return code

    def write_expectation(self, subject: str, method: str, *arguments: Argument, negated: bool = False) -> str:
        """Return `expect(subject).method(…)`; if `negated`, with `not_` before the method."""
        name = method.replace("to_", "not_to_", 1) if negated else method
        return self.write_call(f"expect({subject})", name, *arguments)

    def write_event_wait(self, on: str, event: str, name: str, action: Sequence[str]) -> list[str]:
        """Return lines of a `with` block that runs the action and waits for the event."""
        return [
            f"with {on}.expect_{event}() as {name}_info:",
            *(f"    {line}" for line in action),
            f"{name} = {name}_info.value",
        ]

    def write_requirement(self, condition: str, message: str) -> str:
        """Return an `assert` that fails with `message` if `condition` is not met.

        `condition`: an expression in Python.
        """
        return f"assert {condition}, {self.write_literal(message)}"


class TypeScript(Dialect):
    """Playwright Test."""

    comment = "//"
    truth = ("false", "true")

    def write_template(self, word: Word) -> str:
        """Return a text with variables in it as a template literal."""
        parts = [
            f"${{{self.write_variable(part.name)}}}"
            if isinstance(part, Variable)
            else self.write_literal(part)[1:-1].replace('\\"', '"').replace("`", "\\`").replace("${", "\\${")
            for part in word.parts
        ]
        return f"`{''.join(parts)}`"

    def write_regex(self, pattern: str, *, flags: str = "") -> Code:
        """Return a new RegExp."""
        given = [pattern, flags] if flags else [pattern]
        return Code(f"new RegExp({', '.join(map(self.write_literal, given))})")

    def write_call(self, on: str, method: str, *arguments: Argument, **options: Argument) -> str:
        """Return code that calls a method of `on`, in camel case, with options as an object at its end."""
        given = [self.write_literal(argument) for argument in arguments]
        named = [f"{_to_camel_case(name)}: {self.write_literal(value)}" for name, value in options.items()]
        if named:
            given.append(f"{{ {', '.join(named)} }}")
        return f"{on}.{_to_camel_case(method)}({', '.join(given)})"

    def write_statement(self, code: str) -> str:
        """Return the code with `await` before it."""
        return f"await {code};"

    def write_expectation(self, subject: str, method: str, *arguments: Argument, negated: bool = False) -> str:
        """Return `expect(subject).method(…)`; if `negated`, with `.not` before the method."""
        return self.write_call(f"expect({subject}){'.not' if negated else ''}", method, *arguments)

    def write_event_wait(self, on: str, event: str, name: str, action: Sequence[str]) -> list[str]:
        """Return lines that run the action between making a promise of the event and awaiting it."""
        return [
            f"const {name}Promise = {on}.waitForEvent('{event.replace('_', '')}');",
            *action,
            f"const {name} = await {name}Promise;",
        ]

    def write_requirement(self, condition: str, message: str) -> str:
        """Return an `expect(…).toBeTruthy()` that fails with `message` if `condition` is not met.

        `condition`: an expression in TypeScript.
        """
        return f"expect({condition}, {self.write_literal(message)}).toBeTruthy();"


_IRREGULAR_NAMES: Mapping[str, str] = {"get_by_test_id": "getByTestId", "to_have_url": "toHaveURL"}


def _to_camel_case(name: str) -> str:
    """Return a Python name of Playwright's API as its TypeScript name."""
    return _IRREGULAR_NAMES.get(name) or re.sub(r"_([a-z])", lambda letter: letter[1].upper(), name)
