"""Split a line of a flow into words, as a shell would, and write words as such a line.

Understood are quotes ('…', "…", $'…'), backslashes and variables ($name, ${name}). Everything else for which a shell
does more than that is refused with its column: no shell runs a flow.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from gstack_browse.errors import UsageError

NAME = r"[A-Za-z_][A-Za-z0-9_]{0,39}"
MOST_LINE = 200_000
"""Characters of a line: `js` may have a long script."""
_PLAIN = re.compile(r"[A-Za-z0-9_@%+=:,./^-]+\Z")
"""Words that need no quotes, as in `shlex.quote`, and a caret."""
_VARIABLE = re.compile(rf"\$(?:({NAME})|\{{({NAME})\}})")
_OPERATORS = "|&;<>()`"
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"', "a": "\a", "b": "\b", "e": "\x1b"}
_CONTROLS = re.compile(r"[\x00-\x1f\x7f\x85\u2028\u2029]")


class Variable(NamedTuple):
    """A variable in a word. Its value is given when the flow runs."""

    name: str


Part = str | Variable


class Word(NamedTuple):
    """A word: texts and variables, one behind the other."""

    parts: tuple[Part, ...]

    @property
    def variables(self) -> list[str]:
        """Return the names of the word's variables, in order."""
        return [part.name for part in self.parts if isinstance(part, Variable)]

    def fill(self, values: Mapping[str, str]) -> str:
        """Return the word's text, with `values` in place of its variables. Raises KeyError for a missing one."""
        return "".join(values[part.name] if isinstance(part, Variable) else part for part in self.parts)

    @property
    def text(self) -> str:
        """Return the word as text, with its variables as `$name`: for people, without the values."""
        return "".join(f"${part.name}" if isinstance(part, Variable) else part for part in self.parts)


def literal(text: str) -> Word:
    """Make a word of a text without variables."""
    return Word((text,)) if text else Word(())


def join_words(words: Sequence[Word]) -> Word:
    """Return several words as one, with blanks between them."""
    parts = [part for word in words for part in (" ", *word.parts)][1:]
    runs = groupby(parts, lambda part: isinstance(part, str))
    return Word(tuple(part for is_text, run in runs for part in (["".join(run)] if is_text else run)))  # type: ignore[arg-type]


