"""How the two languages of Playwright's tests are written: literals, calls, blocks."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gstack_browse.flows.words import Variable, Word


@dataclass(frozen=True)
class Code:
    """A piece of code as it stands in the file."""

    text: str


Argument = str | int | bool | Word | Code | Sequence["Argument"]


class Python:
    """Playwright's synchronous API, for pytest-playwright."""

    comment = "#"

    def literal(self, value: Argument) -> str:
        """Return a value as code."""
        if isinstance(value, Code):
            return value.text
        if isinstance(value, Word):
            return self._word(value)
        if isinstance(value, bool | int):
            return str(value)
        if isinstance(value, str):
            return (
                json.dumps(value, ensure_ascii=False)
                .replace("\u2028", "\\u2028")
                .replace("\u2029", "\\u2029")
                .replace("\x7f", "\\x7f")
            )
        return f"[{', '.join(map(self.literal, value))}]"

    def _word(self, word: Word) -> str:
        if not word.variables:
            return self.literal(word.text)
        if len(word.parts) == 1:
            return self.variable(word.variables[0])
        parts = [
            f"{{{self.variable(part.name)}}}"
            if isinstance(part, Variable)
            else self.literal(part)[1:-1].replace("{", "{{").replace("}", "}}")
            for part in word.parts
        ]
        return f'f"{"".join(parts)}"'

    def variable(self, name: str) -> str:
        """Return a variable of the flow as a name of the test's."""
        return f"{name.upper()}_"

    def regex(self, pattern: str, *, flags: str = "") -> Code:
        """Return a regular expression."""
        named = [f"re.{flag.upper()}" for flag in flags if flag in "ims"]
        return Code(f"re.compile({self.literal(pattern)}{', ' + ' | '.join(named) if named else ''})")

    def call(self, on: str, method: str, *arguments: Argument, **options: Argument) -> str:
        """Return a call. `method`: in Python's way of writing."""
        given = [self.literal(argument) for argument in arguments]
        given += [f"{name}={self.literal(value)}" for name, value in options.items()]
        return f"{on}.{method}({', '.join(given)})"

    def do(self, code: str) -> str:
        """Return a statement that waits for what it does."""
        return code

    def expect(self, subject: str, method: str, *arguments: Argument, negated: bool = False) -> str:
        """Return an expectation."""
        name = method.replace("to_", "not_to_", 1) if negated else method
        return self.call(f"expect({subject})", name, *arguments)

    def waiting_for(self, on: str, event: str, name: str, action: Sequence[str]) -> list[str]:
        """Return an action and the lines around it that wait for its event.

        The event is a `popup`, `download` or `file_chooser`.
        """
        return [
            f"with {on}.expect_{event}() as {name}_info:",
            *(f"    {line}" for line in action),
            f"{name} = {name}_info.value",
        ]

    def require(self, condition: str, message: str) -> str:
        return f"assert {condition}, {self.literal(message)}"


class TypeScript:
    """Playwright Test."""

    comment = "//"

    def literal(self, value: Argument) -> str:
        """Return a value as code."""
        if isinstance(value, Code):
            return value.text
        if isinstance(value, Word):
            return self._word(value)
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, int):
            return str(value)
        if isinstance(value, str):
            return (
                json.dumps(value, ensure_ascii=False).replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
            )
        return f"[{', '.join(map(self.literal, value))}]"

    def _word(self, word: Word) -> str:
        if not word.variables:
            return self.literal(word.text)
        if len(word.parts) == 1:
            return self.variable(word.variables[0])
        parts = [
            f"${{{self.variable(part.name)}}}"
            if isinstance(part, Variable)
            else self.literal(part)[1:-1].replace('\\"', '"').replace("`", "\\`").replace("${", "\\${")
            for part in word.parts
        ]
        return f"`{''.join(parts)}`"

    def variable(self, name: str) -> str:
        """Return a variable of the flow as a name of the test's."""
        return f"{name.upper()}_"

    def regex(self, pattern: str, *, flags: str = "") -> Code:
        """Return a regular expression."""
        return Code(f"new RegExp({self.literal(pattern)}{', ' + self.literal(flags) if flags else ''})")

    def call(self, on: str, method: str, *arguments: Argument, **options: Argument) -> str:
        """Return a call. `method`: in Python's way of writing."""
        given = [self.literal(argument) for argument in arguments]
        if options:
            given.append(
                f"{{ {', '.join(f'{_camel(name)}: {self.literal(value)}' for name, value in options.items())} }}"
            )
        return f"{on}.{_camel(method)}({', '.join(given)})"

    def do(self, code: str) -> str:
        """Return a statement that waits for what it does."""
        return f"await {code};"

    def expect(self, subject: str, method: str, *arguments: Argument, negated: bool = False) -> str:
        """Return an expectation."""
        return self.call(f"expect({subject}){'.not' if negated else ''}", method, *arguments)

    def waiting_for(self, on: str, event: str, name: str, action: Sequence[str]) -> list[str]:
        """Return an action and the lines around it that wait for its event.

        The event is a `popup`, `download` or `file_chooser`.
        """
        return [
            f"const {name}Promise = {on}.waitForEvent('{event.replace('_', '')}');",
            *action,
            f"const {name} = await {name}Promise;",
        ]

    def require(self, condition: str, message: str) -> str:
        return f"expect({condition}, {self.literal(message)}).toBeTruthy();"


Dialect = Python | TypeScript
_KEPT: Mapping[str, str] = {"get_by_test_id": "getByTestId", "to_have_url": "toHaveURL"}


def _camel(name: str) -> str:
    return _KEPT.get(name) or re.sub(r"_([a-z])", lambda letter: letter[1].upper(), name)
