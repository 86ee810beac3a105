"""Split shell text into simple commands, as far as documents need that. Pure; runs nothing.

Understands quotes, expansions, operators and redirections.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

UNKNOWN = "\N{OBJECT REPLACEMENT CHARACTER}"
"""Stands in a word for what only the running shell knows, and for a placeholder such as `<url>`."""

_PLACEHOLDER = re.compile(r"<[A-Za-z][^<>\n;&]*>")
_EXPANSION = re.compile(r"\$(?:\{(\w+)[^}]*\}|(\w+)|([?#@*!$-]))")
_HEREDOC = re.compile(r"<<-?\s*(['\"]?)(\w+)\1")
_ENDS = "\n;|&()"
"""What ends a simple command."""
_RESERVED = {
    "if",
    "then",
    "elif",
    "else",
    "while",
    "until",
    "do",
    "!",
    "{",
    "time",
    "command",
    "exec",
    "sudo",
    "env",
}
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")


class Simple(NamedTuple):
    """A simple command: the line on which it begins, counted from 0, and its words without quotes."""

    line: int
    words: tuple[str, ...]


def simple_commands(text: str) -> Iterator[Simple]:
    """Yield all simple commands of a text, including those inside `$(…)`.

    Reserved words, assignments and redirections are left out.
    """
    reader = _ShellReader(text)
    reader.read("")
    for line, words in reader.found:
        at = 0
        while at < len(words) and (words[at] in _RESERVED or _ASSIGNMENT.match(words[at])):
            at += 1
        if words[at:]:
            yield Simple(line, tuple(words[at:]))


class _ShellReader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._bodies: list[str] = []
        self.found: list[tuple[int, list[str]]] = []

    def read(self, until: str) -> None:
        """Read commands up to the closing character, or to the end."""
        words: list[str] = []
        line = self._line()
        while self._at < len(self._text) and not (until and self._text[self._at] == until):
            if self._skip_between():
                continue
            if self._text[self._at] in _ENDS:
                self.found += [(line, words)] if words else []
                words = []
                self._end_command()
                continue
            line = line if words else self._line()
            words.append(self._word(until))
        self.found += [(line, words)] if words else []

    def _skip_between(self) -> bool:
        """Pass by what stands between words: blanks, a comment, a redirection. Returns whether there was any."""
        character = self._text[self._at]
        if character in " \t":
            self._at += 1
        elif self._text.startswith("\\\n", self._at):
            self._at += 2
        elif character == "#":
            self._at = self._end_of_line()
        elif self._text.startswith("&>", self._at) or self._is_redirection():
            self._redirection()
        else:
            return False
        return True

    def _end_command(self) -> None:
        self._at += 1
        if self._text[self._at - 1] == "\n":
            self._skip_bodies()

    def _word(self, until: str) -> str:
        pieces: list[str] = []
        while self._at < len(self._text):
            character = self._text[self._at]
            if character in " \t" or character in _ENDS or (until and character == until):
                break
            if character == "<" and (placeholder := _PLACEHOLDER.match(self._text, self._at)):
                pieces.append(UNKNOWN)
                self._at = placeholder.end()
            elif character in "<>":
                break
            else:
                pieces.append(self._piece(character))
        return "".join(pieces)

    def _piece(self, character: str) -> str:
        if character == "'":
            return self._quoted()
        if character == '"':
            return self._double_quoted()
        if character == "\\":
            self._at += 2
            escaped = self._text[self._at - 1 : self._at]
            return "" if escaped == "\n" else escaped
        if character in "$`":
            return self._expansion()
        self._at += 1
        return character

    def _quoted(self) -> str:
        end = self._text.find("'", self._at + 1)
        end = len(self._text) if end < 0 else end
        inside = self._text[self._at + 1 : end]
        self._at = end + 1
        return inside

    def _double_quoted(self) -> str:
        self._at += 1
        pieces = []
        while self._at < len(self._text) and (character := self._text[self._at]) != '"':
            if character in "$`":
                pieces.append(self._expansion())
            elif character == "\\" and self._text[self._at + 1 : self._at + 2] in ('"', "\\", "$", "`", "\n"):
                pieces.append(self._text[self._at + 1].strip("\n"))
                self._at += 2
            else:
                pieces.append(character)
                self._at += 1
        self._at += 1
        return "".join(pieces)

    def _expansion(self) -> str:
        """`$B` stays as it is, by whatever default; of every other expansion the value is not known."""
        if self._text.startswith("$(", self._at) or self._text[self._at] == "`":
            closing = "`" if self._text[self._at] == "`" else ")"
            self._at += 1 if closing == "`" else 2
            self.read(closing)
            self._at += 1
            return UNKNOWN
        match = _EXPANSION.match(self._text, self._at)
        self._at = match.end() if match else self._at + 1
        name = (match[1] or match[2]) if match else ""
        return "$" if not match else f"${name}" if name in ("B", "PWD") else UNKNOWN

    def _is_redirection(self) -> bool:
        is_placeholder = _PLACEHOLDER.match(self._text, self._at)
        return not is_placeholder and bool(re.compile(r"\d*[<>]").match(self._text, self._at))

    def _redirection(self) -> None:
        """Pass by the operator and the file that it names."""
        if heredoc := _HEREDOC.match(self._text, self._at):
            self._bodies.append(heredoc[2])
            self._at = heredoc.end()
            return
        operator = re.compile(r"&?\d*(?:>>|>&|<&|>\||[<>])\s*").match(self._text, self._at)
        self._at = operator.end() if operator else self._at + 1
        self._word("")

    def _skip_bodies(self) -> None:
        for delimiter in self._bodies:
            body = re.compile(rf"(?:.*\n)*?\t*{delimiter}(?:\n|\Z)").match(self._text, self._at)
            self._at = body.end() if body else len(self._text)
        self._bodies.clear()

    def _line(self) -> int:
        return self._text.count("\n", 0, self._at)

    def _end_of_line(self) -> int:
        end = self._text.find("\n", self._at)
        return len(self._text) if end < 0 else end