class _LineScanner:
    """Reads one line from left to right."""

    def __init__(self, line: str) -> None:
        self._line = line
        self._at = 0
        self._parts: list[Part] = []

    def make_error(self, problem: str, hint: str = "", at: int | None = None) -> UsageError:
        """Return an error that names the column. `at`: an index in the line, by default the current one."""
        return UsageError(f"column {(self._at if at is None else at) + 1}: {problem}", hint)

    def read_words(self) -> list[Word]:
        """Return the words up to the line's end or a comment. Raises UsageError if malformed."""
        found = []
        while self._skip_blanks():
            if self._line[self._at] == "#":
                break
            found.append(self._read_word())
        return found

    def _skip_blanks(self) -> bool:
        """Skip blanks. Return whether anything follows them."""
        while self._at < len(self._line) and self._line[self._at] in " \t":
            self._at += 1
        return self._at < len(self._line)

    def _read_word(self) -> Word:
        """Return the word that begins at the current index, with its quoted parts and variables."""
        self._parts = []
        while self._at < len(self._line) and (character := self._line[self._at]) not in " \t":
            if character == "'":
                self._add_text(self._read_single_quoted())
            elif character == '"':
                self._read_double_quoted()
            elif character == "\\":
                self._add_text(self._read_escaped())
            elif character == "$":
                self._read_dollar(is_bare=True)
            elif character in _OPERATORS:
                raise self.make_error(
                    f"{character} is for a shell, which does not run flows", "Put the word into quotes"
                )
            else:
                self._add_text(character)
                self._at += 1
        return Word(tuple(self._parts))

    def _add_text(self, text: str) -> None:
        """Add text to the word that is being read."""
        if text and self._parts and isinstance(self._parts[-1], str):
            self._parts[-1] += text
        elif text:
            self._parts.append(text)

    def _read_single_quoted(self) -> str:
        """Return the text of '…', in which nothing is special. Raises UsageError if unclosed."""
        end = self._line.find("'", self._at + 1)
        if end < 0:
            raise self.make_error("the quotation has no end")
        text = self._line[self._at + 1 : end]
        self._at = end + 1
        return text

    def _read_escaped(self) -> str:
        """Return the character behind a backslash."""
        if self._at + 1 >= len(self._line):
            raise self.make_error("nothing follows the backslash")
        self._at += 2
        return self._line[self._at - 1]

    def _read_double_quoted(self) -> None:
        """Add the text and the variables of "…" to the word."""
        start = self._at
        self._at += 1
        while self._at < len(self._line):
            character = self._line[self._at]
            if character == '"':
                self._at += 1
                return
            if character == "\\" and self._line[self._at + 1 : self._at + 2] in ('"', "\\", "$", "`"):
                self._add_text(self._read_escaped())
            elif character == "$":
                self._read_dollar(is_bare=False)
            elif character == "`":
                raise self.make_error("` is for a shell, which does not run flows", "Use '…' around the word")
            else:
                self._add_text(character)
                self._at += 1
        raise self.make_error("the quotation has no end", at=start)

    def _read_dollar(self, *, is_bare: bool) -> None:
        """Read what a dollar sign begins, and add it to the word: a variable, $'…', or only the sign.

        `is_bare`: outside of double quotes.
        """
        if is_bare and self._line.startswith("$'", self._at):
            self._read_ansi_quoted()
        elif variable := _VARIABLE.match(self._line, self._at):
            self._parts.append(Variable(variable[1] or variable[2]))
            self._at = variable.end()
        elif self._line[self._at + 1 : self._at + 2] in ("", " ", "\t", '"', "/", "=", ".", ","):
            self._add_text("$")
            self._at += 1
        else:
            raise self.make_error("$ begins no variable", "A dollar sign stands in '…'; a variable is $name")

    def _read_ansi_quoted(self) -> None:
        """Add the text of $'…', in which backslashes begin escapes, to the word."""
        start, self._at = self._at, self._at + 2
        while self._at < len(self._line):
            character = self._line[self._at]
            if character == "'":
                self._at += 1
                return
            if character == "\\":
                self._add_text(self._read_ansi_escape())
            else:
                self._add_text(character)
                self._at += 1
        raise self.make_error("the quotation has no end", at=start)

    def _read_ansi_escape(self) -> str:
        """Return the character of an escape such as \\n, \\x41 or \\u00e9."""
        if code := re.compile(r"\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{4}))").match(self._line, self._at):
            number = int(code[1] or code[2], 16)
            if number == 0 or 0xD800 <= number < 0xE000:
                raise self.make_error("that is no character")
            self._at = code.end()
            return chr(number)
        letter = self._line[self._at + 1 : self._at + 2]
        if letter not in _ESCAPES:
            raise self.make_error(f"\\{letter} is no escape", "Known: \\n \\t \\r \\\\ \\' \\xHH \\uHHHH")
        self._at += 2
        return _ESCAPES[letter]


def split_line(line: str) -> list[Word]:
    """Return the words of a line; none for a blank line or a comment. Raises UsageError with the column."""
    if len(line) > MOST_LINE:
        raise UsageError(f"column {MOST_LINE}: the line is too long")
    return _LineScanner(line).read_words()


def render_line(words: Sequence[Word]) -> str:
    """Return the line that `split_line` reads as these words."""
    return " ".join(map(_render_word, words))


def _render_word(word: Word) -> str:
    """Return a word as it stands in a line, in quotes if it needs them."""
    if not word.parts:
        return "''"
    if not word.variables:
        return _quote_text(word.text)
    texts = "".join(part for part in word.parts if isinstance(part, str))
    is_plain = not texts or _PLAIN.match(texts)
    rendered = []
    for place, part in enumerate(word.parts):
        if isinstance(part, Variable):
            after = word.parts[place + 1] if place + 1 < len(word.parts) else ""
            is_open = isinstance(after, str) and re.match(r"[A-Za-z0-9_]", after)
            rendered.append(f"${{{part.name}}}" if is_open else f"${part.name}")
        elif is_plain:
            rendered.append(part)
        elif _CONTROLS.search(part):
            rendered.append(f'"{_quote_text(part)}"')
        else:
            rendered.append(re.sub(r'(["\\$`])', r"\\\1", part))
    joined = "".join(rendered)
    return joined if is_plain else f'"{joined}"'


def _quote_text(text: str) -> str:
    """Put a text without variables into the quotes that it needs: $'…' if it has control characters."""
    if not text or _PLAIN.match(text):
        return text
    if not _CONTROLS.search(text):
        return "'" + text.replace("'", "'\\''") + "'"
    text = text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n").replace("\t", "\\t")
    return "$'" + _CONTROLS.sub(_escape_control, text) + "'"


def _escape_control(control: re.Match[str]) -> str:
    """Return the escape of one control character for $'…'."""
    code = ord(control[0])
    return f"\\x{code:02x}" if code < 0x80 else f"\\u{code:04x}"
